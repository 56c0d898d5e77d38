# results.sh, for checks that are commands, in a folder of their own: work. Sourced; the last command is tally.
# shellcheck shell=sh disable=SC2034

. "${0%/*}/../lib/results.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
out=$work/log # of the last check

check() # NAME COMMAND...
{
	name=$1
	shift
	if "$@" >"$out" 2>&1; then count_pass "$name"; else count_failure "$name"; fi
}

# fails_with STATUS COMMAND...: with one line on stderr.
fails_with()
{
	want=$1
	shift
	status=0
	"$@" 2>"$work/complaint" >/dev/null || status=$?
	[ "$status" -eq "$want" ] && [ "$(wc -l <"$work/complaint")" -eq 1 ] && return
	cat "$work/complaint"
	return 1
}
