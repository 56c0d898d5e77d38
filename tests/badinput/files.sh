# Files that are no traces, or not of this version.

decode missing.bin
refused "missing file" 1 'missing.bin.*No such file'
mkdir dir
decode dir
refused "a directory" 1 'dir.*[Dd]irectory'
: >empty.bin
decode empty.bin
refused "an empty file" 1 'empty.bin'
decode /dev/null
refused "/dev/null" 1 '/dev/null'
decode -
refused "empty standard input" 1 'standard input|stdin'
echo 'hello, this is no trace' >text.bin
decode text.bin
refused "a short text" 1 'text.bin.*not a'
head -c 10000 /dev/urandom >random.bin
decode random.bin
refused "random bytes" 1 'random.bin.*not a'
head -c 10000 /dev/zero >zeros.bin
decode zeros.bin
refused "zeros" 1 'zeros.bin.*not a'

: >secret.bin
chmod 0 secret.bin
if [ "$(id -u)" != 0 ]; then
	decode secret.bin
	refused "an unreadable file" 1 'secret.bin.*Permission denied'
else
	# Root reads everything: runs as another user, if possible.
	nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 755 .
	if $nobody "$CPIDECODE" --version >out 2>err; then
		timeout 120 $nobody "$CPIDECODE" secret.bin >out 2>err </dev/null
		status=$?
		refused "an unreadable file" 1 'secret.bin.*Permission denied'
	else
		skip "an unreadable file" "root reads everything, and setpriv does not work here"
	fi
	chmod 700 .
fi

prologue | make_trace whole.bin
head -c 256 whole.bin >header.bin
decode header.bin
expect "a header only" 0 'cut off' '*'
decode --strict header.bin
expect "a header only, --strict" 3 'cut off' '*'
head -c 255 whole.bin >less.bin
decode less.bin
refused "less than a header" 1 'less.bin'

{ prologue; echo 'section end
put16 header+8 2
fix header'; } | make_trace
decode t.bin
refused "version 2" 1 't.bin.*version'
{ prologue; echo 'section end
put16 header+8 0
fix header'; } | make_trace
decode t.bin
refused "version 0" 1 't.bin.*version'
for at in 16 40 48 56 100 250; do
	{ prologue; echo "section hooks ring=0
hook 0x10 1 tid=7 at=1 1
section end
flip header+$at 0x01"; } | make_trace
	decode t.bin
	sane && matches err 't.bin.*header' && pass "wrong header checksum ($at)" ||
		fail "wrong header checksum ($at)" "status $status"
	decode --strict t.bin
	[ "$status" != 0 ] && pass "wrong header checksum ($at), --strict" ||
		fail "wrong header checksum ($at), --strict" "exit status 0"
done

# Impossible numbers in the header, with a good checksum.
while read -r name statement; do
	{ prologue; echo "section hooks ring=0
hook 0xC0 0x00000001 tid=7 at=1000 64:100 \"l\"
hook 0xC0 0xF0000001 64:100 \"l\"
section end
$statement
fix header"; } | make_trace
	for report in summary intervals hooks cpus info; do
		decode --report $report t.bin
		sane && pass "$name, $report" || fail "$name, $report" "exit status $status"
	done
done <<'LIST'
four-billion-cpus put32 header+32 0xFFFFFFFF
no-cpus put32 header+32 0
no-max-raw put32 header+36 0
huge-max-raw put32 header+36 0xFFFFFFFF
unknown-clock put32 header+40 77
no-ticks-per-second put64 header+48 0
one-tick-per-second put64 header+48 1
most-ticks-per-second put64 header+48 0xFFFFFFFFFFFFFFFF
sync-at-the-end-of-time put64 header+56 0xFFFFFFFFFFFFFFFF
latest-sync put64 header+64 0x7FFFFFFFFFFFFFFF
earliest-sync put64 header+64 0x8000000000000000
header-size-0 put32 header+12 0
header-size-4-GiB put32 header+12 0xFFFFFFFF
LIST

# A failing read is an error, wherever it is: no report of the rest with status 0.
unreadable() { # NAME WHEN PATTERN
	ASAN_OPTIONS=detect_leaks=0 timeout 120 strace -f -o calls -e trace=pread64 \
		-e inject=pread64:error=EIO:when="$2" "$CPIDECODE" -j 1 t.bin >out 2>err
	status=$?
	refused "$1" 1 "t.bin: $3.*Input/output error"
}

if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
	skip "a disk that cannot be read" "no strace, or it may not trace here"
else
	{ prologue; echo 'section hooks ring=0
hook 0xC0 0x00000001 tid=7 at=1000 64:100 "l"
hook 0xC0 0xF0000001 64:100 "l"
section hooks ring=1
hook 0x10 1 tid=7 at=2000 1
section end'; } | make_trace
	strace -f -o calls -e trace=pread64 "$CPIDECODE" -j 1 t.bin >out 2>err
	# The loader of programs reads first.
	first=$(grep -n 'pread64(.*SWT' calls | head -n 1) last=$(grep -n 'pread64(.*SWTS' calls | tail -n 1)
	unreadable "unreadable: the header" "${first%%:*}" 'cannot be read'
	unreadable "unreadable: the last section" "${last%%:*}" \
		'the section at offset [0-9]+ cannot be read'
fi
