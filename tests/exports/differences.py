"""Differences between an export and what cpidecode reports itself: counted and told."""
import sys

_differences = 0


def say(name, what):
    global _differences
    print(f"{name}: {what}")
    _differences += 1


def compare_all(compare, counted):
    """Compares each trace that the command line names; compare(name) returns how much it compared. Ends the program."""
    n = sum([compare(name) for name in sys.argv[1:]])
    print(f"FAILED: {_differences} differences" if _differences else f"ok: {len(sys.argv) - 1} traces, {n} {counted}")
    sys.exit(1 if _differences else 0)
