#!/bin/sh
. "${0%/*}/lib.sh"

# Two light intervals with arguments, and later one with others.
make_clocked t.bin <<'END'
section labels
# numbers 1, 3, 5 and 7
label "size"
label "key"
label "light"
label "late"
section hooks ring=0
hook 0xC2 0x20000000 tid=3 at=41000 1 5 64:100 2 1 1 1 64:1000 3 4 64:0 "user 1"
hook 0xC2 0x20000000 tid=3 at=42000 1 5 64:100 1 0 1 1 64:5
hook 0xC2 0x20000000 tid=3 at=92000 1 5 64:100 1 0 7 1 64:5
section end
END
make_clocked none.bin <<'END'
section hooks ring=0
group mm=1 tid=1 at=14500 elapsed=1500 types=1 label="disk" summary
cpu 1000 1500 0 x2
endgroup
section end
END

# tells LINE ARGUMENTS...: all of stderr.
tells()
{
	line=$1
	shift
	run 0 "$@"
	[ "$(cat err)" = "cpidecode: $line" ] || fail "$*: '$(cat err)' instead of '$line'"
}

size='no interval has an argument named "siz"; the nearest is "size"'
tells "$size" --where 'arg.siz>1' t.bin
tells "$size" --where 'label=light and parent.arg.siz>1' t.bin
tells "$size" --where 'contains(arg.siz>1)' t.bin
tells "$size" --by arg.siz t.bin
tells "$size" --by arg.siz,label --where 'arg.siz=1' t.bin
tells "$size" --report histogram --by arg.siz t.bin
for sort in arg.siz -arg.siz; do
	tells "$size" --report intervals --sort $sort t.bin
	tells "$size" --report intervals --sort $sort --top 1 t.bin
	tells "$size" --report slowest --sort $sort t.bin
done
for format in csv json folded svg perfetto; do
	tells "$size" --format $format --where 'arg.siz>1' t.bin
done
for threads in 1 4; do
	tells "$size" -j $threads --where 'arg.siz>1' t.bin
done
tells "$size" --partial part --where 'arg.siz>1' t.bin
run 0 merge part
quiet
tells "$size" --where 'arg.siz>1' - <t.bin
tells 'no interval has an event named "cycels"' --where 'event.cycels>1' t.bin
tells 'no interval has an event named "size"' --report intervals --sort event.size t.bin
tells 'no interval has an argument named "light"' --by arg.light t.bin
tells 'no interval has an argument named "size"' --by arg.size none.bin

# One that some interval has is not told, whether or not it is selected.
for ok in 'arg.size>1' 'arg.key=x' 'label=none and arg.late>1' 'absent(arg.late)'; do
	run 0 --where "$ok" t.bin
	quiet
done
run 0 --by arg.size,arg.key t.bin
quiet
# Several traces are one: each of two may lack what the other has.
run 0 --report diff --by arg.size t.bin none.bin
not_in_file err 'no interval has'
tells "$size" --report diff --by arg.siz t.bin t.bin
mkdir folder
run 0 --format parquet --partition version=1 --where 'arg.size>1' -o folder t.bin none.bin
not_in_file err 'no interval has'

# What was not read is not denied.
tells 'no interval that was read has an argument named "siz"; the nearest is "size"' --to +20us \
	--where 'arg.siz>1' t.bin
# A selection's order asks the selected ones.
run 0 --report intervals --label nothing --sort arg.siz t.bin
in_file err 'no interval that was read has an argument named "siz"'
