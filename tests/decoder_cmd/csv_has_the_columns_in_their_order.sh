#!/bin/sh
. "${0%/*}/lib.sh"

# The first line of out, without its carriage return.
header_is()
{
	head -n 1 out | tr -d '\r' >first
	[ "$(cat first)" = "$1" ] || fail "another header"
	is_csv out
}

run 0 --report intervals --format csv plain.bin
header_is start_ns,end_ns,elapsed_cycles,cpu,pid,tid,task,minor,label,depth,types,num_cpus,\
raw_cpi,scaled_cpi,busy_pct,thread_cpi,instructions,cycles,busy_cycles,thread_instructions,\
thread_cycles,flags,off_cpu_ns,ctx_switches,migrations,faults,on_cpu_ns,unexplained_ns,time_source,start_cpu,\
own_inside_ns,own_nested_ns,id,parent_id
tr -d '\r' <out >lines
row()
{
	grep -aFxq -- "$1" lines || fail "no row $1"
}
row 1700000000005000000,1700000000050000000,45000000,0,100,100,main,1,outer,0,7,2,4.0000,2.0000,\
50.0000,2.2500,20000000,80000000,40000000,20000000,45000000,summary+detailed,,,,,,,,,,,r0.504,
row 1700000000010000000,1700000000030000000,20000000,0,100,100,main,1,inner,1,7,2,2.0000,1.5000,\
75.0000,1.5000,8000000,16000000,12000000,10000000,15000000,summary+detailed,,,,,,,,,,,r0.0,r0.504
row 1700000000040000000,1700000000045000000,5000000,,,202,,16,guest,0,1,1,1.0000,,,,,,,,,summary,,,,,,,,,,,g0.0,
row 1700000000060000000,1700000000070000000,10000000,0,100,100,main,2,,0,1,2,,,,,,,,,,summary,,,,,,,,,,,r0.1008,
in_file lines '^1700000000010000000,1700000000040000000,.*,wor;ker,3,"we""ird, '

run 0 --report hooks --format csv plain.bin
header_is time_ns,ticks,cpu,tid,pid,task,major,minor,name,words,strings,fields
in_file out '^1700000000060000000,1060000000,1,101,100,wor;ker,16,35,,00000001 00000002 DEADBEEF,"\[""tick"",""""\]",'

run 0 --format csv plain.bin
header_is label,minor,count,total_ns,mean_ns,min_ns,p50_ns,p90_ns,p99_ns,max_ns,raw_cpi,\
scaled_cpi,thread_cpi,cpi_weighting,busy_pct,scripted,flagged
in_file out '^outer,1,1,45000000,45000000\.0,45000000,45000000,45000000,45000000,45000000,4\.0000,2\.0000,2\.2500,counts,50\.0000,0,'
in_file out '^,2,1,10000000,.*,,,,none,,0,'

run 0 --report cpus --format csv plain.bin
header_is label,minor,count,cpu,cpi,cpi_wb,idle_pct,busy_pct
in_file out '^outer,1,1,system,4\.0000,2\.0000,50\.0000,50\.0000'
in_file out '^outer,1,1,1,4\.0000,2\.0000,50\.0000,50\.0000'
