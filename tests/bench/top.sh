# Sourced by run.sh: what `swtrace top` costs beside a writer of a million hooks a second.
# shellcheck shell=sh disable=SC2034,SC2154

# Processor time of a process so far, in ns.
used_by() { cut -d ' ' -f 1 "/proc/$1/schedstat"; }
top_sample() { printf 'sample\t%s\t%s\n' "$1" "$2" >>"$work/samples"; }

top_failed() {
	cat "$work/told" >&2
	fail "swtrace top failed"
}

# top_begin [OPTION...]: a top in the background that has shown a round.
top_begin() {
	: >"$work/rounds" # those of the last one are not its
	"$swtrace" top --json --interval 0.25 "$@" >"$work/rounds" 2>"$work/told" &
	top_pid=$!
	until [ -s "$work/rounds" ]; do
		kill -0 "$top_pid" 2>/dev/null || top_failed
		sleep 0.02
	done
}

# top_measure ID SECONDS: its processor time meanwhile.
top_measure() {
	before=$(used_by "$top_pid") began=$(date +%s%N)
	sleep "$2"
	after=$(used_by "$top_pid") ended=$(date +%s%N)
	top_sample "$1.cpu" "$(awk -v used=$((after - before)) -v all=$((ended - began)) \
		'BEGIN { printf "%.3f", 100 * used / all }')"
}

# A figure of the last round, since the start.
since_start() { tail -n 1 "$work/rounds" | sed -n "s/.*\"total\": {[^}]*\"$1\": \([0-9.]*\).*/\1/p"; }

# beside ID hooks|intervals [OPTION...]: a writer and a top. ID alone: no top.
beside() {
	id=$1 writes=$2; shift 2
	must "making a session" "$swtrace" init -s 16 -t wrap
	must "turning tracing on" "$swtrace" on
	[ "$id" = alone ] || top_begin "$@"
	"$work/top_writer" "$writes" 1000000 "$seconds" >"$work/written" 2>"$log" &
	writer_pid=$!
	sleep 0.5
	[ "$id" = alone ] || top_measure "$id.$writes" "$measured"
	wait "$writer_pid" || fail "the writer failed"
	read -r hooks each <"$work/written"
	top_sample "$id.$writes.writer" "$each"
	must "turning tracing off" "$swtrace" off
	must "freeing the session" "$swtrace" free
	[ "$id" != alone ] || return 0
	wait "$top_pid" || top_failed
	counted=$(since_start hooks)
	# One line for all repetitions.
	if [ "$repetitions" -eq 1 ] || [ "$counted" != "$hooks" ]; then
		verdict_of "$id, $writes: top counted every hook" "$hooks written, top says $counted" \
			test "$counted" = "$hooks"
	fi
	top_sample "$id.$writes.seen" "$(awk -v share="$(since_start seen_share)" 'BEGIN { print 100 * share }')"
}

measure() {
	compile top_writer "$here/machine.c" "$here/top_writer.c"
	machine >"$work/samples"
	seconds=4 measured=3 repetitions=5
	[ "$quick" -eq 0 ] || seconds=1 measured=0.4 repetitions=1
	if [ ! -r /proc/self/schedstat ]; then
		absent '' "the kernel tells no processor time of processes"
		return
	fi
	while [ "$repetitions" -gt 0 ]; do
		for writes in hooks intervals; do
			beside alone $writes
			beside counts $writes --counts
			beside labels $writes
		done
		must "making a session" "$swtrace" init -s 16 -t wrap
		must "turning tracing on" "$swtrace" on
		top_begin
		top_measure none.idle "$measured"
		must "turning tracing off" "$swtrace" off
		must "freeing the session" "$swtrace" free
		wait "$top_pid" || top_failed
		repetitions=$((repetitions - 1))
	done
	fact 'load afterwards' "$(busy)" >>"$work/samples"
}
