# Dumps while programs write: every dump is whole, and at the end nothing is unaccounted for.
for mode in norm wrap; do
	fresh
	exits 0 "$SWTRACE" init -s 1 -ss 16 -t $mode
	exits 0 "$SWTRACE" on
	writers=
	for i in 1 2 3; do
		"$WRITER" loop >"$dir/count.$i" &
		writers="$writers $!"
	done
	pids="$pids $writers"
	until_true '[ "$(number attempted)" -gt 0 ]'
	for i in 1 2 3 4 5; do
		exits 0 "$SWTRACE" dump "$dir/live.bin"
		is_trace "$dir/live.bin"
		during=$(($(summary hooks) + $(summary lost) + $(summary overwritten) + $(summary torn)))
	done
	exits 0 "$SWTRACE" info
	kill $writers
	for pid in $writers; do
		wait "$pid"
	done
	attempted=$(cat "$dir"/count.? | awk '{ n += $1 } END { printf "%d", n }')
	same "$mode: attempted" "$(number attempted)" "$attempted"
	if [ $during -le "$attempted" ] && [ $during -gt 0 ]; then
		pass
	else
		fail "$mode: $during hooks accounted for in a dump, $attempted attempted at the end"
	fi
	exits 0 "$SWTRACE" dump "$dir/end.bin"
	same "$mode: accounted for" \
		$(($(summary hooks) + $(summary lost) + $(summary overwritten) + $(summary torn))) \
		"$attempted"

	# A writer that is killed takes one hook with it at the most.
	"$SWTRACE" off 2>"$err"
	exits 0 "$SWTRACE" init -s 1 -ss 16 -t wrap
	exits 0 "$SWTRACE" on
	for i in 1 2 3 4 5; do
		before=$(number attempted)
		"$WRITER" loop >/dev/null &
		pid=$!
		until_true '[ "$(number attempted)" -gt $before ]'
		kill -KILL $pid
		wait $pid 2>/dev/null
	done
	exits 0 "$SWTRACE" dump "$dir/killed.bin"
	torn=$(summary torn)
	if [ "$torn" -le 5 ]; then
		pass
	else
		fail "$torn torn records of 5 killed writers"
	fi
	exits 0 "$SWTRACE" free
done
