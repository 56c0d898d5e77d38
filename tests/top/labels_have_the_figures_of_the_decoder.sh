#!/bin/sh
# Per label: count, mean, percentiles, maximum, CPI, times on and off a processor, as cpidecode finds
# them in a dump of the same hooks, with scripted counters. A histogram has each interval once.
. "${0%/*}/lib.sh"
: "${CPIDECODE:?the cpidecode command}" "${FIGURES:?the program with figures}"

# Steps of different CPIs, for as many reads as there are.
awk 'BEGIN {
	for (i = 0; i < 300; i++)
		print "step 7\ncpi all 1.5\nthread cycles 50%\nthread cpi 2\n" \
			"step 5\ncpi all 3\nthread cycles 90%\nthread cpi 0.7"
}' >script

session wrap 8
watch --json --label asleep
SWTRACE_COUNTERS=scripted:$dir/script "$FIGURES" 200 >accepted || fail "the program failed"
"$INTERVALS" 3000 5 10 4 >accepted || fail "the program failed"
run 0 off
run 0 dump trace.bin
run 0 free
ended 0
is_json rounds
need_all_seen
"$CPIDECODE" --report summary --format json trace.bin >summary 2>err || fail "cpidecode failed"
"$CPIDECODE" --report intervals --format json trace.bin >intervals 2>err || fail "cpidecode failed"
cat >compare.py <<'END'
import json, math
last = [json.loads(line) for line in open("rounds", encoding="utf-8")][-1]
known = set()
for row in map(json.loads, open("summary", encoding="utf-8")):
    top = next(l["total"] for l in last["labels"] if l["label"] == row["label"])
    assert top["count"] == row["count"], (top, row)
    assert math.isclose(top["mean_ns"], row["mean_ns"], abs_tol=2, rel_tol=1e-3), (top, row)
    assert math.isclose(top["max_ns"], row["max_ns"], abs_tol=2), (top, row)
    for key in ("p50_ns", "p99_ns"):
        # Each is within 0.4 %, and whole ticks are not whole nanoseconds.
        assert math.isclose(top[key], row[key], rel_tol=0.008, abs_tol=2), (key, top, row)
    times = [i for i in map(json.loads, open("intervals", encoding="utf-8"))
             if i["label"] == row["label"]]
    assert len(times) == row["count"]
    for key in ("on_cpu_ns", "off_cpu_ns"):
        values = [i[key] for i in times if i.get(key) is not None]
        if values:
            mean = sum(values) / len(values)
            assert math.isclose(top[key], mean, rel_tol=1e-3, abs_tol=2), (key, mean, top)
            known.add(key)
        else:
            assert top[key] is None, (key, top)
    if all((i["thread_cpi"] is None) == (times[0]["thread_cpi"] is None) for i in times):
        cpi = row["raw_cpi"] if row["thread_cpi"] is None else row["thread_cpi"]
        if cpi is None:
            assert top["cpi"] is None, (top, row)
        else:
            assert math.isclose(top["cpi"], cpi, rel_tol=1e-3), (top, row)
            known.add(row["label"] + " cpi")
assert known >= {"on_cpu_ns", "off_cpu_ns", "thread cpi", "summary cpi", "system cpi"}, known
labels = {"fast", "slow request", "thread", "summary", "system", "asleep", "arguments"}
assert {l["label"] for l in last["labels"]} == labels
h = last["histogram"]
assert h["label"] == "asleep" and sum(b["total"] for b in h["buckets"]) == 200, h
assert all(b["from_ns"] < b["to_ns"] for b in h["buckets"])
asleep = next(l["total"] for l in last["labels"] if l["label"] == "asleep")
assert h["buckets"][0]["from_ns"] >= 500000 and asleep["p50_ns"] >= 1000000
END
python3 compare.py || fail "other figures than the decoder's"
