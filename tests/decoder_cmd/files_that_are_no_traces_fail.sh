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

# The older NRM2: 12 bytes before a hook's integers of 32 bits. A file of a 32-bit system with hooks
# of the other kind is read.
"$MKTRACE" - narrow.nrm2 <<'END'
nrm2 little word=0x32
section trace cpu=0
bytes 14 00 16 00 01 00 00 00 00 10 00 00 07 00 00 00 08 00 00 00
bytes 10 00 16 00 02 00 00 00 00 20 00 00 07 00 00 00
END
run 1 narrow.nrm2
[ ! -s out ] || fail "a report of a file that is not read"
in_file err 'narrow.nrm2: an NRM2 file of a 32-bit system'
"$MKTRACE" - wide.nrm2 <<'END'
nrm2 little word=0x32
section trace cpu=0
hook 0x16 1 at=4096 7 8
END
run 0 --report hooks wide.nrm2
[ "$(wc -l <out)" -eq 1 ] || fail "a hook of 16 bytes' header of a 32-bit system"
