#!/bin/sh
# Every verb, report and format into a pipe that is not read any more: exit 1 and not a word, whether
# the caller ignores SIGPIPE or not. Verbs that print nothing are as ever.
. "${0%/*}/lib.sh"
: "${CPIDECODE:?the cpidecode command}" "${MKTRACE:?the trace builder mktrace}"

for name in a b c; do
	"$MKTRACE" "${0%/*}/../golden/cases/idle_groups/trace.txt" $name.bin
done
"$CPIDECODE" --partial part a.bin || fail "no partial result"
mkdir before after
cp a.bin before
cp b.bin after

# Remarks that do not depend on who reads.
cat >remarks <<'END'
^cpidecode: one run each: differences between runs are not in this$
^swtrace init: [0-9]+ processor
^swtrace (run|record): .* hooks
^swtrace trigger: (watching|nothing matched in time)
^cpidecode: (chrome|speedscope|parquet|(callgrind|pprof).s format) holds 
END

# EXIT-CODES COMMAND: in this order.
cat >table <<'END'
1 swtrace --help
1 swtrace --version
1 swtrace help ai
0 swtrace init -s 1
0 swtrace on
0 swtrace enable 0xC0
0 swtrace disable 0xC1
1 swtrace info
1 swtrace info --json
1 swtrace maj
1 swtrace maj --json
1 swtrace dump -
1 swtrace dump --format nrm2 -
1 swtrace get -
1 swtrace trigger --when tid=1 --timeout 0.05 -o never.bin
1 swtrace top --batch --interval 0.01
1 swtrace top --json --interval 0.01
0 swtrace off
0 swtrace free
1 swtrace info
1 swtrace run -o - -- true
0 swtrace run -o run.bin -- true
1 swtrace record -o - -- true
0 swtrace record -o record.bin -- true
1 swtrace bench -n 3 -s 1 -- true
1 swtrace bench -n 3 -s 1 --format csv -- true
1|4 swtrace doctor
1|4 swtrace doctor --json
1 swtrace event list
1 swtrace event list --json
1 swtrace event show cycles
1 swtrace event show cycles --json
1 swtrace event encode cycles --cpu intel
1 swtrace event encode cycles --cpu intel --json
1 swtrace stat -o - -- true
1 swtrace stat -o - --json -- true
1 swtrace stat -o - --csv -- true
1 swtrace stat -a --duration 0.02
1 swtrace ai 0.05 1
1 swtrace ai 0.05 1 --csv
1 swtrace ai 0.05 1 --json
1 swtrace counters list
1 swtrace counters list --json
1 swtrace counters list -q
1 swtrace counters list -qx
1 swtrace counters instances Process
1 swtrace counters instances Process --json
1 swtrace counters query \Process(*)\* -si 0.02 -sc 1
1 swtrace counters query \Process(*)\* -si 0.02 -sc 1 -f tsv
1 swtrace counters query \Process(*)\* -si 0.02 -sc 1 -f json
1 cpidecode --help
1 cpidecode --version
1 cpidecode --partial - a.bin
1 cpidecode merge part
1 cpidecode serve a.bin
1 cpidecode --report diff --aa a.bin b.bin c.bin
END

# All verbs have a help, and all reports and formats that go together are there.
"$SWTRACE" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >verbs
[ "$(wc -l <verbs)" -ge 20 ] || fail "few verbs: $(cat verbs)"
while read -r verb; do
	echo "1 swtrace $verb --help"
	[ "$verb" = install ] || grep -q "^[^ ]* swtrace $verb" table || fail "$verb is not in the table"
done <verbs >>table
"$CPIDECODE" --help >help
reports=$(sed -n '/^  --report/,/^  --format/p' help | sed '$d' | cut -c 12-22 | grep -o '[a-z]\{3,\}')
formats=$(sed -n '/^  --format/,/^  --csv-safe/p' help | sed '$d' | cut -c 12-22 | grep -o '[a-z0-9]\{3,\}')
for report in $reports; do
	for format in text csv json; do
		case "$report $format" in
		'info csv' | 'slowest csv') ;;
		*) echo "1 cpidecode --report $report --format $format $([ "$report" = diff ] &&
			echo before after || echo a.bin)" ;;
		esac
	done
done >>table
for format in $formats; do
	# These never go to a pipe.
	case $format in ctf | sqlite) continue ;; esac
	echo "1 cpidecode --format $format a.bin"
done >>table
[ "$(grep -c ' cpidecode ' table)" -eq 50 ] || fail "other reports or formats: $(grep cpidecode table)"

# Without a reader from the beginning on.
mkfifo pipe
exec 8<>pipe 9>pipe 8<&-

# into_pipe CALLER CODES COMMAND...
into_pipe()
{
	caller=$1
	codes=$2
	name=$3
	shift 3
	case $name in
	swtrace) program=$SWTRACE ;;
	cpidecode) program=$CPIDECODE ;;
	esac
	status=0
	(
		[ "$caller" = default ] || trap '' PIPE
		exec "$program" "$@" >&9 2>err </dev/null
	) || status=$?
	echo "|$codes|" | grep -q "|$status|" ||
		fail "$name $*, SIGPIPE $caller: exit $status, expected $codes"
	! grep -Evq -f remarks err || fail "$name $*, SIGPIPE $caller: says something"
}

set -f
for caller in default ignored; do
	while read -r codes command; do
		# shellcheck disable=SC2086
		into_pipe $caller "$codes" $command
	done <table
done

# The child of a verb has the default action: it ends with SIGPIPE's status.
into_pipe default 141 swtrace run -o run.bin -- cat /proc/self/status
