#!/bin/sh
. "${0%/*}/lib.sh"

# trace SWITCHES: a request of thread 1 on processor 0 from 10000 to 20000. By the kernel's switches it
# is preempted for 2000 by thread 2, which has a name, then waits for 3000, of which thread 3 runs 1000.
trace()
{
	kernel_trace_head
	cat <<'END'
hook 0xC2 0x10000000 tid=1 at=20000 34 1 64:10000 64:2 0
END
	printf '%s\n' "$@"
	echo 'section end'
}

# slowest_of NAME: makes NAME.bin of mktrace's text on standard input, and reports its slowest interval.
slowest_of()
{
	"$MKTRACE" - "$1.bin"
	run 0 --report slowest -n 1 "$1.bin"
}

switches='hook 0xC3 1 tid=9 at=30000 0 7 64:8000 64:12000 1 1 0 2 2 1 2000 1 1 0 3000 0 0 0 4000 2 3 0 5000 0 0 0 6000 1 1 0 10000 0 0 0'
names='hook 0xC3 2 tid=9 at=30000 1 1 2 2 64:9000 64:30000 "other"'
trace "$switches" "$names" | slowest_of t
sed -n '/meanwhile/,/show/p' out >told
cat >expected <<'END'
   meanwhile, on other threads (intervals of this trace): none
   away from a processor, by the kernel's switches: 5.00 us, 2 switches: preempted for 2.00 us, waiting for 3.00 us
    instead  on CPU 0  who ran
    2.00 us   2.00 us  idle
    2.00 us   2.00 us  other (thread 2, process 2)
    1.00 us   1.00 us  unknown name (thread 3, process 2)
   show: --report intervals --tid 1 --from 1700000000.000010000 --to 1700000000.000020000
END
cmp expected told || fail "text: $(cat told)"
run 0 --report slowest -n 1 --format json t.bin
grep -q '"meanwhile":\[\],"kernel_switches":2,"kernel_records_lost":0,"preempted_ns":2000.0,"waiting_ns":3000.0,"ran":\[{"tid":0,"pid":0,"name":null,"instead_ns":2000.0,"start_cpu_ns":2000.0,"cpu_ns":2000.0},{"tid":2,"pid":2,"name":"other","instead_ns":2000.0,"start_cpu_ns":2000.0,"cpu_ns":2000.0},{"tid":3,"pid":2,"name":null,"instead_ns":1000.0,"start_cpu_ns":1000.0,"cpu_ns":1000.0}\]}$' out ||
	fail "json: $(cat out)"

# The processor was idle from 16000 to 18000.
run 0 --report info t.bin
in_file out '^cpu 0  *2\.00 us  *12\.0 us  *0 ns$'
run 0 --report info --format json t.bin
in_file out '"kernel_switches":\[{"cpu":0,"idle_ns":2000\.0,"busy_ns":12000\.0,"not_recorded_ns":0\.0}\]'

# A name counts for the time that it is known for.
trace "$switches" 'hook 0xC3 2 tid=9 at=30000 1 1 2 2 64:9000 64:11999 "other"' | slowest_of name
not_in_file out 'other .thread'

# A name that is written again has a start some ticks before or after, as clocks are converted anew.
trace "$switches" 'hook 0xC3 2 tid=9 at=30000 1 1 2 2 64:9001 64:10000 "other"' "$names" \
	'hook 0xC3 2 tid=9 at=30000 1 1 2 2 64:9002 64:11000 "other"' | slowest_of again
sed -n '/meanwhile/,/show/p' out | cmp - expected || fail "a name again: $(cat out)"
# Another one in between is another name.
trace "$switches" 'hook 0xC3 2 tid=9 at=30000 2 2 2 2 64:9000 64:9999 2 2 64:10000 64:20000 "other" "first"' \
	'hook 0xC3 2 tid=9 at=30000 1 1 2 2 64:20001 64:30000 "other"' | slowest_of names
in_file out ' first .thread 2, '

# The same in several hooks: each goes on where the one before ended.
trace 'hook 0xC3 1 tid=9 at=30000 0 3 64:8000 64:12000 1 1 0 2 2 1 2000 1 1 0 3000 0 0 0' \
	'hook 0xC3 1 tid=9 at=30000 0 2 64:15000 64:16000 0 0 0 2 3 0 1000 0 0 0' \
	'hook 0xC3 1 tid=9 at=30000 0 1 64:17000 64:18000 0 0 0 1 1 0' \
	'hook 0xC3 1 tid=9 at=30000 0 0 64:18000 64:22000 1 1' "$names" | slowest_of hooks
sed -n '/meanwhile/,/show/p' out | cmp - expected || fail "several hooks: $(cat out)"

# Lost records, and switches that begin after the interval or end before it, leave things unknown.
trace "$switches" 'hook 0xC3 3 tid=9 at=30000 1 64:19000 64:19500 64:4' | slowest_of lost
in_file out "^   away from a processor, by the kernel's switches: n/a .4 records were lost meanwhile.$"
trace 'hook 0xC3 1 tid=9 at=30000 0 1 64:12000 64:14000 2 2 0 1 1 0' | slowest_of part
in_file out "^   away from a processor, by the kernel's switches: n/a .they do not cover it.$"
in_file out '^        n/a   2\.00 us  unknown name .thread 2, process 2.$'
in_file out '^        n/a   8\.00 us  .not recorded.$'

trace "$switches" 'hook 0xC3 3 tid=9 at=30000 1 64:19000 64:19500 64:0' | slowest_of unknown
in_file out "^   away from a processor, by the kernel's switches: n/a .records were lost meanwhile.$"
run 0 --report slowest -n 1 --format json unknown.bin
in_file out '"kernel_switches":null,"kernel_records_lost":null,'

# A hook in the middle is missing: the thread may have run in it. So it may on another processor.
first='hook 0xC3 1 tid=9 at=30000 0 2 64:8000 64:11000 1 1 0 2 2 1 1000 3 3 0'
last='hook 0xC3 1 tid=9 at=30000 0 1 64:18000 64:19000 3 3 0 1 1 0'
end='hook 0xC3 1 tid=9 at=30000 0 0 64:19000 64:22000 1 1'
trace "$first" 'hook 0xC3 1 tid=9 at=30000 0 2 64:12000 64:12500 3 3 0 1 1 0 5500 3 3 0' "$last" "$end" |
	slowest_of whole
in_file out "switches: 2\.50 us, 2 switches: preempted for 1\.50 us, waiting for 1\.00 us$"
trace "$first" "$last" "$end" | "$MKTRACE" - gap.bin
run 0 --report info gap.bin
in_file out '^cpu 0  *0 ns  *8\.00 us  *6\.00 us$'
run 0 --report slowest -n 1 gap.bin
in_file out "^   away from a processor, by the kernel's switches: n/a .they do not cover it.$"
trace "$switches" 'hook 0xC3 1 tid=9 at=30000 1 0 64:8000 64:15000 4 4' | slowest_of other
in_file out "switches: n/a .they do not cover it.$"
# A processor of which there are hooks, but no switches.
trace "$switches" 'section hooks ring=1' 'hook 0x10 1 tid=5 at=9000 7' | slowest_of ring
in_file out "switches: n/a .they do not cover it.$"
# On two processors at once.
trace "$switches" 'hook 0xC3 1 tid=9 at=30000 1 2 64:8000 64:11000 4 4 0 1 1 0 1500 4 4 0' \
	'hook 0xC3 1 tid=9 at=30000 1 0 64:12500 64:22000 4 4' | slowest_of both
in_file out "switches: n/a .they contradict each other.$"
# Where no switch told who it was, none came or went.
trace "$switches" 'hook 0xC3 1 tid=9 at=30000 1 0 64:8000 64:21000 0 4294967295' "$names" | slowest_of quiet
sed -n '/meanwhile/,/show/p' out | cmp - expected || fail "a quiet processor: $(cat out)"

# Told twice, by dumps that overlap: counted once.
trace "$switches" "$switches" "$names" | slowest_of twice
sed -n '/meanwhile/,/show/p' out | cmp - expected || fail "twice: $(cat out)"

# A processor that no kernel has: a file that names many must not slow the search down.
trace "$switches" 'hook 0xC3 1 tid=9 at=30000 8192 0 64:8000 64:15000 4 4' \
	'hook 0xC3 3 tid=9 at=30000 8192 64:9000 64:19500 64:4' "$names" | slowest_of beyond
sed -n '/meanwhile/,/show/p' out | cmp - expected || fail "processor 8192: $(cat out)"

# Contradictions are left out: too many switches for the hook's words, time going back, stamps of the
# future, no such processor, hooks cut short.
trace 'hook 0xC3 1 tid=9 at=30000 0 4294967295 64:8000 64:12000 1 1 0 2 2 1' \
	'hook 0xC3 1 tid=9 at=30000 0 2 64:13000 64:12000 1 1 0 2 2 1 5 3 3 0' \
	'hook 0xC3 1 tid=9 at=30000 0 1 64:8000 64:31000 7 7 0 2 2 1' \
	'hook 0xC3 1 tid=9 at=30000 4294967295 1 64:8000 64:12000 7 7 0 2 2 1' \
	'hook 0xC3 1 tid=9 at=30000 0' 'hook 0xC3 2 tid=9 at=30000 9 9 2 2 64:1' \
	'hook 0xC3 2 tid=9 at=30000 9 9 2 2 64:9 64:1 "x"' 'hook 0xC3 3 tid=9 at=30000 0 64:9' \
	'hook 0xC3 3 tid=9 at=30000 0 64:18446744073709551615 64:0 64:18446744073709551615' |
	slowest_of hostile
in_file out "by the kernel's switches: n/a"
not_in_file out 'thread 7'

# Partial results hold them: the merged answer is the whole one, of one trace and of two, of which one
# has no switches.
{ echo 'id "another trace id"'; trace '' | grep -v 0xC3; } | "$MKTRACE" - without.bin
slowest_merges t name lost part unknown gap both beyond hostile "t without" "lost without"
