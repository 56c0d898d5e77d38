#!/usr/bin/env python3
"""
The screen of `swtrace top` in a pseudo terminal: what it shows, keys, sizes, colours, and that the
terminal is as before when it ends. SWTRACE, INTERVALS and WRITER name programs; NCURSES is false in
a build without it, whose top prints lines.
"""
import fcntl
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

SWTRACE = os.environ["SWTRACE"]
HAS_SCREEN = os.environ.get("NCURSES", "").upper() in ("1", "ON", "TRUE", "YES")
WAIT_SECONDS = 60
COLOUR = re.compile(rb"\x1b\[[0-9;]*?(?<![0-9])(3[0-9]|4[0-9]|9[0-7]|10[0-7])(?=[;m])[0-9;]*m")
ADDRESS = re.compile(rb"\x1b\[([0-9]+);([0-9]+)H")
LEAVE = b"\x1b[?1049l"  # the terminal's other screen is back


def swtrace(*arguments):
    subprocess.run([SWTRACE, *arguments], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def new_session(mode="wrap"):
    swtrace("init", "-s", "1", "-t", mode)
    swtrace("on")


def end_session():
    swtrace("off")
    swtrace("free")


class Screen:
    """A top with a terminal of its own."""

    def __init__(self, *arguments, rows=24, cols=100, **environment):
        self.master, slave = os.openpty()
        self.slave = slave
        self.resize(rows, cols)
        self.before = termios.tcgetattr(slave)
        env = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8")
        env.pop("NO_COLOR", None)
        env.update(environment)

        def take_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [SWTRACE, "top", "--interval", "50ms", *arguments], stdin=slave, stdout=slave,
            stderr=self.errors, env=env, preexec_fn=take_terminal)
        self.output = b""

    def resize(self, rows, cols):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.output += os.read(self.master, 65536)
            except OSError:
                pass

    def expect(self, *texts, since=0):
        """Waits for any of the texts behind an offset of the output."""
        end = time.monotonic() + WAIT_SECONDS
        while not any(text in self.output[since:] for text in texts):
            assert time.monotonic() < end, (texts, self.output[since:], self.told())
            self.read(0.1)

    def press(self, keys, *texts):
        since = len(self.output)
        os.write(self.master, keys)
        if texts:
            self.expect(*texts, since=since)

    def told(self):
        self.errors.seek(0)
        return self.errors.read()

    def ended(self, status=0):
        end = time.monotonic() + WAIT_SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < end, self.output[-2000:]
            self.read(0.05)
        self.read(0)
        assert self.process.returncode == status, (self.process.returncode, self.told())

    def left_terminal_as_it_was(self):
        # 1049l comes last but for what makes the cursor visible and the attributes plain.
        assert LEAVE in self.output, self.output[-200:]
        assert b"\x1b[?25h" in self.output[self.output.rindex(b"\x1b[?25l"):], self.output[-200:]
        assert termios.tcgetattr(self.slave) == self.before

    def close(self):
        os.close(self.master)
        os.close(self.slave)


def run_intervals():
    subprocess.run([os.environ["INTERVALS"], "50", "5", "5", "2"], check=True,
                   stdout=subprocess.DEVNULL)


def shows_views_by_keys():
    new_session()
    s = Screen()
    s.expect(b"hooks/s")
    s.expect(b"q quit")
    run_intervals()
    s.expect(b"fast")
    s.expect(b"slow request")
    s.press(b"p", b"process")
    s.expect(b"swtrace_interva")
    s.press(b"r", b"lost/s")
    s.press(b"?", b"this help")
    s.press(b"l", b"off CPU")
    s.press(b"t", b"since the start")
    s.press(b"s", b"count")
    s.press(b"S", b"rate")
    s.press(b"\x1b[B\r", b"elapsed times of")
    s.expect(b"###")
    s.press(b"q")
    s.ended()
    s.left_terminal_as_it_was()
    assert s.told() == b"", s.told()
    s.close()
    end_session()


def options_choose_the_view():
    new_session()
    s = Screen("--label", "fast")
    s.expect(b"there are none yet")
    run_intervals()
    s.expect(b"###")
    s.press(b"q")
    s.ended()
    s.close()
    s = Screen("--counts")
    s.expect(b"full")
    s.press(b"lh", )
    s.press(b"q")
    s.ended()
    assert b"elapsed times" not in s.output
    s.close()
    end_session()


def fits_any_window():
    new_session()
    run_intervals()
    s = Screen(rows=5, cols=20)
    s.expect(b"q quit")
    run_intervals()
    for key in b"lprh?lt":
        s.press(bytes([key]))
    for rows, cols in ((1, 1), (2, 3), (5, 20), (3, 200), (50, 2), (24, 80)):
        since = len(s.output)
        s.resize(rows, cols)
        os.kill(s.process.pid, signal.SIGWINCH)
        s.expect(b"\x1b[", since=since)
        assert s.process.poll() is None
    s.expect(b"q quit", since=since)
    s.press(b"q")
    s.ended()
    s.left_terminal_as_it_was()
    s.close()
    # Nothing is addressed beyond a small window.
    s = Screen(rows=5, cols=20)
    s.expect(b"q quit")
    run_intervals()
    for key in b"lprh?":
        s.press(bytes([key]))
    s.press(b"q")
    s.ended()
    assert ADDRESS.search(s.output)
    for row, col in ADDRESS.findall(s.output):
        assert int(row) <= 5 and int(col) <= 20, (row, col)
    s.close()
    end_session()


def wide_characters_stay_in_their_line():
    new_session()
    s = Screen("--label", "\u65e5" * 60, cols=40)
    s.expect(b"q quit")
    s.press(b"q")
    s.ended()
    drawn = s.output.count("\u65e5".encode())
    assert drawn == (39 - len("elapsed times of ")) // 2, drawn
    s.close()
    end_session()


def no_color_means_no_colour():
    new_session("norm")
    subprocess.run([os.environ["WRITER"], "hooks", "100000"], check=True,
                   stdout=subprocess.DEVNULL)
    outputs = []
    for environment in ({}, {"NO_COLOR": "1"}, {"NO_COLOR": ""}):
        s = Screen(**environment)
        s.expect(b"q quit")
        subprocess.run([os.environ["WRITER"], "hooks", "1000"], check=True,
                       stdout=subprocess.DEVNULL)
        s.press(b"p", b"process")
        s.press(b"q")
        s.ended()
        outputs.append(s.output)
        s.close()
    assert COLOUR.search(outputs[0]) and COLOUR.search(outputs[2])
    assert not COLOUR.search(outputs[1]), COLOUR.search(outputs[1])
    end_session()


def signals_give_the_terminal_back():
    new_session()
    for end in (lambda s: os.kill(s.process.pid, signal.SIGTERM),
                lambda s: os.kill(s.process.pid, signal.SIGINT),
                lambda s: os.write(s.master, b"\x03")):
        s = Screen()
        s.expect(b"q quit")
        end(s)
        s.ended()
        s.left_terminal_as_it_was()
        s.close()
    s = Screen()
    s.expect(b"q quit")
    os.close(s.slave)
    os.close(s.master)
    s.process.wait(WAIT_SECONDS)
    end_session()


def sessions_end_and_are_made_again():
    new_session()
    s = Screen()
    s.expect(b"q quit")
    swtrace("off")
    swtrace("init", "-s", "1", "-t", "wrap")
    s.expect(b"new trace buffers")
    swtrace("on")
    run_intervals()
    s.expect(b"fast")
    end_session()
    s.ended()
    s.left_terminal_as_it_was()
    assert b"were freed" in s.told(), s.told()
    s.close()


def unknown_terminals_get_lines():
    new_session()
    # A newterm that fails leaves memory behind in ncurses.
    sanitizer = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "detect_leaks=0")))
    s = Screen(TERM="nonesuch", ASAN_OPTIONS=sanitizer)
    s.expect(b"since the start")
    os.kill(s.process.pid, signal.SIGTERM)
    s.ended()
    assert b"\x1b" not in s.output
    assert b"printing lines, as with --batch" in s.told(), s.told()
    s.close()
    end_session()


def builds_without_ncurses_say_so():
    new_session()
    s = Screen()
    s.expect(b"since the start")
    os.kill(s.process.pid, signal.SIGTERM)
    s.ended()
    assert b"built without ncurses" in s.told(), s.told()
    s.close()
    end_session()


def main():
    tests = (shows_views_by_keys, options_choose_the_view, fits_any_window,
             wide_characters_stay_in_their_line, no_color_means_no_colour,
             signals_give_the_terminal_back, sessions_end_and_are_made_again,
             unknown_terminals_get_lines)
    if not HAS_SCREEN:
        tests = (builds_without_ncurses_say_so,)
    folder = tempfile.mkdtemp(prefix="swtrace-top-test.", dir="/dev/shm")
    os.environ["SWTRACE_SESSION"] = folder
    try:
        for test in tests:
            test()
            print("ok:", test.__name__)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


sys.exit(main())
