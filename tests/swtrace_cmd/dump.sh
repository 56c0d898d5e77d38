# Dumps: names, codecs, streams, failures.
fresh
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" on
exits 0 "$WRITER" hooks 5000

for codec in none lz4 zlib; do
	exits 0 "$SWTRACE" dump --compress $codec "$dir/$codec.bin"
	same "hooks in the dump" "$(summary hooks)" 5000
	is_trace "$dir/$codec.bin"
done
size()
{
	wc -c <"$dir/$1.bin"
}
if [ "$(size zlib)" -lt "$(size lz4)" ] && [ "$(size lz4)" -lt "$(size none)" ]; then
	pass
else
	fail "sizes: none $(size none), lz4 $(size lz4), zlib $(size zlib)"
fi

(cd "$dir" && exec "$SWTRACE" get) 2>"$err"
is_trace "$dir/swtrace.bin"
"$SWTRACE" dump - 2>"$err" | cat >"$dir/pipe.bin"
is_trace "$dir/pipe.bin"
exits 0 "$SWTRACE" get --compress=zlib -
cp "$out" "$dir/stdout.bin"
is_trace "$dir/stdout.bin"
mkfifo "$dir/fifo"
cat "$dir/fifo" >"$dir/fifo.bin" &
exits 0 "$SWTRACE" dump "$dir/fifo"
wait $!
is_trace "$dir/fifo.bin"
[ -p "$dir/fifo" ] && pass || fail "the FIFO was replaced"
exits 0 "$SWTRACE" dump /dev/null
[ -c /dev/null ] && pass || fail "/dev/null was replaced"

# What a killed dump left goes with the next one; what a living one writes stays.
mkdir "$dir/left"
: >"$dir/left/.swtrace-0123abcd.tmp"
: >"$dir/left/.swtrace-0123abce.tmp"
: >"$dir/left/.swtrace-0123abc.tmp"
exits 0 flock "$dir/left/.swtrace-0123abce.tmp" "$SWTRACE" dump "$dir/left/t.bin"
same "temporary files" "$(cd "$dir/left" && ls -A | tr '\n' ' ')" \
	".swtrace-0123abc.tmp .swtrace-0123abce.tmp t.bin "

# Failures leave the rings, an old file, and nothing else.
mkdir "$dir/outputs"
echo old >"$dir/outputs/old.bin"
refuses 1 "$SWTRACE" dump "$dir/outputs/no/t.bin"
refuses 1 "$SWTRACE" dump "$dir/outputs"
[ -c /dev/full ] && refuses 1 "$SWTRACE" dump /dev/full
(
	ulimit -f 1
	exec "$SWTRACE" dump --compress none "$dir/outputs/old.bin"
) >"$out" 2>"$err"
same "file size limit" $? 1
same "one line" "$(wc -l <"$err")" 1
same "the old file" "$(cat "$dir/outputs/old.bin")" old
same "nothing left behind" "$(ls -A "$dir/outputs")" old.bin
{
	"$SWTRACE" dump --compress none - 2>"$err"
	echo $? >"$dir/code"
} | head -c 1000 >/dev/null
same "closed pipe" "$(cat "$dir/code")" 1
same "one line" "$(wc -l <"$err")" 1
same "the rings" "$(number hooks)" 5000

# An interrupted dump removes what it wrote. The FIFO has no reader who reads.
mkfifo "$dir/stuck"
sleep 60 <"$dir/stuck" &
reader=$!
"$SWTRACE" dump --compress none "$dir/stuck" 2>"$err" &
pid=$!
pids="$pids $reader $pid"
sleep 0.5
kill -TERM $pid
wait $pid
same "interrupted dump" $? 143
kill $reader 2>/dev/null

# A member who cuts the ring file off ends the writers, never the commands.
exits 0 "$SWTRACE" off
truncate -s 5000 "$SWTRACE_SESSION"/rings.*
exits 0 "$SWTRACE" info
exits 0 "$SWTRACE" dump "$dir/cut.bin" && says "$err" 'cut off'
exits 0 "$SWTRACE" free
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" free
