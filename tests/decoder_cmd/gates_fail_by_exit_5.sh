#!/bin/sh
. "${0%/*}/lib.sh"

# make FILE ELAPSED...: an interval of label "a:b" for each, of 100 instructions.
make()
{
	file=$1
	shift
	{
		printf 'clock tsc\nhz 1000000000\nsync 0 1700000000000000000 1000\nsection hooks ring=0\n'
		at=0
		for elapsed; do
			at=$((at + 100000))
			echo "group mm=1 tid=7 at=$at elapsed=$elapsed types=1 label=\"a:b\" detailed"
			echo "cpu 100 $elapsed 0"
			echo endgroup
		done
		echo 'section end'
	} | "$MKTRACE" - "$file"
}
# The times of a run of 400: around a mean, and never twice the same.
spread()
{
	seq 400 | awk -v mean="$1" '{ print mean - 50 + $1 * 173 % 101 }'
}
# shellcheck disable=SC2046 # words
{
	make before.bin $(spread 1050)
	make slower.bin $(spread 1250)
	make noisy.bin $(spread 1050 | sed '7s/.*/9000/')
	make one.bin 2000
	make none.bin
}

# gate STATUS TRACE EXPRESSION...: from before.bin to TRACE, one run each.
gate()
{
	want=$1
	trace=$2
	shift 2
	for expression; do
		run "$want" --report diff --single-run --fail-if "$expression" before.bin "$trace"
		if [ "$want" -eq 5 ]; then
			in_file err '^cpidecode: gate failed: '
			in_file err '"a:b", minor 0x01: '
		else
			not_in_file err failed
		fi
		grep -q 'a:b' out || fail "no report"
	done
}

# mean 1050 -> 1250: 19 %, 200 ns; cpi 10.50 -> 12.50.
gate 5 slower.bin 'mean>+19%' 'mean>+198ns' 'mean>+0.198us' 'p50>+5%' 'p90>+5%' 'p99>+5%' \
	'max>+5%' 'max>+199ns' 'total>+0.07ms' 'cpi>+1.9' 'cpi>+19%' 'a:b:mean>+1%' \
	'a*:mean>+1%' 'count>-1' 'count<+1' 'mean<+30%'
gate 0 slower.bin 'mean>+20%' 'mean>+202ns' 'mean<-1%' 'cpi>+2.1' 'count>+0%' 'count<-10%' \
	'instructions>+1%' 'max>+0.0003ms' 'p90<+5%'
# A label is matched as a whole.
for label in a b; do
	run 5 --report diff --single-run --fail-if "$label:mean>+1%" before.bin slower.bin
	in_file err "gate failed: $label:mean>.*no such intervals"
done

# A change within noise fails nothing, however large; one that cannot be judged fails and says why.
gate 0 noisy.bin 'mean>+1%' 'p90>+0%'
gate 5 noisy.bin 'max>+5%' 'total>+1%'
in_file err 'total has no statistical test: the gate compares the value itself$'
gate 5 one.bin 'mean>+5%' 'count<-10%'
run 5 --report diff --single-run --fail-if 'mean>+5%' before.bin one.bin
in_file err '1.05 us -> 2.00 us \(\+90.*%\); too few independent intervals to tell it from noise'
run 5 --report diff --single-run --fail-if 'cpi>+1%' before.bin slower.bin
in_file err 'cpi has no statistical test of one run each: the gate compares the value itself'
run 5 --report diff --single-run --fail-if 'mean>+1%' before.bin slower.bin
in_file err '; one run each: differences between runs are not in this$'
# One run is not gated by accident.
run 2 --report diff --fail-if 'mean>+5%' before.bin slower.bin
in_file err 'one run each: .*--single-run'

# All failed gates are reported; n/a is reported and does not fail; a gate without intervals fails.
run 5 --report diff --single-run --fail-if 'mean>+5%' --fail-if 'cpi>+1' --fail-if 'count>+1' before.bin slower.bin
[ "$(wc -l <err)" -eq 2 ] || fail "not two lines"
run 0 --report diff --single-run --fail-if 'mean>+5%' before.bin none.bin
in_file err 'gate mean>\+5%: n/a for 1 of 1 labels'
run 5 --report diff --single-run --fail-if 'x:mean>+5%' before.bin slower.bin
in_file err 'gate failed: x:mean>\+5%: no such intervals on either side'
run 5 --report diff --single-run --fail-if 'count>+5%' none.bin before.bin
run 5 --report diff --single-run --fail-if 'count<-5%' before.bin none.bin
loss='section loss
loss 0 5 4 3 2 0 0 0'
make_trace lossy.bin
run 5 --report diff --single-run --fail-if 'count>+0' before.bin lossy.bin
run 3 --strict --report diff --single-run --fail-if 'count>+0' before.bin lossy.bin

# Percentiles that are asked for are metrics, too; those that are there already stand once.
percentiles='--percentiles 50,75,95,99'
for expression in 'p95>+5%' 'p75>+150ns' 'a:b:p95_ns>+1%' 'p75<+30%'; do
	# shellcheck disable=SC2086
	run 5 --report diff --single-run $percentiles --fail-if "$expression" before.bin slower.bin
	in_file err '^cpidecode: gate failed: .*: "a:b", minor 0x01: [0-9.]+ us -> [0-9.]+ us'
done
for expression in 'p95>+30%' 'p75>+1us' 'p95_ns<-1%'; do
	# shellcheck disable=SC2086
	run 0 --report diff --single-run $percentiles --fail-if "$expression" before.bin slower.bin
done
# shellcheck disable=SC2086
run 0 --report diff $percentiles --format csv before.bin slower.bin
[ "$(grep -c ',p[0-9.]*_ns,' out)" -eq 5 ] || fail "not 50, 75, 90, 95 and 99"
for percent in 50 75 95; do
	grep ",p${percent}_ns," out | cut -d, -f5,6 >there
	for trace in before slower; do
		"$CPIDECODE" --percentiles $percent --columns p${percent}_ns --format csv $trace.bin
	done | tr -d '\r' | grep -v p | paste -sd, | cmp there - || fail "p$percent is not the summary's"
	in_file out ",p${percent}_ns,.*,change,"
done
# Several runs a side, in text, and runs of one program.
for i in 1 2 3; do
	# shellcheck disable=SC2046 # words
	make before.$i $(spread $((1049 + i)))
	# shellcheck disable=SC2046 # words
	make slower.$i $(spread $((1249 + i)))
done
run 5 --report diff --percentiles 95 --fail-if 'p95>+5%' --before before.? --after slower.?
in_file out '^p95_ns +1[.]10 us +1[.]30 us +[+]18[.]2%!'
run 0 --aa --report diff --percentiles 95 before.?
in_file out '^p95_ns +1[.]10 us +0[.]09%'

misuse 'expected .* or an event of the runs' --report diff --single-run --fail-if 'p95>+5%' before.bin slower.bin
for expression in '' x mean 'mean=+5%' ':mean' 'mean +5%'; do
	misuse 'expected|has to follow the metric' --report diff --fail-if "$expression" before.bin slower.bin
done
misuse 'with a sign' --report diff --fail-if 'mean>5%' before.bin slower.bin
misuse 'with a sign' --report diff --fail-if 'mean>' before.bin slower.bin
for expression in 'mean>+' 'mean>+%' 'mean>+.5%' 'mean>+5.%' 'mean>+1.2.3%' 'cpi>+nan' 'cpi>+0x1' \
	'cpi>+1e3'; do
	misuse 'number|unknown unit' --report diff --fail-if "$expression" before.bin slower.bin
done
misuse 'a time needs a unit' --report diff --fail-if 'mean>+5' before.bin slower.bin
misuse 'only times have units' --report diff --fail-if 'cpi>+5ns' before.bin slower.bin
misuse 'unknown unit' --report diff --fail-if 'mean>+5%%' before.bin slower.bin
misuse 'unknown unit' --report diff --fail-if 'mean>+5d' before.bin slower.bin
misuse 'goes with --report diff' --fail-if 'mean>+5%' before.bin
misuse 'compares two' --report diff before.bin
misuse 'compares two' --report diff before.bin slower.bin one.bin
misuse 'no --format|goes with' --report diff --format folded before.bin slower.bin
misuse 'one of --percentiles' --report diff --single-run --percentiles 96 --fail-if 'p95>+5%' before.bin slower.bin
misuse 'a time needs a unit' --report diff --single-run --percentiles 95 --fail-if 'p95>+5' before.bin slower.bin
misuse 'only times have units' --report diff --single-run --percentiles 95 --fail-if 'q95>+5us' before.bin slower.bin
