#!/bin/sh
. "${0%/*}/lib.sh"

# A request of thread 1 from processor 1 to 0, and around it: one that ends as it begins, one that
# overlaps its start (on processor 1), a nested pair inside (begun on 0, ended on 2), its own thread's.
make_clocked t.bin <<'END'
cpus 3
section labels
# numbers 1, 3, 5 and 7
label "request"
label "disk"
label "query"
label "own"
section hooks ring=0
hook 0xC2 0x10000000 tid=1 at=15000 0 7 64:4000
hook 0xC2 0x10000000 tid=1 at=20000 34 1 64:10000 64:3 1
section hooks ring=1
hook 0xC2 0x10000000 tid=2 at=10000 0 3 64:5000
hook 0xC2 0x10000000 tid=2 at=12000 0 3 64:1900
section hooks ring=2
hook 0xC2 0x10000000 tid=3 at=14000 34 5 64:500 64:3 0
hook 0xC2 0x10000000 tid=3 at=16000 0 3 64:3000
section end
END
run 0 --report slowest -n 1 t.bin
cat >expected <<'END'
1. "request", minor 0x00 of major 0xC2: 10.0 us, p100.0 of 1 (median 10.0 us)
   at: 0 ns before the trace's first hook, thread 1, CPU 1 to 0
   in: nothing
   off CPU: n/a, 3 switches
       self  count  median's  count  label
    6.00 us          6.00 us         (itself)
    4.00 us      1   4.00 us      1  own
   meanwhile, on other threads (intervals of this trace; what else ran is unknown):
    overlap  count  on CPU 1  on CPU 0  label
    4.90 us      2   1.90 us      0 ns  disk
     500 ns      1      0 ns    500 ns  query
   show: --report intervals --tid 1 --from 1700000000.000010000 --to 1700000000.000020000
END
sed -i 's/at: 0 ns before the trace.s first hook/at: +0.000000000 s/' expected
cmp expected out || fail "text"
run 0 --report slowest -n 1 --format json t.bin
grep -q '"meanwhile":\[{"label":"disk","minor":0,"count":2,"overlap_ns":4900.0,"start_cpu_ns":1900.0,"cpu_ns":0.0},{"label":"query","minor":0,"count":1,"overlap_ns":500.0,"start_cpu_ns":0.0,"cpu_ns":500.0}\]}$' out || fail "json"

# An interval that began before the trace's first hook says so, without a sign.
run 0 --report slowest --label disk t.bin
in_file out '^   at: 5\.00 us before the trace.s first hook, thread 2, CPU 1$'
not_in_file out 'at: -'

# Intervals that are open at the end contain it, and overlap it, too.
make_clocked open.bin <<'END'
cpus 1
section meta
| period: 7
section labels
label "request"
label "tick"
section hooks ring=0
hook 0xC2 0x40000000 tid=7 at=500 0 1 64:4294967297 7 0
hook 0xC2 0x40000000 tid=8 at=1900 0 1 64:8589934593 7 0
hook 0xC2 0x10000000 tid=7 at=2000 0 3 64:1000
hook 0xC2 0x10000000 tid=9 at=2500 0 3 64:100
section end
END
run 0 --report slowest -n 1 open.bin
in_file out '^1\. "tick", minor 0x00 of major 0xC2: 1\.00 us'
in_file out '^   in: request \(2\.00 us\)$'
in_file out '^     100 ns      1    100 ns  request$'

# The same, computed from the intervals themselves.
"$GENTRACE" -k groups -n 1500 -c 3 -t 5 -l 10 g.bin
run 0 --report intervals --format csv g.bin
tr -d '\r' <out | sed 1d >intervals.csv
run 0 -j 4 --report slowest -n 40 --format json g.bin
mv out four
run 0 -j 1 --report slowest -n 40 --format json g.bin
cmp out four || fail "threads differ"
sed 's/.*"start_ns":\([0-9]*\),"end_ns":\([0-9]*\),.*"tid":\([0-9]*\),.*"cpu":\([0-9]*\),"start_cpu.*"meanwhile":/\1 \2 \3 \4 /' out |
	sed 's/{"label":"\([^"]*\)","minor":[0-9]*,"count":\([0-9]*\),"overlap_ns":\([0-9.]*\),"start_cpu_ns":\([0-9.]*\),"cpu_ns":\([0-9.]*\)},*/|\1;\2;\3;\4;\5/g; s/[]}[]//g' >told
awk -F, '
	# Doubles would round times since 1970.
	function since(ns) { return substr(ns, 10) + 0 }
	FNR == NR {
		n++
		start[n] = since($1); end[n] = since($2); cpu[n] = $4; tid[n] = $6; label[n] = $9
		next
	}
	{
		fields = split($0, part, "|")
		split(part[1], own, " ")
		delete count; delete overlap; delete on
		for (i = 1; i <= n; i++) {
			if (tid[i] == own[3]) continue
			from = start[i] > since(own[1]) ? start[i] : since(own[1])
			to = end[i] < since(own[2]) ? end[i] : since(own[2])
			if (to <= from) continue
			count[label[i]]++
			overlap[label[i]] += to - from
			if (cpu[i] == own[4]) on[label[i]] += to - from
			names[label[i]]
		}
		for (k = 2; k <= fields; k++) {
			split(part[k], f, ";")
			near = 2 * f[2] + 1 # each time is rounded
			if (f[2] - count[f[1]] > 1 || count[f[1]] - f[2] > 1) { print "count", $0; exit 1 }
			if (f[3] - overlap[f[1]] > near || overlap[f[1]] - f[3] > near) { print "overlap", f[1], f[3], overlap[f[1]]; exit 1 }
			if (f[5] - on[f[1]] > near || on[f[1]] - f[5] > near) { print "cpu", f[1], f[5], on[f[1]]; exit 1 }
			if (f[4] != f[5]) { print "start_cpu", $0; exit 1 }
			lines++
			delete overlap[f[1]]
		}
		for (name in overlap) if (overlap[name] > 4) { print "not told:", name, overlap[name], $0; exit 1 }
	}
	END { if (lines < 100) { print lines " lines"; exit 1 } }' intervals.csv told >wrong || fail "meanwhile: $(cat wrong)"
