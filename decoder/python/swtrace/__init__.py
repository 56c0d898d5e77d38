"""Reads swtrace's traces into NumPy arrays.

    import swtrace
    with swtrace.open("trace.bin") as t:
        intervals = t.intervals(["elapsed_ns", "label"], where="elapsed > 1ms")
        print(len(intervals), intervals["elapsed_ns"].mean())
"""

from ._library import Error, TraceWarning
from .hooks import Hook
from .intervals import Intervals
from .rows import Rows
from .trace import Trace, open

__all__ = ["Error", "Hook", "Intervals", "Rows", "Trace", "TraceWarning", "open"]
__version__ = "1.0.0"
