"""Each column of the intervals' CSV in --columns, --sort and --where, against that CSV: columns.py
CPIDECODE TRACE... [-- OPTIONS...]. Exits with 1 at a difference."""
import csv
import io
import re
import subprocess
import sys
from decimal import Decimal

cpidecode, *traces = sys.argv[1:]
options = []
if "--" in traces:
    at = traces.index("--")
    traces, options = traces[:at], traces[at + 1:]
OPEN_WORD = re.compile(r"(arg|event)\.[^\s()=!<>\ufffd]+\Z")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
TEXTS = {"task", "label", "flags", "time_source", "method", "container", "id", "parent_id"}
VALUES = 2  # of a column, that are asked for; of an interval around, one
MARGIN = Decimal("0.00006")


def run(*arguments):
    command = [cpidecode, "--report", "intervals", "--format", "csv", *options, *arguments, *traces]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        fail(arguments, done.stderr.decode(errors="replace"))
    rows = csv.reader(io.StringIO(done.stdout.decode(errors="replace"), newline=""))
    return [row or [""] for row in rows]


def fail(arguments, why):
    print(f"{' '.join(traces)}: {arguments}: {why}", file=sys.stderr)
    sys.exit(1)


names, *rows = run()
every = [dict(zip(names, row)) for row in rows]
by_id = {row["id"]: row for row in every}


def parent(row):
    return by_id.get(row["parent_id"])


def root(row):
    return root(parent(row)) if parent(row) else row


def itself(row):
    return row


def is_text(name, value):
    return name in TEXTS or not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?", value)


def check_columns(listed):
    there = run("--columns", ",".join(listed))
    if there != [listed] + [[row[name] for name in listed] for row in every]:
        fail(("--columns", ",".join(listed)), "other values")


def check_sort(name):
    known = [row[name] for row in every if row[name]]
    for falling in (False, True):
        numbers = sorted((v for v in known if not is_text(name, v)), key=Decimal, reverse=falling)
        texts = sorted((v for v in known if is_text(name, v)), key=str.encode, reverse=falling)
        sort = ("--sort", ("-" if falling else "") + name)
        there = [by_id[row[names.index("id")]][name] for row in run(*sort)[1:]]
        # "" is absent, but for empty texts and infinite numbers.
        if len(there) != len(every) or [v for v in there if v] != numbers + texts:
            fail(sort, f"{there} instead of {numbers + texts}")
        first, *rows = run(*sort, "--top", "3")
        found = [by_id[row[first.index("id")]][name] for row in rows]
        if found != there[:3]:
            fail((*sort, "--top 3"), f"{found} instead of {there[:3]}")


def condition(word, name, value):
    if is_text(name, value):
        return word + '="' + re.sub(r"([\\*?[])", r"\\\1", value).replace('"', '\\"') + '"'
    if "." in value:
        return f"{word}>={max(Decimal(value) - MARGIN, 0)} and {word}<={Decimal(value) + MARGIN}"
    return f"{word}={value}"


def check_where(name):
    if name == "flags" and any("own-cost" in row[name] for row in every):
        return  # of the interval alone, without what is nested in it
    word = name if WORD.match(name) or OPEN_WORD.match(name) else "{" + name + "}"
    if name.startswith("arg.") and word != name:
        return
    scopes = (("", itself), ("parent.", parent), ("root.", root))
    for scope, of in scopes if word == name else scopes[:1]:
        values = {row[name] for row in every}
        some = sorted(v for v in values if v and "\ufffd" not in v and v.isprintable())
        for value in some[: 1 if scope else VALUES]:
            expected = {row["id"] for row in every if of(row) and of(row)[name] == value}
            asked = condition(scope + word, name, value)
            there = {row[-2] for row in run("--where", asked)[1:]}
            if there != expected:
                fail(("--where", asked), f"{there} instead of {expected}")
        asked = f"absent({scope}{word})"
        there = {row[-2] for row in run("--where", asked)[1:]}
        if not there <= {row["id"] for row in every if not of(row) or not of(row)[name]}:
            fail(("--where", asked), f"too many: {there}")


# No option can have names that are no UTF-8.
there = [name for name in names if "\ufffd" not in name]
check_columns(there[::-1])
for name in there:
    check_sort(name)
    check_where(name)
