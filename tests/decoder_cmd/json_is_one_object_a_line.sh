#!/bin/sh
. "${0%/*}/lib.sh"

run 0 --report hooks --format json plain.bin
lines_are 20
keys='^\{"time_ns":[0-9]+,"ticks":[0-9]+,"cpu":([0-9]+|null),"tid":[0-9]+,"pid":([0-9]+|null),'
keys="$keys"'"task":(null|"[^"]*"),"major":[0-9]+,"minor":[0-9]+,"name":(null|"[^"]*"),'
keys="$keys"'"words":\[[0-9,]*\],"strings":\[.*\],"fields":(null|\{.*\})\}$'
[ "$(grep -aEc "$keys" out)" -eq 20 ] || fail "other keys"
in_file out '"cpu":null,"tid":202,"pid":null,"task":null,"major":192,"minor":16,"name":"label, start"'
in_file out '"strings":\["we\\"ird, \\u001B\[31m'"$(printf '\357\277\275')"';\\n"\]'
in_file out '"minor":35,"name":null,"words":\[1,2,3735928559\],"strings":\["tick",""\],"fields":null\}'
in_file out '"cpu_raw_cpi":\[null,null\],"raw_cpi":null\}'
in_file out '"cpu_raw_cpi":\[2.0000,2.0000\],"raw_cpi":2.0000,'

run 0 --report intervals --format json plain.bin
lines_are 5
in_file out '"label":"outer","depth":0,"types":7,"num_cpus":2,"raw_cpi":4.0000,"scaled_cpi":2.0000,"busy_pct":50.0000,"thread_cpi":2.2500,"instructions":20000000,"cycles":80000000,"busy_cycles":40000000,"thread_instructions":20000000,"thread_cycles":45000000,"flags":"summary\+detailed","off_cpu_ns":null,"ctx_switches":null,"migrations":null,"faults":null,"on_cpu_ns":null,"unexplained_ns":null,"time_source":null,"start_cpu":null,"own_inside_ns":null,"own_nested_ns":null,"cpus":\[\{"cpu":0,"raw_cpi":4.0000,"scaled_cpi":2.0000,"busy_pct":50.0000,"instructions":10000000,"cycles":40000000,"busy_cycles":20000000\},\{"cpu":1,'
in_file out '"label":null,.*"raw_cpi":null,.*"instructions":null,'

run 0 --format json plain.bin
lines_are 5
in_file out '^\{"label":"outer","minor":1,"count":1,"total_ns":45000000,"mean_ns":45000000.0,"min_ns":'
run 0 --report cpus --format json plain.bin
lines_are 5
in_file out '"system":\{"cpi":4.0000,"cpi_wb":2.0000,"idle_pct":50.0000,"busy_pct":50.0000\},"cpus":\[\{"cpu":0,'
run 0 --report info --format json plain.bin plain.bin
lines_are 2
