# Section headers and payloads that lie, with good checksums.

# around NAME STATUS STDERR STATEMENTS: a bad section between two good ones. The good ones'
# hooks must be there.
around() {
	name=$1 want=$2 told=$3 options=${4-}
	{ prologue; echo 'section hooks ring=0
hook 0x10 1 tid=7 at=1 1'; cat -; } >script
	make_trace <script || return
	# shellcheck disable=SC2086
	decode --report hooks $options t.bin
	if grep -q '00000001 00000001$' out && grep -q '00000001 00000009$' out; then
		expect "$name" "$want" "$told"
	else
		fail "$name" "the hooks around the bad section are missing (status $status)"
	fi
	next_turn "summary info" "cpus intervals"
	for report in $turn; do
		decode --report $report t.bin
		sane || fail "$name, $report" "exit status $status"
	done
}

good='section hooks ring=0
hook 0x10 1 tid=7 at=9000 9
section end'

around "damaged payload" 0 'offset [0-9]+.* [0-9]+ bytes' <<LIST
section hooks ring=0
hook 0x10 1 at=5 5
$good
flip s3.payload+8
LIST
around "damaged payload, --strict" 3 'offset [0-9]+' --strict <<LIST
section hooks ring=0
hook 0x10 1 at=5 5
$good
flip s3.payload+8
LIST
# header 256, meta 64+16, tasks 64+32, hooks 64+32, then 96 bytes at 528
around "damaged section: where and how much" 0 'offset 528\b.*\b96 bytes' <<LIST
section hooks ring=0
hook 0x10 1 at=5 5
$good
flip s3.payload+8
LIST
around "garbage between sections" 0 'offset 528\b.*\b16 bytes' <<LIST
garbage "sixteen bytes..."
$good
LIST
around "garbage that looks like a section" 0 'offset 528\b' <<LIST
garbage "SWTS" 01 00 00 00 20 00 00 00 20 00 00 00 "and so on and so on and so on and so on and so on and so on....."
$good
LIST
around "wrong magic" 0 'offset 528\b' <<LIST
section hooks ring=0
hook 0x10 1 at=5 5
$good
flip s3 0x01
LIST
around "lz4 as zlib" 0 'offset' <<LIST
section hooks ring=0 codec=lz4
hook 0x10 1 at=5 5
$good
put8 s3+6 2
fix s3
LIST
around "none as lz4" 0 'offset' <<LIST
section hooks ring=0
hook 0x10 1 at=5 5
$good
put8 s3+6 1
fix s3
LIST
around "unknown codec" 0 'offset' <<LIST
section hooks ring=0
hook 0x10 1 at=5 5
$good
put8 s3+6 9
fix s3
LIST
for codec in none lz4 zlib; do
	for raw in 0 8 31 40 4096 0x7FFFFFFF 0x80000000 0xFFFFFFFF; do
		around "raw size $raw with $codec" 0 'offset' <<LIST
section hooks ring=0 codec=$codec raw=$raw
hook 0x10 1 at=5 5
$good
LIST
	done
done
for stored in 0xFFFFFFFF 0x80000000 0x7FFFFFF8 1000000; do
	around "stored size $stored" 0 'offset' <<LIST
section hooks ring=0 stored=$stored
hook 0x10 1 at=5 5
$good
LIST
done

# Payloads of the other types that do not come out even, or hold nonsense. Whether that is
# told is the reader's business; the hooks are there.
while read -r name section payload; do
	around "$name" 0 '*' <<LIST
section $section
$payload
$good
LIST
done <<'LIST'
tasks-of-31-bytes tasks bytes 00010203040506070809101112131415161718192021222324252627282930
tasks-of-33-bytes tasks bytes 0001020304050607080910111213141516171819202122232425262728293031FF
no-tasks tasks zeros 0
task-0 tasks zeros 32
clock-of-23-bytes clock bytes 0001020304050607080910111213141516171819202122
clock-of-zeros clock zeros 24
clock-far-away clock sync 0xFFFFFFFFFFFFFFFF 0x7FFFFFFFFFFFFFFF 0xFFFFFFFFFFFFFFFF
clock-that-steps-back clock sync 100000 1600000000000000000 1
loss-of-63-bytes loss zeros 63
loss-of-everything loss loss 0 0xFFFFFFFFFFFFFFFF 0xFFFFFFFFFFFFFFFF 1 1 1 1 1
loss-of-an-unknown-ring loss loss 0xFFFFFFFF 1 1 1 1 1 1 1
index-of-47-bytes index zeros 47
index-that-points-nowhere index bytes FFFFFFFFFFFFFF7F00000000000000000000000000000000000000000000000000000000000000000000000000000000
meta-without-colon meta | no colon here
meta-with-bytes meta bytes "a" 00 "b: " FF FE "\n\e[31m: \n::\n"
meta-without-an-end meta bytes "host: x"
schema-of-bytes schema bytes 00 FF 80 "major"
schema-unfinished schema | major 0x10 x
schema-refused schema | hook 1 "without a major"
schema-empty schema zeros 0
type-0 0 zeros 16
type-65535 65535 zeros 16
LIST

# Headers that contradict their records.
for lie in hooks=0 hooks=4294967295 torn=4294967295 lost=4294967295 first=0 \
	first=0xFFFFFFFFFFFFFFFF last=0 last=0xFFFFFFFFFFFFFFFF position=0 \
	position=0xFFFFFFFFFFFFFFF8 position=3 ring=1024 ring=0x7FFFFFFF guest=0 \
	guest=0x7FFFFFFF; do
	around "header says $lie" 0 '*' <<LIST
section hooks ring=1 $lie
hook 0x10 1 at=5 5
$good
LIST
done
around "the same section twice" 0 '*' <<LIST
section hooks ring=1 position=64
hook 0x10 1 at=5 5
section hooks ring=1 position=64
hook 0x10 1 at=5 5
$good
LIST
around "stamps that go back" 0 '*' <<LIST
section hooks ring=1
hook 0x10 1 at=500 5
hook 0x10 1 at=400 6
section hooks ring=1
hook 0x10 1 at=300 7
$good
LIST
{ prologue; echo 'section hooks ring=0
hook 0x10 1 tid=7 at=1 1
section end
section hooks ring=0
hook 0x10 1 tid=7 at=2 2
section end'; } | make_trace
decode --report hooks t.bin
expect "sections after the end" 0 'offset [0-9]+' '00000001 00000001$'
{ prologue; echo 'section hooks ring=0
hook 0x10 1 tid=7 at=1 1
section end
zeros 24'; } | make_trace
decode --report hooks t.bin
expect "an end with a payload" 0 '*' '00000001 00000001$'
around "an empty hooks section" 0 '*' <<LIST
section hooks ring=1
$good
LIST
{ prologue; echo 'section hooks ring=0
hook 0x10 1 tid=7 at=1 1'; } | make_trace
decode --report hooks t.bin
expect "no END" 0 'cut off' '00000001 00000001$'
decode --strict --report hooks t.bin
expect "no END, --strict" 3 'cut off' '00000001 00000001$'

# Bombs: little that wants to become much. Limits on memory do not go with sanitizers'
# shadow, so time is what is limited.
{ prologue; echo 'section hooks ring=0 codec=zlib
zeros 67108864
section hooks ring=0
hook 0x10 1 tid=7 at=9 9
section end'; } | make_trace bomb.bin
decode --report hooks bomb.bin
expect "64 MiB of zeros in 64 KiB" 0 'bomb.bin' '00000001 00000009$'
{ prologue; echo 'section hooks ring=0 codec=lz4 raw=0xFFFFFFF8
zeros 1024
section tasks codec=zlib raw=0xFFFFFFE0
zeros 1024
section hooks ring=0
hook 0x10 1 tid=7 at=9 9
section end'; } | make_trace bomb.bin
decode --report hooks bomb.bin
expect "4 GiB promised by 1 KiB" 0 'offset' '00000001 00000009$'
