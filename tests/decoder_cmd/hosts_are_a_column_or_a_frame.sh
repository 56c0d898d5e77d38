#!/bin/sh
# --by host of intervals and hooks is a column, of folded stacks and svg a frame: it changes nothing else.
. "${0%/*}/lib.sh"

# trace FILE HOST: of a machine of its own. HOST '': none in META.
trace()
{
	"$MKTRACE" - "$1" <<END
clock raw
hz 1000000000
id "$(printf '%-16s' "of $1")"
sync 0 1700000000000000000 5
${2:+section meta
| host: $2}
section tasks
task 7 5 0 "worker"
section hooks ring=0
group mm=1 tid=7 at=10000 elapsed=1000 types=1 label="$1" summary
cpu 1 2 1
endgroup
group mm=1 tid=7 at=20000 elapsed=3000 types=1 label="both" summary
cpu 1 2 1
endgroup
section end
END
}
trace one.bin 'host one'
trace two.bin 'two, of "2"'
trace none.bin ''
all='one.bin two.bin none.bin'

# The column, and without it the rows of all.
without_host()
{
	python3 -c '
import csv, sys
rows = list(csv.reader(sys.stdin))
at = rows[0].index("host")
hosts = {row[at] for row in rows[1:]}
if hosts != {"host one", "two, of \"2\"", ""}:
    sys.exit(f"hosts: {hosts}")
csv.writer(sys.stdout).writerows(row[:at] + row[at + 1:] for row in rows)' <out >rest || fail "$1: hosts"
}
command -v python3 >/dev/null || skip "hosts: python3: not installed"
for report in intervals hooks; do
	# shellcheck disable=SC2086
	run 0 --report $report --format csv $all
	mv out expected
	# shellcheck disable=SC2086
	run 0 --report $report --format csv --by host $all
	without_host "$report"
	cmp -s expected rest || fail "$report: other rows: $(diff expected rest)"
	# shellcheck disable=SC2086
	run 0 --report $report --format json $all
	mv out expected
	# shellcheck disable=SC2086
	run 0 --report $report --format json --by host $all
	sed 's/"host":\(null\|"[^"\\]*\(\\.[^"\\]*\)*"\),//' out | cmp -s expected - || fail "$report: other objects"
	[ "$(grep -c '"host":"host one",' out)" -gt 0 ] && [ "$(grep -c '"host":null,' out)" -gt 0 ] ||
		fail "$report: $(cat out)"
done
# shellcheck disable=SC2086
{
	run 0 --report intervals $all
	! grep -q 'host one' out || fail "intervals have a column of hosts without --by host"
	run 0 --report intervals --by host $all
	in_file out '^label .* host '
	in_file out '^one.bin .* host one +01 '
	run 0 --report intervals --columns host,label --sort -host --format csv $all
	[ "$(sed -n 2p out | tr -d '\r')" = '"two, of ""2""",two.bin' ] || fail "--columns: $(cat out)"
	run 0 --report hooks --by host $all
	in_file out '^host one +\+0.000000000 s   0       7 000000C0'
	in_file out '^n/a +\+0.000000000 s   0       7 000000C0'
}

# Conditions know it, also of an interval around, and with it absent.
condition()
{
	# shellcheck disable=SC2086
	run 0 --report intervals --format csv --columns label --where "$1" $all
	tr -d '\r' <out | sed 1d | sort | tr '\n' ' ' >found
	[ "$(cat found)" = "$2" ] || fail "--where $1: $(cat found)"
}
condition 'host="host*"' 'both one.bin '
condition 'absent(host)' 'both none.bin '
condition 'host!="host one" and label=both' 'both '
condition 'host in ("host one", "two*") and not label=both' 'one.bin two.bin '
condition 'absent(parent.host) and label=both' 'both both both '
# shellcheck disable=SC2086
run 0 --format csv --columns count --where 'host="host one"' $all
[ "$(sed 1d out | tr -d '\r' | tr '\n' ' ')" = '1 1 ' ] || fail "the summary of one host: $(cat out)"

# A frame for each host, also merged from partial results, which keep their containers apart.
# shellcheck disable=SC2086
run 0 --format folded --by host $all
cat >expected <<'END'
host one;pid 5;worker;both 3000
host one;pid 5;worker;one.bin 1000
n/a;pid 5;worker;both 3000
n/a;pid 5;worker;none.bin 1000
two, of "2";pid 5;worker;both 3000
two, of "2";pid 5;worker;two.bin 1000
END
cmp -s expected out || fail "frames: $(cat out)"
for format in folded svg; do
	# shellcheck disable=SC2086
	run 0 --format $format --by host $all
	mv out expected
	for file in $all; do
		run 0 --partial "$file.p" --format $format --by host "$file"
	done
	run 0 merge --partial some.p none.bin.p two.bin.p
	run 0 merge some.p one.bin.p
	cmp -s expected out || fail "$format: merged"
	run 0 merge --format $format --by host some.p one.bin.p
	cmp -s expected out || fail "$format: merged by host"
done
run 0 --partial plain.p --format svg one.bin
run 1 merge --format svg --by host plain.p
in_file err '^cpidecode: plain.p: it was made without --by host$'

# What has no hosts says why.
run 2 --report info --by host one.bin
in_file err '--report info is about each file, and names its host'
run 2 --format perfetto --by host one.bin
in_file err 'an export has every interval, and its host where the format has room'
run 2 --format nrm2 -o x --by host one.bin
in_file err '--format nrm2 is a file of hooks, each by its ring'
run 2 --report heatmap --format svg --by host one.bin
in_file err 'the svg of --report heatmap is one picture'
run 2 --report intervals --by tid one.bin
in_file err '--by goes with --report summary, .*; --by host also with intervals, .* and with --format folded and svg'
run 2 --report hooks --by host,tid one.bin
in_file err 'expected major,minor or major of hooks, host, or host before these'
