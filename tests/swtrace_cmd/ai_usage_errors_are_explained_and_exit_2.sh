#!/bin/sh
. "${0%/*}/lib.sh"

misuse()
{
	pattern=$1
	shift
	refuses 2 "$pattern" ai "$@"
	in_file err 'see swtrace ai --help$'
}

for interval in 0 0.009 x '' 1x 1d 86401 99999999999999999999 0.0105 -; do
	misuse 'interval: ".*": expected seconds' "$interval"
done
for samples in 0 x '' 1.5 +1 4294967296; do
	misuse 'number of samples' 1 "$samples"
done
misuse '"3"' 1 2 3
for time in 0 x '' 1w 1mm 1.2.3 0s 99999999999999999999d m .; do
	misuse '-r: ".*": expected seconds' 1 -r "$time"
done
misuse '-r needs' 1 -r
misuse 'exclude each other' 1 2 -r 1
misuse 'shorter than the interval' 10 -r 9
misuse 'exclude each other' --json --csv
misuse 'exclude each other' -s -sp
misuse 'exclude each other' -sp -s
misuse "file's name is empty" -l ''
misuse '-l needs FILE' -l
misuse 'unknown option "-x"' -x
misuse 'unknown option "-1"' -1

run 0 ai --help
in_file out '^usage: swtrace ai '
