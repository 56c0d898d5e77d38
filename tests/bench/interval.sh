# Sourced by run.sh: what an interval costs.
# shellcheck shell=sh disable=SC2034,SC2154

# Its program, and its check of the trace.
# shellcheck source=writer.sh
. "$here/writer.sh"

measure() {
	compile_writer
	set -- -i -r 15 -t 8
	[ "$quick" -eq 0 ] || set -- -i -r 7 -t 0.4
	machine >"$work/samples"
	trace_writer "$@"
	check_trace
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
