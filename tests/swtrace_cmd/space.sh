# No space: an error at init, and the rings that were there stay.
fresh
refuses 1 "$SWTRACE" init -s 65536 && says "$err" 'no space'
exits 0 "$SWTRACE" init -s 1
exits 0 "$SWTRACE" on
exits 0 "$WRITER" hooks 10
exits 0 "$SWTRACE" off
if [ "$(df -k /dev/shm | awk 'NR == 2 { print $4 }')" -lt 100000000 ]; then
	refuses 1 "$SWTRACE" init -s 65536
	same "the old rings" "$(number hooks)" 10
	unset SWTRACE_SESSION
	refuses 1 "$SWTRACE" run -s 65536 -o "$dir/t.bin" -- touch "$dir/ran"
	[ -e "$dir/ran" ] && fail "ran without a session" || pass
fi

mkdir "$dir/small"
if [ "$(id -u)" -ne 0 ] || ! mount -t tmpfs -o size=1m,mode=755 tmpfs "$dir/small" 2>/dev/null; then
	skip "a small tmpfs: needs root"
	rmdir "$dir/small"
else
	SWTRACE_SESSION=$dir/small/s
	export SWTRACE_SESSION
	refuses 1 "$SWTRACE" init -s 4
	refuses 1 "$SWTRACE" init -s 4
	exits 0 "$SWTRACE" info && says "$out" 'no buffers'
	# A dump to a full disk.
	fresh
	exits 0 "$SWTRACE" init -s 4
	exits 0 "$SWTRACE" on
	exits 0 "$WRITER" hooks 60000
	refuses 1 "$SWTRACE" dump --compress none "$dir/small/t.bin" && says "$err" 'No space'
	same "nothing left behind" "$(ls -A "$dir/small")" s
	same "the rings" "$(number hooks)" 60000
	exits 0 "$SWTRACE" free
	umount "$dir/small"
	rmdir "$dir/small"
fi
