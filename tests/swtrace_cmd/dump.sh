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

# init -f names the dump, in every mode without a drain and by its whole path.
for mode in norm normal wrap; do
	fresh
	rm -f "$dir/swtrace.bin"
	(cd "$dir" && exec "$SWTRACE" init -s 1 -t $mode -f named.bin) >"$out" 2>"$err"
	says "$err" "swtrace dump writes $dir/named.bin"
	[ -e "$dir/named.bin" ] && fail "init made the file" || pass
	exits 0 "$SWTRACE" on
	exits 0 "$WRITER" hooks 50
	exits 0 "$SWTRACE" info && says "$out" "^dump to  *$dir/named.bin\$"
	exits 0 "$SWTRACE" info --json && says "$out" "\"dump_file\": \"$dir/named.bin\""
	(cd / && exec "$SWTRACE" dump) 2>"$err"
	same "hooks in the dump" "$(summary hooks)" 50
	is_trace "$dir/named.bin"
	rm "$dir/named.bin"
	exits 0 "$SWTRACE" dump "$dir/other.bin"
	is_trace "$dir/other.bin"
	[ -e "$dir/named.bin" ] && fail "a dump with a name went to init's" || pass
	exits 0 "$SWTRACE" off
	# An init that fails leaves the buffers, and their file's name.
	(ulimit -f 100 && exec "$SWTRACE" init -s 1) >"$out" 2>"$err"
	same "init beyond the limit of a file" $? 1
	same "the buffers" "$(number hooks)" 50
	exits 0 "$SWTRACE" info && says "$out" "^dump to  *$dir/named.bin\$"
	exits 0 "$SWTRACE" free
done
refuses 1 "$SWTRACE" init -f "$dir/no/t.bin"
refuses 1 "$SWTRACE" init -f "$dir"
# Buffers without a name of their own do not keep the last one's.
exits 0 "$SWTRACE" on
exits 0 "$SWTRACE" info --json && says "$out" '"dump_file": null'
(cd "$dir" && exec "$SWTRACE" dump) 2>"$err"
is_trace "$dir/swtrace.bin"
rm "$dir/swtrace.bin"
exits 0 "$SWTRACE" off
# A drain's file is no dump's.
exits 0 "$SWTRACE" init -t cont -s 1 -f "$dir/streamed.bin"
exits 0 "$SWTRACE" on
(cd "$dir" && exec "$SWTRACE" dump) 2>"$err"
is_trace "$dir/swtrace.bin"
exits 0 "$SWTRACE" off
exits 0 "$SWTRACE" free
fresh
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" on
exits 0 "$WRITER" hooks 5000

# The next dump removes the temporary file of a killed one, and keeps a living one's.
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
same "a closed pipe is no complaint" "$(wc -l <"$err")" 0
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
exits 0 "$SWTRACE" dump "$dir/cut.bin" && says "$err" 'truncated or overwrote'
exits 0 "$SWTRACE" free
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" free
