#!/bin/sh
# After an init top goes on with the new rings, and says so. SIGTERM and SIGHUP end it with 0, after
# the rest of the round; a full pipe does not keep it.
. "${0%/*}/lib.sh"

session wrap 1
watch --json --counts
"$WRITER" hooks 100 >accepted
run 0 off
run 0 init -s 1 -t wrap
wait_until grep -q 'new trace buffers' told
run 0 on
"$WRITER" hooks 50 >accepted
free_session
expect 'sum(r["hooks"] for r in rounds) == 150 and last["total"]["hooks"] == 50'
expect 'last["generation"] > rounds[0]["generation"]'

session wrap 1
for signal in TERM HUP; do
	"$SWTRACE" top --json --interval 1h >rounds 2>told </dev/null &
	top=$!
	pids="$pids $top"
	# It, and no longer the shell that starts it, catches the signal.
	wait_until grep -qx swtrace "/proc/$top/comm"
	wait_until grep -q '^SigCgt:.*[4-7c-f]...$' "/proc/$top/status"
	kill -$signal "$top"
	ended 0
	expect 'len(rounds) == 1'
done

# The pipe is full before top begins.
cat >full_pipe.py <<'END'
import os, signal, subprocess, sys
reader, writer = os.pipe()
os.set_blocking(writer, False)
try:
    while True:
        os.write(writer, b"x")
except BlockingIOError:
    os.set_blocking(writer, True)
top = subprocess.Popen([sys.argv[1], "top", "--batch", "--interval", "10ms"], stdout=writer)
def catches():
    with open(f"/proc/{top.pid}/status", encoding="ascii") as f:
        caught = next(line for line in f if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1
while not catches():
    pass
top.send_signal(signal.SIGTERM)
sys.exit(top.wait(60))
END
python3 full_pipe.py "$SWTRACE" || fail "a full pipe keeps it"
