#!/bin/sh
# Every golden trace: written as NRM2 it reports as it did, and written once more it is the same.
. "${0%/*}/lib.sh"

# The two files' messages, except for names, and for damage and duplicates, which are not converted.
told()
{
	sed -e '/damaged/d' -e '/twice in one/d' -e 's/^cpidecode: [^:]*: /cpidecode: /' err >"$1"
}

# NRM2 has no fields for the causes of CAUSES: the sum stays, its parts are not told.
sums()
{
	sed -i 's/\( hooks lost\) (.*/\1/' "$1"
}

# NRM2 has no containers, so their column stays behind, too.
uncontained()
{
	sed -i -E -e 's/"container":(null|"([^"\\]|\\.)*"),//' \
		-e 's/,(container|"([^"]|"")*")(\r?)$/\3/' expected
}

# Positions in NRM2's rings are others, and with them ids.
unidentified()
{
	sed -i -E 's/,"id":"[^"]*","parent_id":(null|"[^"]*")//' "$1"
}

reports='hooks:json intervals:json summary:csv'
! is_sampled "reports of hooks and summary" || reports=intervals:json
n=0
for script in "$here"/../golden/cases/*/trace.txt; do
	case=${script%/trace.txt}
	case=${case##*/}
	"$MKTRACE" "$script" "$case.bin" 2>/dev/null || continue
	n=$((n + 1))
	run 0 --format nrm2 -o "$case.nrm2" "$case.bin"
	run 0 --format nrm2 -o again.nrm2 "$case.nrm2"
	cmp "$case.nrm2" again.nrm2 || fail "$case: writing it again changes it"
	for kind in $reports; do
		report="${kind%:*} --format ${kind#*:}"
		# shellcheck disable=SC2086
		run 0 --report $report "$case.bin"
		mv out expected
		[ "$case" != containers ] || uncontained
		told expected.err
		# shellcheck disable=SC2086
		run 0 --report $report "$case.nrm2"
		unidentified expected
		unidentified out
		cmp expected out || fail "$case: --report $report"
		told told.err
		[ "$case" != causes ] || { sums expected.err && sums told.err; }
		cmp expected.err told.err || fail "$case: --report $report, stderr"
	done
done
[ "$n" -ge 25 ] || fail "only $n golden traces"
