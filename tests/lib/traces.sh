# Texts of traces for mktrace (tests/golden/README.md) that tests share. Sourced.
# shellcheck shell=sh

# brief_intervals: mktrace's text, in which the line "interval GROUP... cpu CPI..." is a group of nothing but that
# summary.
brief_intervals()
{
	sed 's/^interval \(.*\) \(cpu .*\)/group \1 types=1 summary\n\2\nendgroup/'
}

# make_clocked FILE: the trace of mktrace's text on standard input, with brief intervals and 1 tick a ns since
# 1700000000 s.
make_clocked()
{
	{
		printf 'clock raw\nhz 1000000000\nsync 0 1700000000000000000 5\n'
		brief_intervals
	} | "$MKTRACE" - "$1"
}

# kernel_trace_head: two processors, hooks of the kernel, a label, 1 tick a ns; hooks of ring 0 follow.
kernel_trace_head()
{
	cat <<'END'
clock raw
hz 1000000000
sync 0 1700000000000000000 5
cpus 2
section schema
| major 0xC3 kernel
section labels
label "request"
section hooks ring=0
END
}

# make_open FILE POSITION OVERWRITTEN: two open intervals, early and late, of a ring beside one whose oldest hook is
# between their starts, at that position, and that overwrote so many.
make_open()
{
	"$MKTRACE" - "$1" <<END
clock tsc
hz 1000000000
sync 0 1700000000000000000 1000
cpus 2
section meta
| mode: wrap
| period: 7
section labels
label "early"
label "late"
section tasks
task 7 5 0 "worker"
section hooks ring=0
hook 0xC2 0x40000000 tid=7 at=2000 0 1 64:4294967297 7 0
hook 0xC2 0x40000000 tid=7 at=5000 0 3 64:4294967298 7 0
section hooks ring=1 position=$2
hook 0x10 0x1 tid=9 at=4000 1
section loss
loss 0 0 0 0 0 0 0 0
loss 1 0 0 0 0 $3 0 0
section end
END
}
