"""Asks a trace the usual questions in NumPy, cell by cell, as in a notebook.

    python3 intervals_numpy.py trace.bin

Needs the package swtrace (decoder/python) and, in the last cell, pandas.
"""

# %% Open the trace, and read only what the questions need.
import sys

import numpy as np
import swtrace

trace = swtrace.open(sys.argv[1] if len(sys.argv) > 1 else "trace.bin")
intervals = trace.intervals(["start_ns", "elapsed_ns", "label", "tid", "depth", "thread_cpi", "off_cpu_ns"])
elapsed = intervals["elapsed_ns"].data
label = intervals["label"].data  # codes: intervals.labels has the texts
print("%d intervals of %d labels" % (len(intervals), len(set(label[label >= 0]))))

# %% Which labels take the time? Counts, sums and percentiles by label.
for code in np.unique(label[label >= 0]):
    of = elapsed[label == code]
    p50, p99 = np.percentile(of, [50, 99])
    print("%-24s %8d  total %10.3f ms  p50 %10.0f ns  p99 %10.0f ns"
          % (intervals.labels[code], len(of), of.sum() / 1e6, p50, p99))

# %% Were the slow ones off the processor? What is absent is masked, and left out of a mean.
if len(intervals):
    limit = np.percentile(elapsed, 99)
    for name, chosen in (("all", elapsed >= 0), ("slowest 1 %", elapsed >= limit)):
        off = intervals["off_cpu_ns"][chosen].mean()
        cpi = intervals["thread_cpi"][chosen].mean()
        print("%-12s off CPU %s ns, CPI %s" % (name, *("n/a" if v is np.ma.masked else "%.2f" % v for v in (off, cpi))))

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
