# The rings' stress programs ($programs: NAME or NAME:ARGUMENT, by commas) where CPUs run at the
# same time and a thread's hooks go to its CPU's ring.
unset SWTRACE_SESSION
export SWTRACE_TEST_HOTPLUG=1 # no other program uses these CPUs

# The time of all processors and processes, in hundredths of a second: what this machine costs the host.
busy() {
	awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 }' /proc/stat
}
stress() { # NAME COMMAND...
	name=$1; shift
	began=$(busy)
	if "$@" >/tmp/stress 2>&1; then
		ok "$name: $(tail -n 1 /tmp/stress) ($((($(busy) - began) / 100)) s of processor time)"
	else
		no "$name" "status $?: $(tail -n 1 /tmp/stress)"
		grep -vE '^ok: ' /tmp/stress | tail -n 20 | sed 's/^/  | /'
	fi
	# Left out there as elsewhere; but no thread may lack a CPU's ring.
	sed -n 's/^skipped: restartable sequences: /not ok '"$name"': no CPU rings: /p' /tmp/stress
	sed -n 's/^skipped: \(.*\): \(.*\)/skip '"$name"', \1: \2/p' /tmp/stress |
		grep -v ', restartable sequences:'
}
for program in $(echo "$programs" | tr , ' '); do
	stress "$program" "/ring/ring_${program%:*}" $(echo "$program" | sed -n 's/.*://p')
done

# The host looks into which rings they went.
if swtrace run -s 8 -o /out/rings.bin -- e2e_writers 3 2 5000 >/tmp/err 2>&1; then
	ok "hooks of three processes: recorded"
else
	no "hooks of three processes: recorded" "$(tail -n 1 /tmp/err)"
fi
