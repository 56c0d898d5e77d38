#!/bin/sh
# Nested intervals share the record of their thread's wake-ups.
# shellcheck disable=SC3045 # the shells that run this know ulimit -d
. "${0%/*}/lib.sh"

limit=64000

# A sanitizer's shadow memory alone is more than that.
if ! (ulimit -d "$limit" && "$CPIDECODE" --version) >/dev/null 2>&1; then
	echo "skipped: the command needs more than $limit KiB for itself"
	exit 77
fi

# 100 intervals of thread 1 within each other, with 1980 waits, and 200,000 wake-ups of it, every 2 ns.
{
	kernel_trace_head
	awk 'BEGIN {
		for (k = 1; k <= 100; k++)
			printf "hook 0xC2 0x10000000 tid=1 at=%d 34 1 64:%d 64:2 0\n", 1000000 + k, 600000 + 2 * k
		for (j = 0; j < 22; j++) {
			printf "hook 0xC3 1 tid=9 at=2000000 0 180 64:%d 64:%d 1 1", j ? 409900 + 18000 * j : 1000, 410000 + 18000 * j
			for (i = 0; i < 90; i++) printf " %d 0 0 0 %d 1 1 0", 200 * i, 200 * i + 100
			print ""
		}
		print "hook 0xC3 1 tid=9 at=2000000 0 0 64:805900 64:1200000 1 1"
		print "section hooks ring=1"
		print "hook 0xC3 1 tid=9 at=2000000 1 0 64:1000 64:1200000 2 4"
		for (j = 0; j < 2000; j++) {
			printf "hook 0xC3 4 tid=9 at=2000000 1 100 64:%d 64:%d", j ? 410000 + 200 * j - 2 : 1000, 410000 + 200 * j
			for (i = 0; i < 100; i++) printf " %d 1 2 4 0", 2 * i
			print ""
		}
	}'
	echo 'section end'
} | "$MKTRACE" - nested.bin
(
	ulimit -d "$limit"
	run 0 -j 1 --report slowest -n 100 --format json nested.bin
)
[ "$(grep -c '"wakers":\[{"tid":4,"pid":2,"name":null,"interrupt":false,"waits":1980,"waited_ns":198000.0,"to_run_ns":0.0}\],"waits_without_waker":0,' out)" -eq 100 ] ||
	fail "$(head -c 2000 out)"
