#!/bin/sh
# libcpidecode from C and from Python: the two samples say the same, and the same as the command.
# Environment: CPIDECODE, MKTRACE: the programs; SAMPLES: the samples' folder; LIBRARY: the
# shared library; SOURCE: the project's folder.
set -u
: "${CPIDECODE:?}" "${MKTRACE:?}" "${SAMPLES:?}" "${LIBRARY:?}" "${SOURCE:?}"

. "${0%/*}/../lib/tally.sh"

cases="nesting strings quality unmeasured cpus64 empty merge"
for case in $cases; do
	for text in "$SOURCE/tests/golden/cases/$case"/trace*.txt; do
		"$MKTRACE" "$text" "$work/$case-$(basename "$text" .txt).bin" || exit 1
	done
done

# The columns of the CSV that the sample prints too, with n/a for what is empty.
as_csv() { # CASE
	"$CPIDECODE" --report intervals --format csv "$work/$1"-*.bin 2>/dev/null | tr -d '\r' |
		awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		function v(name) { return $at[name] == "" ? "n/a" : $at[name] }
		{ print v("start_ns"), v("end_ns"), v("elapsed_cycles"), v("depth"), v("tid"),
			v("raw_cpi"), v("scaled_cpi"), v("thread_cpi"), v("instructions"),
			v("thread_instructions"), v("off_cpu_ns") }'
}
# Without the label, which is spelled otherwise and may hold commas.
without_label() {
	sed -E 's/^(([^ ]+ ){5})("[^"]*"|-) /\1/'
}
like_the_command() { # CASE
	"$SAMPLES/print_intervals" "$work/$1"-*.bin 2>/dev/null | without_label >"$work/sample"
	as_csv "$1" >"$work/command"
	diff "$work/command" "$work/sample"
}
# Labels with commas are the CSV's own business (strings, merge).
for case in nesting quality unmeasured cpus64 empty; do
	check "print_intervals says what the command says: $case" like_the_command "$case"
done

same_report() { # CASE REPORT
	"$SAMPLES/print_intervals" -r "$2" "$work/$1"-*.bin >"$work/sample" 2>/dev/null || return 1
	"$CPIDECODE" --report "$2" "$work/$1"-*.bin >"$work/command" 2>/dev/null
	cmp "$work/command" "$work/sample"
}
for report in summary intervals hooks cpus info; do
	check "a report into a function is the command's: $report" same_report merge "$report"
done

from_a_moment() {
	"$SAMPLES/print_intervals" -f 0 "$work/nesting-trace.bin" >"$work/hooks" || return 1
	cat "$work/hooks"
	[ "$(wc -l <"$work/hooks")" -eq 10 ] && grep -q ' elapsed=' "$work/hooks"
}
check "print_intervals -f prints hooks with their fields" from_a_moment

refusals() {
	"$SAMPLES/print_intervals" 2>"$work/err"; [ $? -eq 2 ] || return 1
	"$SAMPLES/print_intervals" "$work/nothing" 2>"$work/err"; [ $? -eq 1 ] || return 1
	grep -q 'nothing: cannot be opened: No such file' "$work/err" || return 1
	"$SAMPLES/print_intervals" -r nonsense "$work/nesting-trace.bin" 2>"$work/err"
	[ $? -eq 1 ] && [ "$(wc -l <"$work/err")" -eq 1 ]
}
check "print_intervals reports errors" refusals

# The first Python that has NumPy: that of PATH need not be Debian's.
interpreter=
for candidate in ${PYTHON:-} python3 /usr/bin/python3; do
	if [ -z "$interpreter" ] && "$candidate" -c 'import numpy' 2>"$work/err"; then
		interpreter=$candidate
	fi
done
python() {
	CPIDECODE_LIBRARY=$LIBRARY PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$SOURCE/decoder/python \
		"$interpreter" "$SOURCE/samples/print_intervals.py" "$@"
}
if [ -z "$interpreter" ]; then
	count_skip "the Python package" "no Python with NumPy here (apt-get install python3-numpy)"
elif nm -D "$LIBRARY" | grep -qE ' __(a|t|ub)san_'; then
	count_skip "the Python package" "a library with sanitizers is not for a program without"
else
	same_in_python() { # CASE
		python "$work/$1"-*.bin >"$work/python" || return 1
		"$SAMPLES/print_intervals" "$work/$1"-*.bin >"$work/sample" 2>/dev/null
		diff "$work/sample" "$work/python"
	}
	for case in $cases; do
		check "Python says what C says: $case" same_in_python "$case"
	done
	python_report() {
		python -r summary "$work"/merge-*.bin >"$work/python" || return 1
		"$CPIDECODE" "$work"/merge-*.bin >"$work/command" 2>/dev/null
		cmp "$work/command" "$work/python"
	}
	check "a report in Python is the command's" python_report
	python_refusals() {
		python "$work/nothing" 2>"$work/err"; [ $? -eq 1 ] || return 1
		grep -q 'nothing: cannot be opened: No such file' "$work/err" || return 1
		python 2>"$work/err"; [ $? -eq 2 ] || return 1
		python -r nonsense "$work/nesting-trace.bin" 2>"$work/err"; [ $? -eq 1 ]
	}
	check "Python reports errors" python_refusals
	python_closed_pipe() {
		rm -f "$work/fifo" && mkfifo "$work/fifo" || return 1
		exec 8<>"$work/fifo" 9>"$work/fifo" 8<&-
		for report in '' '-r summary'; do
			# shellcheck disable=SC2086
			python $report "$work/nesting-trace.bin" >&9 2>"$work/err"
			status=$?
			echo "exit $status: $(cat "$work/err")"
			[ $status -eq 1 ] && [ ! -s "$work/err" ] || return 1
		done
		exec 9>&-
	}
	check "Python ends quietly on a closed pipe" python_closed_pipe
fi

tally
