# For the tests ai_*.sh and counters_*.sh: `. "${0%/*}/lib.sh"`. SWTRACE is the command,
# WELLFORMED the checker of formats.
# shellcheck shell=sh

set -eu
. "${0%/*}/../lib/checks.sh"
. "${0%/*}/../lib/work_folder.sh"
: "${SWTRACE:?the swtrace command}"

session=$(mktemp -d /dev/shm/swtrace-cmd-test.XXXXXX)
export SWTRACE_SESSION="$session"

# run STATUS ARGUMENTS...: swtrace, stdout to out, stderr to err.
run()
{
	expected=$1
	shift
	status=0
	"$SWTRACE" "$@" >out 2>err </dev/null || status=$?
	[ "$status" -eq "$expected" ] || fail "swtrace $*: exit $status, expected $expected"
}

# The highest processor online, and one.
processors()
{
	sed 's/.*[-,]//' /sys/devices/system/cpu/online | awk '{ print $1 + 1 }'
}
