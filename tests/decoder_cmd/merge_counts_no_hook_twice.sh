#!/bin/sh
# Partial results of files that hold the same hooks are refused, as their intervals would count twice;
# made of the files together they are not. Rotated files that are missing are told by merge, too.
. "${0%/*}/lib.sh"

# dump FILE ID FIRST LAST [RINGS]: intervals FIRST to LAST of a ring, each 56 bytes of it.
dump()
{
	{
		printf 'clock tsc\nhz 1000000000\nid "%s"\nsync 0 1700000000000000000 0\n' "$2"
		[ -z "${5-}" ] || printf 'section meta\n| rings: %s\n' "$5"
		echo "section hooks ring=0 position=$(($3 * 56))"
		for i in $(seq "$3" "$4"); do
			echo "group mm=1 tid=7 at=$((i + 1))000000 elapsed=1000 types=1 summary"
			printf 'cpu 10 20 0\nendgroup\n'
		done
		echo 'section end'
	} | "$MKTRACE" - "$1"
}

count()
{
	awk -F, 'NR > 1 { n += $3 } END { print n + 0 }' out
}

rings=0123456789abcdef0123456789abcdef
dump d1.bin 'one random id   ' 0 9 $rings
dump d2.bin 'another trace id' 5 19 $rings
dump d3.bin 'a third trace id' 20 29 $rings
dump s1.bin 'a simulated one ' 0 9
dump s2.bin 'another one     ' 5 19
dump t1.bin 'the same id here' 0 9
dump t2.bin 'the same id here' 5 19
run 0 --report info --format json d1.bin
in_file out '"hooks":10,"bytes":560,'

for n in d1 d2 d3 s1 s2 t1 t2; do
	run 0 --partial $n.p $n.bin
	quiet
done
for pair in 'd1 d2' 't1 t2' 'd2 d1'; do
	a=${pair% *} b=${pair#* }
	run 1 merge "$a.p" "$b.p"
	[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fail "$pair: expected one line, and no report"
	in_file err "$b.p: hooks of its $b.bin are in $a.bin of an earlier partial result, too, and would"
	in_file err "cpidecode --partial FILE $a.bin $b.bin"
done
run 1 merge d1.p d3.p d2.p
run 0 merge --format csv d1.p d3.p
quiet
[ "$(count)" = 20 ] || fail "files that touch have $(count) intervals"
# Simulated traces count from 0 all: their ids tell them apart.
run 0 merge --format csv s1.p s2.p
[ "$(count)" = 25 ] || fail "two traces have $(count) intervals"

# The first line is about the rings, whichever file comes first: 1 to 20 ms.
for pair in 'd1 d2' 'd2 d1'; do
	run 0 "${pair% *}.bin" "${pair#* }.bin"
	in_file out '# 19.0 ms, no hooks lost'
	run 0 --partial pair.p "${pair% *}.bin" "${pair#* }.bin"
	run 0 merge pair.p
	in_file out '# 19.0 ms, no hooks lost'
done

# Made together, in slices too, each interval is in once.
run 0 --partial both.p d1.bin d2.bin
run 0 merge --format csv both.p d3.p
[ "$(count)" = 30 ] || fail "made together: $(count) intervals"
for i in 1 2 3; do
	run 0 --slice $i/3 --partial slice.$i d1.bin d2.bin
done
run 0 merge --partial merged.p slice.1 slice.2 slice.3
cmp -s merged.p both.p || fail "the merged slices differ from the whole"

# part FILE NUMBER [META]: one of a trace's rotated files.
part()
{
	printf 'clock tsc\nhz 1000000000\nid "a rotated trace!"\nsync 0 1700000000000000000 0\n' >part
	printf 'section meta\n| files before: %d\n%s' "$2" "${3:+| $3
}" >>part
	printf 'section hooks ring=0 position=%d\nhook 0x10 1 tid=7 at=%d 7\nsection end\n' \
		$((32 * $2)) $((1000 + $2)) >>part
	"$MKTRACE" part "$1.bin"
	run 0 --partial "$1.p" "$1.bin"
}
for i in 0 1 2 3; do
	part "r$i" $i
	part "k$i" $i 'keep: 2'
done
run 0 merge --strict r2.p r0.p r3.p r1.p
quiet
run 3 merge --strict r0.p r3.p
[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
in_file err 'r3.bin: files 2 to 3 of its trace are missing before it'
run 3 merge --strict r1.p
in_file err 'r1.bin: file 1 of its trace is missing before it'
run 0 merge --strict k2.p k3.p
in_file err 'k2.bin: the 2 files before it are not here: the writer kept 2 \(--keep\)'
