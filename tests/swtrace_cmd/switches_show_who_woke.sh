#!/bin/sh
# --switches also records who wakes each thread, where tracefs can be read. Its own mount of it, in a
# mount namespace, leaves the machine's alone.
. "${0%/*}/lib.sh"
: "${CPIDECODE:?the cpidecode command}" "${WAKERS:?a program with known wakers}" "${SANDBOX:?a program that takes perf_event_open away}"

status=0
"$SWTRACE" run --switches -o probe.bin -- true >out 2>err || status=$?
if [ $status -eq 4 ]; then
	echo "skipped: switches: $(cat err)"
	exit 77
fi

# with COMMAND...: where tracefs is mounted. without: where it is not.
with()
{
	unshare --mount sh -c 'mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || :; exec "$@"' sh "$@"
}
without()
{
	unshare --mount sh -c 'mount -t tmpfs none /sys/kernel/tracing && mount -t tmpfs none /sys/kernel/debug && exec "$@"' sh "$@"
}

# Without it, switches are recorded, and one line says what is missing and what would supply it.
if without true 2>/dev/null; then
	without "$SWTRACE" run --switches -s 16 -o none.bin -- "$WAKERS" >out 2>err || fail "without tracefs: $(cat err)"
	[ "$(grep -c '^swtrace run: --switches: who wakes the threads is not recorded: tracefs is not mounted.* .mount -t tracefs nodev /sys/kernel/tracing.$' err)" -eq 1 ] ||
		fail "without tracefs: $(cat err)"
	"$CPIDECODE" --report slowest none.bin >out 2>err
	in_file out "^   away from a processor, by the kernel's switches: "
	! grep -q 'who woke it' out || fail "wakers without wake-ups"
	run 0 init -s 16
	without "$SWTRACE" on --switches >out 2>err || fail "on: $(cat err)"
	in_file err '^swtrace on: --switches: who wakes the threads is not recorded: '
	run 0 info
	in_file out '^          who woke the threads is not recorded .the command that began it said why.$'
	run 0 info --json
	in_file out '"wakeups": null'
	run 0 off
	run 0 free
fi

if ! with test -r /sys/kernel/tracing/events/sched/sched_waking/format 2>/dev/null; then
	echo "skipped: wakers: no tracefs here, or it is not readable"
	exit 77
fi
# waker_of LABEL FILE: the first waker of the interval with that label, from JSON.
waker_of()
{
	grep "\"label\":\"$1\"" "$2" | tr '{' '\n' | grep '"interrupt"' | head -1 || :
}

# On processor 0: one guest's kernel hands over what interrupts wake there, and not on another that is idle.
with "$SWTRACE" run --switches -s 64 -o t.bin -- taskset -c 0 "$WAKERS" >out 2>err || fail "run: $(cat err)"
"$CPIDECODE" --report slowest -n 5 --format json t.bin >json 2>/dev/null || fail "slowest: $(cat json)"
if grep -q 'who wakes the threads is not recorded' err; then
	echo "skipped: wakers: $(cat err)"
	exit 77
fi
if grep -q 'records of switches' err; then
	echo "skipped: wakers: the machine is too busy: $(cat err)"
	exit 77
fi
"$CPIDECODE" --report slowest -n 5 t.bin >out
# On a busy machine the program may begin before the first switch of its processor is recorded.
if sed -n '/^[0-9]*\. "asked"/,/^$/p' out | grep -q "kernel's switches: n/a"; then
	echo "skipped: wakers: the records of switches begin after the interval"
	exit 77
fi
# The waits, of some 20 ms each, end by the thread `waker`, and run soon. Some kernels leave out wake-ups while certain
# threads run, without telling a loss (on one guest: one processor's idle thread): such a wait has no waker.
waker_of asked json >first
if [ ! -s first ]; then
	in_file json '"label":"asked".*"wakers":\[\],"waits_without_waker":[1-9]'
	echo "skipped: a thread's wake-up: this kernel recorded none"
	exit 77
fi
# Its name is right, or absent where records were lost before.
tid=$(sed -n 's/.*"label":"answer".*"since_start_ns":[-0-9]*,"tid":\([0-9]*\),.*/\1/p' json | head -1)
in_file first "^\"tid\":$tid,.*\"name\":(\"waker\"|null),\"interrupt\":false,\"waits\":[12],\"waited_ns\":"
awk -F'"waited_ns":|,"to_run_ns":|}' '{ if ($2 < 10e6 || $3 <= 0 || $3 >= $2) { print; exit 1 } }' first >wrong || fail "times: $(cat wrong)"
in_file out "  (waker|unknown name) [(]thread $tid, process [0-9]*[)]\$"
# The timer's wait ends by an interrupt: the thread that ran is not blamed.
waker_of slept json >first
if [ -s first ]; then
	in_file first '"interrupt":true,"waits":[1-9][0-9]*,"waited_ns":'
	in_file out '  an interrupt$'
else
	echo "skipped: a timer's wake-up: this kernel recorded none"
	in_file json '"label":"slept".*"wakers":\[\],"waits_without_waker":[1-9]'
	in_file out ' n/a  *[1-9][0-9]*  n/a .not recorded.$'
fi
# A wake-up is as old as its hook at most, and in order. Each hook begins where that processor's hook before ended.
"$CPIDECODE" --report hooks --format json t.bin | tr -d ' ' |
	sed -n 's/.*"ticks":\([0-9]*\),.*"cpu":\([0-9]*\),"wakeups":[0-9]*,"since":\([0-9]*\),"first":\([0-9]*\),"after":\[\([0-9,]*\)\].*/\1 \2 \3 \4 \5/p' >stamps
[ -s stamps ] || fail "no wake-ups"
awk '{
	n = split($5, after, ",")
	last = $4 + (n ? after[n] : 0)
	if ((n && after[1] != 0) || last > $1) { print "first or last", $0; exit 1 }
	if ($3 > $4 || (($2 in end) && end[$2] != $3)) { print "chain", end[$2], $0; exit 1 }
	end[$2] = last
	for (i = 2; i <= n; i++) if (after[i] < after[i - 1]) { print "order", $0; exit 1 }
}' stamps >wrong || fail "$(cat wrong)"

# In a session: figures; and as hooks of the recorder, they are not the command's.
run 0 init -s 16
with "$SWTRACE" on --switches >out 2>err || fail "on: $(cat err)"
[ ! -s err ] || fail "on: $(cat err)"
"$WAKERS"
run 0 dump t.bin
run 0 info
in_file out '^          who woke the threads: [1-9][0-9]* wake-ups recorded$'
run 0 info --json
in_file out '"wakeups": [1-9][0-9]*'
in_file out '"wakeups_not_handed_over": [0-9]'
run 0 off
run 0 free
with "$SWTRACE" record --switches -o r.bin -- "$WAKERS" >out 2>err || fail "record: $(cat err)"
"$CPIDECODE" --report hooks r.bin >hooks
in_file hooks ' wakeups cpu=[0-9]* wakeups='
with "$SWTRACE" run --switches -o t.bin -- true >out 2>err || fail "run true: $(cat err)"
in_file err 'true wrote no hooks'

# Another user, who may record switches, but not read tracefs.
other()
{
	with setpriv --reuid 65534 --clear-groups --inh-caps +perfmon --ambient-caps +perfmon "$@"
}
if other "$SWTRACE" --version >out 2>err; then
	rm -f "$SWTRACE_SESSION"/*
	chown 65534 "$SWTRACE_SESSION"
	other "$SWTRACE" init -s 4 >out 2>err || fail "another user: init: $(cat err)"
	other "$SWTRACE" on --switches >out 2>err || fail "another user: $(cat err)"
	in_file err '^swtrace on: --switches: who wakes the threads is not recorded: this user, .*tracepoints .run as root.$'
	other "$SWTRACE" info >out
	in_file out '^switches  recorded by process '
	other "$SWTRACE" off
	other "$SWTRACE" free
fi
