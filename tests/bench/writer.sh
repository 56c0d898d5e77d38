# Sourced by run.sh: what a hook costs its writer.
# shellcheck shell=sh disable=SC2034,SC2154

# shellcheck source=lttng.sh
. "$here/lttng.sh"

# total KEY, of `swtrace info --json`; guests: hooks in guest rings.
total() { sed -n "s/.*\"total\": {.*\"$1\": \([0-9]*\).*/\1/p" "$work/info"; }
guests() {
	sed 's/{"kind"/\n&/g; s/"total"/\n&/g' "$work/info" | grep '^{"kind": "guest"' |
		sed 's/.*"hooks": \([0-9]*\).*"overwritten": \([0-9]*\).*/\1 \2/' |
		awk '{ s += $1 + $2 } END { printf "%.0f\n", s }'
}
attempted() { sed -n "s/^attempted	$1	//p" "$work/samples"; }
same() { [ -n "$1" ] && [ "$1" = "$2" ]; }

# check_ledger WHAT HOOKS: checks that the session's ledger has so many hooks, and no losses.
check_ledger() {
	"$swtrace" info --json >"$work/info" 2>"$log" || { cat "$log" >&2; fail "swtrace info failed"; }
	verdict_of "$1" "$2 hooks attempted, the session says $(total attempted)" \
		same "$2" "$(total attempted)"
	for loss in lost_full lost_big lost_held lost_no_guest torn; do
		verdict_of "$loss is 0" "$(total $loss)" same 0 "$(total $loss)"
	done
}

# Checks that every timed hook was traced, those of threads without rseq in guest rings.
check_trace() {
	check_ledger "the ledger has every hook that was timed" "$(attempted all)"
	verdict_of "guest rings have the hooks of threads without rseq, and no others" \
		"$(attempted guest) attempted, $(guests) there" same "$(attempted guest)" "$(guests)"
}

# Measures first hooks before all else, in sessions of their own sizes.
measure_attach() {
	compile attach "$here/machine.c" "$here/attach.c"
	set -- 15 200
	[ "$quick" -eq 0 ] || set -- 3 20
	for mb in 3 1024; do
		must "making a session" "$swtrace" init -s "$mb" -t wrap
		must "turning tracing on" "$swtrace" on
		"$work/attach" "$mb" "$@" >>"$work/samples" || fail "the benchmark of attaching failed"
		must "turning tracing off" "$swtrace" off
		must "freeing the session" "$swtrace" free
	done
}

compile_writer() {
	compile writer "$here/machine.c" "$here/ops.c" "$here/flag.c" "$here/measure.c" \
		"$here/serve.c" "$here/crowd.c" "$here/peers.c" "$here/writer.c"
}

# The same memory per processor as LTTng.
trace_writer() {
	must "making a session" "$swtrace" init -s 4 -t wrap
	must "turning tracing on" "$swtrace" on
	"$work/writer" "$@" >>"$work/samples" || fail "the benchmark program failed"
}

measure() {
	compile_writer
	set -- -r 15 -t 8
	[ "$quick" -eq 0 ] || set -- -r 3 -t 0.4
	machine >"$work/samples"
	measure_attach
	lttng_start
	if [ "$peers" -eq 1 ]; then
		set -- "$@" -f "$memory"
	else
		absent fwrite '--peers was not given'
	fi
	# shellcheck disable=SC2086
	trace_writer "$@" $lttng
	check_trace
	lttng_check
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
