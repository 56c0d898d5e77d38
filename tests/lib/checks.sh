# For tests of one file each, in a folder of their own, which the first failure ends: stdout of the last command is
# in out, stderr in err. Sourced by the lib.sh beside them.
# shellcheck shell=sh

fail()
{
	echo "${0##*/}: $*" >&2
	for file in out err; do
		[ -f $file ] || continue
		echo "-- $file:" >&2
		head -n 20 $file >&2
	done
	exit 1
}

skip()
{
	echo "skipped: ${0##*/}: $*"
	exit 77
}

# in_file FILE PATTERN: an extended regular expression stands in it.
in_file()
{
	grep -aEq -- "$2" "$1" || fail "$1 has no '$2'"
}

# refuses STATUS PATTERN ARGUMENTS...: the command, by the lib.sh's `run`, prints one line on stderr that has it,
# and nothing on stdout.
refuses()
{
	refusal=$1
	pattern=$2
	shift 2
	run "$refusal" "$@"
	[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fail "$*: expected one line on stderr and nothing on stdout"
	in_file err "$pattern"
}

# is_json FILE: an object in each line (RFC 8259); is_csv FILE: as many cells in each, CR LF (RFC 4180).
# WELLFORMED names tests/lib/wellformed_main.c.
is_json()
{
	is_wellformed json "$1"
}

is_csv()
{
	is_wellformed csv "$1"
}

is_wellformed()
{
	[ -s "$2" ] || fail "$2: empty, not $1"
	"${WELLFORMED:?the checker of formats}" "$1" "$2" >wrong || fail "$(cat wrong)"
}

# wait_until COMMAND...: for at most a minute; more on a slow machine.
wait_until()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || fail "waited in vain: $*"
		sleep 0.02
	done
}
