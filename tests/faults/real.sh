# shellcheck shell=sh disable=SC2154,SC2015,SC2016,SC2034
# Sourced by run.sh: the same without strace, where the kernel itself says no.

# real CODE WHAT COMMAND...: runs it in a fresh place; status in $status.
real() {
	runs=$((runs + 1))
	: >"$log"
	timeout -k 5 60 "$@" >"$out" 2>"$err" </dev/null
	status=$?
}

no_file() {
	if [ ! -e "$t" ] && nothing_half; then count_pass; else count_failure "$1: something is left: $(ls -A "$work")"; fi
}

many_hooks=30000

session_of_many() {
	SWTRACE_SESSION=$shm/many
	export SWTRACE_SESSION
	"$SWTRACE" init -s 4 2>"$err" && "$SWTRACE" on && "$WRITER" hooks $many_hooks >/dev/null &&
		"$SWTRACE" off || count_failure "a session of many hooks"
}

# kept_is_whole WHAT: run keeps a trace that it could not write.
kept_is_whole() {
	kept=$(sed -n 's/.*the trace is kept: SWTRACE_SESSION=\([^ ]*\) .*/\1/p' "$err")
	if [ -n "$kept" ] && SWTRACE_SESSION=$kept "$SWTRACE" dump "$dir/kept.bin" 2>"$err" &&
		whole "$dir/kept.bin" $many_hooks; then
		count_pass
	else
		count_failure "$1: the trace was not kept"
	fi
	[ -z "$kept" ] || rm -rf "$kept"
	rm -f "$dir/kept.bin"
}

# ------------------------------------------------------------------- limits, full disks

limits() {
	fresh_work
	real sh -c 'ulimit -f 100; exec "$0" dump --compress none "$1"' "$SWTRACE" "$t"
	expect "dump, file size limit" 1 "ulimit -f"
	no_file "dump, file size limit"
	if ! command -v prlimit >/dev/null; then
		count_skip "run and record, file size limit: no prlimit"
		return
	fi
	# The command lowers the limit of who runs it: after init, before the file.
	fresh_work
	(
		unset SWTRACE_SESSION
		real "$SWTRACE" run -s 4 --compress none -o "$t" -- sh -c \
			"\"$WRITER\" hooks $many_hooks; prlimit --pid \$PPID --fsize=65536:65536"
		echo $status >"$dir/status"
	)
	status=$(cat "$dir/status")
	expect "run, file size limit" 1 "ulimit -f"
	no_file "run, file size limit"
	kept_is_whole "run, file size limit"
	fresh_work
	unset SWTRACE_SESSION
	real "$SWTRACE" record -s 4 --compress none -o "$t" -- sh -c \
		"prlimit --pid \$PPID --fsize=65536:65536; \"$WRITER\" hooks $many_hooks"
	expect "record, file size limit" 1 "ulimit -f"
	judge_recording "record, file size limit" $many_hooks
}

full_disk() {
	mkdir "$dir/small"
	if [ "$uid" -ne 0 ] ||
		! mount -t tmpfs -o size=256k,mode=755 tmpfs "$dir/small" 2>/dev/null; then
		count_skip "a full disk: no small tmpfs can be mounted here"
		rmdir "$dir/small"
		return
	fi
	work=$dir/small t=$work/t.bin
	session_of_many
	real "$SWTRACE" dump --compress none "$t"
	expect "dump, disk full" 1 "No space"
	no_file "dump, disk full"
	unset SWTRACE_SESSION
	real "$SWTRACE" run -s 4 --compress none -o "$t" -- "$WRITER" hooks $many_hooks
	expect "run, disk full" 1 "No space"
	no_file "run, disk full"
	kept_is_whole "run, disk full"
	real "$SWTRACE" record -s 4 --compress none -o "$t" -- "$WRITER" hooks $many_hooks
	expect "record, disk full" 1 "No space"
	judge_recording "record, disk full" $many_hooks
	rm -f "$t"
	# Full before it begins.
	dd if=/dev/zero of="$work/filler" bs=4k 2>/dev/null
	real "$SWTRACE" record -s 4 -o "$t" -- "$WRITER" hooks 100
	expect "record, disk full from the start" 1 "No space"
	judge_recording "record, disk full from the start" 100
	umount "$dir/small"
	rmdir "$dir/small"
	work=$dir/work t=$work/t.bin
}

# ---------------------------------------------------------------------------- pipes

# to_reader READER COMMAND...: its standard output goes there; status and $err are the command's.
to_reader() {
	reader=$1
	shift
	runs=$((runs + 1))
	: >"$log"
	{
		timeout -k 5 60 "$@" 2>"$err" </dev/null
		echo $? >"$dir/status"
	} | sh -c "$reader" >"$t" 2>/dev/null
	status=$(cat "$dir/status")
}

# A reader that has gone had enough.
not_said() {
	if grep -q -e "$1" "$err"; then count_failure "says '$1'"; else count_pass; fi
}

pipes() {
	fresh_work
	session_of_many
	to_reader 'head -c 100' "$SWTRACE" dump --compress none -
	expect "dump, closed pipe" 1
	not_said "Broken pipe"
	to_reader 'sleep 1; cat' "$SWTRACE" dump --compress none -
	expect "dump, slow reader" 0
	if whole "$t" $many_hooks; then count_pass; else count_failure "dump, slow reader: incomplete"; fi
	unset SWTRACE_SESSION
	to_reader 'head -c 100' "$SWTRACE" run -s 4 -o - -- "$WRITER" hooks $many_hooks
	expect "run, closed pipe" 1
	not_said "Broken pipe"
	to_reader 'head -c 100' "$SWTRACE" record -s 4 -o - -- "$WRITER" hooks $many_hooks
	expect "record, closed pipe" 1
	not_said "Broken pipe"
	# Unless the reader was gone before the command began.
	# shellcheck disable=SC2046
	set -- $(figures)
	if ! grep -q "^$many_hooks\$" "$err"; then
		count_pass
	elif [ $# -eq 3 ] && [ $(($1 + $2 + $3)) -le $many_hooks ] && [ "$2" -gt 0 ]; then
		count_pass
	else
		count_failure "record, closed pipe: the loss is not counted"
	fi
	to_reader 'sleep 1; cat' "$SWTRACE" record -s 1 --compress none -o - -- \
		"$WRITER" hooks $many_hooks
	expect "record, slow reader" 0
	if decodes "$t" && adds_up $many_hooks; then
		count_pass
	else
		count_failure "record, slow reader: does not add up"
	fi
	if is_left; then count_failure "pipes: left behind: $(left)"; else count_pass; fi
}

# ---------------------------------------------------------------- paths that vanish

vanishing() {
	unset SWTRACE_SESSION
	fresh_work
	# Made again, if that can be.
	for ss in 4 64; do
		fresh_work
		real "$SWTRACE" record -s 4 -ss $ss -o "$t" -- sh -c \
			"\"$WRITER\" hooks 1000; sleep 0.3; rm \"$t\"; \"$WRITER\" hooks 1000"
		[ -e "$t" ] || [ "$status" -eq 1 ] || count_failure "record, its file removed: gone"
		judge_recording "record, its file removed" 2000
		fresh_work
		# As long as the directory is there, the drain brings its file back.
		real "$SWTRACE" record -s 4 -ss $ss -o "$t" -- sh -c \
			"\"$WRITER\" hooks 1000; sleep 0.3
			while [ -e \"$work\" ]; do rm -rf \"$work\"; done 2>/dev/null
			\"$WRITER\" hooks 1000"
		expect "record, its directory removed" 1 "No such file"
		found=0
		if clear_line && adds_up 2000; then
			count_pass
		else
			count_failure "record, its directory removed: does not add up"
		fi
	done
	fresh_work
	real "$SWTRACE" run -s 4 -o "$t" -- sh -c \
		"\"$WRITER\" hooks $many_hooks; rm -r \"$work\""
	expect "run, its directory removed" 1 "No such file"
	kept_is_whole "run, its directory removed"
}

# -------------------------------------------------------------------------- signals

# inject_signal CALL SIGNAL WHEN COMMAND...: as inject, but the call works.
inject_signal() {
	call=$1 signal=$2 n=$3
	shift 3
	runs=$((runs + 1))
	timeout -k 5 60 strace -qq -o "$log" -e trace="$call" \
		-e inject="$call:signal=$signal:when=$n" "$@" >"$out" 2>"$err" </dev/null
	status=$?
	grep -q -e "^--- $signal" "$log"
}

signals() {
	[ "$sweeps" -eq 1 ] || return 0
	session_of_many
	step=5
	[ "$all" -eq 0 ] || step=1
	for call in pread64 write writev fsync rename; do
		n=1
		fresh_work
		while inject_signal "$call" SIGTERM $n "$SWTRACE" dump "$t"; do
			case $status in
			143) no_file "dump, SIGTERM at call $n of $call" ;;
			0) if whole "$t" $many_hooks; then count_pass; else count_failure "dump, SIGTERM at $call $n"; fi ;;
			*) count_failure "dump, SIGTERM at call $n of $call: exit code $status" ;;
			esac
			n=$((n + step))
			fresh_work
		done
	done
	unset SWTRACE_SESSION
	for call in pread64 writev; do
		for signal in SIGCHLD SIGWINCH; do
			fresh_work
			inject_signal "$call" "$signal" 1+ "$SWTRACE" record -s 1 -ss 4 -o "$t" -- \
				"$WRITER" hooks 2000
			judge_recording "record, $signal at every $call" 2000
		done
	done
	# Killed: no end, and everything up to the last whole section.
	for n in 1 2 3 5 8 13 21; do
		fresh_work
		inject_signal writev SIGKILL $n "$SWTRACE" record -s 1 -ss 4 -o "$t" -- \
			"$WRITER" hooks 2000 || continue
		if [ ! -s "$t" ] || decodes "$t"; then
			count_pass
		else
			count_failure "record, killed at writev $n: $(head -n 2 "$dir/told")"
		fi
	done
	rm -rf /dev/shm/swtrace."$uid".run.*
}

part_real() {
	session_of_many
	limits
	full_disk
	pipes
	vanishing
	signals
	rm -rf "$shm/many"
}
