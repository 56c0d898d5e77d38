#!/bin/sh
# One task of submit.sh's jobs: sh job.sh FOLDER LEVEL COUNT CHUNK, an element of an array; or
# sh job.sh FOLDER report LEVEL COUNT FORMAT ALLOW-MISSING REPORT..., the last job.
#
# Level 0 has the partial results of the tasks, level N merges 64 of level N-1. A result gets its name
# when it is whole: a task that is killed, repeated or duplicated leaves all of it or nothing. A task
# that needs a missing or damaged result makes it.
set -u
folder=$1
shift
cd "$folder/parts" || exit 1
read -r cpidecode <"$folder/cpidecode"

# finish COMMAND ... : runs cpidecode with a file that no other task writes, and gives it the name
# $target when it is whole.
finish() {
	own=$folder/try/$SLURM_JOB_ID.$(hostname).$$
	if "$cpidecode" "$@" --partial "$own"; then
		mv -f "$own" "$target"
	else
		rm -f "$own"
		return 1
	fi
}

make_part() {
	line=$(sed -n "$(($1 + 1))p" "$folder/tasks")
	slice=${line%% *} trace=${line#* } target=0.$1
	set --
	[ "$slice" = - ] || set -- --slice "$slice"
	while IFS= read -r option; do
		set -- "$@" "$option"
	done <"$folder/options"
	finish "$@" "$trace"
}

is_whole() { "$cpidecode" merge --partial - "$1" >/dev/null; }

# children LEVEL NUMBER COUNT: sets the names of what is merged, and makes what is missing. Without
# those of traces that cannot be read: the last job tells them.
children() {
	parts='' i=$(($2 * 64))
	while [ $i -lt $(($2 * 64 + 64)) ] && [ $i -lt "$3" ]; do
		[ -e "$1.$i" ] || make "$1" $i
		[ ! -e "$1.$i" ] || parts="$parts $1.$i"
		i=$((i + 1))
	done
}

# How many results a level has.
count_of() {
	n=$(wc -l <"$folder/tasks") l=0
	while [ $l -lt "$1" ]; do
		n=$(((n + 63) / 64)) l=$((l + 1))
	done
	echo "$n"
}

# make LEVEL NUMBER: does nothing where it is there. In a shell of its own: it calls itself.
make() (
	level=$1 number=$2 target=$1.$2
	[ ! -e "$target" ] || exit 0
	if [ "$level" = 0 ]; then
		make_part "$number"
		exit
	fi
	below=$((level - 1))
	count=$(count_of $below)
	children $below "$number" "$count"
	[ -n "$parts" ] || exit 1
	target=$level.$number
	# shellcheck disable=SC2086 # several names
	finish merge $parts && exit
	# One of them is damaged: it is made again.
	for part in $parts; do
		is_whole "$part" || rm -f "$part"
	done
	children $below "$number" "$count"
	target=$level.$number
	# shellcheck disable=SC2086
	finish merge $parts
)

report() {
	level=$1 count=$2 format=$3 allow_missing=$4
	shift 4
	for name; do
		parts='' i=0
		while [ $i -lt "$count" ]; do
			make "$level" $i
			[ ! -e "$level.$i" ] || parts="$parts $level.$i"
			i=$((i + 1))
		done
		write && continue
		# Something is missing or damaged: each task's result is looked at, and made once more.
		count=$(count_of 0) level=0 parts='' i=0
		while [ $i -lt "$count" ]; do
			[ ! -e 0.$i ] || is_whole 0.$i || rm -f 0.$i
			make 0 $i
			[ ! -e 0.$i ] || parts="$parts 0.$i"
			i=$((i + 1))
		done
		# shellcheck disable=SC2086 # nothing, or one option
		write $allow_missing || return 1
	done
}

# Partial results of a single report carry its options.
# shellcheck disable=SC2086,SC2120 # several names; with an option, or none
write() {
	grep -q '^--report=' "$folder/options" || set -- --report "$name" --format "$format" "$@"
	"$cpidecode" merge --expect "$folder/traces" -o "$folder/$name.$format" "$@" $parts 2>"$folder/notes"
}

case $1 in
report)
	shift
	rm -f "$folder/exit"
	report "$@"
	code=$?
	cat "$folder/notes"
	echo $code >"$folder/exit"
	exit $code
	;;
*)
	level=$1 count=$2 chunk=$3 code=0
	i=$((SLURM_ARRAY_TASK_ID * chunk)) end=$(((SLURM_ARRAY_TASK_ID + 1) * chunk))
	while [ $i -lt $end ] && [ $i -lt "$count" ]; do
		make "$level" $i || code=1
		i=$((i + 1))
	done
	exit $code
	;;
esac
