# Figures of a user without rights, from none to all.
figures() { # COMMAND...: the line of one interval
	"$@" emulation_intervals 100000 2>/tmp/err
}
ordinary_user() {
	program=$1; shift
	emulation_as_user "/bin/$program" "$@"
}
has() { # LINE FIGURE...: these, and only these, of thread, scaled and raw are measured
	line=$1; shift
	for figure in thread scaled raw; do
		case " $* " in
		*" $figure "*) want=yes ;;
		*) want=no ;;
		esac
		case $line in
		*" $figure=n/a"*) have=no ;;
		*" $figure="[0-9]*) have=yes ;;
		*) echo "no $figure: $line"; return 1 ;;
		esac
		[ $want = $have ] || { echo "$figure: $line"; return 1; }
	done
}
doctor() { # STATUS PATTERN
	ordinary_user swtrace doctor >/tmp/doctor 2>&1
	status=$?
	[ $status -eq "$1" ] && grep -q "$2" /tmp/doctor && return
	echo "status $status"
	cat /tmp/doctor
	return 1
}
measures() { # PARANOID FIGURE...
	echo "$1" >/proc/sys/kernel/perf_event_paranoid
	shift
	has "$(figures ordinary_user)" "$@"
}
check "paranoid 3, no rights: nothing is measured" measures 3
check "paranoid 3: doctor says so, exit 4" doctor 4 "perf_event_paranoid is 3"
check "paranoid 2, no rights: the thread" measures 2 thread
check "paranoid 2: doctor says what is missing" doctor 0 "perf_event_paranoid is 2"
check "paranoid 1, no rights: the thread" measures 1 thread
check "paranoid 0, no rights: the processors too" measures 0 thread scaled
rooted() {
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	has "$(figures)" thread scaled
}
check "paranoid 3, with rights: everything" rooted
