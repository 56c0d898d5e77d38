#!/bin/sh
# --format nrm2: its combinations, filters, and the hooks that it cannot hold and reports.
. "${0%/*}/lib.sh"

# ------------------------------------------------------------------ refused options
for report in summary intervals cpus info; do
	run 2 --report $report --format nrm2 -o x plain.bin
	in_file err 'no --format nrm2'
done
run 2 --weight ns --format nrm2 -o x plain.bin
"$MKTRACE" - other.bin <<'END'
clock raw
id "another machine."
section end
END
run 1 --format nrm2 -o x plain.bin other.bin
in_file err 'several machines or clocks'
run 1 --format nrm2 -o no/such/folder plain.bin
[ ! -e x ] || fail "a refused run left a file"

# ----------------------------------------------------------- filters, files, pipes
run 0 --format nrm2 -o all.nrm2 plain.bin
in_file err 'their 3 hooks are written as processors 2 and up'
run 0 --format nrm2 --report hooks plain.bin
cmp out all.nrm2 || fail "standard output differs from -o"
"$CPIDECODE" --format nrm2 - <plain.bin 2>/dev/null | cmp - all.nrm2 || fail "from a pipe it differs"
for filter in "--cpu 1" "--cpu guest" "--tid 101" "--label inner" "--minor 2" "--from +20ms --to +60ms"; do
	# shellcheck disable=SC2086
	run 0 --report hooks --format json $filter plain.bin
	mv out expected
	# shellcheck disable=SC2086
	run 0 --format nrm2 $filter -o some.nrm2 plain.bin
	run 0 --report hooks --format json some.nrm2
	[ -s out ] || fail "$filter: nothing is left"
	cmp out expected || fail "$filter: other hooks"
done
# Two files of one trace are one file.
run 0 --report hooks --format json plain.bin plain.bin
mv out expected
run 0 --format nrm2 -o twice.nrm2 plain.bin plain.bin
run 0 --report hooks --format json twice.nrm2
sort expected >a
sort out >b
cmp a b || fail "two files: other hooks"

# ----------------------------------------------------------------- parts left out
"$MKTRACE" - big.bin <<END
section hooks
hook 0 1 at=1 2
hook 0x77 1 at=2 2
hook 0x77 2 at=3 "$(head -c 65500 /dev/zero | tr '\0' x)"
hook 0x77 3 at=4 "$(head -c 65450 /dev/zero | tr '\0' x)"
section end
END
run 0 --format nrm2 -o big.nrm2 big.bin
in_file err 'lacks: 1 hook longer than 65532 bytes, 1 hook of major 0$'
run 0 --report hooks big.nrm2
lines_are 2

# ------------------------------------------------------ an original file, and through it
"$MKTRACE" "$here/../golden/cases/nrm2_big/trace.txt" original.nrm2
run 0 --report hooks --format csv --label label original.nrm2
lines_are 6
run 0 --format nrm2 -o through.nrm2 original.nrm2
not_in_file err lacks
# The copies of kallsyms and modules are the file's end, and a header says where.
tail -c 30 original.nrm2 >a
tail -c 30 through.nrm2 >b
cmp a b || fail "the kernel's files differ"
at=$(($(wc -c <through.nrm2) - 30))
od -An -v -tu8 -j $((at - 512 + 80)) -N 32 through.nrm2 | tr -s ' \n' ' ' |
	grep -qx " $at 25 $((at + 25)) 5 " || fail "no header says where the kernel's files are"
# Integers above 32 bits are single integers there: 16 bytes of header, 8 for each.
od -An -v -tx1 -w8 through.nrm2 | grep -q '^ 00 00 00 81 ff ff ff ff$' ||
	fail "an address has become two integers"
