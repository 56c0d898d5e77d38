#!/bin/sh
# Each column of the intervals' CSV is one of conditions, with the same value, or told to be cpidecode's alone.
set -eu
here=$(cd "${0%/*}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
for case in nesting own_cost cpuutil scopes quality interval_time interval_events events unmeasured arguments scripted; do
	"$MKTRACE" "$here/../golden/cases/$case/trace.txt" "$work/$case.bin"
done
python3 "$here/columns.py" "$CPIDECODE" "$EVENT_CONDITIONS" "$work"/*.bin

# 100 ticks are 66.7 ns: both round.
sed 's/^hz .*/hz 1500000000/' "$here/../golden/cases/own_cost/trace.txt" | "$MKTRACE" - "$work/fast"
"$CPIDECODE" --report intervals --format json --where 'own_inside_ns=67' --columns id "$work/fast" |
	sed 's/.*:"\(.*\)"}/\1/' | sort >"$work/expected"
[ -s "$work/expected" ]
"$EVENT_CONDITIONS" "$work/fast" 'own_inside_ns=67' | tr ' ' '\n' | grep . | sort | cmp "$work/expected" -
