# Events of a list, in intervals around loops of known length. Without rights only user mode is
# counted, so nothing disturbs long loops.
echo 2 >/proc/sys/kernel/perf_event_paranoid
count() { # NAME LIST ARGUMENTS
	if emulation_as_user /bin/swtrace run -e "$2" -o "/out/$1.bin" -- \
		/bin/emulation_intervals $3 >"/out/$1.txt" 2>/tmp/err; then
		ok "$1: recorded"
	else
		no "$1: recorded" "$(tail -n 1 /tmp/err)"
	fi
}
# Events that the processor lacks or the kernel refuses, among others that count.
count events instructions,cycles,branches,page-faults,task-clock,context-switches,instructions:u \
	"-q -r 4 1000 10000 100000"
# Instructions and cycles by their numbers too: 8 events on 7 counters make two groups.
count events_groups instructions,cycles,r8,r11,instructions:u,cycles:u,r8:u,r11:u "-r 3 100000000"
# In user mode; and there among 12 others.
echo 1 >/proc/sys/kernel/perf_user_access
count events_user instructions,cycles "-r 4 1000 10000 100000"
count events_crowd instructions,cycles "-x 12 -r 3 100000000"
echo 0 >/proc/sys/kernel/perf_user_access
# On all processors, which takes the right to count them.
count events_denied instructions:ua,instructions:u "-r 2 1000"
if swtrace run -e instructions,instructions:a,instructions:ua -o /out/events_all.bin -- \
	emulation_intervals -r 8 1000 10000 100000 >/out/events_all.txt 2>/tmp/err; then
	ok "events_all: recorded"
else
	no "events_all: recorded" "$(tail -n 1 /tmp/err)"
fi
