# dump --on-signal: the flight recorder, triggered by hand.
. "$(dirname "$0")/decode.sh"
mkdir "$dir/on_signal"
t=$dir/on_signal/t.bin
said=$dir/on_signal/said told=$dir/on_signal/told

# waiting ARGUMENTS: a dump in the background that waits for signals.
waiting()
{
	: >"$told"
	env --default-signal=INT "$SWTRACE" dump "$@" >"$said" 2>"$told" </dev/null &
	dumper=$!
	pids="$pids $dumper"
	until_true 'grep -q "^process $dumper dumps to " "$said"'
}

dumps()
{
	grep -c ' hooks\{0,1\} in ' "$told"
}

ended()
{
	wait $dumper
	same "the exit code ($(tail -n 1 "$told"))" $? "$1"
}

files()
{
	(cd "$dir/on_signal" && echo t.bin*)
}

if ! env --default-signal=INT true 2>/dev/null; then
	skip "dump --on-signal: env is too old"
	return 0
fi

# ------------------------------------------------------------------ what is refused
fresh
refuses 1 "$SWTRACE" dump --on-signal "$t"
exits 0 "$SWTRACE" install
refuses 1 "$SWTRACE" dump --on-signal "$t" && says "$err" 'swtrace init'
exits 0 "$SWTRACE" init -s 1 -t wrap
exits 0 "$SWTRACE" on
for wrong in --on-signal= --on-signal=INT --on-signal=TERM --on-signal=KILL --on-signal=99 \
	--on-signal=RTMIN+99 "--on-signal a b" "--on-signal --keep 0" "--keep 2" "--on-signal -" \
	"-o a b"; do
	# A list: split.
	refuses 2 "$SWTRACE" dump $wrong
done
refuses 2 "$SWTRACE" dump --on-signal ''
refuses 1 "$SWTRACE" dump --on-signal "$dir/no/t.bin"
refuses 1 "$SWTRACE" dump --on-signal "$dir"
[ -c /dev/null ] && refuses 1 "$SWTRACE" dump --on-signal /dev/null

# -------------------------------------------------------------- three signals, three files
for signal in "" USR2 SIGRTMIN+3 quit; do
	name=${signal:-USR1}
	rm -f "$t"*
	exits 0 "$SWTRACE" off
	exits 0 "$SWTRACE" init -s 1 -t wrap
	exits 0 "$SWTRACE" on
	waiting --on-signal${signal:+=$signal} "$t"
	number=$(sed -n 's/.* at each signal \([0-9]*\) .*/\1/p' "$said")
	for n in 1 2 3; do
		"$WRITER" paced 10 $(((n - 1) * 10)) >/dev/null
		kill -"$number" $dumper
		until_true '[ "$(dumps)" -eq '$n' ]'
	done
	same "$name: files" "$(files)" "t.bin t.bin.1 t.bin.2"
	holds 30 "$t"
	holds 20 "$t.1"
	holds 10 "$t.2"
	is_trace "$t.2"
	kill -INT $dumper
	ended 0
	same "$name: dumps" "$(dumps)" 3
	same "$name: lines" "$(cat "$told" "$said" | wc -l | tr -d ' ')" 4
done

# Other signals end it as well; -o; an existing file is also kept.
for signal in TERM HUP; do
	waiting --on-signal --keep 3 --compress zlib -o "$t"
	kill -USR1 $dumper
	until_true '[ "$(dumps)" -eq 1 ]'
	kill -$signal $dumper
	ended 0
	same "files" "$(files)" "t.bin t.bin.1 t.bin.2 t.bin.3"
	holds 30 "$t"
done

# ------------------------------------------------------------------------- a storm
rm -f "$t"*
"$WRITER" loop >"$dir/loop" &
writer=$!
pids="$pids $writer"
waiting --on-signal --keep 2 "$t"
for _ in $(seq 300); do
	kill -USR1 $dumper
done
kill $writer
wait $writer 2>/dev/null
until_true '[ "$(dumps)" -gt 0 ]'
for n in 4000000100 4000000200 4000000300; do
	"$WRITER" paced 1 $n >/dev/null
	before=$(dumps)
	kill -USR1 $dumper
	until_true '[ "$(dumps)" -gt '"$before"' ]'
done
# Both wait; the dump comes first.
"$WRITER" paced 1 4000000400 >/dev/null
kill -STOP $dumper
kill -USR1 $dumper
kill -INT $dumper
kill -CONT $dumper
ended 0
same "the last hook in the newest dump" "$(minors "$t" | grep -c '^4000000400$')" 1
same "the one before it in the newest but one" "$(minors "$t.1" | grep -c '^4000000300$')" 1
same "files" "$(files)" "t.bin t.bin.1 t.bin.2"
[ "$(dumps)" -le 304 ] && pass || fail "$(dumps) dumps for 304 signals"
for file in "$t" "$t.1" "$t.2"; do
	is_trace "$file"
done
same "temporary files" "$(find "$dir/on_signal" -name '.swtrace*' | wc -l | tr -d ' ')" 0

# ------------------------------------------------------- a dump that cannot be written
mkdir "$dir/on_signal/gone"
waiting --on-signal "$dir/on_signal/gone/t.bin"
rmdir "$dir/on_signal/gone"
kill -USR1 $dumper
until_true 'grep -q "gone/t.bin: cannot create" "$told"'
mkdir "$dir/on_signal/gone"
kill -USR1 $dumper
until_true '[ "$(dumps)" -eq 1 ]'
is_trace "$dir/on_signal/gone/t.bin"
kill -TERM $dumper
ended 1

# -------------------------------------------------------------- other rings, no rings
waiting --on-signal "$t"
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" init -s 1 -t wrap
exits 0 "$SWTRACE" on
exits 0 "$WRITER" paced 7
kill -USR1 $dumper
until_true '[ "$(dumps)" -eq 1 ]'
says "$told" 'new trace buffers'
holds 7 "$t"
exits 0 "$SWTRACE" free
ended 1
says "$told" 'were freed'
