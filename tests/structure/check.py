#!/usr/bin/env python3
"""
Checks the structure of the sources against tests/structure/arrows and tests/structure/limits.

usage: check.py [--list CHECK]
  --list CHECK  prints what a check counts, one a line

Each check counts something that shall not grow: includes against the arrows, the largest circle
of files that include each other, names of static functions that several files of a half share,
hand-printed JSON, loops over digits, folders of many sources. `limits` holds the counts of today;
more fails, and fewer fails until `limits` says so.
Exit status: 0 passed, 1 failed, 2 usage.
"""
import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SOURCE_FOLDERS = ("formats", "include", "libtrace", "decoder")
MOST_SOURCES = 40  # of a folder


def read_sources():
    """The C sources and headers by their paths below TOP."""
    sources = {}
    for folder in SOURCE_FOLDERS:
        for at, _, names in os.walk(os.path.join(TOP, folder)):
            for name in names:
                if name.endswith((".c", ".h")):
                    path = os.path.join(at, name)
                    with open(path, encoding="utf-8") as f:
                        sources[os.path.relpath(path, TOP)] = f.read()
    return sources


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def read_arrows():
    arrows = {}
    with open(os.path.join(HERE, "arrows"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                room, rooms = line.split(":")
                arrows[room] = set(rooms.split())
    return arrows


def read_limits():
    limits = {}
    with open(os.path.join(HERE, "limits"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, count = line.split()
                limits[name] = int(count)
    return limits


def room_of(path, arrows):
    folder = os.path.dirname(path)
    while folder and folder not in arrows:
        folder = os.path.dirname(folder)
    return folder


def includes_of(path, text, sources):
    """The project's files that a file includes."""
    for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', text, flags=re.M):
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
        for candidate in (beside, os.path.join("include", name)):
            if candidate in sources:
                yield candidate
                break


def find_wrong_arrows(sources):
    arrows = read_arrows()
    always = {"formats", "formats/base", "include"}
    for path, text in sorted(sources.items()):
        room = room_of(path, arrows)
        for included in includes_of(path, text, sources):
            to = room_of(included, arrows)
            if to != room and to not in always and to not in arrows[room]:
                yield f"{room} -> {to}: {path} includes {included}"


def module_of(path):
    """A source and its header are one."""
    return path[:-2]


def find_circle(sources):
    """The files of the largest circle: Tarjan's strongly connected components."""
    graph = collections.defaultdict(set)
    for path, text in sources.items():
        for included in includes_of(path, text, sources):
            if module_of(included) != module_of(path):
                graph[module_of(path)].add(module_of(included))
    index, low, stack, largest = {}, {}, [], []

    def visit(node):
        nonlocal largest
        index[node] = low[node] = len(index)
        stack.append(node)
        for to in sorted(graph[node]):
            if to not in index:
                visit(to)
                low[node] = min(low[node], low[to])
            elif to in stack:
                low[node] = min(low[node], index[to])
        if low[node] == index[node]:
            circle = []
            while not circle or circle[-1] != node:
                circle.append(stack.pop())
            if len(circle) > max(1, len(largest)):
                largest = circle

    sys.setrecursionlimit(10000)
    for node in sorted(graph.copy()):
        if node not in index:
            visit(node)
    return sorted(largest)


def find_shared_names(sources):
    """Names of static functions that several files of libtrace, or of decoder, define."""
    start = re.compile(r"^static [^;={]*?\b(\w+)\((?:[^;{}]|\n)*?\)\s*\{", flags=re.M)
    for half in ("libtrace", "decoder"):
        files = collections.defaultdict(set)
        for path, text in sources.items():
            if path.startswith(half + "/"):
                for name in start.findall(without_comments(text)):
                    files[name].add(path)
        for name, where in sorted(files.items()):
            if len(where) > 1:
                yield f"{half}: {name}: {' '.join(sorted(where))}"


def find_printed_json(sources):
    for path, text in sorted(sources.items()):
        if not path.startswith("decoder/sink/"):
            for number, line in enumerate(without_comments(text).split("\n"), 1):
                if '\\":' in line:
                    yield f"{path}: {line.strip()}"


def find_digit_loops(sources):
    digit = re.compile(r">= '0'|- '0'|\bisdigit\(")
    for path, text in sorted(sources.items()):
        if not path.startswith("formats/base/"):
            for line in without_comments(text).split("\n"):
                if digit.search(line):
                    yield f"{path}: {line.strip()}"


def find_large_folders(sources):
    count = collections.Counter(os.path.dirname(path) for path in sources)
    for folder, n in sorted(count.items()):
        if n > MOST_SOURCES:
            yield f"{folder}: {n}"


CHECKS = {
    "wrong_arrows": find_wrong_arrows,
    "largest_include_circle": find_circle,
    "shared_static_names": find_shared_names,
    "printed_json": find_printed_json,
    "digit_loops": find_digit_loops,
    "large_folders": find_large_folders,
}


def main(arguments):
    if arguments and (len(arguments) != 2 or arguments[0] != "--list" or arguments[1] not in CHECKS):
        print(f"check.py: usage: check.py [--list {'|'.join(CHECKS)}]", file=sys.stderr)
        return 2
    sources = read_sources()
    if arguments:
        for line in CHECKS[arguments[1]](sources):
            print(line)
        return 0
    failed = 0
    limits = read_limits()
    for name, find in CHECKS.items():
        count, limit = len(list(find(sources))), limits[name]
        if count == limit:
            print(f"ok: structure: {name}: {count}")
        elif count > limit:
            print(f"not ok: structure: {name}: {count}, at most {limit} (check.py --list {name})")
            failed += 1
        else:
            print(f"not ok: structure: {name}: {count}: lower the limit of {limit} in limits")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
