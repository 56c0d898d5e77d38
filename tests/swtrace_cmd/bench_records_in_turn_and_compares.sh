#!/bin/sh
# bench: runs of two commands in turn, and the diff of their traces.
. "${0%/*}/lib.sh"
: "${INTERVALS:?the program intervals}" "${CPIDECODE:?the cpidecode command}"
TMPDIR=$dir
PATH=$(dirname "$CPIDECODE"):$PATH
export TMPDIR PATH

# Each names its run.
run 0 bench -n 4 -s 1 --format csv -o kept --against "echo old >>order; '$INTERVALS' 150 0 0" -- \
	sh -c "echo new >>order; '$INTERVALS' 150 0 0"
[ "$(tr '\n' ' ' <order)" = 'old new new old old new new old ' ] || fail "not in turn: $(cat order)"
[ "$(ls kept/before kept/after | grep -c '^000[1-4].bin$')" -eq 8 ] || fail "traces are missing"
in_file out '^fast,1,count,,150,150,0,0.00,,,4,4'
in_file err '0 refused'
grep -q refused out && fail "the command's output is in the report"
in_file err 'record: .*kept/before/0001.bin: '
run 1 bench -n 1 -o kept --against true -- true
in_file err '^swtrace bench: kept/before: '

# Alone: what its runs differ by. Nothing is left behind.
run 0 bench -n 3 -s 1 -- "$INTERVALS" 150 0 0
in_file out '^# least: the change that 3 runs before and 3 after'
[ -z "$(find . -name 'swtrace-bench.*')" ] || fail "traces are left behind"

# Gates: a count needs no luck. A command that fails is no evidence.
run 5 bench -n 3 -s 1 --fail-if 'count>+10%' --against "'$INTERVALS' 100 0 0" -- "$INTERVALS" 200 0 0
in_file err 'gate failed: count>\+10%: "fast"'
run 0 bench -n 3 -s 1 --fail-if 'count>+10%' --against "'$INTERVALS' 100 0 0" -- "$INTERVALS" 100 0 0
run 7 bench -n 3 -- sh -c 'exit 7'
in_file err 'run 1 of sh: exit status 7: no comparison'
[ ! -s out ] || fail "a report of commands that failed"
run 127 bench -n 3 -- no-such-command-here
[ -z "$(find . -name 'swtrace-bench.*')" ] || fail "traces are left behind"

refuses 2 'the command is missing' bench -n 3
refuses 2 '1 to 10000 runs' bench -n 0 -- true
refuses 2 '--against is missing' bench --fail-if 'mean>+1%' -- true
refuses 2 'at least 3 runs' bench -n 2 --fail-if 'mean>+1%' --against true -- true
refuses 2 'text, csv or json' bench --format svg -- true
