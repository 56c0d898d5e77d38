#!/bin/sh
# An interval that began before the oldest hook left in a ring that overwrote hooks may have ended there: it
# is open, with no-end.
. "${0%/*}/lib.sh"

make_open t.bin 65536 300
run 0 --report intervals --format json t.bin
in_file out '"label":"early",.*"flags":"no-end\+open"'
in_file out '"label":"late",.*"flags":"open"'
run 0 t.bin
in_file err '2 intervals are open at the end of the trace, .*early 1, late 1; the end of 1 may have been overwritten$'

make_open t.bin 0 0
run 0 --report intervals --format json t.bin
in_file out '"label":"early",.*"flags":"open"'
run 0 t.bin
in_file err 'early 1, late 1$'
