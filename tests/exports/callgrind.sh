#!/bin/sh
# callgrind_annotate reads an export as the folded stacks: own ns by label, and their sum.
. "${0%/*}/lib.sh"

command -v callgrind_annotate >/dev/null || skip "no callgrind_annotate here (Debian's valgrind has it)"

# Own ns by label: of the last frame of each stack. Labels of these traces have no ';'.
folded_own()
{
	"$CPIDECODE" --format folded --weight ns "$1" 2>/dev/null |
		awk '{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); own[$0] += n }
			END { for (label in own) if (own[label]) print own[label], label }' | LC_ALL=C sort
}

# The same by callgrind_annotate: lines like ` 1,234 (5.67%)  ???:label`.
callgrind_own()
{
	callgrind_annotate --threshold=100 --auto=no --show=ns "$1" 2>said |
		sed -n 's/^ *\([0-9,]*\) *([^)]*) *???:\(.*\)$/\1 \2/p' | sed 's/ \[[^]]*\]$//' |
		awk '{ n = $1; gsub(",", "", n); sub(/^[^ ]+ /, ""); if (n) print n, $0 }' | LC_ALL=C sort
}

check_own()
{
	"$CPIDECODE" --format callgrind -o "$1.callgrind" "$1.bin" 2>"$1.err" || fail "$1: $(cat "$1.err")"
	folded_own "$1.bin" >expected
	callgrind_own "$1.callgrind" >found
	[ -s expected ] || fail "$1: no stacks"
	cmp -s expected found || fail "$1: $(diff expected found)"
	total=$(awk '{ s += $1 } END { printf "%.0f", s }' expected)
	grep -Eq "^summary: $total( |\$)" "$1.callgrind" || fail "$1: the summary is not $total"
	callgrind_annotate --auto=no "$1.callgrind" | tr -d , | grep -Eq "^ *$total .*PROGRAM TOTALS" ||
		fail "$1: callgrind_annotate's total is not $total"
}

for name in nesting zero_length equal_stamps scopes cross_cpu weights begins; do
	"$MKTRACE" "$here/../golden/cases/$name/trace.txt" $name.bin
	check_own $name
done
cp "$here/../../samples/measured.trace" measured.bin
check_own measured
printf '%s\n' 'clock tsc' 'hz 1000000000' 'section meta' '| command: ./server --port 80' 'section end' | "$MKTRACE" - command.bin
"$CPIDECODE" --format callgrind -o command.callgrind command.bin 2>/dev/null
in_file command.callgrind '^cmd: \./server --port 80$'
in_file nesting.err 'sums by label: times, arguments and losses are left out, and counts that some intervals lack'

# Open intervals have no end, and are in no sum.
in_file begins.err '4 open intervals are left out: sums are of those that ended'

# Names are whole, also with what folded stacks cannot have.
semicolon_trace semicolon.bin
"$CPIDECODE" --format callgrind -o semicolon.callgrind semicolon.bin 2>/dev/null
callgrind_own semicolon.callgrind >found
printf '%s\n' '300 a_b' '700 a;b' | cmp -s - found || fail "names with a semicolon: $(cat found)"

# With calls: inclusive costs, and costs that every interval has.
run 0 --format callgrind --label '*er' plain.bin

in_file err 'sums by label: times, arguments and losses are left out$'
printf '%s\n' '# callgrind format' 'version: 1' 'creator: cpidecode' 'positions: line' \
	'events: ns thread_cycles thread_instructions' 'summary: 45000000 45000000 20000000' '' \
	'fl=(1) ???' 'fn=(1) thread main' 'cfn=(4) outer' 'calls=1 0' '0 45000000 45000000 20000000' '' \
	'fn=(4)' '0 25000000 30000000 10000000' 'cfn=(6) inner' 'calls=1 0' \
	'0 20000000 15000000 10000000' '' 'fn=(6)' '0 20000000 15000000 10000000' |
	sed 's/([0-9]*)/(N)/' >expected
sed 's/([0-9]*)/(N)/' out | cmp -s - expected || fail "another profile: $(sed 's/([0-9]*)/(N)/' out | diff expected -)"

"$CPIDECODE" --format callgrind - <nesting.bin >piped 2>/dev/null
cmp -s piped nesting.callgrind || fail "from a pipe, it is another file"
