#!/bin/sh
. "${0%/*}/lib.sh"
measured page-faults || skip "page faults cannot be counted here"

names()
{
	tr -d '\r' <counts | sed 's/"[^"]*"/x/g' | awk -F, '$1 == "total" { print $5 }' | tr '\n' ' '
}

run 0 --csv -o counts -e page-faults:u -e minor-faults:u,task-clock:u -- true
[ "$(names)" = 'page-faults:u minor-faults:u task-clock:u ' ] || fail "$(names)"
run 0 --csv -o counts -e '{page-faults,minor-faults}:u,{task-clock:u}' -- true
[ "$(names)" = 'page-faults:u minor-faults:u task-clock:u ' ] || fail "$(names)"
faults=$(cells counts total page-faults:u)
near "minor faults of as many page faults" "$(cells counts total minor-faults:u)" 1 "$faults"

# Commas within a PMU's slashes divide nothing.
status=0
"$SWTRACE" stat --csv -o counts -e 'page-faults,nopmu/event=1,umask=2/,task-clock' -- true 2>err ||
	status=$?
[ $status -eq 0 ] || fail "exit $status"
tr -d '\r' <counts | grep -q '^total,[0-9.]*,[0-9.]*,,"nopmu/event=1,umask=2/",,,' ||
	fail "the PMU that is not there"
in_file counts 'there is no PMU ""nopmu""'

# The same event twice is counted twice.
run 0 --csv -o counts -e page-faults,page-faults -- "$WORK" pages 1000
[ "$(total page-faults | uniq | wc -l)" -eq 1 ] || fail "two counts of the same"
[ "$(total page-faults | wc -l)" -eq 2 ] || fail "not two counts"
