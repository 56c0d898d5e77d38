#!/usr/bin/env python3
"""
usage: pprof.py NAME...: NAME.pprof is a whole profile (the rules that Go's profile.CheckValid has), and
has by stack the own time of NAME.folded and the number of intervals of NAME.csv, with their threads.
Says what differs and ends with 1. Reads profile.proto without a library.
"""
import collections
import csv
import gzip
import re

from differences import compare_all, say


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def read_fields(data):
    """Field numbers, and their integers or bytes."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        elif tag & 7 == 2:
            n, at = read_varint(data, at)
            value = data[at:at + n]
            at += n
            assert len(value) == n, "a field is cut off"
        else:
            raise ValueError(f"wire type {tag & 7}")
        yield tag >> 3, value


def read_message(data):
    message = collections.defaultdict(list)
    for field, value in read_fields(data):
        message[field].append(value)
    return message


def read_packed(values):
    numbers = []
    for value in values:
        at = 0
        while at < len(value):
            number, at = read_varint(value, at)
            numbers.append(number)
    return numbers


def one(message, field):
    return message[field][0] if message[field] else 0


class Profile:
    def __init__(self, path):
        with gzip.open(path) as file:
            message = read_message(file.read())
        self.strings = [s.decode() for s in message[6]]
        assert self.strings[0] == ""
        self.types = [self.strings[one(read_message(t), 1)] for t in message[1]]
        functions = {}
        for data in message[5]:
            f = read_message(data)
            assert one(f, 1) and one(f, 1) not in functions
            functions[one(f, 1)] = self.strings[one(f, 2)]
        mappings = {one(read_message(m), 1) for m in message[3]}
        self.locations = {}
        for data in message[4]:
            location = read_message(data)
            assert one(location, 1) and one(location, 1) not in self.locations
            assert one(location, 2) in mappings
            (line,) = location[4]
            self.locations[one(location, 1)] = functions[one(read_message(line), 1)]
        self.samples = [self.read_sample(read_message(s)) for s in message[2]]

    def read_sample(self, sample):
        stack = [self.locations[i] for i in read_packed(sample[1])]
        values = read_packed(sample[2])
        assert stack and len(values) == len(self.types)
        labels = {}
        for data in sample[3]:
            label = read_message(data)
            labels[self.strings[one(label, 1)]] = self.strings[one(label, 2)] or one(label, 3)
        return stack[::-1], dict(zip(self.types, values)), labels


def plain(frame):
    """Folded stacks tell what an interval of CPU utilisation is."""
    return re.sub(r" \[CPU utilisation[^]]*\]$", "", frame)


def alike(name):
    """CSV spells some bytes otherwise."""
    return re.sub(r"[;_\ufffd\t\r\n]", "_", name)


def compare_stacks(name, profile):
    found = collections.Counter()
    for stack, values, labels in profile.samples:
        # Folded stacks cannot have a ';' in a name.
        found[";".join(frame.replace(";", "_") for frame in [labels["thread"], *stack])] += values["time"]
    expected = collections.Counter()
    with open(name + ".folded", encoding="utf-8") as file:
        for line in file:
            stack, _, value = line.rstrip("\n").rpartition(" ")
            expected[";".join(plain(f) for f in stack.split(";"))] += int(value)
    for stack in sorted(found.keys() | expected.keys()):
        if found[stack] != expected[stack]:
            say(name, f"{stack}: {found[stack]} instead of {expected[stack]} ns")
            return
    if sum(found.values()) != sum(expected.values()):
        say(name, "another sum")


def compare_threads(name, profile):
    found = collections.Counter()
    for _, values, labels in profile.samples:
        thread = alike(labels["thread"])
        found[str(labels.get("tid", 0)), str(labels.get("pid", "")), thread] += values["intervals"]
    expected = collections.Counter()
    with open(name + ".csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if "open" in row["flags"].split("+"):
                continue
            pid = "" if row["pid"] == "0" else row["pid"]
            expected[row["tid"], pid, alike(row["task"] or "tid " + row["tid"])] += 1
    if found != expected:
        say(name, f"threads: {found} instead of {expected}")
    return sum(expected.values())


def compare(name):
    profile = Profile(name + ".pprof")
    compare_stacks(name, profile)
    return compare_threads(name, profile)


compare_all(compare, "intervals")
