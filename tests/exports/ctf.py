#!/usr/bin/env python3
"""
usage: ctf.py NAME...: what babeltrace2 (its Python module bt2) reads of the folder NAME.ctf equals the
hooks of NAME.json: every event, in order in each ring, with its time, context and fields; and the losses of
NAME.info.json. NAME.err is what cpidecode said. Says what differs and ends with 1.
"""
import collections
import json
import re

import bt2

from differences import compare_all, say


def plain(text):
    """CTF has the bytes of a string up to a NUL; JSON has U+FFFD for each that is not valid."""
    return re.sub("[\ud800-\udfff]", "\ufffd", str(text)).split("\0")[0]


def value_of(field):
    if isinstance(field, bt2._ArrayFieldConst):
        return [value_of(f) for f in field]
    if isinstance(field, bt2._StringFieldConst):
        # A reader that uses a buffer again leaves an older text behind the end of an empty one.
        return plain(field) if len(field) else ""
    if isinstance(field, bt2._RealFieldConst):
        return float(field)
    return int(field)


def plain_values(value):
    if isinstance(value, list):
        return [plain_values(v) for v in value]
    return plain(value) if isinstance(value, str) else value


def fields_of(payload):
    """As the hooks report has them: without lengths, unmeasured values None."""
    values = {key: value_of(field) for key, field in payload.items()}
    fields = {}
    for key, value in values.items():
        if key.startswith("_"):
            continue
        measured = values.get("_" + key + "_measured")
        if measured is not None:
            value = [v if m else None for v, m in zip(value, measured)]
        fields[key] = value
    return fields


class Ring:
    def __init__(self):
        self.events = collections.defaultdict(list)  # by stream
        self.discarded = self.overwritten = self.torn = 0


def read(path):
    rings = collections.defaultdict(Ring)
    of_stream, last = {}, {}
    for message in bt2.TraceCollectionMessageIterator(path):
        if isinstance(message, bt2._PacketBeginningMessageConst):
            context = message.packet.context_field
            ring = of_stream[message.packet.stream.id] = rings[int(context["ring"])]
            ring.overwritten = max(ring.overwritten, int(context["overwritten"]))
            ring.torn = max(ring.torn, int(context["torn"]))
        elif isinstance(message, bt2._DiscardedEventsMessageConst):
            of_stream[message.stream.id].discarded += message.count
        elif isinstance(message, bt2._EventMessageConst):
            event, time = message.event, message.default_clock_snapshot.value
            stream = event.packet.stream.id
            assert time >= last.get(stream, 0), "time goes back"
            last[stream] = time
            context = {key: value_of(f) for key, f in event.common_context_field.items()}
            of_stream[stream].events[stream].append(
                (time, event.name, context, fields_of(event.payload_field),
                 int(event.packet.context_field["cpu_id"])))
    return rings


def is_equal(expected, found):
    if isinstance(found, list) and not isinstance(expected, list):
        return found == ([] if expected is None else [expected])
    return found == expected


def compare_names(hook, found, prefix, members):
    """Arguments and counts: names and values as texts."""
    names, values = found.pop(prefix + "_names", None), found.pop(prefix + "_values", None)
    expected = hook.pop(members, None)
    if (names is None) != (expected is None):
        return False
    for name, value, member in zip(names or [], values or [], expected or []):
        wanted = member["value"]
        same = (value in ("n/a", "NaN", "inf", "-inf") if wanted is None else
                value == plain(wanted) if isinstance(wanted, str) else
                value == str(wanted) if isinstance(wanted, int) and wanted else float(value) == wanted)
        if name != plain(member["name"] or "") or not same:
            return False
    return len(names or []) == len(values or []) == len(expected or [])


def compare_event(name, hook, event):
    time, event_name, context, found, cpu = event
    expected = {"ticks": hook["ticks"], "tid": hook["tid"], "pid": -1 if hook["pid"] is None else hook["pid"],
                "task": plain(hook["task"] or f"tid {hook['tid']}"), "major": hook["major"], "minor": hook["minor"]}
    if "container" in hook:
        expected["container"] = [hook["container"]] if hook["container"] else []
        context.pop("_container_length")
    if not name.startswith("nrm2"):  # whose hooks have stamps of their own
        if time != max(hook["time_ns"], 0):
            return f"time {time}"
    else:
        context["ticks"] = hook["ticks"]
    if context != expected:
        return f"context {context}"
    if cpu != (-1 if hook["cpu"] is None else hook["cpu"]):
        return f"processor {cpu}"
    if event_name == "hook":
        if found["words"] != hook["words"] or found["strings"] != [plain(s) for s in hook["strings"]]:
            return f"words and strings {found}"
        return None
    if event_name.split(":", 1)[-1] != hook["name"]:
        return f"name {event_name}"
    fields = dict(hook["fields"])
    if not compare_names(fields, found, "arg", "args") or not compare_names(fields, found, "count", "counts"):
        return f"arguments {found}"
    for key in fields.keys() | found.keys():
        value = plain_values(fields.get(key))
        if key not in found or not is_equal(value, found[key]):
            return f"{key}: {found.get(key)} instead of {value}"
    return None


def compare(name):
    with open(name + ".json", encoding="utf-8") as file:
        expected = collections.defaultdict(list)
        for line in file:
            hook = json.loads(line)
            expected[hook["cpu"]].append(hook)
    rings = read(name + ".ctf")
    found = collections.defaultdict(list)
    for number, ring in sorted(rings.items()):
        for _, events in sorted(ring.events.items()):
            found[None if number >> 31 else number].extend(events)
    for events in [expected[None]]:  # several guest rings
        events.sort(key=lambda hook: (hook["ticks"], hook["tid"], hook["minor"]))
    found[None].sort(key=lambda event: (event[2]["ticks"], event[2]["tid"], event[2]["minor"]))
    words = hooks = 0
    for cpu in expected.keys() | found.keys():
        if len(expected[cpu]) != len(found[cpu]):
            say(name, f"processor {cpu}: {len(found[cpu])} of {len(expected[cpu])} events")
            return hooks
        for hook, event in zip(expected[cpu], found[cpu]):
            hooks += 1
            words += event[1] == "hook" and hook["name"] is not None
            what = compare_event(name, hook, event)
            if what:
                say(name, f"{what}: {hook}")
                return hooks
    with open(name + ".err", encoding="utf-8") as file:
        told = re.search(r"(\d+) hooks? that (its|their) schemas? do", file.read())
    if words != (int(told[1]) if told else 0):
        say(name, f"{words} events of words, told are {told and told[1]}")
    compare_losses(name, rings)
    return hooks


def compare_losses(name, rings):
    with open(name + ".info.json", encoding="utf-8") as file:
        (info,) = [json.loads(line) for line in file]
    for expected in info["rings"]:
        ring = rings[expected["ring"]]
        lost = sum(value for key, value in expected.items() if key.startswith("lost_"))
        found = (ring.discarded, ring.overwritten, ring.torn)
        if found != (lost, expected["overwritten"], expected["torn"]):
            say(name, f"ring {expected['ring']}: lost, overwritten, torn are {found}, not "
                f"{(lost, expected['overwritten'], expected['torn'])}")


compare_all(compare, "hooks")
