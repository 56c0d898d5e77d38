#!/bin/sh
. "${0%/*}/lib.sh"
: "${GENTRACE:?the generator of traces}"

"$GENTRACE" -k groups -n 5k -c 3 -p label,summary,time own.bin
"$GENTRACE" -k groups -n 1k -c 3 -p label,summary none.bin

# Every number of threads says the same, and every report goes by the same times.
for kind in intervals summary why; do
	run 0 -j1 --report $kind --format csv --compensate own.bin
	in_file err "subtracted from times; 5000 of 5000 intervals have it"
	mv out $kind.csv
	run 0 -j3 --report $kind --format csv --compensate own.bin
	cmp -s out $kind.csv || fail "$kind: three threads say otherwise"
done
# A graph's total is that of the outermost intervals. Labels have no commas.
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
in_file out "^# the library's own cost is subtracted from times"
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
in_file err 'plain.p: --compensate: a partial result that was made without it'
run 0 --report diff --compensate own.p own.bin
run 2 merge --compensate plain.p
in_file err 'plain.p: --compensate: a partial result that was made without it'
run 0 merge --compensate own.p
cmp -s out expected || fail "a merged result of which it is asked says otherwise"

# An interval of one slice may contain intervals of another.
for slice in 1 2 3; do
	run 0 --compensate --slice $slice/3 --partial slice$slice.p own.bin
done
run 0 merge --partial slices.p slice2.p slice1.p slice3.p
cmp -s slices.p own.p || fail "three slices are not the whole"

# The slowest ones, and their self time.
run 0 --report slowest --top 20 --format json --compensate own.bin
sed 's/.*"elapsed_ns":\([0-9]*\)\.\([0-9]\),"percentile.*/\1\2/' out >slowest
run 0 --report intervals --top 20 --sort -elapsed_ns --format csv --compensate own.bin
# A tick is 0.4 ns.
tr -d '\r' <out | awk -F, 'NR > 1 { printf "%.0f\n", $3 * 4 }' | sort -nr | cmp -s - slowest ||
	fail "the slowest are others than those of intervals"
make_clocked nested.bin <<'END'
section hooks ring=0
group mm=1 tid=7 at=1600 elapsed=100 types=0 label="inner"
endgroup
hook 0xC1 0x10000001 tid=7 at=1600 1 10 64:100 64:0 10 40
group mm=1 tid=7 at=2000 elapsed=1000 types=0 label="outer"
endgroup
hook 0xC1 0x10000001 tid=7 at=2000 1 10 64:1000 64:0 10 40
section end
END
run 0 --report slowest --top 1 --format json --compensate nested.bin
in_file out '"label":"outer",.*"elapsed_ns":950.0,.*"self_ns":860.0,.*"label":"inner",.*"self_ns":90.0'

# Exports: spans stay, times of their own are less.
run 0 --format callgrind --compensate nested.bin
in_file err '2 of 2 intervals have it'
in_file out '^summary: 950$'
in_file out '^0 860$'
run 0 --format chrome --compensate nested.bin
in_file out '"ts":0.000,"name":"outer","args":\{"cpu":0,"elapsed_cycles":950,"compensated_ns":950.0,'
in_file out '"ts":0.500,"name":"inner","args":\{"cpu":0,"elapsed_cycles":90,"compensated_ns":90.0,'
in_file out '"ph":"E".*"ts":1.000'
run 0 --format chrome nested.bin
not_in_file out compensated_ns

# Light intervals have it in their first word: 10 inside and 40 a pair, beside bits that the hook has anyway.
known()
{
	echo $(($1 + 10 * 128 + 40 * 524288))
}
make_clocked light.bin <<END
section labels
label "light"
section hooks ring=0
hook 0xC2 0x10000000 tid=7 at=1300 $(known 1) 1 64:100
hook 0xC2 0x10000000 tid=7 at=1500 $(known 38) 1 64:150 64:2 64:100 1
hook 0xC2 0x20000000 tid=7 at=1600 $(known 9) 0 64:30 0 1 "by text"
hook 0xC2 0x10000000 tid=7 at=1700 1 1 64:20
group mm=1 tid=7 at=2000 elapsed=1000 types=0 label="outer"
endgroup
hook 0xC1 0x10000001 tid=7 at=2000 1 10 64:1000 64:0 10 40
hook 0xC2 0x10000000 tid=7 at=5000 $(known 1) 1 64:2500
hook 0xC2 0x20000000 tid=7 at=4900 $(known 0) 1 64:500 1 0 1 1 64:7
section end
END
run 0 --report intervals --format csv --columns label,elapsed_cycles,own_inside_ns,own_nested_ns,on_cpu_ns,flags light.bin
tr -d '\r' <out >rows
cat >expected <<'END'
label,elapsed_cycles,own_inside_ns,own_nested_ns,on_cpu_ns,flags
outer,1000,10,120,1000,own-cost
light,100,10,0,100,own-cost
light,150,10,0,100,own-cost
by text,30,10,0,30,own-cost
light,20,,,20,
light,2500,10,40,2500,
light,500,10,0,,
END
sort rows >sorted
sort expected | diff - sorted >differ || fail "light: $(cat differ)"
run 0 --report intervals --format csv --columns label,elapsed_cycles,on_cpu_ns --compensate light.bin
in_file err '6 of 7 intervals have it'
in_file out '^outer,870,'
in_file out '^light,90,90'
in_file out '^by text,20,20'
in_file out '^light,20,20'
in_file out '^light,490,'
run 0 --format folded --compensate light.bin
in_file out 'outer 6'
run 0 --report info light.bin
in_file out 'own cost +10 ns inside an interval, 40 ns for a pair'

# Nothing to take off.
run 0 --compensate none.bin
in_file err 'nothing is subtracted'
[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
sed 1d out >less
run 0 none.bin
cmp -s out less || fail "something was taken off"
