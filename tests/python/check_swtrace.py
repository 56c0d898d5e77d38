"""Compares the package swtrace with the reports of cpidecode. usage: check_swtrace.py TRACE..."""
import csv
import io
import json
import math
import os
import subprocess
import sys
import unittest.mock
import warnings

import numpy as np
import swtrace

failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED: " + what)


def cpidecode(*arguments):
    return subprocess.run(
        [os.environ["CPIDECODE"], *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    ).stdout


def same(cell, value, is_masked, is_text):
    """Whether a value is what the CSV says."""
    if is_text:
        # CSV replaces what is no text, and has no infinite numbers.
        return (value or "") == cell or (value or "x").isprintable() is False or (
            cell == "" and value in ("inf", "-inf", "NaN")
        )
    if is_masked:
        return cell == "" and (value == 0 or math.isnan(value))
    if isinstance(value, np.floating):
        return cell != "" and abs(value - float(cell)) < 0.0000500001
    return cell == str(value)


def check_columns(trace, path, *options, **chosen):
    rows = list(csv.reader(io.StringIO(cpidecode("--report", "intervals", "--format", "csv", *options, path).decode(), newline="")))
    # Events have their names alone in CSV.
    own = trace.intervals(threads=1).dtype.names + ("id", "parent_id")
    names = [
        name if name in own or name.startswith(("arg.", "event.")) else "event." + name for name in rows[0]
    ]
    # Names that are no UTF-8 are spelled otherwise.
    places = [i for i, name in enumerate(names) if "\ufffd" not in name]
    intervals = trace.intervals([names[i] for i in places], **chosen)
    check(intervals.dtype.names == tuple(names[i] for i in places), path + ": the columns")
    check(len(intervals) == len(rows) - 1, "%s: %d rows, not %d" % (path, len(intervals), len(rows) - 1))
    for i in places:
        name = names[i]
        is_text = intervals.dtype[name] == np.dtype("i4")
        values = intervals.text(name) if is_text else intervals[name].data
        masks = np.ma.getmaskarray(intervals[name])
        for row, value, mask in zip(rows[1:], values, masks):
            if not same(row[i], value, mask, is_text):
                check(False, "%s: %s: %r, not %r" % (path, name, value, row[i]))
                break
    return intervals


def check_selection(path):
    """Slices and selections keep masks and labels."""
    with swtrace.open(path) as trace:
        intervals = trace.intervals(["tid", "label", "instructions", "elapsed_ns"])
    part = intervals[intervals["elapsed_ns"] > np.median(intervals["elapsed_ns"].data)][::2]
    check(isinstance(part, swtrace.Intervals) and 0 < len(part) < len(intervals), "a selection")
    check(list(part.labels) == list(intervals.labels), "a selection's labels")
    check(set(part.text("label")) <= set(intervals.labels), "a selection's texts")
    try:
        part.text("tid")
        check(False, "text() of numbers")
    except KeyError:
        pass
    return intervals


def check_pandas(intervals):
    try:
        import pandas
    except ImportError:
        print("skipped: data frames: no pandas here")
        return
    frame = intervals.to_pandas()
    check(list(frame.columns) == list(intervals.dtype.names), "a data frame's columns")
    check(list(frame["label"].astype(object)) == list(intervals.text("label")), "a data frame's labels")
    check(isinstance(frame["label"].dtype, pandas.CategoricalDtype), "labels are categoricals")
    check(int(frame["elapsed_ns"].sum()) == int(intervals["elapsed_ns"].sum()), "a data frame's sums")
    absent = int(np.ma.getmaskarray(intervals["instructions"]).sum())
    check(int(frame["instructions"].isna().sum()) == absent, "a data frame's absent integers")
    rows = [
        {"label": "a", "major": None, "large": 2**53 + 1, "unsigned": 2**64 - 1, "cpi": None},
        {"label": None, "major": 194, "large": None, "unsigned": None, "cpi": None},
    ]
    frame = swtrace.Rows(rows).to_pandas()
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    expected = {"label": "category", "major": "Int64", "large": "Int64", "unsigned": "UInt64", "cpi": "float64"}
    check(kinds == expected, "types of a report's data frame: %s" % kinds)
    check(int(frame["large"][0]) == 2**53 + 1 and int(frame["unsigned"][0]) == 2**64 - 1, "large integers")
    check(list(frame["major"].isna()) == [True, False], "absent integers of a report")


def check_hooks(trace, path):
    lines = cpidecode("--report", "hooks", "--format", "json", path).decode().splitlines()
    n = 0
    for line, hook in zip(lines, trace.hooks()):
        said = json.loads(line)
        fields = said["fields"] or {}
        found = hook._asdict()
        # Fields that the report derives, and repeated ones without a turn.
        more = [k for k in fields if k not in hook.fields and k not in ("label", "args", "counts") and fields[k] != []]
        check(not more, "%s: fields %s" % (path, more))
        fields = {k: v for k, v in fields.items() if k in hook.fields}
        if found.pop("fields") != fields or any(
            said[k] not in (v, list(v) if isinstance(v, tuple) else v) for k, v in found.items()
        ):
            check("\\u" in line or "\ufffd" in line, "%s: %s, not %s" % (path, hook, line))
        n += 1
    check(n == len(lines) == sum(1 for _ in trace.hooks()), path + ": the number of hooks")


def check_reports(trace, path):
    lines = cpidecode("--format", "json", path).decode().splitlines()
    check(trace.summary() == [json.loads(line) for line in lines], path + ": summary()")
    check(trace.report("intervals", "csv") == cpidecode("--report", "intervals", "--format", "csv", path), path + ": report()")


def check_errors(path):
    with swtrace.open(path) as trace:
        for what, options in (
            ("no such column", {"columns": ["tid", "no_such"]}),
            ("where: at column 12 (the end): expected", {"where": "tid = 1 and"}),
        ):
            try:
                trace.intervals(**options)
                check(False, "no error of %s" % options)
            except swtrace.Error as error:
                check(what in str(error) and error.code == -2, "the error: %s" % error)
        try:
            trace.intervals(["tid", "tid"])
            check(False, "a column twice")
        except ValueError:
            pass
    try:
        trace.intervals()
        check(False, "a closed trace")
    except ValueError:
        pass
    # An iterator keeps its trace, and outlives its close.
    check(sum(1 for _ in swtrace.open(path).hooks()) > 1, "hooks() of a trace without a name")
    trace = swtrace.open(path)
    left = trace.hooks()
    next(left)
    trace.close()
    try:
        next(left)
        check(False, "hooks() of a closed trace")
    except ValueError:
        pass
    with swtrace.open(path) as trace, unittest.mock.patch("ctypes.string_at", side_effect=KeyboardInterrupt):
        try:
            trace.report()
            check(False, "a report that was interrupted")
        except KeyboardInterrupt:
            pass
    check(sys.unraisablehook is sys.__unraisablehook__, "the hook of the interpreter")
    try:
        swtrace.open("no_such_file")
        check(False, "a file that is not there")
    except swtrace.Error as error:
        check("no_such_file" in str(error) and error.code == -3, "the error: %s" % error)
    with open("no_trace", "wb") as file:
        file.write(b"something else, longer than a header of a trace" * 20)
    try:
        swtrace.open(path, "no_trace")
        check(False, "a file that is no trace")
    except swtrace.Error as error:
        check("no_trace: not a trace" in str(error), "the error: %s" % error)


def check_warnings(path):
    """A trace that lacks something is read, with a warning that says what."""
    with open(path, "rb") as file:
        bytes_of_it = file.read()
    with open("cut", "wb") as file:
        file.write(bytes_of_it[: len(bytes_of_it) * 3 // 4])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        swtrace.open(path).close()
        check(not said, "a complete trace: %s" % said)
        with swtrace.open("cut") as trace:
            check(0 < len(trace.intervals(["tid"])), "a trace that was cut off")
    check(
        [w.category for w in said] == [swtrace.TraceWarning] and "cut: " in str(said[0].message)
        and "cut off" in str(said[0].message) and said[0].filename == __file__,
        "the warnings: %s" % said,
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        swtrace.open("causes.bin").close()
    check(
        [str(w.message) for w in said] == ["causes.bin: 21 hooks were lost while it was written"],
        "losses of all causes: %s" % said,
    )


def check_lacking(intervals, path):
    """What is not installed is named."""
    with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
        try:
            intervals.to_pandas()
            check(False, "a data frame without pandas")
        except ModuleNotFoundError as error:
            check("to_pandas() needs pandas" in str(error), "the error: %s" % error)
    with unittest.mock.patch("swtrace._library._loaded", None), unittest.mock.patch.dict(
        os.environ, {"CPIDECODE_LIBRARY": "/no/such/libcpidecode.so"}
    ):
        try:
            swtrace.open(path)
            check(False, "a package without the library")
        except OSError as error:
            check("CPIDECODE_LIBRARY" in str(error) and "/no/such/" in str(error), "the error: %s" % error)


def main(paths):
    for path in paths:
        with swtrace.open(path) as trace:
            check_columns(trace, path)
            check_reports(trace, path)
            check_hooks(trace, path)
    with swtrace.open(paths[0]) as trace:
        long = check_columns(trace, paths[0], "--where", "elapsed > 20us", where="elapsed > 20us")
        under = check_columns(trace, paths[0], "--where", "under(depth = 1)", where="under(depth = 1)")
        all_of_them = trace.intervals(["start_ns"])
        check(0 < len(long) < len(all_of_them) and 0 < len(under) < len(all_of_them), "conditions")
        middle = int(all_of_them["start_ns"][len(all_of_them) // 2])
        later = trace.intervals(["end_ns"], from_ns=middle)
        check(0 < len(later) < len(all_of_them) and int(later["end_ns"].min()) >= middle, "from_ns")
        stamps = [hook.time_ns for hook in trace.hooks()]
        middle = stamps[len(stamps) // 2]
        later = [hook.time_ns for hook in trace.hooks(from_ns=middle)]
        check(later == [stamp for stamp in stamps if stamp >= middle], "hooks() from a time")
        check(len(trace.why()) > 0 and len(trace.slowest()) == 10, "why() and slowest()")
    selection = check_selection(paths[0])
    check_pandas(selection)
    check_errors(paths[0])
    check_warnings(paths[0])
    check_lacking(selection, paths[0])
    sys.exit(failures > 0)


main(sys.argv[1:])
