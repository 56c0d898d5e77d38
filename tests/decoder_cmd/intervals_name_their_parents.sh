#!/bin/sh
# The column parent, which only a list shows, has the label of the interval that parent_id names.
golden=$(cd "${0%/*}/../golden/cases" && pwd)
. "${0%/*}/lib.sh"
command -v python3 >/dev/null || skip "parents: python3: not installed"

cat >parents.py <<'E'
import csv, sys

def rows(path):
    with open(path, newline="", errors="surrogateescape") as f:
        return list(csv.DictReader(f))

names = {row["id"]: row["label"] or f"minor 0x{int(row['minor']):02X}" for row in rows("all")}
for row in rows("out"):
    expected = names[row["parent_id"]] if row["parent_id"] else ""
    if row["parent"] != expected:
        sys.exit(f"{row} instead of {expected}")
E

# named TRACE... -- OPTIONS...
named()
{
	traces=
	while [ "$1" != -- ]; do
		traces="$traces $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	run 0 --report intervals --format csv --columns parent,id,parent_id,label "$@" $traces
	python3 parents.py || fail "$* $traces"
}
"$GENTRACE" -k groups -n 3000 t.bin
"$MKTRACE" "$golden/nesting/trace.txt" nesting.bin
"$MKTRACE" "$golden/begins/trace.txt" begins.bin
for script in "$golden"/hosts/trace*.txt; do
	"$MKTRACE" "$script" "host-$(basename "$script" .txt).bin"
done
for traces in t.bin nesting.bin begins.bin 'host-*.bin'; do
	# shellcheck disable=SC2086
	run 0 --report intervals --format csv --columns id,label,minor $traces
	mv out all
	for options in '' '-j 1' '-j 4' '--sort -elapsed_ns' '--sort label' '--top 20' '--sort -elapsed_ns --top 7' '--sort parent' \
		'--where depth>1' '--where self_ns>100' '--where contains(depth>2)' '--minor 1' '--compensate' '--from +1us'; do
		# shellcheck disable=SC2086
		named $traces -- $options
	done
done
# The parents that --by has.
run 0 --format csv --by parent t.bin
tail -n +2 out | tr -d '\r' | cut -d, -f1,2 | sort >by
run 0 --report intervals --format csv --columns parent t.bin
tail -n +2 out | tr -d '\r' | sort | uniq -c |
	sed 's/^ *\([0-9]*\) \(.*\)/\2,\1/' | sort >counted
cmp by counted || fail "not as --by parent"
# Only a list shows it, and an order by it alone does not.
for format in text csv json; do
	run 0 --report intervals --format $format --sort parent t.bin
	not_in_file out '[ ,"]parent[ ,"]'
done
run 0 --report intervals --columns label,parent nesting.bin
in_file out '^label +parent'
run 0 --report intervals --format json --columns parent nesting.bin
in_file out '^\{"parent":null\}$'
# A selection has room for so many comparisons beside names.
many=$(awk 'BEGIN { for (i = 0; i < 32; i++) printf "depth>%d or ", i }')
run 0 --report intervals --where "${many% or }" --columns parent t.bin
misuse 'at most 32 comparisons' --report intervals --where "${many}depth>32" --columns parent t.bin
run 0 --report intervals --where "${many}depth>32" t.bin
