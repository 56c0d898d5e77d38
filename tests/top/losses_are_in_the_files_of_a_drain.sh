#!/bin/sh
# Whose hooks were lost, in the files of a drain that rotates them and is killed: each file has those of
# its own time, and together they have each lost hook once.
. "${0%/*}/lib.sh"

cp "$WRITER" first
cp "$WRITER" second
run 0 init -t cont -s 2 --rotate 1M --compress none -f "$dir/t.bin"
run 0 on

# lose PROGRAM: it writes more than all rings hold while the drain does not run.
lose()
{
	run 0 info --json
	drain=$(python3 -c 'import json; print(json.load(open("out"))["drain"]["pid"])')
	kill -STOP "$drain"
	"./$1" hooks $((45000 * ($(processors) + 1))) >"accepted_$1"
	echo $((45000 * ($(processors) + 1) - $(cat "accepted_$1"))) >"lost_$1"
	[ "$(cat "lost_$1")" -gt 0 ] || fail "$1 lost no hook"
}
is_rotated()
{
	[ -e t.bin.1 ]
}
lose first
kill -CONT "$drain"
wait_until is_rotated
lose second
kill -9 "$drain"
run 0 on
run 0 off
for file in t.bin t.bin.*; do
	"$CPIDECODE" --report info --format json "$file" >"$file.json" 2>err || fail "cannot read $file"
done
python3 - <<'END' || fail "the files tell other losses"
import glob, json
files = [json.load(open(name)) for name in glob.glob("t.bin*.json")]
assert len(files) > 1, len(files)
sums = {}
for f in files:
    lost = f.get("lost_by_program", {"all": 0, "programs": [], "unknown": 0})
    rings = sum(r[k] for r in f["rings"] for k in r if k.startswith("lost_"))
    assert lost["all"] == rings, (f["path"], lost, rings)
    assert lost["unknown"] == 0, (f["path"], lost)
    for p in lost["programs"]:
        sums[p["name"]] = sums.get(p["name"], 0) + p["lost"]
assert sums == {name: int(open("lost_" + name).read()) for name in ("first", "second")}, sums
END
run 0 free
