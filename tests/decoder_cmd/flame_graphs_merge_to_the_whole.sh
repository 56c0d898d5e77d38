#!/bin/sh
# Partial results of flame graphs: of slices, merged in any order and in steps, the stacks and the picture have the
# bytes of the whole's, and so has the partial result.
. "${0%/*}/lib.sh"

merging_gives_the_whole()
{
	options=$1
	n=$2
	shift 2
	# shellcheck disable=SC2086
	run 0 $options "$@"
	cp out whole
	# shellcheck disable=SC2086
	run 0 --partial whole.p $options "$@"
	rm -f part.*
	backwards=
	i=1
	while [ "$i" -le "$n" ]; do
		# shellcheck disable=SC2086
		run 0 --partial "part.$i" --slice "$i/$n" $options "$@"
		backwards="part.$i $backwards"
		i=$((i + 1))
	done
	run 0 merge part.*
	cmp -s out whole || fail "$* $options in $n slices: another graph"
	# shellcheck disable=SC2086
	run 0 merge --partial merged.p $backwards
	cmp -s merged.p whole.p || fail "$* $options in $n slices: another partial result"
	run 0 merge merged.p
	cmp -s out whole || fail "$* $options in $n slices: another graph in steps"
}

cases='nesting cross_cpu scopes events quality idle_groups cpuutil_mixed interval_time labels_damaged hosts unmeasured'
! is_sampled "6 of 11 golden traces" || cases='cross_cpu events interval_time labels_damaged hosts'
for case in $cases; do
	make_case "$case"
	for options in '--format folded' '--format svg' '--format svg --weight ns' '--format folded --label o*'; do
		# shellcheck disable=SC2086
		merging_gives_the_whole "$options" 3 $files
	done
	# shellcheck disable=SC2086
	merging_gives_the_whole '--format svg' 1 $files
	rm -f trace*.bin
done

# Many slices; an interval's parent lies in another slice.
"$GENTRACE" -k groups -n 3000 -c 3 big.bin
merging_gives_the_whole '--format folded' 7 big.bin
merging_gives_the_whole '--format svg --weight instructions' 7 big.bin
[ "$(wc -l <whole)" -gt 100 ] || fail "nothing to compare"

# Incompatible partial results are refused by name.
run 0 --partial f.p --format folded plain.bin
run 0 --partial s.p --format svg plain.bin
run 0 --partial w.p --format svg --weight ns plain.bin
run 0 --partial any.p plain.bin
refuses 1 'f.p: it is of a flame graph only' merge --report summary f.p
refuses 1 'any.p: it has no stacks' merge --format svg any.p
refuses 1 'f.p: it was not made for --format svg' merge --format svg f.p
refuses 1 's.p: it was made with another --weight' merge --format svg --weight ns s.p
refuses 1 'w.p: it was made with another --weight' merge --format svg w.p
refuses 1 's.p: it was made for --format=svg, those before it for --format=folded' merge f.p s.p
refuses 1 'f.p: a partial result of a flame graph has no figures' --report diff f.p any.p
run 0 merge --format svg --weight ns w.p
in_file out 'width: ns'

# Damaged stacks in a file whose checksum is right: tests/fuzz makes those; here its end is cut off.
head -c -3 f.p >cut.p
refuses 1 'cut.p: cut off' merge cut.p
