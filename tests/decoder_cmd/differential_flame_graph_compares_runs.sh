#!/bin/sh
# --report diff --format svg: widths of the runs after, colours and tooltips of the change, means of several runs.
. "${0%/*}/lib.sh"

# trace_of NAME COMMAND QUERY PARSE OTHER LABEL: a request with intervals of so many ticks in it, in the process pid.
pid=10
trace_of()
{
	{
		printf 'clock tsc\nhz 1000000000\nid "%-16s"\nsync 0 1700000000000000000 1000\n' "$1"
		printf 'section meta\n| command: %s\n' "$2"
		printf 'section tasks\n'
		[ $pid != 10 ] || echo 'task 10 10 0 "server"'
		printf 'task 11 %d 0 "worker"\nsection hooks ring=0\n' $pid
		at=1000000
		for part in "$3 query" "$4 parse" "$5 $6"; do
			at=$((at + ${part%% *}))
			echo "group mm=1 tid=11 at=$at elapsed=${part%% *} types=1 label=\"${part#* }\" summary"
			echo endgroup
		done
		all=$(($3 + $4 + $5 + 100))
		echo "group mm=1 tid=11 at=$((at + 50)) elapsed=$all types=1 label=\"request\" summary"
		echo endgroup
		echo 'section end'
	} | "$MKTRACE" - "$1.bin"
}

# tip LABEL: the lines of its tooltip, joined by '|'.
tip()
{
	sed -n "/<title>$1\$/,/<\/title>/p" out | sed 's/.*<title>//; s/<\/title>.*//' | paste -sd'|' -
}

tip_is()
{
	[ "$(tip "$1")" = "$1|$2" ] || fail "$1: $(tip "$1")"
}

# colour LABEL: of its frame.
colour()
{
	sed -n "/<title>$1\$/,/<rect/p" out | sed -n 's/.*<rect[^>]* fill="\([^"]*\)".*/\1/p'
}

trace_of a 'server <old>' 1000 800 200 gone
trace_of b 'server --new' 1500 400 100 fresh
run 0 --report diff --format svg a.bin b.bin
quiet
cp out flame.svg
in_file out '>Differential flame graph<'
in_file out '>before: server &lt;old&gt; . 2,100 cycles<'
in_file out '>after: server --new . 2,100 cycles \(\+0.0%\) . width: elapsed cycles<'
in_file out 'Red grew, blue shrank'
in_file out '1 frame of before is not there after: 200 cycles\.'
tip_is request '+0.0% against before|before 2,100 cycles|after 2,100 cycles, 100.00% of all'
tip_is query '+50.0% against before|before 1,000 cycles|after 1,500 cycles, 71.43% of all'
tip_is parse '-50.0% against before|before 800 cycles|after 400 cycles, 19.05% of all'
tip_is fresh 'new: not before|before 0 cycles|after 100 cycles, 4.76% of all'
not_in_file out '>gone<'
[ "$(colour request)" = '#f0efed' ] || fail "no change is $(colour request)"
[ "$(colour parse)" = '#2166ac' ] || fail "a half is $(colour parse)"
[ "$(colour fresh)" = '#b2182b' ] || fail "a new frame is $(colour fresh)"
if command -v xmllint >/dev/null; then
	xmllint --noout flame.svg || fail "not well-formed"
fi

# The same runs are grey in either order; sides swap their colours.
run 0 --report diff --format svg a.bin a.bin
[ "$(grep -c 'rx="2" fill="#f0efed"' out)" -eq 7 ] || fail "a run differs from itself"
run 0 --report diff --format svg b.bin a.bin
[ "$(colour parse)" = '#b2182b' ] || fail "a double is $(colour parse)"

# Several runs: means of each side, however the runs stand, on any number of threads.
trace_of a2 'server <old>' 3000 800 200 gone
trace_of b2 'another' 1500 400 300 fresh
trace_of b3 'server --new' 1500 400 200 fresh
run 0 -j 1 --report diff --format svg --before a.bin a2.bin --after b.bin b2.bin b3.bin
cp out means
in_file out '>before: server &lt;old&gt; . 2 runs, 3,100 cycles a run<'
in_file out '>after: 3 runs, 2,200 cycles a run \(-29.0%\)'
tip_is query '-25.0% against before|before 2,000 cycles a run|after 1,500 cycles a run, 68.18% of all'
tip_is fresh 'new: not before|before 0 cycles a run|after 200 cycles a run, 9.09% of all'
run 0 -j 4 --report diff --format svg --before a2.bin a.bin --after b3.bin b.bin b2.bin
sed 's/tabindex="-1"//' out | sort >one
sed 's/tabindex="-1"//' means | sort | cmp -s - one || fail "another order, another picture"

# Ids differ between runs: processes whose main thread the trace does not name are one frame.
pid=20
trace_of c server 1000 800 200 gone
pid=30
trace_of d server 1500 400 200 gone
run 0 --report diff --format svg c.bin d.bin
tip_is 'unnamed process' 'process|+4.8% against before|before 2,100 cycles|after 2,200 cycles, 100.00% of all'
tip_is query '+50.0% against before|before 1,000 cycles|after 1,500 cycles, 68.18% of all'
not_in_file out 'pid [0-9]'

# Filters, and incompatible options.
run 0 --report diff --format svg --weight ns --label query a.bin b.bin
tip_is query '+50.0% against before|before 1,000 ns|after 1,500 ns, 100.00% of all'
run 0 --partial a.p a.bin
run 1 --report diff --format svg a.p b.bin
in_file err 'a.p: a partial result has no stacks'
for more in --aa '--fail-if p90>+5%' '--metric x=1' --single-run '--percentiles 50'; do
	# shellcheck disable=SC2086
	run 2 --report diff --format svg $more a.bin b.bin
	in_file err '--format svg is the differential flame graph: it takes no '
	# shellcheck disable=SC2086
	run 2 --report diff --format html $more a.bin b.bin
	in_file err '--format html is the differential flame graph: it takes no '
done
run 2 --report diff --format svg --weight nonesuch a.bin b.bin
run 2 --report diff --format folded a.bin b.bin

# The page: tests/browser compares its frames with the picture's.
run 0 --report diff --format html --weight ns --compensate --label query a.bin b.bin
in_file out '^<script type="text/plain" class="change">'
run 1 --report diff --format html a.p b.bin
in_file err 'a.p: a partial result has no stacks'
