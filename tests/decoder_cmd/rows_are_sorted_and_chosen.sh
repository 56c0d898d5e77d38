#!/bin/sh
golden=$(cd "${0%/*}/../golden/cases" && pwd)
. "${0%/*}/lib.sh"

# sorted FILE COLUMN FALLING N: the values of a CSV's column as --sort and --top should give them.
values()
{
	awk -F, -v name="$2" 'NR == 1 { sub(/\r/, ""); for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
		{ sub(/\r/, ""); print $c }' "$1"
}
sorted()
{
	{
		values "$1" "$2" | grep . | sort "$3" || true
		values "$1" "$2" | grep -v . || true
	} | head -n "$4"
}

columns='elapsed_cycles start_ns raw_cpi busy_pct thread_cycles off_cpu_ns tid' most='1 7 100000'
if is_sampled "sorting by 4 of 7 columns, a single row"; then
	columns='elapsed_cycles raw_cpi off_cpu_ns' most='7 100000'
fi
"$GENTRACE" -k mixed -n 3000 -c 3 -u t.bin
"$GENTRACE" -k groups -n 3000 -c 3 g.bin
for trace in t.bin g.bin; do
	run 0 --report intervals --format csv $trace
	mv out intervals
	for column in $columns; do
		for order in g gr; do
			for n in $most; do
				sorted intervals $column -$order $n >expected
				for threads in 1 3; do
					[ $order = g ] && sort=$column || sort=-$column
					run 0 -j $threads --report intervals --format csv --top $n \
						--sort "$sort" $trace
					values out $column >there
					cmp expected there || fail "$trace: --sort $sort --top $n"
					[ $threads = 1 ] && cp out one || cmp one out ||
						fail "$trace: --sort $sort: threads differ"
				done
			done
		done
	done
	# All of them, without --top, by the same order.
	for sort in start_ns -elapsed_ns raw_cpi -off_cpu_ns tid; do
		run 0 --report intervals --format csv --top 100000 --sort $sort $trace
		mv out expected
		run 0 --report intervals --format csv --sort $sort $trace
		cmp expected out || fail "$trace: --sort $sort alone"
	done
	run 0 --report intervals --format json --where 'depth>0' --sort -tid $trace
	sort out >there
	run 0 --report intervals --format json --where 'depth>0' $trace
	sort out | cmp there - || fail "$trace: --sort with --where"
	# Whole rows, and the longest without --sort.
	run 0 --report intervals --format csv --top 100000 --sort start_ns $trace
	sort out >there
	sort intervals >expected
	cmp expected there || fail "$trace: rows differ"
	for n in 1 10 500; do
		run 0 --report intervals --format csv --top $n --sort -tid $trace
		[ "$(grep -cFxf intervals out)" -eq $((n + 1)) ] || fail "$trace: rows of $n differ"
	done
	run 0 --report intervals --format csv --top 5 $trace
	mv out longest
	run 0 --report intervals --format csv --top 5 --sort -elapsed_ns $trace
	cmp longest out || fail "$trace: --top alone"

	run 0 --format csv $trace
	mv out summary
	for column in count total_ns p99_ns raw_cpi; do
		for order in g gr; do
			[ $order = g ] && sort=$column || sort=-$column
			sorted summary $column -$order 5 >expected
			run 0 --format csv --top 5 --sort "$sort" $trace
			values out $column >there
			cmp expected there || fail "$trace: summary --sort $sort"
		done
	done
	sorted summary total_ns -gr 3 >expected
	run 0 --format csv --top 3 $trace
	values out total_ns >there
	cmp expected there || fail "$trace: summary --top alone"
done

# Equal rows of several traces have one order, with --top or without, whatever the order of files.
for name in first second; do
	make_clocked $name.bin <<END
id "$(printf '%-16s' $name)"
cpus 1
section hooks ring=0
interval mm=1 tid=1 at=5000 elapsed=1000 label="$name" cpu 1 2 1
section end
END
done
run 0 --report intervals --format csv --columns label --sort -elapsed_ns second.bin first.bin
mv out expected
[ "$(tr -d '\r' <expected | tr '\n' ' ')" = 'label first second ' ] || fail "equal rows: $(cat expected)"
for top in '' '--top 9'; do
	# shellcheck disable=SC2086
	run 0 --report intervals --format csv --columns label --sort -elapsed_ns $top first.bin second.bin
	cmp expected out || fail "equal rows: other ones $top"
	# shellcheck disable=SC2086
	run 0 --report intervals --format csv --columns label --sort -elapsed_ns $top second.bin first.bin
	cmp expected out || fail "equal rows: another order of files $top"
done

# Costs of nested intervals, and depths, do not depend on the number of rows.
for case in own_cost nesting zero_length equal_stamps; do
	"$MKTRACE" "$golden/$case/trace.txt" c.bin
	for more in '' --compensate; do
		run 0 --report intervals --format csv $more c.bin
		mv out intervals
		for n in 1 2 3; do
			for sort in start_ns -start_ns; do
				run 0 --report intervals --format csv $more --top $n --sort $sort c.bin
				[ "$(grep -cFxf intervals out)" -eq $((n + 1)) ] ||
					fail "$case: $more: $n rows by $sort"
				lines_are $((n + 1))
			done
		done
		for sort in start_ns -elapsed_cycles; do
			run 0 --report intervals --format csv $more --sort $sort c.bin
			sort out >there
			sort intervals | cmp there - || fail "$case: $more: --sort $sort"
		done
	done
done

run 0 --format csv --sort label --columns label,count g.bin
head -n 1 out | grep -qx "label,count$(printf '\r')" || fail "--columns: the heading"
sed 1d out >there
LC_ALL=C sort there | cmp - there || fail "--sort label"
run 0 --report intervals --format json --columns label,cpus,tid plain.bin
grep -q '^{"label":"inner","cpus":\[{"cpu":0,.*\],"tid":100}$' out || fail "--columns: json"
run 0 --report intervals --columns label,elapsed,elapsed_cycles plain.bin
grep -qx 'label *elapsed *elapsed_cycles' out || fail "--columns: text"
# Elapsed time, which only text has unasked.
run 0 --report intervals --columns label,elapsed_ns plain.bin
grep -qx 'label *elapsed' out || fail "--columns elapsed_ns: text"
for name in elapsed elapsed_ns; do
	run 0 --report intervals --format csv --columns "label,$name" first.bin
	[ "$(tr -d '\r' <out | paste -sd' ' -)" = 'label,elapsed_ns first,1000' ] || fail "--columns $name: csv"
	run 0 --report intervals --format json --columns "$name" first.bin
	grep -qx '{"elapsed_ns":1000}' out || fail "--columns $name: json"
done
run 0 --partial part g.bin
run 0 --format csv --top 2 --columns label,total_ns g.bin
mv out whole
run 0 merge --format csv --top 2 --columns label,total_ns part
cmp whole out || fail "merge --top"
run 0 --report intervals --top 2 --where 'contains(tid>0)' --columns depth,label g.bin
lines_are 4

misused()
{
	pattern=$1
	shift
	run 2 "$@"
	[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line"
	in_file err "$pattern"
}
misused 'no column "nothing"' --columns label,nothing plain.bin
misused 'no column "cpus"' --report intervals --format csv --columns cpus plain.bin
misused 'no column ""' --columns label, plain.bin
misused 'no column of that name' --sort nothing plain.bin
misused 'no column of that name' --report intervals --sort nothing plain.bin
misused 'no column of that name' --report intervals --top 2 --sort -self_ns plain.bin
misused 'expected a number of rows' --top 0 plain.bin
misused 'expected a number of rows' --top 1000001 plain.bin
misused 'go with --report summary, intervals' --report info --top 3 plain.bin
misused 'kinds of hooks' --report hooks --columns tid plain.bin
misused 'go with --report summary, intervals' --format svg --top 3 plain.bin
