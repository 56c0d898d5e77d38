# Sourced by run.sh: what reading counters costs.
# shellcheck shell=sh disable=SC2034,SC2154

# shellcheck source=peers.sh
. "$here/peers.sh"

# The counter sources: compiled in, since the benchmark calls internal functions.
inside="../formats/shm_source core/clock core/clock_trust core/file core/online
	counters/choice counters/describe counters/difference counters/events/count
	counters/events/cpus counters/events/groups counters/events/set counters/machine/idle counters/machine/idle_parse
	counters/machine/proc_stat counters/machine/proc_stat_parse counters/machine/rate
	counters/perf/core_types counters/perf/cpus counters/perf/clock_rate counters/perf/group counters/perf/page
	counters/perf/perf counters/perf/probe counters/script/parse counters/script/script
	counters/source counters/thread/activity counters/thread/switch_page counters/thread/thread
	events/event events/format events/generic events/list events/machine events/pfm
	events/pfm_all events/pfm_load events/refuse events/spell events/sysfs events/terms"
counter_files() {
	for name in $inside; do
		printf '%s\n' "$top/libtrace/$name.c"
	done
}

# The session's ledger must have three hooks per group, or four where the kernel grants the page
# that tells an interval's switches.
check_trace() {
	"$swtrace" info --json >"$work/info" 2>"$log" || { cat "$log" >&2; fail "swtrace info failed"; }
	there=$(sed -n 's/.*"total": {.*"attempted": \([0-9]*\).*/\1/p' "$work/info")
	groups=$(sed -n 's/^traced	//p' "$work/samples")
	[ "$there" = "$((groups * 4))" ] || groups_hooks=3
	verdict_of "the ledger has every group that was timed" "$groups groups, $there hooks" \
		[ "$there" = "$((groups * ${groups_hooks:-4}))" ]
}

measure() {
	machine >"$work/samples"
	find_papi '^sw.papi$'
	# shellcheck disable=SC2046,SC2086
	compile counters "$here/machine.c" "$here/counters.c" "$here/counters_ops.c" \
		"$here/counters_events.c" "$here/counters_papi.c" "$here/counters_util.c" \
		$(counter_files) $papi
	set -- -r 15 -t 8
	[ "$quick" -eq 0 ] || set -- -r 3 -t 0.4
	must "making a session" "$swtrace" init -s 4 -t wrap
	must "turning tracing on" "$swtrace" on
	"$work/counters" "$@" >>"$work/samples" || fail "the benchmark program failed"
	check_trace
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
