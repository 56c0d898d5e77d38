# A large machine, made up: an idle session takes memory for its headers only, reading takes none, and
# only sections that were entered have pages.
resident()
{
	du -sk "$SWTRACE_SESSION" | cut -f 1
}

SWTRACE_TEST_CPUS=384
export SWTRACE_TEST_CPUS
fresh
for mode in norm wrap; do
	exits 0 "$SWTRACE" init -t $mode
	idle=$(resident)
	[ "$idle" -le 16384 ] && pass || fail "$mode: an idle session of 384 processors has $idle KiB"
	exits 0 "$SWTRACE" info
	says "$out" '384 processors and 16 guests'
	says "$out" 'made up (SWTRACE_TEST_CPUS)'
	exits 0 "$SWTRACE" on
	exits 0 "$SWTRACE" dump "$dir/large.bin"
	same "$mode: memory after info and dump" "$(resident)" "$idle"
	exits 0 "$WRITER" hooks 10
	used=$(resident)
	# A section, and a page each of the tables of tasks and labels.
	section=$("$SWTRACE" info --json | sed -n 's/.*"section_bytes": *\([0-9]*\).*/\1/p')
	[ $((used - idle)) -le $((section / 1024 + 64)) ] && pass ||
		fail "$mode: ten hooks took $((used - idle)) KiB"
	exits 0 "$SWTRACE" info
	says "$out" "memory    $used KiB in use, "
	exits 0 "$SWTRACE" dump "$dir/large.bin"
	is_trace "$dir/large.bin"
	same "$mode: memory after reading" "$(resident)" "$used"
	exits 0 "$SWTRACE" off
done
# --prealloc takes all of it at init.
SWTRACE_TEST_CPUS=64
exits 0 "$SWTRACE" init -s 1 --prealloc
[ "$(resident)" -ge $((80 * 1024)) ] && pass || fail "--prealloc: $(resident) KiB for 80 rings of 1 MiB"
for cpus in 0 1025 4x; do
	SWTRACE_TEST_CPUS=$cpus
	refuses 1 "$SWTRACE" init && says "$err" 'SWTRACE_TEST_CPUS'
done
unset SWTRACE_TEST_CPUS
exits 0 "$SWTRACE" free
