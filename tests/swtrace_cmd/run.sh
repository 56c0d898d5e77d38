#!/bin/sh
# The swtrace command, end to end. SWTRACE, CPIDECODE and WRITER name the programs;
# without them they are looked for in BUILD (default: the current directory).
# usage: sh run.sh [PART ...]
set -u

BUILD=${BUILD:-$PWD}
SWTRACE=${SWTRACE:-$BUILD/swtrace}
CPIDECODE=${CPIDECODE:-$BUILD/cpidecode}
WRITER=${WRITER:-$BUILD/swtrace_writer}
dir=$(mktemp -d "${TMPDIR:-/tmp}/swtrace-cmd.XXXXXX") || exit 1
shm=$(mktemp -d /dev/shm/swtrace-cmd-test.XXXXXX) || exit 1
chmod 755 "$dir" "$shm"
out=$dir/out err=$dir/err
session=0 pids=
. "${0%/*}/../lib/results.sh"

cleanup()
{
	for pid in $pids; do
		kill "$pid" 2>/dev/null
	done
	[ -d "$dir/small" ] && umount "$dir/small" 2>/dev/null
	rm -rf "$dir" "$shm"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

# A session of its own for what follows.
fresh()
{
	session=$((session + 1))
	SWTRACE_SESSION=$shm/s$session
	export SWTRACE_SESSION
}

# refuses CODE COMMAND ...: that code, one line on stderr, nothing on stdout.
refuses()
{
	exits "$@" || return
	if [ "$(wc -l <"$err")" -eq 1 ] && [ ! -s "$out" ]; then
		count_pass
	else
		count_failure "$*: expected one line on stderr and nothing on stdout"
	fi
}

# says FILE PATTERN: FILE has a line that matches.
says()
{
	if grep -q -e "$2" "$1"; then
		count_pass
	else
		count_failure "no line matches '$2'"
	fi
}

# until_true COMMAND: waits at most a minute for it to succeed.
until_true()
{
	for _ in $(seq 1200); do
		if eval "$1" >/dev/null 2>&1; then
			count_pass
			return 0
		fi
		sleep 0.05
	done
	count_failure "after a minute still not: $1"
	return 1
}

# number KEY: from the total of info --json.
number()
{
	"$SWTRACE" info --json 2>"$err" | tee "$out" | sed 's/.*"total": {//; s/}.*//' |
		sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p"
}

# From the line that dump and run leave on stderr: hooks, lost, overwritten, torn.
summary()
{
	case $1 in
	hooks) sed -n 's/.*: \([0-9]*\) hooks\{0,1\} in .*/\1/p' "$err" ;;
	*) sed -n "/ hooks\{0,1\} in /s/.*[;,] $1 \([0-9]*\).*/\1/p" "$err" ;;
	esac
}

# The header's and the last section's magic: a whole file begins and ends so.
is_trace()
{
	case $(head -c 8 "$1" | od -An -tx1 | tr -d ' \n') in
	895357540d0a1a0a) ;;
	*)
		count_failure "$1 does not begin as a trace does"
		return
		;;
	esac
	# END: "SWTS", type 8.
	same "$1: the last section" "$(tail -c 64 "$1" | head -c 6 | od -An -tx1 | tr -d ' \n')" \
		535754530800
	[ -x "$CPIDECODE" ] || return
	if "$CPIDECODE" --report info "$1" >"$dir/info" 2>"$dir/told" &&
		! grep -q -i -e damage -e 'cut off' -e skipped "$dir/told"; then
		count_pass
	else
		count_failure "$1: cpidecode says: $(head -n 5 "$dir/told")"
	fi
}

[ $# -gt 0 ] || set -- usage verbs dump private users containers cgroups space large doctor concurrent
for part; do
	. "$(dirname "$0")/$part.sh"
done

tally
