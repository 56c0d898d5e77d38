#!/bin/sh
. "${0%/*}/lib.sh"

# Two threads. On the first one requests with a disk read between, whose time off the processor is
# known; an interval around two requests; one that overlaps a request without nesting.
make_clocked t.bin <<'END'
cpus 2
section labels
# numbers 1, 3, 5 and 7
label "request"
label "disk"
label "serve"
label "flush"
section hooks ring=0
hook 0xC2 0x10000000 tid=1 at=2000 0 1 64:1000
hook 0xC2 0x10000000 tid=1 at=4000 6 3 64:1500 64:3 64:500
hook 0xC2 0x10000000 tid=1 at=6000 0 1 64:1000
hook 0xC2 0x10000000 tid=1 at=6500 0 7 64:1000
hook 0xC2 0x10000000 tid=1 at=8000 0 1 64:1000
hook 0xC2 0x10000000 tid=1 at=9000 0 1 64:1000
hook 0xC2 0x10000000 tid=1 at=9500 0 5 64:5000
hook 0xC2 0x10000000 tid=2 at=9600 0 1 64:9000
hook 0xC2 0x10000000 tid=2 at=9700 0 3 64:10
section end
END
# 2000 to 5000: disk 2500 to 4000, serve from 4500. 6000 to 7000: flush up to 6500, which began
# inside of a request, then serve. 8000 to 8000: nothing between.
cat >expected <<'END'
# 7.70 us, no hooks lost
label                 count    total  share%     mean      p50      p99      max  off CPU     mm
request                   3  4.00 us          1.33 us  1.00 us  3.00 us  3.00 us  1.00 us  C2:00
  disk                    1  1.50 us   37.50                                      1.00 us  C2:00
  serve                   1  1.00 us   25.00                                          n/a  C2:00
  flush                   0   500 ns   12.50                                          n/a  C2:00
  (nothing recorded)         1.00 us   25.00                                          n/a
END
for threads in 1 4; do
	run 0 -j $threads --report gaps --label request t.bin
	cmp expected out || fail "text"
done
run 0 --report gaps --format csv t.bin
cat >expected <<'END'
label,minor,major,what,filler,filler_minor,count,total_ns,share_pct,mean_ns,p50_ns,p99_ns,max_ns,off_cpu_ns
request,0,194,gaps,,,3,4000.0,,1333.3,1000,3000,3000,1000
request,0,194,label,disk,0,1,1500.0,37.50,,,,,1000
request,0,194,label,serve,0,1,1000.0,25.00,,,,,
request,0,194,label,flush,0,0,500.0,12.50,,,,,
request,0,194,nothing recorded,,,,1000.0,25.00,,,,,
END
tr -d '\r' <out | cmp - expected || fail "csv"
run 0 --report gaps --format json t.bin
grep -q '^{"label":"request","minor":0,"major":194,"count":3,"total_ns":4000.0,"mean_ns":1333.3,"p50_ns":1000,"p99_ns":3000,"max_ns":3000,"off_cpu_ns":1000,"filled_by":\[{"what":"label","label":"disk","minor":0,"count":1,"total_ns":1500.0,"share_pct":37.50,"off_cpu_ns":1000},' out || fail "json"
grep -q '{"what":"nothing recorded","label":null,"minor":null,"count":null,"total_ns":1000.0,"share_pct":25.00,"off_cpu_ns":null}\]}$' out || fail "json: nothing"

# With a filter, intervals that it leaves out fill gaps, too: a request of its own label.
run 0 --report gaps --where 'label=request and not (start_ns > 1700000000000004000 and start_ns < 1700000000000006000)' --format csv --tid 1 t.bin
in_file out '^request,0,194,gaps,,,2,5000.0,,2500.0,0,5000,5000,1000'
in_file out '^request,0,194,label,request,0,1,500.0,10.00,'
run 0 --report gaps --where 'label=request and parent.label=serve' --format csv t.bin
in_file out '^request,0,194,gaps,,,2,1000.0,,500.0,0,1000,1000,'
run 0 --report gaps --label none t.bin
in_file out '^no gaps$'
run 2 --report gaps --compensate t.bin

# By thread; the threads' gaps are those of the label.
run 0 --report gaps --by label,tid --format csv --where 'label in (request, disk)' t.bin
in_file out '^label,minor,major,tid,task,what,'
in_file out '^request,0,194,1,,gaps,,,3,4000.0,'
[ "$(grep -c ',gaps,' out)" -eq 1 ] || fail "by thread"
run 0 --report gaps --by label,tid t.bin
in_file out ' tid  task +mm$'
in_file out '^request .*   1  -  +C2:00$'
run 2 --report gaps --by tid t.bin

# Intervals open at the end count up to there: the second request ends a gap, and fills that of others.
make_clocked open.bin <<'END'
cpus 1
section meta
| period: 7
section labels
label "request"
label "tick"
section hooks ring=0
hook 0xC2 0x10000000 tid=7 at=1000 0 1 64:500
hook 0xC2 0x10000000 tid=7 at=1100 0 3 64:50
hook 0xC2 0x40000000 tid=7 at=2000 0 1 64:4294967297 7 0
hook 0xC2 0x10000000 tid=7 at=3000 0 3 64:50
section end
END
run 0 --report gaps --format csv open.bin
quiet
in_file out '^request,0,194,gaps,,,1,1000.0,'
in_file out '^tick,0,194,gaps,,,1,1850.0,'
in_file out '^tick,0,194,label,request,0,1,950.0,51.35,'

# With very many labels fillers are summed, and nothing is lost: they add up to the gaps.
"$GENTRACE" -k groups -n 8000 -l 2000 -e -t 1 -c 2 many.bin
run 0 --report gaps --format csv many.bin
tr -d '\r' <out | awk -F, '
	$3 == "gaps" { gaps[$1] = $7; rows++ }
	$3 != "gaps" && NR > 1 { gaps[$1] -= $7 }
	END {
		for (label in gaps) if (gaps[label] > 2 || gaps[label] < -2) { print label, gaps[label]; exit 1 }
		if (rows < 1000) exit 1
	}' || fail "many labels: gaps that nothing filled"

command -v python3 >/dev/null || skip "gaps of generated traces: no python3 to compute them"
cat >compute.py <<'END'
# From intervals.csv: at each instant of a gap, the interval that began last of those around it.
import collections, csv, sys

def name(label, minor):
    return (label, minor)

threads = collections.defaultdict(list)
for place, row in enumerate(csv.DictReader(open(sys.argv[1], newline=""))):
    threads[row["tid"]].append((int(row["start_ns"]), int(row["end_ns"]), place, name(row["label"], row["minor"])))
count, total, fill = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)
for intervals in threads.values():
    for own in {i[3] for i in intervals}:
        end = None
        for start, to, _, _ in sorted(i for i in intervals if i[3] == own):
            if end is not None and start >= end:
                count[own] += 1
                total[own] += start - end
                steps = sorted({end, start} | {p for i in intervals for p in i[:2] if end < p < start})
                for a, b in zip(steps, steps[1:]):
                    around = [i for i in intervals if i[0] <= a and i[1] >= b]
                    filler = max(around, key=lambda i: (i[0], -i[1], i[2]))[3] if around else None
                    fill[own][filler] += b - a
            end = to if end is None else max(end, to)
lines = collections.Counter()
for row in csv.DictReader(open(sys.argv[2], newline="")):
    own = name(row["label"], row["minor"])
    near = 2 * count[own] + 1 # each time is rounded to whole nanoseconds
    if row["what"] == "gaps":
        assert int(row["count"]) == count[own], (own, row, count[own])
        assert abs(float(row["total_ns"]) - total[own]) <= near, (own, row, total[own])
        lines[own] = float(row["total_ns"])
        continue
    lines[own] -= float(row["total_ns"])
    filler = name(row["filler"], row["filler_minor"]) if row["what"] == "label" else None
    if row["what"] != "others":
        expected = fill[own].pop(filler, 0)
        assert abs(float(row["total_ns"]) - expected) <= 2 * near + 40, (own, row, expected)
        least = float(row["total_ns"]) if filler else least
    assert row["what"] != "others" or max(v for k, v in fill[own].items() if k) <= least + 2 * near + 40, own
assert set(lines) == {own for own in count}, (lines.keys(), count.keys())
assert all(abs(rest) < 2 for rest in lines.values()), lines
END
for how in '-n 400 -c 2 -t 3 -l 6 -d 4' '-n 600 -c 3 -t 5 -l 30 -d 6 -e' '-n 500 -c 1 -t 1 -l 12 -s 9'; do
	# shellcheck disable=SC2086
	"$GENTRACE" -k groups $how g.bin
	run 0 --format csv --report intervals g.bin
	mv out intervals.csv
	run 0 --format csv --report gaps g.bin
	python3 compute.py intervals.csv out || fail "gaps of gentrace $how"
	tr -d '\r' <out | awk -F, '$3 == "gaps" { print $1, $6 }' | sort >whole
	run 0 --format csv --report gaps --by label,tid g.bin
	tr -d '\r' <out | awk -F, '$5 == "gaps" { n[$1] += $8 } END { for (label in n) print label, n[label] }' | sort >parts
	cmp whole parts || fail "threads of gentrace $how"
done
