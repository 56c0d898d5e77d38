# Counts many results; a failed one does not end the test, as fail of checks.sh does. Sourced; the last command is
# tally. out and err name the files with the output of the last command, which a failure shows.
# shellcheck shell=sh disable=SC2034

passed=0 failed=0 skipped=0

count_pass() # [NAME]
{
	passed=$((passed + 1))
	[ $# -eq 0 ] || echo "ok: $1"
}

count_failure() # NAME [WHY]
{
	failed=$((failed + 1))
	echo "FAILED: $1${2+: $2}"
	for output in "${out-}" "${err-}"; do
		[ ! -s "$output" ] || sed "s/^/  ${output##*/}: /" "$output" | cat -v | head -n 20
	done
}

count_skip() # NAME [WHY]
{
	skipped=$((skipped + 1))
	echo "skipped: $1${2+: $2}"
}

# same WHAT ACTUAL EXPECTED
same()
{
	if [ "$2" = "$3" ]; then
		count_pass
	else
		count_failure "$1: '$2' instead of '$3'"
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
		count_pass
		return 0
	fi
	count_failure "$*: exit status $status instead of $want"
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
		count_failure "$1" "exit status $status instead of $2"
	elif ! matches "$err" "${3-*}"; then
		count_failure "$1" "standard error is not as expected: $3"
	elif ! matches "$out" "${4-*}"; then
		count_failure "$1" "standard output is not as expected: $4"
	else
		count_pass "$1"
	fi
}

tally()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}
