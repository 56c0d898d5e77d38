#!/bin/sh
. "${0%/*}/lib.sh"
: "${CPIDECODE:?}"

run 0 run -o t.bin -- "$SWTRACE" ai 0.02 4 --trace --json
"$CPIDECODE" --strict --report intervals --format csv t.bin | tr -d '\r' >intervals
awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{
		if ($column["label"] != "ai" || $column["major"] != 200 || $column["minor"] != 1)
			bad = "another interval"
		if (last != "" && $column["start_ns"] != last)
			bad = "a gap: " last " and " $column["start_ns"]
		last = $column["end_ns"]
		busy[NR - 1] = $column["busy_pct"]
	}
	END {
		if (NR != 5)
			bad = NR - 1 " intervals"
		if (bad != "")
			print bad
		for (i = 1; i <= 4; i++)
			print busy[i] >"traced"
	}' intervals >wrong
[ ! -s wrong ] || fail "$(cat wrong)"
sed -n 's/.*"system": {"busy": \([0-9.]*\).*/\1/p' out >shown
# Hooks hold hundredths of a per mille.
paste -d ' ' shown traced | awk '{ d = $1 - $2; if (d > 0.01 || d < -0.01) exit 1 }' ||
	fail "other figures: $(paste -d ' ' shown traced)"

# No session, tracing off, the major disabled: said, and shown all the same.
run 0 ai 0.01 1 -s --trace
in_file err 'tracing is off'
in_file out '^System idle'
run 0 init
run 0 on
run 0 disable 0xC8
run 0 ai 0.01 1 -s --trace
in_file err 'major 0xC8 is disabled'
run 0 enable 0xC8
run 0 ai 0.01 1 -s --trace
[ ! -s err ] || fail "it was complained of"
run 0 off
