#!/bin/sh
. "${0%/*}/lib.sh"

for format in text csv json folded svg; do
	run 0 --format "$format" plain.bin
	mv out expected
	run 0 --format "$format" - <plain.bin
	cmp -s out expected || fail "$format from a file on stdin differs"
	status=0
	cat plain.bin | "$CPIDECODE" --format "$format" - >out 2>err || status=$?
	[ "$status" -eq 0 ] || fail "exit $status"
	cmp -s out expected || fail "$format from a pipe differs"
done
# Messages about it name it.
head -c -8 plain.bin >cut.bin
run 0 - <cut.bin
in_file err '^cpidecode: standard input: cut off'
not_in_file err '^cpidecode: -'
run 0 --partial part.p - <cut.bin
run 0 merge part.p
in_file err '^cpidecode: standard input: cut off'
