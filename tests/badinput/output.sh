# Outputs that do not take what is written.

{ prologue; echo 'section hooks ring=0'; awk 'BEGIN {
	for (i = 1; i <= 20000; i++)
		print "hook 0x10 1 tid=7 at=" i " " i
}'; echo 'group mm=1 tid=7 at=30000 elapsed=100 label="l" types=7 summary detailed
cpu 10 20 10
thread 10 20
endgroup
section end'; } | make_trace good.bin

# Every report in every format it has. The trace has intervals, and more hooks than a buffer holds.
kinds='summary:text summary:csv summary:json intervals:text intervals:csv intervals:json
	hooks:text hooks:csv hooks:json cpus:text cpus:csv cpus:json info:text info:json
	why:text why:csv why:json hooks:nrm2 intervals:folded intervals:svg partial'
# options KIND FILE: the options that write it there, - is standard output.
options() {
	case $1 in
	partial) echo "--partial $2" ;;
	*) echo "--report ${1%:*} --format ${1#*:} -o $2" ;;
	esac
}

# failed KIND WHERE PATTERN: the last run said so in one line, and ended with 1.
failed() {
	: >out
	expect "$1 to $2" 1 "$3"
	one_line "$1 to $2" && pass "$1 to $2: one line"
}

echo old >old
mkfifo pipe
for kind in $kinds; do
	# shellcheck disable=SC2046
	set -- $(options "$kind" -) good.bin
	timeout 120 "$CPIDECODE" "$@" >/dev/full 2>err
	status=$?
	failed "$kind" /dev/full 'No space left'
	timeout 120 "$CPIDECODE" "$@" 2>err >&-
	status=$?
	failed "$kind" "a closed standard output" 'Bad file descriptor'
	# A pipe whose reader has gone already.
	exec 3<>pipe 4>pipe 3>&-
	timeout 120 "$CPIDECODE" "$@" 2>err >&4
	status=$?
	exec 4>&-
	: >out
	expect "$kind to a pipe without a reader: silent" 1 ''
	# No room: the file that is to be replaced stays, and nothing beside it.
	cp old report
	# shellcheck disable=SC2046
	set -- $(options "$kind" report) good.bin
	told=$(ulimit -f 0 && exec timeout 120 "$CPIDECODE" "$@" 2>&1)
	status=$?
	printf '%s\n' "$told" >err
	failed "$kind" "a file that may not grow" 'File too large'
	cmp -s old report && [ "$(echo report*)" = report ] && pass "$kind: the old file stays" ||
		fail "$kind: the old file stays" "$(echo report*)"
done
# A trace from a pipe needs a temporary file.
told=$(cat good.bin | (ulimit -f 0 && exec timeout 120 "$CPIDECODE" - 2>&1))
status=$?
printf '%s\n' "$told" >err
failed "a piped trace" "a temporary file that may not grow" 'File too large'
decode --report hooks -o /dev/full good.bin
refused "-o /dev/full" 1 'No space left'
decode -o no/such/folder/file good.bin
refused "-o into no folder" 1 'no/such/folder/file'
mkdir -p folder
decode -o folder good.bin
refused "-o a folder" 1 'folder.*[Dd]irectory'

# The report's reader goes away.
status=$(
	{
		timeout 120 "$CPIDECODE" --report hooks good.bin 2>err
		echo $? >status
	} | head -n 1 >out
	cat status
)
case $status in
0 | 1 | 141) sane || [ "$status" = 141 ] && pass "a reader that goes away" ;;
*) fail "a reader that goes away" "exit status $status" ;;
esac
[ "$(wc -l <err)" -le 1 ] && pass "a reader that goes away: at most one line" ||
	fail "a reader that goes away: at most one line" "more lines"

# A report that fails leaves no file and takes none away.
echo precious >kept
decode -o kept missing.bin
[ "$(cat kept)" = precious ] && [ $status = 1 ] && pass "-o keeps the old file on failure" ||
	fail "-o keeps the old file on failure" "status $status"
decode -o never missing.bin
[ ! -e never ] && pass "-o makes no file on failure" || fail "-o makes no file on failure" "it did"
for left in ./*.tmp ./.*.tmp; do
	[ -e "$left" ] && fail "no temporary files" "$left"
done

# Losses and --strict.
{ prologue; echo 'section hooks ring=0 lost=3
hook 0x10 1 tid=7 at=1 1
section loss
loss 0 3 0 0 0 0 0 0
section end'; } | make_trace lost.bin
decode lost.bin
expect "lost hooks" 0 '3 hooks lost' '*'
for report in summary intervals hooks cpus info; do
	decode --strict --report $report lost.bin
	expect "lost hooks, --strict, $report" 3 '3 hooks lost' '*'
done
{ prologue; echo 'section hooks ring=0
hook 0x10 1 tid=7 at=1 1 uncommitted
section end'; } | make_trace torn.bin
decode --strict torn.bin
expect "torn hooks, --strict" 3 'torn' '*'
decode good.bin missing.bin
refused "one of two files is missing" 1 'missing.bin'

# System calls that fail, one after the other, while a file is written: either there is a
# line, a status and the old file, or all of the new one.
written() { # NAME INJECTION...
	name=$1
	shift
	cp old report
	ASAN_OPTIONS=detect_leaks=0 timeout 120 strace -f -o calls -e trace=write,close,rename "$@" \
		"$CPIDECODE" --report hooks -o report good.bin >out 2>err
	status=$?
}

whole_or_old() { # NAME STATUS...: after written
	name=$1
	shift
	case " $* " in
	*" $status "*) ;;
	*)
		fail "$name" "status $status"
		return
		;;
	esac
	if [ $status = 0 ]; then
		cmp -s new report || fail "$name" "another report than without"
	else
		cmp -s old report || fail "$name" "the old file is gone"
		one_line "$name" || return
	fi
	[ "$(echo report*)" = report ] || fail "$name" "left behind: $(echo report*)"
	pass "$name"
}

if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
	skip "system calls that fail" "no strace, or it may not trace here"
else
	decode --report hooks -o new good.bin
	written "no failure"
	whole_or_old "no failure" 0
	# To the report itself: all before it is renamed.
	writes=$(grep -c 'write(.*bytes\|write(' calls)
	closes=$(sed '/rename(/,$d' calls | grep -c 'close(')
	n=1
	while [ $n -le "$writes" ]; do
		for error in ENOSPC EIO EDQUOT; do
			written "write $n: $error" -e inject=write:error=$error:when=$n
			whole_or_old "write $n: $error" 1
		done
		written "write $n: EINTR" -e inject=write:error=EINTR:when=$n
		whole_or_old "write $n: EINTR" 0
		written "write $n: nothing" -e inject=write:retval=0:when=$n
		whole_or_old "write $n: nothing" 1
		n=$((n + 1))
	done
	written "close: EIO" -e inject=close:error=EIO:when="$closes"
	whole_or_old "close: EIO" 1
	written "rename: EIO" -e inject=rename:error=EIO
	whole_or_old "rename: EIO" 1
	for signal in TERM INT HUP; do
		written "write 1: SIG$signal" -e inject=write:signal=SIG$signal:when=1
		cmp -s old report && [ "$(echo report*)" = report ] && [ $status -ne 0 ] &&
			pass "SIG$signal: the old file stays" ||
			fail "SIG$signal: the old file stays" "status $status, $(echo report*)"
	done
fi
