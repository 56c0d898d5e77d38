#!/bin/sh
. "${0%/*}/lib.sh"

# 3000 intervals of two threads, a tick being 1 ns, from 0 ns to some ms; every tenth one on a
# second label, whose name tries to leave the picture.
awk 'BEGIN {
	print "clock raw\nhz 1000000000\nsync 0 1700000001000000000 5\ncpus 2"
	print "section meta\n| host: demo<b>\nsection labels\nlabel \"op\"\nlabel \"<script>x\""
	srand(1)
	print "section hooks ring=0"
	for (i = 0; i < 3000; i++) {
		at += 1000 + int(9000 * rand())
		elapsed = i < 5 ? i : int(exp(15 * rand()))
		if (elapsed > at) elapsed = at
		printf "hook 0xC2 0x10000000 tid=%d at=%d 0 %d 64:%d\n", i % 2 + 1, at, i % 10 ? 1 : 3, elapsed
	}
	print "section end"
}' >t.txt
"$MKTRACE" t.txt t.bin
run 0 --report intervals --format csv t.bin
tr -d '\r' <out >intervals.csv

# counts: the cells that the intervals of a CSV make, in columns of STEP ns since the first hook.
cat >count.awk <<'AWK'
# The least bucket edge above a latency: four buckets to a doubling.
function edges(ns,   p) {
	if (ns < 4) { low = ns; high = ns + 1; return }
	for (p = 1; p * 8 <= ns; p *= 2);
	low = int(ns / p) * p; high = low + p
}
NR > 1 && (label == "" || $9 == label) {
	# Doubles would round times since 1970.
	start = substr($1, 10) + 0
	column = int((start - from) / step)
	if (column * step > start - from) column--
	edges($3)
	cell[column * step "," (column + 1) * step "," low "," high]++
}
END { for (c in cell) print c "," cell[c] }
AWK
first=$(awk -F, 'NR > 1 { end = substr($2, 10) + 0; if (NR == 2 || end < first) first = end } END { print first }' intervals.csv)
for label in '' op; do
	run 0 --report heatmap --format csv ${label:+--label $label} t.bin
	quiet
	in_file out '^start_ns,since_ns,since_to_ns,elapsed_from_ns,elapsed_to_ns,count.?$'
	tr -d '\r' <out | sed 1d >cells
	step=$(awk -F, 'NR == 1 { print $3 - $2 }' cells)
	cut -d , -f 2- cells | sort >got
	awk -F, -v step="$step" -v from="$first" -v label=$label -f count.awk intervals.csv | sort >expected
	cmp expected got || fail "cells of label '$label'"
	[ "$(wc -l <cells)" -gt 500 ] || fail "few cells"
	[ "$(cut -d , -f 2 cells | sort -u | wc -l)" -le 200 ] || fail "many columns"
	awk -F, -v first="$first" '{ if (substr($1, 10) - first != $2) exit 1 }' cells || fail "start_ns"
	case $step in 1*0 | 2*0 | 5*0) ;; *) fail "step $step" ;; esac
done
# Its rows are chosen and sorted.
run 0 --report heatmap --format csv --having 'count>1 and elapsed_from_ns>=1us' --sort -count --top 7 --columns since_ns,elapsed_from_ns,count t.bin
tr -d '\r' <out | sed 1d >chosen
run 0 --report heatmap --format csv t.bin
tr -d '\r' <out | sed 1d | awk -F, '$6 > 1 && $4 >= 1000 { print $2 "," $4 "," $6 }' | sort -s -t , -k 3,3nr | head -n 7 >expected
cmp expected chosen || fail "chosen cells"
run 0 --report heatmap --format csv --top 3 t.bin
[ "$(tr -d '\r' <out | sed 1d | cut -d , -f 6 | tr '\n' ' ')" = "$(run 0 --report heatmap --format csv t.bin; tr -d '\r' <out | sed 1d | cut -d , -f 6 | sort -nr | head -n 3 | tr '\n' ' ')" ] || fail "--top"
run 2 --report heatmap --format csv --sort elapsed_ns t.bin
in_file err 'no column elapsed_ns|has no column|elapsed_from_ns'
run 0 -j 1 --report heatmap --format json t.bin
mv out one
run 0 -j 4 --report heatmap --format json t.bin
cmp one out || fail "threads differ"
"$WELLFORMED" json out || fail "json"
sum=$(sed 's/.*"count":\([0-9]*\)}/\1/' out | awk '{ sum += $1 } END { print sum }')
[ "$sum" -eq 3000 ] || fail "json: $sum intervals"

# The picture has each cell once, with its number; names stay text; nothing is fetched or run.
run 0 --report heatmap --format svg t.bin
quiet
"$WELLFORMED" picture out || fail "svg"
run 0 --report heatmap --format csv t.bin
tr -d '\r' <out | sed 1d | cut -d , -f 6 | sort >expected
run 0 --report heatmap --format svg t.bin
sed -n 's/.*<rect x="[0-9]*" y="[0-9]*" width="1" height="1" class="c[0-9]*"><title>\([0-9]*\) interval.*/\1/p' out | sort >got
cmp expected got || fail "svg: other cells"
in_file out 'role="img" aria-labelledby="title desc"'
in_file out '<desc id="desc">3000 intervals '
in_file out 'Heat map: demo&lt;b&gt;'
in_file out 'prefers-color-scheme: dark'
not_in_file out '<script|https?://[^w]|<image|href'
run 0 --report heatmap --format svg --label '<script>x' t.bin
in_file out '300 intervals of &lt;script&gt;x</text>'
not_in_file out '<script>'

# Text: a line a doubling; its counts are all intervals.
run 0 --report heatmap t.bin
[ "$(awk '/\|.*\|$/ { for (i = 1; i <= NF; i++) if ($i ~ /^\|/) { sum += $(i - 1); break } } END { print sum }' out)" -eq 3000 ] ||
	fail "text"
awk '/\|$/ && length($0) > 90 { exit 1 }' out || fail "text is wide"

# From --from on.
run 0 --report heatmap --format csv --from 1700000001.005 t.bin
in_file out '^1700000001005000000,0,'

# Times in columns of less than a double resolves, as far from an origin of 1970 as these are.
run 0 --report heatmap --format svg --from 1970-01-01 --to 1700000001.00002 t.bin
"$WELLFORMED" picture out || fail "svg: far from the origin"
in_file out '<text class="tick" [^>]*>\+1700000001\.[0-9]{9} s</text>'

# None.
run 0 --report heatmap --label none t.bin
in_file out '^no intervals$'
run 0 --report heatmap --label none --format csv t.bin
lines_are 1
run 0 --report heatmap --label none --format svg t.bin
in_file out 'There is no interval to show'
"$WELLFORMED" picture out || fail "empty svg"
run 2 --report heatmap --format folded t.bin
