#!/bin/sh
# Wrong options, sessions that are not there, and outputs that cannot be written.
. "${0%/*}/lib.sh"

refuses 1 'there is no trace session' top --batch
run 0 install
refuses 1 'swtrace init' top --batch
session wrap 1
refuses 2 '--interval: ".*": expected' top --interval 0
refuses 2 '--interval: ".*": expected' top --interval 1ms
refuses 2 '--interval: ".*": expected' top --interval soon
refuses 2 '--rounds: ".*": expected a whole number' top --rounds 0
refuses 2 '--rounds: ".*": expected a whole number' top --rounds many
refuses 2 '--sort: "colour": expected rate' top --sort colour
for condition in label colour=red 'elapsed>10'; do
	run 2 top --where "$condition"
	in_file err '^swtrace top: --where: '
	[ ! -s out ] || fail "printed something"
done
refuses 2 '--counts .*--where' top --counts --where 'tid=1'
refuses 2 '--counts .*--label' top --counts --label x
refuses 2 'exclude each other' top --batch --json
refuses 2 'one argument too many' top now
refuses 2 "the file's name is empty" top -o ''
refuses 1 '/no/such/file: cannot create' top --batch --rounds 1 --interval 10ms -o /no/such/file
[ ! -c /dev/full ] || refuses 1 'cannot write' top --batch --rounds 1 --interval 10ms -o /dev/full
run 0 top --json --rounds 2 --interval 10ms -o file
[ ! -s out ] || fail "printed beside -o"
[ "$(wc -l <file)" -eq 2 ] || fail "two rounds are not two lines"
is_json file
run 0 top --json --rounds 1 --interval 10ms -o -
is_json out
# Not a terminal: lines, and it says so.
run 0 top --rounds 1 --interval 10ms
in_file err 'no terminal: printing lines, as with --batch'
in_file out '^since the start 0 hooks, seen n/a'
run 0 top --help
in_file out '[-]-where CONDITION'
