#!/bin/sh
# Checks the models of the ring's protocol and of the task table with spin: every configuration exhausted without an error,
# and every seeded fault found, as the invariant that it breaks. A large search is skipped if the file "searched" records it
# with the digest of the same model, as it would find the same states again.
#
# usage: sh tests/model/run.sh [--full] [--record] [--model NAME] [--only PATTERN]
#	--full	searches what is recorded too, and larger configurations (some minutes)
#	--record	adds what was searched to the record, if nothing failed, and removes what no longer applies
#	--model	only those of one model: ring or tasks
#	--only	those whose name matches the shell pattern
# Exit status: 0 passed, 1 failed, 2 usage, 77 skipped.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
full=0 recording=0 only='*' only_model=
while [ $# -gt 0 ]; do
	case $1 in
	--full) full=1 ;;
	--record) recording=1 ;;
	--model)
		case ${2-} in
		ring | tasks) only_model=$2.pml ;;
		*) echo "run.sh: --model wants ring or tasks" >&2; exit 2 ;;
		esac
		shift ;;
	--only)
		[ $# -gt 1 ] || { echo "run.sh: --only wants a pattern" >&2; exit 2; }
		only=$2; shift ;;
	-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
	*) echo "run.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
	esac
	shift
done
[ "$recording" -eq 0 ] || [ "$only$only_model" = '*' ] ||
	{ echo "run.sh: --record wants all cases: no --model, no --only" >&2; exit 2; }

cc=${CC:-gcc}
for tool in spin "$cc"; do
	command -v "$tool" >/dev/null 2>&1 || { echo "skipped: model: no $tool here"; exit 77; }
done
# A verifier that searches briefly takes longer to compile than to run: clang needs half of gcc's time.
quick_cc=$cc
[ -n "${CC-}" ] || ! command -v clang >/dev/null 2>&1 || quick_cc=clang

work=$(mktemp -d) || exit 1
pid=
# A verifier that is waited for must not outlive us.
cleanup() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP PIPE

passed=0 failed=0 skipped=0 unrecorded=0
# Searches of at least so many states are recorded.
large=50000
record=$here/searched
: >"$work/searched"
# Huge pages: states lie all over the memory, and page walks take a fifth of the time.
GLIBC_TUNABLES=glibc.malloc.hugetlb=1
export GLIBC_TUNABLES
# 150 bytes a state, of two models at once, in half of what is free.
unpacked_most=$(awk '/^MemAvailable:/ { printf "%d", $2 / 4 * 1024 / 150 }' /proc/meminfo)
# No deeper than this: reaching it is an error, not an answer.
depth=300000
truncated='max search depth too small|out of memory|Search not completed|Bit statespace'

not_ok() { # NAME WHY
	failed=$((failed + 1))
	echo "not ok: model $1: $2"
	[ ! -f "$work/out" ] || sed 's/^/  /' "$work/out" | head -n 30
}

# The model to check: ring.pml, or the one that the cases set.
model=ring.pml

# choose_search OPTIONS...: how the verifier is compiled and run for this model.
choose_search() {
	safety=-DSAFETY cycles='' reduce=''
	case " $* " in *" -DPROGRESS "*) safety=-DNP cycles=-l ;; esac
	# Partial order reduction gains nothing in ring.pml, whose steps all touch shared memory, and
	# `provided` rules it out.
	[ "$model" != ring.pml ] || reduce=-DNOREDUCE
	search="$safety $reduce -DVECTORSZ=2048" run="$cycles -n -m$depth"
}

# digest_case OPTIONS...: of what determines the states that a search finds: the model as preprocessed,
# spin's version and its options. Empty if the model cannot be preprocessed.
digest_case() {
	choose_search "$@"
	{ "$cc" -E -P -x c "$@" "$here/$model" && spin -V && echo "$search $run $*"; } >"$work/text" 2>"$work/log" &&
		tr -s '[:space:]' ' ' <"$work/text" | sha256sum | cut -d ' ' -f 1
}

# verify FLAGS OPTIONS...: makes the verifier, compiled with FLAGS, and runs it with a table of 2^$hash
# lists; what it says is in $work/out.
verify() {
	flags=$1
	shift
	rm -f "$work"/pan* "$work/out" "$work/log"
	compiler=$cc
	case $flags in *-O0*) compiler=$quick_cc ;; esac
	choose_search "$@"
	# shellcheck disable=SC2086
	(cd "$work" && spin -a "$@" "$here/$model" >log 2>&1 &&
		"$compiler" -w $flags $search -o pan pan.c >>log 2>&1) ||
		{ mv "$work/log" "$work/out"; return 1; }
	started=$(date +%s)
	# shellcheck disable=SC2086
	(cd "$work" && exec ./pan $run "-w$hash" >out 2>&1) &
	pid=$!
	wait "$pid"
	pid=
	seconds=$(($(date +%s) - started))
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$work/out" | head -n 1)
	deep=$(sed -n 's/.*depth reached \([0-9]*\).*/\1/p' "$work/out" | head -n 1)
}

wanted() {
	[ "${only_model:-$model}" = "$model" ] || return 1
	# shellcheck disable=SC2254
	case $1 in $only) return 0 ;; esac
	return 1
}

# holds NAME MIN-STATES OPTIONS...: exhausted, no error, and at least so many states (fewer:
# the model has lost its behaviour, and what held of it is nothing).
holds() {
	name=$1 least=$2
	shift 2
	wanted "$name" || return 0
	digest=
	if [ "$least" -ge "$large" ]; then
		digest=$(digest_case "$@")
		states=$(awk -v name="$name" -v digest="$digest" -v least="$least" \
			'$1 == name && $2 == digest && $3 >= least { print $3; exit }' "$record" 2>/dev/null)
		if [ "$full" -eq 0 ] && [ -n "$states" ]; then
			skipped=$((skipped + 1))
			echo "skipped: model $name: unchanged since its $states states were searched (--full searches them)"
			echo "$name $digest $states" >>"$work/searched"
			return 0
		fi
		[ -n "$states" ] || unrecorded=$((unrecorded + 1))
	fi
	# More optimised it is no faster. Large searches need a larger table: with 2^22 lists they take a third
	# longer. Packed states take half of the memory and a quarter longer.
	flags=-O1 hash=22
	[ "$least" -gt 200000 ] || flags=-O0
	if [ "$least" -ge 4000000 ]; then
		hash=24
		[ "$least" -lt "${unpacked_most:-0}" ] || flags="-O1 -DCOLLAPSE"
	fi
	verify "$flags" "$@" || { not_ok "$name" "cannot be made"; return 0; }
	if grep -qE 'errors: [1-9]' "$work/out"; then
		not_ok "$name" "$(grep -m 1 '^pan:1:' "$work/out")"
	elif ! grep -q '^Full statespace search' "$work/out" ||
		! grep -q 'errors: 0$' "$work/out" || grep -qE "$truncated" "$work/out"; then
		not_ok "$name" "the search is not complete"
	elif ! awk -v n="${states:-0}" -v least="$least" 'BEGIN { exit !(n >= least) }'; then
		not_ok "$name" "only ${states:-no} states, less than $least"
	else
		passed=$((passed + 1))
		echo "ok: model $name: $states states, depth $deep, $seconds s, no error"
		[ -z "$digest" ] || echo "$name $digest $states" >>"$work/searched"
	fi
}

# breaks NAME INVARIANT [forward] OPTIONS...: an assertion of that name fails, or pan's own check does.
# Searched with the processes' steps in reverse order: most faults are then found in a hundredth of
# the states, sooner than the verifier could be optimised. forward: in the order in which this
# invariant is the first one that breaks.
breaks() {
	name=$1 invariant=$2 order=-DREVERSE
	shift 2
	[ "$1" != forward ] || { order=; shift; }
	wanted "$name" || return 0
	hash=19
	verify "-O0 $order" "$@" || { not_ok "$name" "cannot be made"; return 0; }
	error=$(grep -m 1 '^pan:1:' "$work/out")
	case $error in
	*"$invariant"*)
		passed=$((passed + 1))
		echo "ok: fault $name: found as $invariant ($states states, $seconds s)" ;;
	'') not_ok "$name" "this fault is not found" ;;
	*) not_ok "$name" "found, but as another than $invariant: $error" ;;
	esac
}

. "$here/cases.sh"
if [ "$recording" -eq 1 ] && [ "$failed" -eq 0 ]; then
	cat "$work/searched" >"$record" || failed=$((failed + 1))
elif [ "$unrecorded" -ne 0 ]; then
	echo "model: $unrecorded large searches are not recorded: their models are new or changed (--record records them)"
fi
[ "$full" -eq 0 ] || . "$here/cases-full.sh"

echo "model: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
