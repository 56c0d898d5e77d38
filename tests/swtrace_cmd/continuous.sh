# Continuous mode: init -t cont, and what on, off, info, dump and free do with the drain.
. "$(dirname "$0")/decode.sh"
mkdir "$dir/cont"
t=$dir/cont/t.bin

# begin INIT-OPTION ...: a fresh session whose drain runs.
begin()
{
	rm -f "$t" "$t".*
	fresh
	exits 0 "$SWTRACE" init -t cont -f "$t" "$@"
	exits 0 "$SWTRACE" on
}

# ----------------------------------------------------------------------- its life
fresh
refuses 1 "$SWTRACE" init -t cont -f "$dir/cont" && says "$err" 'directory'
refuses 1 "$SWTRACE" init -t cont -f "$dir/no/t.bin"
refuses 1 "$SWTRACE" init -t cont -f /dev/null --rotate 1M && says "$err" 'rotated'
mkfifo "$dir/cont/fifo"
refuses 1 "$SWTRACE" init -t cont -f "$dir/cont/fifo" && says "$err" 'FIFO'
[ -e "$SWTRACE_SESSION" ] && fail "a failed init made a session" || pass
(cd "$dir/cont" && exec "$SWTRACE" init -t cont -s 1 -ss 16 -f t.bin) 2>"$err"
same "a relative name" "$(field file)" "$t"
exits 0 "$SWTRACE" info && says "$out" '^mode  *cont$' && says "$out" '^drain  *none'
[ -e "$t" ] && fail "init made the file" || pass
# A reader of its output does not wait for the drain's end.
same "on lets go of its output" "$(timeout 60 "$SWTRACE" on 2>&1 && echo on)" on
same "drain" "$(field state)" running
pid=$(field pid)
same "its directory" "$(readlink "/proc/$pid/cwd")" /
same "its own session" "$(ps -o sid= -p "$pid" | tr -d ' ')" \
	"$(ps -o pgid= -p "$pid" | tr -d ' ')"
[ "$(ps -o sid= -p "$pid" | tr -d ' ')" != "$(ps -o sid= -p $$ | tr -d ' ')" ] && pass ||
	fail "the drain is in our session"
exits 0 "$SWTRACE" info && says "$out" "^drain  *running (process $pid)" &&
	says "$out" "^file  *$t\$"
exits 0 "$WRITER" paced 5000
same "accepted" "$(cat "$out")" 5000
same "attempted while it runs" "$(number attempted)" 5000
refuses 1 "$SWTRACE" on && says "$err" 'on already'
refuses 1 "$SWTRACE" init && says "$err" 'swtrace off'
exits 0 "$SWTRACE" dump "$dir/cont/dump.bin"
is_trace "$dir/cont/dump.bin"
exits 0 "$SWTRACE" off
same "hooks" "$(final hooks)" 5000
same "lost" "$(final lost)" 0
same "torn" "$(final torn)" 0
is_trace "$t"
holds 5000 "$t"
# Without a reaper of orphans it stays a zombie.
until_true '! kill -0 $pid || grep -q "State:.Z" /proc/$pid/status'
same "drain" "$(field state)" finished
same "written" "$(number written)" 5000
same "attempted" "$(number attempted)" 5000
same "nothing waits" "$(field waiting_bytes)" 0
refuses 1 "$SWTRACE" off && says "$err" 'not on'

# The same rings, on again: the same trace goes on.
exits 0 "$SWTRACE" on
exits 0 "$WRITER" paced 3000 5000
exits 0 "$SWTRACE" off
same "hooks of both" "$(final hooks)" 8000
is_trace "$t"
holds 8000 "$t"
same "attempted" "$(number attempted)" 8000

# free ends a recording in order.
exits 0 "$SWTRACE" on
exits 0 "$WRITER" paced 1000 8000
exits 0 "$SWTRACE" free
same "hooks at free" "$(final hooks)" 9000
holds 9000 "$t"
exits 0 "$SWTRACE" info && says "$out" 'no buffers'

# ------------------------------------------------------------------ a killed drain
begin -s 4 -ss 16
"$WRITER" paced 60000 >"$dir/accepted" &
writer=$!
pids="$pids $writer"
for goal in 5000 10000 15000; do
	until_true '[ "$(number written)" -gt $goal ]'
	kill -KILL "$(field pid)"
	until_true '[ "$(field state)" = killed ]'
	exits 0 "$SWTRACE" info && says "$out" 'swtrace on resumes it'
	"$SWTRACE" doctor >"$out" 2>"$err"
	says "$out" 'no drain runs there'
	exits 0 "$SWTRACE" on && says "$err" 'a new one resumed '
	same "drain" "$(field state)" running
done
wait $writer
same "accepted" "$(cat "$dir/accepted")" 60000
exits 0 "$SWTRACE" off
same "hooks" "$(final hooks)" 60000
is_trace "$t"
holds 60000 "$t"
same "attempted" "$(number attempted)" 60000

# off and free end what a killed one left.
for verb in off free; do
	begin -s 1
	exits 0 "$WRITER" paced 2000
	kill -KILL "$(field pid)"
	until_true '[ "$(field state)" = killed ]'
	exits 0 "$WRITER" paced 2000 2000
	same "attempted" "$(number attempted)" 4000
	exits 0 "$SWTRACE" $verb && says "$err" 'finished'
	is_trace "$t"
	holds 4000 "$t"
done

# Killed where the machine goes down: in order.
begin -s 1
exits 0 "$WRITER" paced 2000
kill -TERM "$(field pid)"
until_true '[ "$(field state)" = finished ]'
exits 0 "$SWTRACE" info && says "$out" '^tracing  *off'
is_trace "$t"
holds 2000 "$t"

# ------------------------------------------------------------------------ rotation
begin -s 4 --rotate 1M --compress none
exits 0 "$WRITER" paced 60000
exits 0 "$SWTRACE" off
same "rotations" "$(final rotations)" "$(ls "$t".* | wc -l | tr -d ' ')"
[ "$(final rotations)" -ge 3 ] && pass || fail "$(final rotations) rotations of 3.4 MB by 1M"
for part in "$t" "$t".*; do
	is_trace "$part"
	[ "$(hooks_in "$part")" -gt 0 ] && pass || fail "$part alone: no hooks"
done
holds 60000 "$t" "$t".*
newest=$(minors "$t.1" | sort -n | tail -n 1) second=$(minors "$t.2" | sort -n | tail -n 1)
[ "$newest" -gt "$second" ] && pass || fail "$t.1 is not newer than $t.2"
begin -s 8 --rotate=1M --keep 2 --compress=none --drain-threads 2
exits 0 "$WRITER" paced 120000
exits 0 "$SWTRACE" off
same "kept" "$(cd "$dir/cont" && echo t.bin*)" "t.bin t.bin.1 t.bin.2"
same "hooks, those of removed files too" "$(final hooks)" 120000

# ------------------------------------------------------------------------ failures
begin -s 1
exits 0 "$SWTRACE" off
mv "$dir/cont" "$dir/moved"
refuses 1 "$SWTRACE" on
exits 0 "$SWTRACE" info && says "$out" '^tracing  *off'
mv "$dir/moved" "$dir/cont"
exits 0 "$SWTRACE" on
exits 0 "$SWTRACE" free

# A file that may not grow: tracing goes off, the file is whole, nothing is unaccounted for.
rm -f "$t"
fresh
exits 0 "$SWTRACE" init -t cont -f "$t" -s 4 -ss 16 --compress none
(
	ulimit -f 2000 # about 1 MB, in dash's blocks
	exec "$SWTRACE" on
) 2>"$err"
exits 0 "$WRITER" paced 60000
until_true '[ "$(field state)" = failed ]'
exits 0 "$SWTRACE" info && says "$out" '^tracing  *off' && says "$out" '^drain  *failed: .*t.bin'
is_trace "$t"
in_file=$(hooks_in "$t")
same "written" "$(number written)" "$in_file"
unwritten=$(field lost_unwritten)
# The rings are large enough to hold all that there was.
exits 0 "$SWTRACE" dump "$dir/cont/dump.bin"
same "attempted" "$(number attempted)" "$(hooks_in "$dir/cont/dump.bin")"
same "written + unwritten + in the buffers" "$((in_file + unwritten + $(number hooks)))" \
	"$(number attempted)"
[ "$unwritten" -gt 0 ] && pass || fail "nothing was lost"
refuses 1 "$SWTRACE" off && says "$err" 'drain failed'
# Room was made.
exits 0 "$SWTRACE" on
same "drain" "$(field state)" running
exits 0 "$WRITER" paced 1000 100000
exits 0 "$SWTRACE" off
is_trace "$t"
same "the hooks since" "$(minors "$t" | awk '$1 >= 100000' | wc -l | tr -d ' ')" 1000
exits 0 "$SWTRACE" free

if [ -c /dev/full ]; then
	rm -f "$t"
	fresh
	exits 0 "$SWTRACE" init -t cont -f /dev/full -s 1
	refuses 1 "$SWTRACE" on && says "$err" 'No space'
	exits 0 "$SWTRACE" info && says "$out" '^tracing  *off'
	exits 0 "$SWTRACE" free
fi

# A drain that is stopped: off does not wait for ever, and can be called again.
begin -s 1
exits 0 "$WRITER" paced 2000
pid=$(field pid)
kill -STOP "$pid"
refuses 1 "$SWTRACE" off && says "$err" 'nothing for 10 s'
refuses 1 "$SWTRACE" init && says "$err" 'still finishes'
"$SWTRACE" off >"$out" 2>"$err" &
waiter=$!
until_true 'grep -q "(swtrace) S" /proc/$waiter/stat' # it waits for the drain
kill -CONT "$pid"
wait $waiter
same "the second off" $? 0
same "hooks" "$(final hooks)" 2000
holds 2000 "$t"

# Another mode takes no drain along.
exits 0 "$SWTRACE" init -t wrap -s 1
exits 0 "$SWTRACE" on
exits 0 "$SWTRACE" info --json
grep -q '"drain"' "$out" && fail "wrap mode has a drain" || pass
exits 0 "$SWTRACE" free
