#!/bin/sh
# Boots an emulated AArch64 machine, which has hardware counters that can be foretold to the
# instruction, and tests there what needs them: builds the project for it, runs the sets of
# guest/ in it, and decodes here what was traced there.
#
# usage: sh tests/emulation/run.sh [--full] [--no-install] [--record-sample FILE] [--storm SECONDS] [BOOT...]
#	--full		all of the rings' stress programs, and on guest rings as well, which takes
#			minutes; without it on the CPUs' rings
#	--no-install	skips where packages are missing, instead of installing them
#	--record-sample FILE
#			records the trace of samples/ anew, and nothing else
#	--storm SECONDS	tests/ring/storm_hour/ for so long with 4 processors, and nothing else
#	BOOT		only these: shift0 shift2 holes rings1 rings2 (default: all)
#
# Environment: CPIDECODE: this machine's cpidecode (default: one is built). SWTRACE_TEST_ARM64: a
# folder that keeps what was downloaded and built (default: a fresh one, which is removed).
# Exit status: 0 passed, 1 failed, 77 skipped, with the reason as the last line.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/deps.sh
. tests/lib/arm64.sh
. tests/emulation/machine.sh
. tests/emulation/judge.sh
. tests/emulation/sample_is_measured.sh

full=0 install=1 sample='' storm='' only=''
while [ $# -gt 0 ]; do
	case $1 in
	--full) full=1 ;;
	--no-install) install=0 ;;
	--record-sample) sample=${2:?--record-sample needs a FILE}; shift ;;
	--storm) storm=${2:?--storm needs SECONDS}; shift ;;
	-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
	-*) echo "tests/emulation/run.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
	*) only="$only $1" ;;
	esac
	shift
done

passed=0 failed=0 skipped=0
packages="$arm64_packages qemu-system-arm cpio"
if [ "$install" -eq 0 ] && ! have_packages $packages; then
	echo "packages are missing:$missing"
	exit 77
fi
need_packages $packages || {
	echo "QEMU or the cross compiler cannot be installed"
	exit 77
}
arm64_begin emulation
trap 'machine_stop; arm64_done' EXIT
trap 'exit 1' INT TERM HUP
arm64_build
case $? in
0) ;;
77) exit 77 ;;
*) exit 1 ;;
esac
machine_prepare || exit 77
machine_initrd || exit 1
cpidecode=${CPIDECODE-}
if [ ! -x "$cpidecode" ]; then
	host=$arm64_dir/host
	if ! cmake -S . -B "$host" -DSWTRACE_TESTS=OFF -DSWTRACE_SAMPLES=OFF >"$host.log" 2>&1 ||
		! cmake --build "$host" -j "$(nproc)" --target cpidecode >>"$host.log" 2>&1; then
		tail -n 20 "$host.log"
		exit 1
	fi
	cpidecode=$host/cpidecode
fi

if [ -n "$sample" ]; then
	machine_boot sample 120 1 "-icount shift=0,sleep=off" set=sample
	machine_wait 0
	judge_console sample
	[ "$failed" -eq 0 ] && cp "$(machine_out sample)/sample.bin" "$sample"
	exit
fi

if [ -n "$storm" ]; then
	machine_boot storm "$((storm * 2 + 600))" 4 "-cpu neoverse-n1" "set=rings programs=storm_hour:$storm"
	machine_wait 0
	judge_console storm
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
	exit
fi

# wanted BOOT: by the command line
wanted() {
	case "$only " in
	" " | *" $1 "*) return 0 ;;
	esac
	return 1
}
# boot NAME SECONDS CPUS QEMU-OPTIONS KERNEL-ARGUMENTS: two at a time, the longest first.
boots=''
boot() {
	wanted "$1" || return 0
	boots="$boots $1"
	machine_wait 1
	machine_boot "$@"
}
# tests/ring/CMakeLists.txt has the same programs; here two machines share them. What members scribble does
# not depend on the processor. Those of the first machine have one writer at work at a time or interrupt
# writers, which with one processor takes a quarter less of the host's time, and less than half for signals.
rings_one=kill_steps,stop,layout,sections,hooks,signal rings_cpus=1
rings_two=storm_hour:3,fork,many,drain,migrate,kill:300,hotplug,reader,abort,held,kill_held
if [ "$full" -eq 1 ]; then
	rings_cpus=4
	rings_one=$rings_one,hostile_drain,hostile_dump,hostile,spawn
	rings_one=$rings_one,many:guest,kill:guest,kill_steps:guest,kill_held:guest,drain:guest,fork:guest
	rings_two=$rings_two,held:guest,reader:guest,signal:guest,spawn:guest,migrate:guest
	rings_two=$rings_two,hostile:guest,hostile_dump:guest,hostile_drain:guest
fi
exactly="-icount shift=0,sleep=off"
# Their time goes into emulating instructions: this processor takes half of the time of "max", whose
# counters they do not need.
fast="-cpu neoverse-n1"
boot rings1 1500 "$rings_cpus" "$fast" "set=missing,rings programs=$rings_one"
boot rings2 1500 4 "$fast" "set=rings programs=$rings_two"
boot shift0 1200 1 "$exactly" "set=exact,reads,crowd,events,util,rights,sample,cpc,pairs"
boot shift2 1200 1 "-icount shift=2,sleep=off" set=exact
boot holes 1200 8 "$exactly" set=holes
machine_wait 0

for name in $boots; do
	echo "-- $name"
	judge_console "$name"
	"judge_$name"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
