#!/bin/sh
# Light intervals, end to end: each case of scope_cases in a session of its own; the intervals of the
# trace, as cpidecode reads them, are these: depth, label and arguments.
#
# usage: sh scope.sh CASE
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=tests/lib/checks.sh
. "$here/../lib/checks.sh"
: "${SWTRACE:?}" "${CPIDECODE:?}" "${CASES:?}" "${INCLUDE:?}" "${LIBRARY:?}" "${PLUGIN:?}" "${CXX:?}"
case=${1:?a case}

work=$(mktemp -d) || exit 1
SWTRACE_SESSION=$(mktemp -d /dev/shm/swtrace.scope.XXXXXX) || exit 1
export SWTRACE_SESSION
trap '"$SWTRACE" off >/dev/null 2>&1; "$SWTRACE" free >/dev/null 2>&1; rm -rf "$work" "$SWTRACE_SESSION"' EXIT
cd "$work" || exit 1
rmdir "$SWTRACE_SESSION"

# in_session COMMAND...: leaves trace.bin.
in_session() {
	# shellcheck disable=SC2086
	"$SWTRACE" init -t wrap -s 1 ${BEGINS-} >out 2>err || fail "init"
	"$SWTRACE" on >out 2>err || fail "on"
	"$@" >out 2>err || fail "$* failed"
	"$SWTRACE" off >out 2>err || fail "off"
	"$SWTRACE" dump trace.bin >out 2>err || fail "dump"
}

# The intervals of trace.bin, by start: their depth, label and arguments.
intervals() {
	"$CPIDECODE" --report intervals --format json trace.bin >rows 2>err || fail "cpidecode"
	python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    label = row["label"]
    if label and len(label) > 40:
        label = "%s... (%d)" % (label[:3], len(label))
    args = {k[4:]: v for k, v in row.items() if k.startswith("arg.") and v is not None}
    for k, v in args.items():
        if isinstance(v, str) and len(v) > 40:
            args[k] = "%s... (%d)" % (v[:3], len(v))
    print(row["depth"], label, json.dumps(args) if args else "", sep=" ")
' <rows | sed 's/ $//'
}

# expect: `intervals` must print standard input.
expect() {
	cat >expected
	intervals >got
	diff -u expected got >out || fail "other intervals than expected"
}

case $case in
nested)
	in_session "$CASES" nested
	expect <<-'END'
	0 outer
	1 inner
	2 begun
	1 inner
	2 begun
	END
	# The thread's figures of an interval without a switch, in each of them.
	python3 -c '
import json
for line in open("rows"):
    row = json.loads(line)
    if row["ctx_switches"] == 0:
        assert row["off_cpu_ns"] == 0 and row["time_source"] == "page", row
' || fail "an interval without a switch was off its processor"
	in_session "$CASES" early_return
	expect <<-'END'
	0 left early
	END
	;;
arguments)
	in_session "$CASES" arguments
	expect <<-'END'
	0 numbers {"f": -0.5, "i": -9223372036854775808, "u": 18446744073709551615}
	0 texts {"bytes": "a\nb", "key": "k\"1", "null": "", "utf": "\u00e9"}
	0 begun {"key": "k", "u": 1}
	0 cut {"big": "xxx... (1024)"}
	END
	;;
with_cpi)
	in_session "$CASES" with_cpi
	expect <<-'END'
	0 cpi {"n": 2, "s": "one"}
	1 in cpi
	0 around cpi
	1 cpi
	END
	;;
unbalanced)
	# An end in the wrong place takes another one's arguments away, and nothing else.
	in_session "$CASES" unbalanced
	expect <<-'END'
	0 one
	0 left open {"n": 1}
	0 overlapping
	0 after {"s": "mine"}
	END
	;;
coroutines)
	# An interval whose arguments were overwritten has none, and is flagged.
	in_session "$CASES" coroutines
	expect <<-'END'
	0 first {"a": 1}
	0 early
	0 late {"a": 2, "b": "text", "c": 3}
	1 last {"a": 1}
	END
	"$CPIDECODE" --report intervals --format csv --columns label,flags trace.bin |
		grep '^early,.*args-cut' >/dev/null || fail "the lost argument is not flagged"
	;;
jumps)
	in_session "$CASES" jumps
	expect <<-'END'
	0 around
	END
	;;
threads)
	in_session "$CASES" threads
	expect <<-'END'
	0 in the thread
	0 in the thread
	0 in the thread
	END
	;;
forks)
	in_session "$CASES" forks
	expect <<-'END'
	0 around the fork {"n": 1}
	1 begun before the fork
	0 in the child
	END
	;;
forks_inside)
	in_session "$CASES" forks_inside
	expect <<-END
	$(seq 42 | sed 's/.*/0 usual/')
	END
	;;
orphans)
	# Every kind of interval, of 4 children and their parent between them.
	in_session "$CASES" orphans
	intervals | sort | uniq -c | sed 's/^ *//' >got
	diff -u - got >out <<-'END' || fail "other intervals than expected"
	4 0 around
	12 0 child's
	4 0 in the child
	48 0 usual
	4 1 begun
	4 2 parent's
	END
	;;
turned_off)
	in_session "$CASES" turned_off
	expect <<-'END'
	0 whole
	END
	;;
rests)
	in_session sh -c '"$0" rests >pages' "$CASES"
	! grep -q '^0 ' pages || skip "rests: the kernel grants no page"
	echo "1 0 1 0 1 0 0" | diff -u - pages >out || fail "pages before, while off and after"
	expect <<-'END'
	0 before
	0 after
	0 begun
	0 begun again
	END
	;;
costs)
	# Where a pair takes more than the hook has room for, as under a sanitizer on a busy machine,
	# none is told.
	in_session "$CASES" costs
	"$CPIDECODE" --report intervals --format json trace.bin >rows 2>err || fail "intervals"
	python3 - <<-'END' >out 2>&1 || fail "own costs"
	import json, sys
	rows = [json.loads(line) for line in open("rows")]
	told = {}
	for row in rows:
	    told.setdefault(row["label"], []).append(row["own_inside_ns"])
	assert sorted(told) == ["around", "begun", "begun with an argument", "plain", "with an argument"], told
	skipped = True
	for label, costs in told.items():
	    if label == "around":
	        continue
	    # The samples tell none (an interval with a switch is none), those after them all the same; none
	    # at all is too much to tell.
	    untold = sum(cost is None for cost in costs)
	    assert untold >= 16 and costs[:untold] == [None] * untold, (label, costs)
	    assert len(set(costs[untold:])) <= 1, (label, costs)
	    skipped = skipped and untold == len(costs)
	around = [row for row in rows if row["label"] == "around"][0]
	plain = told["plain"][-1]
	if plain is not None:
	    # Ten pairs, each at least as long as its contents.
	    assert around["own_nested_ns"] >= 10 * plain - 10, (around["own_nested_ns"], plain)
	print("skip" if skipped else "ok")
	END
	! grep -q skip out || skip "costs: a pair takes more than a hook has room for"
	"$CPIDECODE" --report info trace.bin >out 2>err || fail "info"
	grep -q '^  own cost .* inside an interval, .* for a pair of start and end; pid ' out || fail "info tells no cost"
	;;
signals)
	in_session "$CASES" signals
	expect <<-'END'
	0 around
	1 in the handler {"signal": 10}
	2 begun in the handler
	END
	;;
labels)
	in_session "$CASES" labels
	expect <<-'END'
	0 bbb... (65536)
	0 None
	0 None
	0 None
	0 made 0
	0 made 1
	0 made 0
	END
	;;
moved)
	in_session "$CASES" moved
	expect <<-'END'
	0 of the other thread {"s": "its own"}
	END
	;;
limited)
	in_session "$CASES" limited
	expect <<-'END'
	0 without a number {"n": 1}
	END
	;;
filled)
	# A thread's 64 KiB cannot hold all arguments: intervals that lack some are flagged.
	in_session "$CASES" filled
	intervals >got
	[ "$(tail -n 1 got)" = '0 after {"n": 1}' ] || fail "nothing was freed"
	grep -q '^70 fills$' got || fail "the innermost has arguments"
	python3 -c '
import json
for line in open("rows"):
    row = json.loads(line)
    assert ("args-cut" in row["flags"]) == (row["label"] == "fills" and len(row.get("arg.big") or "") < 1024), row["depth"]
' || fail "flags"
	;;
deep)
	in_session "$CASES" deep
	intervals >got
	[ "$(grep -c deep got)" -eq 128 ] || fail "$(grep -c deep got) of 128 deep ones"
	[ "$(tail -n 1 got)" = "0 after" ] || fail "depths are not those of before"
	;;
unloaded)
	in_session "$CASES" unloaded "$PLUGIN"
	expect <<-'END'
	0 of a plugin {"n": 1}
	1 begun in a plugin
	0 left open by a plugin {"left": 1, "text": "its own"}
	0 of a plugin {"n": 1}
	1 begun in a plugin
	0 left open by a plugin {"left": 1, "text": "its own"}
	END
	;;
stopped)
	# A thread that slept was not on its processor, also if the page of its switches stopped.
	in_session "$CASES" stopped
	expect <<-'END'
	0 before
	0 sleeps
	0 sleeps
	END
	python3 -c '
import json
for row in map(json.loads, open("rows")):
    assert row["label"] == "before" or row["off_cpu_ns"] is None, row
' || fail "a sleep is time on the processor"
	;;
replaced)
	# An interval is known whole, also if the page of its thread's switches made way for another one.
	in_session "$CASES" replaced
	expect <<-'END'
	0 around
	1 faults
	0 last
	END
	python3 -c '
import json
row = {r["label"]: r for r in map(json.loads, open("rows"))}
around, faults = row["around"], row["faults"]
if row["last"]["time_source"] == "page":
    assert around["ctx_switches"] >= faults["ctx_switches"] > 0, around
    assert around["off_cpu_ns"] >= 2000000, around
' || fail "the switches of the interval around are unknown"
	;;
cancelled)
	# A thread that is cancelled inside of the library leaves no lock behind.
	in_session timeout -s KILL 60 "$CASES" cancelled
	intervals >got
	[ "$(grep -c "another thread's" got)" -eq 2 ] || fail "others do not go on"
	;;
laps)
	# The first label's hook is overwritten; the last one's text was written before all.
	# On one processor: if the program moved, ends would be overwritten in one ring whose begin hooks
	# stand in the other.
	cpu=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
	in_session taskset -c "$cpu" "$CASES" laps
	intervals >got
	[ "$(tail -n 1 got)" = "0 first" ] || fail "the label is lost: $(tail -n 1 got)"
	[ "$(grep -cv -e 'many' -e first got)" -eq 0 ] || fail "other labels"
	[ "$(head -n 1 got)" = "0 many" ] || fail "the ring did not wrap"
	# With begin hooks, of which some are overwritten, none of these is open.
	grep -q '"open"' rows && fail "an interval that ended is open"
	true
	;;
moves)
	# Where an interval began, of a thread that was moved inside of it. A guest ring is no
	# processor.
	in_session "$CASES" moves
	intervals >got
	grep -q ' moves ' got || skip "one processor"
	python3 -c '
import json
stayed = 0
rows = [json.loads(line) for line in open("rows")]
first, second = next((r["arg.first"], r["arg.second"]) for r in rows if r["label"] == "moves")
for row in rows:
    if row["ctx_switches"] == 0:
        assert row["start_cpu"] == row["cpu"], row
        stayed += 1
began = {row["label"]: row["start_cpu"] for row in rows}
assert stayed, "no interval stayed"
for label in "begun", "moves", "cpi", "again":
    assert began[label] == first, (label, began[label])
assert began["returns"] == second, began["returns"]
' 2>err || fail "start_cpu: $(cat err)"
	# Its arguments come behind the processor.
	"$SWTRACE" on >out 2>err || fail "on again"
	"$SWTRACE" trigger --when 'label=moves and arg.second>0' --timeout 60s -o trace.bin \
		>said 2>told </dev/null &
	watcher=$!
	wait_until grep -q watching told
	"$CASES" moves || fail "moves again"
	wait "$watcher" || fail "the trigger: $(cat told)"
	;;
begins)
	# With begin hooks, an interval that ended is still one row, however it began and ended.
	for each in nested arguments with_cpi forks signals turned_off deep laps; do
		BEGINS=--begins sh "$0" "$each" >out 2>err || fail "$each: $(cat out err)"
	done
	;;
open)
	# A dump shows open intervals, also those of a killed program, and none that ended or was dropped.
	"$SWTRACE" init -t wrap -s 1 --begins >out 2>err && "$SWTRACE" on >out 2>err || fail "init"
	"$SWTRACE" info >out 2>err && in_file out '^begins ' || fail "info"
	"$CASES" holds >said 2>err &
	holder=$!
	wait_until grep -q ready said
	sleep 0.2
	"$SWTRACE" dump trace.bin >out 2>err || fail "dump while it runs"
	# opened running|killed: those of a living thread last until the dump.
	opened() {
		"$CPIDECODE" --report intervals --format json trace.bin >"$1.rows" 2>err || fail "cpidecode"
		[ -s err ] && fail "the intervals have a note"
		python3 -c '
import json
import sys
rows = [json.loads(line) for line in open(sys.argv[1] + ".rows")]
last = max(row["end_ns"] for row in rows)
if sys.argv[1] == "running":
    assert last >= max(row["end_ns"] for row in rows if "open" not in row["flags"]) + 200000000
else:
    assert last < max(json.loads(line)["end_ns"] for line in open("running.rows"))
for row in rows:
    if "open" in row["flags"]:
        assert row["end_ns"] == last and row["cpu"] is None, row
        print(row["label"], row["minor"], row.get("major", 192))
' "$1" | LC_ALL=C sort >got
		diff -u - got >out <<-'END' || fail "$1: other intervals are open: $(cat out)"
		inner 0 194
		named 5 192
		outer 0 194
		END
	}
	opened "running"
	kill -KILL "$holder"
	wait "$holder" 2>/dev/null
	"$SWTRACE" off >out 2>err || fail "off"
	"$SWTRACE" dump trace.bin >out 2>err || fail "dump"
	opened "killed"
	# Nothing else counts them.
	"$CPIDECODE" --format csv trace.bin >out 2>told || fail "summary"
	in_file told '3 intervals are open at the end of the trace, and left out .*named 1'
	in_file out '^ended,0,3,'
	grep -q '^outer,' out && fail "the summary counts what is open"
	"$CPIDECODE" --format folded trace.bin >out 2>told || fail "folded"
	in_file told '3 intervals are open'
	grep -q outer out && fail "the flame graph shows what is open"
	# Turned off and on, it is dropped.
	"$SWTRACE" on >out 2>err && "$CASES" nested && "$SWTRACE" off >out 2>err || fail "on again"
	"$SWTRACE" dump trace.bin >out 2>err || fail "dump of both"
	"$CPIDECODE" --report intervals trace.bin >out 2>err || fail "intervals"
	grep -q ' open' out && fail "an interval is open since before tracing was off"
	"$SWTRACE" free >out 2>err || fail "free"
	# By the environment of the program.
	for how in "SWTRACE_BEGINS=1 1" "SWTRACE_BEGINS=0 0"; do
		begins=
		[ "${how#* }" = 0 ] && begins=--begins
		# shellcheck disable=SC2086
		"$SWTRACE" init -t wrap -s 1 $begins >out 2>err && "$SWTRACE" on >out 2>err || fail "init"
		: >said # the last program's word must not pass for this one's
		env "${how% *}" "$CASES" holds >said 2>err &
		holder=$!
		wait_until grep -q ready said
		kill -KILL "$holder"
		wait "$holder" 2>/dev/null
		"$SWTRACE" dump trace.bin >out 2>err && "$SWTRACE" off >out 2>err || fail "dump"
		"$CPIDECODE" --report intervals trace.bin >rows 2>err || fail "intervals"
		[ "$(grep -c ' open' rows)" -eq $((3 * ${how#* })) ] || fail "${how% *}"
	done
	;;
trigger)
	# Conditions on a light interval's label and arguments; nothing else fires.
	"$SWTRACE" init -t wrap -s 1 >out 2>err && "$SWTRACE" on >out 2>err || fail "init"
	"$SWTRACE" trigger --when 'label=begun and arg.u=1 and arg.key=k' --timeout 60s -o trace.bin \
		>said 2>told </dev/null &
	watcher=$!
	wait_until grep -q watching told
	"$CASES" with_cpi && "$CASES" nested && "$CASES" arguments || fail "the cases"
	wait "$watcher" || fail "the trigger: $(cat told)"
	grep -q '^label "begun", ' said || fail "the trigger matched: $(cat said)"
	intervals >got
	grep -q '^0 begun' got || fail "not in the dump: begun"
	;;
languages)
	for standard in "cc -std=c99" "cc -std=c17" "c++ -std=c++11" "c++ -std=c++20"; do
		compiler=${standard%% *}
		command -v "$compiler" >/dev/null 2>&1 || skip "no $compiler"
		cat >header.c <<-'END'
		#include "swtrace.h"
		void f(int n);
		void f(int n) { SWTRACE_SCOPE("f"); SWTRACE_SCOPE("with n", SWT_I64("n", n)); }
		END
		# shellcheck disable=SC2086
		$standard -x"$([ "$compiler" = cc ] && echo c || echo c++)" -I"$INCLUDE" -O2 -Wall -Wextra \
			-Wpedantic -Wshadow -Werror -c header.c -o header.o >out 2>err || fail "$standard"
	done
	# Nothing may jump past a scope into its block.
	cat >past.cpp <<-'END'
	#include "swtrace.h"
	int g(int n) { switch (n) { case 1: n++; SWTRACE_SCOPE("g"); break; case 2: n--; } return n; }
	END
	! c++ -std=c++11 -I"$INCLUDE" -c past.cpp -o past.o >out 2>err || fail "a jump past a scope compiles"
	grep -q 'case label' err || fail "a jump past a scope: $(cat err)"
	# shellcheck disable=SC2086
	$CXX -std=c++11 -I"$INCLUDE" -O2 -Wall -Wextra -Wpedantic -Wshadow -Werror "$here/cases.cpp" \
		-o cases_cpp "$LIBRARY" -Wl,-rpath,"$(dirname "$LIBRARY")" >out 2>err || fail "C++11"
	in_session ./cases_cpp
	expect <<-'END'
	0 main
	1 thrown through {"s": "text"}
	1 caught
	1 temporary {"s": "a text that is no longer there"}
	2 begun {"s": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"}
	1 lambda
	1 template {"v": 1}
	1 template {"v": 2}
	END
	;;
*)
	echo "scope.sh: no case $case" >&2
	exit 2
	;;
esac
