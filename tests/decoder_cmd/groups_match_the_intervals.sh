#!/bin/sh
golden=$(cd "${0%/*}/../golden/cases" && pwd)
. "${0%/*}/lib.sh"
command -v python3 >/dev/null || skip "groups: python3: not installed"

groups()
{
	python3 "$here/groups.py" "$CPIDECODE" "$@" || fail "groups of $*"
}

sampled=0 nested=4000 mixed=2000
if is_sampled "3 of 4 intervals, and groups of many"; then
	sampled=1 nested=1000 mixed=500
fi
"$GENTRACE" -k groups -n $nested -c 3 -d 6 g.bin
"$GENTRACE" -k mixed -n $mixed -c 3 -u -s 5 t.bin
groups g.bin "tid label,minor cpu,pid,task parent,tid root time:100us tid,time:200us container,start_cpu"
groups t.bin "stack time:50us,label"
groups t.bin tid,time:100us --from 1700000000.0003 --to 1700000000.0009
groups g.bin parent,stack --from 1700000000.0003
groups g.bin parent,root --where 'elapsed<200us'
groups t.bin stack --where 'under(elapsed>500us)'
groups g.bin parent,time:500us --where 'contains(elapsed<2us) and tid!=1001'
groups t.bin tid --where 'contains(elapsed<2us)' --label '*request*'
# More values than are kept as they are.
"$GENTRACE" -k groups -n 5000 -c 2 -l 3 -g 200 many.bin
[ $sampled -eq 1 ] || groups many.bin "label time:1ms"
for case in nesting zero_length equal_stamps containers before_tick_0; do
	"$MKTRACE" "$golden/$case/trace.txt" c.bin
	groups c.bin "stack,container label,time:1us"
done
"$MKTRACE" "$golden/arguments/trace.txt" c.bin
groups c.bin "arg.size,arg.key arg.nothing"
# An outermost label that is empty: the stack begins with its separator.
"$MKTRACE" - c.bin <<'EOF'
clock tsc
hz 1000000000
cpus 1
sync 0 1700000000000000000 1000
section hooks ring=0
hook 0xC2 0x20000000 tid=7 at=2000 9 0 64:500 0 1 "inner"
hook 0xC2 0x20000000 tid=7 at=3000 9 0 64:2000 0 1 ""
hook 0xC2 0x20000000 tid=7 at=4000 9 0 64:100 0 1 "inner"
section end
EOF
groups c.bin "stack parent,root"
run 0 --format csv --by stack --columns stack --sort stack c.bin
printf '%s\r\n' stack '""' ';inner' inner >expected
cmp expected out || fail "--by stack"


# Hosts are those of the files' META.
for host in one two; do
	"$MKTRACE" - $host.bin <<EOF
clock raw
hz 1000000000
sync 1000000000 1700000000000000000 5
cpus 1
id "the host is $host."
section meta
| host: $host
section hooks ring=0
group mm=1 tid=1 at=1000002000 elapsed=1000 types=0 label="$host" summary
endgroup
group mm=1 tid=1 at=1000003000 elapsed=500 types=0 label="both" summary
endgroup
section end
EOF
done
run 0 --format csv --by host,label --columns host,label,count --sort host one.bin two.bin
printf '%s\r\n' host,label,count one,one,1 one,both,1 two,two,1 two,both,1 >expected
cmp expected out || fail "--by host"

# Threads change nothing.
for list in label,tid stack tid,time:50us; do
	run 0 -j 1 --format csv --by $list g.bin
	mv out one
	run 0 -j 3 --format csv --by $list g.bin
	cmp one out || fail "--by $list: threads differ"
done
# label,minor are the groups of no --by.
run 0 --format csv --columns label,minor,count,total_ns,p99_ns g.bin
sort out >expected
run 0 --format csv --by label,minor --columns label,minor,count,total_ns,p99_ns g.bin
sort out | cmp expected - || fail "--by label,minor"
run 0 --format csv --exact --columns label,minor,p50_ns,p99_ns many.bin
sort out >expected
run 0 --format csv --exact --by label,minor --columns label,minor,p50_ns,p99_ns many.bin
sort out | cmp expected - || fail "--exact"
