#!/bin/sh
. "${0%/*}/lib.sh"

# Three requests, the median one with a disk read of 1000 ns; the slowest in a light interval.
make_clocked t.bin <<'END'
cpus 2
section tasks
task 1 10 0 "server"
section labels
# numbers 1, 3 and 5
label "size"
label "key"
label "serve"
section hooks ring=0
interval mm=4 tid=1 at=5000 elapsed=2000 label="request" cpu 4000 2000 0 x2
interval mm=1 tid=1 at=14500 elapsed=1500 label="disk" cpu 1000 1500 0 x2
interval mm=2 tid=1 at=15000 elapsed=3000 label="query" cpu 1000 3000 0 x2
interval mm=3 tid=1 at=17000 elapsed=1000 cpu 2000 1000 0 x2
interval mm=4 tid=1 at=21000 elapsed=10000 label="request" cpu 9000 10000 0 x2
hook 0xC1 0x10000004 tid=1 at=21000 1 19 64:10000 64:6000 64:3 1
hook 0xC2 0x20000000 tid=1 at=22000 1 5 64:12000 2 1 1 1 64:1000 3 4 64:0 "user 1"
interval mm=1 tid=1 at=32000 elapsed=1000 label="disk" cpu 0 1000 0 x2
interval mm=4 tid=1 at=34000 elapsed=4000 label="request" cpu 4000 4000 0 x2
section end
END

cat >expected <<'END'
1. "serve", minor 0x00 of major 0xC2: 12.0 us, p100.0 of 1 (median 12.0 us)
   at: +0.000005000 s, thread 1 (server, process 10), CPU 0
   in: nothing
   values: size=1000 key="user 1"
   off CPU: 0 ns (0.0 %), 0 switches
       self  count  median's  count  label
    2.00 us          2.00 us         (itself)
    6.00 us      1   6.00 us      1  request
    1.50 us      1   1.50 us      1  disk
    1.50 us      1   1.50 us      1  query
    1.00 us      1   1.00 us      1  minor 0x03
   meanwhile, on other threads (intervals of this trace; what else ran is unknown): none
   show: --report intervals --tid 1 --from 1700000000.000010000 --to 1700000000.000022000

2. "request", minor 0x04: 10.0 us, p100.0 of 3 (median 4.00 us)
   at: +0.000006000 s, thread 1 (server, process 10), CPU 1 to 0
   in: serve (12.0 us)
   off CPU: 4.00 us (40.0 %), 3 switches
       self  count  median's  count  label
    6.00 us          3.00 us         (itself)
    1.50 us      1   1.00 us      1  disk
    1.50 us      1                   query
    1.00 us      1                   minor 0x03
   meanwhile, on other threads (intervals of this trace; what else ran is unknown): none
   show: --report intervals --tid 1 --from 1700000000.000011000 --to 1700000000.000021000
END
for threads in 1 4; do
	run 0 -j $threads --report slowest -n 2 t.bin
	cmp expected out || fail "the two slowest"
done
# The last line shows the interval and its contents.
# shellcheck disable=SC2046
run 0 --format csv $(sed -n '$s/.*show: //p' expected) t.bin
in_file out ',10000,0,10,1,server,4,request,'
in_file out ',3000,0,10,1,server,2,query,'

run 0 --report slowest --format json -n 2 t.bin
sed -n 2p out >there
printf '%s\n' '{"place":2,"label":"request","minor":4,"major":192,"elapsed_ns":10000.0,"percentile":100.0000,"count":3,"median_ns":4000.0,"start_ns":1700000000000011000,"end_ns":1700000000000021000,"since_start_ns":6000,"tid":1,"pid":10,"task":"server","cpu":0,"start_cpu":1,"off_cpu_ns":4000,"on_cpu_ns":6000,"ctx_switches":3,"parents":[{"label":"serve","minor":0,"elapsed_ns":12000.0}],"values":[],"self_ns":6000.0,"median_self_ns":3000.0,"beneath":[{"label":"disk","minor":1,"count":1,"self_ns":1500.0,"median_count":1,"median_self_ns":1000.0},{"label":"query","minor":2,"count":1,"self_ns":1500.0,"median_count":0,"median_self_ns":0.0},{"label":null,"minor":3,"count":1,"self_ns":1000.0,"median_count":0,"median_self_ns":0.0}],"meanwhile":[]}' >expected
cmp expected there || fail "json"
sed -n 1p out >there
in_file there '"values":\[\{"name":"size","value":1000\},\{"name":"key","value":"user 1"\}\]'

# Selected intervals are compared with each other; their context stays complete.
run 0 --report slowest --where 'label=disk and parent.label=query' t.bin
in_file out '^1. "disk", minor 0x01: 1.50 us, p100.0 of 1 \(median 1.50 us\)$'
in_file out '^   in: serve \(12.0 us\) > request \(10.0 us\) > query \(3.00 us\)$'
# By another column: as intervals has them.
for sort in tid -start_ns -off_cpu_ns; do
	run 0 --report slowest --sort $sort -n 4 --format json t.bin
	sed 's/.*"end_ns":\([0-9]*\).*/\1/' out >got
	run 0 --report intervals --sort $sort --top 4 --format csv --columns end_ns t.bin
	sed 1d out | tr -d '\r' | cmp - got || fail "--sort $sort"
done
run 0 --report slowest --label none t.bin
in_file out '^no intervals$'

# Self time and children add up to the interval; the number of threads changes nothing.
"$GENTRACE" -k groups -n 5000 -c 3 -d 8 g.bin
run 0 -j 1 --report slowest --format json -n 300 g.bin
mv out one
run 0 -j 4 --report slowest --format json -n 300 g.bin
cmp one out || fail "threads differ"
lines_are 300
awk -F'"elapsed_ns":' '{
		elapsed = $2 + 0
		beneath = $0; sub(/.*"values":/, "", beneath); sub(/"meanwhile":.*/, "", beneath)
		sum = 0
		n = split(beneath, part, /"self_ns":/)
		for (i = 2; i <= n; i++)
			sum += part[i]
		if (sum - elapsed > 2 || elapsed - sum > 2) exit 1
		if (NR > 1 && elapsed > last) exit 1
		last = elapsed
	}' out || fail "the times beneath do not add up, or the order is wrong"
run 0 --report intervals --format csv --top 300 g.bin
sed 1d out | awk -F, '{ print $1, $2 }' >expected
sed 's/.*"start_ns":\([0-9]*\),"end_ns":\([0-9]*\).*/\1 \2/' one >there
cmp expected there || fail "others than --report intervals --top"
