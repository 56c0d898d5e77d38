#!/bin/sh
# From a fresh Debian machine to a flame graph of a real workload:
#
#	sh samples/quickstart.sh
#
# Installs missing packages (as root, or with sudo), builds, runs compress_bench under swtrace,
# decodes the trace and prints the summary. The results are in build/quickstart/.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=tests/lib/deps.sh
. tests/lib/deps.sh

case ${1-} in
'') ;;
-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "samples/quickstart.sh"; exit 0 ;;
*) echo "quickstart: unknown argument $1 (there is only --help)" >&2; exit 2 ;;
esac

log='' new=''
finish() {
	status=$?
	if [ "$status" -ne 0 ] && [ -n "$log" ] && [ -s "$log" ]; then
		echo "quickstart: failed; the end of $log:" >&2
		tail -n 25 "$log" >&2
	fi
	if [ -n "$new" ]; then rm -rf "$new"; fi
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# shellcheck disable=SC2086
need_packages $BUILD_PACKAGES

build=$PWD/build
out=$build/quickstart
mkdir -p "$out"
log=$out/build.log
echo "building in $build"
tests=''
# Skip the tests, which need more packages; an existing build folder keeps its setting.
if [ ! -f "$build/CMakeCache.txt" ]; then tests=-DSWTRACE_TESTS=OFF; fi
# shellcheck disable=SC2086
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release $tests >"$log" 2>&1
cmake --build "$build" --parallel "$(nproc)" >>"$log" 2>&1
log=''

# Move all four files at once: a failed run leaves an earlier run's files alone.
new=$(mktemp -d "$out/new.XXXXXX")
echo "tracing compress_bench: zlib and LZ4 over this build's own sources and libraries"
(cd "$new" && "$build/swtrace" run -s 8 -o trace.bin -- "$build/samples/compress_bench" -r 10)
echo
decode() { "$build/cpidecode" "$@" "$new/trace.bin"; }
decode --report summary -o "$new/summary.txt"
decode --report intervals --format csv -o "$new/intervals.csv"
decode --format svg -o "$new/flame.svg"
cat "$new/summary.txt"
echo
mv "$new/trace.bin" "$new/summary.txt" "$new/intervals.csv" "$new/flame.svg" "$out/"

# One line on what this machine cannot measure, and why.
if ! verdict=$("$build/swtrace" doctor 2>&1); then
	printf '%s\n' "$verdict" | tail -n 1
	echo
fi
echo "In $out:"
echo "  trace.bin      the trace; cpidecode reads it on any machine"
echo "  summary.txt    the summary above"
echo "  intervals.csv  a line for every interval"
echo "  flame.svg      open it in a browser"
