#!/bin/sh
# The quality hook, end to end: what a program is known to have done is in the decoder's columns.
# Environment: SWTRACE, CPIDECODE: the commands; QUALITY: the program of this folder.
set -u
: "${SWTRACE:?}" "${CPIDECODE:?}" "${QUALITY:?}"

. "${0%/*}/../lib/tally.sh"
SWTRACE_SESSION=/dev/shm/swtrace-quality.$$
SWTRACE_COUNTERS=software
export SWTRACE_SESSION SWTRACE_COUNTERS
trap 'rm -rf "$work" "$SWTRACE_SESSION"' EXIT

trace() { # ARGUMENTS of the program
	rm -rf "$SWTRACE_SESSION"
	"$SWTRACE" init && "$SWTRACE" on && "$QUALITY" "$@" && "$SWTRACE" off &&
		"$SWTRACE" dump "$work/t.bin" &&
		"$CPIDECODE" --report intervals --format csv "$work/t.bin" | tr -d '\r' >"$work/csv"
}

# The cell of a label's row, by the column's name.
cell() { # LABEL COLUMN
	awk -F, -v label="$1" -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 && $at["label"] == label { print $at[column] }' "$work/csv"
}

at_least() { # LABEL COLUMN N
	value=$(cell "$1" "$2")
	[ -n "$value" ] && [ "$value" -ge "$3" ] ||
		{ echo "$1: $2 is ${value:-empty}, not $3"; cat "$work/csv"; return 1; }
}

less_than() { # LABEL COLUMN N
	value=$(cell "$1" "$2")
	[ -n "$value" ] && [ "$value" -lt "$3" ] ||
		{ echo "$1: $2 is ${value:-empty}, not below $3"; cat "$work/csv"; return 1; }
}

unknown() { # LABEL COLUMN...
	label=$1
	shift
	for column in "$@"; do
		value=$(cell "$label" "$column")
		[ -z "$value" ] || { echo "$label: $column is $value"; return 1; }
	done
	cell "$label" flags | grep -q '+quality'
}

# The thread's clock, which its on-thread figures read at the start as well where the kernel trusts
# the time-stamp counter, tells the time off the processor.
late_unknown() {
	unknown asleep ctx_switches migrations faults &&
		{ [ -z "$(cell asleep off_cpu_ns)" ] || at_least asleep off_cpu_ns 50000000; }
}

asleep() {
	at_least asleep off_cpu_ns 50000000 && at_least asleep ctx_switches 5 &&
		cell asleep flags | grep -q '^summary+quality'
}

# How many of a crowd's intervals of a millisecond or more say that there was no switch, and how
# many do not say. A host that stopped the processor is no switch, either.
crowd_counts() {
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["end_ns"] - $at["start_ns"] >= 1000000 {
			none += $at["ctx_switches"] == "0"
			unknown += $at["ctx_switches"] == ""
		}
		END { print none + 0, unknown + 0 }' "$work/csv"
}

crowd_unknown() {
	crowd_counts >"$work/counts"
	read -r none unknown <"$work/counts"
	echo "$none without a switch, $unknown unknown"
	[ "$none" -le "$((2 + unknown / 2))" ]
}

in_text() {
	"$CPIDECODE" --report intervals "$work/t.bin" >"$work/text" || return 1
	grep -q 'off CPU  *switches  *migr  *faults' "$work/text" &&
		grep -q 'asleep .*quality' "$work/text"
}

in_hooks() {
	"$CPIDECODE" --report hooks --format json "$work/t.bin" | grep '"name":"quality"' >"$work/hooks"
	[ "$(wc -l <"$work/hooks")" -eq "$(($(wc -l <"$work/csv") - 1))" ] || return 1
	# No instructions; busy by the accounting and the cycles by the clock, where the rates are known.
	grep '"on_cpu_ns"' "$work/hooks" >"$work/known" &&
		! grep -Ev '"num_quantities":4,"source":\[0,[067],0,[08]\]' "$work/known"
}

check "a program with quality hooks" trace
check "50 ms of sleep are off the processor, in switches" asleep
check "200 new pages are page faults" at_least pages faults 200
check "which sleeping took none of" less_than asleep faults 200
if [ -z "$(cell asleep migrations)" ]; then
	count_skip "migrations" "this user may not count them in the kernel"
elif [ -z "$(cell moved flags)" ]; then
	count_skip "migrations" "one processor"
else
	check "a thread that was moved has migrated" at_least moved migrations 1
fi
check "of an interval that another thread ended, nothing of the thread is known" \
	unknown elsewhere off_cpu_ns ctx_switches migrations faults
check "columns in the text report" in_text
check "the hooks report has the quantities" in_hooks
check "asked for by CpiGetAndTrace alone" trace late
check "what only a start begins to count is not known then" late_unknown
check "threads that preempt each other" trace crowd
check "who was preempted between an interval's end and its stamp was not there all the time" crowd_unknown

tally
