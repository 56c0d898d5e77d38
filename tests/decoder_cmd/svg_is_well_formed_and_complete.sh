#!/bin/sh
. "${0%/*}/lib.sh"

run 0 --format svg plain.bin
quiet
cp out flame.svg
in_file flame.svg '^<\?xml version="1.0" encoding="UTF-8"\?>$'
in_file flame.svg 'Interval flame graph: demo'
in_file flame.svg '<text x="5" y="15">inner</text>'
in_file flame.svg 'class="frame unmeasured"[^>]*><title>minor 0x02'
in_file flame.svg 'thread CPI 2.2500'
# A process and its threads are frames of their own.
[ "$(grep -c -A1 'class="frame task"[^>]*><title>main$' flame.svg)" -eq 2 ] || fail "the frames of main"
[ "$(grep -A1 'class="frame task"' flame.svg | grep -cx process)" -eq 1 ] || fail "one process"
[ "$(grep -A1 'class="frame task"' flame.svg | grep -cx thread)" -eq 3 ] || fail "three threads"
in_file flame.svg 'CPI not measured</text>'
in_file flame.svg 'we&quot;ird, \\x1B\[31m\\xFF;\\n</text>'
in_file flame.svg '^</svg>$'
# Nothing is fetched, and the script contains no name.
sed 's/http:\/\/www.w3.org\/[a-z0-9\/]*//g' flame.svg >rest
not_in_file rest 'https?://|xlink|@import|url\([^#]'
sed -n '/<script>/,$p' flame.svg >script
not_in_file script '(inner|outer)([^HW]|$)|ird'
if command -v xmllint >/dev/null; then
	xmllint --noout flame.svg || fail "not well-formed"
fi

run 0 --format svg --label nothing plain.bin
in_file out 'There is no interval to show'

# A CPI without cycles was not measured.
"$MKTRACE" "${0%/*}/../golden/cases/idle_groups/trace.txt" idle.bin
run 0 --format svg idle.bin
in_file out 'class="frame unmeasured"[^>]*><title>idle$'
not_in_file out 'CPI 0\.0000'
