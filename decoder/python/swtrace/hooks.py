"""Hooks one by one."""

from __future__ import annotations

import ctypes
import struct
from typing import Any, Dict, Iterator, NamedTuple, Optional, Tuple

from . import _library
from ._library import Error

_GUEST_RING = 0x80000000
_U64, _I64, _FIX4, _F64, _STRING = range(5)  # enum cpidecode_field_type


class Hook(NamedTuple):
    """A hook. What the trace does not know is None."""

    time_ns: int
    ticks: int
    cpu: Optional[int]  # None: of a ring that belongs to no processor
    tid: int
    pid: Optional[int]
    task: Optional[str]
    major: int
    minor: int
    name: Optional[str]
    words: Tuple[int, ...]
    strings: Tuple[str, ...]
    fields: Dict[str, Any]  # by its schema; lists of those in repeats


def _text(at: Optional[int], length: int) -> str:
    return ctypes.string_at(at, length).decode("utf-8", "surrogateescape") if length else ""


def _name(name: Optional[bytes]) -> Optional[str]:
    return name.decode("utf-8", "surrogateescape") if name else None


def _value(field: _library.Field) -> Any:
    if field.not_measured:
        return None
    if field.type == _STRING:
        return _text(field.string, field.length)
    if field.type == _F64:
        return field.f
    if field.type == _FIX4:
        return field.u / 10000
    return field.i if field.type == _I64 else field.u


def _read_fields(library: ctypes.CDLL, handle: ctypes.c_void_p) -> Dict[str, Any]:
    field = _library.Field()
    fields: Dict[str, Any] = {}
    while library.cpidecode_hooks_field(handle, ctypes.byref(field), None) > 0:
        name = field.name.decode("utf-8", "surrogateescape")
        if field.repeated:
            fields.setdefault(name, []).append(_value(field))
        else:
            fields[name] = _value(field)
    return fields


def _read_strings(library: ctypes.CDLL, raw: Any) -> Tuple[str, ...]:
    length = ctypes.c_size_t()
    found = []
    for i in range(raw.contents.nstrings):
        at = library.cpidecode_hook_string(raw, i, ctypes.byref(length))
        found.append(_text(at, length.value))
    return tuple(found)


class Iteration:
    """An iterator of the library. A trace closes those that are left before itself."""

    def __init__(self, library: ctypes.CDLL, trace: ctypes.c_void_p) -> None:
        self._library = library
        self._handle: Optional[ctypes.c_void_p] = None
        handle = ctypes.c_void_p()
        code = library.cpidecode_hooks_open(trace, ctypes.byref(handle))
        if code:
            raise Error("hooks", code)
        self._handle = handle

    def close(self) -> None:
        if self._handle is not None:
            self._library.cpidecode_hooks_close(self._handle)
            self._handle = None

    def opened(self) -> ctypes.c_void_p:
        if self._handle is None:
            raise ValueError("the trace is closed")
        return self._handle


def read(library: ctypes.CDLL, iteration: Iteration, from_ns: Optional[int]) -> Iterator[Hook]:
    """The hooks of an open trace."""
    raw = ctypes.POINTER(_library.Hook)()
    code = 0
    try:
        if from_ns is not None:
            code = library.cpidecode_hooks_seek(iteration.opened(), from_ns)
        while not code:
            handle = iteration.opened()
            code = library.cpidecode_hooks_next(handle, ctypes.byref(raw))
            if code <= 0:
                break
            hook = raw.contents
            yield Hook(
                hook.time_ns,
                hook.ticks,
                hook.ring if hook.ring < _GUEST_RING else None,
                hook.tid,
                hook.pid or None,
                _name(hook.task),
                hook.major,
                hook.minor,
                _name(hook.name),
                struct.unpack("<%dI" % hook.nwords, ctypes.string_at(hook.words, 4 * hook.nwords)),
                _read_strings(library, raw),
                _read_fields(library, handle),
            )
            code = 0
        if code:
            raise Error("hooks", code, system_error=ctypes.get_errno())
    finally:
        iteration.close()
