#!/bin/sh
. "${0%/*}/lib.sh"

for report in summary intervals hooks cpus info; do
	run 0 --report "$report" plain.bin
	not_in_file out "$(printf '\033')"
	LC_ALL=C tr -d '\n\040-\176' <out >rest
	[ ! -s rest ] || fail "$report: bytes that are no plain text"
done

run 0 --report hooks plain.bin
in_file out '^\+0\.000000000 s +0 +100 000000C0 00000001 00000000 01312D00 "inner" label, start elapsed=20000000 label="inner"$'
in_file out '^\+0\.030000000 s +1 +101 00000010 00000023 00000001 00000002 DEADBEEF "tick" ""$'
in_file out '^\+0\.015000000 s +- +202 000000C0 F0000010 00000000 004C4B40 "guest" label, end elapsed=5000000 label="guest"$'
in_file out '"we\\"ird, \\x1B\[31m\\xFF;\\n"'

run 0 --report cpus --label inner plain.bin
cat >expected <<'END'
"inner", minor 0x01, 1 interval
       System    CPU0    CPU1
cpi      2.00    2.00    2.00
cpi_wb   1.50    1.50    1.50
idle%   25.00   25.00   25.00
busy%   75.00   75.00   75.00

END
cmp -s out expected || fail "another table"

run 0 plain.bin
in_file out '^label +count +total +mean +min +p50 +p90 +p99 +max +raw CPI +scaled +thread +by +busy% +mm$'
in_file out '^outer +1 +45\.0 ms .* 4\.0000 +2\.0000 +2\.2500 +counts +50\.00 +01$'
in_file out '^minor 0x02 +1 +10\.0 ms .* n/a +n/a +n/a +none +n/a +02$'
run 0 --report intervals plain.bin
in_file out '^  inner +-0\.020000000 s +20\.0 ms +0 +100 +main .* 01 +summary\+detailed$'
run 0 --label nothing plain.bin
[ "$(sed 1d out)" = 'no intervals' ] || fail "an empty summary"
