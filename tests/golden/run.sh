#!/bin/sh
# Every golden trace through the decoder: run.sh [-r] [CASE...]. See README.md.
# CPIDECODE and MKTRACE name the programs; -r records anew and shows what changes.
here=$(cd "$(dirname "$0")" && pwd)
: "${CPIDECODE:=cpidecode}" "${MKTRACE:=mktrace}"
record=no
while getopts r option; do
	case $option in
	r) record=yes ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

for program in "$CPIDECODE" "$MKTRACE"; do
	command -v "$program" >/dev/null || {
		echo "run.sh: $program: no such program (set CPIDECODE and MKTRACE)" >&2
		exit 2
	}
done
case $CPIDECODE in */*) CPIDECODE=$(cd "$(dirname "$CPIDECODE")" && pwd)/${CPIDECODE##*/} ;; esac
case $MKTRACE in */*) MKTRACE=$(cd "$(dirname "$MKTRACE")" && pwd)/${MKTRACE##*/} ;; esac
export TZ=UTC LC_ALL=C NO_COLOR=1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
. "$here/../lib/results.sh"

# The options that a file's name stands for.
options_of() {
	case $1 in
	folded.txt) echo "--format folded" ;;
	flame.svg) echo "--format svg" ;;
	*.txt) echo "--report ${1%.txt} --format text" ;;
	*.*) echo "--report ${1%.*} --format ${1##*.}" ;;
	esac
}

# compare CASE-DIR NAME ACTUAL: against the expected file, or record it.
compare() {
	if cmp -s "$1/$2" "$3"; then
		return 0
	fi
	diff -u "$1/$2" "$3" 2>/dev/null | cat -v | sed -n '1,40p'
	if [ $record = yes ]; then
		echo "recorded ${1##*/}/$2"
		cp "$3" "$1/$2"
		return 0
	fi
	return 1
}

# check CASE-DIR NAME EXIT OPTIONS...: one run of the decoder in the work folder.
check() {
	dir=$1 name=$2 want=$3
	shift 3
	id=${dir##*/}/$name
	(cd "$work/t" && eval '"$CPIDECODE"' "$*") >"$work/out" 2>"$work/err" </dev/null
	got=$?
	if [ "$got" != "$want" ]; then
		sed -n '1,20p' "$work/err"
		count_failure "$id" "exit status $got instead of $want"
		return
	fi
	told=
	[ -e "$dir/stderr.txt" ] && told=stderr.txt
	[ -e "$dir/$name.stderr" ] && told=$name.stderr
	if [ -z "$told" ] && [ -s "$work/err" ]; then
		cat -v "$work/err"
		count_failure "$id" "nothing is expected on standard error"
	elif [ -n "$told" ] && ! compare "$dir" "$told" "$work/err"; then
		count_failure "$id" "standard error"
	elif [ "$name" != - ] && ! compare "$dir" "$name" "$work/out"; then
		count_failure "$id" "standard output"
	else
		count_pass "$id"
	fi
}

run_case() {
	dir=$1
	rm -rf "$work/t"
	mkdir "$work/t"
	files=
	for script in "$dir"/trace*.txt; do
		name=${script##*/}
		if ! "$MKTRACE" "$script" "$work/t/${name%.txt}.bin"; then
			count_failure "${dir##*/}" "mktrace"
			return
		fi
		files="$files ${name%.txt}.bin"
	done
	for other in "$dir"/*.hooks; do
		[ -e "$other" ] && cp "$other" "$work/t/"
	done
	if [ -e "$dir/checks" ]; then
		while read -r name want options; do
			case $name in '' | '#'*) continue ;; esac
			case $options in *.bin* | '-' | *' -') ;; *) options="$options $files" ;; esac
			check "$dir" "$name" "$want" "$options"
		done <"$dir/checks"
	fi
	for expected in "$dir"/hooks.* "$dir"/intervals.* "$dir"/summary.* "$dir"/cpus.* \
		"$dir"/info.* "$dir"/folded.txt "$dir"/flame.svg; do
		name=${expected##*/}
		[ -e "$expected" ] || continue
		case $name in *.stderr) continue ;; esac
		grep -q "^$name " "$dir/checks" 2>/dev/null && continue
		check "$dir" "$name" 0 "$(options_of "$name")$files"
	done
}

[ $# -gt 0 ] || set -- "$here"/cases/*
for case in "$@"; do
	[ -d "$case" ] || case=$here/cases/$case
	if [ ! -e "$case/trace.txt" ]; then
		count_failure "${case##*/}" "no trace.txt"
		continue
	fi
	run_case "$case"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
