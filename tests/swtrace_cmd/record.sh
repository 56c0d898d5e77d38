# record: continuous mode in the foreground, with a command and without.
. "$(dirname "$0")/decode.sh"
mkdir "$dir/record"
t=$dir/record/t.bin
unset SWTRACE_SESSION
export WRITER SWTRACE # for what sh -c runs

# ------------------------------------------------------------------ with a command
exits 0 "$SWTRACE" record -s 1 -o "$t" -- "$WRITER" paced 5000
same "accepted" "$(cat "$out")" 5000
same "hooks" "$(final hooks)" 5000
same "lost" "$(final lost)" 0
is_trace "$t"
holds 5000 "$t"
# More than a ring holds, in two halves: the drain may be late.
exits 0 "$SWTRACE" record -s 1 -ss 16 --compress zlib -o "$t" sh -c '
	"$WRITER" paced 15000
	for _ in $(seq 1200); do
		written=$("$SWTRACE" info --json | sed -n "s/.*\"written_hooks\": \([0-9]*\).*/\1/p")
		[ "$written" -gt 14000 ] && break
		sleep 0.05
	done
	"$WRITER" paced 15000 15000'
holds 30000 "$t"
# Several threads compress; one writes.
exits 0 "$SWTRACE" record -s 1 -ss 16 --drain-threads 3 -o "$t" sh -c '
	"$WRITER" paced 5000 && ls /proc/$PPID/task | wc -l'
same "threads of the drain" "$(tail -n 1 "$out")" 3
holds 5000 "$t"
is_trace "$t"
exits 0 "$SWTRACE" record -s 4 --compress none --rotate 1M -o "$t" -- "$WRITER" paced 60000
holds 60000 "$t" "$t".*
rm -f "$t".*
exits 0 "$SWTRACE" record -o "$t" -- true && same "no hooks" "$(final hooks)" 0
says "$err" '^swtrace record: true wrote no hooks: check that it is linked with libswtrace'
is_trace "$t"
exits 7 "$SWTRACE" record -o "$t" -- "$WRITER" status 7
exits 143 "$SWTRACE" record -o "$t" -- "$WRITER" signal 15
(cd "$dir/record" && exec "$SWTRACE" record -- "$WRITER" paced 10) >"$out" 2>"$err"
is_trace "$dir/record/swtrace.bin"
exits 3 "$SWTRACE" record -o "$t" sh -c 'exit 3' -o x
exits 0 "$SWTRACE" record -o "$t" -- sh -c 'test -d "$SWTRACE_SESSION" && echo "$SWTRACE_SESSION"'
[ -n "$(cat "$out")" ] && [ ! -e "$(cat "$out")" ] && pass || fail "$(cat "$out") is left"
exits 0 "$SWTRACE" record -o "$t" -- "$SWTRACE" info && says "$out" '^drain  *running'
# A command that cannot be run leaves the older trace.
echo old >"$dir/record/old.bin"
echo text >"$dir/record/text"
refuses 127 "$SWTRACE" record -o "$dir/record/old.bin" -- no-such-command-here
refuses 127 "$SWTRACE" record -o "$dir/record/old.bin" -- ./no/such/command
refuses 126 "$SWTRACE" record -o "$dir/record/old.bin" -- "$dir"
refuses 126 "$SWTRACE" record -o "$dir/record/old.bin" -- "$dir/record/text"
same "the older trace" "$(cat "$dir/record/old.bin")" old
# Found, but no program: only running it tells.
chmod +x "$dir/record/text"
printf '#!/no/such/interpreter\n' >"$dir/record/text"
exits 127 "$SWTRACE" record -o "$t" -- "$dir/record/text"
is_trace "$t"
refuses 1 "$SWTRACE" record -o "$dir/no/t.bin" -- touch "$dir/record/ran"
refuses 1 "$SWTRACE" record -o "$dir" -- touch "$dir/record/ran"
[ -e "$dir/record/ran" ] && fail "ran without a place for its trace" || pass

# A program that chooses what is traced, and a script that does.
exits 0 "$SWTRACE" record -s 1 -o "$t" -- "$WRITER" phases
holds 300 "$t"
is_trace "$t"
exits 0 "$SWTRACE" record -s 1 -o "$t" -- sh -c '
	"$WRITER" paced 100 && "$SWTRACE" off && "$WRITER" paced 100 1000 && "$SWTRACE" on &&
		"$WRITER" paced 100 100 && "$SWTRACE" off'
holds 200 "$t"
exits 0 "$SWTRACE" record -o "$t" -- "$SWTRACE" free
is_trace "$t"

# --duration: the recording ends, the command does not.
exits 0 "$SWTRACE" record --duration 1s -s 24 -o "$t" -- \
	sh -c '"$0" paced 400000 >/dev/null; echo done' "$WRITER"
same "the command's end" "$(cat "$out")" "done"
same "lost" "$(final lost)" 0
recorded=$(final hooks)
[ "$recorded" -gt 0 ] && [ "$recorded" -lt 400000 ] && pass || fail "$recorded hooks in 1 s of 2 s"
is_trace "$t"
holds "$recorded" "$t"
exits 0 "$SWTRACE" record --duration=60 -o "$t" -- "$WRITER" paced 10
holds 10 "$t"

# --strict: losses set the exit code. A stopped drain loses hooks.
strict()
{
	# shellcheck disable=SC2086 # none, or one
	exits "$1" "$SWTRACE" record $2 -s 1 -ss 4 -o "$t" -- sh -c '
		kill -STOP $PPID
		"$WRITER" hooks 100000
		kill -CONT $PPID'
	accepted=$(cat "$out")
	same "hooks" "$(final hooks)" "$accepted"
	same "lost" "$(final lost)" $((100000 - accepted))
	[ "$(final lost)" -gt 0 ] && pass || fail "nothing was lost"
	is_trace "$t"
}
strict 0 ""
strict 3 --strict
exits 0 "$SWTRACE" record --strict -o "$t" -- "$WRITER" paced 100

# ------------------------------------------------------------------------ a full disk
mkdir "$dir/small"
if [ "$(id -u)" -ne 0 ] || ! mount -t tmpfs -o size=1m,mode=755 tmpfs "$dir/small" 2>/dev/null; then
	skip "a recording to a full disk: mounting a small one needs root"
	rmdir "$dir/small"
else
	f=$dir/small/t.bin
	exits 1 "$SWTRACE" record -s 4 -ss 16 --compress none -o "$f" -- "$WRITER" paced 60000
	says "$err" 'No space left on device.*; tracing was turned off'
	same "lost to a full ring" "$(sed -n 's/.*(full \([0-9]*\),.*/\1/p' "$err")" 0
	unwritten=$(sed -n 's/.* unwritten \([0-9]*\),.*/\1/p' "$err")
	[ "$unwritten" -gt 0 ] && pass || fail "no hook was left unwritten"
	is_trace "$f"
	exits 3 "$CPIDECODE" --strict --report hooks "$f"
	says "$err" "t.bin: $unwritten hooks* lost ($unwritten unwritten)"
	umount "$dir/small"
	rmdir "$dir/small"
fi

# ------------------------------------------------------------------ standard output
"$SWTRACE" record -s 1 -o - -- "$WRITER" paced 2000 >"$dir/record/stdout.bin" 2>"$err"
same "to standard output" $? 0
is_trace "$dir/record/stdout.bin"
holds 2000 "$dir/record/stdout.bin"
says "$err" '^2000$'
"$SWTRACE" record -s 1 -o - -- "$WRITER" paced 2000 2>"$err" | cat >"$dir/record/pipe.bin"
holds 2000 "$dir/record/pipe.bin"
{
	"$SWTRACE" record --compress none -s 1 -o - -- "$WRITER" paced 60000 2>"$err"
	echo $? >"$dir/code"
} | head -c 1000 >/dev/null
same "closed pipe" "$(cat "$dir/code")" 1
same "a closed pipe is no complaint" "$(grep -c 'Broken pipe' "$err")" 0

# ------------------------------------------------------------------------ failures
limited()
{
	(
		ulimit -f 46000 # 23 MB in dash's blocks: the session fits, the trace does not
		exec "$SWTRACE" record -s 1 -ss 16 --compress none -o "$t" -- "$@"
	) >"$out" 2>"$err"
}
limited sh -c '"$0" paced 600000; echo done' "$WRITER"
same "file size limit" $? 1
says "$err" 'File too large'
says "$out" '^done$'
same "hooks" "$(final hooks)" "$(hooks_in "$t")"
is_trace "$t"
limited sh -c '"$0" paced 600000 >/dev/null; exit 9' "$WRITER"
same "the command's own status" $? 9

# --------------------------------------------------------------- without a command
fresh
refuses 1 "$SWTRACE" record -o "$dir/no/t.bin"
"$WRITER" paced 100000000 >/dev/null &
writer=$!
pids="$pids $writer"
# It looks for a session once a second.
"$SWTRACE" record -o "$t" >"$out" 2>"$dir/record.err" &
recorder=$!
pids="$pids $recorder"
until_true '[ "$(number written)" -gt 0 ]'
kill -TERM $recorder
wait $recorder
same "record beside a running program" $? 0
cp "$dir/record.err" "$err"
is_trace "$t"
[ "$(final hooks)" -gt 0 ] && pass || fail "a running program wrote nothing"
same "hooks" "$(final hooks)" "$(hooks_in "$t")"
kill $writer
wait $writer 2>/dev/null
exits 0 "$SWTRACE" info && says "$out" 'no buffers'

# recorded SIGNAL ...: record in the background until these signals come; leaves its code.
recorded()
{
	env --default-signal=INT,QUIT "$SWTRACE" record -s 1 -o "$t" >"$out" 2>"$err" &
	recorder=$!
	pids="$pids $recorder"
	until_true '"$SWTRACE" info | grep -q "^tracing  *on"'
	"$WRITER" paced 3000 >"$dir/accepted"
	for signal; do
		kill -"$signal" $recorder 2>/dev/null
	done
	wait $recorder
}
if env --default-signal=INT,QUIT true 2>/dev/null; then
	for signals in INT TERM HUP QUIT "INT INT INT INT" "INT TERM"; do
		fresh
		# shellcheck disable=SC2086 # a list
		recorded $signals
		same "record after $signals" $? 0
		is_trace "$t"
		holds 3000 "$t"
		exits 0 "$SWTRACE" info && says "$out" 'no buffers'
	done
else
	skip "signals to record: env is too old"
fi

# Others turn it off, or free it.
for verb in off free; do
	fresh
	"$SWTRACE" record -s 1 -o "$t" >"$out" 2>"$dir/record.err" &
	recorder=$!
	pids="$pids $recorder"
	until_true '"$SWTRACE" info | grep -q "^tracing  *on"'
	"$WRITER" paced 1000 >/dev/null
	"$SWTRACE" $verb 2>"$err"
	same "$verb while record runs" $? 0
	same "$verb: hooks" "$(final hooks)" 1000
	wait $recorder
	same "record after $verb" $? 0
	holds 1000 "$t"
done

# A killed record: info says so, off finishes the file.
fresh
"$SWTRACE" record -s 1 -o "$t" >"$out" 2>"$err" &
recorder=$!
until_true '"$SWTRACE" info | grep -q "^tracing  *on"'
"$WRITER" paced 1000 >/dev/null
kill -KILL $recorder
wait $recorder 2>/dev/null
"$WRITER" paced 1000 1000 >/dev/null
same "killed" "$(field state)" killed
refuses 1 "$SWTRACE" record -o "$t" && says "$err" 'on already'
exits 0 "$SWTRACE" off
holds 2000 "$t"
exits 0 "$SWTRACE" record --duration 1ms -s 1 -o "$dir/record/other.bin"

# An older trace is not given up unasked.
fresh
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" record --duration 1ms -o "$t" # nothing was in it
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" on
exits 0 "$WRITER" hooks 5
refuses 1 "$SWTRACE" record -o "$t" && says "$err" 'on already'
exits 0 "$SWTRACE" off
refuses 1 "$SWTRACE" record -o "$t" && says "$err" 'earlier trace'
same "the older hooks" "$(number hooks)" 5
exits 0 "$SWTRACE" record --force --duration 1ms -o "$t"
exits 0 "$SWTRACE" info && says "$out" 'no buffers'

# The next record removes what a killed one with a command left.
unset SWTRACE_SESSION
setsid "$SWTRACE" record -s 1 -o "$t" -- sh -c 'echo "$SWTRACE_SESSION"; exec sleep 10' \
	>"$dir/private" 2>"$err" &
recorder=$!
pids="$pids $recorder"
until_true '[ -s "$dir/private" ]'
kill -KILL $recorder
wait $recorder 2>/dev/null
private=$(cat "$dir/private")
[ -d "$private" ] && pass || fail "$private: a killed record removed its session"
touch -c -d '1 hour ago' "$private"
# Its command may take a while to end.
until_true '"$SWTRACE" record -s 1 -o "$t" -- true && [ ! -e "$private" ]'

# The line on a terminal.
if command -v script >/dev/null; then
	script -qec "'$SWTRACE' record -s 20 -o '$t' -- '$WRITER' paced 300000" /dev/null \
		>"$out" 2>"$err" </dev/null
	says "$out" 'hooks/s'
	says "$out" '300000 hooks, '
else
	skip "the line on a terminal: no script(1)"
fi
