#!/bin/sh
# --where: labels and programs count matching hooks, rings all. --sort, --label, and lines of text.
. "${0%/*}/lib.sh"

session wrap 4
watch --json --where 'label=slow* and elapsed>1ms'
"$INTERVALS" 500 3 20 2 >accepted || fail "the program failed"
free_session
need_all_seen
expect 'last["total"]["hooks"] > 1000'
expect '[l["label"] for l in last["labels"]] == ["slow request"] and label("slow request")["total"]["count"] == 2'
expect '0 < program("swtrace_interva")["total_hooks"] < 20'

session wrap 4
watch --json --where 'comm=absent'
"$INTERVALS" 500 0 20 >accepted
free_session
expect 'last["labels"] == [] and last["programs"] == [] and last["total"]["hooks"] > 500'

session wrap 4
watch --batch --sort label --label 'slow request'
"$INTERVALS" 500 3 20 2 >accepted
free_session
need_all_seen
in_file rounds '^ *1000 .* fast$'
in_file rounds ' label, since the start$'
in_file rounds '^ +2 .* slow request$'
in_file rounds '^elapsed times of slow request: there are none yet$'
in_file rounds '^elapsed times of slow request$'
in_file rounds '^swtrace_interva +[0-9]+ '

session wrap 4
watch --json --sort label
"$INTERVALS" 10 3 20 2 >accepted
free_session
need_all_seen
expect '[l["label"] for l in last["labels"]] == ["fast", "slow request"]'
session wrap 4
watch --json --sort max
"$INTERVALS" 10 3 20 2 >accepted
free_session
busy='[r for r in rounds if len([l for l in r["labels"] if l["last"]["count"]]) == 2]'
expect 'all(r["labels"][0]["last"]["max_ns"] >= r["labels"][1]["last"]["max_ns"] for r in '"$busy"')'
