# shellcheck shell=sh disable=SC2154,SC2015
# Sourced by run.sh: the N-th call fails.

# The calls, and their injected errors.
calls="openat:EMFILE,EACCES,EIO write:ENOSPC,EIO,EDQUOT,EINTR writev:ENOSPC,EIO,EINTR
pwrite64:EIO,ENOSPC,EINTR pread64:EIO,EINTR read:EIO,EINTR fsync:EIO,ENOSPC,EDQUOT,EINTR
close:EIO,EINTR,EDQUOT rename:EIO,ENOSPC renameat2:EIO ftruncate:EIO,ENOSPC,EINTR
mmap:ENOMEM munmap:ENOMEM mprotect:ENOMEM madvise:EINVAL newfstatat:EIO,EACCES
fstatfs:EIO statfs:EIO lseek:EIO fcntl:EMFILE,ENOLCK flock:EINTR,ENOLCK
fallocate:ENOSPC,EIO,EINTR unlink:EIO unlinkat:EIO fchmod:EPERM,EIO fchmodat:EPERM
chmod:EPERM fchown:EPERM mkdir:ENOSPC rmdir:EIO linkat:ENOSPC,EIO getdents64:EIO
getrandom:EAGAIN,ENOSYS dup:EMFILE pipe2:EMFILE clone:EAGAIN clone3:EAGAIN
wait4:EINTR eventfd2:EMFILE ppoll:EINTR poll:EINTR clock_nanosleep:EINTR
prctl:EINVAL rt_sigaction:EINVAL"

# baseline COMMAND...: all its calls, and those before main, by the dynamic linker and libc: what
# fails there is not ours to answer for. The linker's last deed is to unmap its cache.
baseline() {
	strace -o "$dir/baseline" "$@" >/dev/null 2>&1 </dev/null
	sed '/^set_tid_address(/,$ { /^munmap(/q }' "$dir/baseline" >"$dir/loader"
}

# inject CALL ERROR N COMMAND...: runs it; status in $status. False if there is no N-th call.
# An injected close does not close, as no real one would: who waits for the end of that pipe
# waits for ever. So where there are pipes, close is only that of $close_of.
# $brief stops at no other calls than these, but injects into children too: for commands that run no program.
inject() {
	call=$1 error=$2 n=$3
	shift 3
	[ "$call" != close ] || [ -z "$close_of" ] || set -- -P "$close_of" "$@"
	runs=$((runs + 1))
	: >"$log"
	# shellcheck disable=SC2086
	timeout -k 5 120 strace $brief -qq -o "$log" -e trace="$call" \
		-e inject="$call:error=$error:when=$n" "$@" >"$out" 2>"$err" </dev/null
	status=$?
	grep -q INJECTED "$log"
}

# sweep WHAT SETUP JUDGE COMMAND...: SETUP before each run, JUDGE "what" after.
sweep() {
	what=$1 setup=$2 judge=$3
	shift 3
	[ "$sweeps" -eq 1 ] || return 0
	before_sweep=$runs
	"$setup"
	baseline "$@"
	for entry in $calls; do
		call=${entry%%:*} errors=${entry#*:}
		grep -q "^$call(" "$dir/baseline" || continue
		[ "$all" -eq 1 ] || errors=${errors%%,*}
		first=$(($(grep -c "^$call(" "$dir/loader") + 1))
		[ "$call" != close ] || [ -z "$close_of" ] || first=1
		for error in $(echo "$errors" | tr ',' ' '); do
			n=$first
			while :; do
				"$setup"
				inject "$call" "$error" $n "$@" || break
				"$judge" "$what, call $n of $call is $error"
				if [ "$all" -eq 1 ] || [ $((n - first)) -lt 6 ]; then
					n=$((n + 1))
				else
					n=$((n + (n - first) / 2))
				fi
			done
		done
	done
	# Fewer calls than this has no program: then it is the counting that is broken.
	[ $((runs - before_sweep)) -ge 30 ] || count_failure "$what: only $((runs - before_sweep)) runs"
}

close_of=
brief="-f --seccomp-bpf"

fresh_work() {
	rm -rf "$work"
	mkdir "$work"
}

# ------------------------------------------------------------------------------- dump

judge_dump() {
	judge_file "$1" 5000
}

hooks_in_session() {
	"$SWTRACE" info --json 2>/dev/null | sed 's/.*"total": {//; s/}.*//' |
		sed -n 's/.*"hooks": \([0-9]*\).*/\1/p'
}

# The hooks that the session counts as lost, by all causes.
lost_in_session() {
	"$SWTRACE" info --json 2>/dev/null | sed 's/.*"total": {//; s/}.*//' | grep -o '"lost_[a-z_]*": [0-9]*' |
		awk '{ n += $2 } END { print n + 0 }'
}

part_dump() {
	SWTRACE_SESSION=$shm/dump
	export SWTRACE_SESSION
	"$SWTRACE" init -s 1 2>"$err" && "$SWTRACE" on && "$WRITER" hooks 5000 >/dev/null &&
		"$SWTRACE" off || count_failure "a session for dumps"
	sweep dump fresh_work judge_dump "$SWTRACE" dump "$t"
	if [ "$(hooks_in_session)" = 5000 ]; then count_pass; else count_failure "dump: the session changed"; fi
	rm -rf "$SWTRACE_SESSION"
}

# -------------------------------------------------------------------------------- run

# The session is removed, or kept and reported; a kept one can be dumped.
judge_run() {
	kept=$(sed -n 's/.*the trace is kept: SWTRACE_SESSION=\([^ ]*\) .*/\1/p' "$err")
	case $status in
	126 | 127) if clear_line; then count_pass; else count_failure "$1: no clear line"; fi ;;
	*) judge_file "$1" 100 ;;
	esac
	if [ "$status" -eq 1 ] && [ -s "$out" ] && [ -z "$kept" ] && [ ! -e "$t" ] &&
		! grep -q 'the trace is lost' "$err" && ! grep -q '\<write(2.*INJECTED' "$log"; then
		count_failure "$1: the command ran, and its trace is gone without a word"
	fi
	if [ -n "$kept" ]; then
		SWTRACE_SESSION=$kept "$SWTRACE" dump "$work/kept.bin" 2>"$err"
		if whole "$work/kept.bin" 100; then count_pass; else count_failure "$1: the kept file is incomplete"; fi
		rm -rf "$kept"
	fi
	nothing_left "$1"
}

part_run() {
	unset SWTRACE_SESSION
	brief=
	close_of=$work # its temporary file's name is another each time
	sweep run fresh_work judge_run "$SWTRACE" run -s 1 -ss 4 -o "$t" -- "$WRITER" hooks 100
	close_of=
	brief="-f --seccomp-bpf"
}

# ------------------------------------------------------------------------------- init

# The older buffers stay, or there are new ones: never neither.
setup_init() {
	rm -rf "$SWTRACE_SESSION"
	"$SWTRACE" init -s 1 2>"$err" && "$SWTRACE" on && "$WRITER" hooks 10 >/dev/null &&
		"$SWTRACE" off || count_failure "a session for init"
}

judge_init() {
	hooks=$(hooks_in_session)
	case $status:$hooks in
	0:0) count_pass ;;
	1:10) if clear_line; then count_pass; else count_failure "$1: no clear line"; fi ;;
	*) count_failure "$1: exit code $status, then $hooks hooks" ;;
	esac
	if [ "$status" -eq 1 ] && ! grep -q '\<unlinkat.*INJECTED' "$log" &&
		[ "$(find "$SWTRACE_SESSION" -name 'rings.*' | wc -l)" -ne 1 ]; then
		count_failure "$1: half-made buffers stay"
	fi
	if "$SWTRACE" init -s 1 2>"$err" && [ "$(hooks_in_session)" = 0 ]; then
		count_pass
	else
		count_failure "$1: the next init does not work"
	fi
}

part_init() {
	SWTRACE_SESSION=$shm/init
	export SWTRACE_SESSION
	sweep init setup_init judge_init "$SWTRACE" init -s 1
	sweep "first init" setup_first judge_first "$SWTRACE" init -s 1
	rm -rf "$SWTRACE_SESSION"
}

setup_first() {
	rm -rf "$SWTRACE_SESSION"
}

judge_first() {
	case $status in
	0) count_pass ;;
	1) if clear_line; then count_pass; else count_failure "$1: no clear line"; fi ;;
	*) count_failure "$1: exit code $status" ;;
	esac
	if "$SWTRACE" init -s 1 2>"$err" && [ "$(hooks_in_session)" = 0 ]; then
		count_pass
	else
		count_failure "$1: the next init does not work"
	fi
}

# ---------------------------------------------------------------------------- program

# A program goes on, traced or not, and no hook it was told is written is missing: one that could
# not attach at first has its hooks counted as lost once it can.
setup_program() {
	"$SWTRACE" off 2>/dev/null
	"$SWTRACE" init -s 1 2>"$err" && "$SWTRACE" on 2>>"$err" || count_failure "a session for programs"
}

judge_program() {
	hooks=$(hooks_in_session)
	if [ "$status" -eq 0 ] || grep -q '\<write(1.*INJECTED' "$log"; then
		count_pass
	else
		count_failure "$1: the program's exit code is $status"
	fi
	case $hooks in
	100 | 0) count_pass ;;
	*)
		lost=$(lost_in_session)
		if [ $((hooks + lost)) -eq 100 ]; then
			count_pass
		else
			count_failure "$1: $hooks of 100 hooks, $lost lost"
		fi
		;;
	esac
}

part_program() {
	SWTRACE_SESSION=$shm/program
	export SWTRACE_SESSION
	sweep "a program" setup_program judge_program "$WRITER" hooks 100
	"$SWTRACE" off 2>/dev/null
	rm -rf "$SWTRACE_SESSION"
	sweep "a program that comes first" setup_first judge_comes_first "$WRITER" hooks 100
	rm -rf "$SWTRACE_SESSION"
}

judge_comes_first() {
	if [ "$status" -eq 0 ] || grep -q '\<write(1.*INJECTED' "$log"; then
		count_pass
	else
		count_failure "$1: the program's exit code is $status"
	fi
	if "$SWTRACE" init -s 1 2>"$err"; then count_pass; else count_failure "$1: no init afterwards"; fi
}
