# trigger: dumps around an event, while tracing goes on.
. "$(dirname "$0")/decode.sh"
INTERVALS=${INTERVALS:-$BUILD/tests/swtrace_cmd/swtrace_intervals}
mkdir "$dir/trigger"
t=$dir/trigger/t.bin
fresh

# watched ARGUMENTS: a trigger in the background that watches; its output in "$said" and "$told".
said=$dir/trigger/said told=$dir/trigger/told
watched()
{
	: >"$told" # so that the last one's is not taken for this one's
	"$SWTRACE" trigger "$@" >"$said" 2>"$told" </dev/null &
	watcher=$!
	pids="$pids $watcher"
	until_true 'grep -q watching "$told"'
}

# ended CODE: it ends by itself, with that code.
ended()
{
	wait $watcher
	same "the trigger's exit code ($(tail -n 1 "$told"))" $? "$1"
}

session()
{
	fresh
	exits 0 "$SWTRACE" init -s 1 -t "$1"
	exits 0 "$SWTRACE" on
}

# labels FILE: how many intervals "slow request" are in it.
slow_ones()
{
	"$CPIDECODE" --report intervals --format csv --label 'slow*' "$1" 2>/dev/null | grep -c slow
}

# ---------------------------------------------------------- what cannot be watched
refuses 1 "$SWTRACE" trigger --when tid=1 -o "$t"
exits 0 "$SWTRACE" install
refuses 1 "$SWTRACE" trigger --when tid=1 -o "$t" && says "$err" 'swtrace init'

while read -r condition; do
	exits 2 "$SWTRACE" trigger --when "$condition" -o "$t"
	says "$err" '--when: at column [0-9]*.*: expected '
	says "$err" '^ *^$' # below the condition
	same "lines on stderr" "$(wc -l <"$err" | tr -d ' ')" 3
done <<'TABLE'
label
label>x
label=[a
elapsed>10
elapsed>ten ms
tid=1 and
(tid=1
tid=1)
colour=red
major=256
TABLE
refuses 2 "$SWTRACE" trigger
refuses 2 "$SWTRACE" trigger -o "$t"
refuses 2 "$SWTRACE" trigger --when tid=1 extra
for wrong in "--after x" "--after -1" "--count x" "--count -1" "--timeout 0" "--timeout x" \
	"--keep 0" "--keep x" "--compress gzip" "-o -" "-x"; do
	# A list: split.
	refuses 2 "$SWTRACE" trigger --when tid=1 $wrong
done
refuses 2 "$SWTRACE" trigger --when tid=1 -o ''

# --------------------------------------------------------------- one slow interval
for mode in wrap norm; do
	session $mode
	rm -f "$t"*
	watched --when 'label=slow* and elapsed>10ms' --after 300ms --timeout 60 -o "$t"
	exits 0 "$INTERVALS" 200 20 100
	ended 0
	same "$mode: lines said" "$(wc -l <"$said" | tr -d ' ')" 1
	says "$said" '^label "slow request", elapsed [0-9.]* ms, thread [0-9]* ("swtrace_interva", process [0-9]*), CPU [0-9]*, at 20'
	is_trace "$t"
	same "$mode: slow intervals in the dump" "$(slow_ones "$t")" 1
	after=$(hooks_in "$t")
	[ "$after" -gt 0 ] && pass || fail "$mode: no hook after the event is in the dump"
	[ -e "$t.1" ] && fail "$mode: dumped twice" || pass
	exits 0 "$CPIDECODE" --report info "$t"
	says "$out" '^  trigger  *label=slow\* and elapsed>10ms$'
	says "$out" '^  trigger match label "slow request", elapsed '
	# The window holds the interval, whole.
	exits 0 "$CPIDECODE" --report intervals --format csv --label 'slow*' \
		$(sed -n 's/^  trigger window *//p' "$out") "$t"
	same "$mode: in the window" "$(wc -l <"$out" | tr -d ' ')" 2
done
# How far back the buffers reach, where that is asked for.
session wrap
rm -f "$t"*
watched --when 'label=slow*' --before 1ns --after 0 --timeout 60 -o "$t"
exits 0 "$INTERVALS" 5 20 10
ended 0
exits 0 "$CPIDECODE" --report info "$t"
says "$out" '^  trigger before 1 of 1 ns$'
grep -q 'before the event' "$told" && fail "reported a window that is there as missing" || pass
watched --when 'label=slow*' --before 2h --after 0 --timeout 60 -o "$t"
exits 0 "$WRITER" hooks 200000
exits 0 "$INTERVALS" 5 20 10
ended 0
says "$told" 'of the 7200.000 s before the event that --before asks for, the buffers still had [0-9.]* s ([0-9]* %)'
# Tracing goes on.
exits 0 "$SWTRACE" info && says "$out" '^tracing  *on'

# Older events do not match.
exits 1 "$SWTRACE" trigger --when 'label=slow*' --timeout 200ms -o "$dir/trigger/none.bin"
says "$err" "nothing matched in time: label=slow"
[ -e "$dir/trigger/none.bin" ] && fail "dumped what was old" || pass

# ----------------------------------------------------------------------- no match
session wrap
watched --when 'label=slow* and elapsed>10s' --timeout 700ms -o "$dir/trigger/none.bin"
exits 0 "$INTERVALS" 50 20 20
ended 1
says "$told" 'nothing matched in time'
same "said" "$(cat "$said")" ""
[ -e "$dir/trigger/none.bin" ] && fail "dumped without a match" || pass

# ------------------------------------------------------------- several, and older ones
# It passes over what comes between a match and its dump: intervals come until it has its three.
until_ended()
{
	while kill -0 $watcher 2>/dev/null; do
		"$INTERVALS" 5 20 10 >/dev/null
	done
	ended 0
}
rm -f "$t"*
watched --when 'label=slow*' --after 20ms --count 3 --timeout 60 -o "$t"
until_ended
same "lines said" "$(wc -l <"$said" | tr -d ' ')" 3
same "files" "$(cd "$dir/trigger" && echo t.bin*)" "t.bin t.bin.1 t.bin.2"
for file in "$t" "$t.1" "$t.2"; do
	is_trace "$file"
done
[ "$(slow_ones "$t.2")" -lt "$(slow_ones "$t")" ] && pass || fail "t.bin is not the newest"
watched --when 'label=slow*' --after 0 --count 3 --keep 1 --timeout 60 -o "$dir/trigger/k.bin"
until_ended
same "kept" "$(cd "$dir/trigger" && echo k.bin*)" "k.bin k.bin.1"
watched --when 'label=slow*' --after 20ms --count 3 --timeout 6 -o "$t"
exits 0 "$INTERVALS" 5 20 1
ended 1
says "$told" 'only 1 of 3'

# ------------------------------------------------------------------- other fields
for condition in 'comm=swtrace_int* and major=0x22' 'mm=2 and cpi>=0 or elapsed>=20ms and mm=2' \
	'not (label=* or major=0x22) or label="slow request"' 'minor=3 and major=0x22'; do
	rm -f "$t"*
	watched --when "$condition" --after 0 --timeout 60 -o "$t"
	exits 0 "$INTERVALS" 5 25 10
	ended 0
	same "$condition: lines said" "$(wc -l <"$said" | tr -d ' ')" 1
done
# The label of a light interval is a number in its hook.
rm -f "$t"*
watched --when 'label=light*' --after 0 --timeout 60 -o "$t"
exits 0 "$INTERVALS" 0 0 0 0
ended 0
says "$said" '^label "light request", elapsed '
session norm
watched --when 'lost>0' --after 0 --timeout 60 -o "$t"
exits 0 "$WRITER" hooks 200000
ended 0
says "$said" 'hooks were lost\|^major'

# ------------------------------------------------------------- a writer that is faster
session wrap
watched --when 'label=never' --timeout 1s -o "$t"
exits 0 "$WRITER" hooks 3000000
ended 1
grep -q 'hooks were overwritten before' "$told" && pass ||
	skip "overwritten before they were checked: the watch was fast enough"

# ------------------------------------------------------------- signals, and ends
session wrap
for signal in TERM HUP; do
	watched --when 'label=never' -o "$t"
	kill -$signal $watcher
	ended $((128 + $(kill -l $signal 2>/dev/null | grep '^[0-9]*$' || case $signal in TERM) echo 15 ;; *) echo 1 ;; esac)))
	watched --when 'label=never' --count 0 -o "$t"
	kill -$signal $watcher
	ended 0
done
# While it waits for what follows: the dump comes at once.
rm -f "$t"*
watched --when 'label=slow*' --after 1h -o "$t"
exits 0 "$INTERVALS" 5 20 50
# Each pause is a voluntary switch: after three more it has looked once since.
slept()
{
	awk '$1 == "voluntary_ctxt_switches:" { print $2 }' /proc/$watcher/status
}
before=$(slept)
until_true '[ "$(slept)" -ge $((before + 3)) ]'
kill -TERM $watcher
ended 0
is_trace "$t"
same "slow intervals in it" "$(slow_ones "$t")" 1

for verb in free init; do
	session wrap
	rm -f "$t"*
	watched --when 'label=slow*' --after 0 --timeout 60 -o "$t"
	exits 0 "$SWTRACE" off
	if [ $verb = free ]; then
		exits 0 "$SWTRACE" free
		ended 1
		cp "$told" "$err"
		says "$told" 'were freed'
	else
		exits 0 "$SWTRACE" init -s 1 -t wrap
		until_true 'grep -q "new trace buffers" "$told"'
		exits 0 "$SWTRACE" on
		exits 0 "$INTERVALS" 5 20 5
		ended 0
		is_trace "$t"
	fi
done
session wrap
exits 0 "$SWTRACE" off
watched --when 'label=slow*' --after 0 --timeout 60 -o "$t"
says "$told" 'tracing is off'
exits 0 "$SWTRACE" on
exits 0 "$INTERVALS" 5 20 5
ended 0

# ------------------------------------------------------------------ where it goes
refuses 1 "$SWTRACE" trigger --when tid=1 -o "$dir/no/t.bin"
refuses 1 "$SWTRACE" trigger --when tid=1 -o "$dir"
[ -c /dev/null ] && refuses 1 "$SWTRACE" trigger --when tid=1 -o /dev/null
mkdir "$dir/trigger/gone"
watched --when 'label=slow*' --after 0 --timeout 60 -o "$dir/trigger/gone/t.bin"
rmdir "$dir/trigger/gone"
exits 0 "$INTERVALS" 5 20 5
ended 1
says "$told" 'gone/t.bin: cannot create'
says "$said" ': no dump$'
same "temporary files" "$(find "$dir/trigger" -name '.swtrace*' | wc -l | tr -d ' ')" 0
: >"$told"
(
	ulimit -f 20
	exec "$SWTRACE" trigger --when 'label=slow*' --after 0 --compress none --timeout 60 -o "$t"
) >"$said" 2>"$told" &
watcher=$!
pids="$pids $watcher"
until_true 'grep -q watching "$told"'
cp "$t" "$dir/trigger/before"
exits 0 "$INTERVALS" 2000 20 5
ended 1
says "$told" 't.bin: cannot write: File too large'
cmp -s "$t" "$dir/trigger/before" && pass || fail "a dump that failed cost the one before it"

# ------------------------------------------------------------------------ what it costs
# An idle watch sleeps 10 ms at least between two looks, each of which is a voluntary switch. A loaded
# machine makes them fewer.
session wrap
watched --when 'label=never' -o "$t"
hundredths()
{
	sed 's/ .*//; s/[.]//' /proc/uptime
}
began=$(hundredths)
before=$(slept)
until_true '[ "$(slept)" -ge $((before + 50)) ]'
looks=$(($(slept) - before))
spent=$(($(hundredths) - began))
[ "$looks" -le $((spent + 5)) ] && pass || fail "an idle watch looked $looks times in $spent hundredths of a second"
kill -TERM $watcher
ended 143
