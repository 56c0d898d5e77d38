#!/bin/sh
# --width holds for the tables of all reports: columns go, the label is cut last, processors and moments get
# lines and columns that fit.
. "${0%/*}/lib.sh"

# fits WIDTH [PROSE]: all lines but notes, and those that match PROSE.
fits()
{
	longest=$(grep -Ev "^#${2:+|$2}" out | LC_ALL=C.UTF-8 wc -L)
	[ "$longest" -le "$1" ] || fail "a line of $longest columns, not $1"
}

{
	cat <<'END'
clock tsc
hz 1000000000
cpus 6
sync 0 1700000000000000000 1000
section tasks
task 7 7 0 "one"
task 8 8 0 "other"
END
	echo 'section hooks ring=0'
	for i in 1 2 3 4 5 6; do
		printf '%s\n' "group mm=1 tid=7 at=${i}00000 elapsed=3000 label=\"a label of more than twenty characters\" types=3 summary detailed" \
			'cpu 3000 2000 1000 x6' endgroup \
			"group mm=2 tid=8 at=${i}01000 elapsed=${i}000 label=\"b\" types=3 summary detailed" 'cpu 3000 2000 1000 x6' endgroup
	done
	echo 'hook 0x22 1 tid=7 at=700000 64:1 64:2 64:3 "a string"'
	echo 'section end'
} | "$MKTRACE" - t.bin

for width in 30 50 64; do
	run 0 --report cpus --width $width t.bin
	fits $width '^("|minor)'
	# Each processor is in one of the blocks.
	for cpu in 0 1 2 3 4 5; do
		[ "$(grep -c " CPU$cpu\$\| CPU$cpu " out)" -eq 2 ] || fail "CPU$cpu is not in a block of each label"
	done
	run 0 --report gaps --width $width t.bin
	fits $width
	in_file out '^label +count '
	run 0 --report gaps --by label,tid --width $width t.bin
	fits $width
	for by in major major,minor; do
		run 0 --report hooks --by $by --width $width t.bin
		fits $width
		[ "$(grep -c '^[^#]' out)" -eq "$("$CPIDECODE" --report hooks --by $by t.bin | grep -c '^[^#]')" ] ||
			fail "--by $by: kinds are missing"
	done
	run 0 --report heatmap --width $width t.bin
	fits $width '^each column'
	[ "$(sed -n 's/^ *[0-9.]* [num]*s *\([0-9]*\)  |.*/\1/p' out | awk '{ n += $1 } END { print n }')" -eq 12 ] ||
		fail "the heatmap lacks intervals"
	run 0 --report why --width $width t.bin
	fits $width '^("|minor)'
	run 0 --report slowest --width $width t.bin
	fits $width '^([0-9]+\.|   [a-z])'
	run 0 --report hooks --width $width t.bin
	fits $width
	[ "$(wc -l <out)" -eq "$("$CPIDECODE" --report hooks t.bin | wc -l)" ] || fail "hooks are missing"
	run 0 --report diff --width $width t.bin t.bin
	fits $width
done

# Columns left out are named. None is left out if all fit.
run 0 --report gaps --width 50 t.bin
in_file out '^# left out to fit 50 columns: .*mm \(--columns or --width chooses\)$'
in_file out '^a label of more [^ ]*…? ' || in_file out '^a label of more than twenty characters '
run 0 --report why --width 40 t.bin
in_file out '^# left out to fit 40 columns: .*% \(--width chooses\)$'
for report in hooks cpus why slowest gaps heatmap; do
	run 0 --report $report t.bin
	cp out unlimited
	run 0 --report $report --width 2000 t.bin
	cmp -s out unlimited || fail "--width changes $report although all fits"
done

# Lines of hooks drop the words first if fields repeat them.
cat >a.hooks <<'END'
major 0x22 demo "demo"
hook 1 "shown"
  u64 first
  u64 second
END
run 0 --report hooks --schema a.hooks --major 0x22 --width 90 t.bin
fits 90
in_file out '00000001 … '
