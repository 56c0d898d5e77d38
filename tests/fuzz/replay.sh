#!/bin/sh
# Every seed, every input worth keeping and every one that once failed, through the targets as this build made them:
# replay.sh FOLDER-OF-TARGETS. MKTRACE names the builder of traces.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd) || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/swtrace-fuzz.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0
sh "$here/seeds.sh" "$work/seeds" || exit 1
sh "$here/unpack.sh" "$work/kept" || exit 1
for target in "$here"/fuzz_*.c; do
	target=${target##*/fuzz_}
	target=${target%.c}
	set -- "$work/seeds/$target"
	[ ! -d "$work/kept/$target" ] || set -- "$@" "$work/kept/$target"
	[ ! -d "$here/regressions/$target" ] || set -- "$@" "$here/regressions/$target"
	if "$bin/fuzz_$target" "$@" >"$work/log" 2>&1; then
		passed=$((passed + 1))
		echo "ok $target: $(tail -n 1 "$work/log")"
	else
		failed=$((failed + 1))
		echo "FAILED $target"
		tail -n 30 "$work/log" | cut -c1-500
	fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
