#!/bin/sh
# Whether a benchmark runs and says something about every row; not what it says.
#
# usage: check.sh writer|interval|continuous|dump|top|rings|counters|decoder|redis|diff
# Environment: BUILD: the build folder.
set -u
: "${BUILD:?}"
here=$(cd "$(dirname "$0")" && pwd) || exit 1
kind=$1
. "$here/../lib/tally.sh"
. "$here/../lib/deps.sh"
json=$work/out.json

bench() { sh "$here/run.sh" "$@"; }

# Accepted reasons for a missing figure, on some machines or without --peers.
excuses="--peers was not given|there is one processor only|no thread has restartable sequences"
excuses="$excuses|the drain could not follow|.* is in memory"
excuses="$excuses|it reads in user mode here|the kernel does not let a thread read these counters"
excuses="$excuses|counters of processors need root|instructions and cycles of a thread cannot"
excuses="$excuses|only root may read it|the kernel tells no idle time|perf_event_open of software events"
excuses="$excuses|this cpidecode has no -j|--quick has no rings of that size"
excuses="$excuses|the kernel tells no processor time of processes"
excuses="$excuses|a writer and two processors for the drain need three"
excuses="$excuses|only .* MiB are free in /dev/shm|no ring was full by then"
# Excuses of a peer that is there.
excuses="$excuses|LIKWID: |PAPI: |LTTng needs a mount namespace"
excuses="$excuses|packages are missing|no source of redis|the patch does not fit this version of redis"
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

goals_have_verdicts() {
	expected=$(awk -F '	' '($1 == "figure" && $6 != "") || ($1 == "ratio" && $7 != "")' \
		"$here/$kind.rows" | wc -l)
	there=$(grep -cE '"goal": "[<>]=? [0-9.]+", "verdict": "(meets|misses|n/a)"' "$json")
	echo "$there of $expected"
	[ "$there" -gt 0 ] && [ "$there" -eq "$expected" ]
}
checks_held() {
	grep -q '"outcome": "ok"' "$json" && ! grep -q '"outcome": "failed"' "$json"
}

is_table() { grep -Eq 'meets|misses' "$1" && grep -q '^ok: ' "$1"; }
plain() {
	bench "$kind" --quick --build "$BUILD" >"$work/plain" && is_table "$work/plain"
}
# Both forms of one measurement.
check_json() { # OPTION...
	check "--quick --json --table FILE -o FILE${*:+ $*}" bench "$kind" --quick --json \
		--table "$work/table" --build "$BUILD" -o "$json" "$@"
	check "every row has a number or a reason" every_row
	check "every goal has its verdict" goals_have_verdicts
	check "the trace holds what was timed" checks_held
	check "the table has verdicts and checks" is_table "$work/table"
}

# No test installs peers. Given --peers, no row may say that it was not given.
peers_of() {
	case $kind in
	writer | continuous | dump) echo lttng-tools liblttng-ust-dev babeltrace2 ;;
	interval) echo lttng-tools liblttng-ust-dev babeltrace2 libpapi-dev likwid ;;
	counters) echo libpapi-dev ;;
	esac
}
peers_asked_for() { ! grep -F -e "--peers was not given" "$json"; }
# One measurement, beside the peers where they are there.
check_rows() {
	packages=$(peers_of)
	# shellcheck disable=SC2086
	if [ -n "$packages" ] && have_packages $packages; then
		check_json --peers
		check "every peer was asked for" peers_asked_for
	else
		[ -z "$packages" ] || count_skip "peers of $kind" "packages are missing:$missing"
		check_json
	fi
	if command -v jq >/dev/null; then
		check "it is JSON" jq -e '.rows | length > 0' "$json"
	else
		count_skip "whether it is JSON" "there is no jq"
	fi
	# The report is the same for all kinds: one without options, and so without peers, is enough.
	[ "$kind" != writer ] || check "a table on standard output" plain
}

# diff has tables instead of rows with goals. Of simulated sides each model of diff_sim.c has its
# rows, 3, 5 and 10 runs a side; of real ones each metric has the pairs that were judged.
every_model() {
	models=$(sed -n 's/^\t{\.name = "\([^"]*\)".*/\1/p' "$here/diff_sim.c")
	[ -n "$models" ] || { echo "diff_sim.c has no models"; return 1; }
	sed -n '/^# false alarms/,/^# power/p' "$work/table" >"$work/false"
	for model in $models; do
		rows=$(grep -cE "^$model +(3|5|10) +200( +[0-9]+\.[0-9]+){16}\$" "$work/false")
		[ "$rows" -eq 3 ] || { echo "$model: $rows rows of false alarms"; return 1; }
	done
}
every_metric() {
	sed -n '/^# real runs/,$p' "$work/table" >"$work/real"
	for metric in mean_ns p50_ns p90_ns p99_ns; do
		grep -qE "^$metric +[0-3] +3\$" "$work/real" || { cat "$work/real"; return 1; }
	done
}
check_tables() {
	check "--quick -o FILE" bench diff --quick --build "$BUILD" -o "$work/table"
	check "every model has its rows" every_model
	check "every metric of real runs is judged" every_metric
	check "tables are no JSON: 2" fails_with 2 bench diff --json
	check "diff has no peers: 2" fails_with 2 bench diff --peers
}

if [ "$kind" = diff ]; then
	check_tables
else
	check_rows
fi
check "--help is fine" bench --help
check "no benchmark named: 2" fails_with 2 bench --quick
check "an unknown option: 2" fails_with 2 bench "$kind" --fast
check "an option without its value: 2" fails_with 2 bench "$kind" --build
check "peers of redis: 2" fails_with 2 bench redis --peers
check "a table beside a table: 2" fails_with 2 bench "$kind" --table "$work/no"
check "runs of intervals: 2" fails_with 2 bench interval --runs 3
check "no runs: 2" fails_with 2 bench redis --runs 0
nothing_built() { bench "$kind" --build "$work/nothing" >/dev/null 2>&1; [ $? -eq 1 ]; }
check "nothing built there: 1" nothing_built

tally
