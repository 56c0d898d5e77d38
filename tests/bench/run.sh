#!/bin/sh
# Runs the benchmarks and compares them with their goals. Builds what it needs and leaves only the
# build folder (build-bench) behind.
#
# usage: sh tests/bench/run.sh writer [--peers] [option ...]	what a hook costs its writer
#        sh tests/bench/run.sh interval [--peers] [option ...]	what an interval costs
#        sh tests/bench/run.sh continuous [--peers] [option ...]	continuous mode: loss, cost, drain
#        sh tests/bench/run.sh dump [--peers] [option ...]	what a dump of busy rings brings out
#        sh tests/bench/run.sh top [option ...]			what swtrace top costs
#        sh tests/bench/run.sh rings [option ...]		what sessions of up to 1,024 rings cost
#        sh tests/bench/run.sh counters [--peers] [option ...]	what reading counters costs
#        sh tests/bench/run.sh decoder [--peers] [option ...]	how fast cpidecode is
#        sh tests/bench/run.sh redis [option ...]		what intervals cost redis, a real server
#        sh tests/bench/run.sh diff [option ...]			how often cpidecode's diff errs
#	--peers		writer: LTTng-UST and fwrite too, interval: LTTng-UST, PAPI and LIKWID,
#			continuous and dump: LTTng-UST,
#			counters: PAPI, decoder: babeltrace 1 and 2, uftrace, perf script,
#			flamegraph.pl, alternating with ours (installs them; flamegraph.pl:
#			FLAMEGRAPH_PL names one, else it is downloaded)
#	--json		one JSON document instead of the table
#	--table FILE	with --json: the table of the same measurement too, to FILE
#	-o FILE		writes to FILE
#	--quick		few and short repetitions, to check that it runs
#	--build DIR	uses the build in DIR
#	--dir DIR	continuous: the folder on a real disk (default: TMPDIR, else /var/tmp)
#	--runs N	redis: runs of each server (default: 5, with --quick 2)
# Exits with 0 if everything was measured, whether it meets its goal or not; 1 if something failed
# or the trace lacks what was timed; 2 for wrong usage.
# shellcheck disable=SC2034 # the sourced files use what is set here
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/deps.sh
. "$top/tests/lib/deps.sh"

fail() { echo "bench: $*" >&2; exit 1; }
misuse() { echo "bench: $* (see --help)" >&2; exit 2; }

kind='' peers=0 json=0 table='' output='' quick=0 build='' runs='' disk=${TMPDIR:-/var/tmp}
value() { [ "$1" -gt 1 ] || misuse "$2 takes a value"; }
arguments() {
	while [ $# -gt 0 ]; do
		case $1 in
		writer | interval | continuous | dump | top | rings | counters | decoder | redis | diff) [ -z "$kind" ] || misuse "$1 is one too many"; kind=$1 ;;
		--peers) peers=1 ;;
		--json) json=1 ;;
		--quick) quick=1 ;;
		--table) value $# "$1"; table=$2; shift ;;
		-o) value $# "$1"; output=$2; shift ;;
		--build) value $# "$1"; build=$2; shift ;;
		--dir) value $# "$1"; disk=$2; shift ;;
		--runs) value $# "$1"; runs=$2; shift ;;
		-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$here/run.sh"; exit 0 ;;
		*) misuse "unknown argument $1" ;;
		esac
		shift
	done
	[ -n "$kind" ] || misuse "which benchmark: writer, interval, continuous, dump, top, rings, counters, decoder, redis or diff?"
	case $peers$kind in
	1top | 1rings | 1redis) misuse "--peers is not for $kind" ;;
	esac
	case $runs in
	'') runs=$((quick ? 2 : 5)) ;;
	*) [ "$kind" = redis ] || misuse "--runs is not for $kind" ;;
	esac
	case $runs in
	*[!0-9]* | 0*) misuse "--runs takes a number from 1, not $runs" ;;
	esac
	[ -z "$table" ] || [ "$json" -eq 1 ] || misuse "--table is for --json"
	[ "$kind" != diff ] || [ "$peers$json" = 00 ] || misuse "diff takes no --peers or --json"
}
arguments "$@"

# Root's LTTng session daemon has one fixed place, so a private one needs a private /run.
case $peers$kind$(id -u) in
1writer0 | 1interval0 | 1continuous0 | 1dump0)
	if [ "${BENCH_PRIVATE_RUN-}" != yes ] && unshare --mount true 2>/dev/null; then
		exec unshare --mount env BENCH_PRIVATE_RUN=yes sh "$here/run.sh" "$@"
	fi
	;;
esac

work=$(mktemp -d "${TMPDIR:-/tmp}/swtrace-bench.XXXXXX") || exit 1
# Hooks and fwrite's file are in memory.
memory=$(mktemp -d /dev/shm/swtrace-bench.XXXXXX) || exit 1
SWTRACE_SESSION=$memory/session
export SWTRACE_SESSION
log=$work/log
undo=''
finish() {
	status=$?
	$undo
	rm -rf "$work" "$memory"
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

must() { # WHAT COMMAND...: its output only if it fails
	doing=$1; shift
	"$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "$doing failed"; }
}

# Builds unless --build names a build, and installs into a private prefix.
prepare() {
	if [ -z "$build" ]; then
		build=$top/build-bench
		# shellcheck disable=SC2086
		need_packages $BUILD_PACKAGES || exit 1
		must configuring cmake -S "$top" -B "$build" -DCMAKE_BUILD_TYPE=Release \
			-DSWTRACE_TESTS=OFF -DSWTRACE_SAMPLES=OFF
		must building cmake --build "$build" -j "$(nproc)"
	fi
	must installing cmake --install "$build" --prefix "$work/prefix"
	libdir=$(dirname "$(find "$work/prefix" -name libswtrace.so)")
	PKG_CONFIG_PATH=$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
	LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export PKG_CONFIG_PATH LD_LIBRARY_PATH
	swtrace=$work/prefix/bin/swtrace cpidecode=$work/prefix/bin/cpidecode
	[ -x "$swtrace" ] || fail "$build has no installed swtrace command"
}

cc=${CC:-cc}
flags="-std=gnu17 -O2 -D_GNU_SOURCE -fno-tree-vectorize -Wall -Wextra"

# compile PROGRAM FILE...: against the installed shared library, as users do.
compile() {
	program=$1; shift
	# shellcheck disable=SC2046,SC2086
	must "compiling $program" $cc $flags $(pkg-config --cflags libswtrace) "$@" -o "$work/$program" \
		-rdynamic -pthread $(pkg-config --libs libswtrace) -ldl
	LC_ALL=C ldd "$work/$program" | grep -q "$libdir/libswtrace.so" ||
		fail "$program does not use the installed shared library"
}

fact() { [ -z "$2" ] || printf 'machine\t%s\t%s\n' "$1" "$(printf '%s' "$2" | tr '\n' ' ')"; }
# How busy the machine is: load averages and recent CPU pressure.
busy() {
	cut -d ' ' -f 1-3 /proc/loadavg
	sed -n 's/^some avg10=\([0-9.]*\).*/(\1 % of the last 10 s with tasks waiting)/p' /proc/pressure/cpu 2>/dev/null
}
first_line() { head -n 1 "$1" 2>/dev/null; }
machine() {
	fact processor "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
	fact kernel "$(uname -srm)"
	fact virtual "$(systemd-detect-virt 2>/dev/null || { grep -q '^flags.* hypervisor' \
		/proc/cpuinfo && echo yes || echo unknown; })"
	fact clocksource "$(first_line /sys/devices/system/clocksource/clocksource0/current_clocksource)"
	governor=$(first_line /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor)
	fact governor "${governor:-unknown}"
	fact load "$(busy)"
	fact compiler "$($cc --version | head -n 1)"
	fact build "$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$build/CMakeCache.txt")"
	fact library "$("$swtrace" --version)"
}

# absent ROWS WHY: why rows that match an expression are n/a
absent() { printf 'absent\t%s\t%s\n' "$1" "$2" >>"$work/samples"; }

# verdict_of WHAT DETAIL COMMAND...: a check's line
verdict_of() {
	what=$1 about=$2; shift 2
	if "$@"; then outcome=ok; else outcome=failed; fi
	printf 'check\t%s\t%s\t%s\n' "$what" "$outcome" "$about" >>"$work/samples"
}

render() { # JSON: 1, or 0 for the table
	awk -v name="$kind" -v json="$1" -f "$here/report.awk" "$here/$kind.rows" \
		"$work/samples" >"$work/report" || fail "report.awk failed"
}

report() {
	if [ -n "$table" ]; then
		render 0
		cat "$work/report" >"$table" || fail "cannot write $table"
	fi
	render "$json"
	if [ -n "$output" ]; then
		cat "$work/report" >"$output" || fail "cannot write $output"
	else
		cat "$work/report" || fail "cannot write to standard output"
	fi
	! grep -q '^check	[^	]*	failed' "$work/samples" ||
		fail "a check failed: $(sed -n 's/^check	\([^	]*\)	failed	\(.*\)/\1 (\2)/p' \
			"$work/samples" | head -n 1)"
}

# shellcheck source=writer.sh
# shellcheck source=interval.sh
# shellcheck source=continuous.sh
# shellcheck source=dump.sh
# shellcheck source=top.sh
# shellcheck source=rings.sh
# shellcheck source=counters.sh
# shellcheck source=decoder.sh
# shellcheck source=redis.sh
# shellcheck source=diff.sh
. "$here/$kind.sh"
prepare
measure
report
