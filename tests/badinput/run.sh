#!/bin/sh
# Bad traces, bad options, bad outputs: run.sh [GROUP...]. CPIDECODE, MKTRACE and CHANGED
# name the programs. A group is a file beside this one. Every run has a time limit, and a run that
# ends by a signal or with a status that cpidecode(1) does not know has failed.
here=$(cd "$(dirname "$0")" && pwd)
: "${CPIDECODE:=cpidecode}" "${MKTRACE:=mktrace}" "${CHANGED:=changed}"
for program in "$CPIDECODE" "$MKTRACE" "$CHANGED"; do
	command -v "$program" >/dev/null || {
		echo "run.sh: $program: no such program (set CPIDECODE, MKTRACE and CHANGED)" >&2
		exit 2
	}
done
case $CPIDECODE in */*) CPIDECODE=$(cd "$(dirname "$CPIDECODE")" && pwd)/${CPIDECODE##*/} ;; esac
case $CHANGED in */*) CHANGED=$(cd "$(dirname "$CHANGED")" && pwd)/${CHANGED##*/} ;; esac
case $MKTRACE in */*) MKTRACE=$(cd "$(dirname "$MKTRACE")" && pwd)/${MKTRACE##*/} ;; esac
export TZ=UTC LC_ALL=C NO_COLOR=1
work=$(mktemp -d) || exit 1
trap 'chmod -R u+rwx "$work" && rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
passed=0 failed=0 skipped=0

pass() {
	passed=$((passed + 1))
	echo "ok $1"
}

fail() {
	failed=$((failed + 1))
	echo "FAILED $1: $2"
	[ -s err ] && sed -n '1,15p' err | cat -v
}

skip() {
	skipped=$((skipped + 1))
	echo "skipped $1: $2"
}

# The script on standard input as a trace in FILE (t.bin).
make_trace() {
	"$MKTRACE" - "${1:-t.bin}" || {
		fail "${1:-t.bin}" "mktrace"
		return 1
	}
}

# decode OPTIONS...: status in $status, output in out and err.
decode() {
	timeout 120 "$CPIDECODE" "$@" >out 2>err </dev/null
	status=$?
}

# expect NAME STATUS [STDERR-PATTERN [STDOUT-PATTERN]]: judges the last decode. The pattern
# "" is an empty stream, "*" anything; else an extended regular expression for some line.
expect() {
	if [ "$status" != "$2" ]; then
		fail "$1" "exit status $status instead of $2"
	elif ! matches err "${3-*}"; then
		fail "$1" "standard error is not as expected: $3"
	elif ! matches out "${4-*}"; then
		fail "$1" "standard output is not as expected: $4"
	else
		pass "$1"
	fi
}

matches() {
	case $2 in
	'*') return 0 ;;
	'') [ ! -s "$1" ] ;;
	*) grep -Eqa -- "$2" "$1" ;;
	esac
}

# Exactly one line on standard error: what, where, why.
one_line() {
	if [ "$(wc -l <err)" -eq 1 ]; then
		return 0
	fi
	fail "$1" "$(wc -l <err) lines on standard error instead of one"
	return 1
}

# refused NAME STATUS PATTERN: no output, one line on standard error.
refused() {
	if [ "$status" = "$2" ] && ! one_line "$1"; then
		return
	fi
	expect "$1" "$2" "$3" ""
}

# next_turn ODD EVEN: the reports of the next bad trace, in $turn. In a sanitized build (SAMPLED), whose commands
# are slow, each trace has one half of them, and the next one the other.
turns=0
next_turn() {
	turns=$((turns + 1)) turn="$1 $2"
	[ -n "${SAMPLED-}" ] || return 0
	if [ $((turns % 2)) -eq 1 ]; then turn=$1; else turn=$2; fi
}
[ -z "${SAMPLED-}" ] ||
	skip "half of the reports of each bad section and record" "the build without a sanitizer has them"

hooks_out() {
	wc -l <out | tr -d ' '
}

# The status is one that the manual lists; sanitizers have their own.
sane() {
	case $status in
	0 | 1 | 3) ! grep -qaE 'Sanitizer|runtime error' err ;;
	*) return 1 ;;
	esac
}

# The file header and the sections that every script here starts with.
prologue() {
	echo 'clock tsc
hz 1000000000
sync 0 1700000000000000000 1000
cpus 2
section meta
| host: bad
section tasks
task 7 5 0 "worker"'
}

[ $# -gt 0 ] || set -- files truncation sections records options output damage
for group in "$@"; do
	. "$here/$group.sh"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
