#!/bin/sh
# Builds the project in every way that matters and runs its tests. On a fresh Debian machine
# it installs what it needs first.
#
# usage: sh tests/run.sh [--quick] [--no-emulation] [--browser[=firefox]] [--keep]
#	--quick	one build (gcc, Release) and its tests, nothing for AArch64
#	--no-emulation	without the emulated machine (tests/emulation), which takes QEMU
#	--browser	opens all pages, tiles and servers in a browser: installs chromium (some 600 MB) if there
#		is none, and fails if that cannot be done. Without it some pages are opened, by a Chromium that is
#		there or, not with --quick, Debian's headless one (some 470 MB). firefox: pages in Firefox
#	--keep	keeps the build folders (build-test-*) for a faster next time
# SWTRACE_TEST_HOTPLUG=1 lets a test take a CPU away, a few times for 20 ms (as root): what is
# bound to that CPU loses its binding.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib/deps.sh

quick=0 keep=0 emulation=1 browser=''
for argument in "$@"; do
	case $argument in
	--quick) quick=1 ;;
	--keep) keep=1 ;;
	--no-emulation) emulation=0 ;;
	--browser) browser=chromium ;;
	--browser=firefox) browser=firefox ;;
	-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
	*) echo "tests/run.sh: unknown option $argument (see --help)" >&2; exit 2 ;;
	esac
done

passed=0 failed=0 skipped=0 only='' ahead=''
jobs=$(nproc)
top=$PWD
failures=$top/build-test-failures
spent=$top/build-test-spent
export CTEST_OUTPUT_ON_FAILURE=1
# Builds run beside the tests: Check's limits, of 4 to 300 s, are five times as long, which is less
# than ctest's.
export CK_TIMEOUT_MULTIPLIER=5
# No session of this user is touched, and none is left behind.
SWTRACE_SESSION=/dev/shm/swtrace-tests.$$
export SWTRACE_SESSION
finish() {
	if [ -n "$ahead" ] && kill "$ahead" 2>/dev/null; then
		wait "$ahead"
	fi
	rm -rf "$SWTRACE_SESSION"
	[ "$keep" -eq 1 ] || rm -rf "$top"/build-test-*
	rm -f "$top"/build-test-*.status "$failures" "$spent".*
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

began=$(date +%s)
say() { printf '== %s (after %d s)\n' "$*" $(($(date +%s) - began)); }

# spend SHELL PHASE: notes the processor time of this shell's children: in a subshell of its own (sub), all
# of it was the phase's; of those that go on beside the tests (ahead), what was added since the last phase.
spend() {
	echo "$2" >>"$spent.$1"
	times >>"$spent.$1"
}
# In the user's mode and in the kernel, in seconds.
print_spent() {
	set -- "$spent".*
	[ -e "$1" ] || return 0
	echo "processor time (user + system):"
	awk '
	function seconds(text) { split(text, part, /[ms]/); return 60 * part[1] + part[2] }
	FNR == 1 || FILENAME ~ /sub$/ && FNR % 3 == 1 { last_user = last_kernel = 0 }
	FNR % 3 == 1 { phase = $0 }
	FNR % 3 == 0 {
		if (!(phase in user)) order[++phases] = phase
		user[phase] += seconds($1) - last_user
		kernel[phase] += seconds($2) - last_kernel
		last_user = seconds($1)
		last_kernel = seconds($2)
	}
	END {
		for (i = 1; i <= phases; i++)
			printf "  %-12s %4.0f + %3.0f s\n", order[i], user[order[i]], kernel[order[i]]
	}' "$@"
}

# make_build NAME CMAKE-OPTIONS...: configures and builds, the targets in $only or all; what is
# said stays in build-test-NAME.log.
make_build() {
	name=$1; shift
	cmake -S . -B "build-test-$name" -DSWTRACE_WERROR=ON "$@" >"build-test-$name.log" 2>&1 &&
		$how cmake --build "build-test-$name" -j "$jobs" ${only:+--target $only} \
			>>"build-test-$name.log" 2>&1
}
# with_lines NAME CMAKE-OPTIONS...: the same, and what a sanitizer says has its lines: of what a debugger
# would know, that is all. -O2 takes a quarter longer to compile and gains the tests nothing; a file for each
# of the decoder's rooms takes a sixth to a third less than its files. What runs but briefly is not optimised.
with_lines() {
	make_build "$@" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_UNITY_BUILD=ON \
		"-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" \
		"-DSWTRACE_TEST_UNOPTIMISED=swtrace_cmd;perflib_own;cpc_own"
	echo $? >"build-test-$1.status"
}
how=

# built NAME STATUS: counts a build as a test.
built() {
	rm -f "build-test-$1.status"
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
		rm -f "build-test-$1.log"
	else
		failed=$((failed + 1))
		grep -nE 'error|warning|Error' "build-test-$1.log" | head -n 40
		tail -n 20 "build-test-$1.log"
		rm -f "build-test-$1.log"
		return 1
	fi
}

# Beside the tests go on, one after the other, the sanitized builds and what is for AArch64: tests
# often wait, and what goes on beside them gives way. timeout makes a process group, so that all can
# be ended.
give_way() {
	nice -n 5 timeout 7200 "$@" &
	child=$!
	wait "$child"
}
build_ahead() {
	how=give_way
	# clang's sanitizers see what gcc's do not (nothing added to a null pointer). What the fuzzers
	# need besides costs the other tests less than a build of its own. Without relocations a command
	# starts in three quarters of the time, and the tests start some twenty thousand.
	with_lines asan -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
		-DSWTRACE_SANITIZE=address -DSWTRACE_FUZZ=ON "-DCMAKE_EXE_LINKER_FLAGS=$linker -no-pie"
	spend ahead "build: asan"
	# It sees neither the stores of the restartable sequences nor a page that is mapped
	# over a variable, and takes what they order for races: no hooks from several threads.
	only='dump_test ring_layout ring_hooks ring_sections test_libtrace_cpi'
	only="$only test_libcpc_static test_libcpc_machines test_libtrace_util test_perflib_shared"
	# The decoder's tests that have threads.
	for part in pass stream intervals library; do
		only="$only test_decoder_$part"
	done
	for part in location control members schemas tasks; do
		only="$only session_$part"
	done
	with_lines tsan -G "Unix Makefiles" -DSWTRACE_SANITIZE=thread "-DCMAKE_EXE_LINKER_FLAGS=$linker"
	spend ahead "build: tsan"
}
# aside NAME COMMAND...: its output and status in build-test-NAME.log and .status.
aside() {
	what=$1; shift
	give_way "$@" >"build-test-$what.log" 2>&1
	echo $? >"build-test-$what.status"
}
# One cross build is for both; the emulated machine takes minutes of processor time.
aarch64() {
	aside cross sh tests/cross/run.sh
	spend ahead "AArch64"
	if [ "$emulation" -eq 1 ]; then
		aside emulation sh tests/emulation/run.sh
		spend ahead emulation
	fi
}
go_ahead() {
	child=
	trap '[ -z "$child" ] || kill -- "-$child"; exit 1' TERM
	build_ahead
	aarch64
}
# await NAME: one that was begun ahead.
await() {
	say "build: $1"
	while [ ! -s "build-test-$1.status" ]; do
		kill -0 "$ahead" 2>/dev/null || [ -s "build-test-$1.status" ] ||
			echo 1 >"build-test-$1.status"
		sleep 0.2
	done
	built "$1" "$(cat "build-test-$1.status")"
}

# failure SUITE: notes what its failed tests printed, which follows their lines: of each the first 30
# lines, so that one does not push the others out of sight.
failure() {
	say "failed: $1" >>"$failures"
	awk '/^ *[0-9]+\/[0-9]+ Test |^ +Start +[0-9]+:/ {
			shown = /\*\*\*(Failed|Timeout|Exception|Not Run)/ ? 30 : 0
		}
		/^The following tests FAILED/ { shown = 30 }
		!/^ok: / && shown-- > 0 { print }' "build-test-$1/tests.log" >>"$failures"
}

# suite NAME PHASE CTEST-OPTIONS...: runs a build's tests, adds up what they count.
suite() {
	name=$1 phase=$2; shift 2
	say "tests: $name"
	# The emulated machine has its own turn. One test more than processors: many wait, as for the
	# kernel's barriers, for most of their time.
	(
		cd "build-test-$name" && ctest --timeout 1800 -j $((jobs + 1)) -LE '^emulation$' "$@"
		status=$?
		spend sub "$phase"
		exit $status
	) >"build-test-$name/tests.log" 2>&1
	# 8: tests failed, which are counted below. Anything else is ctest's own failure.
	status=$?
	# Each line "N passed, N failed, N skipped" of a test, and Check's own; ctest has the rest.
	grep -E 'Passed|Failed|Skipped|Timeout|Exception' "build-test-$name/tests.log" |
		grep -E '^ *[0-9]+/[0-9]+ Test' | sed 's/^/  /'
	p=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*Passed' "build-test-$name/tests.log")
	s=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped' "build-test-$name/tests.log")
	f=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*(Failed|Timeout|Exception|Not Run)' "build-test-$name/tests.log")
	# Parts that tests skipped, and why.
	left_out=$(grep -hE '^skipped[: ]' "build-test-$name/Testing/Temporary/LastTest.log")
	if [ -n "$left_out" ]; then
		printf '%s\n' "$left_out" | sed 's/^/  /'
		s=$((s + $(printf '%s\n' "$left_out" | wc -l)))
	fi
	passed=$((passed + p)) skipped=$((skipped + s)) failed=$((failed + f))
	[ "$status" -ne 8 ] || [ "$f" -eq 0 ] || status=0
	if [ "$f" -ne 0 ] || [ $((p + s)) -eq 0 ] || [ "$status" -ne 0 ]; then
		[ "$f" -ne 0 ] || failed=$((failed + 1))
		failure "$name"
	fi
}

# Runs every fuzz target with all inputs that are kept and some more. Always the same ones: what a new one
# finds is for who looks for it.
fuzz() {
	say "fuzzers, a few seconds each"
	(
		sh tests/fuzz/run.sh --runs 300 --build "$top/build-test-asan"
		status=$?
		spend sub fuzzers
		exit $status
	) >build-test-fuzzed.log 2>&1
	status=$?
	ended=$(grep -c ' executions in .*: ok$' build-test-fuzzed.log)
	passed=$((passed + ended))
	set -- tests/fuzz/fuzz_*.c
	if [ "$status" -ne 0 ] || [ "$ended" -ne $# ]; then
		failed=$((failed + 1))
		cat build-test-fuzzed.log
		find build-test-asan/failed -type f -exec base64 {} + 2>/dev/null | head -n 100
	else
		sed 's/^/  /' build-test-fuzzed.log
	fi
	rm -f build-test-fuzzed.log
}

count_skip() { # WHAT WHY
	skipped=$((skipped + 1))
	echo "skipped: $1: $2"
}

# shellcheck disable=SC2086
need_packages $TEST_PACKAGES || exit 1
# Sanitized programs are many and large: it links them in a fraction of the time.
linker=''
! need_packages lld || linker=-fuse-ld=lld
# Builds take a sixth less time with it; the smallest is made with make nevertheless.
if need_packages ninja-build; then
	CMAKE_GENERATOR=Ninja
	export CMAKE_GENERATOR
fi
# The test of the layout needs its version 14 (75 kB); others skip it.
need_packages clang-format || true
# Without a browser its tests are skipped and say why, and so are those of exports without the formats' readers.
# The headless browser and the readers are installed beside the first build.
headless=''
case $browser in
chromium) need_packages chromium && SWTRACE_TEST_BROWSER=1 || exit 1 ;;
firefox) need_packages firefox-esr && SWTRACE_TEST_BROWSER=firefox || exit 1 ;;
*)
	if [ "$quick" -eq 0 ] && ! have_packages chromium; then
		headless=chromium-headless-shell
	fi
	;;
esac
# shellcheck disable=SC2086
{
	need_packages $READER_PACKAGES
	[ -z "$headless" ] || need_packages "$headless"
} &
installing=$!
export SWTRACE_TEST_BROWSER

SWTRACE_TEST_ARM64=$top/build-test-arm64
CPIDECODE=$top/build-test-gcc/cpidecode
export SWTRACE_TEST_ARM64 CPIDECODE

rm -f build-test-*.status "$failures" "$spent".*
say "build: gcc"
(make_build gcc; status=$?; spend sub "build: gcc"; exit $status)
status=$?
wait "$installing" || true
if built gcc $status; then
	# First those that want idle processors.
	alone='^(ring_hotplug|swtrace_cmd/ai_measures.*)$'
	suite gcc "tests: gcc" -R "$alone"
	if [ "$quick" -eq 0 ]; then
		go_ahead &
		ahead=$!
	fi
	# One at a time, with real-time priority while they measure: the rest of the time is for builds.
	# No figure is judged.
	suite gcc benchmarks -R '^bench_'
	suite gcc "tests: gcc" -E "$alone|^bench_"
fi
if [ "$quick" -eq 0 ]; then
	if [ -z "$ahead" ]; then
		go_ahead &
		ahead=$!
	fi
	# The leak check takes no setuid program, none without /proc and none under strace. Single
	# steps take minutes, and see no more than without it; nor do writers that are stopped, killed,
	# moved or aborted in their sequences, thousands of processes that only come and go, all of this at
	# random, the samples, the benchmarks and the commands that only wait for what others have tested,
	# dumps and drains of guest rings, which are read as the CPUs' are, and what looks at sources alone.
	# A quarantine of 16 MB outlasts most tests and costs few page faults.
	if await asan; then
		fuzz
		without='install|format|model_.*|litmus|structure|browser/lint|faults|access|ring_(storm_hour|kill|stop|abort|signal|migrate|hotplug|drain_guest|keep_guest|hostile_(dump|drain)_guest).*|session_stress_tasks|samples|event_pfm|bench_.*|swtrace_(continuous|record)|swtrace_cmd/ai_measures.*'
		# Leaks take longer to look for than most commands to run. Scripts run thousands of brief ones, whose
		# functions the other tests call; they look for none but where a command goes on.
		brief='badinput|exports/.*|browser/.*|swtrace_.*|decoder_cmd/([^s]|s[^e]).*|stat/.*'
		options=abort_on_error=0:quarantine_size_mb=16
		ASAN_OPTIONS=detect_leaks=1:$options suite asan "tests: asan" -E "^($without|$brief)\$"
		ASAN_OPTIONS=detect_leaks=0:$options suite asan "tests: asan" -R "^($brief)\$" -E "^($without)\$"
	fi
	await tsan &&
		suite tsan "tests: tsan" -R '^(decoder_(pass|stream|intervals|library)|libtrace_(cpi|util)|libcpc_(static|machines)|perflib_shared|dump|ring_(layout|hooks|sections)|session_(location|control|members|schemas|tasks))$'
	say "waiting for AArch64"
	wait "$ahead"
	ahead=
	# Takes a processor away: not from the tests that the cross build runs.
	[ ! -x build-test-asan/tests/ring/ring_hotplug ] || suite asan "tests: asan" -R '^ring_hotplug$'
	say "AArch64"
	case $(cat build-test-cross.status) in
	0)
		passed=$((passed + 1))
		skipped=$((skipped + $(grep -cE '^skipped[: ]' build-test-cross.log)))
		grep -E '^skipped[: ]|^AArch64' build-test-cross.log | sed 's/^/  /'
		;;
	77) count_skip "AArch64" "$(tail -n 1 build-test-cross.log)" ;;
	*) failed=$((failed + 1)); tail -n 40 build-test-cross.log ;;
	esac
fi
if [ "$quick" -eq 0 ] && [ "$emulation" -eq 1 ]; then
	say "tests: an emulated AArch64 machine"
	status=$(cat build-test-emulation.status)
	counts=$(tail -n 1 build-test-emulation.log | sed -n \
		's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p')
	if [ "$status" = 77 ]; then
		count_skip "the emulated machine" "$(tail -n 1 build-test-emulation.log)"
	elif [ -z "$counts" ]; then
		failed=$((failed + 1))
		tail -n 40 build-test-emulation.log
	else
		read -r p f s <<-EOT
			$counts
		EOT
		passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
		echo "  $p passed, $f failed, $s skipped"
		grep -E '^skipped: ' build-test-emulation.log | sed 's/^/  /'
		[ "$f" -eq 0 ] || grep -vE '^ok: |^skipped: ' build-test-emulation.log
	fi
fi
rm -f build-test-cross.* build-test-emulation.*

# At the end: a log of this length is often cut in its middle.
[ ! -e "$failures" ] || cat "$failures"
print_spent
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
