#!/bin/sh
# Searches with libFuzzer, under AddressSanitizer and UBSan.
#
# usage: sh tests/fuzz/run.sh [--time SECONDS] [--runs N] [--jobs N] [--build FOLDER] [--keep] [TARGET...]
#	--time	for each target; 60 if not given
#	--runs	instead: all inputs that are kept, whole, and N more, which are always the same
#	--jobs	so many at once; all processors if not given
#	--build	where they are built (build-fuzz); holds the corpora and the tally too
#	--keep	in the end packs the fewest inputs that reach all that was reached into
#		tests/fuzz/corpus, where every later run begins
#
# Every run adds a line to FOLDER/tally: when, target, executions, seconds, ended how. An input
# that failed is kept in FOLDER/failed; minimise it, fix the fault and give the input a name in
# tests/fuzz/regressions.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
time=60 runs='' jobs=$(nproc) build=$top/build-fuzz keep=0 targets=
while [ $# -gt 0 ]; do
	case $1 in
	--time | --runs | --jobs | --build)
		[ $# -gt 1 ] || { echo "run.sh: $1 needs a value" >&2; exit 2; }
		eval "${1#--}=\$2"
		shift
		;;
	--keep) keep=1 ;;
	-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
	-*) echo "run.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
	*) targets="$targets $1" ;;
	esac
	shift
done
case $time$runs$jobs in *[!0-9]*) echo "run.sh: --time, --runs and --jobs are numbers" >&2; exit 2 ;; esac

# search TARGET: prints one target's result.
search() {
	target=$1
	corpus=$build/corpus/$target
	log=$build/log/$target
	# Folders of inputs: earlier findings, earlier failures, the seeds.
	set -- "$corpus" "$build/seeds/$target" "$build/kept/$target"
	[ ! -d "$here/regressions/$target" ] || set -- "$@" "$here/regressions/$target"
	least=1
	if [ -n "$runs" ]; then
		least=$(($(find "$@" -type f 2>/dev/null | wc -l) + runs))
		set -- -seed=1 "-runs=$least" "$@"
	else
		# A quick target gains nothing by long inputs, and the sanitizers' own memory counts.
		set -- "-max_total_time=$time" -max_len=4096 "$@"
	fi
	[ ! -f "$here/$target.dict" ] || set -- "-dict=$here/$target.dict" "$@"
	mkdir -p "$corpus" "$build/kept/$target" "$build/failed" "$build/log"
	start=$(date +%s)
	# Freed memory is quarantined for a while, but not for as long as would cost page faults.
	export ASAN_OPTIONS="quarantine_size_mb=8:malloc_context_size=8${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
	"$build/fuzz_$target" -timeout=20 -rss_limit_mb=2048 \
		-malloc_limit_mb=512 -print_final_stats=1 -artifact_prefix="$build/failed/$target-" \
		"$@" >"$log" 2>&1
	status=$?
	seconds=$(($(date +%s) - start))
	done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
	how=ok
	[ "${done:-0}" -ge $least ] || how="FAILED($least executions wanted)"
	[ $status -eq 0 ] || how="FAILED($status)"
	echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $target ${done:-0} $seconds $how" >>"$build/tally"
	echo "$target: ${done:-no} executions in $seconds s: $how"
	[ $status -eq 0 ] && [ "${done:-0}" -ge $least ] && return
	grep -aE 'SUMMARY|ERROR|broken:|runtime error|Test unit' "$log" | cut -c1-300
	return 1
}

# The same bytes for the same inputs on every machine: pack TARGET.
pack() {
	rm -rf "$build/packed"
	mkdir -p "$build/packed/$1"
	"$build/fuzz_$1" -set_cover_merge=1 -use_counters=0 -max_len=2048 "$build/packed/$1" \
		"$build/corpus/$1" "$build/kept/$1" "$build/seeds/$1" >"$build/log/$1.pack" 2>&1 ||
		{ tail -n 5 "$build/log/$1.pack"; return 1; }
	tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$build/packed" -cf - \
		"$1" | gzip -9n >"$here/corpus/$1.tar.gz"
	echo "kept $1: $(find "$build/packed/$1" -type f | wc -l) inputs"
}

if [ "${FUZZ_SEARCH-}" ]; then
	search "$FUZZ_SEARCH"
	exit
fi

[ -f "$build/CMakeCache.txt" ] ||
	cmake -S "$top" -B "$build" -DSWTRACE_FUZZ=ON -DCMAKE_C_COMPILER=clang \
		-DCMAKE_BUILD_TYPE=RelWithDebInfo >"$build.log" 2>&1 ||
	{ cat "$build.log"; exit 1; }
rm -f "$build.log"
cmake --build "$build" -j "$jobs" --target fuzz_targets mktrace >"$build/log.build" 2>&1 ||
	{ tail -n 30 "$build/log.build"; exit 1; }
rm -rf "$build/seeds"
MKTRACE=$build/mktrace sh "$here/seeds.sh" "$build/seeds" || exit 1
rm -rf "$build/kept"
sh "$here/unpack.sh" "$build/kept" || exit 1
if [ -z "$targets" ]; then
	for target in "$here"/fuzz_*.c; do
		target=${target##*/fuzz_}
		targets="$targets ${target%.c}"
	done
fi
# shellcheck disable=SC2086
printf '%s\n' $targets | xargs -P "$jobs" -I '{}' env FUZZ_SEARCH='{}' \
	sh "$here/run.sh" --time "$time" ${runs:+--runs "$runs"} --build "$build"
status=$?
if [ $keep -eq 1 ] && [ $status -eq 0 ]; then
	mkdir -p "$here/corpus"
	for target in $targets; do
		pack "$target" || status=1
	done
fi
awk '{ n[$2] += $3; all += $3 } END {
	for (target in n)
		printf "%-12s %15d\n", target, n[target] | "sort"
	close("sort")
	printf "%-12s %15d executions so far\n", "all", all
}' "$build/tally"
[ $status -eq 0 ]
