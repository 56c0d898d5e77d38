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
out=$work/out err=$work/err
. "$here/../lib/results.sh"

# The script on standard input as a trace in FILE (t.bin).
make_trace() {
	"$MKTRACE" - "${1:-t.bin}" || {
		count_failure "${1:-t.bin}" "mktrace"
		return 1
	}
}

# decode OPTIONS...: status in $status, output in out and err.
decode() {
	timeout 120 "$CPIDECODE" "$@" >out 2>err </dev/null
	status=$?
}

# Exactly one line on standard error: what, where, why.
one_line() {
	if [ "$(wc -l <err)" -eq 1 ]; then
		return 0
	fi
	count_failure "$1" "$(wc -l <err) lines on standard error instead of one"
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
	count_skip "half of the reports of each bad section and record" "the build without a sanitizer has them"

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
tally
