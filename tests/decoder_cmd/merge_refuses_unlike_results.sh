#!/bin/sh
. "${0%/*}/lib.sh"

run 0 --partial whole.p plain.bin
run 0 --slice 1/2 --partial one.p plain.bin
run 0 --slice 2/2 --partial two.p plain.bin
run 0 --label outer --slice 2/2 --partial outer.p plain.bin
run 0 merge one.p two.p
quiet
mv out expected
cat two.p | "$CPIDECODE" merge one.p - >out 2>err || fail "exit $? for a partial result from a pipe"
cmp -s out expected || fail "a partial result from a pipe says something else"

refuses 1 'whole.p: some of the trace plain.bin, but not all, is in an earlier' merge one.p whole.p
# A result that is there twice, also as a part of a larger one, counts once.
for again in 'one.p two.p two.p' 'one.p one.p two.p' 'whole.p one.p'; do
	# shellcheck disable=SC2086 # several files
	run 0 merge $again
	cmp -s out expected || fail "$again: counted twice"
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
	in_file err '(one|two).p: earlier partial results have all of it'
done
refuses 1 'outer.p: it was made with other filters' merge one.p outer.p
refuses 1 'plain.bin: not a partial result' merge plain.bin
head -c 100000 /dev/zero >zeros
refuses 1 'zeros: not a partial result' merge zeros
refuses 1 'directory' merge .
refuses 1 'absent.p: .*No such file' merge whole.p absent.p
head -c 20 whole.p >short.p
refuses 1 'short.p: cut off' merge short.p
head -c 100 whole.p >cut.p
refuses 1 'cut.p: cut off' merge cut.p
{ head -c 60 whole.p; printf 'X'; tail -c +62 whole.p; } >damaged.p
refuses 1 'damaged.p: damaged: its checksum' merge damaged.p
refuses 1 'whole.p: a partial result, not a trace' whole.p
# A file given twice is one source, its hooks read once.
run 0 --partial twice.p plain.bin plain.bin
run 0 --partial plain.p plain.bin
cmp twice.p plain.p || fail "a file given twice changed the partial result"

# A part is a part.
run 0 merge one.p
in_file err 'plain.bin: slices are missing'
run 3 merge --strict one.p
run 0 merge --strict one.p two.p

# Losses are reported once for any number of slices, and --strict fails on them.
loss='section loss
loss 0 5 4 3 2 0 0 0
loss 1 0 0 0 0 40 1 2'
make_trace lossy.bin
run 0 --partial loss1.p --slice 1/2 lossy.bin
run 3 --partial loss2.p --slice 2/2 --strict lossy.bin
run 0 lossy.bin
in_file err 'may be missing'
# Partial results do not record intervals lost by overwriting.
grep -v 'may be missing' err >expected
run 3 merge --strict loss1.p loss2.p
cmp -s err expected || fail "losses are told otherwise"
loss=''
damage='flip s3.payload+40'
make_trace damaged.bin
run 0 --partial damaged.p damaged.bin
run 3 merge --strict damaged.p
in_file err 'damaged.bin: 1 damaged stretch, [0-9]+ bytes skipped'
damage=''
# Torn and malformed records stand between hooks, and are counted in one slice each, even where
# several read their section.
{
	printf 'clock raw\nhz 1000000000\nsync 0 1700000000000000000 5\nsection hooks ring=0 torn=0\n'
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "hook 0x10 1 tid=1 at=${i}000 7"
		echo "hook 0x10 2 tid=1 at=${i}001 uncommitted 8"
	done
	echo 'section end'
} | "$MKTRACE" - torn.bin
run 0 torn.bin
mv err expected
in_file expected '9 torn records'
in_file expected 'contradicts itself'
sed -i "/contradicts/d; /no intervals/d" expected # nor can a partial result tell of hooks
run 0 --partial torn.p torn.bin
for n in 2 5; do
	rm -f part.*
	for i in $(seq $n); do
		run 0 --slice "$i/$n" --partial "part.$i" torn.bin
	done
	run 0 merge --partial merged.p part.*
	cmp -s merged.p torn.p || fail "$n slices found something else"
	run 0 merge part.*
	in_file err '1 section contradicts itself'
	sed -i /contradicts/d err
	cmp -s err expected || fail "$n slices tell something else"
done
header='flags 1'
make_trace scripted.bin
run 0 --partial scripted.p scripted.bin
run 0 merge scripted.p
in_file out '^# scripted counters'
run 0 merge --format csv scripted.p
in_file err 'scripted counters'

misuse 'no partial results' merge
misuse 'takes no filters' merge --label x whole.p
misuse 'takes no filters' merge --slice 1/2 whole.p
misuse 'merge goes with' merge --report intervals whole.p
misuse 'merge goes with' merge --format chrome whole.p
misuse 'I/N' --slice 0/2 plain.bin
misuse 'I/N' --slice 3/2 plain.bin
misuse 'I/N' --slice 1 plain.bin
misuse 'I/N' --slice 1/2x plain.bin
misuse 'I/N' --slice -1/2 plain.bin
misuse 'goes with' --slice 1/2 --report hooks plain.bin
misuse 'written instead of a report' --partial x -o y plain.bin
misuse 'empty file name' --partial '' plain.bin
