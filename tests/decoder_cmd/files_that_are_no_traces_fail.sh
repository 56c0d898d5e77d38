#!/bin/sh
. "${0%/*}/lib.sh"

echo text >text.bin
: >empty.bin
head -c 100 plain.bin >short.bin
for file in missing.bin text.bin empty.bin short.bin .; do
	run 1 "$file"
	[ ! -s out ] || fail "$file: stdout is not empty"
	in_file err "^cpidecode: ${file}: "
	[ "$(wc -l <err)" -eq 1 ] || fail "$file: more than one line"
done
run 1 plain.bin missing.bin
run 1 --schema missing.hooks plain.bin
in_file err 'missing.hooks: No such file'
echo 'hook nonsense' >bad.hooks
run 1 --schema bad.hooks plain.bin
in_file err 'bad.hooks: line 1: '
