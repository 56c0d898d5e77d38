# Texts of traces for mktrace (tests/golden/README.md) that tests share. Sourced.
# shellcheck shell=sh

# make_clocked FILE: the trace of mktrace's text on standard input, with 1 tick a ns since 1700000000 s.
make_clocked()
{
	{
		printf 'clock raw\nhz 1000000000\nsync 0 1700000000000000000 5\n'
		cat
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
