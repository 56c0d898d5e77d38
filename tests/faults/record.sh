# shellcheck shell=sh disable=SC2154,SC2034
# Sourced by run.sh: continuous mode. A failure ends it in a valid file, a counted loss, a
# clear line and its exit code.

# figures: hooks, lost and torn of record's last line.
figures() {
	sed -n 's/.*: \([0-9]*\) hooks, .*lost \([0-9]*\).*torn \([0-9]*\).*/\1 \2 \3/p' "$err"
}

# decodes FILE: to its last whole section; at most its end is missing. The count in $found.
decodes() {
	timeout 120 "$CPIDECODE" --report hooks --format csv "$1" >"$dir/hooks" 2>"$dir/told" ||
		return 1
	found=$(($(wc -l <"$dir/hooks") - 1))
	! grep -vqE "cut off| lost|not written|$clock_lines" "$dir/told"
}

# adds_up ATTEMPTED: what record says is in the file is there, and the rest is counted. After
# a failure tracing is off, and what a program does then was not attempted.
adds_up() {
	# shellcheck disable=SC2046
	set -- "$1" $(figures)
	[ $# -eq 4 ] && [ "$2" -eq "$found" ] || return 1
	if [ "$status" -eq 0 ]; then
		[ $(($2 + $3 + $4)) -eq "$1" ]
	else
		[ $(($2 + $3 + $4)) -le "$1" ] && { [ "$3" -gt 0 ] || [ "$2" -eq "$1" ]; }
	fi
}

# judge_recording WHAT ATTEMPTED: the end of a recording, in $status, $t and $err.
judge_recording() {
	case $status in
	0)
		if whole "$t" "$2"; then
			count_pass
		elif decodes "$t" && { adds_up "$2" || partial "$t"; }; then
			count_pass
		else
			count_failure "$1: exit code 0, and hooks are missing without a word"
		fi
		;;
	1)
		if clear_line; then count_pass; else count_failure "$1: no clear line"; fi
		if [ ! -e "$t" ]; then
			count_pass
		elif ! decodes "$t"; then
			count_failure "$1: no valid file: $(head -n 2 "$dir/told")"
		elif [ -z "$(figures)" ] || adds_up "$2"; then
			count_pass
		else
			count_failure "$1: $found hooks in the file of $2"
		fi
		;;
	126 | 127) if clear_line; then count_pass; else count_failure "$1: no clear line"; fi ;;
	*) count_failure "$1: exit code $status" ;;
	esac
	nothing_left "$1"
}

judge_record() {
	judge_recording "$1" 2000
}

part_record() {
	unset SWTRACE_SESSION
	close_of=$t brief=
	sweep record fresh_work judge_record \
		"$SWTRACE" record -s 1 -ss 4 -o "$t" -- "$WRITER" hooks 2000
	close_of=
}
