"""The functions of libcpidecode that are used here, as include/cpidecode.h declares them."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from typing import Optional

U64, I64, F64, CODE = range(4)  # enum cpidecode_column_type


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
    """The library, with the types of its functions. Raises OSError where there is none."""
    global _loaded
    if _loaded is None:
        name = os.environ.get("CPIDECODE_LIBRARY") or ctypes.util.find_library("cpidecode")
        library = ctypes.CDLL(name or "libcpidecode.so.1", use_errno=True)
        for function, (result, arguments) in _FUNCTIONS.items():
            found = getattr(library, "cpidecode_" + function)
            found.restype = result
            found.argtypes = arguments
        _loaded = library
    return _loaded


class Error(Exception):
    """An error of the library. `code` is its negative number."""

    def __init__(self, about: str, code: int, reason: str = "", system_error: int = 0) -> None:
        text = "%s: %s" % (about, reason or load().cpidecode_strerror(code).decode())
        if system_error:
            text += ": " + os.strerror(system_error)
        super().__init__(text)
        self.code = code
