# Reads in user mode, where the machine allows them, and what they fall back to.
echo 2 >/proc/sys/kernel/perf_event_paranoid
echo 1 >/proc/sys/kernel/perf_user_access
check "reads in user mode agree with read()" emulation_reads user
check "the same without rights" emulation_as_user /bin/emulation_reads user
if emulation_as_user /bin/swtrace run -o /out/reads.bin -- \
	/bin/emulation_intervals -q -r 4 1000 10000 100000 >/out/reads.txt 2>/tmp/err; then
	ok "intervals of reads in user mode: recorded"
else
	no "intervals of reads in user mode: recorded" "$(tail -n 1 /tmp/err)"
fi
echo 0 >/proc/sys/kernel/perf_user_access
check "where user mode may not read, a call does" emulation_reads call
