# run: a private session around a command.
mkdir "$dir/run"
t=$dir/run/t.bin
left_over()
{
	ls -d /dev/shm/swtrace."$(id -u)".run.* 2>/dev/null | wc -l
}
before=$(left_over)
unset SWTRACE_SESSION

exits 0 "$SWTRACE" run -s 1 -o "$t" -- "$WRITER" hooks 100
same "accepted" "$(cat "$out")" 100
same "hooks" "$(summary hooks)" 100
same "lines" "$(wc -l <"$err")" 1
is_trace "$t"
exits 0 "$SWTRACE" run -o "$t" "$WRITER" hooks 3 && same "hooks" "$(summary hooks)" 3
exits 0 "$SWTRACE" run -s 1 -t wrap -ss 16 --compress none -o "$t" -- "$WRITER" hooks 200000
same "wrapped" "$(($(summary hooks) + $(summary overwritten)))" 200000
exits 7 "$SWTRACE" run -o "$t" -- "$WRITER" status 7
exits 0 "$SWTRACE" run -o "$t" -- true && same "no hooks" "$(summary hooks)" 0
says "$err" '^swtrace run: true wrote no hooks: check that it is linked with libswtrace'
same "lines" "$(wc -l <"$err")" 2
# A full ring keeps the first hooks: the command says so, and so does the reader of the file.
exits 0 "$SWTRACE" run -s 1 -o "$t" -- "$WRITER" hooks 100000
accepted=$(cat "$out")
filled="the buffers filled: kept the first $accepted hooks, lost $((100000 - accepted)): swtrace record"
says "$err" "^swtrace run: $filled"
same "lines" "$(wc -l <"$err")" 2
if [ -x "$CPIDECODE" ]; then
	exits 0 "$CPIDECODE" --report hooks "$t" && says "$err" "t.bin: $filled"
fi
is_trace "$t"
exits 143 "$SWTRACE" run -o "$t" -- "$WRITER" signal 15
exits 137 "$SWTRACE" run -o "$t" -- "$WRITER" signal 9
(cd "$dir/run" && exec "$SWTRACE" run -- true) 2>"$err"
is_trace "$dir/run/swtrace.bin"
exits 0 "$SWTRACE" run -o - -- "$WRITER" hooks 0 8
tail -c +3 "$out" >"$dir/run/stdout.bin"
is_trace "$dir/run/stdout.bin"

# The command's own arguments are its own.
exits 3 "$SWTRACE" run -o "$t" sh -c 'exit 3' -o x
exits 0 "$SWTRACE" run -o "$t" -- sh -c 'test -d "$SWTRACE_SESSION"'
exits 0 "$SWTRACE" run -o "$t" -- "$SWTRACE" info && says "$out" '^tracing  *on'
exits 0 "$SWTRACE" run -o "$t" -- "$SWTRACE" off
exits 1 "$SWTRACE" run -o "$t" -- "$SWTRACE" free

# A process that goes on when the command has ended is no longer traced.
for verb in run record; do
	exits 0 "$SWTRACE" $verb -o "$t" -- sh -c \
		'"$1" wait & echo $! >"$2"; until grep -q ready "$3"; do sleep 0.01; done' \
		sh "$WRITER" "$dir/run/pid" "$out"
	kill "$(cat "$dir/run/pid")"
	says "$err" "^swtrace $verb: the command has ended, 1 process .* goes on, untraced: swtrace on"
done

# Commands that cannot be run, files that cannot be written.
refuses 127 "$SWTRACE" run -o "$t" -- no-such-command-here
refuses 127 "$SWTRACE" run -o "$t" -- ./no/such/command
echo text >"$dir/run/text"
refuses 126 "$SWTRACE" run -o "$t" -- "$dir/run/text"
refuses 126 "$SWTRACE" run -o "$t" -- "$dir"
refuses 1 "$SWTRACE" run -o "$dir/no/t.bin" -- touch "$dir/run/ran"
[ -e "$dir/run/ran" ] && fail "ran without a place for its dump" || pass

# A dump that cannot be written does not cost the trace.
kept() # the directory that the last run named
{
	sed -n 's/.*the trace is kept: SWTRACE_SESSION=\([^ ]*\) .*/\1/p' "$err"
}
if [ -c /dev/full ]; then
	exits 1 "$SWTRACE" run -o /dev/full -- "$WRITER" hooks 50
	says "$err" 'No space'
	k=$(kept)
	exits 0 "$SWTRACE" run -o "$t" -- true # its sweep leaves the kept one alone
	exits 0 env SWTRACE_SESSION="$k" "$SWTRACE" dump "$t" && same "kept" "$(summary hooks)" 50
	rm -rf "$k"
	exits 5 "$SWTRACE" run -o /dev/full -- "$WRITER" status 5
	rm -rf "$(kept)"
fi
same "private sessions left" "$(left_over)" "$before"

# Commands say in this file that they run, and some end when it is gone.
ready=$dir/run/ready
until_ready() {
	until_true '[ -e "$ready" ]'
}

# A signal to `run` goes to the command, and the dump is written.
for signal in TERM INT HUP; do
	if ! env --default-signal=INT,HUP true 2>/dev/null; then
		skip "SIG$signal to run: env is too old"
		continue
	fi
	rm -f "$t" "$ready"
	# A shell's background jobs ignore SIGINT otherwise, those of nohup SIGHUP.
	env --default-signal=INT,HUP "$SWTRACE" run -s 1 -o "$t" -- \
		sh -c 'trap "exit 44" TERM INT HUP; : >"$0"; while :; do sleep 0.1; done' \
		"$ready" >"$out" 2>"$err" &
	pid=$!
	pids="$pids $pid"
	until_ready
	kill -$signal $pid
	wait $pid
	same "after SIG$signal" $? 44
	is_trace "$t"
done

# A killed run's session is removed by the next run, once no process uses it.
rm -f "$ready"
setsid "$SWTRACE" run -s 1 -o "$t" -- sh -c ': >"$0"; exec sleep 10' "$ready" \
	>"$out" 2>"$err" &
pid=$!
pids="$pids $pid"
until_ready
kill -KILL $pid
wait $pid 2>/dev/null
same "left by the killed" "$(left_over)" $((before + 1))
for stale in /dev/shm/swtrace."$(id -u)".run.*; do
	touch -c -d '1 hour ago' "$stale"
done
rm -f "$ready"
setsid "$SWTRACE" run -s 1 -o "$t.alive" -- \
	sh -c ': >"$0"; while [ -e "$0" ]; do sleep 0.1; done' "$ready" >"$out" 2>"$err" &
alive=$!
until_ready
for mine in /dev/shm/swtrace."$(id -u)".run.*; do
	touch -c -d '1 hour ago' "$mine"
done
# On a busy machine the killed one's command takes its time.
exits 0 "$SWTRACE" run -o "$t" -- true
until_true '[ "$(left_over)" -le $((before + 1)) ] || { "$SWTRACE" run -o "$t" -- true; false; }'
same "one that is alive stays" "$(left_over)" $((before + 1))
rm "$ready"
wait $alive
same "its own end" $? 0
same "nothing left" "$(left_over)" "$before"
