#!/usr/bin/env python3
"""
usage: sqlite.py NAME...: the answers of SQL about NAME.sqlite equal NAME.csv (the intervals),
NAME.summary.csv and NAME.info.json. Says what differs and ends with 1.
"""
import collections
import csv
import json
import math
import re
import sqlite3

from differences import compare_all, say


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def is_equal(text, value):
    """A cell of CSV, which has up to four decimals and no null, and a value of SQL."""
    if value is None or value == "":
        return text == ""
    if isinstance(value, str):
        return text == value
    if not text:
        return isinstance(value, float) and not math.isfinite(value)
    if isinstance(value, int):
        return text == str(value)
    return math.isclose(float(text), value, rel_tol=1e-15, abs_tol=0.500001e-4)


def compare_columns(name, rows, db):
    own = [c[1] for c in db.execute("pragma table_info(named_intervals)")]
    found = [dict(zip(own, r)) for r in db.execute("select * from named_intervals order by number")]
    if len(found) != len(rows):
        say(name, f"{len(found)} of {len(rows)} intervals")
        return
    for i, (row, is_) in enumerate(zip(rows, found)):
        for column in own:
            if column in row and not is_equal(row[column], is_[column]):
                say(name, f"row {i}, {column}: {is_[column]!r} instead of {row[column]!r}")
                return
    compare_nesting(name, found)
    compare_ids(name, rows, db)
    compare_values(name, rows, own, db)


def compare_nesting(name, found):
    """The innermost container of depth d is the last one of depth d - 1 before it on its thread."""
    last = collections.defaultdict(dict)
    for row in found:
        open_ = last[row["file"], row["tid"]]
        expected = open_.get(row["depth"] - 1)
        if row["parent"] != expected:
            say(name, f"the parent of {row['number']}: {row['parent']} instead of {expected}")
            return
        open_[row["depth"]] = row["number"]


def compare_ids(name, rows, db):
    """A parent's number leads to the row whose id is parent_id; every interval has an id of its own."""
    nested = sum(row["parent_id"] != "" for row in rows)
    found = db.execute("""select count(distinct i.id), count(p.id), count(i.parent_id) from intervals i
        left join intervals p on p.number = i.parent and p.id = i.parent_id""").fetchone()
    if found != (len(rows), nested, nested):
        say(name, f"ids, parents, parent_ids: {found} instead of {(len(rows), nested, nested)}")
    own = db.execute("select count(*), count(distinct id), min(number), max(number) from own").fetchone()
    if rows and own != (len(rows), len(rows), 0, len(rows) - 1):
        say(name, f"the view own: {own}")
    bounds = [number for number, in db.execute("select number from own where children_lost order by number")]
    if bounds != [i for i, row in enumerate(rows) if "children-lost" in row["flags"].split("+")]:
        say(name, f"own times that are bounds: {bounds[:3]}")


def compare_values(name, rows, own, db):
    values = collections.defaultdict(dict)
    for prefix, view in (("arg.", "named_arguments"), ("event.", "named_events")):
        for interval, key, value in db.execute(f"select interval, name, value from {view}"):
            values[interval][prefix + key] = value
    # Names that differ in invalid bytes only: CSV numbers them.
    alike = {re.sub(r" \(\d+\)$", "", c) for c in rows[0] if re.search(r" \(\d+\)$", c)} if rows else set()
    for i, row in enumerate(rows):
        for column, text in row.items():
            if column in own or re.sub(r" \(\d+\)$", "", column) in alike:
                continue
            is_event = not column.startswith("arg.")
            key = "event." + column if is_event and not column.startswith("event.") else column
            value = values[i].pop(key, None)
            if not is_equal(text, value):
                say(name, f"row {i}, {column}: {value!r} instead of {text!r}")
                return
        for key in values[i]:
            if not alike and len(row) < 1000:  # the most columns of values
                say(name, f"row {i} has {key}")
                return


def compare_summary(name, db):
    own = [c[1] for c in db.execute("pragma table_info(summary)")]
    found = collections.defaultdict(lambda: [0, 0])
    for r in db.execute("select * from summary"):
        row = dict(zip(own, r))
        group = found[row["label"] or "", str(row["minor"])]
        group[0] += row["count"]
        group[1] += row["total_ns"]
    expected = collections.defaultdict(lambda: [0, 0])
    for row in read_csv(name + ".summary.csv"):
        group = expected[row["label"], row["minor"]]
        group[0] += int(row["count"])
        group[1] += int(row["total_ns"])
    if found.keys() != expected.keys():
        say(name, f"other groups: {sorted(found.keys() ^ expected.keys())[:3]}")
        return
    for key, (count, total) in expected.items():
        # total_ns adds ticks: a nanosecond an interval.
        if found[key][0] != count or abs(found[key][1] - total) > max(count, total * 1e-15):
            say(name, f"the summary of {key}: {found[key]} instead of {(count, total)}")


def compare_files(name, db):
    columns = [c[1] for c in db.execute("pragma table_info(losses)")]
    with open(name + ".info.json", encoding="utf-8") as file:
        for i, line in enumerate(file):
            info = json.loads(line)
            rings = [dict(zip(columns, r))
                     for r in db.execute("select * from losses where file = ?", (i,))]
            if len(rings) != len(info["rings"]):
                say(name, f"{len(rings)} of {len(info['rings'])} rings")
                return
            for ring, is_ in zip(info["rings"], rings):
                for column in columns[3:]:
                    if ring[column] != is_[column]:
                        say(name, f"{column}: {is_[column]} instead of {ring[column]}")
            rows = db.execute("select key, value from meta where file = ?", (i,)).fetchall()
            # info tells these as findings, if it tells them.
            doctor = {key: value for key, value in rows if f"{key}.".startswith("doctor.")}
            meta = [(m["key"], m["value"]) for m in info["meta"]]
            if [row for row in rows if row[0] not in doctor] != meta:
                say(name, "another META")
            told = info["doctor"] or {"verdict": None, "findings": []}
            if told["verdict"] != doctor.get("doctor") or any(
                    doctor.get(f"doctor.{f['id']}") != f"{f['status']}: {f['text']}" for f in told["findings"]):
                say(name, "other findings of doctor")


def compare(name):
    db = sqlite3.connect(f"file:{name}.sqlite?mode=ro", uri=True)
    for (line,) in db.execute("pragma integrity_check"):
        if line != "ok":
            say(name, line)
    rows = read_csv(name + ".csv")
    compare_columns(name, rows, db)
    compare_summary(name, db)
    compare_files(name, db)
    db.close()
    return len(rows)


compare_all(compare, "intervals")
