# An interval's instructions, with the thread's counters read in user mode: a system call
# alone takes more in the kernel than a pair may. At this level a user counts the kernel's part of a
# thread, and no processors.
echo 1 >/proc/sys/kernel/perf_event_paranoid
echo 1 >/proc/sys/kernel/perf_user_access
if emulation_as_user /bin/swtrace run -t wrap -o /out/pairs.bin -- \
	/bin/emulation_pairs 100 >/out/pairs.txt 2>/tmp/err; then
	ok "an interval with the thread's counters takes no system call"
else
	no "an interval with the thread's counters takes no system call" "$(tail -n 1 /tmp/err)"
fi
sed 's/^/  | /' /out/pairs.txt
echo 0 >/proc/sys/kernel/perf_user_access
if emulation_as_user /bin/swtrace run -t wrap -o /tmp/pairs.bin -- \
	/bin/emulation_pairs 100 >/tmp/pairs.txt 2>/tmp/err; then
	no "where user mode may not read, it takes some" "$(tail -n 1 /tmp/pairs.txt)"
else
	ok "where user mode may not read, it takes some"
fi
sed 's/^/  | /' /tmp/pairs.txt
