"""Prints the intervals of traces, or a report, with the package swtrace (decoder/python), in the
format of print_intervals.c.

    python3 print_intervals.py [-r REPORT] TRACE...
"""

import os
import sys

import swtrace

COLUMNS = ["start_ns", "end_ns", "elapsed_cycles", "depth", "tid", "label", "raw_cpi", "scaled_cpi",
           "thread_cpi", "instructions", "thread_instructions", "off_cpu_ns"]


def spell_label(label):
    if label is None:
        return "-"
    shown = (chr(c) if 32 <= c <= 126 and c not in b'"\\' else "\\x%02x" % c
             for c in label.encode("utf-8", "surrogateescape"))
    return '"%s"' % "".join(shown)


def spell(value):
    if value is None:
        return "n/a"
    return "%.4f" % value if isinstance(value, float) else str(value)


def print_intervals(trace):
    intervals = trace.intervals(COLUMNS)
    # tolist() returns None for masked, i.e. absent, values.
    columns = [map(spell_label, intervals.text(name)) if name == "label" else
               map(spell, intervals[name].tolist()) for name in COLUMNS]
    for row in zip(*columns):
        print(*row)


def main(arguments):
    report = None
    if arguments[:1] == ["-r"] and len(arguments) > 1:
        report, arguments = arguments[1], arguments[2:]
    if not arguments or arguments[0].startswith("-"):
        print("usage: print_intervals.py [-r REPORT] TRACE...", file=sys.stderr)
        return 2
    try:
        with swtrace.open(*arguments) as trace:
            if report:
                sys.stdout.buffer.write(trace.report(report))
            else:
                print_intervals(trace)
            sys.stdout.flush()
    except swtrace.Error as error:
        print("print_intervals.py: %s" % error, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader closed the pipe, as `| head` does: discard the buffered output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
