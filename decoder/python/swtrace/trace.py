"""Traces."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import warnings
import weakref
from types import TracebackType
from typing import Any, Iterator, List, Optional, Sequence, Type, Union

import numpy as np

from . import _library, hooks
from ._library import CODE, F64, I64, U64, Error, TraceWarning
from .hooks import Hook
from .intervals import Intervals
from .rows import Rows

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

# The code of no text, UINT32_MAX, reads as -1.
_TYPES = {U64: np.dtype("u8"), I64: np.dtype("i8"), F64: np.dtype("f8"), CODE: np.dtype("i4")}
_ROWS_AT_ONCE = 2**30


class Trace:
    """One or several trace files, merged by time. A context manager: closed at its end.

    Raises Error if a file cannot be read or is no trace, and warns with TraceWarning of one that is
    damaged or lacks hooks: the rest of it is read.
    """

    def __init__(self, *paths: Path) -> None:
        self._trace: Optional[ctypes.c_void_p] = None
        self._iterations: "weakref.WeakSet[hooks.Iteration]" = weakref.WeakSet()
        library = _library.load()
        names = (ctypes.c_char_p * len(paths))(*[os.fsencode(path) for path in paths])
        trace = ctypes.c_void_p()
        error = _library.OpenError()
        code = library.cpidecode_open_with(
            names, len(paths), None, ctypes.byref(trace), ctypes.byref(error)
        )
        if code:
            about = os.fsdecode(paths[error.file]) if error.file < len(paths) else "no trace"
            raise Error(about, code, system_error=error.system_error)
        self._trace = trace
        for i, path in enumerate(paths):
            lacking = _describe_lacking(library, trace, i)
            if lacking:
                # stacklevel: the line of the caller of open().
                warnings.warn("%s: %s" % (os.fsdecode(path), lacking), TraceWarning, stacklevel=3)

    def __enter__(self) -> "Trace":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        where: Optional[TracebackType],
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Closes the files. What was read from them stays."""
        for iteration in list(self._iterations):
            iteration.close()
        if self._trace is not None:
            _library.load().cpidecode_close(self._trace)
            self._trace = None

    def _opened(self) -> ctypes.c_void_p:
        if self._trace is None:
            raise ValueError("the trace is closed")
        return self._trace

    def intervals(
        self,
        columns: Optional[Sequence[str]] = None,
        where: Optional[str] = None,
        from_ns: Optional[int] = None,
        to_ns: Optional[int] = None,
        threads: int = 0,
    ) -> Intervals:
        """The intervals by start, longer first.

        columns: names of the CSV's columns, "elapsed_ns", "parent" (the row of the innermost interval
        around it, else masked), "arg.NAME", "event.NAME"; None: all of the CSV but arguments, events and
        ids. where: a condition, as cpidecode --where. from_ns, to_ns:
        intervals that overlap this range of CLOCK_REALTIME. threads: 0 for one on each processor.
        """
        library = _library.load()
        handle = ctypes.c_void_p()
        error = _library.ColumnsError()
        options = _library.ColumnsOptions(
            size=ctypes.sizeof(_library.ColumnsOptions),
            where=where.encode("utf-8", "surrogateescape") if where is not None else None,
            threads=threads,
        )
        if from_ns is not None or to_ns is not None:
            options.from_ns = -(2**63) if from_ns is None else from_ns
            options.to_ns = 2**63 - 1 if to_ns is None else to_ns
        wanted = list(columns) if columns is not None else []
        if len(set(wanted)) < len(wanted):
            raise ValueError("a column is named twice")
        names = (ctypes.c_char_p * len(wanted))(
            *[name.encode("utf-8", "surrogateescape") for name in wanted]
        )
        code = library.cpidecode_columns_open(
            self._opened(),
            names if columns is not None else None,
            len(wanted),
            ctypes.byref(options),
            ctypes.byref(handle),
            ctypes.byref(error),
        )
        if code:
            system_error = ctypes.get_errno()
            about, reason = "intervals", error.reason.decode("utf-8", "replace")
            if reason and error.column < len(wanted):
                about = wanted[error.column]
            elif reason:
                about = "where"
            raise Error(about, code, reason, 0 if reason else system_error)
        try:
            return _read_columns(library, handle)
        finally:
            library.cpidecode_columns_close(handle)

    def hooks(self, from_ns: Optional[int] = None) -> Iterator[Hook]:
        """The hooks in order of time, one by one, from that CLOCK_REALTIME on. Once the
        trace is closed, ValueError."""
        iteration = hooks.Iteration(_library.load(), self._opened())
        self._iterations.add(iteration)
        # A generator: it holds the trace, too.
        yield from hooks.read(_library.load(), iteration, from_ns)

    def report(
        self,
        name: str = "summary",
        format: str = "text",
        label: Optional[str] = None,
        from_ns: int = 0,
        to_ns: int = 0,
        before: Optional["Trace"] = None,
        threads: int = 0,
    ) -> bytes:
        """A report as the command prints it. label: a pattern. before: the trace that "diff" compares
        with."""
        parts: List[bytes] = []

        raised: List[BaseException] = []

        def write(_: Any, data: int, size: int) -> int:
            if not raised:
                parts.append(ctypes.string_at(data, size))
            return len(raised)

        # ctypes defines no return value for a callback that raises, as Ctrl-C does: the report could
        # lack a piece. From Python 3.13 on only the message names the callback.
        def keep(unraisable: Any) -> None:
            if unraisable.object is write or repr(write) in (unraisable.err_msg or ""):
                raised.append(unraisable.exc_value)
            else:
                others(unraisable)

        options = _library.ReportOptions(
            size=ctypes.sizeof(_library.ReportOptions),
            report=name.encode(),
            format=format.encode(),
            label=label.encode("utf-8", "surrogateescape") if label is not None else None,
            from_ns=from_ns,
            to_ns=to_ns,
            threads=threads,
            before=before._opened() if before is not None else None,
        )
        others, sys.unraisablehook = sys.unraisablehook, keep
        try:
            code = _library.load().cpidecode_report(
                self._opened(), ctypes.byref(options), _library.Write(write), None, None
            )
        finally:
            sys.unraisablehook = others
        if raised:
            raise raised[0]
        if code:
            raise Error(name, code)
        return b"".join(parts)

    def _rows(self, name: str, **options: Any) -> Rows:
        return Rows(json.loads(line) for line in self.report(name, "json", **options).splitlines())

    def summary(self, **options: Any) -> Rows:
        """A row for each label and minor: counts, times, percentiles. options as of report()."""
        return self._rows("summary", **options)

    def why(self, **options: Any) -> Rows:
        """A row for each label and minor: what the slowest hundredth has more of."""
        return self._rows("why", **options)

    def slowest(self, **options: Any) -> Rows:
        """The ten slowest intervals with their parents and children."""
        return self._rows("slowest", **options)


def _describe_lacking(library: ctypes.CDLL, trace: ctypes.c_void_p, file: int) -> str:
    info, loss, causes = _library.FileInfo(), _library.LossInfo(), _library.CausesInfo()
    found = []
    if library.cpidecode_file(trace, file, ctypes.byref(info)) == 0:
        if info.header_damaged:
            found.append("the file header is damaged")
        if info.damaged_bytes:
            found.append("%d damaged bytes are skipped" % info.damaged_bytes)
        if info.cut_off:
            found.append("cut off: its end is missing")
    lost = i = 0
    while library.cpidecode_loss(trace, file, i, ctypes.byref(loss)) == 0:
        lost += loss.full + loss.too_big + loss.held + loss.no_guest
        i += 1
    i = 0
    while library.cpidecode_causes(trace, file, i, ctypes.byref(causes)) == 0:
        lost += causes.no_slot + causes.no_memory + causes.unattached + causes.unwritten
        i += 1
    if lost:
        found.append("%d hooks were lost while it was written" % lost)
    return ", ".join(found)


def _read_columns(library: ctypes.CDLL, handle: ctypes.c_void_p) -> Intervals:
    info = _library.ColumnInfo()
    fields, texts = [], []
    for i in range(library.cpidecode_columns_count(handle)):
        library.cpidecode_columns_info(handle, i, ctypes.byref(info))
        name = info.name.decode("utf-8", "surrogateescape")
        fields.append((name, _TYPES[info.type]))
        if info.type == CODE:
            texts.append(name)
    dtype = np.dtype(fields)
    most = library.cpidecode_columns_rows(handle)
    data = np.empty(most, dtype)
    mask = np.empty(most, np.ma.make_mask_descr(dtype))
    rows = 0
    buffers = (_library.ColumnBuffer * len(fields))()
    while rows < most:
        for buffer, (name, _) in zip(buffers, fields):
            buffer.values = data.ctypes.data + rows * dtype.itemsize + dtype.fields[name][1]
            buffer.stride = dtype.itemsize
            buffer.absent = mask.ctypes.data + rows * mask.itemsize + mask.dtype.fields[name][1]
            buffer.absent_stride = mask.itemsize
        got = library.cpidecode_columns_read(handle, buffers, min(most - rows, _ROWS_AT_ONCE))
        if got < 0:
            raise Error("intervals", got, system_error=ctypes.get_errno())
        if got == 0:
            break
        rows += got
    return Intervals(data[:rows], mask[:rows], _read_labels(library, handle), texts)


def _read_labels(library: ctypes.CDLL, handle: ctypes.c_void_p) -> np.ndarray:
    length = ctypes.c_size_t()
    found = []
    while (at := library.cpidecode_columns_text(handle, len(found), ctypes.byref(length))) is not None:
        found.append(ctypes.string_at(at, length.value).decode("utf-8", "surrogateescape"))
    labels = np.empty(len(found), object)
    labels[:] = found
    return labels


def open(*paths: Path) -> Trace:
    """Opens trace files ("-" is standard input) as one trace by time."""
    return Trace(*paths)
