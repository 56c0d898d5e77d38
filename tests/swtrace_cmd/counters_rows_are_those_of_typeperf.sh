#!/bin/sh
. "${0%/*}/lib.sh"
: "${OFFERS:?the program offers.c}"

# A counterset whose figures are known, with names that are hard to write down.
set_name="Made (up) $$"
mkfifo input
"$OFFERS" "$set_name" <input >offered &
pids="$pids $!"
exec 7>input
wait_until grep -q ready offered
host=$(uname -n)
end=$(printf '\r')
TZ=UTC-5:30
export TZ

run 0 counters query "\\$set_name(*)\\*" -si 0.02 -sc 2
[ ! -s err ] || fail "it was complained of"
[ "$(wc -l <out)" -eq 3 ] || fail "other than a heading and 2 rows"
is_csv out
printf '"(PDH-CSV 4.0)"' >expected
for instance in plain a,b 'say ""x""' twice twice#1 'back\slash' 'ä'; do
	for counter in 'Still, ""quoted""' Moving 'Share, in %'; do
		printf ',"%s"' "\\\\$host\\$set_name($instance)\\$counter"
	done
done >>expected
[ "$(head -n 1 out)" = "$(cat expected)$end" ] || fail "another heading than $(cat expected)"
values='"100.000000","0.000000"," ","101.000000","0.000000","25.000000"'
for row in 2 3; do
	sed -n ${row}p out >row
	in_file row '^"[01][0-9]/[0-3][0-9]/20[0-9]{2} [0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}",'
	in_file row ",$values,"
done
# The time is local.
minutes=$(sed -n '2s/^"[^ ]* \(..\):\(..\).*/\1 \2/p' out | awk '{ print $1 * 60 + $2 }')
now=$(date '+%H %M' | awk '{ print $1 * 60 + $2 }')
late=$(((now - minutes + 1440) % 1440))
[ $late -le 1 ] || fail "the row's time is $late minutes away"

run 0 counters query "\\$set_name(plain)\\*" -si 0.02 -sc 1 -f tsv
printf '"(PDH-TSV 4.0)"\t"%s"\t' "\\\\$host\\$set_name(plain)\\Still, \"\"quoted\"\"" >expected
[ "$(head -n 1 out | cut -c 1-"$(($(wc -m <expected)))")" = "$(cat expected)" ] || fail "no TSV"
! grep -q "$end" out || fail "TSV with carriage returns"
[ "$(sed -n 2p out | tr -cd '\t' | wc -c)" -eq 3 ] || fail "TSV of other than 4 cells"

for format in '-f json' --json; do
	run 0 counters query "\\$set_name(*)\\*" -si 0.02 -sc 2 $format
	is_json out
	[ "$(wc -l <out)" -eq 3 ] || fail "JSON of other than a header and 2 samples"
	in_file out '^\{"kind": "header", "host": "'"$host"'", "trace": null, "paths": \["'
	in_file out '"kind": "sample", "time": "20[-0-9]*T[0-9:.]*Z", "values": \{.*"[^"]*(plain[^"]*\)|[^"]*)'
	in_file out 'Share, in %": null'
	in_file out '\(say \\"x\\"\)\\\\Moving": 0\.000000'
done

# Columns in the order of the paths; letter case aside.
run 0 counters query "\\$set_name(back\\slash)\\moving" "\\$set_name(pl?in)\\STILL, \"quoted\"" \
	"\\$set_name(twice#1)\\Still, \"quoted\"" "\\$set_name(twice)\\Share Base" -si 0.02 -sc 1
[ "$(sed -n 2p out | cut -d, -f2-)" = "\"0.000000\",\"100.000000\",\"104.000000\",\"4.000000\"$end" ] ||
	fail "other values"

# The same once more, whatever its case.
run 0 counters query "\\$set_name(plain)\\Moving" "\\$set_name(PLAIN)\\MOVING" -si 0.02 -sc 1
[ "$(sed -n 2p out | cut -d, -f2-)" = "\"0.000000\"$end" ] || fail "other than one column"

# Counts between two samples are in one row. The heading comes after the first sample.
"$SWTRACE" counters query "\\$set_name(back\\slash)\\moving" -si 0.02 -o rows &
query=$!
pids="$pids $query"
wait_until test -s rows
echo >&7
wait_until grep -q '"1000.000000"' rows
kill $query
wait $query || fail "exit $?"
[ "$(grep -c '"1000.000000"' rows)" -eq 1 ] || fail "it is in several rows"
[ "$(grep -vc '"1000.000000"\|"0.000000"' rows)" -eq 1 ] || fail "there is something else"

# Paths from a file, with or without quotes, and a file of rows.
cat >paths <<END

; a remark
"\\$set_name(plain)\\Moving"
  \\$set_name(a,b)\\Moving  $end
END
run 0 counters query -cf paths "\\$set_name(twice)\\Moving" -si 0:00.02 -sc 1 -o rows -y
[ ! -s out ] || fail "there is more than the file"
[ "$(head -n 1 rows | grep -o 'Moving' | wc -l)" -eq 3 ] || fail "not three columns"
[ "$(wc -l <rows)" -eq 2 ] || fail "the file does not hold the rows"
[ "$(ls -A | grep -c '\.tmp$')" -eq 0 ] || fail "something is left: $(ls -A)"

# query takes the paths that list prints.
run 0 counters list -qx "$set_name"
mv out paths
run 0 counters query -cf paths -si 0.02 -sc 1
[ "$(head -n 1 out | grep -o "$set_name" | wc -l)" -eq "$(wc -l <paths)" ] || fail "not all paths"
run 0 counters instances "$set_name"
[ "$(sed -n 5p out)" = 'twice#1' ] || fail "instances"
run 0 counters instances "$set_name" --json
is_json out
in_file out '\{"name": "twice", "id": 4\}'

# When the provider ends, its values do.
exec 7>&-
wait_until grep -q . offered
run 0 counters query "\\Processor Information(_Total)\\% Idle Time" -si 0.02 -sc 1
refuses 1 'there is no counterset' counters query "\\$set_name(*)\\*"
