#!/bin/sh
# Intervals that do not fit into memory are spilled to a temporary file; failing to is reported.
# shellcheck disable=SC3045 # the shells that run this know ulimit -d
. "${0%/*}/lib.sh"
: "${GENTRACE:?the maker of large traces gentrace}"

# Held in memory as they are, these take 190 MB.
"$GENTRACE" -k groups -n 300k -p label,summary many.bin
limit=60000

# A sanitizer's shadow memory alone is more than that.
if ! (ulimit -d "$limit" && "$CPIDECODE" --version) >/dev/null 2>&1; then
	echo "skipped: the command needs more than $limit KiB for itself"
	exit 77
fi

limited()
{
	(
		ulimit -d "$limit"
		run "$@"
	)
}

for report in '--report intervals --format csv' '--report intervals --format text' \
	'--report intervals --format json' '--format folded'; do
	# shellcheck disable=SC2086
	run 0 $report many.bin
	mv out expected
	# shellcheck disable=SC2086
	limited 0 -j 2 $report many.bin
	quiet
	cmp -s out expected || fail "$report: other bytes with little memory"
	[ -s out ] || fail "$report: nothing"
done

run 0 --report intervals --format csv many.bin
lines_are 300001

export TMPDIR=/nowhere/at/all
run 1 --report intervals --format csv -o report.csv many.bin
in_file err 'temporary file .*No such file or directory'
[ ! -e report.csv ] || fail 'there is a report'
unset TMPDIR

# A full disk: no file may grow beyond this.
(
	ulimit -f 1000
	run 1 --report intervals --format csv -o report.csv many.bin
)
in_file err 'temporary file .*File too large'
[ ! -e report.csv ] || fail 'there is a report of a full disk'
