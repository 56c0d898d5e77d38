#!/bin/sh
. "${0%/*}/lib.sh"

# make FILE HOST DAY ID: a trace with two intervals. An id has 16 letters.
make()
{
	{
		echo "clock tsc"
		echo "hz 1000000000"
		echo "sync 0 $((1700000000 + 86400 * $3))000000000 1000"
		echo "id \"$4\""
		[ -z "$2" ] || printf 'section meta\n| host: %s\n' "$2"
		echo 'section hooks ring=0'
		printf 'group mm=1 tid=7 at=%d elapsed=1000 types=1 label="x"\nendgroup\n' 20000 30000
		echo 'section end'
	} | "$MKTRACE" - "$1"
}
files()
{
	(cd lake && find . -type f | LC_ALL=C sort) >files
}
note='parquet holds intervals'

# No name leaves the folder or hides a file.
mkdir traces
make traces/a.bin alpha 0 AAAAAAAAAAAAAAAA
make traces/b.bin ../../up 1 BBBBBBBBBBBBBBBB
make '_c d.bin' '' 2 CCCCCCCCCCCCCCCC
printf 'clock tsc\nhz 1000000000\nsync 0 0 0\nid "DDDDDDDDDDDDDDDD"\nsection end\n' | "$MKTRACE" - none.bin
run 0 --format parquet --partition host,date,version=1/2 -o lake traces '_c d.bin' none.bin
lines_are 0
[ "$(grep -c "$note" err)" -eq 1 ] || fail "the note on Parquet is not printed once"
files
cat >expected <<'END'
./host=..%2F..%2Fup/date=2023-11-15/version=1%2F2/b.bin.42424242424242424242424242424242.parquet
./host=__HIVE_DEFAULT_PARTITION__/date=2023-11-16/version=1%2F2/%5Fc%20d.bin.43434343434343434343434343434343.parquet
./host=__HIVE_DEFAULT_PARTITION__/date=__HIVE_DEFAULT_PARTITION__/version=1%2F2/none.bin.44444444444444444444444444444444.parquet
./host=alpha/date=2023-11-14/version=1%2F2/a.bin.41414141414141414141414141414141.parquet
END
cmp -s files expected || fail "$(cat files)"

# Repeating replaces the file. An unreadable trace does not stop the others, and leaves no file.
file=lake/$(tail -n 1 expected)
echo old >"$file"
head -c 20 traces/a.bin >cut.bin
run 1 --format parquet --partition host,date,version=1/2 -o lake cut.bin traces
in_file err 'cut.bin: '
head -c 4 "$file" >magic
[ "$(cat magic)" = PAR1 ] || fail "the file of the trace was not replaced"
files
cmp -s files expected || fail "$(cat files)"
find lake -name '.*' ! -name . >hidden
[ ! -s hidden ] || fail "$(cat hidden)"

# The rotated files of a trace become one file; a second trace of the same name and id is reported.
cp traces/a.bin a.bin
cp traces/a.bin a.bin.1
rm -r lake
run 0 --format parquet --partition host -o lake a.bin a.bin.1
files
[ "$(cat files)" = ./host=alpha/a.bin.41414141414141414141414141414141.parquet ] || fail "$(cat files)"
run 1 --format parquet --partition host -o lake a.bin traces
in_file err 'traces/a.bin: left out: .* was written already, to lake/host=alpha/a.bin'
loss='section loss
loss 0 5 4 3 2 0 0 0'
make_trace lossy.bin
run 3 --strict --format parquet --partition host -o lake lossy.bin traces/b.bin
[ -e lake/host=demo ] || fail "lost data, no file"

# -o names the folder.
run 1 --format parquet --partition host -o a.bin traces/b.bin
in_file err '^cpidecode: a.bin/host=..%2F..%2Fup/b.bin.*: cannot write: Not a directory'
run 2 --format parquet --partition host a.bin
in_file err '^cpidecode: --partition: it takes a folder'
run 2 --format csv --partition host -o lake a.bin
for list in '' host, day host=1,host=2 1=2 'a b=1' version= host,host; do
	run 2 --format parquet --partition "$list" -o lake a.bin
	in_file err "^cpidecode: --partition: .*: expected "
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
done

# A key is no column of the file as well; host may have a value that META lacks.
for key in tid=5 label=x elapsed_ns=1; do
	run 2 --format parquet --partition "$key" -o lake a.bin
	in_file err "^cpidecode: --partition ${key%=*}: the file has a column ${key%=*}: "
done
run 0 --format parquet --partition host=given -o given a.bin
[ -s given/host=given/a.bin.41414141414141414141414141414141.parquet ] || fail "host=given: no file"
run 2 --format parquet --partition host=given --columns host -o given a.bin
in_file err 'the file has no column "host"'

# Columns.
run 0 --format parquet --columns label,elapsed_ns,arg.none -o chosen a.bin
in_file err 'no interval has arg.none: the file has no such column'
run 1 --format parquet --columns arg.none -o none a.bin
in_file err '^cpidecode: --columns arg.none: the file would have no column: '
[ ! -e none ] || fail "a file without columns"
run 0 --format parquet -o all a.bin
[ "$(wc -c <chosen)" -lt "$(($(wc -c <all) / 4))" ] || fail "chosen columns are as large as all"
run 2 --format parquet --columns label,none -o chosen a.bin
in_file err 'the file has no column "none"; it has label, number, parent, file, host, elapsed_ns, start_ns, '
run 2 --format parquet --partition host --columns label,host -o lake a.bin
in_file err 'the file has no column "host"'

# The same of hooks.
run 0 --report hooks --format parquet --partition host,date -o hooks traces
(cd hooks && find . -type f | LC_ALL=C sort) >files
cat >expected <<'END'
./host=..%2F..%2Fup/date=2023-11-15/b.bin.42424242424242424242424242424242.parquet
./host=alpha/date=2023-11-14/a.bin.41414141414141414141414141414141.parquet
END
cmp -s files expected || fail "hooks: $(cat files)"
run 2 --report hooks --format parquet --partition ring=1 -o hooks a.bin
in_file err '^cpidecode: --partition ring: the file has a column ring: '
run 0 --report hooks --format parquet --columns time_ns,minor -o chosen a.bin
run 0 --report hooks --format parquet -o all a.bin
[ "$(wc -c <chosen)" -lt "$(($(wc -c <all) / 2))" ] || fail "chosen columns of hooks are as large as all"
run 2 --report hooks --format parquet --columns time_ns,label -o chosen a.bin
in_file err 'the file has no column "label"; it has time_ns, ticks, .*, ring, host$'
run 2 --report hooks --format parquet --partition host --columns host -o hooks a.bin
in_file err 'the file has no column "host"; it has time_ns, ticks, .*, ring$'
run 2 --report hooks --format parquet --by major -o chosen a.bin
