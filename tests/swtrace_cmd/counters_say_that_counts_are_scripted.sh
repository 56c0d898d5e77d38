#!/bin/sh
. "${0%/*}/lib.sh"
: "${CPIDECODE:?}"

echo 'busy all 25%' >script
busy='\CPI(_Total)\% Busy'
idle='\Processor Information(_Total)\% Idle Time'
says='scripted counters: .*not measured$'

# Live, and recorded: the trace is marked, and every report of it says so.
SWTRACE_COUNTERS=scripted:$dir/script
export SWTRACE_COUNTERS
run 0 run -o t.bin -- "$SWTRACE" counters query "$busy" -si 0.02 -sc 2 --json --trace
is_json out
in_file err "this machine: $says"
in_file out '^\{"kind": "header", .*, "scripted": true\}$'
in_file out '"\\\\CPI\(_Total\)\\\\% Busy": 25\.0000'
run 0 run -o intervals.bin -- "$SWTRACE" ai 0.02 2 --trace
# Times are measured, with scripted counts too.
run 0 counters query "$idle" -si 0.02 -sc 1 --json
[ ! -s err ] || fail "a measured value is called scripted"
in_file out '"scripted": false\}$'
unset SWTRACE_COUNTERS

"$CPIDECODE" --report info --format json t.bin >info
in_file info '"scripted":true'
run 0 counters query "$busy" --from t.bin
in_file err "t\.bin: $says"
in_file out '"25\.0000'
run 0 counters query "$idle" --from intervals.bin --json
in_file err "intervals\.bin: $says"
in_file out '"scripted": true\}$'

# Measured values are not called scripted, neither live nor in a trace.
run 0 run -o measured.bin -- "$SWTRACE" counters query "$busy" "$idle" -si 0.02 -sc 1 --trace
"$CPIDECODE" --report info --format json measured.bin >info
! grep -q '"scripted":true' info || fail "a measured trace is marked as scripted"
run 0 counters query "$idle" --from measured.bin --json
[ ! -s err ] || fail "a measured trace is called scripted"
in_file out '"scripted": false\}$'
