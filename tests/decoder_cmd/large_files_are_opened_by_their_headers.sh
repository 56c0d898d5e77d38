#!/bin/sh
# Beyond 64 MiB sections of hooks are verified when they are read: the same report, and damage
# is told where it is met.
. "${0%/*}/lib.sh"
: "${GENTRACE:?the maker of large traces gentrace}"

"$GENTRACE" -k groups -c 3 -p system,cpus,thread -b 70M large.bin >/dev/null
size=$(wc -c <large.bin)
[ "$size" -gt 67108864 ] || fail "$size bytes are not more than 64 MiB"

# summary OPTIONS...: to out, without messages.
summary()
{
	run 0 --format csv "$@" large.bin
	quiet
}
summary
mv out whole
summary --strict
cmp out whole || fail 'verified first, the summary is another'
reports='histogram slowest why' all_threads='1 3'
if is_sampled "the slowest and why from a pipe, damage by one thread, the complete file by three"; then
	reports=histogram all_threads=3
else
	summary -j 3
	cmp out whole || fail 'by three threads, the summary is another'
	run 0 --format csv - <large.bin
	cmp out whole || fail 'standard input: the summary is another'
	"$GENTRACE" -k groups -c 3 -p system,cpus,thread -b 70M - | "$CPIDECODE" --format csv - >out
	cmp out whole || fail 'from a pipe, the summary is another'
fi
awk -F, '{ n += $3 } END { print n }' whole >intervals
[ "$(cat intervals)" -gt 100000 ] || fail 'there are few intervals'

# piped WHAT OPTIONS...: large.bin from a pipe, whose sections are read while the rest arrives, says
# what the file says.
piped()
{
	what=$1
	shift
	run 0 "$@" large.bin
	sed 's/^cpidecode: large\.bin:/cpidecode: standard input:/' err >told_piped
	# shellcheck disable=SC2002 # a pipe, not a file
	cat large.bin | "$CPIDECODE" "$@" - >out_piped 2>err_piped || fail "$what: from a pipe: exit $?"
	cmp out out_piped || fail "$what: from a pipe, the report is another"
	cmp told_piped err_piped || fail "$what: from a pipe, other messages"
}
for report in $reports; do
	piped $report --report $report --format json
done

# bytes HEX...: written at the offset $at.
bytes()
{
	for byte; do
		# shellcheck disable=SC2059 # it is an octal escape
		printf "\\$(printf %o "0x$byte")"
	done | dd of=large.bin bs=1 seek="$at" conv=notrunc 2>/dev/null
}

# In the middle of a payload: told when it is read, as the section in which it lies.
at=35000000
bytes FE ED FA CE
piped 'a damaged payload' --format csv
mv out damaged
cp err told
in_file err '^cpidecode: large\.bin: damage in the section at offset [0-9]+: .*checksum'
[ "$(wc -l <err)" -eq 1 ] || fail 'more than one line of damage'
section=$(sed 's/.*at offset \([0-9]*\):.*/\1/' err)
skipped=$(sed 's/.*; \([0-9]*\) bytes of hooks skipped/\1/' err)
[ "$section" -le $at ] && [ $at -lt $((section + 64 + skipped)) ] ||
	fail "byte $at is not in the section at $section"
for threads in $all_threads; do
	run 0 -j $threads --format csv large.bin
	cmp out damaged || fail "-j $threads: the rest of the file has another summary"
	cmp err told || fail "-j $threads: something else about the damage"
done
run 3 --strict --format csv large.bin
cmp out damaged || fail 'verified first, another summary of what is left'
in_file err "damaged at offset $section: .*checksum.*; $((64 + (skipped + 7) / 8 * 8)) bytes skipped"
left=$(awk -F, '{ n += $3 } END { print n }' damaged)
[ "$left" -lt "$(cat intervals)" ] && [ "$left" -gt $(($(cat intervals) - 1000)) ] ||
	fail "$left intervals are left of $(cat intervals)"

# Not read there, so not reported, unless everything is to be verified.
run 0 --report hooks --to +1ms large.bin
quiet
[ -s out ] || fail 'nothing in the first millisecond'
run 3 --strict --report hooks --to +1ms large.bin
# Intervals that began there may end anywhere later.
run 0 --format csv --to +1ms large.bin
in_file err "damage in the section at offset $section: "

# In the header: it leads to no other section, so it is found at once, wherever one looks.
at=$((section + 8))
bytes 01 00 00 00
run 0 --report hooks --to +1ms large.bin
in_file err "damaged at offset $section: "
piped 'a damaged header' --format csv
cmp out damaged || fail 'a damaged header: another summary of what is left'

# Cut off in the middle of a section.
head -c $((section + 1000)) large.bin >cut.bin
run 0 --format csv cut.bin
in_file err 'cut\.bin: cut off'
run 3 --strict --format csv cut.bin
