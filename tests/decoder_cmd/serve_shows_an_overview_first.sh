#!/bin/sh
# cpidecode serve --tiles: the server listens before the tiles are made, and its early page has bounds of
# the hooks in each step of time, and pages of single spans are made at once. The process that makes the
# tiles is stopped meanwhile. Its end brings the page, its failure ends the server.
. "${0%/*}/lib.sh"
command -v python3 >/dev/null || skip "no python3 here"
: "${GENTRACE:?the generator of traces gentrace}"
[ -r "/proc/$$/task/$$/children" ] || skip "the kernel does not list a process's children"

"$GENTRACE" -k mixed -n 30000 -c 3 --section 4096 trace.bin
"$CPIDECODE" --report hooks --format csv -o hooks.csv trace.bin
"$CPIDECODE" --format html --metric half=elapsed_ns/2 --tiles -o whole.html trace.bin
cat >ask.py <<'END'
import atexit, base64, csv, json, os, re, signal, subprocess, sys, time, urllib.error, urllib.request, zlib

program = sys.argv[1]

class Server:
    """With its maker stopped, unless that has ended by then (is_stopped)."""
    def __init__(self, start=None):
        self.process = subprocess.Popen([program, "serve", "--tiles", "--metric", "half=elapsed_ns/2", "trace.bin"], stdout=subprocess.PIPE, stderr=open("err", "w"),
                                        preexec_fn=start)
        atexit.register(self.process.kill)
        self.url = self.process.stdout.readline().decode().strip()
        pid = self.process.pid
        self.makers = [int(maker) for maker in open(f"/proc/{pid}/task/{pid}/children").read().split()]
        self.is_stopped = [self.stop(maker) for maker in self.makers] == ["T"]

    @staticmethod
    def stop(pid):
        """T, or, if it had ended, another state or None."""
        try:
            os.kill(pid, signal.SIGSTOP)
            while (state := open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0]) not in "TZX":
                time.sleep(0.01)
            return state
        except (ProcessLookupError, FileNotFoundError):
            return None

    def get(self, name):
        with urllib.request.urlopen(self.url + name) as answer:
            return answer.read().decode()

    def status(self, name):
        try:
            self.get(name)
            return 200
        except urllib.error.HTTPError as error:
            return error.code

    def state(self):
        return json.loads(self.get("state"))

    def signal_maker(self, number):
        """Only of one that is stopped."""
        os.kill(self.makers[0], number)

# The caller ignores how its children end: the server has to find out about its own.
server = Server(lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
if server.is_stopped:
    page = server.get("")
    (block,) = re.findall(r'class="early">([^<]*)<', page)
    early = json.loads(zlib.decompress(base64.b64decode(block), -15))
    state = server.state()
    assert state["read"] <= state["of"] or not state["of"], state
    for wrong in ("tiles", "span/", "span/5", "span/5-4", "span/5-5", "span/5-6x", "span/-5-6", "span/a-6", "span/5-99999999999999999999"):
        assert server.status(wrong) == 404, wrong
    for place in (0, 3, 9):
        start, end = place * early["until"] // 10, (place + 1) * early["until"] // 10
        (block,) = re.findall(r'class="meta">([^<]*)<', server.get(f"span/{start}-{end}"))
        meta = json.loads(zlib.decompress(base64.b64decode(block), -15))
        times = [int(early["base"]) + time for time in (start, end)]
        assert meta["span"] == [str(time) for time in times], meta["span"]
        rows = subprocess.run([program, "--report", "intervals", "--format", "csv", "--from", "%d.%09d" % divmod(times[0], 10**9),
                               "--to", "%d.%09d" % divmod(times[1], 10**9), "trace.bin"], check=True, capture_output=True).stdout
        assert [metric["name"] for metric in meta["metrics"]] == ["half"], meta["metrics"]
        assert meta["intervals"] == len(rows.splitlines()) - 1 > 0, (place, meta["intervals"])
    assert server.status("span/9000000000000000000-9000000000000000001") == 200
    hooks = [(int(row["time_ns"]) - int(early["base"]), row["cpu"]) for row in csv.DictReader(open("hooks.csv"))]
    assert early["hooks"] == len(hooks) == sum(lane["hooks"] for lane in early["lanes"])
    assert len(early["lanes"]) == 3 and early["files"] == ["trace.bin"] and early["until"] == max(hooks)[0]
    for lane in early["lanes"]:
        counts = [0] * early["steps"]
        for since, cpu in hooks:
            if lane["name"] == "processor " + cpu:
                counts[since // early["width"]] += 1
        assert sum(counts) == lane["hooks"] > 0
        for count, within, reach in zip(counts, lane["within"], lane["reach"]):
            assert within <= count <= within + reach, (lane["name"], count, within, reach)
        assert sum(lane["reach"]) < len(hooks)
    server.signal_maker(signal.SIGCONT)
while not server.state()["ready"]:
    time.sleep(0.05)
page = server.get("")
assert 'class="meta"' in page and 'class="early"' not in page
tiles = urllib.request.urlopen(server.url + "tiles").read()
assert tiles == open("whole.tiles", "rb").read()
with urllib.request.urlopen(server.url + "span/0-1000") as answer:
    assert answer.url.partition("#")[0] == server.url and answer.read().decode() == page
server.process.send_signal(signal.SIGTERM)
assert server.process.wait() == 0

server = Server()
if server.is_stopped:
    server.signal_maker(signal.SIGKILL)
    assert server.process.wait() == 1
    assert "was ended by signal 9" in open("err").read()

# The maker does not outlive the server.
server = Server()
if server.is_stopped:
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait() == 0
    for maker in server.makers:
        try:
            os.kill(maker, 0)
            raise AssertionError("a process is left")
        except ProcessLookupError:
            pass
print("ok")
END
python3 ask.py "$CPIDECODE" >answers 2>&1 || fail "$(cat answers)"
