#!/bin/sh
. "${0%/*}/lib.sh"
measured page-faults || skip "page faults cannot be counted here"

run 0 -e page-faults -- true
run 42 -e page-faults -- sh -c 'exit 42'
run 137 -e page-faults -- sh -c 'kill -9 $$'
in_file err 'page-faults'
refuses 127 'cannot run ./nothing-of-that-name: No such file' -e page-faults -- ./nothing-of-that-name
refuses 126 'cannot run /dev/null' -e page-faults -- /dev/null
run 0 -e page-faults sh -c 'exit 0' -e bogus

# A signal goes to the command, of which nothing is left; the counts are printed.
"$SWTRACE" stat -e page-faults -- sh -c 'echo $$ >pid; mv pid child; exec "$0" sleeps 100000' \
	"$WORK" 2>err &
stat=$!
pids="$pids $stat"
wait_until test -s child
pids="$pids $(cat child)"
kill -TERM $stat
status=0
wait $stat || status=$?
[ $status -eq 143 ] || fail "exit $status after TERM"
is_gone "$(cat child)" || fail "the command outlived stat"
in_file err 'page-faults'

# The command's limits and session are its own.
look='ulimit -n; echo ${SWTRACE_SESSION-none}; ls /proc/self/fd | wc -l'
sh -c "$look" >without </dev/null
run 0 -e page-faults -o counts -- sh -c "$look"
cmp -s out without || fail "the command has other limits, another session or descriptors of stat's"
