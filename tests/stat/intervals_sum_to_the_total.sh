#!/bin/sh
. "${0%/*}/lib.sh"
measured page-faults || skip "page faults cannot be counted here"

run 0 --csv -o counts -I 20 -e page-faults,task-clock -- \
	sh -c "for i in 1 2 3 4 5; do '$WORK' pages 300; '$WORK' sleeps 150; done"
for event in page-faults task-clock; do
	sum=$(cells counts interval $event | awk '{ n += $1 } END { printf "%.0f", n }')
	[ "$sum" = "$(total $event)" ] || fail "$event: intervals $sum, total $(total $event)"
done
[ "$(cells counts interval page-faults | wc -l)" -ge 2 ] || fail "too few intervals"

# No drift: all but the last are due at multiples of the interval, at which they are not before.
tr -d '\r' <counts | awk -F, '$1 == "interval" && $5 ~ /^page-faults/ { print $2 * 1000 }' |
	sed '$d' >times
awk '{ turn = int($1 / 20); if (turn < 1 || turn <= last) bad = 1; last = turn }
	END { exit bad }' times || fail "intervals are not at their times: $(tr '\n' ' ' <times)"

# Elapsed times follow each other without a gap.
tr -d '\r' <counts | awk -F, '$1 == "interval" && $5 ~ /^page-faults/ {
		if ($2 - $3 - end > 1e-6 || end - ($2 - $3) > 1e-6) bad = 1
		end = $2
	}
	END { exit bad }' || fail "there are gaps between the intervals"
