# For tests of many results, of which a failed one ends nothing: work is a folder of their own. Sourced;
# the last command is tally.
# shellcheck shell=sh disable=SC2034

passed=0 failed=0 skipped=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

ok() # NAME
{
	passed=$((passed + 1))
	echo "ok: $1"
}

no() # NAME
{
	failed=$((failed + 1))
	echo "FAILED: $1"
	[ ! -s "$work/log" ] || sed 's/^/  /' "$work/log"
}

skip() # NAME WHY
{
	skipped=$((skipped + 1))
	echo "skipped: $1: $2"
}

check() # NAME COMMAND...
{
	name=$1
	shift
	if "$@" >"$work/log" 2>&1; then ok "$name"; else no "$name"; fi
}

tally()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}
