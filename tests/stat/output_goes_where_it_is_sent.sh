#!/bin/sh
. "${0%/*}/lib.sh"
measured page-faults || skip "page faults cannot be counted here"

# Beside a command on standard error; - is standard output, where the command's is not.
run 0 -e page-faults -- echo hello
[ "$(cat out)" = hello ] || fail "standard output is not the command's"
in_file err 'page-faults'
in_file err '^swtrace stat: command echo hello$'
in_file err '^ +[0-9.]+ s  elapsed$'
run 0 -e page-faults -o - -- echo hello
in_file out 'page-faults'
[ "$(cat err)" = hello ] || fail "standard error has more than the command's output"

# A name that would talk to a terminal does not.
run 0 -e page-faults -- sh -c : "$(printf 'a\033[31mb\302\233c')"
in_file err 'sh -c : a\?\[31mb\?c$'
run 0 --json -o - -e page-faults -- sh -c : "$(printf 'a\033b\302\233c\nd\377e')"
grep -qF "$(printf 'sh -c : a\\u001Bb\\u009Bc\\nd\357\277\275e"')" out ||
	fail "control or invalid bytes in JSON"

# CSV: the same number of cells in all lines, which end as RFC 4180 has it.
run 0 --csv -o counts -I 10 -- "$WORK" sleeps 30
[ ! -s err ] || grep -q ':u count user mode' err || fail "there is more than the file"
is_csv counts
[ "$(head -n 1 counts | tr , '\n' | wc -l)" -eq 15 ] || fail "a heading of other than 15 cells"
[ "$(head -n 1 counts | cut -d, -f1-6)" = kind,time_s,elapsed_s,cpu,event,count ] || fail "heading"
[ "$(grep -c '^kind' counts)" -eq 1 ] || fail "more than a heading"
[ "$(grep -c '^total' counts)" -eq 6 ] || fail "not six totals"

# JSON: a value a line, the total last. Whatever is none is found out.
for wrong in '{"a": 1,}' '{"a": 01}' '{"a": ["\x"]}' '{"a" 1}' '{"a": [1]} 2' '{"a": n/a}' '{"a": [1' '[1]' \
	''; do
	printf '%s\n' "$wrong" >wrong_json
	! (is_json wrong_json) 2>wrong || fail "'$wrong' was taken for JSON"
done
run 3 --json -o - -I 10 -- sh -c "'$WORK' sleeps 30; exit 3" 'quote " and \'
is_json out
[ "$(wc -l <out)" -gt 1 ] || fail "no intervals"
tail -n 1 out | grep -q '^{"kind": "total".*"exit_code": 3, ' || fail "the last line is no total"
[ "$(grep -c '"kind": "total"' out)" -eq 1 ] || fail "more than one total"

# A file appears complete, at the end; an existing file stays until then, or on failure.
echo before >counts
run 0 --csv -o counts -I 10 -e page-faults -- sh -c "'$WORK' sleeps 30; cat counts"
[ "$(cat out)" = before ] || fail "the file was replaced too early"
in_file counts '^total'
[ "$(ls -A | grep -c swtrace)" -eq 0 ] || fail "something is left: $(ls -A)"
echo before >counts
run 127 -o counts -e page-faults -- ./nothing-of-that-name
[ "$(cat counts)" = before ] || fail "a command that did not run replaced the file"
refuses 1 '^swtrace stat: ' -o . -e page-faults -- true
refuses 1 nowhere -o nowhere/counts -e page-faults -- echo hello

# A failed write is an error, whatever the command's own status.
refuses 1 /dev/full -o /dev/full -e page-faults -- true
run 7 -o /dev/full -e page-faults -- sh -c 'exit 7'
status=0
"$SWTRACE" stat -e page-faults -o - -- true >&- 2>err || status=$?
[ $status -eq 1 ] || fail "closed standard output: exit $status"
in_file err 'standard output'
# A reader that had enough ends it without a word.
"$WORK" sleeps 100000 &
target=$!
pids="$pids $target"
("$SWTRACE" stat -I 5 -e page-faults -p $target 2>err || echo $? >status) | head -n 1 >out
wait_until test -s status
[ "$(cat status)" -eq 1 ] || fail "closed pipe: exit $(cat status)"
[ ! -s err ] || fail "a closed pipe was complained of"
