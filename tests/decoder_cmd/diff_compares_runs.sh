#!/bin/sh
. "${0%/*}/lib.sh"

mkdir old new noisy
for i in 1 2 3 4 5; do
	make_run old/$i.bin $((100 + i)) 0
	make_run new/$i.bin $((200 + i)) 20
	make_run noisy/$i.bin $((300 + i)) $((8 * i - 16))
done

verdict()
{
	tr -d '\r' <out | awk -F, -v metric="$1" '$3 == metric { print $9 }'
}

run 0 --report diff --format csv old new
quiet
for metric in mean_ns p50_ns p90_ns p99_ns; do
	[ "$(verdict $metric)" = change ] || fail "$metric"
done
[ "$(verdict instructions)" = noise ] || fail instructions
[ -z "$(verdict max_ns)" ] || fail "max has a verdict"
in_file out '^x,1,count,,50,50,0,0.00,,,5,5'
mv out first

# Patterns, several of them, names behind the option, partial results: the same runs.
run 0 --report diff --format csv --before 'old/*' --after 'new/[1-3]*' --after new/4.bin new/5.bin
cmp -s out first || fail "patterns"
mkdir parts
for i in 1 2 3 4 5; do
	"$CPIDECODE" --partial parts/$i.p new/$i.bin
done
run 0 --report diff --format csv --before old --after parts
cmp -s out first || fail "partial results"
run 0 --report diff old new
in_file out '^# 5 runs before, 5 after'

# By keys: by label and minor the same bytes, also of partial results that were made so; a gate may name any key's value.
run 0 --report diff --format csv --by label,minor old new
cmp -s out first || fail "--by label,minor is not by label and minor"
mkdir keys
for i in 1 2 3 4 5; do
	"$CPIDECODE" --partial keys/$i.p --by label,minor new/$i.bin
done
run 0 --report diff --format csv --by label,minor --before old --after keys
cmp -s out first || fail "partial results by keys"
run 0 --report diff --by tid,label --format csv old new
in_file out '^[0-9]+,x,count,,50,50,'
run 5 --report diff --by minor,label --fail-if 'x:p90>+5%' old new
in_file err 'gate failed: x:p90>\+5%: minor "1", label "x": '
run 0 --report diff --by label --aa --format json old
in_file out '^\{"label":"x","scripted":'
run 5 --report diff --by label --fail-if 'y:p90>+5%' old new
in_file err 'no such intervals on either side'
run 1 --report diff --by tid keys new
in_file err '^cpidecode: keys/1.p: it was not made with --by tid, but with --by label,minor$'
run 1 --report diff --by tid parts new
in_file err '^cpidecode: parts/1.p: it has no groups by keys: make it with --partial and --by$'
run 1 --report diff keys new
in_file err 'a partial result of a report with --by has no figures to compare$'
run 2 --report diff --by time:1s old new
in_file err 'runs of a diff have no times in common'
run 2 --report diff --by tid --format svg old/1.bin new/1.bin

# The variance between runs decides, not that of 250 intervals.
run 0 --report diff --format csv old noisy
[ "$(verdict mean_ns)" = noise ] || fail "runs that differ anyway are a change"
run 0 --report diff --fail-if 'mean>+0.1%' --fail-if 'p90>+0.1%' old noisy
run 5 --report diff --fail-if 'p90>+5%' old new
in_file err 'gate failed: p90>\+5%: "x", minor 0x01: .* \(\+[0-9.]*%\)$'
run 0 --report diff --fail-if 'p90>+25%' --fail-if 'mean<-1%' old new
# At least 30 % slower, it asks: 20 % are less.
run 5 --report diff --fail-if 'mean<+30%' old new

# Fewer than three a side.
run 5 --report diff --fail-if 'mean>+1%' --before old/1.bin old/2.bin --after new
in_file err 'too few runs to tell it from noise \(2 and 5, of 3 a side\)'
run 0 --report diff --fail-if 'mean>+50%' --before old/1.bin old/2.bin --after new
in_file err 'gate mean>\+50%: too few runs to judge 1 of 1'
run 0 --report diff --format csv --before old/1.bin old/2.bin --after new
[ "$(verdict mean_ns)" = too-few ] || fail "two runs are judged"

# One run each.
run 2 --report diff --fail-if 'mean>+1%' old/1.bin new/1.bin
in_file err 'one run each: .*--single-run'
run 2 --report diff --single-run old/1.bin new/1.bin
in_file err '^cpidecode: --single-run goes with --fail-if: '
run 5 --report diff --single-run --fail-if 'max>+1%' old/1.bin new/1.bin
in_file err 'max has no statistical test: the gate compares the value itself'

# Rotated files belong to their file; a file counts once; files that are no traces are reported.
mkdir rotated
sed_id='id 000102030405060708090a0b0c0d0e0f'
header=$sed_id
position=65536
make_trace rotated/r.bin
position=
make_trace rotated/r.bin.1
echo text >rotated/notes
run 0 --report diff --format csv rotated old
in_file err 'rotated/notes: neither a trace nor a partial result: left out'
in_file out '^inner,1,count,,2,0,.*,1,0.?$'
run 1 --report diff --before old/1.bin old/1.bin --after new
in_file err 'old/1.bin: it is among the runs already'
mkdir empty
run 1 --report diff empty new
in_file err 'empty: no traces in it'
run 1 --report diff --before 'none*' --after new
in_file err 'none\*: no such files'

# The variance between runs of one program.
run 0 --report diff --aa --format csv old
in_file out '^label,minor,metric,of,runs,value,noise_pct,least_change_pct'
in_file out '^x,1,mean_ns,,5,[0-9.]*,[0-9.]*,[0-9.]*.?$'
run 0 --report diff --aa noisy
in_file out '^# least: the change that 5 runs before and 5 after show 19 times of 20$'
run 0 --report diff --aa --before old --after new/1.bin new/2.bin new/3.bin
in_file out 'that 5 runs before and 3 after show'
run 0 --report diff --aa old/1.bin old/2.bin
in_file err 'too few runs to tell what they differ by'

misuse 'nothing to compare with: --after is missing' --report diff --before old
misuse 'neither before nor after' --report diff old --before new
misuse 'no runs' --report diff --aa
misuse 'exclude each other' --report diff --aa --fail-if 'mean>+5%' old
misuse 'go with --report diff' --before old --after new

# Filters are those of the partial results.
for i in 1 2; do
	run 0 --partial part.$i old/$i.bin
	run 0 --partial labelled.$i --label 'x*' --from +0s old/$i.bin
done
for filter in --label=x --tid=1 --minor=1 --cpu=0 --from=+0s --where=tid=1; do
	misuse 'part.1: a partial result that was made with other filters' --report diff $filter part.1 part.2
	misuse 'part.2: a partial result that was made with other filters' --report diff $filter old/1.bin part.2
done
run 0 --report diff --format csv labelled.1 labelled.2
cp out labelled
for one in labelled.1 old/1.bin; do
	run 0 --report diff --format csv --label 'x*' --from +0s $one labelled.2
	cmp -s out labelled || fail "$one: other filters than those of the partial results"
done
misuse 'other filters' --report diff --label 'x*' labelled.1 labelled.2
misuse 'other filters' --report diff --label 'y*' --from +0s labelled.1 labelled.2
for i in 1 2; do
	run 0 --partial where.$i --where 'label=x*' old/$i.bin
done
run 0 --report diff --format csv --where 'label=x*' old/1.bin old/2.bin
cp out labelled
for one in where.1 old/1.bin; do
	run 0 --report diff --format csv --where 'label=x*' $one where.2
	cmp -s out labelled || fail "$one: another condition than that of the partial results"
done
misuse 'other filters' --report diff --where 'label=y*' where.1 where.2
misuse 'one of the runs itself' --report diff -o old/1.bin old new
