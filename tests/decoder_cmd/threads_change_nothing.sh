#!/bin/sh
. "${0%/*}/lib.sh"
: "${GENTRACE:?the generator of large traces}"

# Some MiB, so that hooks are read in several slices; two files, which are merged by time.
"$GENTRACE" -n 60k -c 3 hooks.bin >/dev/null
"$GENTRACE" -k groups -n 4k -c 2 groups.bin >/dev/null

same_with_threads()
{
	run 0 -j 1 "$@"
	[ -s out ] || fail "cpidecode $*: it says nothing"
	mv out one
	for j in 2 5; do
		run 0 -j "$j" "$@"
		cmp one out || fail "cpidecode $*: -j $j says something else"
	done
}

for format in text csv json; do
	same_with_threads --report hooks --format $format hooks.bin
done
same_with_threads --report hooks hooks.bin groups.bin
same_with_threads --report hooks --from +1ms --to +2ms hooks.bin
same_with_threads --report hooks --label '*' --cpu 0 groups.bin
same_with_threads --report info --format json groups.bin
for report in summary intervals cpus why; do
	same_with_threads --report $report --format csv groups.bin
done
same_with_threads --format folded groups.bin
same_with_threads --partial - groups.bin
same_with_threads --slice 2/3 --partial - hooks.bin groups.bin
same_with_threads --report diff --format csv groups.bin hooks.bin

# More labels than a thread keeps for itself.
"$GENTRACE" -k groups -n 16k -l 12000 -e -p label labels.bin >/dev/null
for report in summary why; do
	same_with_threads --report $report --format csv labels.bin
done
run 0 -j 64 --report summary --format csv labels.bin
mv out many
run 0 -j 1 --report summary --format csv labels.bin
cmp many out || fail "-j 64 says something else of many labels"
same_with_threads --partial - labels.bin

# It ends when its reader is gone, and reports a full disk.
{
	status=0
	"$CPIDECODE" -j 4 --report hooks hooks.bin 2>err || status=$?
	echo "$status" >status
} | head -c 1000 >/dev/null
[ "$(cat status)" -eq 1 ] || fail "a closed pipe: exit $(cat status)"
[ ! -s err ] || fail "a closed pipe was complained of"
if [ -c /dev/full ]; then
	run 1 -j 4 --report hooks -o /dev/full hooks.bin
	in_file err '/dev/full: cannot write: No space left'
fi

# Where no thread can be made (none gets its stack) it takes one.
without_threads()
{
	(ulimit -s 4000000 && ulimit -v 2000000 && "$CPIDECODE" "$@") 2>err
}
if without_threads --version >version; then
	run 0 -j 1 --report hooks hooks.bin
	without_threads -j 4 --report hooks hooks.bin >alone || fail "without threads it fails"
	cmp out alone || fail "without threads it says something else"
else
	echo "skipped: no threads: the command does not start with such limits"
fi
