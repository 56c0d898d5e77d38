# Sourced by run.sh: what an interval costs.
# shellcheck shell=sh disable=SC2034,SC2154

# Its program, and its check of the trace.
# shellcheck source=writer.sh
. "$here/writer.sh"

# Measures context switches before all else, in a session of their own.
measure_switch() {
	compile switch "$here/machine.c" "$here/switch.c"
	must "making a session" "$swtrace" init -s 4 -t wrap
	must "turning tracing on" "$swtrace" on
	"$work/switch" "$@" >>"$work/samples" || fail "the benchmark of context switches failed"
	"$swtrace" info --json >"$work/info" 2>"$log" || { cat "$log" >&2; fail "swtrace info failed"; }
	verdict_of "the ledger has the intervals of the threads that switch" \
		"$(attempted switch) hooks attempted, the session says $(total attempted)" \
		same "$(attempted switch)" "$(total attempted)"
	must "turning tracing off" "$swtrace" off
	must "freeing the session" "$swtrace" free
}

measure() {
	compile_writer
	machine >"$work/samples"
	set -- -r 15 -t 32
	[ "$quick" -eq 0 ] || set -- -r 7 -t 1
	measure_switch "$@"
	set -- -i -r 15 -t 8
	[ "$quick" -eq 0 ] || set -- -i -r 7 -t 0.4
	trace_writer "$@"
	check_trace
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
