#!/bin/sh
. "${0%/*}/lib.sh"

# The same label, minor and thread in both majors; enough of them for two slices.
{
	echo 'clock tsc'
	echo 'hz 1000000000'
	echo 'sync 0 1700000000000000000 1000'
	echo 'section hooks ring=0'
	awk 'BEGIN {
		for (i = 1; i <= 300; i++) {
			printf "group mm=1 tid=7 at=%d elapsed=%d types=3 label=\"load\" summary\n", 1000 * i, i
			printf "cpu 10 20 10 x2\nendgroup\n"
			printf "hook 0xC8 0x00000001 64:%d \"load\"\n", i
			printf "hook 0xC8 0x10000001 7 %d 2 64:%d 4:20 4:70 4:40 4:50 4:30 4:60 4:10 4:10 4:10 4:90 4:110 4:100\n", (i > 250 ? 4 : 1), i
			printf "hook 0xC8 0xF0000001 64:%d \"load\"\n", i
		}
	}'
	echo 'section end'
} | "$MKTRACE" - t.bin

run 0 --report summary --format csv t.bin
[ "$(wc -l <out)" -eq 3 ] || fail "not two groups: $(cat out)"
in_file out '^load,1,300,.*,2\.0000,1\.0000,,elapsed,50\.0000,0,,192,,,'
in_file out '^load,1,300,.*,,,,none,30\.0000,0,,200,60\.0000,10\.0000,100\.0000,reference\+idle_fine'

run 0 --report cpus t.bin
in_file out '^"load", minor 0x01 of major 0xC8, method reference\+idle_fine, 300 intervals$'

# The method that measured busy.
run 0 --report why t.bin
in_file out '^"load", minor 0x01 of major 0xC8, method reference\+idle_fine, 300 intervals: '
in_file out '^"load", minor 0x01, 300 intervals: '
run 0 --report why --format csv t.bin
in_file out '^load,1,300,time_ns,.*,200,reference\+idle_fine'
in_file out '^load,1,300,time_ns,.*,192,,*.?$'
run 0 --report why --format json t.bin
in_file out '"major":200,.*"method":"reference\+idle_fine",'

# Partial results tell them apart as well.
for report in summary cpus; do
	run 0 --report $report --format csv t.bin
	mv out whole.$report
	for slice in 1 2 3; do
		run 0 --slice $slice/3 --partial part.$slice t.bin
	done
	run 0 merge --report $report --format csv part.3 part.1 part.2
	cmp -s out whole.$report || fail "$report: the parts do not add up to the whole"
done
in_file whole.cpus '^load,1,300,1,,,50\.0000,40\.0000,200,10\.0000,110\.0000,reference\+idle_fine'
in_file whole.cpus '^load,1,300,1,2\.0000,1\.0000,50\.0000,50\.0000,192,,'

# Frames differ, whether or not stacks are sorted first.
run 0 --format folded t.bin
in_file out '^tid 7;load;load \[CPU utilisation, reference\] [0-9]+$'
in_file out '^tid 7;load;load \[CPU utilisation, idle_fine\] [0-9]+$'
mv out fast.folded
run 0 --format folded --tid 7 t.bin
cmp -s out fast.folded || fail "sorted stacks differ"

"$MKTRACE" - cpi.bin <<'END'
clock tsc
hz 1000000000
sync 0 1700000000000000000 1000
section hooks ring=0
group mm=1 tid=7 at=1000 elapsed=10 types=3 label="load" summary
cpu 10 20 10
endgroup
section end
END

# Nor on either side of a comparison.
run 0 --report diff --format csv t.bin cpi.bin
in_file out '^load,1,count,,300,0,.*,200,reference\+idle_fine,.?$'
in_file out "^load,1,instructions,.*,192,,.?\$"
run 0 --report diff --format json cpi.bin t.bin
in_file out '"major":200,.*"method":\{"before":null,"after":"reference\+idle_fine"\}'
not_in_file out '"major":192.*"method"'
run 0 --report diff t.bin cpi.bin
in_file out '  reference\+idle_fine  n/a +C8:01  load$'
in_file out '  n/a +n/a +01  load$'

# Reports of traces without any do not speak of it.
for report in summary intervals cpus why; do
	for format in text csv json; do
		run 0 --report $report --format $format cpi.bin
		not_in_file out 'major|actual_perf|perf%|intr|method'
	done
done
for format in text csv json; do
	run 0 --report diff --format $format cpi.bin cpi.bin
	not_in_file out 'major|method'
done

# Groups are sorted by the method as by a text; n/a comes last.
{
	cat <<'END'
clock tsc
hz 1000000000
sync 0 1700000000000000000 1000
section hooks ring=0
group mm=1 tid=7 at=100 elapsed=100 types=3 label="none" summary
cpu 10 20 10
endgroup
END
	at=1000
	for method in 1 4 2; do
		echo "hook 0xC8 0x00000001 tid=7 at=$at 64:10 \"of $method\""
		echo "hook 0xC8 0x10000001 3 $method 1 64:10 4:30 4:60 4:30 4:60 4:10 4:10"
		echo "hook 0xC8 0xF0000001 64:10 \"of $method\""
		at=$((at + 1000))
	done
	echo 'section end'
} | "$MKTRACE" - m.bin
for report in summary cpus; do
	run 0 --report $report --format csv --columns method m.bin
	tr -d '\r' <out | sed 1d | grep . | LC_ALL=C sort -u >expected
	[ "$(wc -l <expected)" -eq 3 ] || fail "$report: not three methods"
	for sort in method -method; do
		run 0 --report $report --format csv --sort $sort --columns method,label m.bin
		tr -d '\r' <out | sed '1d; s/,.*//' | uniq >got
		{
			if [ $sort = method ]; then cat expected; else LC_ALL=C sort -r expected; fi
			echo
		} | cmp got - || fail "$report --sort $sort"
	done
done
