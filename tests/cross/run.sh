#!/bin/sh
# Builds everything for AArch64 but tests that never run there (tests/CMakeLists.txt) and, where
# user-mode emulation is to be had, runs what can: it offers no restartable sequences, so the rings are
# guest rings.
# Environment: SWTRACE_TEST_ARM64: a folder that keeps what was downloaded and built.
# Exit status: 0 passed, 1 failed, 77 skipped, with the reason as the last line.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/deps.sh
. tests/lib/arm64.sh

unit="^(decoder_[a-z_]*|libtrace_(cpi|util)|perflib_(query|sets|sets_rings)|dump|ring_hooks|swtrace_cmd/check_counters)\$"
# Many rounds of code that does nothing different on another processor.
long="^decoder_(arrivals|builder|compare|damage|flame|flame_memory|flame_parts|hostile|lazy|partial|pass|stream)\$"

if [ "$(uname -m)" = aarch64 ]; then
	echo "this machine is AArch64: the other builds were"
	exit 77
fi
need_packages $arm64_packages qemu-user-static || {
	echo "the cross compiler cannot be installed"
	exit 77
}
arm64_begin cross
trap 'arm64_done' EXIT
trap 'exit 1' INT TERM HUP
arm64_build || exit
d=$arm64_dir
lib=$arm64_lib
echo "AArch64: everything builds"

# The unit tests under the emulator (ctest uses it by itself).
export SWTRACE_TEST_EMULATED=1
(cd "$d/build" && ctest -j "$(nproc)" -R "$unit" -E "$long" --output-on-failure --timeout 1200) >"$d/log" 2>&1
status=$?
grep -E '^ *[0-9]+/[0-9]+ Test' "$d/log"
grep -hE '^skipped[: ]' "$d/build/Testing/Temporary/LastTest.log"
if [ "$status" -ne 0 ]; then
	tail -n 60 "$d/log"
	exit 1
fi

# It would begin anew in a session of its own; the emulator does not execute itself.
scratch=$(mktemp -d /dev/shm/swtrace-cross.XXXXXX) || exit 1
trap 'rm -rf "$scratch"; arm64_done' EXIT
if ! (cd "$d/build" && SWTRACE_SESSION=$scratch/session PERFLIB_REPLAY_SCRATCH=$scratch \
	ctest -R '^perflib_replay$' --output-on-failure --timeout 1200) >"$d/log" 2>&1; then
	tail -n 60 "$d/log"
	exit 1
fi
grep -E '^ *[0-9]+/[0-9]+ Test' "$d/log"
grep -hE '^skipped[: ]' "$d/build/Testing/Temporary/LastTest.log"

# And a trace written and dumped there, decoded here.
emulate="qemu-aarch64-static -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=$d/build:$lib:$d/sysroot/lib/aarch64-linux-gnu"
SWTRACE_SESSION=$scratch/session
export SWTRACE_SESSION
rm -rf "$SWTRACE_SESSION"
writers=$d/build/tests/e2e/e2e_writers
if $emulate "$d/build/swtrace" init -s 4 && $emulate "$d/build/swtrace" on &&
	$emulate "$writers" 1 2 2000 && $emulate "$d/build/swtrace" off &&
	$emulate "$d/build/swtrace" dump "$d/t.bin" &&
	$emulate "$d/build/cpidecode" --report hooks --format json "$d/t.bin" >"$d/hooks" &&
	[ "$($emulate "$d/build/tests/e2e/e2e_verify" all 1 2 2000 <"$d/hooks")" = 4000 ]; then
	echo "AArch64: traced, dumped and decoded under emulation (guest rings)"
else
	echo "AArch64: the emulated trace went wrong"
	exit 1
fi
