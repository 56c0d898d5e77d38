#!/bin/sh
. "${0%/*}/lib.sh"
echo 'busy all 25%' >script
cpus=$(processors)

SWTRACE_COUNTERS=scripted:$dir/script
export SWTRACE_COUNTERS

run 0 ai 0.01 3 --json
is_json out
[ "$(wc -l <out)" -eq 4 ] || fail "other than a header and 3 samples"
in_file out '^\{"kind": "header", .*"processors": '"$cpus"', "interval_s": 0\.01, "samples": 3, '
in_file out '"method": "scripted, not measured", "why": "SWTRACE_COUNTERS=scripted", "frequency_source": null\}$'
[ "$(grep -c '"system": {"busy": 25\.0000, "idle": 75\.0000, "intr": null, ' out)" -eq 3 ] ||
	fail "the system's figures"
[ "$(sed -n 2p out | grep -o '"cpu": ' | wc -l)" -eq "$cpus" ] || fail "not all processors"

# Due at multiples of the interval: what has passed is never less.
grep -o '"elapsed_s": [0-9.]*' out | awk '{ at += $2; if (at < 0.01 * NR - 1e-4) bad = 1 }
	END { exit bad || NR != 3 }' || fail "samples came too early"

run 0 ai 0.01 1 --json -s
is_json out
in_file out '"cpus": \[\], "system"'

run 0 ai 0.01 2 --csv -l log
cmp -s out log || fail "the log is not what was shown"
is_csv out
[ "$(wc -l <out)" -eq $((1 + 2 * (cpus + 1))) ] || fail "not a row a processor and one of all"
[ "$(head -n 1 out | tr , '\n' | wc -l)" -eq 13 ] || fail "a heading of other than 13 cells"
in_file out '^[-0-9]+T[:0-9.]+Z,0\.[0-9]+,,25\.0000,75\.0000,,,,,"scripted, not measured",SWTRACE_COUNTERS=scripted,,.?$'
[ "$(grep -c '^time' out)" -eq 1 ] || fail "more than a heading"

run 0 ai 0.01 1 --csv -s
[ "$(wc -l <out)" -eq 2 ] || fail "-s is not the system alone"

# Where nothing is measured, nothing is shown.
SWTRACE_COUNTERS=none
refuses 4 'SWTRACE_COUNTERS=none' ai 0.01 1
refuses 4 'SWTRACE_COUNTERS=none' ai 0.01 1 --json
SWTRACE_COUNTERS=scripted:$dir/nothing
refuses 1 'PU_ERR_FILE_ERROR' ai 0.01 1
unset SWTRACE_COUNTERS

# Too short for the steps of /proc/stat: said.
export SWTRACE_COUNTERS=software
run 0 ai 0.01 1 -s
if grep -q '/proc/stat)$' out && [ "$(getconf CLK_TCK)" -le 100 ]; then
	in_file out 'Too short: idle time has steps of [0-9]+ ms, an interval needs two$'
	run 0 ai 0.05 1 -s
	! grep -q 'Too short' out || fail "50 ms are not too short"
fi
unset SWTRACE_COUNTERS

# The source of the frequency is named for what it is, whatever is said of the processor's.
export SWTRACE_CLOCK=raw SWTRACE_CPU_HZ=1500000000 SWTRACE_COUNTERS=software
run 0 ai 0.05 1 -s
in_file out '^\*\*         Frequency: CLOCK_MONOTONIC_RAW$'
run 0 ai 0.05 1 -s --json
in_file out '"frequency_source": "CLOCK_MONOTONIC_RAW"\}$'
run 0 ai 0.05 1 -s --csv
in_file out ',frequency_source.?$'
in_file out ',CLOCK_MONOTONIC_RAW.?$'
unset SWTRACE_CLOCK SWTRACE_CPU_HZ SWTRACE_COUNTERS
if grep -qx tsc /sys/devices/system/clocksource/clocksource0/current_clocksource; then
	run 0 ai 0.05 1 -s --json
	in_file out '"frequency_source": "TSC \(rate (of the kernel|measured against CLOCK_MONOTONIC_RAW)\)"'
fi

# Measured: what busy and idle leave of 100 is the time in interrupts.
# They exclude stolen time. Each processor's line is rounded by itself, so
# one of them may step where the line of all does not.
stolen()
{
	awk '/^cpu[0-9]/ { ticks += $9 } END { print ticks + 0 }' /proc/stat
}
before=$(stolen)
run 0 ai 0.05 1 --json
after=$(stolen)
is_json out
in_file out '"method": "[^"]'
! grep -q scripted out || fail "says that it is scripted"
sed -n 2p out | grep -o '"system".*' | awk -v stolen=$((after - before)) '{
		busy = $3 + 0; idle = $5 + 0; intr = $7 == "null," ? 0 : $7 + 0
		sum = busy + idle + intr
		exit (sum < 99.9 && !stolen) || sum > 100.1
	}' || fail "busy, idle and intr do not add up to 100"
