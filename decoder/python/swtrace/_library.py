"""The functions of libcpidecode that are used here, as include/cpidecode.h declares them."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from typing import Optional

U64, I64, F64, CODE = range(4)  # enum cpidecode_column_type


class FileInfo(ctypes.Structure):
    _fields_ = [
        ("path", ctypes.c_char_p),
        ("trace_id", ctypes.c_uint8 * 16),
        ("version_minor", ctypes.c_uint32),
        ("cpus", ctypes.c_uint32),
        ("clock", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("ticks_per_second", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("sections", ctypes.c_uint64),
        ("first_ns", ctypes.c_int64),
        ("last_ns", ctypes.c_int64),
        ("hooks", ctypes.c_uint64),
        ("damaged_bytes", ctypes.c_uint64),
        ("header_damaged", ctypes.c_int),
        ("cut_off", ctypes.c_int),
    ]


class LossInfo(ctypes.Structure):
    _fields_ = [
        ("ring", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("full", ctypes.c_uint64),
        ("too_big", ctypes.c_uint64),
        ("held", ctypes.c_uint64),
        ("no_guest", ctypes.c_uint64),
        ("overwritten", ctypes.c_uint64),
        ("torn", ctypes.c_uint64),
        ("skipped", ctypes.c_uint64),
    ]


class CausesInfo(ctypes.Structure):
    _fields_ = [
        ("ring", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("no_slot", ctypes.c_uint64),
        ("no_memory", ctypes.c_uint64),
        ("unattached", ctypes.c_uint64),
        ("unwritten", ctypes.c_uint64),
        ("reserved1", ctypes.c_uint64 * 3),
    ]


class OpenError(ctypes.Structure):
    _fields_ = [
        ("file", ctypes.c_size_t),
        ("line", ctypes.c_uint),
        ("system_error", ctypes.c_int),
        ("reason", ctypes.c_char * 160),
    ]


class ColumnsOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("from_ns", ctypes.c_int64),
        ("to_ns", ctypes.c_int64),
        ("where", ctypes.c_char_p),
        ("threads", ctypes.c_uint),
    ]


class ColumnsError(ctypes.Structure):
    _fields_ = [
        ("column", ctypes.c_size_t),
        ("at", ctypes.c_size_t),
        ("reason", ctypes.c_char * 256),
    ]


class ColumnInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class ColumnBuffer(ctypes.Structure):
    _fields_ = [
        ("values", ctypes.c_void_p),
        ("stride", ctypes.c_size_t),
        ("absent", ctypes.c_void_p),
        ("absent_stride", ctypes.c_size_t),
    ]


class Hook(ctypes.Structure):
    _fields_ = [
        ("ticks", ctypes.c_uint64),
        ("time_ns", ctypes.c_int64),
        ("ring", ctypes.c_uint32),
        ("tid", ctypes.c_uint32),
        ("pid", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("major", ctypes.c_uint8),
        ("nstrings", ctypes.c_uint8),
        ("nwords", ctypes.c_uint16),
        ("file", ctypes.c_uint32),
        ("position", ctypes.c_uint64),
        ("task", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("words", ctypes.c_void_p),
        ("strings", ctypes.c_void_p),
    ]


class Field(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_uint32),
        ("turn", ctypes.c_uint32),
        ("repeated", ctypes.c_int),
        ("not_measured", ctypes.c_int),
        ("u", ctypes.c_uint64),
        ("i", ctypes.c_int64),
        ("f", ctypes.c_double),
        ("string", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
    ]


class ReportOptions(ctypes.Structure):
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


Write = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

_POINTER = ctypes.c_void_p
_FUNCTIONS = {
    "strerror": (ctypes.c_char_p, [ctypes.c_int]),
    "open_with": (
        ctypes.c_int,
        [
            ctypes.POINTER(ctypes.c_char_p),
            ctypes.c_size_t,
            _POINTER,
            ctypes.POINTER(_POINTER),
            ctypes.POINTER(OpenError),
        ],
    ),
    "close": (None, [_POINTER]),
    "file": (ctypes.c_int, [_POINTER, ctypes.c_size_t, ctypes.POINTER(FileInfo)]),
    "loss": (
        ctypes.c_int,
        [_POINTER, ctypes.c_size_t, ctypes.c_size_t, ctypes.POINTER(LossInfo)],
    ),
    "causes": (
        ctypes.c_int,
        [_POINTER, ctypes.c_size_t, ctypes.c_size_t, ctypes.POINTER(CausesInfo)],
    ),
    "columns_open": (
        ctypes.c_int,
        [
            _POINTER,
            ctypes.POINTER(ctypes.c_char_p),
            ctypes.c_size_t,
            ctypes.POINTER(ColumnsOptions),
            ctypes.POINTER(_POINTER),
            ctypes.POINTER(ColumnsError),
        ],
    ),
    "columns_count": (ctypes.c_size_t, [_POINTER]),
    "columns_info": (ctypes.c_int, [_POINTER, ctypes.c_size_t, ctypes.POINTER(ColumnInfo)]),
    "columns_rows": (ctypes.c_uint64, [_POINTER]),
    "columns_read": (ctypes.c_int, [_POINTER, ctypes.POINTER(ColumnBuffer), ctypes.c_size_t]),
    "columns_text": (_POINTER, [_POINTER, ctypes.c_uint32, ctypes.POINTER(ctypes.c_size_t)]),
    "columns_close": (None, [_POINTER]),
    "hooks_open": (ctypes.c_int, [_POINTER, ctypes.POINTER(_POINTER)]),
    "hooks_next": (ctypes.c_int, [_POINTER, ctypes.POINTER(ctypes.POINTER(Hook))]),
    "hooks_seek": (ctypes.c_int, [_POINTER, ctypes.c_int64]),
    "hooks_field": (ctypes.c_int, [_POINTER, ctypes.POINTER(Field), _POINTER]),
    "hooks_close": (None, [_POINTER]),
    "hook_string": (
        _POINTER,
        [ctypes.POINTER(Hook), ctypes.c_uint, ctypes.POINTER(ctypes.c_size_t)],
    ),
    "report": (
        ctypes.c_int,
        [_POINTER, ctypes.POINTER(ReportOptions), Write, _POINTER, _POINTER],
    ),
}

_loaded: Optional[ctypes.CDLL] = None


def load() -> ctypes.CDLL:
    """The library, with the types of its functions. Raises OSError if there is none, or an older one."""
    global _loaded
    if _loaded is None:
        name = os.environ.get("CPIDECODE_LIBRARY") or ctypes.util.find_library("cpidecode") or "libcpidecode.so.1"
        try:
            library = ctypes.CDLL(name, use_errno=True)
        except OSError as error:
            raise OSError(
                "%s: cannot be loaded: %s (install swtrace, or name the file libcpidecode.so in the "
                "environment variable CPIDECODE_LIBRARY)" % (name, error)
            ) from None
        for function, (result, arguments) in _FUNCTIONS.items():
            found = getattr(library, "cpidecode_" + function, None)
            if found is None:
                raise OSError("%s: lacks cpidecode_%s: it is older than this package" % (name, function))
            found.restype = result
            found.argtypes = arguments
        _loaded = library
    return _loaded


class TraceWarning(UserWarning):
    """A trace is damaged, was cut off, or lacks hooks that its writer lost."""


class Error(Exception):
    """A file cannot be read, or a column or a condition is wrong. `code` is the negative number of
    cpidecode.h."""

    def __init__(self, about: str, code: int, reason: str = "", system_error: int = 0) -> None:
        text = "%s: %s" % (about, reason or load().cpidecode_strerror(code).decode())
        if system_error:
            text += ": " + os.strerror(system_error)
        super().__init__(text)
        self.code = code
