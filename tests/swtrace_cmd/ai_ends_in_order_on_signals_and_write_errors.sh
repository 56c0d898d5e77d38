#!/bin/sh
. "${0%/*}/lib.sh"

# Ctrl-C, in the middle of a long interval. What a shell starts behind itself ignores it.
env --default-signal=INT true || skip "this env cannot let SIGINT through"
for signal in INT TERM HUP; do
	rm -f log out
	env --default-signal=$signal "$SWTRACE" ai 3600 -l log >out 2>err &
	pids=$!
	wait_until grep -qs "collection started" out
	kill -$signal $pids
	status=0
	wait $pids || status=$?
	[ $status -eq 0 ] || fail "SIG$signal: exit $status"
	[ ! -s err ] || fail "SIG$signal was complained of"
	[ "$(tail -n 1 out)" = '** Stopped.  Ending.' ] || fail "SIG$signal: no ending"
	cmp -s out log || fail "SIG$signal: the log is not what was shown"
done
rm -f out
"$SWTRACE" ai 3600 --json >out &
pids=$!
wait_until test -s out
kill $pids
wait $pids || fail "exit $?"
is_json out
[ "$(wc -l <out)" -eq 1 ] || fail "more than the header"

# A log takes the place of what was there.
echo before >log
run 0 ai 0.01 1 -s -l log
! grep -q before log || fail "the old log still exists"
cmp -s out log || fail "the log is not what was shown"
refuses 1 'nowhere/log.*does its directory exist' ai 0.01 1 -l nowhere/log
refuses 1 'directory' ai 0.01 1 -l .
run 1 ai 0.01 1000 -l /dev/full
[ "$(wc -l <err)" -eq 1 ] || fail "expected one line on stderr"
in_file err '/dev/full: cannot write: No space left on device; free some space'

status=0
"$SWTRACE" ai 0.01 1000 >/dev/full 2>err || status=$?
[ $status -eq 1 ] || fail "full standard output: exit $status"
in_file err 'standard output: cannot write: No space'
status=0
"$SWTRACE" ai 0.01 1 >&- 2>err || status=$?
[ $status -eq 1 ] || fail "closed standard output: exit $status"
in_file err 'standard output'

# A reader that had enough ends it without a word, and the log is whole.
("$SWTRACE" ai 0.01 --csv -l log 2>err || echo $? >status) | head -n 1 >out
wait_until test -s status
[ "$(cat status)" -eq 1 ] || fail "closed pipe: exit $(cat status)"
[ ! -s err ] || fail "a closed pipe was complained of"
[ "$(tail -c 1 log | od -An -tx1 | tr -d ' ')" = 0a ] || fail "the log's last line is cut off"
