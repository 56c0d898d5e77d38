#!/bin/sh
# `init -e`, `run -e`, `record -e` and SWTRACE_EVENTS: whose list it is, and what a wrong one says.
. "${0%/*}/lib.sh"
: "${CPIDECODE:?the cpidecode command}" "${INTERVALS:?a program with intervals}"

# names FILE: of the events in each interval of a trace, in order.
names()
{
	"$CPIDECODE" --report hooks --format json "$1" 2>err |
		sed -n 's/.*"counts":\[\([^]]*\)\].*/\1/p' |
		sed 's/{"name":"\([^"]*\)","value":[^}]*}/\1/g'
}

# Three intervals and a slow one, each with the list; a program's own comes first.
"$SWTRACE" run -e page-faults,task-clock -o t.bin -- "$INTERVALS" 3 2 0 >out 2>err
[ "$(names t.bin | sort | uniq -c | tr -s ' ')" = " 4 page-faults,task-clock" ] ||
	fail "run -e: $(names t.bin)"
# In intervals they are columns.
"$CPIDECODE" --report intervals --format csv t.bin >out
in_file out '^start_ns,.*,page-faults,task-clock,id,parent_id.$'
[ "$("$CPIDECODE" --report intervals --format json t.bin |
	grep -c '"page-faults":[0-9]*,"task-clock":[1-9]')" -eq 4 ] || fail "intervals without their events"
SWTRACE_EVENTS=minor-faults "$SWTRACE" run -e page-faults -o t.bin -- "$INTERVALS" 1 0 0 >out 2>err
[ "$(names t.bin)" = minor-faults ] || fail "SWTRACE_EVENTS: $(names t.bin)"
"$SWTRACE" run -o t.bin -- "$INTERVALS" 1 0 0 >out 2>err
[ -z "$(names t.bin)" ] || fail "counts events that were not requested"
"$SWTRACE" record -e cpu-clock -o t.bin -- "$INTERVALS" 1 0 0 >out 2>err
[ "$(names t.bin)" = cpu-clock ] || fail "record -e: $(names t.bin)"

# The session's list: in info, for programs of this generation only.
run 0 init -s 1 -e page-faults,nosuchpmu/event=1,umask=2/
run 0 info
in_file out '^events    page-faults,nosuchpmu/event=1,umask=2/$'
run 0 info --json
in_file out '"events": "page-faults,nosuchpmu/event=1,umask=2/"'
run 0 on
"$INTERVALS" 2 0 0 >out
run 0 off
run 0 dump t.bin
[ "$(names t.bin | uniq)" = page-faults,nosuchpmu/event=1,umask=2/ ] || fail "init -e: $(names t.bin)"
# The second one is not counted, which is not 0.
"$CPIDECODE" --report hooks --format json t.bin | sed -n '/"name":"events"/p' >hooks
in_file hooks '"event_flags":\[1,0\]'
run 0 init -s 1
run 0 info
! grep -q ^events out || fail "a list that was not given"
run 0 on
"$INTERVALS" 1 0 0 >out
# A wrong list in a program's environment: it runs as without one.
SWTRACE_EVENTS=no-such-event "$INTERVALS" 1 0 0 >out 2>err
grep -q '^0 refused$' out && [ ! -s err ] || fail "a wrong list hurts"
run 0 off
run 0 dump t.bin
[ -z "$(names t.bin)" ] || fail "an earlier list"

# Nine events, an unknown one, a missing name.
for verb in init run record; do
	refuses 2 "swtrace $verb: -e: there is no event \"nonsense\"" $verb -e page-faults,nonsense
	refuses 2 'more than 8 events' $verb \
		-e page-faults,minor-faults,major-faults,task-clock,cpu-clock,cycles,instructions,branches,context-switches
	refuses 2 "an event's name is missing" $verb -e page-faults,,cycles
	refuses 2 'comes twice' $verb -e cycles,cycles
	refuses 2 'has no groups' $verb -e '{cycles,instructions}'
	refuses 2 'needs LIST' $verb -e
done
