#!/bin/sh
# Unmeasured events never show 0, and the exit code is 4 if none is measured.
. "${0%/*}/lib.sh"
measured page-faults || skip "page faults cannot be counted here"

# No machine has all of these cache events.
never=node-prefetch-misses,L1-icache-prefetch-misses,dTLB-prefetch-misses
run 0 --csv -o counts -e "page-faults,$never" -- true
missing=$(tr -d '\r' <counts | awk -F, '$5 ~ /prefetch/ && $6 == "" && $15 != ""' | wc -l)
present=$(tr -d '\r' <counts | awk -F, '$5 ~ /prefetch/ && $6 != ""' | wc -l)
[ $((missing + present)) -eq 3 ] || fail "an event has neither a count nor a reason"
[ "$missing" -gt 0 ] || skip "this machine has every event"
run 0 -e "page-faults,$never" -- true
in_file err '^ +n/a +[a-zA-Z1]*-?[a-z]*-prefetch-misses +\(.*[a-z].*\)$'
run 0 --json -e "page-faults,$never" -- true
in_file err '"event": "[^"]*prefetch-misses", "cpu": null, "user_only": false, "count": null,'

for event in $(echo $never | tr , ' '); do
	[ -z "$(cells counts total "$event")" ] || continue
	run 4 -e "$event" -- sh -c 'echo ran'
	[ ! -s out ] || fail "the command ran, though nothing could be counted"
	in_file err "^swtrace stat: cannot count $event: "
	[ "$(wc -l <err)" -eq 1 ] || fail "more than a line"
	run 4 -o counted -e "$event" -- true
	[ ! -e counted ] || fail "a file of nothing"
done
