#!/bin/sh
. "${0%/*}/lib.sh"

# check N: times of every size, against sorting them. Up to 256 they are exact, above within 0.4 %.
check()
{
	awk -v n="$1" 'BEGIN {
		print "clock tsc\nhz 1000000000\nsync 0 1700000000000000000 1000\nsection hooks ring=0"
		x = 7
		for (i = 1; i <= n; i++) {
			x = (x * 16807) % 2147483647
			e = int(exp(25 * x / 2147483647))
			printf "group mm=1 tid=7 at=%.0f elapsed=%.0f types=1 label=\"l\" summary\ncpu 9 18 0\nendgroup\n",
				1e12 + i, e
			printf "%.0f\n", e >"times"
		}
		print "section end"
	}' | "$MKTRACE" - t.bin
	sort -n times >sorted
	run 0 --format csv t.bin
	tail -n 1 out | tr -d '\r' >row
	awk -F, -v n="$1" '
		FNR == NR { t[FNR] = $1; sum += $1; next }
		function rank(p) { r = int((n * p + 99) / 100); return t[r ? r : 1] }
		function off(got, want) { d = got - want; return (d < 0 ? -d : d) / want }
		{
			limit = n > 256 ? 0.004 : 0
			if ($3 != n || $4 != sum || $6 != t[1] || $10 != t[n])
				print "count, total, min or max: " $0
			if (off($7, rank(50)) > limit || off($8, rank(90)) > limit || off($9, rank(99)) > limit)
				print "percentiles: " rank(50) " " rank(90) " " rank(99) ", not " $0
		}' sorted row >wrong
	[ ! -s wrong ] || fail "$1 intervals: $(cat wrong)"
}

for n in 1 2 10 99 255 256 257 1000 3000; do
	check $n
done
