#!/bin/sh
# `run --switches`, `record --switches` and `on --switches`: the kernel's context switches.
. "${0%/*}/lib.sh"
: "${CPIDECODE:?the cpidecode command}" "${INTERVALS:?a program with intervals}"
: "${SANDBOX:?a program that takes perf_event_open away}"

# kinds FILE: the kernel's hooks in it, by name.
kinds()
{
	"$CPIDECODE" --report hooks --by major,minor --format csv "$1" 2>/dev/null |
		awk -F, '$1 == "195" || $1 == "C3" || $1 == "0xC3" { print }'
}

# Refused: one line says what, why and what to do, and nothing is made.
status=0
"$SANDBOX" EPERM "$SWTRACE" run --switches -o no.bin -- "$INTERVALS" 1 0 0 >out 2>err || status=$?
if [ $status -ne 77 ]; then
	[ $status -eq 4 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fail "refused: exit $status, $(cat err)"
	in_file err '^swtrace run: --switches: cannot record .*(perf_event_open .allow it in the sandbox|PID namespace hides)'
	[ ! -e no.bin ] || fail "a trace without switches"
	status=0
	"$SANDBOX" ENOSYS "$SWTRACE" on --switches >out 2>err || status=$?
	[ $status -eq 4 ] || fail "on, refused: exit $status, $(cat err)"
fi

status=0
"$SWTRACE" run --switches -s 16 -o t.bin -- "$INTERVALS" 3 20 0 >out 2>err || status=$?
if [ $status -eq 4 ]; then
	echo "skipped: switches: $(cat err)"
	exit 77
fi
[ $status -eq 0 ] || fail "run: exit $status: $(cat err)"
! grep 'the command has ended' err || fail "the recorder counts as a process that goes on"
# Elsewhere than in the first PID namespace all other threads would look idle.
if unshare --pid --fork true 2>/dev/null; then
	status=0
	unshare --pid --fork "$SWTRACE" run --switches -o no.bin -- "$INTERVALS" 1 0 0 >out 2>err || status=$?
	[ $status -eq 4 ] && [ ! -e no.bin ] || fail "a PID namespace: exit $status, $(cat err)"
	in_file err '^swtrace run: --switches: cannot record .* PID namespace hides'
fi
[ "$(kinds t.bin | wc -l)" -ge 2 ] || fail "no switches or no names: $(kinds t.bin)"
"$CPIDECODE" --report hooks t.bin >hooks
in_file hooks ' switches cpu=[0-9]* switches=[0-9]* since='
# Right or absent: lost records cost names.
grep -q ' lost cpu=' hooks || in_file hooks ' names names=.*"swtrace_interva"'
# Each is as old as its hook at most, and in order.
"$CPIDECODE" --report hooks --format json t.bin | tr -d ' ' |
	sed -n 's/.*"since":\([0-9]*\),"first":\([0-9]*\),.*"after":\[\([0-9,]*\)\].*/\1 \2 \3/p' >stamps
[ -s stamps ] || fail "no stamps: $("$CPIDECODE" --report hooks --format json t.bin | head -3)"
awk '{
	if ($1 > $2) { print "since", $0; exit 1 }
	n = split($3, after, ",")
	if (after[1] != 0) { print "first", $0; exit 1 }
	for (i = 2; i <= n; i++) if (after[i] < after[i - 1]) { print "order", $0; exit 1 }
}' stamps >wrong || fail "$(cat wrong)"

# In a session: a process of its own, until off.
run 0 init -s 16
run 0 on --switches
run 0 info
in_file out '^switches  recorded by process [0-9]* on [0-9]* processors*: [0-9]*, lost [0-9]* records of the kernel$'
run 0 info --json
in_file out '"switches": {"pid": [0-9]*, "running": true, "killed": false, '
run 1 on --switches
in_file err 'are being recorded already'
# One that is killed says so, and another can be started while tracing is on.
kill_recorder()
{
	kill -9 "$("$SWTRACE" info --json | sed -n 's/.*"switches": {"pid": \([0-9]*\),.*/\1/p')"
	until "$SWTRACE" info | grep -q '^switches  recorded until process [0-9]* was killed'; do sleep 0.05; done
}
kill_recorder
run 0 on --switches
run 0 info
in_file out '^switches  recorded by process '
"$INTERVALS" 2 0 0 >out
# A dump has what there was before it.
run 0 dump before.bin
[ -n "$(kinds before.bin)" ] || fail "no switches in a dump while tracing is on"
run 0 off
run 0 info
in_file out '^switches  recorded until tracing was off: '
run 0 dump after.bin
[ -n "$(kinds after.bin)" ] || fail "no switches in a dump"
run 0 on --switches
kill_recorder
run 0 off
in_file err 'the recorder of switches .process [0-9]*. was killed: '
run 0 free

"$SWTRACE" record --switches -o r.bin -- "$INTERVALS" 2 0 0 >out 2>err || fail "record: $(cat err)"
! grep 'the command has ended' err || fail "the recorder counts as a process that goes on"
[ -n "$(kinds r.bin)" ] || fail "no switches in a recording"

# Hooks of the recorder are not the command's.
"$SWTRACE" run --switches -o t.bin -- true >out 2>err || fail "run true: $(cat err)"
in_file err 'true wrote no hooks'
"$SWTRACE" record --switches -o t.bin -- true >out 2>err || fail "record true: $(cat err)"
in_file err 'true wrote no hooks'

# One that is killed meanwhile is told, and is a loss.
cat >kill_recorder <<'END'
kill -9 "$("$SWTRACE" info --json | sed -n 's/.*"switches": {"pid": \([0-9]*\),.*/\1/p')"
END
status=0
"$SWTRACE" record --switches --strict -o r.bin -- sh ./kill_recorder >out 2>err || status=$?
[ $status -eq 3 ] || fail "a killed recorder: exit $status: $(cat err)"
in_file err 'the recorder of switches .process [0-9]*. was killed: '

# Unasked for, nothing.
"$SWTRACE" run -o t.bin -- "$INTERVALS" 2 0 0 >out 2>err || fail "run: $(cat err)"
[ -z "$(kinds t.bin)" ] || fail "switches without --switches"
