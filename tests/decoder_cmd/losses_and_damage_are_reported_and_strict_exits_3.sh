#!/bin/sh
. "${0%/*}/lib.sh"

run 0 --strict plain.bin
quiet
run 0 plain.bin
cp out expected

loss='section loss
loss 0 5 4 3 2 0 0 0
loss 1 0 0 0 0 40 1 2'
make_trace lossy.bin
run 0 lossy.bin
in_file out '^# 40\.0 ms, 2 threads, 14 hooks lost, 1 torn, 40 overwritten$'
cp out lossy
sed 1d expected >plain
sed 1d lossy | cmp -s - plain || fail "losses changed the report"
in_file err 'lossy.bin: 14 hooks lost \(5 ring full, 4 too big, 3 sections held, 2 no guest ring\)'
in_file err 'lossy.bin: 1 torn record '
in_file err 'lossy.bin: 40 hooks overwritten'
lines_are "$(wc -l <expected)"
run 3 --strict lossy.bin
cmp -s out lossy || fail "--strict changed the report"
run 3 --strict --report hooks lossy.bin
run 3 --strict --report info lossy.bin
in_file out '^ *cpu 0 +1 +[0-9]+ +[0-9]+ +5 +4 +3 +2 +0 +0 +0 +0$'
in_file out '^ *cpu 1 +1 +[0-9]+ +[0-9]+ +0 +0 +0 +0 +0 +40 +1 +2$'

# Overwritten hooks are no loss in wrap mode.
loss='section loss
loss 1 0 0 0 0 40 0 0'
make_trace wrapped.bin
run 0 --strict wrapped.bin
in_file err 'overwritten'
loss=''

size=$(wc -c <plain.bin)
head -c $((size - 64)) plain.bin >cut.bin
run 0 cut.bin
cmp -s out expected || fail "the missing END changed the report"
in_file err 'cut.bin: cut off'
run 3 --strict cut.bin
run 0 --report info cut.bin
in_file out 'CUT OFF'

damage='flip s3.payload+40'
make_trace damaged.bin
run 0 --report intervals --format csv damaged.bin
in_file err 'damaged.bin: damaged at offset [0-9]+: .*; [0-9]+ bytes skipped'
in_file out ',guest,'
not_in_file out ',outer,'
run 3 --strict damaged.bin
run 0 --report info --format json damaged.bin
in_file out '"damage":\[\{"offset":[0-9]+,"bytes":[0-9]+,"why":"'
damage=''

# Torn records count whether or not the section's header tells of them.
for torn in 0 1; do
	"$MKTRACE" - torn.bin <<END
clock raw
hz 1000000000
sync 1000000000 1700000000000000000 5
section hooks ring=0 torn=$torn
hook 0x10 1 tid=1 at=1000000000 7
hook 0x10 2 tid=1 at=1000000001 uncommitted 8
hook 0x10 3 tid=1 at=1000000002 9
section end
END
	for report in summary hooks info; do
		run 3 --strict --report "$report" torn.bin
		in_file err 'torn.bin: 1 torn record \(never committed\)'
		[ "$(grep -c ' torn record ' err)" -eq 1 ] || fail "said more than once"
		[ "$(grep -c 'contradicts itself' err)" -eq $((1 - torn)) ] ||
			fail "a header that counts $torn torn records"
	done
	run 0 --report hooks torn.bin
	lines_are 2
done
