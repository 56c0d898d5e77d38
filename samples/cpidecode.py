"""libcpidecode in Python, by ctypes: intervals and reports of trace files.

    import cpidecode
    with cpidecode.Trace("trace.bin") as trace:
        for interval in trace.intervals():
            print(interval.label, interval.elapsed, interval.thread_cpi)
        print(trace.report("summary"))

As a program it prints what samples/print_intervals.c prints:

    python3 cpidecode.py [-r REPORT] TRACE...

The library is looked for as CPIDECODE_LIBRARY says, else as ctypes finds it. The
declarations are those of include/cpidecode.h, whose comments hold here too.
"""

import ctypes
import ctypes.util
import math
import os
import sys

NOT_MEASURED = 2**64 - 1
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


class _OpenError(ctypes.Structure):
    _fields_ = [
        ("file", ctypes.c_size_t),
        ("line", ctypes.c_uint),
        ("system_error", ctypes.c_int),
        ("reason", ctypes.c_char * 160),
    ]


class _Interval(ctypes.Structure):
    _fields_ = [
        ("start_ns", ctypes.c_int64),
        ("end_ns", ctypes.c_int64),
        ("start_ticks", ctypes.c_uint64),
        ("end_ticks", ctypes.c_uint64),
        ("elapsed", ctypes.c_uint64),
        ("ring", ctypes.c_uint32),
        ("tid", ctypes.c_uint32),
        ("pid", ctypes.c_uint32),
        ("file", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("types", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("depth", ctypes.c_uint32),
        ("parent", ctypes.c_int64),
        ("task", ctypes.c_char_p),
        ("label", ctypes.c_void_p),
        ("label_length", ctypes.c_size_t),
        ("raw_cpi", ctypes.c_double),
        ("scaled_cpi", ctypes.c_double),
        ("busy_pct", ctypes.c_double),
        ("thread_cpi", ctypes.c_double),
        ("instructions", ctypes.c_uint64),
        ("cycles", ctypes.c_uint64),
        ("busy_cycles", ctypes.c_uint64),
        ("thread_instructions", ctypes.c_uint64),
        ("thread_cycles", ctypes.c_uint64),
        ("num_cpus", ctypes.c_uint32),
        ("major", ctypes.c_uint32),
        ("cpus", ctypes.c_void_p),
        ("on_cpu_ns", ctypes.c_uint64),
        ("off_cpu_ns", ctypes.c_uint64),
        ("ctx_switches", ctypes.c_uint64),
        ("migrations", ctypes.c_uint64),
        ("faults", ctypes.c_uint64),
        ("idle_pct", ctypes.c_double),
        ("intr_pct", ctypes.c_double),
        ("actual_perf_pct", ctypes.c_double),
        ("utils", ctypes.c_void_p),
        ("method", ctypes.c_uint64),
    ]


class _ReportOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("report", ctypes.c_char_p),
        ("format", ctypes.c_char_p),
        ("weight", ctypes.c_char_p),
        ("label", ctypes.c_char_p),
        ("from_ns", ctypes.c_int64),
        ("to_ns", ctypes.c_int64),
        ("by_tid", ctypes.c_int),
        ("by_pid", ctypes.c_int),
        ("by_minor", ctypes.c_int),
        ("tid", ctypes.c_uint32),
        ("pid", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("threads", ctypes.c_uint),
        ("progress", ctypes.c_void_p),
        ("note", ctypes.c_void_p),
        ("ctx", ctypes.c_void_p),
        ("before", ctypes.c_void_p),
    ]


_Write = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
)


def _load():
    name = os.environ.get("CPIDECODE_LIBRARY") or ctypes.util.find_library("cpidecode")
    library = ctypes.CDLL(name or "libcpidecode.so.1")
    library.cpidecode_strerror.restype = ctypes.c_char_p
    library.cpidecode_strerror.argtypes = [ctypes.c_int]
    library.cpidecode_open_with.argtypes = [
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_size_t,
        ctypes.c_void_p,
        ctypes.POINTER(ctypes.c_void_p),
        ctypes.POINTER(_OpenError),
    ]
    library.cpidecode_close.argtypes = [ctypes.c_void_p]
    library.cpidecode_close.restype = None
    library.cpidecode_interval_stream_open.argtypes = [
        ctypes.c_void_p,
        ctypes.c_int64,
        ctypes.c_int64,
        ctypes.POINTER(ctypes.c_void_p),
    ]
    library.cpidecode_interval_stream_next.argtypes = [
        ctypes.c_void_p,
        ctypes.POINTER(_Interval),
    ]
    library.cpidecode_interval_stream_close.argtypes = [ctypes.c_void_p]
    library.cpidecode_interval_stream_close.restype = None
    library.cpidecode_report.argtypes = [
        ctypes.c_void_p,
        ctypes.POINTER(_ReportOptions),
        _Write,
        ctypes.c_void_p,
        ctypes.c_void_p,
    ]
    return library


class Error(Exception):
    """An error of the library: its code, and the object concerned."""

    def __init__(self, library, about, code, system_error=0):
        text = "%s: %s" % (about, library.cpidecode_strerror(code).decode())
        if system_error:
            text += ": " + os.strerror(system_error)
        super().__init__(text)
        self.code = code


class Interval:
    """One interval; None where the trace has no value. label is bytes."""

    def __init__(self, raw):
        for name, kind in _Interval._fields_:
            if name in ("label", "label_length", "cpus", "utils"):
                continue
            value = getattr(raw, name)
            if kind is ctypes.c_double and math.isnan(value):
                value = None
            elif kind is ctypes.c_uint64 and value == NOT_MEASURED:
                value = None
            setattr(self, name, value)
        self.label = None
        if raw.label is not None:
            self.label = ctypes.string_at(raw.label, raw.label_length)


class Trace:
    """One or several trace files, merged by time."""

    def __init__(self, *paths):
        self._library = _load()
        self._trace = ctypes.c_void_p()
        names = (ctypes.c_char_p * len(paths))(*[os.fsencode(path) for path in paths])
        error = _OpenError()
        code = self._library.cpidecode_open_with(
            names, len(paths), None, ctypes.byref(self._trace), ctypes.byref(error)
        )
        if code:
            about = os.fsdecode(paths[error.file]) if paths else "no trace"
            raise Error(self._library, about, code, error.system_error)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._library.cpidecode_close(self._trace)
        self._trace = None

    def intervals(self, from_ns=INT64_MIN, to_ns=INT64_MAX):
        """All intervals by start, longer first. Keep the trace open while iterating."""
        stream = ctypes.c_void_p()
        raw = _Interval()
        code = self._library.cpidecode_interval_stream_open(
            self._trace, from_ns, to_ns, ctypes.byref(stream)
        )
        if code:
            raise Error(self._library, "intervals", code)
        try:
            while True:
                code = self._library.cpidecode_interval_stream_next(
                    stream, ctypes.byref(raw)
                )
                if code < 0:
                    raise Error(self._library, "intervals", code)
                if code == 0:
                    return
                yield Interval(raw)
        finally:
            self._library.cpidecode_interval_stream_close(stream)

    def report(self, name="summary", spelling="text", **filters):
        """A report as bytes. filters: label (bytes), from_ns, to_ns, threads, and before:
        another Trace, for report("diff")."""
        parts = []
        if "before" in filters:
            filters["before"] = filters["before"]._trace

        @_Write
        def write(_, data, size):
            parts.append(ctypes.string_at(data, size))
            return 0

        options = _ReportOptions(
            size=ctypes.sizeof(_ReportOptions),
            report=name.encode(),
            format=spelling.encode(),
            **filters
        )
        code = self._library.cpidecode_report(
            self._trace, ctypes.byref(options), write, None, None
        )
        if code:
            raise Error(self._library, name, code)
        return b"".join(parts)


def _count(value):
    return "n/a" if value is None else str(value)


def _ratio(value):
    return "n/a" if value is None else "%.4f" % value


def _label(label):
    if label is None:
        return "-"
    shown = (
        chr(c) if 32 <= c <= 126 and c not in b'"\\' else "\\x%02x" % c for c in label
    )
    return '"%s"' % "".join(shown)


def main(arguments):
    report = None
    if arguments[:1] == ["-r"] and len(arguments) > 1:
        report, arguments = arguments[1], arguments[2:]
    if not arguments or arguments[0].startswith("-"):
        print("usage: cpidecode.py [-r REPORT] TRACE...", file=sys.stderr)
        return 2
    try:
        with Trace(*arguments) as trace:
            if report:
                sys.stdout.buffer.write(trace.report(report))
                sys.stdout.flush()
                return 0
            for i in trace.intervals():
                print(i.start_ns, i.end_ns, i.elapsed, i.depth, i.tid, _label(i.label),
                      _ratio(i.raw_cpi), _ratio(i.scaled_cpi), _ratio(i.thread_cpi),
                      _count(i.instructions), _count(i.thread_instructions),
                      _count(i.off_cpu_ns))
            sys.stdout.flush()
    except Error as error:
        print("cpidecode.py: %s" % error, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader closed the pipe, as `| head` does: discard the buffered output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
