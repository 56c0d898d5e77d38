#!/bin/sh
# Per label: count, mean, percentiles, maximum, on and off CPU, as cpidecode finds them in a dump of
# the same hooks. A histogram has each interval once.
. "${0%/*}/lib.sh"
: "${CPIDECODE:?the cpidecode command}"

session wrap 8
watch --json --label 'slow request'
"$INTERVALS" 5000 5 10 4 >accepted || fail "the program failed"
run 0 off
run 0 dump trace.bin
run 0 free
ended 0
is_json rounds
"$CPIDECODE" --report summary --format json trace.bin >summary 2>err || fail "cpidecode failed"
"$CPIDECODE" --report intervals --format json trace.bin >intervals 2>err || fail "cpidecode failed"
cat >compare.py <<'END'
import json, math
last = [json.loads(line) for line in open("rounds", encoding="utf-8")][-1]
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
        known = [i[key] for i in times if i.get(key) is not None]
        if known:
            mean = sum(known) / len(known)
            assert math.isclose(top[key], mean, rel_tol=1e-3, abs_tol=2), (key, mean, top)
        else:
            assert top[key] is None, (key, top)
    assert top["cpi"] is None or top["cpi"] > 0
assert {l["label"] for l in last["labels"]} == {"fast", "slow request"}
h = last["histogram"]
assert h["label"] == "slow request" and sum(b["total"] for b in h["buckets"]) == 4, h
assert all(b["from_ns"] < b["to_ns"] for b in h["buckets"])
END
if tail -n 1 rounds | grep -q '"total": {[^}]*"missed": [1-9]'; then
	skip "hooks were missed: the machine kept top from its processor"
fi
python3 compare.py || fail "other figures than the decoder's"
