#!/bin/sh
# --where of --report hooks, its counts and its exports: columns of hooks.csv, time, and fields by schema.
. "${0%/*}/lib.sh"

cat >shop.hooks <<'END'
major 0x22 shop "a shop"
hook 1 "sold"
  u64 price
  i32 change
  u32 cpu
  string item
hook 2 "list"
  u32 n
  repeat n
    u32 size
  end
hook 3 "timed"
  u64 took na0
  fix4 share
END
make_clocked t.bin <<'END'
cpus 2
section tasks
task 7 70 0 "till"
task 8 80 0 "other"
section hooks ring=0
hook 0x22 1 tid=7 at=1000000 64:500 0xFFFFFFFD 9 "apple"
hook 0x22 1 tid=7 at=2000000 64:1500 4 1 "pear"
hook 0x22 3 tid=8 at=3000000 64:0 1 5000
section hooks ring=1
hook 0x22 2 tid=8 at=1500000 3 10 20 30
hook 0x22 3 tid=8 at=2500000 64:7000 0 2500
hook 0x23 1 tid=9 at=4000000 0xFF "apple pie" "tea"
section hooks guest=0
hook 0x23 2 tid=9 at=5000000
section end
END
# selects TIMES CONDITION: of the hooks at these ms after the first.
selects()
{
	run 0 --report hooks --schema shop.hooks --format csv --where "$2" t.bin
	[ "$(sed 1d out | cut -d, -f1 | sed 's/^1700000000\(...\)\(.\).*/\1.\2/; s/^00//' | tr '\n' ' ')" = "$1${1:+ }" ] ||
		fail "--where $2: $(sed 1d out | cut -d, -f1 | tr '\n' ' ')"
	lines=$(($(wc -l <out) - 1))
	run 0 --report hooks --schema shop.hooks --by major,minor --where "$2" --format csv t.bin
	[ "$(grep ',all,' out | sed 's/"[^"]*"//' | awk -F, '{ n += $5 } END { print n + 0 }')" -eq $lines ] || fail "--by: --where $2"
	run 0 --report hooks --schema shop.hooks -j 1 --where "$2" t.bin
	lines_are $lines
}
# Columns. The hooks are at 1, 1.5, 2, 2.5, 3, 4 and 5 ms.
selects '1.0 2.0' 'major=0x22 and minor=1'
selects '1.5 2.5 3.0' 'tid=8'
selects '1.0 2.0' 'pid=70'
selects '1.5 2.5 3.0' 'task=oth*'
selects '4.0 5.0' 'absent(task) and absent(pid)'
selects '1.0 1.5 2.0 2.5 3.0' 'pid!=1'
selects '1.0 2.0 3.0' 'cpu=0'
selects '5.0' 'absent(cpu)'
selects '4.0 5.0' 'time>=3ms'
selects '1.0 1.5' 'time<=500us'
selects '5.0' 'ticks>4000000'
selects '1.0' 'time_ns<1700000000001500000'
selects '1.5' 'name=list'
selects '4.0 5.0' 'absent(name) and absent(fields)'
selects '4.0' 'words=*FF'
selects '5.0' 'absent(words)'
# One of its strings is enough; those that have none have no value.
selects '1.0 4.0' 'strings=apple*'
selects '4.0' 'strings=tea'
selects '2.0' 'strings!=apple* and major=0x22'
selects '1.5 2.5 3.0 5.0' 'absent(strings)'
selects '2.5' 'fields="*7000*"'
# Fields: numbers with their signs and decimals, texts, several values, what is not measured.
selects '2.0' 'price>1000'
selects '1.0' 'change<0'
selects '1.0' 'change=-3'
selects '1.0' 'item=apple'
selects '1.5' 'size>=30'
selects '1.5' 'size in (7, 20)'
selects '' 'size>30'
selects '2.5' 'took>5us'
selects '1.0 1.5 2.0 3.0 4.0 5.0' 'absent(took)'
selects '3.0' 'share=1.5'
selects '2.5' 'share<1'
selects '2.0' 'field.cpu=1'
selects '1.0 1.5 2.0 3.0' 'price>0 or size=10 or share>1'
selects '1.0' 'not price>=1000 and name=sold'

# With the other filters, by threads, and in the exports of hooks.
run 0 --report hooks --where 'minor=1' --tid 7 --from +1ms t.bin
lines_are 1
for threads in 1 4; do
	run 0 -j $threads --report hooks --schema shop.hooks --format json --where 'price>0 or size=20' t.bin
	mv out hooks.$threads
done
cmp hooks.1 hooks.4 || fail "threads differ"
[ "$(wc -l <hooks.1)" -eq 3 ] || fail "json"
run 0 --format nrm2 -o t.nrm2 --schema shop.hooks --where 'size=20 or major=0x23' t.bin
run 0 --report hooks t.nrm2
lines_are 3
run 0 --format ctf -o ctf --schema shop.hooks --where 'name=sold' t.bin
if command -v babeltrace2 >/dev/null; then
	[ "$(babeltrace2 ctf | grep -c 'shop:sold')" -eq 2 ] && [ "$(babeltrace2 ctf | wc -l)" -eq 2 ] || fail "ctf"
fi
run 0 --format parquet --report hooks -o none.parquet --schema shop.hooks --where 'price=1' t.bin
run 0 --format parquet --report hooks -o one.parquet --schema shop.hooks --where 'price=500' t.bin
[ "$(wc -c <none.parquet)" -lt "$(wc -c <one.parquet)" ] || fail "parquet"
# An NRM2 file's hooks have their own stamps.
run 0 --report hooks --where 'time>=3ms' t.nrm2
lines_are 1

run 2 --report hooks --where 'prise>1' t.bin
in_file err '^cpidecode: --where: hooks have no column "prise"'
[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fail "an unknown field: not one line"
run 2 --format ctf -o x --where 'prise>1' t.bin
[ ! -e x ] || fail "a folder of an unknown field"
run 2 --report hooks --where 'parent.tid=1' t.bin
in_file err 'at column 1: expected a column of hooks, or a field'
run 2 --report hooks --where 'tid=' t.bin
in_file err '^cpidecode: --where: at column 5 '
run 2 --report hooks --where 'under(tid=1)' t.bin
in_file err '^cpidecode: --where: at column 6'
run 2 --report info --where 'tid=1' t.bin
in_file err 'describes whole files: it takes no filters'

# The label of a light interval's hook, by its number or as a string, as the report shows it.
"$MKTRACE" "$(cd "${0%/*}/../golden/cases/scopes" && pwd)/trace.txt" scopes.bin
run 0 --report hooks scopes.bin
for label in parse token request; do
	grep " label=\"$label\"" out >expected || fail "no hook of $label"
	mv out all
	run 0 --report hooks --where "label=$label" scopes.bin
	cmp expected out || fail "--where label=$label"
	mv all out
done
run 0 --report hooks --where 'major=0xC2 and absent(label)' --format json scopes.bin
not_in_file out '"label":"'
