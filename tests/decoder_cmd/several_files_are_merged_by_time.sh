#!/bin/sh
. "${0%/*}/lib.sh"

"$MKTRACE" - later.bin <<'END'
clock raw
hz 1000000000
sync 1000000000 1700000000035000000 5
id ffeeddccbbaa99887766554433221100
section clock
sync 1000000000 1700000000035000000 5
section hooks ring=0
hook 0x10 0x99 tid=100 at=1000000000 7
section end
END
run 0 --report hooks --format json plain.bin later.bin
lines_are 21
sed -n 's/.*"time_ns":\([0-9]*\).*/\1/p' out >stamps
sort -n stamps | cmp -s - stamps || fail "not in order of time"
in_file out '"time_ns":1700000000035000000,"ticks":1000000000,"cpu":0,"tid":100,"pid":null,"task":null'
run 0 --report hooks --format json later.bin plain.bin
lines_are 21
