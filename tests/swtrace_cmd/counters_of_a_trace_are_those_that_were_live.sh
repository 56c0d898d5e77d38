#!/bin/sh
. "${0%/*}/lib.sh"
: "${OFFERS:?the program offers.c}"
idle='\Processor Information(*)\% Idle Time'
rings='\SWTRACE Rings(*)\Hooks Written/sec'

# Rows of a live query that is traced, and of the trace: the same times, the same values.
run 0 run -o t.bin -- "$SWTRACE" counters query "$idle" "$rings" -si 0.05 -sc 4 --trace -o live
[ "$(wc -l <live)" -eq 5 ] || fail "other than a heading and 4 rows"
run 0 counters query "$idle" "$rings" --from t.bin
[ ! -s err ] || fail "it was complained of"
cmp -s live out || fail "other rows than $(cat live)"
run 0 counters query "$idle" --from t.bin -sc 2 --json
is_json out
[ "$(wc -l <out)" -eq 3 ] || fail "-sc"
in_file out '"trace": "./t.bin"'

# list shows the trace's countersets.
run 0 counters list --from t.bin
in_file out '^Processor Information  \('
! grep -q '^Process  (' out || fail "lists what was not traced"
run 0 counters instances 'Processor Information' --from t.bin
in_file out '^_Total$'
refuses 1 'no counterset "Process"' counters query '\Process(*)\ID Process' --from t.bin
refuses 1 'no such instance' counters query '\Processor Information(x)\% Idle Time' --from t.bin

# Countersets of other programs, too, when those are long gone.
set_name="Made (up) $$"
mkfifo input
"$OFFERS" "$set_name" <input >offered &
pids="$pids $!"
exec 7>input
wait_until grep -q ready offered
run 0 run -o u.bin -- "$SWTRACE" counters query "\\$set_name(*)\\*" -si 0.02 -sc 2 --trace -o live
exec 7>&-
run 0 counters query "\\$set_name(*)\\*" --from u.bin
cmp -s live out || fail "other rows than $(cat live)"

# A trace without samples, and tracing that is off.
run 0 run -o v.bin -- true
run 0 counters list --from v.bin
in_file err 'v.bin: the trace has no countersets'
run 1 counters query "$idle" --from v.bin
run 0 counters query "$idle" -si 0.02 -sc 1 --trace
in_file err 'tracing is off'
run 0 init
run 0 on
run 0 disable 0xC9
run 0 counters query "$idle" -si 0.02 -sc 1 --trace
in_file err 'major 0xC9 is disabled'
run 0 off
