#!/bin/sh
# A long text of many rows is stored once in a row group, also among more texts that are of one row.
. "${0%/*}/lib.sh"

# A label's number is its place in units of 8 bytes, from 1.
awk 'BEGIN {
	long = "x"
	while (length(long) < 60000)
		long = long long
	print "clock tsc\nhz 1000000000\nsync 0 1700000000000000000 1000\ncpus 1\nsection labels"
	print "label \"" substr(long, 1, 60000) "\""
	number = 1 + (8 + 60000) / 8
	for (i = 1000; i < 3500; i++) {
		print "label \"" i "\""
		numbers[i] = number
		number += 2
	}
	print "section hooks ring=0 codec=lz4"
	for (i = 1000; i < 3500; i++) {
		if (i < 3000)
			print "hook 0xC2 0x10000000 tid=7 at=" 100 * i " 1 1 64:10"
		print "hook 0xC2 0x10000000 tid=7 at=" 100 * i + 50 " 1 " numbers[i] " 64:10"
	}
	print "section end"
}' >long.txt
"$MKTRACE" long.txt long.bin
run 0 --format csv long.bin
lines_are 2502
run 0 --format parquet -o long.parquet long.bin
size=$(wc -c <long.parquet)
[ "$size" -lt 100000 ] || fail "2000 times the same 60 KB are a file of $size bytes"
