#!/bin/sh
# CLOCK_REALTIME set back by more than the trace is long: a time is then that of several ticks. Slices
# still hold each interval once, and merged ones tell of the clock what the whole does.
. "${0%/*}/lib.sh"

# Ten intervals a second over 8 s; after 4 s the clock is set back by an hour, then forward again.
{
	echo 'clock tsc
hz 1000000000
sync 0 1700000000000000000 1000000000
section clock
sync 4000000000 1700000004000000000 5000000000
sync 4100000000 1699996404100000000 5100000000
sync 6000000000 1699996406000000000 7000000000
sync 6100000000 1700000006100000000 7100000000
sync 8000000000 1700000008000000000 9000000000
section hooks ring=0'
	for i in $(seq 80); do
		echo "hook 0xC0 0x00000001 tid=7 at=${i}00000000 64:50000000 \"step\""
		echo "hook 0xC0 0xF0000001 64:50000000 \"step\""
		[ "$((i % 7))" -ne 0 ] || echo "hook 0x10 1 uncommitted 8"
	done
	echo 'section end'
} | "$MKTRACE" - back.bin

run 0 --partial whole.p back.bin
run 0 --report summary --format csv back.bin
mv err told
mv out expected
in_file told 'CLOCK_REALTIME was set back by '
for n in 2 3 7; do
	rm -f part.*
	for i in $(seq $n); do
		run 0 --slice "$i/$n" --partial "part.$i" back.bin
	done
	run 0 merge --partial merged.p part.*
	cmp -s merged.p whole.p || fail "$n slices do not add up to the whole"
	run 0 merge --report summary --format csv part.*
	cmp -s out expected || fail "$n slices: another summary"
	cmp -s err told || fail "$n slices tell something else"
done
