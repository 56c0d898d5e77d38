#!/bin/sh
# End to end: programs write through libswtrace, swtrace dumps, cpidecode tells, and what it
# tells is compared with what was written.
# Environment: SWTRACE, CPIDECODE: the commands; WRITERS, VERIFY: the programs of this folder.
set -u
: "${SWTRACE:?}" "${CPIDECODE:?}" "${WRITERS:?}" "${VERIFY:?}"

. "${0%/*}/../lib/tally.sh"
SWTRACE_SESSION=/dev/shm/swtrace-e2e.$$
export SWTRACE_SESSION
trap 'rm -rf "$work" "$SWTRACE_SESSION"' EXIT

fresh() { # init options
	rm -rf "$SWTRACE_SESSION"
	"$SWTRACE" init "$@" 2>"$work/log" && "$SWTRACE" on 2>>"$work/log"
}
dump() { "$SWTRACE" off && "$SWTRACE" dump "$@" "$work/t.bin"; }
# Changes of the wall clock are reported, and do not count as damage.
hooks() {
	"$CPIDECODE" --report hooks --format json "$work/t.bin" 2>"$work/told"
	status=$?
	grep -vE 'CLOCK_REALTIME|the clocks contradict|the machine was suspended' "$work/told" \
		>"$work/stderr"
	return $status
}

# The sum of a column of the loss table, from the info report's json.
ledger() { # KEY
	"$CPIDECODE" --report info --format json "$work/t.bin" 2>/dev/null | tr ',{' '\n\n' |
		sed -n "s/.*\"$1\": *\([0-9][0-9]*\).*/\1/p" | awk '{ s += $1 } END { print s + 0 }'
}

adds_up() { # HOOKS ATTEMPTED
	sum=$(($1 + $(ledger overwritten) + $(ledger lost_full) + $(ledger lost_too_big) +
		$(ledger lost_held) + $(ledger lost_no_guest) + $(ledger torn)))
	[ "$sum" -eq "$2" ] || { echo "the ledger sums up to $sum of $2"; return 1; }
}

all_there() { # PROCESSES THREADS HOOKS HOW, how many runs of HOOKS in all
	fresh -s 64 || return 1
	"$WRITERS" "$1" "$2" "$3" "$4" && dump --compress "$6" || return 1
	hooks >"$work/hooks" || return 1
	n=$("$VERIFY" all "$1" "$2" "$3" <"$work/hooks") || { echo "$n"; return 1; }
	[ "$n" -eq $(($5 * $3)) ] || { echo "$n hooks of $(($5 * $3))"; return 1; }
	[ ! -s "$work/stderr" ] || { cat "$work/stderr"; return 1; }
}
for codec in none lz4 zlib; do
	check "four processes of three threads: every hook, once, in order ($codec)" \
		all_there 4 3 20000 "" 12 $codec
done
check "forked children write under their own ids" all_there 6 2 5000 fork 13 lz4
guest_rings() {
	(
		SWTRACE_TEST_GUEST=1
		export SWTRACE_TEST_GUEST
		all_there 1 1 20000 "" 1 lz4
	) && grep -q '"cpu":null' "$work/hooks"
}
check "a thread without rseq writes to a guest ring, and its cpu is null" guest_rings

wrapped() {
	fresh -s 1 -t wrap || return 1
	"$WRITERS" 3 2 30000 && dump || return 1
	hooks >"$work/hooks" || return 1
	n=$("$VERIFY" suffix 3 2 30000 <"$work/hooks") || { echo "$n"; return 1; }
	adds_up "$n" 180000 || return 1
	grep -q overwritten "$work/stderr"
}
check "wrap mode: the newest hooks are in the dump, and the ledger is exact" wrapped
wrapped_guests() {
	(
		SWTRACE_TEST_GUEST=1
		export SWTRACE_TEST_GUEST
		wrapped
	)
}
check "the same on guest rings" wrapped_guests

full() {
	fresh -s 1 || return 1
	"$WRITERS" 3 2 30000 && dump || return 1
	hooks >"$work/hooks" || return 1
	n=$("$VERIFY" suffix 3 2 30000 <"$work/hooks") || { echo "$n"; return 1; }
	adds_up "$n" 180000 || return 1
	grep -q lost "$work/stderr" || return 1
	"$CPIDECODE" --strict "$work/t.bin" >/dev/null 2>&1
	[ $? -eq 3 ]
}
check "normal mode: full rings stop, the ledger is exact, --strict exits 3" full

dump_while_on() {
	fresh -s 2 -t wrap || return 1
	"$WRITERS" 2 2 300000 &
	for _ in 1 2 3 4 5; do
		"$SWTRACE" dump "$work/t.bin" || return 1
		hooks >"$work/hooks" || return 1
		"$VERIFY" suffix 2 2 300000 <"$work/hooks" || return 1
	done
	wait
}
check "dumps while tracing are complete and in order" dump_while_on

late() {
	rm -rf "$SWTRACE_SESSION"
	mkfifo "$work/in" "$work/out" || return 1
	"$WRITERS" 1 1 1000 late <"$work/in" >"$work/out" &
	exec 8>"$work/in" 9<"$work/out"
	read -r line <&9 && [ "$line" = ready ] || return 1
	"$SWTRACE" init && "$SWTRACE" on || return 1
	echo go >&8
	wait $! || return 1
	exec 8>&- 9<&-
	dump && hooks >"$work/hooks" || return 1
	[ "$("$VERIFY" all 1 1 1000 <"$work/hooks")" = 1000 ]
}
check "a program that started before init traces after on" late

off_is_success() {
	rm -rf "$SWTRACE_SESSION"
	"$WRITERS" 2 2 1000 || return 1
	"$SWTRACE" init && "$WRITERS" 2 2 1000 && "$SWTRACE" dump "$work/t.bin" || return 1
	[ -z "$(hooks)" ]
}
check "tracing that is off is success, and writes nothing" off_is_success

named() {
	fresh && "$WRITERS" 1 2 100 names && dump && hooks >"$work/hooks" || return 1
	grep -q '"task":"w0.0"' "$work/hooks" && grep -q '"task":"w0.1"' "$work/hooks"
}
check "tasks have their threads' names" named

disabled() {
	fresh && "$SWTRACE" disable 0x42 && "$WRITERS" 1 1 100 && "$SWTRACE" enable 66 &&
		"$WRITERS" 1 1 10 && dump || return 1
	[ "$(hooks | wc -l)" -eq 10 ]
}
check "a disabled major writes nothing, enabled again it does" disabled

pipe() {
	fresh && "$WRITERS" 1 2 1000 && "$SWTRACE" off && "$SWTRACE" dump - |
		"$CPIDECODE" --report hooks --format json - >"$work/hooks" || return 1
	[ "$("$VERIFY" all 1 2 1000 <"$work/hooks")" = 2000 ]
}
check "dump - into cpidecode -" pipe

private() {
	"$SWTRACE" run -o "$work/t.bin" -- "$WRITERS" 2 2 1000 || return 1
	hooks >"$work/hooks" || return 1
	[ "$("$VERIFY" all 2 2 1000 <"$work/hooks")" = 4000 ]
}
check "swtrace run: trace, run, dump" private

"$SWTRACE" free >/dev/null 2>&1
tally
