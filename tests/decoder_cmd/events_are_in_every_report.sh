#!/bin/sh
. "${0%/*}/lib.sh"

# events MM AT ELAPSED INSTRUCTIONS FAULTS [ENABLED RUNNING]: the events hook of a group; a count of - is unknown.
events()
{
	printf 'hook 0xC1 0x2000000%d tid=7 at=%d 2 2 64:%d' "$1" "$2" "$3"
	for count in "$4" "$5"; do
		if [ "$count" = - ]; then
			printf ' 0 0 64:0 64:0 64:0'
		else
			printf ' 0 1 64:%d 64:%d 64:%d' "$count" "${6:-0}" "${7:-0}"
		fi
	done
	printf ' "instructions" "page-faults"\n'
}
begin()
{
	printf 'clock tsc\nhz 1000000000\nid "%016d"\nsync 0 1700000000000000000 1000\nsection hooks ring=0\n' "$1"
}
interval()
{
	echo "group mm=$1 tid=7 at=$2 elapsed=$3 types=1 label=\"$4\" summary"
	echo "cpu 0 $3 0"
	echo endgroup
	shift 4
	[ $# -eq 0 ] || events "$@"
}

# Exact sums, whatever the slices: the counts of 300 intervals, a third of which lack one.
{
	begin 1
	i=0
	while [ $i -lt 300 ]; do
		i=$((i + 1))
		at=$((1000000 + i * 1000))
		faults=$i
		[ $((i % 3)) -ne 0 ] || faults=-
		interval 1 $at 500 "label $((i % 2))" 1 $at 500 $((i * 10)) $faults 100 $((50 + i % 2 * 50))
	done
	echo 'section end'
} | "$MKTRACE" - t.bin
run 0 --format csv t.bin
quiet
# ends LABEL EXPECTED: the columns from flagged on.
ends()
{
	[ "$(sed -n "s/^$1,.*,none,,0,//p" out | tr -d '\r')" = "$2" ] || fail "$1: $(grep "^$1," out)"
}
ends 'label 0' 150,226500,1510.0000,100.00,150,15000,150.0000,66.67,100
ends 'label 1' ,225000,1500.0000,100.00,0,15000,150.0000,66.67,0

for format in text csv json; do
	run 0 --format $format t.bin
	mv out "whole.$format"
	run 0 -j 1 --format $format t.bin
	cmp -s out "whole.$format" || fail "one thread: another $format"
done
run 0 --partial whole.p t.bin
for i in 1 2 3; do
	run 0 --slice $i/3 --partial part.$i t.bin
done
run 0 merge --partial merged.p part.2 part.3 part.1
cmp -s merged.p whole.p || fail "merged slices differ from the whole"
for format in text csv json; do
	run 0 merge --format $format part.3 part.1 part.2
	cmp -s out "whole.$format" || fail "merged: another $format"
done

# A trace without events has no columns of them, and its text no table.
{
	begin 2
	interval 1 1000000 500 none
	echo 'section end'
} | "$MKTRACE" - none.bin
run 0 --format csv none.bin
not_in_file out _total,
run 0 none.bin
not_in_file out '^event '

# diff: an event is a metric, of every run the mean of the intervals that counted it. Its name may be that
# of another metric, and one that was never counted is n/a.
# run_of FILE FIRST INSTRUCTIONS FAULTS
run_of()
{
	{
		begin "$2"
		interval 1 1000000 500 "db: x" 1 1000000 500 "$3" "$4"
		interval 1 2000000 500 "db: x" 1 2000000 500 $(($3 + 200)) -
		echo 'section end'
	} | "$MKTRACE" - "$1"
}
for i in 1 2 3; do
	run_of before.$i $((10 + i)) $((1000 + i)) $i
	run_of after.$i $((20 + i)) $((1100 + i)) $((2 * i))
done
run 0 --report diff --format csv before.1 after.1
in_file err 'one run each'
in_file out '^db: x,1,event.instructions,,1101.0000,1201.0000,100.0000,9.08,,,1,1'
in_file out '^db: x,1,page-faults,,1.0000,2.0000,1.0000,100.00,,,1,1'
compare()
{
	run "$@" --report diff --before before.1 before.2 before.3 --after after.1 after.2 after.3
}
compare 0 --format csv
in_file out '^db: x,1,event.instructions,,1102.0000,1202.0000,100.0000,9.07,change,0\.00000[0-9],3,3'
in_file out '^db: x,1,page-faults,,2.0000,4.0000,2.0000,100.00,noise,'
compare 0 --format json
in_file out '"event.instructions":\{"before":1102.0000,"after":1202.0000,"change":100.0000,"change_pct":9.07,"verdict":"change",'
compare 0
in_file out '^event.instructions +1102.00 +1202.00 +\+9.1%!  01  db: x'
in_file out '^page-faults +2.00 +4.00 +\+100.0%   01  db: x'
run 0 --report diff --aa before.1 before.2 before.3
in_file out '^event.instructions +1102.00 +0.09% '
run 0 --report diff --aa --format csv before.1 before.2 before.3
in_file out '^db: x,1,page-faults,,3,2.0000,50.000,'

# Gates on events; the label before a colon may have one, too, and the longest name counts.
for gate in 'event.instructions>+9%' 'db: x:event.instructions>+9%' 'db*:event.instructions>+99'; do
	compare 5 --fail-if "$gate"
	in_file err '^cpidecode: gate failed: .*: "db: x", minor 0x01: 1102.* -> 1202.* \(\+9.1%\)$'
done
compare 0 --fail-if 'event.instructions>+10%' --fail-if 'page-faults>+1%' --fail-if 'page-faults<-1'
compare 5 --fail-if 'db:page-faults>+1%'
in_file err 'no such intervals on either side'
run 5 --report diff --single-run --fail-if 'page-faults>+1%' before.1 after.1
in_file err '; page-faults has no statistical test of one run each: the gate compares the value itself'
compare 2 --fail-if 'minor-faults>+1%'
in_file err '^cpidecode: --fail-if: "minor-faults>\+1%": expected count, .*, or an event of the runs'
[ ! -s out ] || fail "a report in spite of misuse"
compare 2 --fail-if 'page-faults>+1ms'
in_file err 'only times have units'

# Weights of a flame graph: own values.
{
	begin 3
	interval 1 1000000 200 inner 1 1000000 200 30 4
	interval 1 1000100 900 outer 1 1000100 900 100 -
	echo 'section end'
} | sed 's/page-faults/a<b>\&/' | "$MKTRACE" - nested.bin
run 0 --format folded --weight event.instructions nested.bin
quiet
[ "$(cat out)" = "$(printf 'tid 7;outer 70\ntid 7;outer;inner 30')" ] || fail "other stacks"
run 0 --format svg --weight 'a<b>&' nested.bin
in_file err '^cpidecode: 1 interval left out: a<b>& were not measured in it$'
in_file out 'a&lt;b&gt;&amp; in all'
not_in_file out 'a<b>'
for weight in page-faults '' event.page-faults; do
	run 2 --format folded --weight "$weight" nested.bin
	[ ! -s out ] || fail "a graph in spite of misuse"
	in_file err '^cpidecode: --weight: .*: expected cycles, .* or an event of the trace'
done
run 2 --format folded --compensate --weight event.instructions nested.bin
# A metric that adds up is a weight, too; fractions are rounded.
run 0 --format folded --metric 'twice=2 * instructions - instructions/10' --weight twice nested.bin
quiet
[ "$(cat out)" = "$(printf 'tid 7;outer 133\ntid 7;outer;inner 57')" ] || fail "other stacks of a metric"
run 0 --format folded --metric 'both=instructions + 10*{a<b>&}' --weight both nested.bin
[ "$(cat out)" = 'tid 7;outer;inner 70' ] || fail "other stacks where a part is n/a"
in_file err '^cpidecode: 1 interval left out: both were not measured in it$'
run 0 --format folded --metric 'instructions=3*instructions' --weight metric.instructions nested.bin
[ "$(cat out)" = "$(printf 'tid 7;outer 210\ntid 7;outer;inner 90')" ] || fail "other stacks of metric.NAME"
run 0 --format folded --metric 'below=instructions - elapsed_ns' --weight below nested.bin
[ ! -s out ] || [ "$(awk '{ sum += $NF } END { print sum + 0 }' out)" -eq 0 ] || fail "a weight below 0"
run 0 --format svg --metric 'twice=2*instructions' --weight twice nested.bin
in_file out 'twice in all'
for formula in 'instructions/elapsed_ns' 'instructions + 1' 'instructions*instructions' 'raw_cpi*2' '7' '1/instructions'; do
	run 2 --format folded --metric "x=$formula" --weight x nested.bin
	[ ! -s out ] || fail "a graph of what does not add up"
	in_file err '^cpidecode: --weight x: .* cannot be added up: '
done
run 2 --format folded --metric 'x=instructions' nested.bin
in_file err 'of a graph it is the weight'
run 2 --format folded --metric 'x=nonesuch' --weight x nested.bin
in_file err 'none a column, named nonesuch'
run 0 --format folded --weight page-faults --label none nested.bin
[ ! -s out ] || fail "stacks of no interval"

# why: events of the middle and the tail, as rates where instructions were counted. 20 intervals; the middle is
# the 9th to the 11th.
{
	begin 4
	i=0
	while [ $i -lt 20 ]; do
		i=$((i + 1))
		at=$((1000000 + i * 1000))
		faults=4
		[ $i -lt 20 ] || faults=40
		interval 1 $at $((100 + i)) x 1 $at $((100 + i)) $((2000 + (i == 20) * 2000)) $faults
		interval 2 $((at + 500)) $((100 + i)) y 2 $((at + 500)) $((100 + i)) - $faults
	done
	echo 'section end'
} >slow.txt
"$MKTRACE" slow.txt slow.bin
run 0 --report why --tail p96 slow.bin
in_file out '^page-faults/1k instr +2.00 +10.00 +\+400.0%$'
in_file out '^page-faults +4.00 +40.00 +\+900.0%$'
in_file out '^instructions +2000.00 +4000.00 +\+100.0%$'
in_file out '^instructions +n/a +n/a +n/a$'
run 0 --report why --tail p96 --format csv slow.bin
in_file out '^x,1,20,page-faults/1k instr,2.0000,10.0000,,,'
in_file out '^x,1,20,event.instructions,2000.0000,4000.0000,,,'
in_file out '^y,2,20,page-faults,4.0000,40.0000,,,'
run 0 --report why --tail p96 --format json slow.bin
in_file out '"events":\[\{"event":"page-faults","per":"1k instr","middle":2.0000,"tail":10.0000,"change_pct":400.00\},\{"event":"instructions","per":"interval",'
run 0 -j 1 --report why --tail p96 slow.bin
mv out one
run 0 -j 4 --report why --tail p96 slow.bin
cmp -s one out || fail "threads change why"

# Metrics of both sides: of the sums, so that of the middle (4, 4 and 4 faults in 6000) is 0.002.
not_in_file out 'metric'
run 0 -j 1 --report why --tail p96 --metric 'rate=page-faults/instructions' --metric cpi=page-faults/elapsed_ns \
	--metric none=page-faults/raw_cpi slow.bin
in_file out '^metric +middle +tail +change$'
in_file out '^rate +0.0020 +0.0100 +\+400.0%$'
in_file out '^metric.cpi +0.0364 +0.3333 +\+816.7%$'
in_file out '^rate +n/a +n/a +n/a$'
in_file out '^none +n/a +n/a +n/a$'
mv out one
run 0 -j 4 --report why --tail p96 --metric 'rate=page-faults/instructions' --metric cpi=page-faults/elapsed_ns \
	--metric none=page-faults/raw_cpi slow.bin
cmp -s one out || fail "threads change metrics of why"
sed 's/page-faults/cycles/' slow.txt | "$MKTRACE" - slow_cycles.bin
run 0 --report why --tail p96 --format csv slow_cycles.bin
in_file out '^x,1,20,ipc,500.0000,100.0000,,,'
in_file out '^x,1,20,metric.cpi,0.0020,0.0100,,,'
run 0 --report why --tail p96 --format json slow_cycles.bin
in_file out '"metrics":\[\{"metric":"ipc","middle":500.0000,"tail":100.0000,"change_pct":-80.00\},\{"metric":"metric.cpi",'
run 0 --report why --tail p96 --format json --label none slow_cycles.bin
[ ! -s out ] || fail "metrics of no interval"

# Derived metrics: the built-in ones of those events that are there, and the user's.
{
	begin 5
	interval 1 1000000 400 x 1 1000000 400 3000 1000
	interval 1 2000000 400 x 1 2000000 400 1000 3000
	echo 'section end'
} | sed 's/page-faults/cycles/' | "$MKTRACE" - cycles.bin
run 0 --format csv --metric 'per_ns=instructions/elapsed_ns' cycles.bin
[ "$(head -1 out | tr -d '\r' | sed 's/.*,instructions_scaled,//')" = per_ns,ipc,cpi ] || fail "other metrics"
# The ratio of the sums, 4000/4000; the mean of the ratios is 1.67.
in_file out '^x,1,2,.*,5.0000,1.0000,1.0000.?$'
run 0 --partial cycles.p cycles.bin
run 0 --format csv --metric 'per_ns=instructions/elapsed_ns' cycles.bin
mv out one
run 0 merge --format csv --metric 'per_ns=instructions/elapsed_ns' cycles.p
cmp -s out one || fail "merged: other metrics"
run 0 --report intervals --format csv cycles.bin
in_file out ',event.cycles,event.instructions,ipc,cpi,id,parent_id.?$'
in_file out ',1000,3000,3.0000,0.3333,r0[.]0,.?$'
run 0 --report intervals --format csv --metric arg.x=1 --metric cycles=2 --metric ipc=3 cycles.bin
in_file out ',metric.arg.x,metric.cycles,ipc,metric.ipc,cpi,id,parent_id.?$'
run 0 --report intervals cycles.bin
in_file out '^label .*  ipc +cpi  mm '
run 0 --report diff --format csv cycles.bin cycles.bin
in_file out '^x,1,ipc,,1.0000,1.0000,0.0000,0.00,'
in_file out '^x,1,metric.cpi,,1.0000,'
compare 5 --metric 'per_ns=instructions/elapsed_ns' --fail-if 'per_ns>+5%'
in_file err 'gate failed: per_ns>\+5%: "db: x", minor 0x01: 2.2040 -> 2.4040 \(\+9.1%\)$'
compare 0 --metric 'rate=1000*page-faults/instructions' --fail-if 'rate>+5%'
in_file out '^rate +1.81 +3.33 +\+83.4%  '

metric()
{
	run 2 --metric "$1" cycles.bin
	[ ! -s out ] || fail "a report in spite of misuse"
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
	in_file err "^cpidecode: --metric[: ].*: $2"
}
metric x 'expected NAME=EXPR'
metric =1 'expected a name of 1 to 63 bytes'
metric 'a b=1' 'expected a name of letters'
metric x= 'expected a number, a name,'
metric x=1+ 'expected a number, a name,'
metric 'x=(1' 'a \) is missing'
metric 'x=1)' 'expected \+, -, \* or / after'
metric 'x={cycles' 'a } is missing'
metric 'x=1 2' 'expected \+, -, \* or / after'
metric x=1e999 'expected a number like'
metric "x=$(printf '%0100d' 0 | tr 0 '(')1" 'it nests too deeply'
metric "x=1$(printf '%0100d' 0 | sed 's/0/+1/g')" 'it is too long'
metric x=cycle 'no interval here has an event, and none a column, named cycle$'
metric 'x={elapsed_ns}' 'no interval here has an event,'
run 2 --report why --metric x=cycle cycles.bin
in_file err 'and none a column, named cycle$'
run 2 --format html --metric x=cycle cycles.bin
in_file err 'and none a column, named cycle$'
run 0 --format html --metric 'cycles=2*instructions' -o page.html cycles.bin
run 2 --report histogram --metric x=1 cycles.bin
in_file err 'metric goes with'
