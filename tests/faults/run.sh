#!/bin/sh
# swtrace while system calls fail: run.sh [--all] [PART...]. Parts: dump, run, init,
# program, record, real. SWTRACE, CPIDECODE and WRITER name the programs.
#
# The sweep lets the N-th call of a kind fail, for every N until there is no N-th call any more
# (strace's inject). Without --all it takes every N up to 12 and then steps. "real" needs no
# strace: limits, full file systems, closed pipes, vanished paths, signals.
set -u
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$PWD}
SWTRACE=${SWTRACE:-$BUILD/swtrace}
CPIDECODE=${CPIDECODE:-$BUILD/cpidecode}
WRITER=${WRITER:-$BUILD/swtrace_writer}
all=0 parts=
for argument in "$@"; do
	case $argument in
	--all) all=1 ;;
	-*)
		echo "run.sh: unknown option $argument" >&2
		exit 2
		;;
	*) parts="$parts $argument" ;;
	esac
done

uid=$(id -u)
# A private /dev/shm, so that other programs' private sessions do not count as left behind.
if [ "$uid" -eq 0 ] && [ -z "${SWTRACE_FAULTS_INSIDE-}" ] &&
	unshare -m true 2>/dev/null; then
	SWTRACE_FAULTS_INSIDE=1
	export SWTRACE_FAULTS_INSIDE SWTRACE CPIDECODE WRITER
	# shellcheck disable=SC2016
	exec unshare -m --propagation private sh -c \
		'mount -t tmpfs -o size=256m,mode=1777 tmpfs /dev/shm && exec sh "$@"' \
		sh "$here/run.sh" "$@"
fi

dir=$(mktemp -d "${TMPDIR:-/tmp}/swtrace-faults.XXXXXX") || exit 1
shm=$(mktemp -d /dev/shm/swtrace-faults.XXXXXX) || exit 1
out=$dir/out err=$dir/err log=$dir/log
work=$dir/work # where the file goes; nothing else is ever there
t=$work/t.bin
runs=0
. "$here/../lib/results.sh"
export NO_COLOR=1 LC_ALL=C

cleanup() {
	[ -d "$dir/small" ] && umount "$dir/small" 2>/dev/null
	rm -rf "$dir" "$shm"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

# is_there FILE...: whether the first of a pattern's files exists. Costs no process: thousands of runs
# are judged.
is_there() {
	[ -e "$1" ]
}

# The private sessions of this user, and whether there are any.
left() {
	ls -d /dev/shm/swtrace."$uid".run.*
}
is_left() {
	is_there /dev/shm/swtrace."$uid".run.*
}

. "$here/judge.sh"
. "$here/sweep.sh"
. "$here/real.sh"
. "$here/record.sh"

if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
	count_skip "the sweep: no strace, or it may not trace here"
	sweeps=0
else
	sweeps=1
fi
for part in ${parts:-dump run init program record real}; do
	before=$((passed + failed)) runs=0
	"part_$part"
	echo "$part: $runs runs, $((passed + failed - before)) checks"
done
tally
