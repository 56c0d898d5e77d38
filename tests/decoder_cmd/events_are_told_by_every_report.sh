#!/bin/sh
. "${0%/*}/lib.sh"

# events MM AT ELAPSED INSTRUCTIONS FAULTS [ENABLED RUNNING]: the events hook of a group; a count of - is unknown.
events()
{
	printf 'hook 0xC1 0x2000000%d tid=7 at=%d 2 2 64:%d' "$1" "$2" "$3"
	for count in "$4" "$5"; do
		if [ "$count" = - ]; then
			printf ' 0 0 64:0 64:0 64:0'
		else
			printf ' 0 1 64:%d 64:%d 64:%d' "$count" "${6:-0}" "${7:-0}"
		fi
	done
	printf ' "instructions" "page-faults"\n'
}
begin()
{
	printf 'clock tsc\nhz 1000000000\nid "%016d"\nsync 0 1700000000000000000 1000\nsection hooks ring=0\n' "$1"
}
interval()
{
	echo "group mm=$1 tid=7 at=$2 elapsed=$3 types=1 label=\"$4\" summary"
	echo "cpu 0 $3 0"
	echo endgroup
	shift 4
	[ $# -eq 0 ] || events "$@"
}

# Exact sums, whatever the slices: the counts of 300 intervals, a third of which lack one.
{
	begin 1
	i=0
	while [ $i -lt 300 ]; do
		i=$((i + 1))
		at=$((1000000 + i * 1000))
		faults=$i
		[ $((i % 3)) -ne 0 ] || faults=-
		interval 1 $at 500 "label $((i % 2))" 1 $at 500 $((i * 10)) $faults 100 $((50 + i % 2 * 50))
	done
	echo 'section end'
} | "$MKTRACE" - t.bin
run 0 --format csv t.bin
quiet
# ends LABEL EXPECTED: the columns from flagged on.
ends()
{
	[ "$(sed -n "s/^$1,.*,none,,0,//p" out | tr -d '\r')" = "$2" ] || fail "$1: $(grep "^$1," out)"
}
ends 'label 0' 150,226500,1510.0000,100.00,150,15000,150.0000,66.67,100
ends 'label 1' ,225000,1500.0000,100.00,0,15000,150.0000,66.67,0

for format in text csv json; do
	run 0 --format $format t.bin
	mv out "whole.$format"
	run 0 -j 1 --format $format t.bin
	cmp -s out "whole.$format" || fail "one thread: another $format"
done
run 0 --partial whole.p t.bin
for i in 1 2 3; do
	run 0 --slice $i/3 --partial part.$i t.bin
done
run 0 merge --partial merged.p part.2 part.3 part.1
cmp -s merged.p whole.p || fail "merged slices differ from the whole"
for format in text csv json; do
	run 0 merge --format $format part.3 part.1 part.2
	cmp -s out "whole.$format" || fail "merged: another $format"
done

# A trace without events has no columns of them, and its text no table.
{
	begin 2
	interval 1 1000000 500 none
	echo 'section end'
} | "$MKTRACE" - none.bin
run 0 --format csv none.bin
not_in_file out _total,
run 0 none.bin
not_in_file out '^event '
