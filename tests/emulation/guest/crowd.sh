# More events than counters: the host compares the scaled counts with the loop's length.
echo 2 >/proc/sys/kernel/perf_event_paranoid
for access in 0 1; do
	echo $access >/proc/sys/kernel/perf_user_access
	if emulation_as_user /bin/swtrace run -o /out/crowd$access.bin -- \
		/bin/emulation_intervals -q -x 12 -r 3 100000000 >/out/crowd$access.txt 2>/tmp/err; then
		ok "crowd: recorded, user mode reads: $access"
	else
		no "crowd: recorded, user mode reads: $access" "$(tail -n 1 /tmp/err)"
	fi
done
echo 0 >/proc/sys/kernel/perf_user_access
