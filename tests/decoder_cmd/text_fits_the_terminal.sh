#!/bin/sh
# Text leaves out columns without values, and drops others where the terminal is narrow; the label is first and
# cut last. Files have the same bytes whatever the terminal is.
. "${0%/*}/lib.sh"

heading()
{
	sed -n 's/  */ /g; /^label/p' out
}

heading_is()
{
	[ "$(heading)" = "$1" ] || fail "the heading is $(heading)"
}

# fits WIDTH: all lines but notes; wc counts characters, of which labels here have one column each.
fits()
{
	longest=$(grep -v '^#' out | LC_ALL=C.UTF-8 wc -L)
	[ "$longest" -le "$1" ] || fail "a line of $longest columns, not $1"
}

run 0 plain.bin
heading_is 'label count total mean min p50 p90 p99 max raw CPI scaled thread by busy% mm'
cp out unlimited
run 0 --width 0 plain.bin
cmp -s out unlimited || fail "--width 0"
COLUMNS=40
export COLUMNS
run 0 plain.bin
cmp -s out unlimited || fail "a pipe has another width by COLUMNS"
run 0 -o file plain.bin
cmp -s file unlimited || fail "a file has another width by COLUMNS"
unset COLUMNS

# The least informative columns go first, the label stays complete.
run 0 --width 90 plain.bin
fits 90
heading_is 'label count total p50 p99 max raw CPI thread'
in_file out '^we"ird, \\x1B\[31m\\xFF;\\n '
in_file out '^# left out to fit 90 columns: mean, min, p90, scaled, by, busy%, mm \(--columns or --width chooses\)$'
run 0 --width 60 plain.bin
fits 60
heading_is 'label count total p99 max'
run 0 --width 30 plain.bin
fits 30
heading_is 'label count total'
in_file out '^we"ird, \\x1B\[…  +1  30\.0 ms$'

# A column that is n/a throughout goes at any width, and a line says why. It stays if it is asked for.
run 0 --minor 2 plain.bin
heading_is 'label count total mean min p50 p90 p99 max mm'
in_file out '^# n/a: raw CPI needs a machine with a PMU'
run 0 --minor 2 --columns label,raw_cpi,busy_pct plain.bin
heading_is 'label raw CPI busy%'
in_file out '^minor 0x02 +n/a +n/a$'
run 0 --minor 2 --format csv plain.bin
in_file out '^label,minor,count,.*,raw_cpi,scaled_cpi,thread_cpi,cpi_weighting,busy_pct,'
run 0 --report intervals --label guest plain.bin
heading_is 'label start elapsed tid raw CPI mm flags'
in_file out '^# n/a: .*; cpu needs hooks in rings of processors'
run 0 --report intervals --width 50 plain.bin
fits 50
heading_is 'label start elapsed'
in_file out '^# left out to fit 50 columns: cpu, tid, task, '

# Long labels make room for figures; wide characters take two columns.
"$MKTRACE" - long.bin <<'END'
clock tsc
hz 1000000000
sync 0 1700000000000000000 1000
section hooks ring=0
group mm=1 tid=7 at=1000 elapsed=400 label="namespace::very_long_class_name<int>::method(std::string const&) const" types=1 summary
endgroup
group mm=1 tid=7 at=2000 elapsed=300 label="日本語の名前" types=1 summary
endgroup
group mm=1 tid=7 at=3000 elapsed=200 label="abc" types=1 summary
endgroup
section end
END
run 0 --width 80 long.bin
fits 80
in_file out '^namespace::very_long_class_name<int>::m[^ ]*…  +1 '
in_file out '^日本語の名前 +1 '
# The cells after the labels are below each other.
[ "$(sed -n 's/日本語の名前/............/; s/^\(.*\)300 ns.*/\1/p' out | head -n 1 | wc -c)" -eq \
	"$(sed -n 's/^\(.*\)200 ns.*/\1/p' out | head -n 1 | wc -c)" ] || fail "columns do not line up"

# The first line describes the trace. Only its command is cut to the width.
trace_of()
{
	"$MKTRACE" - "$1" <<END
clock tsc
hz 1000000000
id "$1           "
sync 0 1700000000000000000 1000
section meta
| command: $2
section tasks
task 7 7 0 "one"
task $3 7 0 "other"
task $3 7 500 "renamed"
section hooks ring=0
group mm=1 tid=7 at=1000 elapsed=400 label="x" types=1 summary
endgroup
group mm=1 tid=7 at=2500001000 elapsed=400 label="x" types=1 summary
endgroup
section loss
loss 0 $4 0 0 0 0 0 0
section end
END
}
header_is()
{
	[ "$(sed -n "${2-1}p" out)" = "# $1" ] || fail "the header is $(sed -n "${2-1}p" out)"
}
trace_of a.bin 'server --port 7000 --a-long-option=value' 8 0
trace_of b.bin 'client' 7 3
run 0 a.bin
header_is '2.50 s, server --port 7000 --a-long-option=value, 2 threads, no hooks lost'
run 0 --width 60 --report intervals a.bin
header_is '2.50 s, server --port 7000 --a-…, 2 threads, no hooks lost'
run 0 --report histogram b.bin
header_is '2.50 s, client, 1 thread, 3 hooks lost'
run 0 a.bin b.bin
header_is '2 traces'
header_is 'the longest 2.50 s, several commands, 3 threads, 3 hooks lost' 2
cp out expected
run 0 --partial a.p a.bin
run 0 --partial b.p b.bin
run 0 merge b.p a.p
cmp -s out expected || fail "the header of merged results"
run 0 --format csv a.bin
in_file out '^label,'

# Moments: a time that text shows is one that --from takes.
run 0 --report intervals --label outer plain.bin
in_file out '^outer +-0\.025000000 s '
run 0 --report intervals --time unix --label outer plain.bin
in_file out '^outer +1700000000\.005000000 '
run 0 --report intervals --time iso --label outer plain.bin
in_file out '^outer +2023-11-14T22:13:20\.005000000Z '
run 0 --report hooks plain.bin
moment=$(sed -n 's/^\(+.* s\) .*DEADBEEF.*/\1/p' out)
run 0 --report hooks --from "$moment" --to "$moment" plain.bin
lines_are 1
in_file out DEADBEEF
run 0 --report hooks --time unix plain.bin
in_file out '^1700000000\.060000000 +1 +101 00000010'
run 0 --report hooks --time iso plain.bin
in_file out '^2023-11-14T22:13:20\.060000000Z +1 +101 00000010'
run 0 --report slowest --time unix --label outer plain.bin
in_file out '^   at: 1700000000\.005000000, thread '
run 0 --report slowest --time iso --label outer plain.bin
in_file out '^   at: 2023-11-14T22:13:20\.005000000Z, thread '
run 0 --by time:1s --time unix --from 1699999999.5 plain.bin
in_file out '^1699999999\.500000000 '
run 0 --by label,time:1s --time iso --from 1699999999.5 plain.bin
in_file out '^outer +2023-11-14T22:13:19\.500000000Z '
run 0 --report histogram --by time:1s --time iso --from 1699999999.5 plain.bin
in_file out '^2023-11-14T22:13:19\.500000000Z '

misuse '^cpidecode: --time' --time local plain.bin
misuse '^cpidecode: --time' --time unix plain.bin
misuse '^cpidecode: --time' --time unix --by tid plain.bin
misuse '^cpidecode: --time' --time iso --by time:1s --format csv plain.bin
misuse '^cpidecode: --time' --time unix --report intervals --format csv plain.bin
misuse '^cpidecode: --width' --width 10 plain.bin
misuse '^cpidecode: --width' --width wide plain.bin
misuse '^cpidecode: --width' --width 80 --format json plain.bin

# On a terminal: its own width, or that of COLUMNS.
command -v script >/dev/null || skip "terminals: no script command (util-linux)"
on_terminal()
{
	script -qec "stty cols $1; $2 '$CPIDECODE' plain.bin" /dev/null </dev/null | tr -d '\r' >out
	fits "$3"
}
on_terminal 60 'env -u COLUMNS' 60
heading_is 'label count total p99 max'
on_terminal 60 'env COLUMNS=30' 30
heading_is 'label count total'
