# Records that lie, in sections whose checksums hold.

# bad_records NAME STATEMENT: the hooks before it and in the next section must be there.
bad_records() {
	name=$1
	{ prologue; echo 'section hooks ring=0
hook 0x10 1 tid=7 at=1 1'; echo "$2"; echo 'section hooks ring=1
hook 0x10 1 tid=7 at=9000 9
section end'; } >script
	make_trace <script || return
	next_turn "hooks:text intervals:json summary:text cpus:json info:text intervals:folded" \
		"hooks:json intervals:text summary:json cpus:text info:json intervals:svg"
	for report in $turn; do
		decode --report "${report%:*}" --format "${report#*:}" t.bin
		sane || fail "$name, $report" "exit status $status"
	done
	decode --report hooks t.bin
	grep -q '00000001 00000001$' out && grep -q '00000001 00000009$' out &&
		pass "$name" || fail "$name" "the good hooks are missing (status $status)"
}

while read -r name record; do
	bad_records "$name" "$record"
	decode --report hooks --strict t.bin
	case $name in
	odd-*) ;;
	*) expect "$name, --strict" 3 't.bin|malformed|damage' ;;
	esac
done <<'LIST'
words-beyond-the-record hook 0x10 2 at=5 nwords=65535 1 2
words-beyond-by-one hook 0x10 2 at=5 nwords=3 1 2
strings-beyond-the-record hook 0x10 2 at=5 nstrings=255 "a"
string-length-beyond-the-record hook 0x10 2 at=5 len=5000 "a"
string-length-4-GiB hook 0x10 2 at=5 len=4294967295 "a"
string-length-wraps hook 0x10 2 at=5 len=4294967292 "a"
size-0 hook 0x10 2 at=5 size=0 1
size-8 hook 0x10 2 at=5 size=8 1 2
size-16 hook 0x10 2 at=5 size=16 1 2
size-beyond-the-section hook 0x10 2 at=5 size=0x00FFFFF8 1
record-of-all-ones bytes FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
record-cut-short bytes 20000080 10000100
odd-pad-beyond-the-section bytes F9FFFF80 00000000
odd-reserved-kind hook 0x10 2 at=5 control=0x80000022 1
odd-reserved-bits hook 0x10 2 at=5 control=0xFF000020 1
odd-major-0 hook 0 2 at=5 1
odd-nothing-but-a-header hook 0x10 2 at=5
odd-uncommitted-nonsense hook 0x10 2 at=5 uncommitted nwords=9 1
LIST

# CPI hooks that do not hold what they promise.
while read -r name record; do
	bad_records "CPI: $name" "$record"
done <<'LIST'
summary-of-4-billion-cpus hook 0xC0 0x10000001 at=5 7 0xFFFFFFFF 64:100 4:1 4:1
summary-of-65535-cpus hook 0xC0 0x10000001 at=5 7 65535 64:100 4:1 4:1
summary-of-no-cpus hook 0xC0 0x10000001 at=5 7 0 64:100 4:1 4:1
summary-without-words hook 0xC0 0x10000001 at=5
summary-with-half-an-elapsed hook 0xC0 0x10000001 at=5 1 1 0
summary-of-all-types hook 0xC0 0x10000001 at=5 0xFFFFFFFF 1 64:100 4:1 4:1
per-processor-of-4-billion hook 0xC0 0x40000001 at=5 3 0xFFFFFFFF 64:100 64:1 64:1 4:1
system-wide-cut-short hook 0xC0 0x80000001 at=5 3 64:100 64:1
label-without-a-string hook 0xC0 0x00000001 at=5 64:100
label-with-two hook 0xC0 0x00000001 at=5 64:100 "a" "b"
end-without-words hook 0xC0 0xF0000001 at=5
elapsed-of-584-years hook 0xC0 0x00000001 at=5 64:0xFFFFFFFFFFFFFFFF "l"
stamp-at-the-end-of-time hook 0xC0 0x00000001 at=0xFFFFFFFFFFFFFFFF 64:100 "l"
counts-that-overflow-a-sum hook 0xC0 0x80000001 at=5 3 64:100 64:0xFFFFFFFFFFFFFFFF 64:0xFFFFFFFFFFFFFFFF 4:1 64:0xFFFFFFFFFFFFFFFF 4:1 4:100
fraction-of-all-ones hook 0xC0 0x10000001 at=5 1 1 64:100 0xFFFFFFFF 0xFFFFFFFF 0xFFFFFFFF 0xFFFFFFFF
quality-of-4-billion-quantities hook 0xC0 0xA0000001 at=5 0 15 64:100 0xFFFFFFFF 1 64:5 64:5
quality-without-words hook 0xC0 0xA0000001 at=5
quality-that-knows-what-is-not-there hook 0xC0 0xA0000001 at=5 0xFFFFFFFF 0xFFFFFFFF 64:100 0
quality-of-all-ones hook 0xC0 0xA0000001 at=5 0xFFFFFFFF 15 64:0xFFFFFFFFFFFFFFFF 0 64:0xFFFFFFFFFFFFFFFE 64:0xFFFFFFFFFFFFFFFE 64:0xFFFFFFFFFFFFFFFE 64:0xFFFFFFFFFFFFFFFE
unknown-kind hook 0xC0 0x30000001 at=5 1 2 3
LIST

# As many strings as a record has room for.
{ prologue; echo 'section hooks ring=0 codec=lz4'; awk 'BEGIN {
	printf "hook 0x10 1 tid=7 at=1"
	for (i = 0; i < 8000; i++)
		printf " %d", i
	printf "\nhook 0x10 2 tid=7 at=2"
	for (i = 0; i < 255; i++)
		printf " \"%d\"", i
	print ""
}'; echo 'section end'; } | make_trace
decode --report hooks t.bin
expect "8000 words and 255 strings" 0 "" ' 00001F3F$'

# Nesting of any depth costs no stack.
{ prologue; echo 'section hooks ring=0 codec=lz4'; awk 'BEGIN {
	for (i = 1; i <= 20000; i++)
		printf "hook 0xC0 0x00000001 tid=7 at=%d 64:%d \"d\"\nhook 0xC0 0xF0000001 64:%d \"d\"\n", 100000 + i, 2 * i, 2 * i
}'; echo 'section end'; } | make_trace
for format in csv json; do
	decode --report intervals --format $format t.bin
	expect "20000 nested intervals, $format" 0 "" '1999[0-9]'
done
for format in folded svg; do
	decode --format $format t.bin
	sane && [ $status -le 1 ] && pass "20000 nested intervals, $format" ||
		fail "20000 nested intervals, $format" "exit status $status"
done
