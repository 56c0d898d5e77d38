#!/bin/sh
# Whose hooks were lost: of several programs, of a killed one, and of one that found the task table full,
# which is unknown. The losses of programs and of unknown ones add up to the rings'.
. "${0%/*}/lib.sh"

sum='sum(p["total_lost"] for p in last["programs"]) == last["total"]["lost"]'
cp "$WRITER" first
cp "$WRITER" second
cp "$WRITER" killed
session norm 1
watch --json --counts
./first hooks 60000 >accepted_first
./second hooks 50000 >accepted_second
./killed loop >/dev/null &
killed=$!
pids="$pids $killed"
killed_loses()
{
	tail -n 2 rounds | head -n 1 | grep -Eq '"name": "killed"[^}]*"total_lost": [1-9]'
}
wait_until killed_loses
kill -9 $killed
wait $killed || :
# No slot is left: all were used, and none of those given back is queued.
python3 - <<'END' || fail "cannot fill the task table"
import glob, os, struct
for name in glob.glob(os.environ["SWTRACE_SESSION"] + "/tasks.*"):
    with open(name, "r+b") as f:
        head = list(struct.unpack("<8Q", f.read(64)))
        head[1] = 1 << 18
        head[5], head[7] = head[4], head[6]
        f.seek(0)
        f.write(struct.pack("<8Q", *head))
END
"$WRITER" hooks 1234 >accepted
[ "$(cat accepted)" -eq 0 ] || fail "it has a slot"
run 0 info --json
cp out info.json
run 0 info
in_file out '^lost since init, by program$'
in_file out "^first +[0-9]+ +$((60000 - $(cat accepted_first)))\$"
in_file out '^unknown +n/a +123[45]$'
run 0 dump -o dump.bin
"$CPIDECODE" --report info --format json dump.bin >dump.json 2>err || fail "cannot read the dump"
"$CPIDECODE" --report info dump.bin >out 2>err || fail "cannot read the dump"
in_file out '^lost since the buffers were made, by program$'
in_file out "^first +[0-9]+ +$((60000 - $(cat accepted_first)))\$"
in_file out '^unknown +n/a +123[45]$'
free_session
is_json rounds
expect 'program("first")["total_lost"] == 60000 - '"$(cat accepted_first)"
expect 'program("second")["total_lost"] == 50000 - '"$(cat accepted_second)"
# It may have died between its ring's counter and its own.
expect '0 < program("killed")["total_lost"] and program(None)["total_lost"] in (1234, 1235)'
expect "$sum"
# The losses of programs may be those of a moment before the rings'.
expect 'all(sum(p["total_lost"] for p in r["programs"]) <= r["total"]["lost"] for r in rounds)'
expect 'json.load(open("info.json"))["lost_since_init"]["all"] == last["total"]["lost"]'
expect '{p["name"]: p["lost"] for p in json.load(open("info.json"))["lost_since_init"]["programs"]} == {p["name"]: p["total_lost"] for p in last["programs"] if p["name"]}'
expect 'json.load(open("info.json"))["lost_since_init"]["unknown"] == program(None)["total_lost"]'
expect 'json.load(open("dump.json"))["lost_by_program"]["before_file"] == 0'
expect 'all(json.load(open("dump.json"))["lost_by_program"][k] == json.load(open("info.json"))["lost_since_init"][k] for k in ("all", "unknown"))'
expect '{(p["name"], p["pid"], p["lost"]) for p in json.load(open("dump.json"))["lost_by_program"]["programs"]} == {(p["name"], p["pid"], p["lost"]) for p in json.load(open("info.json"))["lost_since_init"]["programs"]}'

# A top that begins later: losses of before are not counted again.
session norm 1
"$WRITER" hooks 60000 >before
watch --json --counts
./first hooks 60000 >accepted
free_session
expect 'last["total"]["lost"] == 60000 - '"$(cat accepted)"
expect '[(p["name"], p["total_lost"]) for p in last["programs"] if p["total_lost"]] == [("first", last["total"]["lost"])]'
