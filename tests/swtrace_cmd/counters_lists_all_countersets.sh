#!/bin/sh
. "${0%/*}/lib.sh"

run 0 counters list
in_file out '^Processor Information  \(has instances, \{b4fc721a-0378-476f-89ba-a5a79f810b36\}, from '
in_file out '^     0  % Processor Time +PERF_100NSEC_TIMER_INV$'
for set in 'SWTRACE Rings' CPI Process; do
	in_file out "^$set  \\("
done
run 0 counters list --json
is_json out
[ "$(wc -l <out)" -ge 4 ] || fail "too few countersets"
in_file out '"counterset": "Processor Information", "guid": "b4fc721a-0378-476f-89ba-a5a79f810b36"'
in_file out '"id": 25, "name": "% Processor Performance Base", "type": "PERF_AVERAGE_BASE"'

# One of them, letter case aside.
run 0 counters list 'processor information' --json
[ "$(wc -l <out)" -eq 1 ] || fail "more than the one"
is_json out

# Paths, without the counters that others need.
run 0 counters list -q 'Processor Information'
in_file out '^\\Processor Information\(\*\)\\% Processor Time$'
! grep -q Base out || fail "bases are no counters to query"
run 0 counters list -qx 'Processor Information'
in_file out '^\\Processor Information\(_Total\)\\% Processor Time$'
# Without a session there are no rings: that set has no paths, the others have theirs.
run 0 counters list -qx
in_file out '^\\Process\('
! grep -q '^.SWTRACE Rings' out || fail "rings without a session"

run 0 counters instances 'Processor Information'
grep -qx _Total out && grep -qx 0,_Total out && grep -qx 0,0 out || fail "instances are missing"
run 0 counters instances 'Processor Information' --json
is_json out

# Counters that list shows as supplied have values; the others are blank.
run 0 counters list 'Processor Information'
sed -n 's/^ *[0-9]*  \(.*[^ ]\)  *PERF_[A-Z0-9_]*$/\1/p' out | grep -v Base >here
sed -n 's/^ *[0-9]*  \(.*[^ ]\)  *PERF_[A-Z0-9_]*  *not here$/\1/p' out | grep -v Base >missing
[ -s here ] || fail "nothing is here"
run 0 counters query '\Processor Information(_Total)\*' -si 0.02 -sc 1 -f tsv
head -n 1 out | tr '\t' '\n' | sed -n 's/.*(_Total)\\\(.*\)"$/\1/p' | sort >queried
sort here | diff - queried >difference || fail "other counters: $(cat difference)"
if [ -s missing ]; then
	missing=$(head -n 1 missing)
	refuses 4 "cannot supply" counters query "\\Processor Information(_Total)\\$missing" -sc 1
	run 0 counters query "\\Processor Information(_Total)\\$missing" \
		'\Processor Information(_Total)\% Idle Time' -si 0.02 -sc 1
	in_file err "$missing.* has no values"
	in_file out '^"[^"]*"," ","[0-9.]*".$'
fi

# A process of a known number, and a name that would talk to a terminal: it does not.
name=$(printf 'a\033"b,c')
cp "$(command -v sleep)" "./$name"
"./$name" 100 &
sleeper=$!
pids="$pids $sleeper"
wait_until grep -q '"b,c' /proc/$sleeper/comm
run 0 counters query '\Process(a?"b,c*)\ID Process' -si 0.02 -sc 1
[ "$(sed -n 2p out | cut -d, -f2 | tr -d '"\r')" = "$sleeper.000000" ] || fail "another process"
! grep -q "$(printf '\033')" out || fail "an escape sequence came out"
in_file out '""b,c'
run 0 counters list -qx Process
! grep -q "$(printf '\033')" out || fail "an escape sequence came out of list"
