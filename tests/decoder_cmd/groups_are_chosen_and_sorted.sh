#!/bin/sh
. "${0%/*}/lib.sh"

"$GENTRACE" -k groups -n 3000 -c 3 -d 6 g.bin

# values FILE COLUMN: of a CSV.
values()
{
	tr -d '\r' <"$1" | awk -F, -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }'
}
# chosen CONDITION AWK: --having leaves those rows, of which count, total_ns, p99_ns and tid are $1 to $4.
chosen()
{
	run 0 --by label,tid --format csv --columns count,total_ns,p99_ns,tid,label g.bin
	awk -F, "NR == 1 || ($2)" out >expected
	[ "$(wc -l <expected)" -gt 1 ] && ! cmp -s expected out || fail "$1 is no condition to test with"
	run 0 --by label,tid --format csv --columns count,total_ns,p99_ns,tid,label --having "$1" g.bin
	cmp expected out || fail "--having $1"
}
chosen 'count>=20' '$1 >= 20'
chosen 'p99_ns>200us' '$3 > 200000'
chosen 'p99_ns > 200 us and (count>=1)' '$3 > 200000'
chosen 'p99_ns>200000 and count in (1, 2, 3)' '$3 > 200000 && $1 <= 3 && $1 >= 1'
chosen 'total_ns<0.1ms or not tid<1005' '$2 < 100000 || $4 >= 1005'
chosen 'label=parse*' '$5 ~ /^parse/'
run 0 --by parent --having 'absent(parent)' --format csv --columns parent,count g.bin
lines_are 2
in_file out '^,[0-9]+'
run 0 --by parent --having 'parent!=x' --format csv --columns parent g.bin
not_in_file out '^.?$'
# Columns that options make: percentiles, and those of time.
run 0 --by time:100us --percentiles 99.9 --having 'p99.9_ns>100us and in_flight_most>3' --format csv g.bin
[ "$(wc -l <out)" -gt 1 ] || fail "no rows"
run 0 --having 'count<0' g.bin
in_file out 'no intervals'
# Without --by, and of partial results.
run 0 --having 'count>50' --percentiles 10,99.99 --format csv g.bin
mv out whole
head -n 1 whole | tr -d '\r' >heading
in_file heading '^label,minor,count,total_ns,mean_ns,min_ns,p10_ns,p99\.99_ns,max_ns,raw_cpi,'
run 0 --partial part g.bin
run 0 merge --having 'count>50' --percentiles 10,99.99 --format csv part
cmp whole out || fail "merge --having"

# The defaults are 50, 90 and 99.
run 0 --format csv g.bin
mv out whole
run 0 --format csv --percentiles 50,90,99 g.bin
cmp whole out || fail "--percentiles"

# --sort and --top.
for sort in tid -tid count -p99_ns total_ns label -label; do
	column=${sort#-}
	case $column in label) how= ;; *) how=g ;; esac
	case $sort in -*) how=${how}r ;; esac
	run 0 --by tid,label --format csv --sort $sort g.bin
	values out "$column" >there
	LC_ALL=C sort -s -"${how:-s}" there | cmp - there || fail "--sort $sort"
	run 0 --by tid,label --format csv --sort $sort --top 7 g.bin
	lines_are 8
	head -n 7 there >expected
	values out "$column" | cmp expected - || fail "--sort $sort --top"
done
run 0 --by label --format csv --top 3 g.bin
mv out top
run 0 --by label --format csv --sort -total_ns g.bin
head -n 4 out | cmp - top || fail "--top alone"
run 0 --by time:100us --format csv --top 3 g.bin
values out total_ns >there
sort -gr there | cmp - there || fail "--top alone with time"

# A deep stack has its outermost 1000 names and the own one; long names are cut at 64 KiB.
deep()
{
	{
		printf 'clock tsc\nhz 1000000000\nsync 0 1700000000000000000 1000\nsection hooks ring=0\n'
		seq "$1" | awk -v long="$2" '{
			name = "n" $1
			while (length(name) < long)
				name = name "_"
			printf "group mm=1 tid=7 at=%d elapsed=%d types=1 label=\"%s\" summary\nendgroup\n", \
				10000 + $1, 2 * $1, name }'
		echo 'section end'
	} | "$MKTRACE" - deep.bin
	run 0 --by stack,label --columns stack,label --having 'label=n1 or label=n1_*' --format csv deep.bin
	sed 1d out | cut -d, -f1 >stack
}
deep 1100 1
[ "$(tr -cd ';' <stack | wc -c)" -eq 1000 ] || fail "a stack of more than 1001 names"
in_file stack '^n1100;n1099;.*;n101;n1$'
deep 900 200
[ "$(wc -c <stack)" -lt 66000 ] && [ "$(wc -c <stack)" -gt 65000 ] || fail "a stack of $(wc -c <stack) bytes"

# Text: times as --from takes them, - where there is no value.
run 0 --by parent,time:200us g.bin
in_file out ' parent +time$|time +parent$|parent  *time'
in_file out '[+]0[.]0002s'
in_file out '(^| )- '
run 0 --by minor --columns minor,count plain.bin
in_file out '10  +1$'
for format in csv json; do
	run 0 --by tid,time:1ms,arg.x --format $format g.bin
	"is_$format" out
done

# The histogram's groups are those of the summary, and it counts all of their intervals.
for list in tid parent,label time:200us,tid; do
	keys=$(echo $list | sed 's/time:200us/time_ns/')
	run 0 --by $list --format csv --columns "$keys,count" g.bin
	sed 1d out | tr -d '\r' | grep -v ',0$' | sort >expected
	run 0 --by $list --report histogram --format csv g.bin
	sed 1d out | awk -F, -v n="$(echo $keys | tr , '\n' | wc -l)" '
		{ k = $1; for (i = 2; i <= n; i++) k = k "," $i; sum[k] += $(n + 3) }
		END { for (k in sum) print k "," sum[k] }' | sort | cmp expected - || fail "histogram --by $list"
done
run 0 --by parent --report histogram g.bin
in_file out '^parent .* share%  up to%'

misused()
{
	pattern=$1
	shift
	run 2 "$@"
	[ ! -s out ] || fail "$*: something on stdout"
	in_file err "$pattern"
}
misused 'label, minor, tid, pid, task, cpu, .*parent, root, stack, arg.NAME, time:100ms instead of "nothing,tid"' \
	--by label,nothing,tid plain.bin
misused 'expected keys' --by '' plain.bin
misused 'expected keys' --by label, plain.bin
misused 'expected keys' --by arg. plain.bin
misused 'how long a bucket is' --by time plain.bin
misused 'how long a bucket is' --by time:0s plain.bin
misused 'how long a bucket is' --by time:5 plain.bin
misused 'time once' --by time:1s,time:2s plain.bin
misused 'tid once' --by tid,tid plain.bin
misused 'given twice' --by tid --by pid plain.bin
misused 'at most 12 keys' --by label,minor,tid,pid,task,cpu,start_cpu,container,host,parent,root,stack,arg.x plain.bin
misused 'expected host of cpus' --by tid --report cpus plain.bin
misused 'goes with --report summary, hooks, diff, histogram and gaps' --by tid --report intervals plain.bin
misused 'goes with --report summary, ' --having 'count>1' --report intervals plain.bin
misused 'goes with --report summary and diff' --percentiles 5 --report histogram plain.bin
misused 'columns: tid, .*count, total_ns' --by tid --having 'nothing>1' plain.bin
in_file err '^cpidecode:   \^$'
misused 'a column of the summary' --having 'tid>1' plain.bin
misused 'at column' --having 'count>' plain.bin
[ "$(wc -l <err)" -eq 3 ] || fail "no caret"
misused 'it has tid, ' --by tid --sort label plain.bin
misused 'it has label, minor, major, count,.*flagged, idle_pct' --columns tid plain.bin
for list in '' 101 '50,' 50,50 x 99.99999 -1 50.; do
	misused 'expected a list like|each once' --percentiles "$list" plain.bin
done
misused 'at most 24' --percentiles 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25 plain.bin

# Too many buckets are the trace's fault: one line, which names the shortest of 1, 2, 5, 10, ... that will do.
too_many()
{
	run 1 "$@"
	[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line on standard error"
	in_file err "^cpidecode: --by time: intervals in flight span more than 1048576 buckets of $width: choose [0-9]+[mun]?s or longer$"
	longer=$(sed 's/.*choose \(.*\) or longer/\1/' err)
}
"$GENTRACE" -k groups -n 2k -g 20000 long.bin
for keys in '' label,; do
	width=1ns
	too_many --by "${keys}time:$width" long.bin
	run 0 --by "${keys}time:$longer" --format csv long.bin
	mv out whole
	[ "$(wc -l <whole)" -gt 200000 ] || fail "time:$longer: only $(wc -l <whole) buckets"
	run 0 --partial part --by "${keys}time:$longer" long.bin
	run 0 merge --format csv --by "${keys}time:$longer" part
	cmp -s out whole || fail "time:$longer: the merged result differs"
	ns=${longer%ns}
	case $ns in
	5*) width=$((ns * 2 / 5))ns ;;
	*) width=$((ns / 2))ns ;;
	esac
	too_many --by "${keys}time:$width" long.bin
	run 0 --partial part --by "${keys}time:$width" long.bin
	run 1 merge --by "${keys}time:$width" part
	in_file err "$longer or longer"
done
