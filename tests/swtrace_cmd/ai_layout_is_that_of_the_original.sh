#!/bin/sh
. "${0%/*}/lib.sh"

# A quarter busy, whatever the machine does.
echo 'busy all 25%' >script
SWTRACE_COUNTERS=scripted:$dir/script
export SWTRACE_COUNTERS
cpus=$(processors)

# repeat N TEXT SEPARATOR
repeat()
{
	awk -v n="$1" -v text="$2" -v between="$3" \
		'BEGIN { for (i = 0; i < n; i++) printf "%s%s", i ? between : "", text; print "" }'
}
# A processor that is offline has no figures.
cells()
{
	tr -s ',' '\n' </sys/devices/system/cpu/online | awk -F- -v n="$cpus" '
		{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) on[i] = 1 }
		END {
			for (i = 0; i < n; i++)
				printf "%s%s", i ? " " : "",
					i in on ? "(75.00,25.00,  n/a)" : "(  n/a,  n/a,  n/a)"
			print ""
		}'
}
names()
{
	awk -v n="$cpus" 'BEGIN {
		for (i = 0; i < n; i++)
			printf i + 1 < n ? "%-20s" : "%s\n", "processor #" i
	}'
}

# head OPTIONS: the lines before the samples, but for the time.
expect_head()
{
	{
		echo "**        Processors: $cpus"
		[ -z "${log-}" ] || echo "**      Log filename: $log"
		echo "**   Sample interval: 0.01 Second(s)"
		echo "** Number of samples: $1"
		echo "**            Method: scripted, not measured"
		echo "** No better, because: SWTRACE_COUNTERS=scripted"
		echo "** Data collection started on  TIME"
		echo
	} >expected
}
shown()
{
	sed -E 's/[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4}$/TIME/' out
}
shows_expected()
{
	shown | diff expected - >difference || fail "other lines: $(cat difference)"
}
ending()
{
	printf '\n** Requested number of samples reached.  Ending.\n' >>expected
}

if [ "$cpus" -gt 1 ]; then
	# A header for every 20 samples.
	run 0 ai 0.01 21
	expect_head 21
	for row in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do
		case $row in
		1 | 21) names && repeat "$cpus" '(idle%,busy%,intr%)' ' ' ;;
		esac >>expected
		cells >>expected
	done
	ending
	shows_expected

	run 0 ai 0.01 2 -sp -t
	expect_head 2
	{
		printf '%-20s' 'System Summary'
		names
		repeat $((cpus + 1)) '(idle%,busy%,intr%)' ' '
		for row in 1 2; do
			printf '(75.00,25.00,  n/a) %s TIME\n' "$(cells)"
		done
	} >>expected
	ending
	shows_expected
else
	run 0 ai 0.01 1
	in_file out '^idle: 75\.00%  busy: 25\.00%  intr:   n/a$'
fi

log=log
run 0 ai 0.01 -r 0.02s -s -l log
expect_head '2 (Run time: 0.02 seconds)'
for row in 1 2; do
	echo 'System idle: 75.00%  busy: 25.00%  intr:   n/a' >>expected
done
ending
shows_expected
cmp -s out log || fail "the log is not what was shown"

# A name that would talk to a terminal does not.
run 0 ai 0.01 1 -l "$(printf 'a\033[31mb')"
in_file out 'Log filename: a\?\[31mb$'
