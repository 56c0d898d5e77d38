#!/bin/sh
# A drain's files say how many went before: one that is not given is told, and fails --strict, unless
# the writer was told to keep no more.
. "${0%/*}/lib.sh"

# part FILE NUMBER [META]: one of a trace's files.
part()
{
	"$MKTRACE" - "$1" <<END
clock tsc
hz 1000000000
id "a rotated trace!"
sync 0 1700000000000000000 1000000000
section meta
| files before: $2
${3:+| $3}
section hooks ring=0 position=$((32 * $2))
hook 0x10 1 tid=7 at=$((1000 + $2)) 7
section end
END
}

for i in 0 1 2 3 4; do
	part "$i.bin" "$i"
	part "kept.$i.bin" "$i" 'keep: 2'
done
run 0 --strict --report hooks 4.bin 2.bin 0.bin 1.bin 3.bin
quiet
lines_are 5

run 3 --strict --report hooks 0.bin 1.bin 3.bin 4.bin
[ "$(wc -l <err)" -eq 1 ] || fail "not in one line"
in_file err '3.bin: file 3 of its trace is missing before it'
run 3 --strict --report hooks 0.bin 4.bin
in_file err '4.bin: files 2 to 4 of its trace are missing before it'
run 0 --report hooks 0.bin 4.bin
in_file err '4.bin: files 2 to 4 of its trace are missing'

run 3 --strict --report hooks 1.bin 2.bin
in_file err '1.bin: file 1 of its trace is missing before it'

run 0 --strict --report hooks kept.2.bin kept.3.bin kept.4.bin
[ "$(wc -l <err)" -eq 1 ] || fail "not in one line"
in_file err 'kept.2.bin: the 2 files before it are not here: the writer kept 2 \(--keep\)'
run 3 --strict --report hooks kept.2.bin kept.4.bin
in_file err 'kept.4.bin: file 4 of its trace is missing before it'
