#!/bin/sh
# babeltrace2 reads a CTF trace as the hooks report, and info's losses.
. "${0%/*}/lib.sh"

python=''
! is_read || for candidate in python3 /usr/bin/python3; do
	! "$candidate" -c 'import bt2' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || ! is_read || skip "no python3 with bt2 here (Debian's python3-bt2)"

# export_hooks NAME: NAME.bin as NAME.ctf and NAME.info.json; if it is read, NAME.json too, and added
# to $names.
names=''
export_hooks()
{
	"$CPIDECODE" --format ctf -o "$1.ctf" "$1.bin" 2>"$1.err" || fail "$1: $(cat "$1.err")"
	"$CPIDECODE" --report info --format json -o "$1.info.json" "$1.bin" 2>/dev/null
	is_read || return 0
	"$CPIDECODE" --report hooks --format json -o "$1.json" "$1.bin" 2>/dev/null
	names="$names $1"
}

# shellcheck disable=SC2154 # of lib.sh
cp "$here/../../samples/measured.trace" measured.bin
export_hooks measured
for dir in "$here"/../golden/cases/*/; do
	[ -f "$dir/trace.txt" ] || continue
	name=$(basename "$dir")
	"$MKTRACE" "$dir/trace.txt" "$name.bin" 2>/dev/null || continue
	"$CPIDECODE" "$name.bin" >/dev/null 2>&1 || continue
	export_hooks "$name"
done
written=$(find . -name '*.ctf')
[ "$(echo "$written" | wc -l)" -gt 50 ] || fail "few golden traces: $written"
"$GENTRACE" -k mixed -n 1500 --seed 7 -z lz4 mixed.bin
"$GENTRACE" -k groups -n 500 -u utilisation.bin
"$GENTRACE" -k groups -n 2000 -p label,thread,time -l 5000 -e labels.bin
"$GENTRACE" -k hooks -n 6000 -o filled -c 8 filled.bin
for name in mixed utilisation labels filled; do
	export_hooks $name
done
# shellcheck disable=SC2086
readers_agree 'traces, [0-9]+ hooks' "$python" -B "$here/ctf.py" $names
in_file strings.err '3 strings have a NUL, which ends them in CTF'

# A clock that was set back begins another stream of the ring.
[ "$(find clock_back.ctf -name 'stream_*' | wc -l)" -gt "$(grep -o '"ring":' clock_back.info.json | wc -l)" ] ||
	fail "a clock that was set back, and no other stream"

"$CPIDECODE" --format ctf -o piped.ctf - <filled.bin || fail "from a pipe"
diff -r piped.ctf filled.ctf >differs || fail "from a pipe, it is another trace: $(cat differs)"
"$CPIDECODE" --format ctf --tid 1 -o none.ctf plain.bin || fail "without hooks"
[ -s none.ctf/metadata ] || fail "no metadata without hooks"

# Refused with the reason; a folder that is there stays as it is, an empty one is filled.
run 2 --format ctf plain.bin
in_file err 'a trace of CTF is a folder: name one with -o'
run 2 --format ctf -o - plain.bin
run 2 --report summary --format ctf -o refused plain.bin
mkdir full empty
echo mine >full/metadata
run 1 --format ctf -o full plain.bin
in_file err '^cpidecode: full: cannot write: Directory not empty \(remove it, or name another one\)$'
[ "$(cat full/metadata)" = mine ] || fail "the folder was changed"
run 1 --format ctf -o full/metadata plain.bin
in_file err 'full/metadata: cannot write: File exists'
run 0 --format ctf -o empty plain.bin
[ -s empty/metadata ] || fail "the folder is empty still"
status=0
(ulimit -f 64 && exec "$CPIDECODE" --format ctf -o large filled.bin 2>err) || status=$?
[ "$status" -eq 1 ] || fail "with no room: exit $status"
in_file err 'large/stream_[0-9]*: cannot write: File too large'
# A killed writer's folder is removed, other programs' are not.
mkdir .left.1-0.tmp .left.other.tmp
: >.left.1-0.tmp/stream_1
run 0 --format ctf -o left plain.bin
[ "$(echo left* .left*)" = 'left .left.other.tmp' ] || fail "the wrong leftovers: $(echo left* .left*)"
rm -r .left.other.tmp
[ -z "$(find . -name '*.tmp')" ] || fail "left behind: $(find . -name '*.tmp')"
