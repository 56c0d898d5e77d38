#!/bin/sh
# As the user nobody: needs root.
. "${0%/*}/lib.sh"
[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || skip "other users: needs root and setpriv"
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
cp "$SWTRACE" swtrace
cp "$WORK" work
SWTRACE=$dir/as_nobody
printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups %s "$@"\n' \
	"$dir/swtrace" >as_nobody
chmod 755 as_nobody swtrace work
"$SWTRACE" --version >/dev/null 2>&1 || skip "other users cannot run the programs here"

if [ "$paranoid" -ge 1 ]; then
	refuses 4 '^swtrace stat: cannot count cpu-clock: .*paranoid' -a -e cpu-clock,page-faults --duration 0.01
fi
if [ "$paranoid" -eq 2 ]; then
	run 0 --csv -o - -e page-faults,context-switches,task-clock -- "$dir/work" pages 3000
	cp out counts
	near "a user's page faults" "$(total page-faults)" 3000 4000
	in_file out ',page-faults:u,'
	in_file out ',task-clock,[0-9]+,ns,'
	in_file out ',context-switches,,.*perf_event_paranoid is 2'
	in_file err ':u count user mode only'
	# Asked for, it is no fallback and needs no word.
	run 0 -e page-faults:u -o - -- true
	[ ! -s err ] || fail "a word too many"
fi
if [ "$paranoid" -le 2 ]; then
	run 4 -e page-faults:u -p 1
	in_file err 'belongs to another user'
fi
if [ "$paranoid" -gt 2 ]; then
	run 4 -e page-faults:u -- true
	in_file err 'paranoid'
fi
