# Holes in the CPUs' numbering, and CPUs that come and go: eight CPUs.
cpu() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }
SWTRACE_CPU_HZ=1000000000
export SWTRACE_CPU_HZ
cpu 2 0
cpu 5 0
cpu 7 0
check "holes: three CPUs are away" grep -qx 0-1,3-4,6 /sys/devices/system/cpu/online
record() { # NAME ARGUMENT...
	name=$1; shift
	if swtrace run -o "/out/$name.bin" -- emulation_intervals "$@" >"/out/$name.txt" 2>/tmp/err; then
		ok "$name: recorded"
	else
		no "$name: recorded" "$(tail -n 1 /tmp/err)"
	fi
}
record holes -q -r 2 3000000
# CPU 3 goes, and comes back.
record switched -q -r 2 -c 3 3000000
# The highest one does.
record highest -q -r 2 -c 6 3000000
check "holes: doctor can measure" swtrace doctor
cpu 2 1
cpu 5 1
cpu 7 1
record whole -q 3000000
# CPU utilisation: one in the middle, and the highest.
for gone in 3 7; do
	check "utilisation: CPU $gone goes and comes back" emulation_comings $gone
done
SWTRACE_COUNTERS=software
export SWTRACE_COUNTERS
check "utilisation: the same by the kernel's idle time" emulation_comings 3
unset SWTRACE_COUNTERS
unset SWTRACE_CPU_HZ
