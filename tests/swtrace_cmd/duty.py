"""Runs a load on a processor and `swtrace ai` beside it, and compares the two.

    duty.py SWTRACE CPU PERCENT

The load's CPU clock and the kernel's account of idle time (/proc/stat) are read just before and
after the seconds that ai samples. All three grow with time, never faster than it, so over windows
whose ends are at most `apart` seconds from each other they differ by at most `apart`, plus the
steps in which they count. Whatever else runs on the machine only moves the windows apart.
"""
import datetime
import json
import os
import signal
import subprocess
import sys
import time

PERIOD = 0.01
TICK = 1 / os.sysconf("SC_CLK_TCK")


def before_others(priority):
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except PermissionError:
        pass  # less of a load, and windows further apart


def be_busy(cpu, share):
    """Its share of all the time so far: makes up for what others took."""
    os.sched_setaffinity(0, {cpu})
    before_others(1)
    began, cpu_began, periods = time.monotonic(), time.process_time(), 0
    while True:
        periods += 1
        while time.process_time() - cpu_began < periods * PERIOD * share:
            pass
        time.sleep(max(0, began + periods * PERIOD - time.monotonic()))


def accounts():
    """Seconds idle and stolen, by processor."""
    with open("/proc/stat") as f:
        rows = [line.split() for line in f if line.startswith("cpu") and line[3] != " "]
    return {int(row[0][3:]): ((int(row[4]) + int(row[5])) * TICK, int(row[8]) * TICK) for row in rows}


def look(load):
    """(before, after, CPU seconds of the load, accounts)"""
    before = time.time()
    own, table = time.clock_gettime((~load << 3) | 2), accounts()  # the process' CPU clock
    return before, time.time(), own, table


def parse_time(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def judge(cpu, header, sample, looks):
    elapsed, ended = sample["elapsed_s"], parse_time(sample["time"]) + 0.001
    # When ai's window began, at the earliest and at the latest.
    began = parse_time(header["started"]), ended - elapsed
    apart = 0
    for (before, after, _, _), offset in zip(looks, (0, elapsed)):
        apart += max(after - (began[0] + offset), began[1] + offset - before)
    (_, _, own0, first), (_, _, own1, last) = looks
    own = own1 - own0
    allowed = apart + 0.02 * elapsed  # more than a step of either account
    wrong = []
    for row in sample["cpus"]:
        idle, stolen = (b - a for a, b in zip(first[row["cpu"]], last[row["cpu"]]))
        shown_idle = row["idle"] / 100 * elapsed
        shown_busy = (row["busy"] + (row["intr"] or 0)) / 100 * elapsed
        mine = own if row["cpu"] == cpu else 0
        print(f"cpu {row['cpu']}: load {mine:.3f} s; idle {idle:.3f}, ai: {shown_idle:.3f}; "
            f"stolen {stolen:.3f}; ai busy: {shown_busy:.3f}; allowed {allowed:.3f}")
        if abs(shown_idle - idle) > allowed:
            wrong.append(f"cpu {row['cpu']}: idle {shown_idle:.3f} s, not {idle:.3f}")
        if abs(shown_busy - (elapsed - idle - stolen)) > allowed + 2 * TICK:
            wrong.append(f"cpu {row['cpu']}: busy {shown_busy:.3f} s, not {elapsed - idle - stolen:.3f}")
        if shown_busy < mine - stolen - allowed:
            wrong.append(f"cpu {row['cpu']}: busy {shown_busy:.3f} s, the load alone {mine:.3f}")
    return wrong


def main(swtrace, cpu, percent):
    load = os.fork()
    if load == 0:
        be_busy(cpu, percent / 100)
    before_others(2)
    try:
        with subprocess.Popen([swtrace, "ai", "2", "1", "--json"], stdout=subprocess.PIPE) as ai:
            lines = []
            looks = []
            for line in ai.stdout:
                looks.append(look(load))
                lines.append(json.loads(line))
    finally:
        os.kill(load, signal.SIGKILL)
    if ai.returncode != 0 or len(lines) != 2:
        sys.exit(f"ai failed under load: {ai.returncode}")
    sys.exit("\n".join(judge(cpu, *lines, looks)) or None)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
