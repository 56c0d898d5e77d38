#!/bin/sh
# --partial with --report: the partial result carries the report's options, merge needs none, and its bytes are the
# whole's. Parts for different reports are refused by name; a file chooses nothing but its report.
. "${0%/*}/lib.sh"

{
	echo 'clock tsc'
	echo 'id "the 1st machine!"'
	echo 'hz 1000000000'
	echo 'sync 0 1700000000000000000 1000'
	echo 'section hooks ring=0'
	awk 'BEGIN {
		for (i = 0; i < 300; i++) {
			e = (i * 7919) % 100003
			printf "group mm=%d tid=7 at=%d elapsed=%d types=1 label=\"%sl%d\" summary detailed\n",
				i % 2, 1000000 + i * 1000, e, i % 7 ? "" : "=", i % 7
			printf "cpu %d %d 0 x2\nthread %d %d\nendgroup\n", e % 977, e, e % 31, e / 2
		}
	}'
	echo 'section end'
} | "$MKTRACE" - t.bin

while read -r options; do
	# shellcheck disable=SC2086
	run 0 $options t.bin
	cp out whole
	for i in 1 2 3; do
		# shellcheck disable=SC2086
		run 0 --partial part.$i --slice $i/3 $options t.bin
		[ ! -s out ] || fail "$options: a report beside the partial result"
	done
	run 0 merge part.3 part.1 part.2
	cmp -s out whole || fail "$options: merged it is another report"
	# In steps, and from a pipe.
	run 0 merge --partial half.p part.2 part.3
	run 0 merge half.p part.1
	cmp -s out whole || fail "$options: merged in steps it is another report"
	"$CPIDECODE" merge - part.1 <half.p >out 2>err || fail "$options: from a pipe"
	cmp -s out whole || fail "$options: from a pipe it is another report"
done <<'END'
--report histogram
--report histogram --format csv
--report cpus --format json
--report summary --sort -p99_ns --top 3
--report summary --format csv --sort label --columns label,count,max_ns
--report summary --format csv --metric x=elapsed_ns/2
--report summary --width 40
--report histogram --width 50
--report summary --format csv --csv-safe --having count>1 --percentiles 50,75
--report histogram --having count>1 --sort -p99_ns --top 3
--report cpus --format csv --sort -count --top 4 --columns label,cpu,cpi
--report gaps --sort mean_ns --top 2 --columns label,total_ns
--report why --format csv --having count>10 --sort label --top 2
END

# The command line adds to the carried options, or names another report.
run 0 --partial h.p --report histogram t.bin
run 0 --format csv t.bin
cp out summary.csv
run 0 merge --report summary --format csv h.p
cmp -s out summary.csv || fail "another report than the one carried"
run 0 merge --width 60 h.p
[ "$(grep -v '^#' out | wc -L)" -le 60 ] || fail "no width"

run 0 --partial w.p --report summary --width 40 t.bin
run 0 --report summary --width 60 t.bin
cp out whole
run 0 merge --width 60 w.p
cmp -s out whole || fail "the width of the command line is not the last word"

# Options of merge go with those that the parts carry: they repeat no format. A report that is named begins anew,
# but rows of a heat map are in the format of its parts.
for i in 1 2; do
	run 0 --partial map.$i --slice $i/2 --report heatmap --format csv --top 3 t.bin
done
run 0 --report heatmap --format csv --top 2 t.bin
cp out whole
run 0 merge --csv-safe --top 2 map.1 map.2
cmp -s out whole || fail "--csv-safe of a heat map"
run 0 merge --report heatmap --top 2 map.1 map.2
cmp -s out whole || fail "--report heatmap --top of parts in CSV"
run 0 --report heatmap t.bin
cp out whole
run 0 merge --report heatmap map.1 map.2
cmp -s out whole || fail "--report heatmap of parts in CSV"
run 0 --partial map --report heatmap t.bin
misuse 'give it --format csv or json' merge --report heatmap --top 2 map
misuse 'give it --format csv or json' merge --report heatmap --format text --top 2 map.1 map.2
misuse '--csv-safe goes with --format csv' merge --csv-safe map

# Refused by name.
run 0 --partial s.p --report summary --top 3 --slice 1/2 t.bin
run 0 --partial h2.p --report histogram --slice 2/2 t.bin
run 1 merge s.p h2.p
in_file err '^cpidecode: h2.p: it was made for --report=histogram, those before it for --report=summary --top=3: they cannot be merged$'
run 0 --partial any.p --slice 2/2 t.bin
run 1 merge s.p any.p
in_file err 'any.p: it was made for any report, those before it for --report=summary'

misuse 'of --report hooks there are no partial results' --partial x --report hooks t.bin
misuse 'partial results of --report why have no figures for it' --partial x --report why --metric x=cycles t.bin
misuse 'of --report intervals there are no partial results' --partial x --report intervals t.bin
misuse 'goes with --report summary' --partial x --report histogram --metric x=cycles t.bin
# The report is the summary unless another is named.
run 0 --partial s1.p --top 3 --slice 2/2 t.bin
run 0 merge s.p s1.p
run 0 --top 3 t.bin
cp out whole
run 0 merge s.p s1.p
cmp -s out whole || fail "options without --report are not those of a summary"

# The order of options does not matter.
run 0 --partial s1.p --top 3 --format csv --slice 1/2 t.bin
run 0 --partial s2.p --format csv --slice 2/2 --top 3 --report summary t.bin
run 0 --top 3 --format csv t.bin
cp out whole
run 0 merge s1.p s2.p
cmp -s out whole || fail "options in another order are another report"

# Lists and conditions of the command line replace those that the parts carry.
run 0 --partial by.p --by tid --having 'count>1000' t.bin
run 0 --by tid t.bin
cp out whole
run 0 merge --by tid --having 'count>0' by.p
cmp -s out whole || fail "--by and --having again"
run 1 merge --by pid by.p
in_file err 'by.p: it was not made with --by pid, but with --by tid$'

misuse 'merge --partial takes no --report=summary' merge --partial x --report summary s.p
[ ! -e x ] || fail "a partial result in spite of misuse"

# A file that would choose where the report goes: same length, so that only the checksum has to be made good.
run 0 --partial evil.p --report summary --columns label,count t.bin
LC_ALL=C sed 's/--columns=label,count/--output=label,countx/' evil.p >evil2.p
run 1 merge evil2.p
[ ! -e label,countx ] || fail "a partial result chose a file"

# A diff has runs on either side, and takes the options of the first one that has some.
"$MKTRACE" - t2.bin <<'END'
clock tsc
id "the 2nd machine!"
hz 1000000000
sync 0 1700000000000000000 1000
section hooks ring=0
group mm=1 tid=7 at=1000000 elapsed=500 types=1 label="l1" summary
cpu 1 2 1
endgroup
section end
END
options='--format csv --percentiles 75 --metric x=elapsed_ns/2 --by label,tid --having count.before>0 --top 2 --columns label,metric,change'
# shellcheck disable=SC2086
run 0 --report diff $options t.bin t2.bin
cp out whole
cp err whole.err
[ "$(wc -l <whole)" -gt 20 ] || fail "a diff of nothing"
# shellcheck disable=SC2086
run 0 --partial t2.p --report diff $options t2.bin
for i in 1 2; do
	# shellcheck disable=SC2086
	run 0 --partial part.$i --slice $i/2 --report diff $options t.bin
done
run 0 merge --partial t.p part.1 part.2
run 0 --report diff t.p t2.p
cmp -s out whole && cmp -s err whole.err || fail "a diff of partial results is another one"
run 0 --report diff t.bin t2.p
cmp -s out whole || fail "a diff of a trace and a partial result is another one"
run 0 --report diff --metric x=elapsed_ns/2 --before t.p --after t2.p
cmp -s out whole || fail "an option given again counts twice"
run 0 --report diff --format json --columns label t.p t2.p
lines_are 2 && grep -q '^{"label":"[=a-z0-9]*"}$' out || fail "the command line is not the last word"
run 1 --report diff --by pid t.p t2.p
in_file err 't.p: it was not made with --by pid, but with --by label,tid$'
run 1 merge --partial y part.1 s.p
in_file err 's.p: it was made for --report=summary'
misuse 'are runs: cpidecode --report diff compares them, merge --partial' merge t.p
misuse 'is of one run' --partial x --report diff --before t.bin --after t2.bin
misuse 'is of one run' --partial x --report diff --fail-if 'mean>+1%' t.bin
misuse 'needs traces' --partial x --report diff --format svg t.bin
