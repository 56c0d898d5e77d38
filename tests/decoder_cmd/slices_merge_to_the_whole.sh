#!/bin/sh
. "${0%/*}/lib.sh"

# 600 intervals of two labels on two rings: one label's percentiles are exact, the other's not.
{
	echo 'clock tsc'
	echo 'id "the 1st machine!"'
	echo 'hz 3000000000'
	echo 'sync 0 1700000000000000000 1000'
	printf 'section meta\n| command: server --port 7000\nsection tasks\ntask 7 5 0 "worker"\ntask 9 5 0 "other"\n'
	for ring in 0 1; do
		echo "section hooks ring=$ring"
		awk -v ring=$ring 'BEGIN {
			for (i = 0; i < 300; i++) {
				e = (i * 7919 + ring * 104729) % 100003
				printf "group mm=%d tid=7 at=%d elapsed=%d types=1 label=\"%s\" summary detailed\n",
					i % 2, 1000000 + i * 1000 + ring, e, i % 5 ? "often" : "seldom"
				printf "cpu %d %d 0 x2\nthread %d %d\nendgroup\n", e % 977, e, e % 31, e / 2
			}
		}'
	done
	echo 'section end'
} | "$MKTRACE" - t.bin

for report in summary cpus; do
	for format in text csv json; do
		run 0 --report $report --format $format t.bin
		mv out whole.$report.$format
	done
done
grep -q often whole.summary.csv || fail "nothing to compare"
head -n 1 whole.summary.text | grep -qx '# 99.7 us, server --port 7000, 2 threads, no hooks lost' ||
	fail "the header: $(head -n 1 whole.summary.text)"
run 0 --partial whole.p t.bin
quiet

for n in 1 2 3 8 40; do
	rm -f part.*
	i=1
	while [ $i -le $n ]; do
		"$CPIDECODE" --slice $i/$n --partial part.$i t.bin &
		i=$((i + 1))
	done
	wait
	# Backwards, then as the shell lists them.
	backwards=
	for part in part.*; do backwards="$part $backwards"; done
	run 0 merge --partial merged.p $backwards
	cmp -s merged.p whole.p || fail "$n slices: the partial result differs from the whole's"
	for report in summary cpus; do
		for format in text csv json; do
			run 0 merge --report $report --format $format part.*
			cmp -s out whole.$report.$format || fail "$n slices: another $report $format"
			quiet
		done
	done
done

# Merged in steps, and from standard input.
run 0 merge --partial first.p part.1 part.2 part.3
rm part.1 part.2 part.3
run 0 merge --partial - first.p part.*
cmp -s out whole.p || fail "steps made a difference"
status=0
"$CPIDECODE" merge --format csv - <whole.p >out || status=$?
[ $status -eq 0 ] || fail "standard input"
cmp -s out whole.summary.csv || fail "standard input"

# Slices of a report are the same slices: their counts add up.
for i in 1 2 3; do
	run 0 --slice $i/3 --format csv t.bin
	awk -F, 'NR > 1 { n += $3 } END { print n }' out
done >counts
[ "$(awk '{ n += $1 } END { print n }' counts)" = 600 ] || fail "slices overlap"

# Files of several machines, filters, a trace without hooks.
printf 'clock tsc\nhz 1000000000\nsection end\n' | "$MKTRACE" - empty.bin
run 0 --format csv t.bin plain.bin
mv out both.csv
run 0 --partial plain.p plain.bin
run 0 merge --format csv plain.p whole.p
cmp -s out both.csv || fail "two machines"
run 0 --slice 2/5 --partial empty.p empty.bin
run 0 merge --strict --partial other.p empty.p whole.p
run 0 --label often --format csv t.bin
mv out often.csv
run 0 --label often --slice 1/2 --partial one t.bin
run 0 --label often --slice 2/2 --partial two t.bin
run 0 merge --format csv two one
cmp -s out often.csv || fail "filters"

# Stamps that go back, or lie outside of what their section's header says: each interval is in one
# slice all the same.
{
	echo 'clock raw'
	echo 'hz 1000000000'
	echo 'sync 0 1700000000000000000 1000'
	awk 'BEGIN {
		for (s = 0; s < 12; s++) {
			printf "section hooks ring=%d first=%d last=%d\n", s % 2, s * 1000, s * 1000 + 900
			for (i = 0; i < 10; i++) {
				at = s * 1000 + i * 100
				if (i == 3)
					at = s % 3 ? at + 5000 : at - 1500
				if (i == 6)
					at = s * 1000 + 100
				printf "group mm=1 tid=7 at=%d elapsed=50 types=1 label=\"l\" summary\n", at < 0 ? 0 : at
				print "cpu 1 2 1\nendgroup"
			}
		}
	}'
	echo 'section end'
} | "$MKTRACE" - odd.bin
run 0 --partial whole.p odd.bin
run 0 --format csv odd.bin
in_file out '^l,1,120,'
for n in 2 3 7; do
	rm -f part.*
	i=1
	while [ $i -le $n ]; do
		run 0 --slice $i/$n --partial part.$i odd.bin
		i=$((i + 1))
	done
	run 0 merge --partial merged.p part.*
	cmp -s merged.p whole.p || fail "$n slices of odd stamps: the partial result differs from the whole's"
done
