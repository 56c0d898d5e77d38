# shellcheck shell=sh disable=SC2154
# Sourced by run.sh: requirements on a run, whatever failed in it.

# Reports of changes to the wall clock meanwhile are no fault of the trace.
clock_lines='CLOCK_REALTIME|the clocks contradict|the machine was suspended'

# whole FILE [HOOKS]: a complete trace, of that many hooks.
whole() {
	timeout 120 "$CPIDECODE" --report hooks --format csv --strict "$1" >"$dir/hooks" \
		2>"$dir/told" || return 1
	! grep -qvE "$clock_lines" "$dir/told" || return 1
	[ -z "${2-}" ] || [ "$(wc -l <"$dir/hooks")" -eq $(($2 + 1)) ]
}

# partial FILE: a complete file; a read error made it miss data, which is reported.
partial() {
	grep -q 'a program truncated or overwrote' "$err" &&
		timeout 120 "$CPIDECODE" --report info "$1" >"$dir/info" 2>"$dir/told"
}

# clear_line: standard error is one line, or two, of swtrace's own, that say something. Not if
# it was the writing of that line that failed.
clear_line() {
	grep -q '\<write(2, .*INJECTED' "$log" && return 0
	[ "$(wc -l <"$err")" -ge 1 ] && [ "$(wc -l <"$err")" -le 2 ] &&
		! grep -qv '^swtrace' "$err" &&
		! grep -q -i -e 'unknown error' -e '(null)' -e ': Success' "$err"
}

# nothing_half: no temporary file stays, unless it was its removal that failed.
nothing_half() {
	grep -q '\<unlink.*INJECTED' "$log" && return 0
	! is_there "$work"/*.tmp && ! is_there "$work"/.*.tmp
}

# judge_file WHAT HOOKS: a dump's end: a whole file or none, a documented exit code.
judge_file() {
	case $status in
	0)
		if whole "$t" "$2" || partial "$t"; then count_pass; else count_failure "$1: exit code 0, but no complete trace"; fi
		;;
	1)
		if clear_line; then count_pass; else count_failure "$1: no clear line"; fi
		if [ ! -e "$t" ] || whole "$t" "$2"; then count_pass; else count_failure "$1: half a file"; fi
		;;
	*) count_failure "$1: exit code $status" ;;
	esac
	if nothing_half; then count_pass; else count_failure "$1: a temporary file stays"; fi
}

# nothing_left WHAT: no private session; or, if removing it was what failed, one that the next
# run removes once it is settled.
nothing_left() {
	if is_left && [ -s "$log" ]; then
		left | xargs touch -d '1 hour ago'
		"$SWTRACE" run -s 1 -o /dev/null -- true 2>/dev/null
	fi
	if is_left; then count_failure "$1: left behind: $(left)"; else count_pass; fi
	if is_left || is_there /dev/shm/swtrace."$uid".kept.*; then
		rm -rf /dev/shm/swtrace."$uid".run.* /dev/shm/swtrace."$uid".kept.*
	fi
}
