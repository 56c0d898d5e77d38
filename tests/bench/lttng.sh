# Sourced by writer.sh, for interval.sh too, continuous.sh and dump.sh: a private LTTng session daemon,
# for the first two with one session in snapshot mode, LTTng's flight recorder.
# shellcheck shell=sh disable=SC2034,SC2154

LTTNG_HOME=$work/home
export LTTNG_HOME
# Files that LTTng never removes; remove them unless they were there before.
left=''
for file in /dev/shm/lttng-ust-wait-8 "/dev/shm/lttng-ust-wait-8-$(id -u)"; do
	[ -e "$file" ] || left="$left $file"
done

# Without them its rows are absent.
lttng_packages() {
	if need_packages lttng-tools liblttng-ust-dev 2>"$log" &&
		{ command -v babeltrace2 || command -v babeltrace || need_packages babeltrace2; } \
			>/dev/null 2>"$log"; then return 0; fi
	absent lttng "packages are missing: $(tail -n 1 "$log")"
	return 1
}

lttng_build() {
	# shellcheck disable=SC2046,SC2086
	must "compiling the tracepoints" $cc $flags -fPIC -fvisibility=hidden -shared -I"$here" \
		$(pkg-config --cflags lttng-ust) "$here/lttng_peer.c" -o "$work/lttng.so" \
		$(pkg-config --libs lttng-ust)
}

# A private session daemon; fails and tells why LTTng's rows are absent if there can be none.
lttng_daemon() {
	if [ "$peers" -eq 0 ]; then
		absent lttng '--peers was not given'
		return 1
	fi
	lttng_packages || return 1
	if [ "$(id -u)" -eq 0 ]; then
		if [ "${BENCH_PRIVATE_RUN-}" != yes ]; then
			absent lttng "LTTng needs a mount namespace as root (unshare --mount): or run it as another user"
			return 1
		fi
		must "making a private /run" mount -t tmpfs tmpfs /run
	fi
	undo=lttng_stop
	mkdir -p "$LTTNG_HOME"
	must "starting lttng-sessiond" lttng-sessiond --daemonize --no-kernel --pidfile="$work/sessiond"
	fact lttng "$(lttng --version)" >>"$work/samples"
}

# Sets the benchmark's arguments for the tracepoints, or tells why their rows are absent.
lttng=''
lttng_start() {
	lttng_daemon || return 0
	lttng_build
	mkdir -p "$work/snapshot"
	must "lttng create" lttng -n create bench --snapshot --output="$work/snapshot"
	must "lttng enable-channel" lttng -n enable-channel -u rings --subbuf-size=1M --num-subbuf=4
	for event in empty array8 fields8 string16 begin end; do
		must "lttng enable-event" lttng -n enable-event -u -c rings "bench:$event"
	done
	must "lttng start" lttng -n start
	lttng="-p $work/lttng.so"
}

# Processor time so far of the daemon's consumers, which write the files, in seconds.
lttng_consumers() {
	ps -o pid= --ppid "$(cat "$work/sessiond")" | while read -r pid; do
		cat "/proc/$pid/stat"
	done | awk -v hz="$(getconf CLK_TCK)" '{ s += $14 + $15 } END { print s / hz }'
}

# compile_events PROGRAM FILE...: a program with the tracepoints of lttng_tp.h.
compile_events() {
	program=$1; shift
	# shellcheck disable=SC2046,SC2086
	must "compiling $program" $cc $flags -I"$here" $(pkg-config --cflags lttng-ust) "$@" \
		-o "$work/$program" -pthread $(pkg-config --libs lttng-ust)
}

# Kills the session daemon started here, by process id, and waits for its end.
lttng_stop() {
	[ -s "$work/sessiond" ] || return 0
	daemon=$(cat "$work/sessiond")
	kill "$daemon" 2>/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.2
	done
	# shellcheck disable=SC2086
	rm -f $left
}

# The snapshot must end with all the hits that the program made for this check, of each event.
lttng_check() {
	[ -n "$lttng" ] || return 0
	must "lttng stop" lttng -n stop
	must "lttng snapshot record" lttng -n snapshot record
	reader=$(command -v babeltrace2 || command -v babeltrace)
	"$reader" "$work/snapshot" >"$work/events" 2>"$log" || { cat "$log" >&2; fail "$reader failed"; }
	sed -n 's/^peer	//p' "$work/samples" >"$work/expected"
	while read -r event hits; do
		there=$(grep -c "bench:$event:" "$work/events")
		verdict_of "LTTng's snapshot has bench:$event" "$there events" [ "$there" -ge "$hits" ]
	done <"$work/expected"
	there=$(grep -c "bench:off" "$work/events")
	verdict_of "LTTng's snapshot has none of the disabled tracepoints" "$there events" [ "$there" -eq 0 ]
}
