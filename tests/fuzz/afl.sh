#!/bin/sh
# Searches with AFL++: one process without and one with CMPLOG, which sees through comparisons
# (the checksums of fuzz_container among them).
#
# usage: sh tests/fuzz/afl.sh [--time SECONDS] [--build FOLDER] TARGET
#	--time	600 if not given
#	--build	for FOLDER/plain, FOLDER/cmplog and FOLDER/out (build-afl)
#
# Needs afl++ (Debian: afl++, clang). Persistent mode: one process runs many inputs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
time=600 build=$top/build-afl target=
while [ $# -gt 0 ]; do
	case $1 in
	--time) time=${2:?}; shift ;;
	--build) build=${2:?}; shift ;;
	-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
	-*) echo "afl.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
	*) target=$1 ;;
	esac
	shift
done
[ -f "$here/fuzz_$target.c" ] || { echo "afl.sh: which target? (see --help)" >&2; exit 2; }
for program in afl-clang-fast afl-fuzz; do
	command -v $program >/dev/null || { echo "afl.sh: no $program (Debian: afl++)" >&2; exit 1; }
done

# make KIND: the target and, once, mktrace.
make() {
	cmake -S "$top" -B "$build/$1" -DSWTRACE_FUZZ=ON -DCMAKE_C_COMPILER=afl-clang-fast \
		-DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
	cmake --build "$build/$1" -j "$(nproc)" --target "fuzz_$target" mktrace >/dev/null
}
export AFL_QUIET=1
make plain
AFL_LLVM_CMPLOG=1 make cmplog
rm -rf "$build/seeds"
MKTRACE=$build/plain/mktrace sh "$here/seeds.sh" "$build/seeds"
sh "$here/unpack.sh" "$build/seeds"

out=$build/out/$target
mkdir -p "$out"
# A machine for other work as well: no asking for core patterns and frequency governors.
export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1
export AFL_AUTORESUME=1
export ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=abort_on_error=1:symbolize=0
set -- -i "$build/seeds/$target" -o "$out" -m none -t 20000 -V "$time" -G 4096
[ ! -f "$here/$target.dict" ] || set -- "$@" -x "$here/$target.dict"
afl-fuzz "$@" -M plain -- "$build/plain/fuzz_$target" >"$out/plain.log" 2>&1 &
plain=$!
status=0
afl-fuzz "$@" -S cmplog -c "$build/cmplog/fuzz_$target" -- "$build/plain/fuzz_$target" \
	>"$out/cmplog.log" 2>&1 || status=$?
wait $plain || status=$?
for who in plain cmplog; do
	stats=$out/$who/fuzzer_stats
	[ -f "$stats" ] || { tail -n 20 "$out/$who.log"; exit 1; }
	awk -v who=$who -F ' *: *' '{ v[$1] = $2 } END {
		printf "%s: %s executions, %s crashes, %s hangs, coverage %s\n", who, v["execs_done"],
			v["saved_crashes"], v["saved_hangs"], v["bitmap_cvg"]
		exit v["saved_crashes"] + v["saved_hangs"] > 0
	}' "$stats" || status=1
done
exit $status
