#!/bin/sh
. "${0%/*}/lib.sh"
if ! "$SWTRACE" stat -a -e page-faults --duration 0.01 >out 2>err </dev/null; then
	[ "$(id -u)" -ne 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ] ||
		grep -q seccomp err || fail "root cannot count processors"
	skip "whole processors: $(cat err)"
fi

run 0 --csv -o counts -a --per-cpu -e page-faults,cpu-clock -- "$WORK" pages 4000
near "page faults of all processors" "$(total page-faults)" 4000 100000000
sum=$(tr -d '\r' <counts | awk -F, '$4 != "" && $5 == "page-faults" { n += $6 } END { print n }')
[ "$sum" = "$(total page-faults)" ] || fail "processors $sum, all $(total page-faults)"
rows=$(tr -d '\r' <counts | awk -F, '$4 ~ /^[0-9]+$/ && $5 == "page-faults"' | wc -l)
[ "$rows" -eq "$(grep -c '^processor' /proc/cpuinfo)" ] || fail "$rows processors"

# A processor's clock equals the elapsed time, except for the delay before the first read.
run 0 --csv -a --per-cpu -e cpu-clock --duration 0.1
tr -d '\r' <out | awk -F, '$4 == 0 && ($6 < 90e6 || $6 > ($3 + 1) * 1e9) { bad = 1 }
	END { exit bad }' || fail "the clock of processor 0"
run 0 -a --duration 0.01
in_file out '^ +[0-9.,]+ ms cpu-clock '
