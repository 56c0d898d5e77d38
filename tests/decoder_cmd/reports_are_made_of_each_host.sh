#!/bin/sh
# --by host of cpus, why, slowest, gaps, heatmap and counted hooks: in one output the report of each host's traces, in order of the names, also of
# merged partial results.
. "${0%/*}/lib.sh"

# trace FILE HOST SEED: of a machine of its own. HOST '': none in META.
trace()
{
	awk -v host="$2" -v seed="$3" 'BEGIN {
		srand(seed)
		printf "clock raw\nhz 1000000000\nid \"machine %08d\"\nsync 0 1700000000%d00000000 5\ncpus 2\n", seed, seed
		if (host) print "section meta\n| host: " host
		print "section tasks\ntask 1 1 0 \"one\"\nsection hooks ring=0"
		at = 5000000
		for (i = 0; i < 300; i++) {
			at += 100 + int(1900 * rand())
			printf "group mm=1 tid=%d at=%d elapsed=%d types=1 label=\"%s\" summary\ncpu 1 2 1\nendgroup\n",
				1 + int(2 * rand()), at, int(exp(9 * rand())), substr("abc", 1 + int(3 * rand()), 1)
		}
		print "section end"
	}' | "$MKTRACE" - "$1"
}
trace b1.bin b 1
trace a.bin a 2
trace none.bin '' 3
trace b2.bin b 4
all='b1.bin none.bin a.bin b2.bin'

# Each host's own report of these options, with the member `host`.
each()
{
	for host in a b none; do
		case $host in
		b) files='b1.bin b2.bin' member='"b"' ;;
		a) files=a.bin member='"a"' ;;
		*) files=none.bin member=null ;;
		esac
		# shellcheck disable=SC2086
		run 0 --format json "$@" $files
		sed "s/^{/{\"host\":$member,/" out >>expected
	done
}

while read -r by options; do
	: >expected
	# shellcheck disable=SC2086
	case $by in
	*tid) each $options --by label,tid ;;
	*minor) each $options --by major,minor ;;
	*) each $options ;;
	esac
	# shellcheck disable=SC2086
	run 0 --format json $options --by "$by" $all
	cmp expected out || fail "$options --by $by"
	case $options in
	*why* | *hooks*) continue ;;
	esac
	rm -f ./*.p
	for file in $all; do
		# shellcheck disable=SC2086
		run 0 --partial "$file.p" --format json $options --by "$by" "$file"
	done
	run 0 merge ./*.p
	cmp expected out || fail "merge: $options --by $by"
done <<'END'
host --report cpus
host --report why --tail p90
host --report slowest --top 2
host --report gaps
host,label,tid --report gaps
host --report heatmap --time unix
host,major,minor --report hooks
END

# A relative time counts from the first hook of all hosts.
# shellcheck disable=SC2086
run 0 --report gaps --format json --by host --from +50ms $all
grep '"host":"a"' out >expected || fail "no gaps of a"
run 0 --report gaps --format json a.bin
sed 's/^{/{"host":"a",/' out | cmp expected - || fail "--from"

# CSV is one table; text has a headline for each host.
for report in cpus why gaps heatmap; do
	# shellcheck disable=SC2086
	run 0 --report $report --format csv --by host $all
	awk -F, 'NR == 1 { n = NF; if ($1 != "host") exit 1; next } NF != n { exit 1 } { seen[$1] = 1 }
		END { if (!seen["a"] || !seen["b"] || !seen[""] || length(seen) != 3) exit 1 }' out || fail "$report: $(head -n 3 out)"
	# shellcheck disable=SC2086
	run 0 --report $report --by host $all
	[ "$(grep -c '^# host' out)" -eq 3 ] || fail "$report: headlines"
done
run 0 --report slowest --by host a.bin none.bin
printf '# host %s\n' a n/a >expected
grep '^# host' out | cmp expected - || fail "slowest: headlines"

# One host may come from a pipe; several are read twice.
run 0 --report gaps --by host a.bin
mv out expected
"$CPIDECODE" --report gaps --by host - <a.bin >out
cmp expected out || fail "a pipe"
"$CPIDECODE" --report gaps --by host - b1.bin <a.bin >out 2>err && fail "a pipe of several hosts"
in_file err 'standard input can be read only once'

# Partial results keep the hosts apart through any tree of merges, and are the same bytes as that of all traces.
while read -r report; do
	# shellcheck disable=SC2086
	run 0 $report $all
	mv out expected
	# shellcheck disable=SC2086
	run 0 --partial whole.p $report $all
	for file in $all; do
		# shellcheck disable=SC2086
		run 0 --partial "$file.p" $report "$file"
	done
	run 0 merge --partial left.p b1.bin.p none.bin.p
	run 0 merge --partial right.p b2.bin.p a.bin.p
	run 0 merge --partial one.p left.p right.p
	run 0 merge --partial three.p b2.bin.p left.p
	run 0 merge --partial two.p a.bin.p three.p
	cmp -s whole.p one.p || fail "$report: another partial result"
	cmp -s whole.p two.p || fail "$report: another partial result in another order"
	# A repeated host counts once.
	run 0 merge --partial again.p one.p left.p two.p b1.bin.p
	in_file err '^cpidecode: left.p: earlier partial results have all of its host b: it is counted once$'
	in_file err '^cpidecode: b1.bin.p: earlier partial results have all of it: it is counted once$'
	cmp -s whole.p again.p || fail "$report: something counts twice"
	for part in whole.p again.p; do
		run 0 merge $part
		cmp -s expected out || fail "$report: merge $part: another report"
	done
	run 0 merge --partial b.p b2.bin.p b1.bin.p
	# shellcheck disable=SC2086
	run 0 --partial whole.p $report b1.bin b2.bin
	cmp -s whole.p b.p || fail "$report: another partial result of one host"
done <<'END'
--report cpus --by host
--report cpus --by host --format csv
--report why --by host --format json
--report slowest --by host --top 3
--report gaps --by host,label,tid --format json
--report heatmap --time unix --by host
END

# A file that was cut between two results, or whose results are in disorder, is damaged and changes nothing.
run 0 --partial both.p --report cpus --by host a.bin b1.bin
run 0 --partial a.p --report cpus --by host a.bin
bytes=$(wc -c <a.p)
head -c "$bytes" both.p >cut.p
tail -c +"$((bytes + 1))" both.p >rest.p
cat rest.p cut.p >swapped.p
cat a.p b1.bin.p >joined.p
for file in cut.p rest.p swapped.p joined.p; do
	run 1 merge --report cpus --by host $file
	in_file err "^cpidecode: $file: (cut off|damaged)"
	run 0 merge --report cpus --by host --allow-missing $file a.p
	in_file out "^# 1 partial result is missing: $file$"
done

# --by host refuses results of several hosts that were made without it.
run 0 --partial both.p --report cpus a.bin b1.bin
run 1 merge --report cpus --by host both.p
in_file err 'both.p: it is of several hosts'
run 2 --report why --by tid a.bin
in_file err 'expected host of why'
run 2 --report gaps --by host,tid a.bin
in_file err 'expected host, label,tid or host,label,tid of gaps'
