"""What cpidecode --by says, against the intervals that it reports: groups.py CPIDECODE TRACE LISTS
[OPTIONS...]. LISTS: those of --by, with spaces between. Options that select intervals go to both
reports. Exits with 1 at a difference."""
import json
import subprocess
import sys

cpidecode, trace, lists, *options = sys.argv[1:]
PERCENTILES = ["0.01", "25", "50", "99.9"]


def run(*arguments):
    done = subprocess.run([cpidecode, *arguments, trace], capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def intervals(*arguments):
    rows = run("--report", "intervals", "--format", "json", "--metric", "exact=elapsed_ns", *arguments)
    return [row for row in rows if "open" not in row["flags"].split("+")]


every = {row["id"]: row for row in intervals()}
selected = intervals(*options) if options else list(every.values())
# The origin of reports of hooks alone: the first stamp.
origin = 0
if "time:" in lists:
    origin = min((row["time_ns"] for row in run("--report", "hooks", "--format", "json")), default=0)
for i, option in enumerate(options):
    if option == "--from":
        whole, _, part = options[i + 1].partition(".")
        origin = int(whole) * 10**9 + int((part + "0" * 9)[:9])


def name(row):
    return row["label"] if row["label"] is not None else "minor 0x%02X" % row["minor"]


def line(row):
    """The interval and those around it, outermost first."""
    found = [row]
    while found[0]["parent_id"]:
        found.insert(0, every[found[0]["parent_id"]])
    return found


def value(row, key):
    around = line(every[row["id"]])
    if key == "parent":
        return name(around[-2]) if len(around) > 1 else None
    if key == "root":
        return name(around[0])
    if key == "stack":
        return ";".join(name(of).replace(";", "_") for of in around)
    return row.get(key)


def util(row):
    """CPU utilisation has groups of its own."""
    return row.get("major") == 0xC8


def check(good, what):
    if not good:
        sys.exit("groups.py: %s: %s" % (trace, what))


def rank(values, percent):
    # In whole parts: a float's error must not reach the next rank.
    parts = int(float(percent) * 10000 + 0.5)
    return values[max((len(values) * parts + 999999) // 1000000, 1) - 1]


def near(a, b, most):
    return (a is None) == (b is None) and (a is None or abs(a - b) <= most)


def check_list(keys):
    width = None
    names = []
    for key in keys.split(","):
        if key.startswith("time:"):
            unit = {"ns": 1, "us": 10**3, "ms": 10**6}[key[-2:]]
            width = int(key[5:-2]) * unit
        else:
            names.append(key)

    groups, flights = {}, {}
    for row in selected:
        series = tuple(value(row, key) for key in names) + (util(row),)
        bucket = None
        if width:
            bucket = (row["start_ns"] - origin) // width
            flights.setdefault(series, []).append((row["start_ns"] - origin, row["end_ns"] - origin))
        groups.setdefault((series, bucket), []).append(row["exact"])

    expected_flights = {}
    for series, spans in flights.items():
        events = sorted([(end, -1) for start, end in spans if end > start] +
                        [(start, 1) for start, end in spans if end > start])
        flying, since = 0, 0
        for at, change in events:
            while flying and since < at:
                edge = (since // width + 1) * width
                until = min(edge, at)
                figures = expected_flights.setdefault((series, since // width), [0, 0, 0])
                figures[0] += (until - since) * flying
                figures[1] = max(figures[1], flying)
                figures[2] += until - since
                since = until
            flying += change
            since = at
    for key in expected_flights:
        groups.setdefault(key, [])

    rows = run("--format", "json", "--by", keys, "--exact", "--percentiles", ",".join(PERCENTILES), *options)
    rough = run("--format", "json", "--by", keys, "--percentiles", ",".join(PERCENTILES), *options)
    check(len(rows) == len(groups), "%d groups, expected %d" % (len(rows), len(groups)))
    check(len(rough) == len(rows), "groups without --exact")
    for row, other in zip(rows, rough):
        bucket = row["time_ns"] // width if width else None
        check(not width or row["time_ns"] % width == 0, "time_ns")
        found = (tuple(row[key] for key in names) + (util(row),), bucket)
        check(found in groups, "a group %r" % (found,))
        times = groups.pop(found)
        whole = sorted(round(time) for time in times)
        check(row["count"] == len(times), "count of %r" % (found,))
        check(near(row["total_ns"], sum(times), 1 + len(times) * 0.002), "total of %r" % (found,))
        check(near(row["mean_ns"], sum(times) / len(times) if times else None, 0.06), "mean of %r" % (found,))
        check(row["min_ns"] == (whole[0] if whole else None), "min of %r" % (found,))
        check(row["max_ns"] == (whole[-1] if whole else None), "max of %r" % (found,))
        for percent in PERCENTILES:
            column = "p%s_ns" % percent
            truth = rank(whole, percent) if whole else None
            check(row[column] == truth, "%s of %r" % (column, found))
            if len(whole) <= 256:
                check(other[column] == truth, "%s of %r without --exact" % (column, found))
            else:
                check(near(other[column], truth, truth / 250), "%s of %r without --exact" % (column, found))
        if width:
            total, most, busy = expected_flights.get(found, (0, 0, 0))
            check(near(row["starts_per_s"], len(times) * 1e9 / width, 0.001), "starts of %r" % (found,))
            check(near(row["in_flight_mean"], total / width, 0.0001), "mean in flight of %r" % (found,))
            check(row["in_flight_most"] == most, "most in flight of %r" % (found,))
            check(near(row["in_flight_pct"], 100 * busy / width, 0.0001), "share in flight of %r" % (found,))
    check(not groups, "groups are missing")

    def order(row):
        """With time by the keys, n/a last; else by total alone: sums of equal ns may differ."""
        if not width:
            return -row["total_ns"]
        by = []
        for key in keys.split(","):
            value = row["time_ns" if key.startswith("time:") else key]
            by.append((value is None, value.encode() if isinstance(value, str) else value or 0))
        return by

    check(rows == sorted(rows, key=order), "order by " + keys)


for keys in lists.split():
    check_list(keys)
