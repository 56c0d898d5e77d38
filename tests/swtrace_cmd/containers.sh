# Two containers in one session: PID namespaces, in which the same thread ids name different threads,
# users, CPU sets, and a bind mount of the session's directory. Needs root, to make them.
friends=54321
if [ "$(id -u)" -ne 0 ] || ! unshare --pid --mount --uts --fork --mount-proc \
	setpriv --reuid=65534 --regid=65534 --groups=$friends true 2>/dev/null; then
	skip "containers: this user may not make them"
	return 0 2>/dev/null
fi
for name in alpha beta; do
	cp "$WRITER" "$dir/$name"
	mkdir "$dir/session-$name"
done
for library in "$BUILD"/libswtrace.so*; do
	[ -e "$library" ] && cp -P "$library" "$dir"
done

# container NAME UID CPU COMMAND ...: as the first process of a container of that name. With
# run=exec, in the background, $! is the parent of that process.
container()
{
	box=$1 uid=$2 cpu=$3
	shift 3
	# shellcheck disable=SC2016 # expanded inside
	${run-} unshare --pid --mount --uts --fork --kill-child --mount-proc sh -c '
		hostname "box-$1" && mount --bind "$SWTRACE_SESSION" "$5/session-$1" || exit 1
		SWTRACE_SESSION=$5/session-$1 LD_LIBRARY_PATH=$5
		export SWTRACE_SESSION LD_LIBRARY_PATH
		uid=$2 cpu=$3 friends=$4 program=$5/$1
		shift 5
		exec setpriv --reuid="$uid" --regid=65534 --groups="$friends" \
			taskset -c "$cpu" "$program" "$@"' \
		sh "$box" "$uid" "$cpu" $friends "$dir" "$@"
}

# kill_container PID: of its parent.
kill_container()
{
	child=
	while [ -z "$child" ] && child=$(cat /proc/"$1"/task/"$1"/children); do sleep 0.01; done
	# shellcheck disable=SC2086
	kill -KILL $child
	wait "$1" 2>/dev/null
}

last=$(($(getconf _NPROCESSORS_ONLN) - 1))
fresh
exits 0 "$SWTRACE" init -s 1 -t wrap -g $friends
exits 0 "$SWTRACE" on
# A thread 1 of box-beta lives while threads 1 of box-alpha are killed, in a hook as a rule.
run=exec container beta 65533 $last wait >"$dir/beta-ready" 2>"$err" &
beta=$!
pids="$pids $beta"
tries=0
while ! grep -q ready "$dir/beta-ready" && [ $((tries += 1)) -lt 3000 ]; do sleep 0.02; done
says "$dir/beta-ready" ready
for _ in 1 2 3 4 5 6 7 8; do
	run=exec container alpha 65534 0 loop >/dev/null 2>&1 &
	alpha=$!
	sleep 0.1
	kill_container $alpha
done
exits 0 container alpha 65534 0 hooks 1000
exits 0 "$SWTRACE" info --json
same "hooks lost to held sections" "$(number lost_held)" 0
exits 0 "$SWTRACE" dump "$dir/containers.bin"
is_trace "$dir/containers.bin"
if [ -x "$CPIDECODE" ]; then
	exits 0 "$CPIDECODE" --report info "$dir/containers.bin"
	says "$out" ' 1  .* box-alpha$'
	says "$out" ' 1  .* box-beta$'
	"$CPIDECODE" --report hooks --format csv "$dir/containers.bin" | tr -d '\r' |
		cut -d , -f 6,7 | sort -u >"$out"
	same "names and containers" "$(tr '\n' ' ' <"$out")" 'alpha,box-alpha beta,box-beta task,container '
fi
kill_container $beta
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" free

# The drain's file, which gets tasks as they come.
fresh
exits 0 "$SWTRACE" init -s 1 -t cont -g $friends -f "$dir/drain.bin"
exits 0 "$SWTRACE" on
exits 0 container alpha 65534 0 hooks 500
exits 0 container beta 65533 $last hooks 500
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" free
if [ -x "$CPIDECODE" ]; then
	"$CPIDECODE" --report hooks --format csv "$dir/drain.bin" | tr -d '\r' | cut -d , -f 6,7 |
		sort | uniq -c | awk '{ print $2 ":" $1 }' >"$out"
	same "hooks of a drain's file" "$(tr '\n' ' ' <"$out")" \
		'alpha,box-alpha:500 beta,box-beta:500 task,container:1 '
fi
