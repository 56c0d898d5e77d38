#!/bin/sh
. "${0%/*}/lib.sh"
: "${GENTRACE:?the generator of traces}"

"$GENTRACE" -k groups -n 5k -c 3 -p label,summary,time own.bin
"$GENTRACE" -k groups -n 1k -c 3 -p label,summary none.bin

# Every number of threads says the same, and every report goes by the same times.
for kind in intervals summary why; do
	run 0 -j1 --report $kind --format csv --compensate own.bin
	in_file err "taken off times; 5000 of 5000 intervals tell it"
	mv out $kind.csv
	run 0 -j3 --report $kind --format csv --compensate own.bin
	cmp -s out $kind.csv || fail "$kind: three threads say otherwise"
done
# A graph has what the outermost intervals have. Labels have no commas.
run 0 --format folded --compensate own.bin
folded=$(awk '{ sum += $NF } END { printf "%d", sum }' out)
outermost=$(awk -F, 'NR > 1 && $10 == 0 { sum += $3 } END { printf "%d", sum }' intervals.csv)
[ "$folded" = "$outermost" ] || fail "folded has $folded cycles, the outermost intervals $outermost"
run 0 --report intervals --format csv own.bin
quiet
tr -d '\r' <out | awk -F, '
	# A tick is 0.4 ns.
	NR > 1 && $10 == 0 { left = $3 - 2.5 * ($31 + $32); sum += left > 0 ? left : 0 }
	END { printf "%.0f", sum }' >less
[ "$(cat less)" = "$outermost" ] || fail "not the elapsed cycles less the costs, $(cat less), but $outermost"

# Partial results keep it, and do not mix.
run 0 --compensate own.bin
in_file out "^# the library's own cost is taken off times"
mv out expected
run 0 --compensate --partial own.p own.bin
run 0 merge own.p
cmp -s out expected || fail "a merged result says otherwise"
run 0 --partial plain.p own.bin
run 1 merge own.p plain.p
in_file err 'other filters'
run 1 --report diff own.p plain.p
in_file err 'different filters'
run 2 --report diff --compensate own.p plain.p
in_file err 'goes with --partial'

# Nothing to take off.
run 0 --compensate none.bin
in_file err 'nothing is taken off'
[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
sed 1d out >less
run 0 none.bin
cmp -s out less || fail "something was taken off"
