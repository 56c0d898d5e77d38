# Sourced by writer.sh: a private LTTng session daemon with one session in snapshot mode,
# LTTng's flight recorder.
# shellcheck shell=sh disable=SC2034,SC2154

LTTNG_HOME=$work/home
export LTTNG_HOME
# Files that LTTng never removes; remove them unless they were there before.
left=''
for file in /dev/shm/lttng-ust-wait-8 "/dev/shm/lttng-ust-wait-8-$(id -u)"; do
	[ -e "$file" ] || left="$left $file"
done

lttng_build() {
	need_packages lttng-tools liblttng-ust-dev || exit 1
	command -v babeltrace2 >/dev/null || command -v babeltrace >/dev/null ||
		need_packages babeltrace2 || exit 1
	# shellcheck disable=SC2046,SC2086
	must "compiling the tracepoints" $cc $flags -fPIC -fvisibility=hidden -shared -I"$here" \
		$(pkg-config --cflags lttng-ust) "$here/lttng_peer.c" -o "$work/lttng.so" \
		$(pkg-config --libs lttng-ust)
}

lttng_start() {
	lttng_build
	if [ "$(id -u)" -eq 0 ]; then
		[ "${BENCH_PRIVATE_RUN-}" = yes ] ||
			fail "--peers needs a mount namespace as root (unshare --mount): or run it as another user"
		must "making a private /run" mount -t tmpfs tmpfs /run
	fi
	mkdir -p "$LTTNG_HOME" "$work/snapshot"
	must "starting lttng-sessiond" lttng-sessiond --daemonize --no-kernel --pidfile="$work/sessiond"
	must "lttng create" lttng -n create bench --snapshot --output="$work/snapshot"
	must "lttng enable-channel" lttng -n enable-channel -u rings --subbuf-size=1M --num-subbuf=4
	for event in empty array8 fields8 string16; do
		must "lttng enable-event" lttng -n enable-event -u -c rings "bench:$event"
	done
	must "lttng start" lttng -n start
	fact lttng "$(lttng --version)" >>"$work/samples"
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
	must "lttng stop" lttng -n stop
	must "lttng snapshot record" lttng -n snapshot record
	reader=$(command -v babeltrace2 || command -v babeltrace)
	"$reader" "$work/snapshot" >"$work/events" 2>"$log" || { cat "$log" >&2; fail "$reader failed"; }
	sed -n 's/^peer	//p' "$work/samples" >"$work/expected"
	while read -r event hits; do
		there=$(grep -c "bench:$event:" "$work/events")
		verdict_of "LTTng's snapshot has bench:$event" "$there events" [ "$there" -ge "$hits" ]
	done <"$work/expected"
	there=$(grep -c "bench:off:" "$work/events")
	verdict_of "LTTng's snapshot has no bench:off" "$there events" [ "$there" -eq 0 ]
}
