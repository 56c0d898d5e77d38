#!/bin/sh
# Partial results of reports that need more than a tally, from slices and from several traces: merged in any order, in
# steps and from a pipe, they give the same report and the same partial result as the complete traces.
. "${0%/*}/lib.sh"

# Merges the parts in a random order, in one step and in two.
merged()
{
	what=$1
	i=0
	shift
	order=$(for part in "$@"; do echo "$part"; done | awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand(), $0 }' |
		sort | cut -d ' ' -f 2)
	seed=$((seed + 1))
	# shellcheck disable=SC2086
	run 0 merge $order
	cmp -s out whole || fail "$what: another report"
	# shellcheck disable=SC2086
	run 0 merge --partial merged.p $order
	cmp -s merged.p whole.p || fail "$what: another partial result"
	first='' last=''
	for part in $order; do
		if [ $((i % 3)) -eq 0 ]; then first="$first $part"; else last="$last $part"; fi
		i=$((i + 1))
	done
	[ "$last" ] || return 0
	# shellcheck disable=SC2086
	run 0 merge --partial step.p $last
	# shellcheck disable=SC2086
	"$CPIDECODE" merge - $first <step.p >out 2>err || fail "$what: in steps"
	cmp -s out whole || fail "$what: another report in steps"
}

whole()
{
	# shellcheck disable=SC2086
	run 0 $options "$@"
	cp out whole
	# shellcheck disable=SC2086
	run 0 --partial whole.p $options "$@"
	run 0 merge whole.p
	cmp -s out whole || fail "$* $options alone: another report"
}

# FILES of traces that are read together, in N slices.
sliced()
{
	n=$1
	shift
	whole "$@"
	rm -f part.*
	i=1
	while [ "$i" -le "$n" ]; do
		# shellcheck disable=SC2086
		run 0 --partial "part.$i" --slice "$i/$n" $options "$@"
		i=$((i + 1))
	done
	merged "$* $options in $n slices" part.*
}

# Traces of different machines, each in slices of its own.
apart()
{
	whole "$@"
	rm -f part.*
	for trace in "$@"; do
		for i in 1 2; do
			# shellcheck disable=SC2086
			run 0 --partial "part.$trace.$i" --slice "$i/2" $options "$trace"
		done
	done
	merged "$* $options apart" part.*
}

seed=1
cases='nesting equal_stamps labels_damaged hosts arguments containers interval_events'
sampled=0
if is_sampled "4 of 7 golden traces, random ones in 7 slices and apart"; then
	sampled=1 cases='labels_damaged hosts arguments'
fi
for case in $cases; do
	make_case "$case"
	while read -r options; do
		# shellcheck disable=SC2086
		sliced 3 $files
	done <<'END'
--report heatmap
--report heatmap --format svg
--report slowest --format json --top 7
--report gaps --format csv
--report gaps --format json --by label,tid
--report summary --by tid,host,task,arg.size --format csv
--by label,time:300ns --exact --percentiles 10,50,99 --format json
--by parent,stack --where under(elapsed>100ns) --format json
--report why --format json
END
	rm -f trace*.bin
done

# Random traces of two machines.
random()
{
	awk -v seed="$1" -v n="$2" -v base="$3" 'BEGIN {
		srand(seed)
		printf "clock raw\nhz 1000000000\nid \"machine %08d\"\nsync 0 %s 5\ncpus 2\n", seed, base
		print "section meta\n| host: host" seed "\n| command: server " seed
		print "section tasks\ntask 1 1 0 \"one\"\ntask 2 1 0 \"two\"\nsection hooks ring=0"
		at = 5000000
		for (i = 0; i < n; i++) {
			at += 100 + int(1900 * rand())
			printf "group mm=%d tid=%d at=%d elapsed=%d types=1 label=\"%s\" summary\ncpu 1 2 1\nendgroup\n",
				rand() < 0.5, 1 + int(2 * rand()), at, int(exp(11 * rand())), substr("abcde", 1 + int(5 * rand()), 1)
		}
		print "section end"
	}' | "$MKTRACE" - "random$1.bin"
}
random 3 4000 1700000000000000000
random 4 700 1700000000500000000
while read -r options; do
	sliced 2 random3.bin random4.bin
	[ $sampled -eq 0 ] || continue
	sliced 7 random3.bin
	case $options in
	*'heatmap' | *'time:10us'*) ;;
	*) apart random4.bin random3.bin ;;
	esac
done <<'END'
--report heatmap
--report heatmap --format csv --time unix
--report heatmap --format svg --time unix
--report heatmap --format json --label a --from 1700000000.006
--report heatmap --time iso
--report slowest
--report slowest --time iso
--by label,time:10us --time unix --from 1700000000
--report slowest --format json --top 40 --label a
--report slowest --format json --where elapsed<1us
--report gaps
--report gaps --format json --by label,tid --label [ab]
--report summary --by tid,minor
--report summary --by host,label --format json --sort -p99_ns --top 3 --percentiles 75,99
--report histogram --by task --format csv
--by label,time:100us --format json --from 1700000000
--by tid,time:10us --exact
--exact --percentiles 1,50,99.99 --sort -p50_ns
--by parent --where contains(elapsed>1us)
--report why --tail p90
END

# Parts whose buckets begin at other moments, and parts without values, are refused by name.
run 0 --partial one.p --by time:1ms random3.bin
run 0 --partial two.p --by time:1ms random4.bin
run 1 merge one.p two.p
in_file err '^cpidecode: two.p: its times count from another origin than those before it, so its buckets do not match: .*since 1970$'
run 0 --partial by.p --by tid random3.bin
run 1 merge --by tid --exact by.p
in_file err '^cpidecode: by.p: it was not made with --exact$'
run 0 --partial exact.p --by tid --exact random3.bin
run 0 --report histogram --by tid random3.bin
cp out whole
run 0 merge --report histogram --by tid exact.p
cmp -s out whole || fail "a histogram of parts with values"
run 0 --partial exact.p --exact random3.bin
run 1 merge --report cpus exact.p
in_file err '^cpidecode: exact.p: it is of a summary with --exact only: '
run 0 --partial plain.p --report summary random3.bin
run 1 merge --exact plain.p
in_file err '^cpidecode: plain.p: it has no values: make it with --partial and --exact$'

# Imported files without an id are traces of their own, with threads of their own.
"$MKTRACE" "$here/../golden/cases/nrm2_groups/trace.txt" one.nrm2
sed 's/at=2200/at=2300/; s/at=2210/at=2400/' "$here/../golden/cases/nrm2_groups/trace.txt" >two.txt
"$MKTRACE" two.txt two.nrm2
for options in '--report gaps --format csv --by label,tid' '--report slowest --format json'; do
	apart one.nrm2 two.nrm2
	apart two.nrm2 one.nrm2
done

# Why a figure is n/a.
"$MKTRACE" "$here/../golden/cases/idle_groups/trace.txt" idle.bin
for key in label parent; do
	run 0 --report summary --by $key idle.bin
	in_file out '^# n/a: thread CPI needs the thread.s counters'
	cp out whole
	run 0 --partial idle.p --report summary --by $key idle.bin
	run 0 merge idle.p
	cmp -s out whole || fail "--by $key: $(tail -n 1 out)"
done

# Heat maps with different origins do not merge.
run 0 --partial one.p --report heatmap random3.bin
run 0 --partial two.p --report heatmap random4.bin
run 1 merge one.p two.p
in_file err '^cpidecode: two.p: its times count from another origin than those before it'
run 1 merge --report heatmap --time unix one.p
in_file err 'it was not made with --time unix'
run 0 --report heatmap --time unix random3.bin
cp out whole
run 0 --partial unix.p --report heatmap --time unix random3.bin
run 0 merge --report heatmap --format text unix.p
cmp -s out whole || fail "another --time than that of the partial result"
run 0 --partial any.p random3.bin
run 1 merge --report heatmap any.p
in_file err 'any.p: it has no cells of a heat map: make it with --partial and --report heatmap'
run 1 merge --report summary one.p
in_file err 'one.p: it is of a heat map only: make one of summary with --partial, or merge it with --report heatmap'
run 1 merge --format json one.p
in_file err 'or merge it with --report heatmap'
run 0 --partial slow.p --report slowest --top 5 random3.bin
run 0 --report slowest --top 3 random3.bin
cp out whole
run 0 merge --report slowest --top 3 slow.p
cmp -s out whole || fail "fewer of the slowest"
run 2 merge --report slowest --top 6 slow.p
in_file err '^cpidecode: --top 6: the partial results have the 5 slowest: make them with --top 6$'
run 1 merge --report slowest any.p
in_file err 'any.p: it has no list of the slowest intervals'
run 0 --partial gaps.p --report gaps --by label,tid random3.bin
run 2 merge --report gaps gaps.p
in_file err '^cpidecode: --by: the partial results were made with --by label,tid'
run 0 --partial by.p --report summary --by tid random3.bin
run 1 merge --report summary --by label by.p
in_file err 'by.p: it was not made with --by label'
run 1 merge --report summary by.p
in_file err 'by.p: it is of a report with --by only: make one of summary with --partial'
run 1 merge --report summary --by tid any.p
in_file err 'any.p: it has no groups by keys: make it with --partial and --by'
run 1 merge by.p any.p
in_file err 'any.p: it was made for any report, those before it for --report=summary --by=tid'
run 1 --report diff one.p any.p
in_file err 'one.p: a partial result of a heat map has no figures to compare'
