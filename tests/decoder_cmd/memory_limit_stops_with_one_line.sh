#!/bin/sh
# --memory: within the limit the report is the same; beyond it the command stops with one line and leaves no file.
# shellcheck disable=SC3045 # the shells that run this know ulimit -d
. "${0%/*}/lib.sh"
: "${GENTRACE:?the maker of large traces gentrace}"

# A sanitizer's shadow memory alone is more than that.
if ! (ulimit -d 30000 && "$CPIDECODE" --version) >/dev/null 2>&1; then
	echo "skipped: the command needs more than 30000 KiB for itself"
	exit 77
fi

"$GENTRACE" -k groups -n 100k -l 1000k -e -d 1 labels.bin
"$GENTRACE" -k groups -n 10k -l 100k -e -d 1 few.bin

for report in summary cpus 'diff few.bin' 'intervals --format csv' 'summary --format json'; do
	# shellcheck disable=SC2086
	run 0 --report $report few.bin
	mv out expected
	# shellcheck disable=SC2086
	run 0 --memory 2G --report $report few.bin
	cmp -s out expected || fail "$report: other bytes with a limit"
done

stops()
{
	run 1 -j 1 --memory 16M -o report "$@"
	[ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line"
	in_file err 'more memory than --memory allows \(allow more, choose less'
	[ ! -e report ] || fail "$*: there is a report"
}

stops --report summary labels.bin
stops --report cpus labels.bin
stops --report why labels.bin
stops --report diff labels.bin labels.bin
stops --report summary - <labels.bin
"$CPIDECODE" --partial part labels.bin
run 1 merge --memory 16M -o report part
in_file err '^cpidecode: part: it takes more memory than --memory allows'

# Filtered, it fits.
run 0 -j 1 --memory 16M --label 'parse request 1*' labels.bin
[ -s out ] || fail 'nothing'
run 0 -j 1 --memory 256M --format folded labels.bin
