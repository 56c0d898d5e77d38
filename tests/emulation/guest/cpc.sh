# libcpc, swtrace stat and swtrace event over hardware counters.
echo 2 >/proc/sys/kernel/perf_event_paranoid
echo 1 >/proc/sys/kernel/perf_user_access
for kind in shared static; do
	check "libcpc's tests ($kind)" test_libcpc_$kind
done

# Each turn of the computation is longer by as many instructions, and each takes a cycle. A tick
# that comes amid a sample has it read again: one such turn is in three differences.
measure() {
	EVENT0=instructions EVENT1=cycles cpc_measure >/tmp/measure || return 1
	cat /tmp/measure
	awk '
	$2 != $3 || $2 == 0 { bad = 1 }
	NR > 4 && $2 - last != more { odd++ }
	{ more = $2 - last; last = $2 }
	END { exit bad || odd > 3 || NR != 20 || more <= 0 }' /tmp/measure
}
check "cpc_measure: the computation's instructions and cycles" measure
overflow() {
	EVENT=instructions cpc_overflow >/tmp/overflow 2>&1 || { cat /tmp/overflow; return 1; }
	head -n 3 /tmp/overflow
	[ "$(wc -l </tmp/overflow)" -gt 3 ]
}
check "cpc_overflow: the counter's overflows come as signals" overflow

# To start the program takes a few thousand instructions, more or fewer: addresses are random.
counted() { # TURNS: instructions:u of swtrace stat
	swtrace stat --csv -o /tmp/stat -e instructions:u,cycles:u -- emulation_intervals "$1" \
		>/dev/null || return 1
	awk -F, '$5 == "instructions:u" { print $6 }' /tmp/stat
}
loops() {
	a=$(counted 10000000) && b=$(counted 30000000) || return 1
	cat /tmp/stat
	echo "$a and $b"
	more=$((b - a - 40000000))
	[ $more -lt 40000 ] && [ $more -gt -40000 ]
}
check "stat: 2 instructions a turn, within 0.1 %" loops
degraded() {
	swtrace stat -e branch-misses,instructions -- true 2>/tmp/stat || return 1
	cat /tmp/stat
	grep -q 'n/a.*branch-misses\|branch-misses.*n/a' /tmp/stat
}
check "stat: what this processor does not count is n/a" degraded
none() {
	swtrace stat -e branch-misses -- true 2>/tmp/stat
	status=$?
	cat /tmp/stat
	[ $status -eq 4 ]
}
check "stat: nothing can be counted: exit 4" none
shared() {
	swtrace stat -e "$(yes instructions:u | head -n 12 | tr '\n' ',')cycles:u" -- \
		emulation_intervals 100000000 2>/tmp/stat >/dev/null || return 1
	cat /tmp/stat
	grep -q '%)' /tmp/stat
}
check "stat: shared counters are told" shared
tried() {
	swtrace event list --try instructions cycles branch-misses >/tmp/events || return 1
	cat /tmp/events
	grep -q instructions /tmp/events
}
check "event list --try: tried on this processor" tried
encoded() {
	swtrace event encode instructions cycles
}
check "event encode: for this processor" encoded
echo 0 >/proc/sys/kernel/perf_user_access
