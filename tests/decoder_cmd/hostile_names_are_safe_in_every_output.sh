#!/bin/sh
# Labels, task names, META, strings, schema names and file names that would like to be obeyed
# by a terminal, a browser, a parser or a spreadsheet: in every report and format.
. "${0%/*}/lib.sh"
: "${WELLFORMED:?the checker of formats}"

esc=$(printf '\033') csi=$(printf '\302\233') turned=$(printf '\342\200\256')
# Bytes as mktrace spells them: escapes, C1, DEL, an override of direction, bad UTF-8, markup.
set -- '\e]0;owned\x07\e[2J' '\xc2\x9b31m\x7f\x9b' '\xe2\x80\xaeevil\xe2\x81\xa6' '\xff\xc0\xaf\xed\xa0\x80' \
	'</script><script>alert(1)</script>' ']]><x y=\"' "'\\\"<&>;,\\r\\n|" '=HYPERLINK(\"x\")' \
	'+1' '-1' '@x' '' ' ' '\0' 'a\0b' '\\\\' '{\"a\":1}' '%s%n' '${x}' '\u2028'
{
	cat <<END
clock raw
hz 1000000000
sync 0 1700000000000000000 5
section meta
| host: h${esc}[31m${csi}1m$turned</svg><script>"'&
| ${esc}key${turned}: value${esc}c
| a line without a colon ${csi}
section schema
| major 0x10 odd "<title>${turned}&'"
| hook 1 "<b>${turned}, \\"
| u32 n hex
| string s
| major 0x11 odd2 "]]>"
| hook 1/1 "=1+1;"
| u32 a
section schema
| major ${turned}${esc}[2J
section tasks
END
	n=0
	while [ $n -lt $# ]; do
		n=$((n + 1))
		case $((n % 5)) in
		0) name='\e]0;x\x07' ;;
		1) name='\xc2\x9b1m\x9b' ;;
		2) name='</title><i>&\"' ;;
		3) name='\xe2\x80\xae\n;,' ;;
		*) name='=1+1 ' ;;
		esac
		printf 'task %d %d 0 "%s"\n' $n $n "$name"
	done
	echo 'section hooks ring=0'
	n=0
	for name in "$@"; do
		n=$((n + 1))
		name=$(printf '%s' "$name" | sed 's/\\u2028/\\xe2\\x80\\xa8/')
		cat <<END
hook 0x10 1 tid=$n at=${n}0000 1 "$name"
hook 0x12 1 "$name" "$name"
group mm=1 tid=$n at=${n}5000 elapsed=4000 types=7 label="$name" summary detailed
cpu 1000 2000 1000
thread 10 20
endgroup
END
	done
	echo 'section hooks ring=1 lost=3'
	echo 'hook 0x11 1 tid=1 at=1 5'
} >script
file=$(printf 'b\033[31md\302\233\342\200\256.bin')
"$MKTRACE" script "$file" || fail "mktrace"

for kind in summary:text:people summary:csv:csv summary:json:json intervals:text:people \
	intervals:csv:csv intervals:json:json hooks:text:people hooks:csv:csv hooks:json:json \
	cpus:text:people cpus:csv:csv cpus:json:json info:text:people info:json:json \
	why:text:people why:csv:csv why:json:json intervals:folded:folded intervals:svg:svg; do
	report=${kind%%:*} checker=${kind##*:} format=${kind#*:}
	run 0 --report "$report" --format "${format%:*}" "$file"
	[ -s out ] || fail "$kind: nothing written"
	"$WELLFORMED" "$checker" out || fail "$kind"
	[ -s err ] || fail "$kind: nothing about the damage"
	"$WELLFORMED" people err || fail "$kind: standard error"
done
# The same names in merged partial results, in diffs, and in messages.
run 0 --partial "$file.p" "$file"
for kind in text:people csv:csv json:json; do
	run 5 --report diff --single-run --fail-if 'count>-1' --format "${kind%:*}" "$file.p" "$file"
	"$WELLFORMED" "${kind#*:}" out || fail "diff $kind"
	"$WELLFORMED" people err || fail "diff $kind: standard error"
	run 0 merge --format "${kind%:*}" "$file.p"
	"$WELLFORMED" "${kind#*:}" out || fail "merge $kind"
	"$WELLFORMED" people err || fail "merge $kind: standard error"
done
run 0 merge "$file.p" "$file.p"
"$WELLFORMED" people err || fail "standard error, merged twice"
run 1 "$file" "missing$file"
"$WELLFORMED" people err || fail "standard error, missing file"
run 2 --report "$file" "$file"
"$WELLFORMED" people err || fail "standard error, usage"
cp script "$file.hooks"
run 1 --schema "$file.hooks" "$file"
"$WELLFORMED" people err || fail "standard error, schema"

# Formulas of spreadsheets are written unchanged: CSV is for programs.
run 0 --report summary --format csv "$file"
in_file out '^\+1,1,'
# The checkers detect unsafe output.
wrong()
{
	# shellcheck disable=SC2059
	printf "$2" >bad
	if "$WELLFORMED" "$1" bad >/dev/null; then
		fail "$1 takes $2"
	fi
}
# With --csv-safe no field begins with what a spreadsheet computes; without it, fields are as they
# are. Doing without the apostrophes gives the plain report.
for report in summary intervals hooks cpus why; do
	run 0 --report $report --format csv "$file"
	cp out plain.csv
	run 0 --report $report --format csv --csv-safe "$file"
	"$WELLFORMED" csv out || fail "--csv-safe: $report is no CSV"
	python3 - plain.csv out <<-'END' || fail "--csv-safe: $report"
		import csv, re, sys
		plain, safe = ([row for row in csv.reader(open(f, newline='', encoding='utf-8'))]
		               for f in sys.argv[1:])
		number = re.compile(r'-?[0-9.e+-]+$')
		formula = lambda x: x[:1] in '=+-@\t\r' and x != ''
		assert len(plain) == len(safe)
		for a, b in zip(plain, safe):
		    assert len(a) == len(b)
		    for x, y in zip(a, b):
		        assert y == x or (formula(x) and y == "'" + x), (x, y)
		        assert not formula(y) or number.match(y), y
	END
done
for checker in people csv json folded svg; do
	wrong $checker 'a\033[m\n'
	wrong $checker 'a\302\233\n'
	wrong $checker 'a\377\n'
done
wrong people '\342\200\256\n'
wrong csv 'a,b\r\n1\r\n'
wrong csv 'a,b\n1,2\n'
wrong csv 'a\r\nx"y"\r\n'
wrong json '{"a":1,"a":2}\n'
wrong json '{"a":nan}\n'
wrong json '{"a":01}\n'
wrong json '{"a":"\t"}\n'
wrong json '{"a":1} {"b":2}\n'
wrong json '{"a":[1,]}\n'
wrong folded 'a;b\n'
run 0 --format svg "$file"
for change in 's/<rect /<image /' 's/role="treeitem"/onload="x"/' 's/&lt;/</' 's/&amp;/\&/' 's,</svg>,,'; do
	sed "$change" out >bad
	cmp -s out bad && fail "svg: $change changes nothing"
	if "$WELLFORMED" svg bad >/dev/null; then
		fail "svg takes $change"
	fi
done
