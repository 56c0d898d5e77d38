#!/bin/sh
. "${0%/*}/lib.sh"

# trace HOOKS...: a request of thread 1 on processor 0 from 10000 to 40000. By the kernel's switches its thread waits from 12000 to
# 15000, from 16000 to 24000 and from 25000 to 26000, and is preempted from 28000 to 30000.
trace()
{
	kernel_trace_head
	cat <<'END'
hook 0xC2 0x10000000 tid=1 at=40000 34 1 64:30000 64:2 0
hook 0xC3 1 tid=9 at=50000 0 9 64:8000 64:12000 1 1 0 0 0 0 3000 1 1 0 4000 2 2 0 12000 1 1 0 13000 0 0 0 14000 1 1 0 16000 3 3 1 18000 1 1 0 30000 0 0 0
hook 0xC3 1 tid=9 at=50000 1 0 64:8000 64:42000 2 4
hook 0xC3 2 tid=9 at=50000 2 2 2 4 64:9000 64:50000 2 2 64:9000 64:50000 "waker" "<other>"
END
	printf '%s\n' "$@"
	echo 'section end'
}

# told FILE: the report's lines about wakers.
told()
{
	run 0 --report slowest -n 1 "$1"
	sed -n '/waited/,/show/p' out | grep -v show || :
}

# wakers_are NAME: of NAME.bin the report says the rows on standard input.
wakers_are()
{
	{
		echo '     waited  then to run  waits  who woke it'
		cat
	} >expected
	told "$1.bin" >text
	cmp expected text || fail "$1: $(cat text)"
}

# A thread of another processor ended one wait, an interrupt while another thread ran ended one, and an interrupt while idle one: the report has interrupts as one waker. The wake-up at
# 29000, while it was preempted, ended none, nor did that of thread 7.
remote='hook 0xC3 4 tid=9 at=50000 1 3 64:8000 64:14000 0 1 2 4 0 100 7 2 4 0 15000 1 2 4 0'
local='hook 0xC3 4 tid=9 at=50000 0 2 64:8000 64:23000 0 1 2 2 1 2500 1 0 0 2'
trace "$remote" "$local" | "$MKTRACE" - t.bin
wakers_are t <<'END'
    9.00 us      1.50 us      2  an interrupt
    3.00 us      1.00 us      1  waker (thread 4, process 2)
END
run 0 --report slowest -n 1 --format json t.bin
in_file out ',"wakers":\[{"tid":null,"pid":null,"name":null,"interrupt":true,"waits":2,"waited_ns":9000.0,"to_run_ns":1500.0},{"tid":4,"pid":2,"name":"waker","interrupt":false,"waits":1,"waited_ns":3000.0,"to_run_ns":1000.0}\],"waits_without_waker":0,"without_waker_ns":0.0}$'

# The last wake-up counts, and one just before the thread has left. Waits of one waker add up.
trace 'hook 0xC3 4 tid=9 at=50000 1 4 64:8000 64:11900 0 1 2 4 0 4050 1 2 4 0 7050 1 2 4 0 13050 1 2 4 0' | "$MKTRACE" - early.bin
wakers_are early <<'END'
    12.0 us      9.05 us      3  waker (thread 4, process 2)
END

# Not recorded: n/a, never a guess. So is a waker without a number, unless it was interrupted.
trace 'hook 0xC3 4 tid=9 at=50000 1 2 64:8000 64:14000 0 1 4294967295 4294967295 0 11500 1 4294967295 4294967295 1' | "$MKTRACE" - unknown.bin
wakers_are unknown <<'END'
    1.00 us       500 ns      1  an interrupt
    11.0 us          n/a      2  n/a (not recorded)
END
run 0 --report slowest -n 1 --format json unknown.bin
in_file out ',"wakers":\[{"tid":null,"pid":null,"name":null,"interrupt":true,"waits":1,"waited_ns":1000.0,"to_run_ns":500.0}\],"waits_without_waker":2,"without_waker_ns":11000.0}$'

# Intervals that the switches do not cover have no waits either.
trace "$remote" 'hook 0xC3 3 tid=9 at=50000 1 64:19000 64:19500 64:4' | "$MKTRACE" - lost.bin
[ -z "$(told lost.bin)" ] || fail "lost: $(told lost.bin)"
run 0 --report slowest -n 1 --format json lost.bin
in_file out ',"wakers":\[\],"waits_without_waker":null,"without_waker_ns":null}$'

# Without wake-ups nothing is said of them.
trace | "$MKTRACE" - none.bin
[ -z "$(told none.bin)" ] || fail "none: $(told none.bin)"
run 0 --report slowest -n 1 --format json none.bin
not_in_file out 'waker'

# More than are shown: the rest is summed. Each of 80 waits has a waker of its own.
{
	trace | sed -e '/^hook/d' -e '/section end/d'
	echo 'hook 0xC2 0x10000000 tid=1 at=40000 34 1 64:30000 64:2 0'
	awk 'BEGIN {
		printf "hook 0xC3 1 tid=9 at=50000 0 160 64:8000 64:10100 1 1"
		for (i = 0; i < 80; i++) printf " %d 0 0 0 %d 1 1 0", 200 * i, 200 * i + 100
		printf "\nhook 0xC3 1 tid=9 at=50000 0 0 64:26000 64:42000 1 1\nhook 0xC3 4 tid=9 at=50000 1 80 64:8000 64:10150"
		for (i = 0; i < 80; i++) printf " %d 1 2 %d 0", 200 * i, 100 + i
		print "\nhook 0xC3 1 tid=9 at=50000 1 0 64:8000 64:42000 2 4\nsection end"
	}'
} | "$MKTRACE" - many.bin
told many.bin >text
in_file text '^     100 ns        50 ns      1  unknown name .thread 107, process 2.$'
in_file text '^    7\.20 us      3\.60 us     72  .others.$'
run 0 --report slowest -n 1 --format json many.bin
in_file out ',{"tid":null,"pid":null,"name":null,"interrupt":null,"waits":16,"waited_ns":1600.0,"to_run_ns":800.0}\],"waits_without_waker":0,'

# Contradictions are left out: too many for the hook's words, time going back or beyond the hook, no such processor, hooks cut short,
# no thread woken, hooks that end before they begin.
trace 'hook 0xC3 4 tid=9 at=50000 1 4294967295 64:8000 64:14000 0 1 2 4 0' 'hook 0xC3 4 tid=9 at=50000 0 2 64:8000 64:23500 500 9 3 3 0 400 1 3 3 0' \
	'hook 0xC3 4 tid=9 at=50000 0 1 64:8000 64:51000 0 1 3 3 0' 'hook 0xC3 4 tid=9 at=50000 0 1 64:8000 64:25500 4294967295 1 3 3 0' \
	'hook 0xC3 4 tid=9 at=50000 8192 1 64:8000 64:25500 0 1 3 3 0' 'hook 0xC3 4 tid=9 at=50000 0 1' 'hook 0xC3 4 tid=9 at=50000 0 1 64:8000 64:25500 0 1 3' \
	'hook 0xC3 4 tid=9 at=50000 0 2 64:8000 64:25500 0 0 3 3 0 1 4294967295 3 3 0' \
	'hook 0xC3 4 tid=9 at=50000 0 1 64:8000 64:18446744073709551615 1 1 3 3 0' 'hook 0xC3 4 tid=9 at=50000 0 1 64:25501 64:25500 0 1 3 3 0' | "$MKTRACE" - hostile.bin
wakers_are hostile <<'END'
    3.00 us      1.00 us      1  waker (thread 4, process 2)
    9.00 us          n/a      2  n/a (not recorded)
END

# A hook of wake-ups is missing, on whichever processor: a wait that one of its wake-ups may have ended has no waker, rather than an
# earlier one. The wait at its edge, too; not the one after it. Hooks that follow each other, some without wake-ups, miss nothing.
before='hook 0xC3 4 tid=9 at=50000 1 2 64:8000 64:14000 0 1 2 4 0 2500 1 2 4 0'
after='hook 0xC3 4 tid=9 at=50000 1 1 64:20000 64:25500 0 1 2 4 0'
trace "$before" "$after" | "$MKTRACE" - gap.bin
wakers_are gap <<'END'
    4.00 us      1.50 us      2  waker (thread 4, process 2)
    8.00 us          n/a      1  n/a (not recorded)
END
trace "$before" "$after" 'hook 0xC3 4 tid=9 at=50000 0 0 64:8000 64:14500' 'hook 0xC3 4 tid=9 at=50000 0 0 64:15000 64:30000' | "$MKTRACE" - edge.bin
wakers_are edge <<'END'
    1.00 us       500 ns      1  waker (thread 4, process 2)
    11.0 us          n/a      2  n/a (not recorded)
END
trace "$before" 'hook 0xC3 4 tid=9 at=50000 1 0 64:16500 64:20000' "$after" 'hook 0xC3 4 tid=9 at=50000 0 1 64:8000 64:9000 0 7 3 3 0' |
	"$MKTRACE" - whole.bin
wakers_are whole <<'END'
    12.0 us      9.00 us      3  waker (thread 4, process 2)
END

# The first hooks were overwritten.
trace 'hook 0xC3 4 tid=9 at=50000 0 1 64:24000 64:25500 0 1 2 2 0' | "$MKTRACE" - first.bin
told first.bin >text
in_file text '^    11\.0 us          n/a      2  n/a .not recorded.$'
in_file text '^    1\.00 us       500 ns      1  <other> '

# A wake-up long before the thread left is of an earlier wait, which was not recorded.
trace 'hook 0xC3 4 tid=9 at=50000 0 1 64:8000 64:11900 0 1 2 2 0' | sed 's/^hz .*/hz 50000/' | "$MKTRACE" - long.bin
told long.bin >text
not_in_file text '<other>'
trace 'hook 0xC3 4 tid=9 at=50000 0 1 64:8000 64:11900 0 1 2 2 0' | sed 's/^hz .*/hz 50000/; s/64:11900 0 1 2/64:11951 0 1 2/' | "$MKTRACE" - short.bin
told short.bin >text
in_file text '  1  <other> '

# Told twice, by dumps that overlap: counted once.
trace "$remote" "$local" "$remote" "$local" | "$MKTRACE" - twice.bin
told t.bin >expected
told twice.bin | cmp - expected || fail "twice: $(told twice.bin)"

# Another machine's wake-ups do not count.
{ echo 'id "another trace id"'; trace "$remote" | sed 's/tid=1 at/tid=4 at/'; } | "$MKTRACE" - other.bin

{ echo 'id "a third trace id"'; trace; } | "$MKTRACE" - alone.bin

# Partial results hold them; those of a trace without are as before.
slowest_merges t early unknown lost none many hostile gap edge whole first long twice "t alone" "t other" "alone unknown"
