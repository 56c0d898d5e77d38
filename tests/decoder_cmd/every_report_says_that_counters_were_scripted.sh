#!/bin/sh
. "${0%/*}/lib.sh"

header='flags 1'
make_trace scripted.bin
for report in summary intervals hooks cpus info; do
	run 0 --report "$report" scripted.bin
	head -n 1 out >first
	in_file first '^# scripted counters'
	run 0 --report "$report" --format json scripted.bin
	in_file err 'scripted counters'
	run 0 --report "$report" plain.bin
	not_in_file out 'scripted counters'
done
for report in summary intervals hooks cpus; do
	run 0 --report "$report" --format csv scripted.bin
	in_file err 'scripted counters'
done
run 0 --report intervals --format csv scripted.bin
[ "$(grep -ac 'scripted' out)" -eq 5 ] || fail "an interval without the flag"
run 0 --format json scripted.bin
not_in_file out '"scripted":false'
run 0 --format folded scripted.bin
in_file err 'scripted counters'
run 0 --format svg scripted.bin
in_file out 'class="title".*scripted counters, not measured'

# Groups can be chosen by it.
for report in summary cpus; do
	run 0 --report $report --format json scripted.bin
	cp out all
	run 0 --report $report --format json --having 'scripted=1' scripted.bin
	cmp all out || fail "$report: --having scripted=1"
done
