# No space: init makes what an idle session needs, and says what will not fit. Where even that does
# not, or --prealloc asks for all of it, it is an error, and the rings that were there stay.
fresh
exits 0 "$SWTRACE" init -s 1
grep 'are free' "$err" && fail "warned of nothing" || pass
exits 0 "$SWTRACE" on
exits 0 "$WRITER" hooks 10
exits 0 "$SWTRACE" off
if [ "$(df -k /dev/shm | awk 'NR == 2 { print $4 }')" -lt 100000000 ]; then
	refuses 1 "$SWTRACE" init -s 65536 --prealloc && says "$err" 'no space'
	same "the old rings" "$(number hooks)" 10
	exits 0 "$SWTRACE" init -s 65536
	says "$err" 'full buffers need [0-9]* KiB more than the [0-9]* KiB now free'
	exits 0 "$SWTRACE" on
	exits 0 "$WRITER" hooks 10
	exits 0 "$SWTRACE" off
	same "sparse rings" "$(number hooks)" 10
	exits 0 "$SWTRACE" free
	unset SWTRACE_SESSION
	exits 0 "$SWTRACE" run -s 65536 -o "$dir/t.bin" -- touch "$dir/ran"
	says "$err" 'full buffers need'
	[ -e "$dir/ran" ] && pass || fail "did not run"
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
	mount -o remount,size=64m "$dir/small"
	exits 0 "$SWTRACE" init -s 64
	says "$err" 'full buffers need [0-9]* KiB more than the [0-9]* KiB now free in'
	refuses 1 "$SWTRACE" init -s 64 --prealloc && says "$err" 'no space for 11[0-9]* KiB'
	exits 0 "$SWTRACE" free
	# A dump to a full disk.
	mount -o remount,size=1m "$dir/small"
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
