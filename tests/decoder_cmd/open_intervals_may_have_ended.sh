#!/bin/sh
# An interval that began before the oldest hook left in a ring that overwrote hooks may have ended there: it
# is open, with no-end.
. "${0%/*}/lib.sh"

trace_of()
{
	"$MKTRACE" - t.bin <<END
clock tsc
hz 1000000000
sync 0 1700000000000000000 1000
cpus 2
section meta
| mode: wrap
| period: 7
section labels
label "early"
label "late"
section tasks
task 7 5 0 "worker"
section hooks ring=0
hook 0xC2 0x40000000 tid=7 at=2000 0 1 64:4294967297 7 0
hook 0xC2 0x40000000 tid=7 at=5000 0 3 64:4294967298 7 0
section hooks ring=1 position=$1
hook 0x10 0x1 tid=9 at=4000 1
section loss
loss 0 0 0 0 0 0 0 0
loss 1 0 0 0 0 $2 0 0
section end
END
}
trace_of 65536 300
run 0 --report intervals --format json t.bin
in_file out '"label":"early",.*"flags":"no-end\+open"'
in_file out '"label":"late",.*"flags":"open"'
run 0 t.bin
in_file err '2 intervals are open at the end of the trace, .*early 1, late 1; the end of 1 may have been overwritten$'

trace_of 0 0
run 0 --report intervals --format json t.bin
in_file out '"label":"early",.*"flags":"open"'
run 0 t.bin
in_file err 'early 1, late 1$'
