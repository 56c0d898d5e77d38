#!/bin/sh
# Paths with the machine's name, in Windows' spelling, and types of other programs' counters.
. "${0%/*}/lib.sh"
: "${OFFERS:?the program offers.c}"

host=$(uname -n)
set_name="Made (up) $$"
mkfifo input
"$OFFERS" "$set_name" "Types $$" <input >offered &
pids="$pids $!"
exec 7>input
wait_until grep -q ready offered

# heading FILE: the cells of a CSV of columns, one a line, as it was printed.
heading()
{
	head -n 1 "$1" | tr -d '\r' | sed 's/","/"\
"/g' | sed 1d
}

run 0 counters query "\\$set_name(*)\\*" '\Processor Information(*)\*' \
	-si 0.02 -sc 1
heading out >paths
[ "$(wc -l <paths)" -gt 30 ] || fail "few columns: $(wc -l <paths)"
run 0 counters query -cf paths -si 0.02 -sc 1
heading out >again
cmp paths again || fail "paths that were printed are not taken as they are"
run 0 counters query "\\\\$(echo "$host" | tr '[:lower:]' '[:upper:]')\\Processor Information(_total)\\% idle time" \
	-si 0.02 -sc 1
in_file out '^"[^"]*","\\\\[^"]*\\Processor Information\(_Total\)\\% Idle Time"'
refuses 2 'names another machine' counters query "\\\\no$host\\Processor Information(*)\\% Idle Time"
in_file err "only values of .*$host are available"

# The samples of a trace are those of its machine.
run 0 run -o trace -- "$SWTRACE" counters query '\Processor Information(_Total)\% Idle Time' \
	-si 0.02 -sc 2 --trace
run 0 counters query --from trace "\\\\$host\\Processor Information(_Total)\\% Idle Time"
[ "$(wc -l <out)" -ge 2 ] || fail "no rows of the trace"
refuses 2 'names another machine' counters query --from trace '\\x\Processor Information(_Total)\% Idle Time'

# "Interrupts / sec" as Windows writes it.
for name in Interrupts/sec 'interrupts/ Sec' 'Interrupts / sec'; do
	run 0 counters query "\\Processor Information(_Total)\\$name" -si 0.02 -sc 1
	in_file out 'Processor Information\(_Total\)\\Interrupts / sec"'
done
refuses 1 'no counter "Inter rupts/sec"' counters query '\Processor Information(_Total)\Inter rupts/sec'

# Types of other providers: hand-computed, of values that stand still and clocks that count on.
run 0 counters query "\\Types $$\\*" -si 0.02 -sc 2 -f json
in_file out 'Components Busy": 0\.000000'
in_file out 'Components Idle": 400\.000000'
in_file out 'Object Busy": null'
in_file out 'Queue": 0\.000000'
in_file out 'Text": null'
in_file out 'No Base": null'
[ "$(wc -l <err)" -eq 2 ] || fail "other than two reasons"
in_file err 'Text" has no values: its type, PERF_COUNTER_HISTOGRAM_TYPE \(0x80000000\), has no formula'
in_file err 'No Base" has no values: its type, PERF_AVERAGE_BULK \(0x40020500\), needs a base counter'
run 4 counters query "\\Types $$\\Text" -si 0.02 -sc 1
# The clock of an object goes on by 1000 a line, its counter by 250.
"$SWTRACE" counters query "\\Types $$\\Object Busy" -si 0.02 -o rows &
query=$!
pids="$pids $query"
wait_until test -s rows
echo >&7
wait_until grep -q '"25.000000"' rows
kill $query
wait $query || fail "exit $?"
