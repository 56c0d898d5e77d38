# For tests of many results, of which a failed one ends nothing. Sourced; the last command is tally. out and err
# name the files with the output of the last command, which a failure shows.
# shellcheck shell=sh disable=SC2034

passed=0 failed=0 skipped=0

pass() # [NAME]
{
	passed=$((passed + 1))
	[ $# -eq 0 ] || echo "ok: $1"
}

fail() # NAME [WHY]
{
	failed=$((failed + 1))
	echo "FAILED: $1${2+: $2}"
	for output in "${out-}" "${err-}"; do
		[ ! -s "$output" ] || sed "s/^/  ${output##*/}: /" "$output" | cat -v | head -n 20
	done
}

skip() # NAME [WHY]
{
	skipped=$((skipped + 1))
	echo "skipped: $1${2+: $2}"
}

# same WHAT ACTUAL EXPECTED
same()
{
	if [ "$2" = "$3" ]; then
		pass
	else
		fail "$1: '$2' instead of '$3'"
	fi
}

# exits STATUS COMMAND...: runs it, and judges its status.
exits()
{
	want=$1
	shift
	status=0
	"$@" >"$out" 2>"$err" </dev/null || status=$?
	if [ "$status" -eq "$want" ]; then
		pass
		return 0
	fi
	fail "$*: exit status $status instead of $want"
	return 1
}

# matches FILE PATTERN: the pattern "" is an empty file, "*" any; else an extended regular expression for a line.
matches()
{
	case $2 in
	'*') return 0 ;;
	'') [ ! -s "$1" ] ;;
	*) grep -Eqa -- "$2" "$1" ;;
	esac
}

# expect NAME STATUS [STDERR-PATTERN [STDOUT-PATTERN]]: judges the last command by $status, $err and $out.
expect()
{
	if [ "$status" != "$2" ]; then
		fail "$1" "exit status $status instead of $2"
	elif ! matches "$err" "${3-*}"; then
		fail "$1" "standard error is not as expected: $3"
	elif ! matches "$out" "${4-*}"; then
		fail "$1" "standard output is not as expected: $4"
	else
		pass "$1"
	fi
}

tally()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}
