#!/bin/sh
# Reports of many traces as one, made on a Slurm cluster: an array job makes a partial result of each
# trace, further ones merge 64 to 1, and the last writes the reports, which have the same bytes as
# cpidecode's on one machine. Waits for the answer, and prints the names of its files.
#
# usage: submit.sh -o FOLDER [option ...] TRACE...
#	-o FOLDER	a new or empty folder that all nodes share: results, logs and the answer
#	--report NAME	summary (default), cpus or histogram, may be given again; or one of heatmap, slowest, gaps
#			and why, alone (of several traces heatmap needs --option --time=unix)
#	--format F	text (default), csv or json
#	--option ARG	passed to cpidecode --partial, like --option --label='req*'; may be given again; options of
#			a report, like --option --by=host, with one --report only
#	--slice-size B	a larger trace is read in slices of about that size (default 2G; k, M, G)
#	--allow-missing	answers also without traces that cannot be read; the report names them
#	--sbatch ARG	passed to sbatch, like --sbatch --partition=batch; may be given again
#	--no-wait	prints the number of the last job and ends
# cpidecode is the program $CPIDECODE, else the one in PATH, under the same name on all nodes.
# Exits with 0, 1 if there is no answer, or 2 for wrong usage.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

fail() { echo "submit.sh: $*" >&2; exit 1; }
misuse() { echo "submit.sh: $* (see --help)" >&2; exit 2; }
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac }

folder='' reports='' format=text slice_size=2G allow_missing='' wait=1
options=$(mktemp) sbatch_options=$(mktemp)
trap 'rm -f "$options" "$sbatch_options"' EXIT
trap 'exit 1' HUP INT TERM
while [ $# -gt 0 ]; do
	case $1 in
	-o | --report | --format | --option | --slice-size | --sbatch)
		[ $# -gt 1 ] || misuse "$1 takes a value"
		case $1 in
		-o) folder=$2 ;;
		--report) reports="$reports $2" ;;
		--format) format=$2 ;;
		--option) printf '%s\n' "$2" >>"$options" ;;
		--slice-size) slice_size=$2 ;;
		--sbatch) printf '%s\n' "$2" >>"$sbatch_options" ;;
		esac
		shift
		;;
	--allow-missing) allow_missing=--allow-missing ;;
	--no-wait) wait=0 ;;
	-h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
	--) shift; break ;;
	-*) misuse "$1: no such option" ;;
	*) break ;;
	esac
	shift
done
[ -n "$folder" ] || misuse "no folder for the results: -o FOLDER"
[ $# -gt 0 ] || misuse "no traces"
[ -n "$reports" ] || reports=' summary'
for name in $reports; do
	case $name in
	summary | cpus | histogram) ;;
	heatmap | slowest | gaps | why)
		[ "$reports" = " $name" ] || misuse "--report $name goes with no other: its partial results are for it alone"
		;;
	*) misuse "--report $name: it is summary, cpus, histogram, heatmap, slowest, gaps or why" ;;
	esac
done
case $format in text | csv | json) ;; *) misuse "--format $format: it is text, csv or json" ;; esac
while IFS= read -r option; do
	case ${option%%=*} in
	--report | --format | --partial | --slice | --output | -o) misuse "--option $option: submit.sh sets it" ;;
	--by | --exact | --top | --sort | --columns | --metric | --having | --percentiles | --width | --time | --tail | --csv-safe)
		[ "$reports" = " ${reports##* }" ] || misuse "--option $option: a report's option goes with one --report"
		;;
	esac
done <"$options"
# The partial results of a single report are for it, and carry its options.
[ "$reports" != " ${reports##* }" ] || printf '%s\n' "--report=${reports# }" "--format=$format" >>"$options"
number=${slice_size%[kMG]}
case $number in '' | *[!0-9]* | 0*) misuse "--slice-size $slice_size: not a size like 2G" ;; esac
case $slice_size in
*k) slice_size=$((number << 10)) ;;
*M) slice_size=$((number << 20)) ;;
*G) slice_size=$((number << 30)) ;;
*) slice_size=$number ;;
esac
for tool in sbatch scontrol; do
	command -v $tool >/dev/null || fail "$tool is not in PATH: Slurm's client commands are needed (Debian: slurm-client)"
done
cpidecode=$(command -v "${CPIDECODE:-cpidecode}") || fail "${CPIDECODE:-cpidecode}: no such program: set CPIDECODE or PATH"
max=$(scontrol show config | sed -n 's/^MaxArraySize *= *\([0-9]*\).*/\1/p')
[ "${max:-0}" -gt 0 ] || fail "the cluster does not answer (scontrol show config)"

mkdir -p "$folder" || exit 1
folder=$(cd "$folder" && pwd)
[ -z "$(ls -A "$folder")" ] || misuse "-o $folder: it is not empty"
mkdir "$folder/parts" "$folder/try" "$folder/log"
cp "$here/job.sh" "$folder/job.sh"
cp "$options" "$folder/options"
printf '%s\n' "$cpidecode" >"$folder/cpidecode"
for trace; do
	case $trace in *'
'*) misuse "a trace's name has a line break" ;; esac
	absolute "$trace"
done >"$folder/traces"
# Each task is a line: the slice or "-", and the trace.
while IFS= read -r trace; do
	size=$(stat -L -c %s "$trace" 2>/dev/null) || size=0
	slices=$(((size + slice_size - 1) / slice_size))
	if [ "$slices" -le 1 ]; then
		printf -- '- %s\n' "$trace"
		continue
	fi
	i=1
	while [ $i -le $slices ]; do
		printf '%s %s\n' "$i/$slices" "$trace"
		i=$((i + 1))
	done
done <"$folder/traces" >"$folder/tasks"

set --
while IFS= read -r option; do
	set -- "$@" "$option"
done <"$sbatch_options"
submit() { sbatch --parsable --requeue --ntasks=1 --open-mode=append "$@" | sed 's/;.*//'; }
# array NAME COUNT DEPENDENCY ARGUMENT ...: the tasks of a level. A cluster limits an array's size,
# so each element may do several.
after=''
array() {
	name=$1 count=$2
	shift 2
	chunk=$(((count + max - 1) / max))
	# shellcheck disable=SC2086 # nothing, or one option
	job=$(submit "$@" --job-name="swtrace-$name" --array="0-$(((count + chunk - 1) / chunk - 1))" \
		--output="$folder/log/$name.%a" $after "$folder/job.sh" "$folder" "$name" "$count" "$chunk")
	[ -n "$job" ] || fail "sbatch refused the job"
	# Not afterok: a task that was killed alone would hold the rest for ever. Each level checks
	# what it gets, and makes what is missing.
	after=--dependency=afterany:$job
}
level=0 count=$(wc -l <"$folder/tasks")
array 0 "$count" "$@"
while [ "$count" -gt 64 ]; do
	level=$((level + 1)) count=$(((count + 63) / 64))
	array $level "$count" "$@"
done
last() {
	# shellcheck disable=SC2086 # nothing, or one option
	submit "$@" --job-name=swtrace-report --output="$folder/log/report" $after "$folder/job.sh" "$folder" report \
		"$level" "$count" "$format" "$allow_missing" $reports
}
if [ $wait = 0 ]; then
	last "$@"
	exit
fi
echo "submit.sh: $(wc -l <"$folder/tasks") tasks of $(wc -l <"$folder/traces") traces; logs are in $folder/log" >&2
# A last job that was killed alone is tried again; all it needs is there.
for try in 1 2 3; do
	last "$@" --wait >/dev/null
	[ ! -e "$folder/exit" ] || break
done
[ -e "$folder/exit" ] || fail "the last job did not end $try times: see $folder/log/report"
cat "$folder/notes" >&2
[ "$(cat "$folder/exit")" = 0 ] || fail "no answer: see above, and $folder/log"
for name in $reports; do
	echo "$folder/$name.$format"
done
