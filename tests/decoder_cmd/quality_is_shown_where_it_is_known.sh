#!/bin/sh
. "${0%/*}/lib.sh"

"$MKTRACE" - quality.bin <<'END'
clock raw
hz 1000000000
sync 1000000000 1700000000000000000 5
section hooks ring=0
group mm=1 tid=100 at=1050000000 elapsed=40000000 types=1 label="asleep" summary
cpu 4000000 8000000 0
quality on_cpu=10000000 switches=5 migrations=0 faults=7
endgroup
group mm=2 tid=100 at=1060000000 elapsed=1000000 types=1 label="shared" summary
cpu 4000000 8000000 0
quality flags=3 on_cpu=1000400 switches=0 faults=0
quantity 1 4000000 1000000
endgroup
section end
END

# If no interval has the figures: no columns, and the last line says so.
run 0 --report intervals plain.bin
not_in_file out '^label.*(off CPU|switches|migr|faults)'
in_file out '^# n/a: .*off CPU, switches, migr, faults and unexplained need CPI_TYPE_TRACE_QUALITY in CpiInit'
run 0 plain.bin
not_in_file out 'flagged'

run 0 --report intervals quality.bin
in_file out ' raw CPI +off CPU +switches +migr +faults +mm +flags$'
in_file out '^asleep .* 30\.0 ms +5 +0 +7 +01 +summary\+quality$'
in_file out '^shared .* 0 ns +0 +n/a +0 +02 +summary\+quality\+multiplexed\+cpus-changed$'
run 0 quality.bin
in_file out '^# 1 of 2 intervals flagged: multiplexed 1, cpus-changed 1$'
run 0 --label asleep quality.bin
not_in_file out 'flagged'

# With a trace that has none: it has the columns, and n/a in them.
run 0 --report intervals quality.bin plain.bin
in_file out '^outer .* n/a +n/a +n/a +n/a +01 +summary\+detailed$'
run 0 --report intervals --label outer quality.bin plain.bin
not_in_file out '^label.*off CPU'

run 0 --report intervals --format csv quality.bin
in_file out ',asleep,.*,summary\+quality,30000000,5,0,7'
in_file out ',shared,.*,summary\+quality\+multiplexed\+cpus-changed,0,0,,0'
run 0 --report intervals --format json quality.bin
in_file out '"label":"shared",.*"off_cpu_ns":0,"ctx_switches":0,"migrations":null,"faults":0,'
run 0 --format csv quality.bin
in_file out '^asleep,1,1,.*,0,0'
in_file out '^shared,2,1,.*,0,1'
run 0 --format json quality.bin
in_file out '"label":"shared",.*"flagged":1\}'
run 0 --report hooks quality.bin
in_file out 'A0000002 00000003 0000000B 00000000 000F4240 00000001 00000001 .* quality flags=3 '
