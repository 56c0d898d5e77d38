# For the tests beside it: `. "${0%/*}/lib.sh"`. SWTRACE is the command, WORK the program that
# works a known amount, WELLFORMED the checker of formats
# (tests/lib/checks.sh).
# shellcheck shell=sh

set -eu
. "${0%/*}/../lib/checks.sh"
. "${0%/*}/../lib/work_folder.sh"
: "${SWTRACE:?the swtrace command}" "${WORK:?the program tests/stat/work.c}"

chmod 755 "$dir"

# run STATUS ARGUMENTS...: swtrace stat, stdout to out, stderr to err.
run()
{
	expected=$1
	shift
	status=0
	"$SWTRACE" stat "$@" >out 2>err </dev/null || status=$?
	[ "$status" -eq "$expected" ] || fail "swtrace stat $*: exit $status, expected $expected"
}

# cells FILE KIND EVENT: the counts of its rows of all places, a line each. User mode only
# counts, too, where that is all this user may.
cells()
{
	tr -d '\r' <"$1" | awk -F, -v kind="$2" -v event="$3" \
		'$1 == kind && $4 == "" && ($5 == event || $5 == event ":u") { print $6 }'
}

# total EVENT: of the last run, whose CSV is in the file counts.
total()
{
	cells counts total "$1"
}

# near WHAT VALUE LOW HIGH
near()
{
	[ -n "$2" ] || fail "$1 was not counted"
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1: $2, expected $3 to $4"
}

# measured EVENT: whether it is counted here at all.
measured()
{
	"$SWTRACE" stat --csv -o probe -e "$1" -- true >/dev/null 2>&1 || return 1
	[ -n "$(cells probe total "$1")" ]
}

is_gone()
{
	! kill -0 "$1" 2>/dev/null
}
