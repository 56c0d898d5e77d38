#!/bin/sh
# -p: all threads that there are, new ones and children; -t: that thread alone.
. "${0%/*}/lib.sh"
measured page-faults || skip "page faults cannot be counted here"

# A process that obeys; tell LINE waits until it has.
begin()
{
	rm -f to from
	mkfifo to
	"$WORK" obey <to >from &
	target=$!
	pids="$pids $target"
	exec 3>to
	told=0
	wait_until grep -q ready from
}

has_done()
{
	[ "$(grep -c done from)" -ge "$1" ]
}

tell()
{
	told=$((told + 1))
	echo "$1" >&3
	wait_until has_done "$told"
}

# watch ARGUMENTS...: stat in the background; back when it counts.
watch()
{
	rm -f counts
	"$SWTRACE" stat --csv -I 10 -e page-faults "$@" >counts 2>err </dev/null 3>&- &
	stat=$!
	pids="$pids $stat"
	wait_until grep -q interval counts
}

end_target()
{
	exec 3>&-
	wait "$target" || fail "the program failed"
}

wait_for_stat()
{
	status=0
	wait $stat || status=$?
	[ $status -eq 0 ] || fail "stat's exit code is $status"
}

finish()
{
	end_target
	wait_for_stat
}

begin
watch -p "$target"
tell "pages 2000"
tell "threads 4 500"
tell "children 2 500"
finish
near "pages of a process, its new threads and children" "$(total page-faults)" 5000 5400

begin
tell "pages 5000"
watch -t "$target"
tell "pages 2000"
tell "threads 4 500"
finish
near "pages of one thread" "$(total page-faults)" 2000 2100

# TERM ends the counting, not the process; so does the time.
begin
watch -p "$target,$target"
tell "pages 1000"
kill "$stat"
wait_for_stat
near "pages until TERM" "$(total page-faults)" 1000 1100
run 0 --csv -e page-faults -p "$target" --duration 0.05
tr -d '\r' <out | awk -F, '$1 == "total" && $2 < 0.05 { bad = 1 } END { exit bad }' ||
	fail "its time was not over"
# A command says how long, and its exit code is stat's.
run 5 --csv -e page-faults -p "$target" -o counts -- sh -c "'$WORK' pages 3000; exit 5"
near "pages of the process, not of the command" "$(total page-faults)" 0 50
kill -0 "$target" || fail "the process has gone"
end_target

refuses 1 'there is no such process' -p "$target"
refuses 1 '^swtrace stat: ' -t "$target"
