#!/bin/sh
golden=$(cd "${0%/*}/../golden/cases" && pwd)
. "${0%/*}/lib.sh"

# CSV without its carriage returns; golden labels may hold commas, so only traces without them.
intervals()
{
	run 0 --report intervals --format csv "$@"
	tr -d '\r' <out
}

# Every interval has an id of its own, and parent_id is that of the last one above it, by depth.
cat >parents.awk <<'EOF'
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
	id = $at["id"]; depth = $at["depth"] + 0; tid = $at["tid"]
	if (id == "" || id in seen) { print "line " NR ": id " id; bad = 1 }
	seen[id] = 1
	inner[tid, depth] = id
	if ($at["parent_id"] != (depth ? inner[tid, depth - 1] : "")) { print "line " NR ": parent"; bad = 1 }
	deep += depth > 0
}
END { if (!deep) { print "nothing is nested"; bad = 1 } exit bad }
EOF

"$GENTRACE" -k mixed -n 3000 -c 3 -d 8 t.bin
"$GENTRACE" -k groups -n 3000 -c 3 -g 100 g.bin
"$MKTRACE" "$golden/nesting/trace.txt" n.bin
for trace in t.bin g.bin n.bin; do
	intervals $trace >all
	awk -F, -f parents.awk all || fail "$trace: ids"
	# A slice, a range, a filter and few rows change no id; a filter no parent.
	intervals --from +100us --to +300us $trace >some
	grep -Fxf all some >same || true
	cmp same some || fail "$trace: --from"
	intervals --where 'elapsed<500us' $trace >some
	sed 1d some >rows
	[ -s rows ] && [ "$(grep -cFxf all rows)" -eq "$(wc -l <rows)" ] || fail "$trace: --where"
	intervals --top 5 $trace >some
	[ "$(grep -cFxf all some)" -eq "$(wc -l <some)" ] || fail "$trace: --top"
	# One interval and its children.
	parent=$(awk -F, 'NR > 1 && $NF != "" { print $NF; exit }' all)
	intervals --where "id=$parent" $trace >some
	awk -F, -v id="$parent" 'NR == 1 || $(NF - 1) == id' all >expected
	cmp expected some || fail "$trace: --where id=$parent"
	for condition in "parent_id=$parent" "parent.id=$parent"; do
		intervals --where "$condition" $trace >some
		awk -F, -v id="$parent" 'NR == 1 || $NF == id' all >expected
		cmp expected some || fail "$trace: --where $condition"
	done
	intervals --where 'absent(parent_id)' $trace >some
	awk -F, 'NR == 1 || $NF == ""' all >expected
	cmp expected some || fail "$trace: --where absent(parent_id)"
done

# Two traces: the second one's have its number in front.
intervals --columns id plain.bin >one
intervals --columns id t.bin >two
intervals --columns id plain.bin t.bin >both
{
	cat one
	sed 1d two | sed 's/^/t2./'
} | sort >expected
sort both | cmp expected - || fail "ids of two traces"
in_file one '^g0\.0$'
intervals --columns parent_id,id plain.bin >columns
in_file columns '^r0\.504,r0\.0$'

# Behind arguments and metrics, in JSON too.
"$MKTRACE" "$golden/arguments/trace.txt" a.bin
intervals --metric 'twice=elapsed_ns*2' a.bin >rows
in_file rows ',arg\.size,.*,twice,id,parent_id$'
run 0 --report intervals --format json a.bin
[ "$(grep -c '"id":"[rg][0-9]*\.[0-9]*","parent_id":[^,]*}$' out)" -eq "$(wc -l <out)" ] || fail "json"
run 0 --report intervals --columns label,parent_id plain.bin
in_file out 'inner *r0\.504'

# Nothing is around the outermost one.
run 0 --format csv --where 'not absent(root.parent_id)' plain.bin
lines_are 1
