# Intervals around loops of known length: the host compares what the hooks and CPI_DATA say.
echo 2 >/proc/sys/kernel/perf_event_paranoid

record() { # NAME COMMAND...
	name=$1; shift
	if "$@" >"/out/$name.txt" 2>/tmp/err; then
		ok "$name: recorded"
	else
		no "$name: recorded" "status $?: $(tail -n 1 /tmp/err)"
	fi
}
user() { emulation_as_user /bin/swtrace run -o "/out/$1.bin" -- /bin/emulation_intervals $2; }
# Without rights only user mode is counted, so nothing disturbs long loops either.
record user user user "-r 4 1000 10000 100000 2000000"
record kernel swtrace run -o /out/kernel.bin -- emulation_intervals -r 8 1000 10000 100000
SWTRACE_CPU_HZ=1000000000
export SWTRACE_CPU_HZ
record hz swtrace run -o /out/hz.bin -- emulation_intervals -q -r 8 1000 10000 100000 200000
unset SWTRACE_CPU_HZ
