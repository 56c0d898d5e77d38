#!/bin/sh
. "${0%/*}/lib.sh"
path='\Processor Information(_Total)\% Idle Time'

for signal in INT TERM; do
	status=0
	timeout --preserve-status -s $signal -k 20 0.3 "$SWTRACE" counters query "$path" -si 0.05 \
		-o rows 2>err || status=$?
	[ $status -eq 0 ] && [ ! -s err ] || fail "SIG$signal: exit $status"
	[ "$(wc -l <rows)" -ge 2 ] || fail "SIG$signal: no rows"
	[ "$(tail -c 1 rows | od -An -tx1 | tr -d ' ')" = 0a ] || fail "the last row is cut off"
done
[ "$(ls -A | grep -c '\.tmp$')" -eq 0 ] || fail "something is left: $(ls -A)"

# A file can be looked at while it grows, and what failed replaces none.
"$SWTRACE" counters query "$path" -si 0.02 -o growing &
pids="$pids $!"
wait_until grep -qs '^"[01][0-9]/' growing
kill $!
wait $! || fail "exit $? after SIGTERM"
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
