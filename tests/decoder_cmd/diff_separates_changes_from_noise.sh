#!/bin/sh
. "${0%/*}/lib.sh"

# make FILE SEED SLOWER COUNT: intervals of about 1000 to 2000 ns, of "slow" by SLOWER percent longer.
make()
{
	awk -v seed="$2" -v slower="$3" -v count="$4" 'BEGIN {
		print "clock tsc\nhz 1000000000\nsync 0 1700000000000000000 1000\nsection hooks ring=0"
		x = seed
		for (i = 0; i < count; i++) {
			x = (x * 16807) % 2147483647
			e = 1000 + x % 1000
			name = i % 2 ? "slow" : "steady"
			if (i % 2)
				e = int(e * (100 + slower) / 100)
			printf "group mm=1 tid=7 at=%d elapsed=%d types=1 label=\"%s\" detailed\n",
				10000 * (i + 1), e, name
			printf "cpu 1000 %d 0\nendgroup\n", e
		}
		print "section end"
	}' | "$MKTRACE" - "$1"
}
make before.bin 1 0 600
make after.bin 2 30 600
make again.bin 3 0 600

verdict()
{
	tr -d '\r' <out | awk -F, -v label="$1" -v metric="$2" \
		'$1 == label && $3 == metric { print $9 }'
}

alone='one run each: differences between runs are not in this'

run 0 --report diff --format csv before.bin after.bin
in_file err "$alone"
mv out first
for metric in mean_ns p50_ns p90_ns; do
	cp first out
	[ "$(verdict slow $metric)" = change ] || fail "slow $metric"
	[ "$(verdict steady $metric)" = noise ] || fail "steady $metric"
done
# Three of 300 are beyond the p99, and of CPIs nothing tells how they depend on each other.
[ "$(verdict slow p99_ns)" = too-few ] || fail "a p99 of 300 intervals"
[ -z "$(verdict slow cpi)" ] || fail "a verdict on CPIs of one run"
run 0 --report diff --format csv before.bin again.bin
[ "$(verdict slow mean_ns)" = noise ] || fail "the same again is a change"
run 0 --report diff before.bin before.bin
not_in_file out '!$|%!'
in_file out "$alone"

# The same of partial results, whole or put together, and again.
run 0 --partial before.p before.bin
for i in 1 2 3; do
	run 0 --slice $i/3 --partial part.$i after.bin
done
run 0 merge --partial after.p part.*
for pair in 'before.bin after.bin' 'before.p after.p' 'before.p after.bin' 'before.bin after.p'; do
	# shellcheck disable=SC2086 # two names
	run 0 --report diff --format csv $pair
	cmp -s out first || fail "$pair: another diff"
done

# Filters hold for both, times are each trace's own.
run 0 --report diff --format csv --label 'st*' --from +1ms before.bin after.bin
not_in_file out '^slow'
in_file out '^steady,1,count,,250,250,'
run 0 --label 'st*' --partial steady.p after.bin
run 0 --report diff --format csv --label 'st*' before.bin steady.p
run 1 --report diff before.bin steady.p
in_file err 'steady.p cannot be compared .* different filters'
run 1 --report diff before.bin absent.bin
in_file err 'absent.bin: '
run 0 --report diff --format json plain.bin before.bin
in_file out '"label":"guest","minor":16,"in":"before",'
in_file out '"label":"steady","minor":1,"in":"after",'

# Intervals that depend on each other: 600 that go up and down slowly are no evidence.
awk 'BEGIN {
	print "clock tsc\nhz 1000000000\nsync 0 1700000000000000000 1000\nsection hooks ring=0"
	for (i = 0; i < 600; i++)
		printf "group mm=1 tid=7 at=%d elapsed=%d types=1 label=\"slow\" detailed\ncpu 1 1 0\nendgroup\n",
			10000 * (i + 1), 1500 + 400 * sin(i / 60)
	print "section end"
}' | "$MKTRACE" - waves.bin
run 0 --report diff --format csv --label slow before.bin waves.bin
[ "$(verdict slow mean_ns)" = too-few ] || fail "dependent intervals are judged"
