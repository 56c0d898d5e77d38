#!/bin/sh
golden=$(cd "${0%/*}/../golden/cases" && pwd)
. "${0%/*}/lib.sh"


# A request that holds a query, which reads the disk; one that holds a disk read too short to
# matter; a disk read of another thread beside the first; light intervals with arguments.
make_clocked t.bin <<'END'
cpus 2
section tasks
task 1 10 0 "server"
task 2 20 0 "flusher"
section labels
# numbers 1, 3 and 5
label "size"
label "key"
label "light"
section hooks ring=0
interval mm=1 tid=1 at=14500 elapsed=1500 label="disk" cpu 1000 1500 0 x2
interval mm=2 tid=1 at=15000 elapsed=3000 label="query" cpu 1000 3000 0 x2
interval mm=3 tid=1 at=17000 elapsed=1000 label="parse" cpu 2000 1000 0 x2
interval mm=4 tid=1 at=21000 elapsed=10000 label="request 1" cpu 9000 10000 0 x2
interval mm=1 tid=1 at=32000 elapsed=1000 label="disk" cpu 0 1000 0 x2
interval mm=4 tid=1 at=34000 elapsed=4000 label="request 2" cpu 4000 4000 0 x2
section hooks ring=1
interval mm=1 tid=2 at=19500 elapsed=6000 label="disk" cpu 3000 6000 0 x2
hook 0xC2 0x20000000 tid=3 at=41000 1 5 64:100 2 1 1 1 64:1000 3 4 64:0 "user 1"
hook 0xC2 0x20000000 tid=3 at=42000 1 5 64:100 1 0 1 2 64:-5
section end
END

# The labels and ends of the selected intervals.
chosen()
{
	run 0 --report intervals --format csv --where "$1" t.bin
	csv_column label <out | tr ' ' _ >labels
	csv_column end_ns <out | sed 's/.*\(.....\)$/\1/' | paste -d@ labels - | paste -sd' ' -
}
csv_column()
{
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
		{ sub(/\r/, ""); print $c }'
}

while IFS='|' read -r condition expected; do
	there=$(chosen "$condition")
	[ "$there" = "$expected" ] || fail "--where '$condition': '$there' instead of '$expected'"
	# The same intervals wherever they are counted.
	n=$(printf '%s\n' "$expected" | tr ' ' '\n' | grep -c .) || true
	run 0 --format csv --where "$condition" t.bin
	[ "$(csv_column count <out | awk '{ n += $1 } END { print n + 0 }')" -eq "$n" ] ||
		fail "summary: --where '$condition': not $n intervals"
	run 0 --partial part --where "$condition" t.bin
	run 0 --format csv --where "$condition" t.bin
	mv out whole
	run 0 merge --format csv part
	cmp whole out || fail "a partial result: --where '$condition'"
	for threads in 1 4; do
		run 0 -j $threads --format csv --where "$condition" t.bin
		cmp whole out || fail "$threads threads: --where '$condition'"
	done
done <<'END'
label=disk|disk@14500 disk@19500 disk@32000
label=disk and elapsed>1us|disk@14500 disk@19500
label==disk and elapsed_ns=1000|disk@32000
label!=disk and pid=10|request_1@21000 query@15000 parse@17000 request_2@34000
minor=4|request_1@21000 request_2@34000
mm in (2, 3)|query@15000 parse@17000
minor=0x10000004|
tid=2 or cpu=1|disk@19500 light@41000 light@42000
absent(pid)|light@41000 light@42000
pid!=10|disk@19500
not pid=10|disk@19500 light@41000 light@42000
task=ser* and raw_cpi>=1.5 and not raw_cpi>1.5|disk@14500
cpi=0.5|parse@17000
absent(raw_cpi) and major=0xC0|disk@32000
start_ns=1700000000000012000|query@15000
end_ns<=1700000000.0000145s|disk@14500
flags=summary and num_cpus=2 and types=1 and mm=3|parse@17000
arg.size>999|light@41000
arg.size<0|light@42000
arg.size!=0|light@41000 light@42000
arg.size=1us|light@41000
arg.key="user 1"|light@41000
absent(arg.key) and label=light|light@42000
depth=1|query@15000 parse@17000 disk@32000
depth=2|disk@14500
self_ns=6us|request_1@21000 disk@19500
self_ns<1us and self_ns>=100|light@41000 light@42000
parent.label=request*|query@15000 parse@17000 disk@32000
parent.depth=1|disk@14500
parent.self_ns=1500|disk@14500
absent(parent.label)|request_1@21000 disk@19500 request_2@34000 light@41000 light@42000
root.label="request 1" and label!=parse|request_1@21000 query@15000 disk@14500
root.elapsed<=6us|disk@19500 request_2@34000 disk@32000 light@41000 light@42000
under(label=query)|query@15000 disk@14500
under(elapsed>5us)|request_1@21000 query@15000 disk@14500 disk@19500 parse@17000
contains(label=disk)|request_1@21000 query@15000 request_2@34000
contains(label=disk and elapsed>1us)|request_1@21000 query@15000
contains(self_ns=1us and label=disk)|request_2@34000
under(contains(label=query))|request_1@21000 query@15000 disk@14500 parse@17000
contains(parent.label=query)|request_1@21000 query@15000
contains(contains(label=disk))|request_1@21000
contains(under(label=query) and depth=1)|request_1@21000
END

# Every report and export takes it.
run 0 --format folded --where 'label=disk and parent.label=query' t.bin
[ "$(cat out)" = 'pid 10;server;request 1;query;disk 1500' ] || fail "folded"
run 0 --format svg --where 'under(label=query)' t.bin
in_file out 'query'
not_in_file out 'parse'
run 0 --report cpus --where 'contains(label=query)' t.bin
in_file out 'request 1'
not_in_file out 'query'
run 0 --report why --where 'contains(label=disk)' t.bin
run 0 --report diff --format csv --where 'under(label=query)' t.bin t.bin
in_file out 'query'
not_in_file out 'parse'
run 0 --report intervals --format json --where 'depth=2' t.bin
lines_are 1
run 0 --report intervals --where 'label=none' t.bin
# Columns are those of the selected intervals.
run 0 --report intervals --format csv --where 'depth>0' t.bin
not_in_file out 'arg.size'
run 0 --report intervals --format csv --where 'tid=3 and depth=0' t.bin
in_file out 'arg.key,arg.size'
run 0 --where 'depth>0' --from +5us --label 'disk' --format csv t.bin
in_file out 'disk,1,1,1000,' # the other one ended before
run 0 --compensate --where 'depth>0' --format csv t.bin
in_file out 'parse'
run 0 --slice 1/1 --where 'label=parse' --format csv t.bin
in_file out 'parse'

# A condition that holds of every interval changes nothing.
all_hold='elapsed_ns>=0|depth>=0|self_ns>=0|contains(tid<0) or depth>=0'
! is_sampled "3 of 4 conditions that hold of every interval" || all_hold='contains(tid<0) or depth>=0'
IFS='|'
set -f
# shellcheck disable=SC2086
set -- $all_hold
set +f
unset IFS
for trace in "$golden/nesting" "$golden/hosts" "$golden/arguments" "$golden/zero_length" \
	"$golden/equal_stamps" "$golden/before_tick_0" "$golden/own_cost" "$golden/tid_reuse"; do
	rm -f trace*.bin
	for script in "$trace"/trace*.txt; do
		"$MKTRACE" "$script" "$(basename "$script" .txt).bin"
	done
	for report in "--report intervals --format csv" "--report intervals --format json" \
		"--format csv" "--report cpus --format csv" "--format folded" "--format svg" \
		"--report intervals --format csv --compensate" "--format csv --compensate"; do
		# shellcheck disable=SC2086
		run 0 $report trace*.bin
		mv out whole
		for all; do
			# shellcheck disable=SC2086
			run 0 $report --where "$all" trace*.bin
			cmp whole out || fail "$trace: $report: $all"
		done
	done
done

# refused COLUMN PATTERN ARGUMENTS...: the place is shown by a caret.
refused()
{
	column=$1
	pattern=$2
	shift 2
	run 2 "$@" t.bin
	[ ! -s out ] && [ "$(wc -l <err)" -eq 3 ] || fail "$*: not three lines"
	in_file err "^cpidecode: --where: at column $column( \(the end\))?: $pattern"
	[ "$(tail -n 1 err)" = "$(printf "%$((column + 1))s^" '')" ] || fail "$*: the caret"
}
refused 1 'expected not, \( or a column' --where 'elapesd>1ms'
refused 9 'expected a duration with its unit' --where 'elapsed>1'
refused 10 'expected a value' --report why --where 'elapsed>==1'
refused 7 'expected = or !=' --where 'label >x'
refused 14 'expected and, or, or the end' --where 'cpu in (1,2) x'
refused 7 'expected not, \( or a column' --where 'under(a=1)'
refused 10 'expected and, or, or \)' --where 'under(a=1'
refused 12 'expected and, or, or \)' --where 'under(tid=1'
# Exports take it, too.
exported()
{
	run 0 --format chrome --where "$1" t.bin
	grep -c '"ph":"B"' out
}
[ "$(exported 'under(elapsed>9us)')" -eq 4 ] || fail "an export of what is under a request"
[ "$(exported 'contains(label=disk)')" -eq 3 ] || fail "an export of what contains a disk read"
run 2 --report info --where tid=1 t.bin
in_file err 'takes no filters'
run 2 merge --where tid=1 part
in_file err 'takes no filters'
# Slices also read the intervals around and nested in their own.
run 0 --where 'depth=1 or contains(elapsed>1us)' t.bin
mv out expected
run 0 --partial part.1 --slice 1/2 --where 'depth=1 or contains(elapsed>1us)' t.bin
run 0 --partial part.2 --slice 2/2 --where 'depth=1 or contains(elapsed>1us)' t.bin
run 0 merge part.1 part.2
cmp -s out expected || fail "slices with --where"
run 2 --where tid=1 --where tid=2 t.bin
in_file err 'given twice'
refused 12 'contains\(\) cannot ask' --where 'contains(  parent.self_ns>1)'
refused 20 'contains\(\) cannot ask' --where 'contains(tid=1 and under(contains(tid=1)))'
refused 10 'contains\(\) cannot ask' --where 'contains(parent.own_nested_ns>1)'
# 2000 intervals overlap without nesting, after some that are counted by then: those are counted once.
{
	printf 'section labels\nlabel "overlaps"\nlabel "later"\nsection hooks ring=0\n'
	awk 'BEGIN {
		for (at = 2001; at <= 4000; at++)
			print "hook 0xC2 0x10000000 tid=1 at=" at " 1 1 64:2000"
		for (at = 5000; at < 5100; at++)
			print "hook 0xC2 0x10000000 tid=1 at=" at " 1 3 64:0"
		print "hook 0xC2 0x10000000 tid=1 at=6000 1 9 64:0"
	}'
	echo 'section end'
} | make_clocked overlapping.bin
run 0 --where 'absent(parent_id)' --format csv --columns label,count overlapping.bin
printf 'label,count\r\noverlaps,2000\r\nlater,100\r\n,1\r\n' | sort >expected
sort out | cmp -s - expected || fail "intervals that overlap without nesting"
in_file err ' 1 interval without a label'
