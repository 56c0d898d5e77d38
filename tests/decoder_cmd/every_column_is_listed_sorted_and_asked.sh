#!/bin/sh
golden=$(cd "${0%/*}/../golden/cases" && pwd)
. "${0%/*}/lib.sh"
command -v python3 >/dev/null || skip "columns: python3: not installed"

columns()
{
	python3 "$here/columns.py" "$CPIDECODE" "$@" || fail "columns of $*"
}

# An event whose name is a word, those of built-in metrics, one that is called as a column, and nested intervals
# with other values.
make_clocked metrics.bin <<'END'
cpus 1
section tasks
task 1 1 0 "one"
section labels
# numbers 1, 4, 6, 8 and 11
label "instructions"
label "cycles"
label "branches"
label "branch-misses"
label "ipc"
section hooks ring=0
interval mm=1 tid=1 at=2000 elapsed=500 label="inner" cpu 0 500 0
hook 0xC1 0x20000001 tid=1 at=2000 4 0 64:500 1 1 64:1000 64:500 64:500 4 1 64:3000 64:500 64:500 6 1 64:100 64:500 64:500 8 1 64:7 64:500 64:500
interval mm=1 tid=1 at=3000 elapsed=600 label="inner" cpu 0 600 0
hook 0xC1 0x20000001 tid=1 at=3000 3 0 64:600 1 1 64:4000 64:600 64:600 4 1 64:3000 64:600 64:600 11 1 64:12 64:600 64:600
interval mm=2 tid=1 at=3500 elapsed=3000 label="outer" cpu 0 3000 0
hook 0xC1 0x20000002 tid=1 at=3500 3 0 64:3000 1 1 64:9000 64:3000 64:3000 4 1 64:4500 64:3000 64:3000 6 1 64:300 64:3000 64:3000
section end
END
run 0 --report intervals --format csv metrics.bin
in_file out ',branch-misses,branches,event.cycles,event.instructions,ipc,metric.ipc,cpi,branch_miss_rate,id,parent_id'
columns metrics.bin -- --metric 'twice=2 * elapsed_ns'

cases='own_cost cpuutil scopes arguments interval_time containers'
! is_sampled "5 of 6 traces" || cases=arguments
for case in $cases; do
	"$MKTRACE" "$golden/$case/trace.txt" "$case.bin"
	columns "$case.bin"
done
for script in "$golden"/hosts/trace*.txt; do
	"$MKTRACE" "$script" "host-$(basename "$script" .txt).bin"
done
columns host-*.bin

# A plain name that is neither a column nor an event of the trace is refused where it is.
for word in elapesd brunches metric.cip; do
	run 2 --where "label=* and $word>1" metrics.bin
	[ ! -s out ] && [ "$(wc -l <err)" -eq 3 ] || fail "$word: not three lines"
	in_file err '^cpidecode: --where: at column 13: expected not, \( or a column'
	[ "$(tail -n 1 err)" = '              ^' ] || fail "$word: the caret"
done
# Built-in metrics without their events have no value; a user's needs its operands.
"$MKTRACE" "$golden/nesting/trace.txt" nesting.bin
run 0 --format csv --where 'ipc>0' nesting.bin
lines_are 1
run 2 --where 'm>0' --metric 'm={nothing}' metrics.bin
in_file err '^cpidecode: --metric m=\{nothing\}: no interval here has an event, and none a column, named nothing$'
# A condition takes the user's metrics in any report.
run 0 --report cpus --format csv --where 'm>0.15' --metric 'm=branches/elapsed_ns' metrics.bin
in_file out '^inner,'

# A word of conditions means the same with a metric of that name, which has to be asked for as metric.NAME.
asked()
{
	run 0 --report intervals --format csv "$@" metrics.bin
	[ ! -s err ] || fail "$*: $(cat err)"
	tr -d '\r' <out
}
for word in cpi elapsed elapsed_ns self_ns comm mm parent.tid; do
	set -- --metric "$word=0 - elapsed_ns"
	[ "$word" = cpi ] || asked "$@" --columns "metric.$word,id" >there
	if [ "$word" = cpi ]; then
		asked "$@" --columns metric.cpi,cpi,id >there
		[ "$(cut -d, -f2 there | paste -sd' ' -)" = 'cpi 0.5000 3.0000 0.7500' ] ||
			fail "the built-in cpi beside a user's"
	fi
	[ "$(cut -d, -f1 there | paste -sd' ' -)" = "metric.$word -3000.0000 -500.0000 -600.0000" ] ||
		fail "--columns metric.$word: $(cat there)"
	asked "$@" --sort "metric.$word" --columns "metric.$word" | sort -gc ||
		fail "--sort metric.$word"
	[ "$(asked "$@" --where "metric.$word < -550" | wc -l)" -eq 3 ] || fail "--where metric.$word"
done
for word in cpi elapsed_ns elapsed; do
	asked --sort "$word" --columns id >without
	asked --sort "$word" --columns id --metric "$word=0 - elapsed_ns" | cmp - without ||
		fail "--sort $word with a metric of that name"
	for value in 0.6 550; do
		[ "$word" = cpi ] || value=${value}ns
		asked --where "$word > $value" --columns id >without
		asked --where "$word > $value" --columns id --metric "$word=0 - elapsed_ns" |
			cmp - without || fail "--where $word with a metric of that name"
	done
done
