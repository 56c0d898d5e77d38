"""Asks a trace the usual questions in NumPy, cell by cell, as in a notebook.

    python3 intervals_numpy.py trace.bin

Needs the package swtrace (decoder/python) and, in the last cell, pandas.
"""

# %% Open the trace, and read only what the questions need.
import sys

import numpy as np
import swtrace

trace = swtrace.open(sys.argv[1] if len(sys.argv) > 1 else "trace.bin")
intervals = trace.intervals(["start_ns", "elapsed_ns", "label", "tid", "cpu", "depth", "raw_cpi", "scaled_cpi",
                             "thread_cpi", "busy_pct", "off_cpu_ns"])
elapsed = intervals["elapsed_ns"].data
label = intervals["label"].data  # codes: intervals.labels has the texts
print("%d intervals of %d labels" % (len(intervals), len(set(label[label >= 0]))))

# %% Which labels take the time? Counts, sums and percentiles by label.
for code in np.unique(label[label >= 0]):
    of = elapsed[label == code]
    p50, p99 = np.percentile(of, [50, 99])
    print("%-24s %8d  total %10.3f ms  p50 %10.0f ns  p99 %10.0f ns"
          % (intervals.labels[code], len(of), of.sum() / 1e6, p50, p99))

# %% How many cycles per instruction, on which processors, and how busy was the machine?
# An average of ratios weighs each interval alike; the summary weighs by cycles.
def mean(column, chosen):
    value = intervals[column][chosen].mean() if chosen.any() else np.ma.masked
    return "n/a" if value is np.ma.masked else "%.2f" % value


for name, column in (("label", "label"), ("processor", "cpu")):
    codes = intervals[column]
    for code in np.unique(codes.data[~np.ma.getmaskarray(codes)]):
        chosen = (codes == code).filled(False)
        print("%s %-20s CPI %s, with idle cycles %s, on thread %s; busy %s %%"
              % (name, intervals.labels[code] if column == "label" else code, mean("scaled_cpi", chosen),
                 mean("raw_cpi", chosen), mean("thread_cpi", chosen), mean("busy_pct", chosen)))

# %% Were the slow ones off the processor? What is absent is masked, and left out of a mean.
if len(intervals):
    limit = np.percentile(elapsed, 99)
    for name, chosen in (("all", elapsed >= 0), ("slowest 1 %", elapsed >= limit)):
        print("%-12s off CPU %s ns, CPI %s" % (name, mean("off_cpu_ns", chosen), mean("thread_cpi", chosen)))

# %% Why are the slow ones slow? The terms of the difference between the tail and the middle.
for row in trace.why():
    terms = ", ".join("%s %.0f ns" % term for term in row["terms_ns"].items() if term[1] is not None)
    print("%s 0x%02X: the tail takes %s ns more: %s" % (row["label"] or "-", row["minor"], row["difference_ns"], terms))

# %% When did it happen? Starts by tenth of the trace.
if len(intervals):
    counts, edges = np.histogram(intervals["start_ns"].data - intervals["start_ns"].data[0], bins=10)
    for count, edge in zip(counts, edges):
        print("+%.6f s  %d" % (edge / 1e9, count))

# %% What is beneath the requests above a millisecond?
beneath = trace.intervals(["label", "elapsed_ns"], where="under(elapsed > 1ms)")
print("%d intervals in or beneath one above 1 ms" % len(beneath))

# %% The same as a data frame.
try:
    import pandas  # noqa: F401
except ImportError:
    print("skipped: data frame: no pandas here")
else:
    frame = intervals.to_pandas()
    print(frame.groupby("label", observed=True)["elapsed_ns"].describe())

trace.close()
