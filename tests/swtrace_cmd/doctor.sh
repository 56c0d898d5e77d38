# doctor: 0 or 4, and always a verdict.
fresh
"$SWTRACE" doctor >"$out" 2>"$err"
code=$?
case $code in
0) says "$out" '^CPI .* here' ;;
4) says "$out" '^CPI cannot be measured here: ' ;;
*) fail "doctor: exit code $code" ;;
esac
for topic in sessions memory rings clock counters; do
	says "$out" "^$topic "
done
grep -q "$(printf '\033')" "$out" && fail "colours without a terminal" || pass
exits $code "$SWTRACE" doctor --json
same "one line of JSON" "$(wc -l <"$out")" 1
says "$out" '^{"cpi_measurable": \(true\|false\), "verdict": ".*"findings": \[.*\]}$'
says "$out" 'there is none'
exits 0 "$SWTRACE" init -s 1
exits $code "$SWTRACE" doctor && says "$out" 'this one is used'
exits 0 "$SWTRACE" free
SWTRACE_SESSION=relative "$SWTRACE" doctor >"$out" 2>"$err"
says "$out" 'no  SWTRACE_SESSION is "relative"'
exits $code env SWTRACE_CLOCK=raw "$SWTRACE" doctor && says "$out" 'guest rings'
SWTRACE_COUNTERS=none exits 4 "$SWTRACE" doctor
SWTRACE_COUNTERS=nonsense exits 4 "$SWTRACE" doctor
