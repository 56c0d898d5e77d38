#!/bin/sh
. "${0%/*}/lib.sh"
path='\Processor Information(_Total)\% Idle Time'

# A file can be looked at while it grows, and is whole in the end.
env --default-signal=INT true || skip "this env cannot let SIGINT through"
for signal in INT TERM; do
	rm -f rows
	env --default-signal=$signal "$SWTRACE" counters query "$path" -si 0.02 -o rows 2>err &
	pids=$!
	wait_until grep -qs '^"[01][0-9]/' rows
	kill -$signal $pids
	status=0
	wait $pids || status=$?
	[ $status -eq 0 ] && [ ! -s err ] || fail "SIG$signal: exit $status"
	[ "$(tail -c 1 rows | od -An -tx1 | tr -d ' ')" = 0a ] || fail "the last row is cut off"
done
[ "$(ls -A | grep -c '\.tmp$')" -eq 0 ] || fail "something is left: $(ls -A)"

# A failed query replaces no file.
echo before >rows
run 1 counters query '\Processor Information(99,99)\% Idle Time' -o rows
[ "$(cat rows)" = before ] || fail "a query that failed replaced the file"
refuses 1 'does its directory exist' counters query "$path" -sc 1 -o nowhere/rows
refuses 1 'directory' counters query "$path" -sc 1 -o .
refuses 1 '/dev/full.*No space' counters query "$path" -si 0.02 -o /dev/full
status=0
"$SWTRACE" counters query "$path" -si 0.02 -sc 1 >&- 2>err || status=$?
[ $status -eq 1 ] || fail "closed standard output: exit $status"
in_file err 'standard output'
("$SWTRACE" counters query "$path" -si 0.02 2>err || echo $? >status) | head -n 1 >out
wait_until test -s status
[ "$(cat status)" -eq 1 ] || fail "closed pipe: exit $(cat status)"
[ ! -s err ] || fail "a closed pipe was complained of"
status=0
"$SWTRACE" counters list >/dev/full 2>err || status=$?
[ $status -eq 1 ] || fail "list to a full disk: exit $status"
