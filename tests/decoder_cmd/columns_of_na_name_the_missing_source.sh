#!/bin/sh
. "${0%/*}/lib.sh"

pmu='need a machine with a PMU, or a guest whose host shows it, and the right to count (swtrace doctor says what is missing)'
doctor='(swtrace doctor says what is missing)'
scaled='scaled CPI and busy% need CPI_TYPE_SCALED in CpiInit (and readable idle time)'
onthread='thread CPI needs CPI_TYPE_ONTHREAD in CpiInit and a PMU'
split='instructions, CPI and cycles_per_ns'

# trace [CLOCK]: makes t.bin of the groups on standard input.
trace()
{
	{
		printf 'clock %s\nhz 1000000000\nsync 0 1700000000000000000 1000\nsection hooks ring=0\n' "${1:-tsc}"
		cat
		echo 'section end'
	} | "$MKTRACE" - t.bin
}

file=t.bin
# ends LINE OPTIONS...: the text report's last line, and the only one with n/a in front. '': none.
ends()
{
	line=$1
	shift
	run 0 "$@" "$file"
	if [ -z "$line" ]; then
		not_in_file out '^# n/a'
		return
	fi
	[ "$(tail -n 1 out)" = "# n/a: $line" ] || fail "cpidecode $*: $(tail -n 1 out)"
	[ "$(grep -c '^# n/a' out)" -eq 1 ] || fail "cpidecode $*: several lines"
}

# All measured: no line. One interval that measures a figure is enough.
full='group mm=1 tid=7 at=1000 elapsed=400 label="a" types=7 summary detailed
cpu 1000 2000 1000
thread 200 300
quality on_cpu=300 switches=0 migrations=0 faults=0
endgroup
group mm=1 tid=7 at=3000 elapsed=900 label="a" types=7 summary detailed
cpu 1000 2000 1000
thread 400 600
quality on_cpu=600 switches=0 migrations=0 faults=0
endgroup'
bare='group mm=2 tid=7 at=9000 elapsed=300 label="b" types=1 summary
cpu 0 0 0
endgroup'
echo "$full" | trace
ends ''
ends '' --report why
printf '%s\n' "$full" "$bare" | trace
ends ''
ends '' --report why
# The filter's intervals count, not the trace's.
ends "raw CPI needs ${pmu#need }; $scaled; $onthread" --label b
ends "$split need CPI_TYPE_ONTHREAD in CpiInit; off CPU needs CPI_TYPE_TRACE_QUALITY in CpiInit; % needs a tail that differs from the middle" \
	--report why --label b
# The line is about the columns that are shown.
ends '' --label b --columns label,count
ends "raw CPI needs ${pmu#need }" --label b --columns raw_cpi,label
ends "raw CPI needs ${pmu#need }; migr needs CPI_TYPE_TRACE_QUALITY in CpiInit" \
	--report intervals --label b --columns label,raw_cpi,migrations
ends '' --report intervals --label b --columns label,elapsed
ends '' --label c
ends '' --report why --label c
# Text only.
for format in csv json; do
	for report in summary why; do
		run 0 --report "$report" --format "$format" --label b t.bin
		not_in_file out 'CPI_TYPE|doctor'
	done
done

# The flags were given; the machine has no counters.
for hooks in summary detailed; do
	trace <<END
group mm=1 tid=7 at=1000 elapsed=400 types=7 $hooks
cpu 0 2000 1000
thread 0 300
endgroup
END
	ends "raw CPI and scaled CPI $pmu; $onthread"
	ends "$split $pmu; off CPU needs CPI_TYPE_TRACE_QUALITY in CpiInit; % needs a tail that differs from the middle" \
		--report why
done
# A partial result has the same report.
run 0 --partial t.p t.bin
file=t.p
ends "raw CPI and scaled CPI $pmu; $onthread" merge
file=t.bin

# Counters for the thread, none for the processors; and the reverse.
trace <<'END'
group mm=1 tid=7 at=1000 elapsed=400 types=7 detailed
cpu 0 2000 1000
thread 100 300
endgroup
END
ends "raw CPI and scaled CPI need the right to count on all processors $doctor"
trace <<'END'
group mm=1 tid=7 at=1000 elapsed=400 types=7 detailed
cpu 1000 2000 1000
thread 0 0
endgroup
END
ends "$onthread"

# Counted instructions, cycles of unknown rate.
trace <<'END'
hook 0xC0 0x80000001 tid=7 at=1000 3 64:100 64:1000 64:0 4:0 64:2500 4:2.5 4:0
END
ends "raw CPI and busy% need a known frequency of the processors (SWTRACE_CPU_HZ); $onthread"

# A processor that was idle.
trace <<'END'
group mm=1 tid=7 at=1000 elapsed=400 types=3 detailed
cpu 1000 2000 0
endgroup
END
ends "scaled CPI needs a count of cycles above 0; $onthread"

# The report why: the thread's counts are in the detailed hooks; QUALITY was given to the Get alone.
trace <<'END'
group mm=1 tid=7 at=1000 elapsed=400 types=7 summary
cpu 1000 2000 1000
thread 100 300
quality
endgroup
group mm=1 tid=7 at=2000 elapsed=500 types=7 summary
cpu 1000 2000 1000
thread 100 300
quality
endgroup
END
ends ''
ends "$split need CPI_TYPE_TRACE_DETAILED; off CPU needs CPI_TYPE_TRACE_QUALITY in CpiInit as well, and CpiStart and CpiGetAndTrace on one thread" \
	--report why

# Counts of user mode alone do not show how long a cycle took.
echo "$full" | sed 's/^quality/& flags=8/' | trace
ends "cycles_per_ns needs the right to count in the kernel $doctor" --report why
echo "$full" | sed '/^quality/d' | trace
ends "cycles_per_ns and off CPU need CPI_TYPE_TRACE_QUALITY in CpiInit" --report why
echo "$full" | sed '1,/^endgroup/s/^quality.*/quality/' | trace
ends "cycles_per_ns and off CPU need the same figures in every interval of the middle and the tail" --report why

# Counts, but no ticks that could be cycles: the differences are n/a, the values are not.
echo "$full" | sed '/^quality/d' | trace raw
ends "differences by instructions, CPI, cycles_per_ns and off CPU need CPI_TYPE_TRACE_QUALITY in CpiInit" \
	--report why
in_file out '^instructions +300\.0 +400\.0 +n/a'

# Events that no interval counted. One interval that counted it is enough.
events='a machine that counts such events, and the right to count them'
# counted KNOWN...: the intervals of `full`, behind each a hook of events e1, e2, ... and their flags.
counted()
{
	words="" names="" n=0
	for known; do
		n=$((n + 1))
		words="$words 0 $known 64:$known 64:0 64:0"
		names="$names \"e$n\""
	done
	echo "$full" | sed "s/^endgroup/&\\nhook 0xC1 0x20000001 tid=7 AT $n $n 64:ELAPSED$words$names/" |
		awk '/^group/ { at = $4; split($5, elapsed, "=") } { sub("AT", at); sub("ELAPSED", elapsed[2]); print }'
}
counted 1 1 | trace
ends ''
counted 1 0 | trace
ends "the event e2 needs $events $doctor"
ends "the event e2 needs $events $doctor" --report why
ends '' --columns label,count
counted 0 1 0 | trace
ends "the events e1 and e3 need $events $doctor"
run 0 --partial t.p t.bin
file=t.p
ends "the events e1 and e3 need $events $doctor" merge
file=t.bin
# of_another: label and thread.
of_another()
{
	sed 's/label="a"/label="b"/; s/tid=7/tid=8/; s/at=\([0-9]\)/at=1\1/'
}
{ counted 1 0; counted 0 1 | of_another; } | trace
ends ''
ends "the event e1 needs $events $doctor" --label b
{ counted 0 0 0 0 0; counted 0 0 0 0 0 | of_another | sed 's/"e/"f/g'; } | trace
ends "the events e1, e2, e3, e4, e5, f1, f2, f3 and 2 more need $events $doctor"
