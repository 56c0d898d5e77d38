#!/bin/sh
. "${0%/*}/lib.sh"

# label,minor,doubling,count from the intervals: gentrace's clock has 2.5 ticks a nanosecond.
from_intervals()
{
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ ns = int($at["elapsed_cycles"] / 2.5 + 0.5)
		  from = 0; to = 1
		  while (ns >= to) { from = to; to *= 2 }
		  n[$at["label"] "," $at["minor"] "," from "," to]++ }
		END { for (k in n) print k "," n[k] }' | LC_ALL=C sort
}
from_histogram()
{
	awk -F, 'NR > 1 && $5 > 0 { print $1 "," $2 "," $3 "," $4 "," $5 }' "$1" | LC_ALL=C sort
}

# Few intervals a label, which are kept one by one, and many, which are not.
for labels in 64 1; do
	"$GENTRACE" -k groups -n 4000 -c 3 -l $labels g.bin
	run 0 --report intervals --format csv g.bin
	from_intervals <out >expected
	for threads in 1 3; do
		run 0 -j $threads --report histogram --format csv g.bin
		mv out histogram
		from_histogram histogram >there
		cmp expected there || fail "$labels labels: counts differ"
	done
	# Doublings without an interval have rows, too, and shares add up.
	awk -F, 'NR > 1 {
			sub(/\r/, "")
			if ($1 == label && $2 == minor && $3 != to) exit 1
			if (($1 != label || $2 != minor) && NR > 2 && up_to != "100.0000") exit 1
			label = $1; minor = $2; to = $4; up_to = $7
		}
		END { exit up_to != "100.0000" }' histogram || fail "$labels labels: a row is missing"
	for i in 1 2; do
		run 0 --slice $i/2 --partial part.$i g.bin
	done
	run 0 merge --report histogram --format csv part.1 part.2
	cmp histogram out || fail "$labels labels: merged slices"
done

run 0 --report histogram --format csv --where 'label=inner' plain.bin
printf 'label,minor,from_ns,to_ns,count,share_pct,up_to_pct\r\ninner,1,16777216,33554432,1,100.0000,100.0000\r\n' >expected
cmp expected out || fail "csv"
run 0 --report histogram --format json --where 'label=inner' plain.bin
printf '%s\n' '{"label":"inner","minor":1,"from_ns":16777216,"to_ns":33554432,"count":1,"share_pct":100.0000,"up_to_pct":100.0000}' >expected
cmp expected out || fail "json"
run 0 --report histogram plain.bin
in_file out '^inner +16.8 ms  33.6 ms      1  100.00  100.00  #{40}  01$'
run 0 --report histogram --label nothing plain.bin
in_file out '^no intervals$'
