# Sourced by run.sh: what sessions of many rings cost, with processors that are made up.
# shellcheck shell=sh disable=SC2034,SC2154

# The functions that read the session's ledger.
# shellcheck source=writer.sh
. "$here/writer.sh"

# One run of the command; its time in ms becomes a sample.
time_verb() { # VERB ARGUMENT...
	began=$(date +%s%N)
	must "swtrace $1" "$swtrace" "$@"
	printf 'sample\trings%s.%s\t%s\n' "$rings" "$1" \
		"$(awk -v from="$began" -v to="$(date +%s%N)" 'BEGIN { print (to - from) / 1e6 }')" >>"$work/samples"
}

# The memory of the session's files, in MiB.
resident() {
	du -sk "$SWTRACE_SESSION" | awk '{ printf "%.2f", $1 / 1024 }'
}

measure_size() { # ROUNDS FIRST-HOOKS
	for round in $(seq "$1"); do
		time_verb init -t wrap
		memory_idle=$(resident)
		time_verb on
		"$work/attach" "rings$rings" 1 "$2" >>"$work/samples" || fail "the benchmark of attaching failed"
		[ "$round" -gt 1 ] || check_ledger "$rings rings: every first hook is in the ledger" "$2"
		time_verb info
		time_verb dump "$memory/dump.bin"
		time_verb off
		time_verb free
	done
	printf 'sample\trings%s.idle\t%s\n' "$rings" "$memory_idle" >>"$work/samples"
}

# Processor time of a process, in ns.
cpu_of() { awk '{ print $1 }' "/proc/$1/schedstat"; }

# The share of a processor that an idle process takes, in percent, over SECONDS.
idle_share() { # ID PID SECONDS
	before=$(cpu_of "$2") began=$(date +%s%N)
	sleep "$3"
	printf 'sample\t%s\t%s\n' "$1" "$(awk -v used=$(($(cpu_of "$2") - before)) \
		-v passed=$(($(date +%s%N) - began)) 'BEGIN { printf "%.2f", 100 * used / passed }')" >>"$work/samples"
}

measure_idle() { # SECONDS
	must "making a session" "$swtrace" init -t cont -f "$memory/drain.bin"
	must "turning tracing on" "$swtrace" on
	sleep 1
	drain=$("$swtrace" info --json | sed -n 's/.*"drain": *{[^}]*"pid": *\([0-9]*\).*/\1/p')
	[ -n "$drain" ] || fail "info does not name the drain"
	idle_share drain.idle "$drain" "$1"
	must "turning tracing off" "$swtrace" off
	must "making a session" "$swtrace" init -t wrap
	must "turning tracing on" "$swtrace" on
	"$swtrace" trigger --when 'label=nonesuch' -o "$memory/event.bin" >"$log" 2>&1 &
	trigger=$!
	sleep 1
	idle_share trigger.idle $trigger "$1"
	kill $trigger
	wait $trigger 2>/dev/null
	must "turning tracing off" "$swtrace" off
}

measure() {
	compile attach "$here/machine.c" "$here/attach.c"
	machine >"$work/samples"
	rounds=15 hooks=200 seconds=10
	[ "$quick" -eq 0 ] || rounds=2 hooks=20 seconds=1
	for rings in 4 64 384 1024; do
		SWTRACE_TEST_CPUS=$rings
		export SWTRACE_TEST_CPUS
		measure_size $rounds $hooks
	done
	measure_idle $seconds
	unset SWTRACE_TEST_CPUS
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
