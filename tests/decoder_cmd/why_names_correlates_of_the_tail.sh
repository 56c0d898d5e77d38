#!/bin/sh
. "${0%/*}/lib.sh"

command -v python3 >/dev/null || skip "what the tail goes with: no python3 to make traces"

# make.py CAUSE:SEED...: as CAUSE:SEED.txt 6000 intervals of eight threads with log-normal times; those that
# the cause picks are eight times as long. One process: it takes longer to start than to make one.
cat >make.py <<'END'
import collections, random, sys

for trace in sys.argv[1:]:
    cause, seed = trace.split(":")
    random_, sys.stdout = random.Random(int(seed)), open(trace + ".txt", "w")
    print('''clock raw
hz 1000000000
sync 0 1700000000000000000 5
cpus 4
section labels
# numbers 1, 3, 5 and 7
label "op"
label "size"
label "key"
label "outer"
section tasks''')
    for tid in range(1, 9):
        print(f'task {tid} 1 0 "w{tid}"')
    hooks, now = collections.defaultdict(list), {tid: 10 * tid for tid in range(1, 9)}
    for i in range(6000):
        tid, cpu, size, key = random_.randint(1, 8), random_.randint(0, 3), random_.choice([100, 200, 300]), random_.choice("abc")
        n, inside, elapsed = random_.randint(0, 1 << 20), random_.random() < 0.2, int(random_.lognormvariate(7, 0.3))
        chosen = {"thread": tid == 3, "processor": cpu == 2, "argument": size == 300, "text": key == "b",
            "parent": inside, "time": 2000 <= i < 2200, "range": n >= 1 << 19}.get(cause, False)
        if chosen and random_.random() < (0.5 if cause == "time" else 0.08):
            elapsed *= 8
        if cause == "outlier" and i == 3000:
            elapsed = 10 ** 9
        if cause == "few" and i < 4:
            size, elapsed = 7, 10 ** 7
        end = now[tid] = now[tid] + random_.randint(10, 2000) + elapsed
        hooks[cpu].append((end, f'hook 0xC2 0x20000000 tid={tid} at={end} 1 1 64:{elapsed} 2 1 3 1 '
            f'64:{n if cause == "range" else size} 5 4 64:0 "{key}"'))
        if inside:
            now[tid] += 5
            hooks[cpu].append((end + 5, f'hook 0xC2 0x10000000 tid={tid} at={end + 5} 0 7 64:{elapsed + 10}'))
    for cpu in sorted(hooks):
        print(f"section hooks ring={cpu}")
        print("\n".join(line for _, line in sorted(hooks[cpu])))
    print("section end")
END

# Each value's line, computed from the intervals; and the rule, by binomials.
cat >compute.py <<'END'
import csv, math, statistics, sys


def log_comb(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def check(intervals, why, cause):
    rows = [r for r in csv.DictReader(open(intervals, newline="")) if r["label"] == "op"]
    said_of = list(csv.DictReader(open(why, newline="")))
    at = {r["quantity"]: r for r in said_of if r["quantity"] != "explanation"}
    low, middle = float(at["from_ns"]["tail"]), float(at["time_ns"]["middle"])
    times = [float(r["elapsed_cycles"]) for r in rows]
    tail = sum(t >= low for t in times)
    assert tail == int(at["intervals"]["tail"])
    excess = sum(t - middle for t in times if t >= low)
    said = {(r["by"], r["value"].split(" ")[0]): r for r in said_of if r["quantity"] == "explanation"}
    columns = {"thread": "tid", "processor": "cpu", "argument": "arg.size", "text": "arg.key"}
    tests = {}
    for by, column in columns.items():
        for value in {r[column] for r in rows}:
            name = {"argument": "size=", "text": "key="}.get(by, "") + value
            tests[("argument" if by == "text" else by, name)] = [r[column] == value for r in rows]
    if cause == "range":
        tests = {k: v for k, v in tests.items() if not k[1].startswith("size=")}
    for key, has in tests.items():
        n, k = sum(has), sum(h and t >= low for h, t in zip(has, times))
        share = 100 * sum(t - middle for h, t in zip(has, times) if h and t >= low) / excess
        possible = range(max(k, tail - (len(rows) - n)), min(n, tail) + 1)
        chance = sum(math.exp(log_comb(n, i) + log_comb(len(rows) - n, tail - i) - log_comb(len(rows), tail)) for i in possible)
        speaks = k >= 5 and share >= 10 and k * (len(rows) - n) >= 2 * (tail - k) * n
        if key not in said:
            # Up to some 60 values are tested.
            assert not speaks or chance > 0.001 / 100, (key, n, k, share, chance)
            continue
        row = said.pop(key)
        assert speaks and chance <= 0.001, (key, n, k, share, chance)
        with_, others = [[t for h, t in zip(has, times) if h == side] for side in (True, False)]
        assert (int(row["with_count"]), int(row["with_tail"])) == (n, k), row
        assert abs(float(row["share_pct"]) - share) < 0.05, (row, share)
        for column, value in (("with_mean_ns", statistics.mean(with_)), ("others_mean_ns", statistics.mean(others))):
            assert abs(float(row[column]) - value) < 0.1, (column, row, value)
        for column, value in (("with_p50_ns", statistics.median(with_)), ("others_p50_ns", statistics.median(others))):
            assert abs(float(row[column]) - value) <= 1 + value / 256, (column, row, value)
    assert {by for by, _ in said} <= {"parent", "time", "argument"}, said


for cause in sys.argv[1:]:
    check(cause + ".intervals", cause + ".why", cause)
END

sampled=0 seeds=20
if is_sampled "figures of causes, 19 of 20 traces without a cause"; then
	sampled=1 seeds=1
fi
causes='thread processor argument text parent time range outlier few none'
# shellcheck disable=SC2046
python3 make.py thread:2 $(printf '%s:1\n' $causes) $(seq "$seeds" | sed '1d; s/^/none:/')
for cause in $causes; do
	"$MKTRACE" $cause:1.txt t.bin
	run 0 --report intervals --format csv t.bin
	mv out $cause.intervals
	run 0 --report why --label op --format csv t.bin
	cp out $cause.why
	# Slices keep all intervals: only the merged result determines the tail.
	mv out whole
	for i in 1 2; do
		run 0 --partial part.$i --slice $i/2 --report why --label op --format csv t.bin
	done
	run 0 merge part.2 part.1
	cmp -s out whole || fail "$cause: merged it says something else"
	said=$(tr -d '\r' <out | awk -F, '$4 == "explanation" { print $11 " " $12 }' | sort)
	case $cause in
	thread) expected='thread 3 (w3)' ;;
	processor) expected='processor 2' ;;
	argument) expected='argument size=300' ;;
	text) expected='argument key=b' ;;
	parent) expected='parent outer' ;;
	range) expected='argument size=524288..1048575' ;;
	time) expected=$(echo "$said" | grep '^time +0.000[4-7]') ;; # where it is, whatever its edges
	*) expected='' ;;                                            # one or four intervals say nothing
	esac
	[ "$said" = "$expected" ] || fail "$cause: said $said"
	[ $cause != time ] || [ -n "$said" ] || fail "no time"
done

# shellcheck disable=SC2086
[ $sampled -eq 1 ] || python3 compute.py $causes || fail "figures of a cause"

# Text and JSON say the same; threads change nothing. With fewer than 5 in the tail nothing is tested.
"$MKTRACE" thread:2.txt t.bin
run 0 --report why --label op t.bin
in_file out '^the tail goes with +intervals  in the tail +%  +mean +p50  others. mean +p50$'
in_file out '^thread 3 \(w3\) '
run 0 -j 1 --report why --label op --format json t.bin
mv out one
run 0 -j 4 --report why --label op --format json t.bin
cmp one out || fail "threads differ"
in_file out '"explanations":\[\{"by":"thread","value":"3 \(w3\)","with_count":[0-9]+,"with_tail":[0-9]+,"with_mean_ns":[0-9.]+,"with_p50_ns":[0-9]+,"others_mean_ns":[0-9.]+,"others_p50_ns":[0-9]+,"difference_ns":[0-9.]+,"share_pct":[0-9.]+\}\],"cycle":'
run 0 --report why --format json --label op --where 'start_ns < 1700000000000100000' t.bin
not_in_file out explanations

# Without a cause it names none: 20 traces, at two tails.
for seed in $(seq "$seeds"); do
	"$MKTRACE" none:$seed.txt t.bin
	for tail in p90 p99; do
		run 0 --report why --label op --tail $tail --format csv t.bin
		! grep -q explanation out || fail "seed $seed, $tail: a cause where there is none"
	done
done
