# Sourced by run.sh: what an interval costs.
# shellcheck shell=sh disable=SC2034,SC2154

# Its program, and its check of the trace.
# shellcheck source=writer.sh
. "$here/writer.sh"
# shellcheck source=peers.sh
. "$here/peers.sh"

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

# compile_peer PEER FILE...: a module of the benchmark. Sets its arguments for it.
others=''
compile_peer() {
	peer=$1; shift
	# shellcheck disable=SC2086
	must "compiling $peer's peer" $cc $flags -fPIC -shared "$@" -o "$work/$peer.so"
	others="$others -p $work/$peer.so"
}

find_others() {
	find_papi papi
	# shellcheck disable=SC2086
	[ -z "$papi" ] || compile_peer papi "$here/papi_peer.c" "$here/counters_papi.c" \
		"$here/counters_events.c" $papi -ldl
	find_likwid likwid
	[ -z "$likwid" ] || compile_peer likwid "$here/likwid_peer.c" "$likwid"
	# A program's regions, which PAPI writes at its end.
	PAPI_OUTPUT_DIRECTORY=$work/papi
	export PAPI_OUTPUT_DIRECTORY
}

measure() {
	compile_writer
	machine >"$work/samples"
	lttng_start
	find_others
	set -- -r 15 -t 32
	[ "$quick" -eq 0 ] || set -- -r 3 -t 1
	measure_switch "$@"
	set -- -i -r 15 -t 8
	[ "$quick" -eq 0 ] || set -- -i -r 3 -t 0.4
	# shellcheck disable=SC2086
	trace_writer "$@" $lttng $others
	check_trace
	lttng_check
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
