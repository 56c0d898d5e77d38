#!/bin/sh
. "${0%/*}/lib.sh"

bad=$(printf '\357\277\275')
run 0 --format folded plain.bin
quiet
cat >expected <<END
main;main;minor 0x02 10000000
main;main;outer 25000000
main;main;outer;inner 20000000
main;wor_ker;we"ird, _[31m${bad}__ 30000000
tid 202;guest 5000000
END
cmp -s out expected || fail "other stacks"
run 0 --report intervals --format folded --weight ns plain.bin
cmp -s out expected || fail "ticks are ns here"

run 0 --format folded --weight thread_cycles plain.bin
printf 'main;main;outer 30000000\nmain;main;outer;inner 15000000\n' >expected
cmp -s out expected || fail "other stacks of thread cycles"
in_file err '3 intervals left out: thread cycles were not measured'

run 0 --format folded --weight=instructions --label inner plain.bin
[ "$(cat out)" = 'main;main;outer;inner 8000000' ] || fail "a filter cut the stack"
