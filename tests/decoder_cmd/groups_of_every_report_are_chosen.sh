#!/bin/sh
# --having, --sort, --top and --columns of the reports whose rows are groups, or parts of groups.
. "${0%/*}/lib.sh"

# lines FILE: of a CSV with LF, without its header.
lines()
{
	tr -d '\r' <"$1" | sed 1d
}

# pick FILE NAME...: the lines whose label (the first column) is one of these, in the order of these.
pick()
{
	file=$1
	shift
	tr -d '\r' <"$file" | head -n 1
	for name in "$@"; do
		lines "$file" | awk -F, -v name="$name" '$1 == name'
	done
}

# shows REPORT NAMES OPTIONS...: with these options the report is of these labels, in every format.
shows()
{
	report=$1 names=$2
	shift 2
	run 0 --report "$report" --format csv c.bin
	# shellcheck disable=SC2086
	pick out $names >expected
	run 0 --report "$report" --format csv "$@" c.bin
	tr -d '\r' <out | cmp expected - || fail "$report $*: csv"
	run 0 --report "$report" --format json "$@" c.bin
	[ "$(sed 's/^{"label":"\([a-z]*\)".*/\1/' out | uniq | tr '\n' ' ')" = "$names${names:+ }" ] ||
		fail "$report $*: json"
	run 0 --report "$report" "$@" c.bin
	cp out text
	run 0 --partial part --report "$report" "$@" c.bin
	run 0 merge part
	# Not the line of totals.
	grep -v '^#' text >expected
	grep -v '^#' out | cmp expected - || fail "$report $*: merged"
}

# interval LABEL MM TID AT ELAPSED CYCLES
interval()
{
	printf 'group mm=%s tid=%s at=%s elapsed=%s label="%s" types=3 summary detailed\n' "$2" "$3" "$4" "$5" "$1"
	printf 'cpu 2000 %s 1000 x2\nendgroup\n' "$6"
}

# 3 labels on 2 threads: total, p99 and count have other orders; two processors.
{
	cat <<'END'
clock tsc
hz 1000000000
cpus 2
sync 0 1700000000000000000 1000
section tasks
task 7 7 0 "one"
task 8 8 0 "other"
section hooks ring=0
END
	for i in 1 2 3 4 5 6 7 8; do
		interval often 1 7 ${i}00000 3000 8000
	done
	interval long 2 7 900000 70000 4000
	interval long 2 7 1000000 20000 4000
	for i in 2 3 4 5; do
		interval some 3 8 ${i}010000 $((i * 9000)) 6000
	done
	echo 'section end'
} | "$MKTRACE" - c.bin

run 0 --format csv --columns label,count,total_ns,p99_ns c.bin
cat >expected <<'END'
label,count,total_ns,p99_ns
some,4,126000,45000
long,2,90000,70000
often,8,24000,3000
END
tr -d '\r' <out | cmp expected - || fail "the summary"

# Groups by the summary's columns, total first.
for report in histogram why; do
	shows $report some --top 1
	shows $report 'often some long' --sort -count
	shows $report 'often some' --sort p99_ns --top 2
	shows $report 'some often' --having 'count>2'
	shows $report 'often some' --having 'count>2 and label!=long' --sort label
	shows $report long --having 'p99_ns>50us'
done
# By the figures of the system, and by the total.
shows cpus some --top 1
shows cpus 'often some long' --sort -cpi
shows cpus 'often long' --sort -cpi --having 'count>6 or total_ns==90us'
shows cpus '' --having 'cpi>1000'
# By the gaps.
shows gaps some --top 1
shows gaps 'often some' --sort -count --top 2
shows gaps 'some often' --having 'total_ns>0.5ms' --sort -mean_ns
shows gaps long --having 'count=1 and absent(off_cpu_ns)'

run 0 --report gaps --by label,tid --format csv --having 'tid=8' c.bin
[ "$(lines out | cut -d, -f3 | sort -u)" = 8 ] || fail "gaps by thread"

# --columns, in the list's order.
run 0 --report histogram --columns label,count,bar --sort label --top 1 c.bin
cat >expected <<'END'
# 4.91 ms, 2 threads, no hooks lost
label  count                                          
long       1  ########################################
long       0                                          
long       1  ########################################
END
sed 's/ *$//' expected >wanted
sed 's/ *$//' out | cmp wanted - || fail "histogram --columns"
run 0 --report histogram --format csv --columns up_to_pct,label --top 1 c.bin
[ "$(tr -d '\r' <out | sed -n 1p)" = up_to_pct,label ] || fail "histogram --columns: csv"
run 0 --report cpus --columns busy_pct,cpi --top 1 c.bin
grep -c '^[a-z]' out | grep -qx 2 || fail "cpus --columns: text"
in_file out '^cpi +3\.00 '
in_file out '^busy% '
run 0 --report cpus --format json --columns label,cpi,cpu --top 1 c.bin
in_file out '^\{"label":"some","system":\{"cpi":3.0000\},"cpus":\[\{"cpu":0,"cpi":3.0000\},\{"cpu":1,"cpi":3.0000\}\]\}$'
run 0 --report cpus --format json --columns count,label --top 1 c.bin
in_file out '^\{"label":"some","count":4\}$'
run 0 --report why --format json --columns label,tail,terms_ns --top 1 c.bin
in_file out '^\{"label":"some","tail":\{[^}]*\},"terms_ns":\{[^}]*\}\}$'
run 0 --report why --format csv --columns label,quantity,by --top 1 c.bin
[ "$(tr -d '\r' <out | sed -n 2p)" = some,intervals, ] || fail "why --columns"
run 0 --report why --format csv --columns tail_pct,scripted --top 1 c.bin
[ "$(tr -d '\r' <out | sed -n 2p)" = 99.0,0 ] || fail "why --columns: members of JSON in CSV"
run 0 --report why --format json --columns middle,difference_ns,cycle --top 1 c.bin
in_file out '^\{"middle":\{[^}]*\},"difference_ns":[-0-9.]*,"cycle":[a-z"]*\}$'
run 0 --report gaps --columns label,minor,total_ns --top 1 c.bin
grep -qx 'label *mm *total' out && grep -qx 'some *03  *2.89 ms' out && grep -qx '  (nothing recorded) *2.89 ms' out ||
	fail "gaps --columns: text"
run 0 --report gaps --format json --columns filled_by,count --top 1 c.bin
in_file out '^\{"filled_by":\[\{.*\}\],"count":3\}$'

# With keys, and of each host.
run 0 --report histogram --by tid --having 'count<5' --format csv c.bin
[ "$(lines out | cut -d, -f1 | sort -u)" = 8 ] || fail "histogram --by"
run 0 --report histogram --by tid,label --sort -count --top 1 --format csv --columns tid,label c.bin
[ "$(lines out | sort -u)" = 7,often ] || fail "histogram --by --sort"
run 0 --report cpus --by host --top 1 --format json --columns label c.bin
in_file out '^\{"host":null,"label":"some"\}$'
run 0 --report gaps --by host --top 1 --format json --columns label c.bin
in_file out '^\{"host":null,"label":"some"\}$'

# Kinds of hooks.
run 0 --report hooks --by major,minor --format csv c.bin
lines out | awk -F, -v OFS=, 'gsub(/"[^"]*"/, "x") && $4 == "all" && $5 > 8 { print $2, $5 }' | sort -t, -k1,1nr >wanted
run 0 --report hooks --by major,minor --format csv --having 'count>8' --sort -minor --columns minor,count,cpu c.bin
lines out | grep all | cut -d, -f1,2 | cmp wanted - || fail "hooks --by: --having and --sort"
run 0 --report hooks --by major,minor --top 2 c.bin
lines_are 4
run 0 --report hooks --by major,minor --sort minor --top 1 --columns count,cpus,minor c.bin
grep -qx 'count *by processor *minor' out && grep -qx '    8  0: 8 *00000001' out || fail "hooks --by --columns"
run 0 --report hooks --by major,minor --sort minor --top 1 --format json --columns cpus,minor c.bin
in_file out '^\{"cpus":\[\{"cpu":0,"count":8,.*\}\],"minor":1\}$'
run 0 --report hooks --by major,minor --having 'name="*summary*"' --format csv --columns name c.bin
[ "$(lines out | sort -u)" = summary ] || fail "hooks --by: names"

# Groups of a diff: by the figures of its metrics, of which a metric's name is that after.
{
	cat <<'END'
clock tsc
hz 1000000000
cpus 2
sync 0 1700000000000000000 1000
section hooks ring=0
END
	for i in 1 2 3 4 5 6 7 8; do
		interval often 1 7 ${i}00000 6000 8000
	done
	interval long 2 7 900000 80000 4000
	interval new 4 7 1000000 20000 4000
	echo 'section end'
} | "$MKTRACE" - d.bin
# differs LABELS OPTIONS...
differs()
{
	names=$1
	shift
	run 0 --report diff --format csv c.bin d.bin
	# shellcheck disable=SC2086
	pick out $names >expected
	run 0 --report diff --format csv "$@" c.bin d.bin
	tr -d '\r' <out | cmp expected - || fail "diff $*: csv"
	run 0 --report diff --format json "$@" c.bin d.bin
	[ "$(sed 's/^{"label":"\([a-z]*\)".*/\1/' out | tr '\n' ' ')" = "$names " ] || fail "diff $*: json"
	run 0 --report diff "$@" c.bin d.bin
	[ "$(grep -v '^#' out | sed '1d; s/.* //' | tr '\n' ' ')" = "$names " ] || fail "diff $*: text"
}
differs 'some often new long' --top 4
differs 'some often' --top 2
differs 'often new long' --having 'count>0' --top 9
differs 'long often' --having 'in=both' --sort mean_ns.change_pct
differs 'often long' --having 'mean_ns.change>2us' --sort -mean_ns.change_pct
differs 'new' --having 'absent(mean_ns.before)'
differs 'some new' --having 'runs_before=0 or runs_after=0'
run 0 --report diff --having 'in=both' --sort -mean_ns.change --columns label,mean_ns.before,mean_ns,mean_ns.change c.bin d.bin
cat >expected <<'END'
# one run each: differences between runs are not in this
label  mean_ns.before  mean_ns  mean_ns.change
long          45.0 us  80.0 us        +35.0 us
often         3.00 us  6.00 us        +3.00 us
END
cmp expected out || fail "diff --columns: text"
run 0 --report diff --having 'label=often' --columns label,mean_ns.before,mean_ns.change_pct --format csv c.bin d.bin
[ "$(lines out)" = often,3000.0,100.00 ] || fail "diff --columns: csv by groups"
run 0 --report diff --having 'label=often' --columns metric,before,label --format csv c.bin d.bin
lines out | grep -qx mean_ns,3000.0,often || fail "diff --columns: csv by metrics"
run 0 --report diff --having 'label=often' --columns mean_ns,label --format json c.bin d.bin
in_file out '^\{"label":"often","mean_ns":\{"before":3000.0,"after":6000.0,"change":3000.0,'
run 0 --report diff --by tid --having 'tid=8' --format csv --columns tid,count.before c.bin d.bin
[ "$(lines out)" = 8,4 ] || fail "diff --by"
# Gates judge all groups, whatever is shown.
run 5 --report diff --top 1 --fail-if 'often:max>+1us' --single-run c.bin d.bin
in_file err '^cpidecode: gate failed: often:max'

misuse 'no column of that name; it has label, minor, .*total_ns' --report histogram --sort nothing c.bin
misuse 'no column "p99_ns"; it has label, minor, .*from_ns' --report histogram --columns p99_ns c.bin
misuse 'no column "bar"' --report histogram --columns bar --format csv c.bin
misuse 'no column of that name; it has major, minor, name, cpu, count' --report hooks --by major --sort total_ns c.bin
misuse 'no column of that name; it has label, minor, .*cpi_wb' --report cpus --sort p99_ns c.bin
misuse 'no column of that name; it has label, .*max_ns, off_cpu_ns' --report gaps --sort share c.bin
misuse 'no column of that name; it has label, .*mean_ns, .*instructions' --report diff --sort mean_ns.nothing c.bin d.bin
misuse 'no column "mean"; it has label' --report diff --columns mean c.bin d.bin
misuse 'no column "before"; it has label' --report diff --format json --columns before c.bin d.bin
misuse 'no column "quantity"; it has label, .*middle' --report why --format json --columns quantity c.bin
misuse 'no table' --report why --columns label c.bin
misuse 'no column "share_pct"; it has label, minor, .*, middle, tail, difference_ns, explanations' --report why --format json --columns label,share_pct c.bin
misuse 'no column "quantity"' --report why --format json --columns quantity c.bin
misuse 'kinds of hooks' --report hooks --top 3 c.bin
misuse 'kinds of hooks' --report hooks --having 'count>1' c.bin
misuse 'kinds of hooks' --format ctf -o x --having 'count>1' c.bin
misuse 'kinds of hooks' --report hooks --format parquet --columns name --having 'count>1' c.bin
misuse 'slowest has no groups' --report slowest --having 'count>1' c.bin
misuse 'having goes with' --format parquet --columns label --having 'count>1' c.bin
misuse 'shows all groups' --report diff --aa --top 1 c.bin c.bin
misuse 'differential flame graph' --report diff --format html --top 1 c.bin c.bin
