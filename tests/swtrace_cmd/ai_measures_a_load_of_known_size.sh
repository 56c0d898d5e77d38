#!/bin/sh
# A load of 10, 50 and 90 % of a processor over 2 s: ai agrees with the load's CPU clock and the
# kernel's account of the same seconds, within 2 points and the steps of the account.
. "${0%/*}/lib.sh"

run 0 ai 0.01 1 --json
! grep -q '"method": "scripted' out || skip "counters are scripted"

cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //; s/[-,].*//')
for percent in 10 50 90; do
	python3 "${0%/*}/duty.py" "$SWTRACE" "${cpu:-0}" $percent || fail "a load of $percent %"
done
