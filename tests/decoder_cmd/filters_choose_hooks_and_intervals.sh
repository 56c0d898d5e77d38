#!/bin/sh
. "${0%/*}/lib.sh"

# Labels of the intervals that are left, in order.
left()
{
	want=$1
	shift
	run 0 --report intervals --format json "$@" plain.bin
	quiet
	labels=$(sed 's/.*"label":\(null\|"[a-z]*\).*/\1/; s/"//' out | tr '\n' ' ')
	[ "$labels" = "$want" ] || fail "$*: '$labels', expected '$want'"
}

left 'outer we inner guest null '
left 'outer ' --label outer
left 'outer inner guest ' --label x --label '[gio]*[rt]'
left 'outer ' --label 'out?r'
left 'we ' --label 'we"*'
left '' --label ''
left 'outer inner ' --minor 1
left 'guest ' --minor 0x10
left 'outer inner null ' --cpu 0
left 'we guest ' --cpu 1,guest
left 'we ' --cpu=1-7
left 'guest ' --tid 202
left 'outer we inner null ' --pid 100
left '' --pid 202
left 'outer inner ' --pid 100 --cpu 0 --label '*r'

# The trace starts with its first hook, at 1700000000.030. Any part of an interval will do.
left 'outer we guest null ' --from 1700000000.0301
left 'null ' --from +20.1ms
left 'outer we inner ' --to 1700000000.015
left 'outer we inner ' --to 2023-11-14T22:13:20.015Z
left 'outer we inner ' --to 2023-11-15T00:13:20.015+02:00
left 'outer we inner ' --to '2023-11-14 22:13:20.015'
left 'null ' --from 2023-11-14T22:13:20.051Z --to +1h
left '' --from +1s
left '' --to 5

count()
{
	want=$1
	shift
	run 0 --report hooks "$@" plain.bin
	lines_are "$want"
}

# inner and outer have six each, the weird one and the guest's three, tick and the last one.
count 20
count 6 --label inner
count 1 --label tick
count 12 --minor 1
count 1 --minor 0x10000002
count 1 --minor 0x23
count 3 --cpu guest
count 4 --tid 101
count 17 --pid 100
count 9 --to +10ms
count 2 --from 1700000000.060
count 0 --label inner --tid 101
