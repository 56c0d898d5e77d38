#!/bin/sh
# A member that scribbles over rings, labels and tasks: top goes on, ends as it is told, and what it
# prints stays JSON, and text without control characters.
. "${0%/*}/lib.sh"

session wrap 1
"$WRITER" hooks 30000 >accepted
cat >scribble.py <<'END'
import glob, mmap, os, random, sys, time
random.seed(7)
maps = []
for kind in ("rings", "labels", "tasks"):
    for name in glob.glob(os.environ["SWTRACE_SESSION"] + f"/{kind}.*"):
        with open(name, "r+b") as f:
            maps.append(mmap.mmap(f.fileno(), 0))
for i in range(20000):
    m = random.choice(maps)
    at = random.randrange(min(random.choice((16384, 1 << 20, len(m))), len(m)) // 8) * 8
    word = random.choice((0, 1, 56, 0x80000038, 0xffffffff, random.getrandbits(64)))
    m[at:at + 8] = word.to_bytes(8, "little")
    if i % 100 == 0:
        time.sleep(0.001)
END
tops=
for options in --json '--json --counts' '--json --where comm=x*' '--batch --label fast'; do
	file=rounds_of$(echo "$options" | tr -dc a-z)
	# shellcheck disable=SC2086
	"$SWTRACE" top --interval 10ms $options >"$file" 2>>told </dev/null &
	pids="$pids $!"
	tops="$tops $!"
	wait_until has_lines "$file" 1
done
"$INTERVALS" 500 0 1 200 >accepted 2>&1 &
program=$!
pids="$pids $program"
python3 scribble.py || fail "cannot scribble"
kill -9 $program 2>/dev/null || :
for top in $tops; do
	kill -TERM "$top"
	status=0
	wait "$top" || status=$?
	[ $status -eq 0 ] || fail "top: exit $status: $(head -n 20 told)"
done
for file in rounds_ofjson*; do
	is_json "$file"
done
! LC_ALL=C tr -d '\n' <rounds_ofbatchlabelfast | LC_ALL=C grep -q '[[:cntrl:]]' ||
	fail "control characters in text"
