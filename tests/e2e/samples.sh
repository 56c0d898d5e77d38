#!/bin/sh
# The samples, traced as a user would: what they say, and what their traces hold.
# Environment: SWTRACE, CPIDECODE: the commands; SAMPLES: the samples' folder.
set -u
: "${SWTRACE:?}" "${CPIDECODE:?}" "${SAMPLES:?}"

. "${0%/*}/../lib/tally.sh"
SWTRACE_SESSION=/dev/shm/swtrace-samples.$$
export SWTRACE_SESSION
trap 'rm -rf "$work" "$SWTRACE_SESSION"' EXIT

# Lines whose minor ($8), label ($9) and depth ($10) are these. Labels here need no quoting.
intervals() { # MINOR LABEL DEPTH
	awk -F, -v m="$1" -v l="$2" -v d="$3" '$8 == m && $9 == l && $10 == d { n++ } END { print n + 0 }' \
		"$work/intervals.csv"
}
decode() {
	"$CPIDECODE" --strict --report intervals --format csv -o "$work/intervals.csv" "$work/t.bin"
}

head -c 300000 /dev/zero | tr '\0' 'x' >"$work/plain"
cat "$SWTRACE" >"$work/binary"

bench() {
	"$SWTRACE" run -s 8 -o "$work/t.bin" -- "$SAMPLES/compress_bench" -t 3 -r 4 \
		"$work/plain" "$work/binary" >"$work/table" || return 1
	cat "$work/table"
	grep -qE '^zlib -9 .* [0-9.]+ +[0-9.]+$' "$work/table" && decode || return 1
	# 2 files, 4 rounds; in each file 2 codecs, in those 3 and 2 levels.
	[ "$(wc -l <"$work/intervals.csv")" -eq $((1 + 8 * (1 + 2 + 5))) ] || return 1
	[ "$(intervals 16 plain 0)" -eq 4 ] && [ "$(intervals 16 binary 0)" -eq 4 ] || return 1
	[ "$(intervals 17 zlib 1)" -eq 8 ] && [ "$(intervals 17 lz4 1)" -eq 8 ] || return 1
	for level in "zlib -1" "zlib -6" "zlib -9" "lz4 -1" "lz4 -9"; do
		[ "$(intervals 18 "$level" 2)" -eq 8 ] || return 1
	done
	[ "$(awk -F, 'NR > 1 { print $7 }' "$work/intervals.csv" | grep -cvE '^compress-[0-2]$')" -eq 0 ]
}
check "compress_bench: nested intervals of files, codecs and levels" bench

folded() {
	"$CPIDECODE" --format folded "$work/t.bin" >"$work/folded" || return 1
	grep -qE '^(compress_bench|pid [0-9]+);compress-[0-2];binary;zlib;zlib -9 [0-9]+$' "$work/folded" || return 1
	# All widths together are the outermost intervals' time.
	awk -F, 'NR > 1 && $10 == 0 { n += $3 } END { printf "%.0f\n", n }' "$work/intervals.csv" >"$work/a"
	awk '{ n += $NF } END { printf "%.0f\n", n }' "$work/folded" >"$work/b"
	cmp "$work/a" "$work/b"
}
check "its folded stacks add up to the outermost intervals" folded

unreadable() {
	"$SAMPLES/compress_bench" -t 1 -r 1 "$work/plain" "$work/nothing-here" "$work" \
		>"$work/out" 2>"$work/err"
	[ $? -eq 1 ] && grep -q '^zlib -1' "$work/out" && [ "$(wc -l <"$work/err")" -eq 2 ] &&
		grep -q 'nothing-here: No such file' "$work/err"
}
check "compress_bench skips files that it cannot read" unreadable

usage() {
	"$SAMPLES/compress_bench" -t 0 2>"$work/err"
	[ $? -eq 2 ] && [ "$(wc -l <"$work/err")" -eq 1 ] || return 1
	"$SAMPLES/compress_bench" --help | grep -q '^usage: compress_bench'
}
check "compress_bench reports wrong options" usage

untraced() {
	rm -rf "$SWTRACE_SESSION"
	"$SAMPLES/compress_bench" -r 1 "$work/plain" >"$work/out" 2>"$work/err" &&
		[ ! -s "$work/err" ]
}
check "compress_bench runs untraced" untraced

full() {
	"$SWTRACE" run -s 1 -ss 4 -o "$work/t.bin" -- "$SAMPLES/compress_bench" -t 1 -r 2000 \
		"$work/small" 2>"$work/err"
	cat "$work/err"
	grep -q 'intervals are not in the trace: PU_ERROR_BUFFER_FULL' "$work/err"
	said=$?
	"$CPIDECODE" --strict "$work/t.bin" >/dev/null 2>&1
	[ $? -eq 3 ] && [ "$said" -eq 0 ]
}
head -c 100 "$SWTRACE" >"$work/small"
check "compress_bench says when the buffers were too small" full

nested() {
	"$SWTRACE" run -o "$work/t.bin" -- "$SAMPLES/nested_intervals" >"$work/out" && decode || return 1
	cat "$work/out"
	[ "$(intervals 1 outermost 0)" -eq 1 ] && [ "$(intervals 1 middle 1)" -eq 1 ] &&
		[ "$(intervals 1 innermost 2)" -eq 1 ]
}
check "nested_intervals nest" nested

example() {
	"$SWTRACE" run -o "$work/t.bin" -- "$SAMPLES/cpi_example" >"$work/out" || return 1
	cat "$work/out"
	cpus=$(tr ' ' '\n' <"$work/out" | grep -c '^CPU')
	[ "$cpus" -ge 1 ] || return 1
	for row in cpi cpi_wb idle% busy%; do
		grep -E "^$row +[-n0-9]" "$work/out" | awk -v n=$((cpus + 2)) 'NF != n { exit 1 }' || return 1
	done
}
check "cpi_example prints its table" example

# The lines of PerfLib's document, two for each sample but the first.
processors() {
	"$SAMPLES/cpu_perf_counters" 3 50 >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
	cat "$work/out"
	cpus=$(getconf _NPROCESSORS_ONLN)
	[ "$(wc -l <"$work/out")" -eq 5 ] &&
		awk -v n="$cpus" '
			/^ReadData[0-2] used=[0-9]+, status=0$/ { split($2, u, /[=,]/); if (u[2] > n) lines++ }
			/^ _Total\/_Total = [0-9.]+$/ { if ($3 <= 101) values++ }
			END { exit lines != 3 || values != 2 }' "$work/out" || return 1
	"$SAMPLES/cpu_perf_counters" 0 2>"$work/err"
	[ $? -eq 2 ] && [ "$(wc -l <"$work/err")" -eq 1 ]
}
check "cpu_perf_counters prints the lines of the document" processors

# A line for each program that the process executes, and each of its faults is in one.
tracked() {
	"$SAMPLES/cpc_track" page-faults sh -c 'exec sh -c "exit 0"' >"$work/tracked" || return 1
	cat "$work/tracked"
	[ "$(grep -cE '^process [0-9]+, lwp[0-9]+: [1-9][0-9]+ page-faults$' "$work/tracked")" -eq 2 ] &&
		[ "$(wc -l <"$work/tracked")" -eq 2 ] && ! "$SAMPLES/cpc_track" nonesuch true
}
check "cpc_track: the page faults of a program's threads" tracked

tally
