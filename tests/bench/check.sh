#!/bin/sh
# Whether a benchmark runs and says something about every row; not what it says.
#
# usage: check.sh writer|continuous|counters|decoder
# Environment: BUILD: the build folder.
set -u
: "${BUILD:?}"
here=$(cd "$(dirname "$0")" && pwd) || exit 1
kind=$1
passed=0 failed=0 skipped=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
json=$work/out.json

check() { # NAME COMMAND...
	name=$1; shift
	if "$@" >"$work/log" 2>&1; then
		passed=$((passed + 1)); echo "ok: $name"
	else
		failed=$((failed + 1)); echo "FAILED: $name"; sed 's/^/  /' "$work/log"
	fi
}
bench() { sh "$here/run.sh" "$@"; }
exits() { # STATUS ARGUMENTS...: and says why in one line
	status=$1; shift
	bench "$@" 2>"$work/stderr" >/dev/null
	if [ $? -eq "$status" ] && [ "$(wc -l <"$work/stderr")" -eq 1 ]; then return 0; fi
	cat "$work/stderr"
	return 1
}

check "--quick --json -o FILE" bench "$kind" --quick --json --build "$BUILD" -o "$json"

# What may be missing on some machine, or without --peers.
excuses="--peers was not given|there is one processor only|no thread has restartable sequences"
excuses="$excuses|the drain could not follow|.* is in memory"
excuses="$excuses|it reads in user mode here|the kernel does not let a thread read these counters"
excuses="$excuses|counters of processors need root|instructions and cycles of a thread cannot"
excuses="$excuses|only root may read it|the kernel tells no idle time|perf_event_open of software events"
excuses="$excuses|this cpidecode has no -j"
every_row() {
	awk -F '	' '!/^#/ && ($1 == "figure" || $1 == "ratio" || $1 == "work") { print $2 }' "$here/$kind.rows" \
		>"$work/ids"
	[ -s "$work/ids" ] || { echo "$kind.rows has no rows"; return 1; }
	bad=0
	while read -r id; do
		number="\"median\": -*[0-9][0-9.e+-]*, \"min\": -*[0-9].*, \"max\": -*[0-9].*, \"samples\": [1-9]"
		grep -F "\"id\": \"$id\"," "$json" >"$work/row"
		if [ "$(wc -l <"$work/row")" -ne 1 ] || ! grep -q '"unit": "[^"]' "$work/row" ||
			! grep -Eq "$number|\"median\": null, \"reason\": \"($excuses)" "$work/row"; then
			bad=1
			echo "$id: $(cat "$work/row")"
		fi
	done <"$work/ids"
	rows=$(grep -c '"id": ' "$json")
	[ "$rows" -eq "$(wc -l <"$work/ids")" ] || { echo "$rows rows in all"; bad=1; }
	return $bad
}
check "every row has a number or a reason" every_row

goals_have_verdicts() {
	expected=$(awk -F '	' '($1 == "figure" && $6 != "") || ($1 == "ratio" && $7 != "")' \
		"$here/$kind.rows" | wc -l)
	there=$(grep -cE '"goal": "[<>]=? [0-9.]+", "verdict": "(meets|misses|n/a)"' "$json")
	echo "$there of $expected"
	[ "$there" -gt 0 ] && [ "$there" -eq "$expected" ]
}
check "every goal has its verdict" goals_have_verdicts
checks_held() {
	grep -q '"outcome": "ok"' "$json" && ! grep -q '"outcome": "failed"' "$json"
}
check "the trace holds what was timed" checks_held

if command -v jq >/dev/null; then
	check "it is JSON" jq -e '.rows | length > 0' "$json"
else
	skipped=$((skipped + 1)); echo "skipped: whether it is JSON: there is no jq"
fi

table() {
	bench "$kind" --quick --build "$BUILD" >"$work/table" || return 1
	grep -q meets "$work/table" && grep -q '^ok: ' "$work/table"
}
[ "$kind" = continuous ] || check "a table without --json" table
check "--help is fine" bench --help
check "no benchmark named: 2" exits 2 --quick
check "an unknown option: 2" exits 2 "$kind" --fast
check "an option without its value: 2" exits 2 "$kind" --build
check "peers of continuous mode: 2" exits 2 continuous --peers
nothing_built() { bench "$kind" --build "$work/nothing" >/dev/null 2>&1; [ $? -eq 1 ]; }
check "nothing built there: 1" nothing_built

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
