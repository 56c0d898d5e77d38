#!/bin/sh
. "${0%/*}/lib.sh"

# The same trace in one file and in three, cut anywhere: all syncs and tasks are somewhere.
head='clock tsc
hz 2000000000
id "cut into parts 1"
cpus 2
sync 0 1700000000000000000 1000000000'
tasks='section tasks
task 7 5 0 "worker"
task 8 5 4000000 "helper"'
sync0='section clock
sync 0 1700000000000000000 1000000000'
sync1='section clock
sync 3000000 1700000000001500090 1001500090'
sync2='section clock
sync 7000001 1700000000003499955 1003499955'
sync3='section clock
sync 9000000 1700000000004500123 1004500123'
group()
{
	echo "hook 0xC0 0x00000001 tid=$1 at=$2 64:$3 \"$4\""
	echo "hook 0xC0 0xF0000001 64:$3 \"$4\""
}
first=$(group 7 1000001 900000 a && group 8 2999999 2000000 b && group 7 3333333 3000000 c)
second=$(group 8 4000001 1 d && group 7 5000000 4950000 e && group 7 5000000 0 f)
third=$(group 7 7999999 7998000 g && group 8 9100000 9000000 h)

# make_parts: whole.bin, one.bin, two.bin and three.bin with the syncs as they are now.
make_parts()
{
	"$MKTRACE" - whole.bin <<END
$head
$sync0
$tasks
section hooks ring=0
$first
section hooks ring=1
$second
section hooks ring=0 position=4096
$third
$sync1
$sync2
$sync3
section end
END
	"$MKTRACE" - one.bin <<END
$head
$sync0
$tasks
section hooks ring=0
$first
$sync1
section end
END
	"$MKTRACE" - two.bin <<END
$head
$sync2
$tasks
section hooks ring=1
$second
section end
END
	"$MKTRACE" - three.bin <<END
$head
$tasks
section hooks ring=0 position=4096
$third
$sync3
section end
END
}

# files_equal_one REPORTS...: each, of the whole and of the parts in any order.
files_equal_one()
{
	for what; do
		for files in 'one.bin two.bin three.bin' 'three.bin one.bin two.bin'; do
			run 0 --report "${what% *}" --format "${what#* }" whole.bin
			sed 's/^cpidecode: [a-z]*\.bin: //' err >expected_err
			mv out expected
			# shellcheck disable=SC2086
			run 0 --report "${what% *}" --format "${what#* }" $files
			cmp -s out expected || fail "$what of $files differs from that of the one file"
			sed 's/^cpidecode: [a-z]*\.bin: //' err | cmp -s - expected_err ||
				fail "the report of $files differs from that of the single file"
		done
	done
}

make_parts
files_equal_one 'hooks text' 'hooks json' 'intervals csv' 'intervals json' 'summary csv' 'cpus json'
quiet
run 0 --format folded whole.bin
mv out expected
run 0 --format folded two.bin one.bin three.bin
cmp -s out expected || fail "stacks differ"
[ -s expected ] || fail "no stacks"

# Times, too: each part of a time range is found in its file.
run 0 --report hooks --from 1700000000.0015 --to 1700000000.0025 whole.bin
mv out expected
[ -s expected ] || fail "nothing in the range"
run 0 --report hooks --from 1700000000.0015 --to 1700000000.0025 one.bin two.bin three.bin
cmp -s out expected || fail "a range differs"

# Without the syncs of the others a file's times are its own.
run 0 --report hooks two.bin
mv out alone
run 0 --report hooks one.bin two.bin
if grep -Fxf alone out | grep -q 'label'; then
	fail "the syncs of the first file have no effect"
fi

# Nor does it matter that CLOCK_REALTIME was set back by 1 ms, between the first file and the second.
sync2='section clock
sync 7000001 1700000000002499955 1003499955'
sync3='section clock
sync 9000000 1700000000003500123 1004500123'
make_parts
files_equal_one 'hooks text' 'intervals csv' 'summary csv'
in_file err 'CLOCK_REALTIME was set back by 1.00 ms'
