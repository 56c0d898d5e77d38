#!/bin/sh
. "${0%/*}/lib.sh"

# The same numbers as from the lines of all hooks.
count()
{
	tr -d '\r' <"$1" | awk -F, -v by="$2" '
		NR > 1 {
			split("all " ($3 == "" ? "guest" : $3), cpus, " ")
			for (i = 1; i <= 2; i++) {
				key = $7 "," (by == "major" ? "" : $8) "," cpus[i]
				if (!n[key]++) first[key] = $1
				last[key] = $1
			}
		}
		END { for (key in n) print key "," n[key] "," first[key] "," last[key] }' | sort
}

"$GENTRACE" -k mixed -n 3000 -c 3 g.bin
make_trace t.bin
for trace in g.bin t.bin; do
	run 0 --report hooks --format csv $trace
	mv out hooks.csv
	for by in major major,minor; do
		for threads in 1 4; do
			run 0 -j $threads --report hooks --by $by --format csv $trace
			cp out counts.$threads
		done
		cmp counts.1 counts.4 || fail "$trace: threads differ"
		# Names have commas, in quotes.
		tr -d '\r' <out | sed '1d; s/"[^"]*"//' | awk -F, '{ print $1 "," $2 "," $4 "," $5 "," $7 "," $8 }' | sort >got
		count hooks.csv $by >expected
		cmp expected got || fail "$trace: by $by"
	done
	# The most frequent kind comes first.
	tr -d '\r' <counts.1 | sed '1d; s/"[^"]*"//' | awk -F, '$4 == "all" { if (NR > 1 && n && $5 > n) exit 1; n = $5 }' ||
		fail "$trace: order"
done
in_file out ',guest,'

# Times since 1970 have more digits than a double.
for trace in g.bin t.bin; do
	for sort in first_ns -last_ns; do
		run 0 --report hooks --by major,minor --format json --sort $sort --columns ${sort#-} $trace
		tr -dc '0-9\n' <out >got
		if [ $sort = first_ns ]; then sort -n got; else sort -rn got; fi >expected
		cmp expected got || fail "$trace: --sort $sort"
	done
done

# Rates are over the whole trace, or the part that is asked for.
make_clocked r.bin <<'END'
cpus 2
section hooks ring=0
hook 0x10 1 tid=1 at=0
hook 0x10 1 at=1000000000
hook 0x11 2 at=1500000000
hook 0x10 1 at=2000000000
section hooks ring=1
hook 0x10 1 tid=1 at=500000000
hook 0x11 3 at=4000000000
section end
END
run 0 --report hooks --by major,minor r.bin
cat >expected <<'END'
# 4.00 s, no hooks lost
major     minor  count  per second         first          last  by processor
   10  00000001      4         1.0  +0.000000000  +2.000000000  0: 3  1: 1
   11  00000002      1         0.2  +1.500000000  +1.500000000  0: 1
   11  00000003      1         0.2  +4.000000000  +4.000000000  1: 1
END
cmp expected out || fail "text"
run 0 --report hooks --by major r.bin
not_in_file out 'minor|name'
run 0 --report hooks --by major --format json --to +2s r.bin
in_file out '^\{"major":16,"minor":null,"name":null,"count":4,"rate_per_s":2.0,"first_ns":1700000000000000000,"last_ns":1700000002000000000,"cpus":\[\{"cpu":0,"count":3,"first_ns":1700000000000000000,"last_ns":1700000002000000000\},\{"cpu":1,"count":1,'
lines_are 2

# --major chooses hooks, in every form of the report.
run 0 --report hooks --major 0x11 r.bin
lines_are 2
not_in_file out ' 00000010 '
run 0 --report hooks --major 17 --by major,minor --format csv r.bin
[ "$(grep -c ',all,' out)" -eq 2 ] || fail "--major"
not_in_file out '^16,'
run 0 --report hooks --major 9 --by major r.bin
in_file out '^no hooks$'
run 0 --format nrm2 --major 0x11 -o r.nrm2 r.bin
run 0 --report hooks --format csv r.nrm2
lines_are 3
for wrong in '--by major' '--report hooks --by minor' '--report intervals --by major,minor' '--format nrm2 --by major -o x' \
	'--major 1' '--report hooks --major 256' '--report hooks --major x'; do
	# shellcheck disable=SC2086
	run 2 $wrong r.bin
	in_file err '^cpidecode: --(by|major)'
done
