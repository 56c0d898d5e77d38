# Without -icount there are cycles and no instructions: no CPI, and nothing made up.
nothing() {
	line=$(emulation_intervals 1000000)
	echo "$line"
	for figure in thread scaled raw; do
		case $line in
		*" $figure=n/a"*) ;;
		*) return 1 ;;
		esac
	done
}
check "no instructions: no CPI" nothing
diagnosis() {
	swtrace doctor >/tmp/doctor 2>&1
	status=$?
	cat /tmp/doctor
	[ $status -eq 4 ]
}
check "no instructions: doctor exits with 4" diagnosis
json() {
	swtrace doctor --json >/tmp/doctor 2>&1
	status=$?
	cat /tmp/doctor
	[ $status -eq 4 ] && [ "$(head -c 1 /tmp/doctor)" = "{" ]
}
check "no instructions: doctor --json too" json
SWTRACE_CPU_HZ=1000000000
export SWTRACE_CPU_HZ
check "no instructions: the rest is traced" \
	swtrace run -o /out/missing.bin -- emulation_intervals -q -r 3 1000000
unset SWTRACE_CPU_HZ
