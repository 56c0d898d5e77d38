#!/usr/bin/env python3
"""
Checks the structure of the sources against tests/structure/arrows and tests/structure/limits.

usage: check.py [--build FOLDER] [--list CHECK]
  --build FOLDER  also checks the symbols of the objects in this build folder
  --list CHECK    prints what a check counts, one a line

Each check counts something that shall not grow: includes against the arrows, the largest circle
of files that include each other, names of static functions that several files of a half share or
that are one word, hand-printed JSON, loops over digits, number parsers, second globs and cleaners
of text, second heaps, hashes, growing arrays and binary searches, folders of many sources, folders
without a comment that describes them, names of files in comments that are not there, folders with
memory orders that `orders` does not list. `limits` holds the counts of today; more fails, and fewer
fails until `limits` says so.

The checks of symbols read what each object defines and uses. A compiler may leave a use out,
so fewer than the limit passes. A symbol that a public header names belongs to include, and one
that `arrows` lists as a hook to the room below, which calls it.
Exit status: 0 passed, 1 failed, 2 usage.
"""
import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SOURCE_FOLDERS = ("formats", "include", "libtrace", "decoder")
DECODER_HEADER = "include/cpidecode.h"  # and .hpp
MOST_SOURCES = 40  # of a folder
MOST_IN_CIRCLE = 3  # files that use each other's symbols


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
    arrows.pop("hooks", None)
    return arrows


def read_hooks():
    """Functions and data that a lower room declares and calls, and a higher one defines."""
    with open(os.path.join(HERE, "arrows"), encoding="utf-8") as f:
        return set(re.findall(r"^hooks:(.*)$", f.read(), flags=re.M)[0].split())


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


def room_includes(sources, arrows):
    """Each include of another room's file: the room, the other room, the file, the other file.
    Leaves out what every room may include."""
    for path, text in sorted(sources.items()):
        room = room_of(path, arrows)
        for included in includes_of(path, text, sources):
            to = room_of(included, arrows)
            # The decoder has only its own header of include/, which few other rooms may use.
            own = included.startswith(DECODER_HEADER)
            if to == "include" and own != room.startswith("decoder/"):
                to = included
            if to not in (room, "formats", "formats/base", "include"):
                yield room, to, path, included


def find_wrong_arrows(sources):
    """Includes without an arrow, and arrows without an include."""
    arrows = read_arrows()
    used = {(room, to) for room, to, _, _ in room_includes(sources, arrows)}
    for room, to, path, included in room_includes(sources, arrows):
        if to not in arrows[room]:
            yield f"{room} -> {to}: {path} includes {included}"
    for room, rooms in arrows.items():
        yield from (f"{room} -> {to}: unused" for to in sorted(rooms) if (room, to) not in used)


def module_of(path):
    """A source and its header are one."""
    return path[:-2]


def find_circles(graph):
    """The circles of a graph: Tarjan's strongly connected components of more than one node."""
    index, low, stack, circles = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for to in sorted(graph.get(node, ())):
            if to not in index:
                visit(to)
                low[node] = min(low[node], low[to])
            elif to in stack:
                low[node] = min(low[node], index[to])
        if low[node] == index[node]:
            circle = []
            while not circle or circle[-1] != node:
                circle.append(stack.pop())
            if len(circle) > 1:
                circles.append(sorted(circle))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return circles


def find_circle(sources):
    """The files of the largest circle."""
    graph = collections.defaultdict(set)
    for path, text in sources.items():
        for included in includes_of(path, text, sources):
            if module_of(included) != module_of(path):
                graph[module_of(path)].add(module_of(included))
    return max(find_circles(graph), key=len, default=[])


def source_of(build, at, name):
    """The source of BUILD/FOLDER/CMakeFiles/TARGET.dir/PATH.c.o, below TOP."""
    target, inside = os.path.join(at, name[:-2]).split(".dir/", 1)
    folder = os.path.relpath(os.path.dirname(os.path.dirname(target)), build)
    return os.path.normpath(os.path.join(folder, inside.replace("__", "..")))


def read_symbols(build, sources):
    """By source: the global names that its object defines, and those that it uses."""
    objects = {}
    for half in ("libtrace", "decoder"):
        for at, folders, names in os.walk(os.path.join(build, half)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".c.o") and ".dir" in at:
                    source = source_of(build, at, name)
                    if source in sources:  # neither generated nor of a source that is gone
                        objects[os.path.join(at, name)] = source
    defined, used = collections.defaultdict(set), collections.defaultdict(set)
    if objects:
        nm = subprocess.run(["nm", "-A", "-P", "-g", *objects], capture_output=True, text=True)
        for line in nm.stdout.splitlines():
            at, rest = line.split(": ", 1)
            name, kind = rest.split()[:2]
            (used if kind in "Uvw" else defined)[objects[at]].add(name)
    return defined, used


def find_symbol_uses(symbols, sources):
    """Each use of another file's symbol: the user, the symbol, the files that define it."""
    defined, used = symbols
    public = set(re.findall(r"\w+", " ".join(
        text for path, text in sources.items() if path.startswith("include/"))))
    headers = set(re.findall(r"\w+", " ".join(
        without_comments(text) for path, text in sources.items() if path.endswith(".h"))))
    definers = collections.defaultdict(set)
    for path, names in defined.items():
        for name in (names & headers) - public:  # else the C library's, or of an interface
            definers[name].add(path)
    hooks = read_hooks()
    for path, names in sorted(used.items()):
        for name in sorted(names - defined[path] - hooks):
            if name in definers:
                yield path, name, sorted(definers[name])


def find_wrong_symbols(symbols, sources):
    arrows = read_arrows()
    for path, name, definers in find_symbol_uses(symbols, sources):
        room, rooms = room_of(path, arrows), {room_of(d, arrows) for d in definers}
        if not rooms & (arrows[room] | {room, "formats", "formats/base"}):
            yield f"{room} -> {' or '.join(sorted(rooms))}: {path} uses {name}"


def find_symbol_circles(symbols, sources):
    graph = collections.defaultdict(set)
    for path, _, definers in find_symbol_uses(symbols, sources):
        if len(definers) == 1:
            graph[module_of(path)].add(module_of(definers[0]))
    for circle in find_circles(graph):
        if len(circle) > MOST_IN_CIRCLE:
            yield " ".join(circle)


STATIC_FUNCTION = re.compile(
    r"^static [^;={]*?\b(\w+)\((?:[^;{}]|\n)*?\)\s*\{", flags=re.M)


def static_functions(text):
    """The names of the static functions that a file defines."""
    return STATIC_FUNCTION.findall(
        re.sub(r"__attribute__\(\(.*?\)\)\s", "", without_comments(text)))


def find_shared_names(sources):
    """Names of static functions that several files of libtrace, or of decoder, define."""
    for half in ("libtrace", "decoder"):
        files = collections.defaultdict(set)
        for path, text in sources.items():
            if path.startswith(half + "/"):
                for name in static_functions(text):
                    files[name].add(path)
        for name, where in sorted(files.items()):
            if len(where) > 1:
                yield f"{half}: {name}: {' '.join(sorted(where))}"


def find_one_word_names(sources):
    """Static functions whose names are one word, which says neither room nor object; TheirPublicOnes
    of include/ are several."""
    for path, text in sorted(sources.items()):
        for name in static_functions(text):
            if "_" not in name and name.islower():
                yield f"{path}: {name}"


# Calls whose text is a message of the form `"OBJECT": what happened`, which looks like a key and its
# value. None of them prints to where JSON goes: the first two, misuse and report_note print to stderr behind the
# program's name, the others write the reason of a failure.
MESSAGE_CALL = re.compile(
    r"\b(?:(?:cmd_fail|cmd_misuse)\(\s*(?:\w+->)?verb,|(?:event_refuse|snprintf)\(why,|session_say\(error,|report_note\(r,|misuse\(\s*\Z)")
STRING_OR_BOUND = re.compile(r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|[;{}]""")


# A quote or a brace on its own.
JSON_CHARACTER = re.compile(r"""\b(?:fmt|out)_char\([^;]*'(?:["{}])'""")


def find_printed_json(sources):
    """Strings outside decoder/sink that hold the end of a JSON key, and characters of JSON."""
    for path, text in sorted(sources.items()):
        if path.startswith("decoder/sink/"):
            continue
        text = without_comments(text)
        for found in JSON_CHARACTER.finditer(text):
            yield f"{path}: {found[0]}"
        statement = 0
        for token in STRING_OR_BOUND.finditer(text):
            if token[0] in ";{}":
                statement = token.end()
            elif re.search(r'\\" *:', token[0]) and not MESSAGE_CALL.search(
                    text, statement, token.start()):
                line = text[text.rfind("\n", 0, token.start()) + 1:].split("\n", 1)[0]
                yield f"{path}: {line.strip()}"


def find_lines_outside_base(sources, pattern):
    for path, text in sorted(sources.items()):
        if not path.startswith("formats/base/"):
            for line in without_comments(text).split("\n"):
                if pattern.search(line):
                    yield f"{path}: {line.strip()}"


def find_digit_loops(sources):
    return find_lines_outside_base(sources, re.compile(
        r">= '0'|- '0'|\bisdigit\(|\bstrspn\([^;]*\"0123456789"))


def find_number_parsers(sources):
    """What formats/base/number.h and quantity.h are for: the C library's parsers, tests of digits."""
    return find_lines_outside_base(sources, re.compile(
        r"\bstrto(?:ul|ull|l|ll|d|f|ld|imax|umax)\(|\bato(?:i|l|ll|f)\(|\bsscanf\("
        r"|[<>]=? *'[0-9]'|'[0-9]' *[<>]"))


def find_second_text_tools(sources):
    """What formats/base/glob.h and utf8.h are for: patterns of the C library, steps over characters."""
    return find_lines_outside_base(sources, re.compile(r"\bfnmatch\(|\butf8_step\("))


# Each container, where its one kind is, and what another of that kind has.
CONTAINERS = (
    ("growing array", ("formats/base/array.h", "formats/base/hash_index.h", "decoder/base/pages.c",
                       "decoder/base/spill.c", "libtrace/counters/perf/group.c"), re.compile(
        r"\b(?:realloc(?:array)?|mremap|malloc_usable_size)\(|\b(?:room|cap|more|slots|size) \*= 2;")),
    # The first child of a heap's element.
    ("heap", ("decoder/base/heap.h",), re.compile(
        r"\w = (?:2 \* \w+|\w+ \* 2|\(\w+ << 1\)) [+|] 1\b|\w = \(\w+ - 1\) (?:/ 2|>> 1)\b")),
    # The golden ratio's multiplier and FNV's prime.
    ("hash function", ("formats/base/hash.h",),
     re.compile(r"0x9e3779b97f4a7c15|0x(?:00000)?100000001b3|1099511628211", re.I)),
    # A hash's slot, the number of slots being a power of two; or the slot behind it.
    ("hash", ("formats/base/hash_index.h",), re.compile(
        r"& \((?:\w|->|\.)*\b(?:slots|places|buckets|room|cap|size) - 1\)"
        r"|\w & \w+->mask\b|\b(?:hash|h|key) & \w+"
        r"|= \(\*?\w+ \+ 1\) % \w+")),
    ("comparison", ("formats/base/compare.h",), re.compile(r"(\S+) < (\S+) \? -1 : \1 > \2;")),
    ("binary search", ("formats/base/search.h",), re.compile(r"_t mid(?:dle)? = [^;]*\) / 2;")),
)


def find_second_containers(sources):
    """Each call of realloc, each file with a heap, a hash or a binary search, but the containers."""
    for path, text in sorted(sources.items()):
        for kind, homes, pattern in CONTAINERS:
            found = [] if path in homes else [
                line for line in without_comments(text).split("\n") if pattern.search(line)]
            for line in found if kind == "growing array" else found[:1]:
                yield f"{kind}: {path}: {line.strip()}"


def find_large_folders(sources):
    count = collections.Counter(os.path.dirname(path) for path in sources)
    for folder, n in sorted(count.items()):
        if n > MOST_SOURCES:
            yield f"{folder}: {n}"


ORDERS = re.compile(
    r"\bmemory_order_(?!relaxed)\w+|\b__ATOMIC_(?!RELAXED)\w+"
    r"|\batomic_(?:load|store|exchange|fetch_\w+|compare_exchange_\w+)(?<!_explicit)\(")


def find_unlisted_orders(sources):
    """Folders that order memory and are not in tests/structure/orders, and those that need not be."""
    with open(os.path.join(HERE, "orders"), encoding="utf-8") as f:
        listed = set(re.findall(r"^([\w/]+): ", f.read(), flags=re.M))
    order = {os.path.dirname(path) for path, text in sources.items()
             if ORDERS.search(without_comments(text))}
    yield from sorted(order ^ listed)


def folder_includes(sources):
    """By folder: the last names of those that its files include, but for formats and include. Of
    another room's folders, the room's."""
    arrows = read_arrows()
    names = collections.defaultdict(set)
    for path, text in sources.items():
        folder, room = os.path.dirname(path), room_of(path, arrows)
        for included in includes_of(path, text, sources):
            to, its_room = os.path.dirname(included), room_of(included, arrows)
            if to != folder and its_room not in ("formats", "formats/base", "include"):
                names[folder].add(os.path.basename(to if its_room == room else its_room))
    return names


def find_undescribed_folders(sources):
    """Folders without a comment "FOLDER owns ... It includes ... Errors ..."; or that include others
    than it says: "It includes A, B and C." or "formats only"."""
    arrows = read_arrows()
    includes = folder_includes(sources)
    rooms = {os.path.basename(room) for room in arrows} | {"cpidecode"}
    of_room = collections.defaultdict(set)
    for room, to, _, _ in room_includes(sources, arrows):
        of_room[room].add(os.path.basename(to).removesuffix(".h"))
    comments = collections.defaultdict(list)
    for path, text in sources.items():
        for comment in re.findall(r"/\*.*?\*/", text, flags=re.S):
            if " owns " in comment:
                comments[path].append(re.sub(r"\s+\*?\s*", " ", comment))
    for folder in sorted({os.path.dirname(path) for path in sources} | set(arrows)):
        if folder == "include":
            continue
        wanted = re.compile(rf"(?:^| ){folder} owns (?=.*Errors).*?[Ii]ncludes ([^.]*)")
        said = [found[1] for path in comments if path.startswith(folder + "/")
                for comment in comments[path] if (found := wanted.search(comment))]
        if not said:
            yield folder
            continue
        if folder in arrows:
            named = rooms & set(re.findall(r"[\w/]+", said[0])) - {"formats", "include"}
            included = of_room[folder]
        else:
            named = set(re.split(r", | and ", said[0])) - {"formats only"}
            included = includes[folder]
        if named != included:
            yield f"{folder}: includes {', '.join(sorted(included))}"


# Headers of the system that comments name.
SYSTEM_HEADERS = {"linux/perf_event.h", "perf_event.h", "lwp.h", "procfs.h"}


def find_stale_names(sources):
    """C files that comments name and that are not there; by any end of their path."""
    there = {path[at:] for path in sources for at in
             (0, *(slash.end() for slash in re.finditer("/", path)))} | SYSTEM_HEADERS
    for path, text in sorted(sources.items()):
        for comment in re.findall(r"/\*.*?\*/", text, flags=re.S):
            for name in re.findall(r"(?<![\w.*<])(?:\.\./)*((?:[\w.-]+/)*\w+\.[ch])\b", comment):
                if name not in there:
                    yield f"{path}: {name}"


CHECKS = {
    "wrong_arrows": find_wrong_arrows,
    "largest_include_circle": find_circle,
    "shared_static_names": find_shared_names,
    "one_word_names": find_one_word_names,
    "printed_json": find_printed_json,
    "digit_loops": find_digit_loops,
    "number_parsers": find_number_parsers,
    "second_text_tools": find_second_text_tools,
    "second_containers": find_second_containers,
    "large_folders": find_large_folders,
    "undescribed_folders": find_undescribed_folders,
    "stale_names": find_stale_names,
    "unlisted_orders": find_unlisted_orders,
}


SYMBOL_CHECKS = {
    "wrong_symbols": find_wrong_symbols,
    "large_symbol_circles": find_symbol_circles,
}


def report(name, count, limit, may_be_fewer):
    """Prints one check's result. Returns whether it failed."""
    if count == limit or count < limit and may_be_fewer:
        print(f"ok: structure: {name}: {count}")
        return False
    if count > limit:
        build = "--build FOLDER " if name in SYMBOL_CHECKS else ""
        print(f"not ok: structure: {name}: {count}, at most {limit} "
              f"(check.py {build}--list {name})")
    else:
        print(f"not ok: structure: {name}: {count}: lower the limit of {limit} in limits")
    return True


def main(arguments):
    names = [*CHECKS, *SYMBOL_CHECKS]
    options = dict(zip(arguments[::2], arguments[1::2]))
    build, listed = options.pop("--build", None), options.pop("--list", None)
    if (len(arguments) % 2 or options or listed and listed not in names
            or listed in SYMBOL_CHECKS and not build):
        print(f"check.py: usage: check.py [--build FOLDER] [--list {'|'.join(names)}]",
              file=sys.stderr)
        return 2
    sources = read_sources()
    symbols = read_symbols(build, sources) if build else ({}, {})
    if listed:
        found = (CHECKS[listed](sources) if listed in CHECKS
                 else SYMBOL_CHECKS[listed](symbols, sources))
        for line in found:
            print(line)
        return 0
    limits = read_limits()
    failed = 0
    for name, find in CHECKS.items():
        failed += report(name, len(list(find(sources))), limits[name], False)
    for name, find in SYMBOL_CHECKS.items():
        if symbols[0]:
            failed += report(name, len(list(find(symbols, sources))), limits[name], True)
        else:
            why = "nm finds no symbols in the build folder" if build else "no --build"
            print(f"skipped: structure: {name}: {why}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
