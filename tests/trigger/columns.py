"""Each column of the intervals' CSV as a condition of swtrace trigger, against that CSV: columns.py
CPIDECODE EVENT_CONDITIONS TRACE... Exits with 1 at a difference."""
import csv
import io
import re
import subprocess
import sys
from decimal import Decimal

cpidecode, conditions, *traces = sys.argv[1:]
TEXTS = {"label", "flags", "time_source", "method"}
# Columns of tasks, which these events lack.
NOT_ASKED = {"pid", "task", "tid", "major"}  # major is the hook's
OF_A_TRACE = {"depth", "own_nested_ns", "container", "id", "parent_id"}
# They need a whole trace, or more than the event.
FLAGS_OF_A_TRACE = {"inconsistent", "malformed", "children-lost", "open"}
MARGIN = Decimal("0.00006")
failed = False


def run(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout.decode(errors="replace")


def word(name):
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", name) else "{" + name + "}"


def condition(name, value):
    if name in TEXTS or name.startswith("arg."):
        return word(name) + '="' + re.sub(r"([\\*?[])", r"\\\1", value).replace('"', '\\"') + '"'
    if "." in value:
        low, high = max(Decimal(value) - MARGIN, 0), Decimal(value) + MARGIN
        return f"{word(name)}>={low} and {word(name)}<={high}"
    return f"{word(name)}={value}"


def fail(*what):
    global failed
    failed = True
    print(*what, file=sys.stderr)


def check_column(trace, rows, left_out, name, events):
    if name in OF_A_TRACE:
        for asked in (name, f"parent.{name}", f"root.{name}"):
            there = run(conditions, trace, f"absent({asked})")
            if "is known only of a whole trace (cpidecode --where)" not in there:
                fail(trace, asked, there)
        return
    if name in events and "." not in name:
        word_of = "{" + name + "}"
        rows = [{**row, word_of: row[name]} for row in rows]
        name = word_of
    values = sorted({row[name] for row in rows if row[name]})
    if name == "flags":
        values = [v for v in values if not any("own-cost" in row[name] for row in rows)]
    asked = [f"{name}={v}" if "{" in name else condition(name, v) for v in values]
    absent = {row["id"] for row in rows if not row[name]}
    there = run(conditions, trace, *asked, f"not absent({name if '{' in name else word(name)})").splitlines()
    for text, value, found in zip(asked, values, there):
        expected = {row["id"] for row in rows if row[name] == value}
        found = set(found.split()) - left_out
        # The texts that numbers stand for are the session's.
        named = name == "label" or name.startswith(("arg.", "event.", "{"))
        if not (found <= expected if named else found == expected):
            fail(trace, text, found, "instead of", expected)
    # Empty texts are in the CSV as absent ones are.
    if name not in TEXTS and absent & (set(there[-1].split()) - left_out):
        fail(trace, "not absent", name, absent & (set(there[-1].split()) - left_out))


for trace in traces:
    text = run(cpidecode, "--report", "intervals", "--format", "csv", trace)
    names, *rows = csv.reader(io.StringIO(text, newline=""))
    events = set(names[names.index("own_nested_ns") + 1:-2])
    rows = [dict(zip(names, row)) for row in rows]
    # For damaged and contradictory groups, and hooks without their group, a trace defines more.
    left_out = {row["id"] for row in rows if FLAGS_OF_A_TRACE & set(row["flags"].split("+"))}
    rows = [row for row in rows if row["id"] not in left_out]
    for name in names:
        # Words have no such bytes.
        if name not in NOT_ASKED and not re.match(r"arg\..*[^A-Za-z0-9_.]", name, re.S):
            check_column(trace, rows, left_out, name, events)
sys.exit(failed)
