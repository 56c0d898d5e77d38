#!/bin/sh
. "${0%/*}/lib.sh"

# Two containers with threads of one name, one of the owner's namespace and one of another, and
# a task of the owner's: thread 8 is at home, in a cgroup.
make_clocked c.bin <<'END'
cpus 1
section tasks
task 7 7 0 "server"
task 8 8 0 "worker"
task 0x80000010 0x80000011 0 "worker"
section 11
bytes 08 00 00 00  08 00 00 00  08 00 00 00  03 00 00 F0  00 00 00 00 00 00 00 00  06 00 00 00 "/box/a" 00 00 00 00 00 00
bytes 10 00 00 80  07 00 00 00  01 00 00 00  04 00 00 F0  00 00 00 00 00 00 00 00  06 00 00 00 "/box/b" 00 00 00 00 00 00
section hooks ring=0
hook 0xC0 0x1 tid=7 at=800 64:10 "l"
hook 0xC0 0xF0000001 64:10 "l"
hook 0xC0 0x1 tid=8 at=900 64:20 "l"
hook 0xC0 0xF0000001 64:20 "l"
hook 0xC0 0x1 tid=0x80000010 at=1000 64:30 "l"
hook 0xC0 0xF0000001 64:30 "l"
hook 0xC0 0x2 tid=8 at=1100 64:40 "m"
hook 0xC0 0xF0000002 64:40 "m"
section end
put16 header+10 4
fix header
END

# --where chooses by it in every report of intervals.
for container in /box/a /box/b; do
	for report in summary why histogram cpus intervals slowest; do
		run 0 --report $report --format json --where "container=\"$container\"" c.bin
		in_file out '"l"'
		if [ $container = /box/a ]; then
			in_file out '"m"'
		else
			not_in_file out '"m"'
		fi
	done
	run 0 --where "container=\"$container\"" --format folded c.bin
	in_file out "^(worker|pid 1) \\($container\\);worker;l [23]0\$"
	not_in_file out server
done
run 0 --report summary --format csv --where 'absent(container)' c.bin
in_file out '^l,1,1,10,'
not_in_file out '^m,'

# Stacks begin with it.
run 0 --format folded c.bin
printf '%s\n' 'server;server;l 10' 'worker (/box/a);worker;l 20' 'worker (/box/a);worker;m 40' 'pid 1 (/box/b);worker;l 30' |
	sort | cmp - out || fail "stacks do not begin with the container"
run 0 --format svg c.bin
in_file out 'worker \(/box/a\)'

# The summary and why name those of a label, whatever the order of intervals.
for threads in 1 2 4; do
	run 0 --report summary --format csv --jobs $threads c.bin
	in_file out ',container'
	in_file out '^l,1,3,60,.*,"-, /box/a, /box/b"'
	in_file out '^m,2,1,40,.*,/box/a'
done
cp out summary
run 0 --report summary --format csv --exact c.bin
cmp -s out summary || fail "--exact leaves out the containers"
run 0 --report summary --format json c.bin
in_file out '"label":"m",.*"container":"/box/a"'
run 0 --report summary c.bin
in_file out '^label .* container +mm$'
in_file out '^m .* /box/a +02$'
run 0 --report why --format csv c.bin
in_file out '^m,2,1,time_ns,.*,/box/a'
run 0 --report why c.bin
in_file out '^"m", minor 0x02, container /box/a, 1 interval'
run 0 --report summary --format csv --where 'absent(container)' c.bin
in_file out '^l,1,1,10,.*,0,,'

# The report cpus does not depend on the source of its data.
run 0 --report cpus c.bin
not_in_file out container
cp out cpus
run 0 --partial c.part c.bin
run 0 merge --report cpus c.part
cmp -s out cpus || fail "cpus of a partial result is another report"
run 0 --partial c.part --report cpus c.bin
run 0 merge --partial c2.part c.part
run 0 merge c2.part
cmp -s out cpus || fail "cpus of a partial result that was merged is another report"

# More than are shown: the first by name.
{
	printf '%s\n' 'clock raw' 'hz 1000000000' 'sync 0 1700000000000000000 5' 'cpus 1' 'section tasks'
	for i in $(seq 10 40); do
		echo "task $i $i 0 \"t\""
	done
	echo 'section 11'
	for i in $(seq 40 -1 10); do
		hex=$(printf %02X "$i")
		echo "bytes $hex 00 00 00  $hex 00 00 00  $hex 00 00 00  03 00 00 F0  00 00 00 00 00 00 00 00  04 00 00 00 \"/c$i\""
	done
	echo 'section hooks ring=0'
	for i in $(seq 10 40); do
		printf '%s\n' "hook 0xC0 0x1 tid=$i at=$((i * 100)) 64:10 \"l\"" 'hook 0xC0 0xF0000001 64:10 "l"'
	done
	printf '%s\n' 'section end' 'put16 header+10 4' 'fix header'
} | "$MKTRACE" - many.bin
for threads in 1 4; do
	run 0 --report summary --format csv --jobs $threads many.bin
	in_file out '^l,1,31,.*,"/c10, /c11, /c12, /c13, /c14, /c15, /c16, /c17, /c18, /c19, /c20, /c21, /c22, /c23, /c24, /c25, \.\.\."'
done

# Traces of one container each: the column is shown if the containers differ.
owned()
{
	make_clocked "$1" <<END
id "$1           "
section meta
| cgroup: $2
section tasks
task 7 7 0 "server"
section hooks ring=0
hook 0xC0 0x1 tid=7 at=$3 64:10 "l"
hook 0xC0 0xF0000001 64:10 "l"
hook 0xC0 0x2 tid=7 at=$(($3 + 40)) 64:10 "of $1"
hook 0xC0 0xF0000002 64:10 "of $1"
section end
END
}
owned a.bin /pod/a 1200
owned b.bin /pod/b 1300
owned d.bin /pod/a 1400
for report in summary why intervals hooks; do
	run 0 --report $report --format csv a.bin
	not_in_file out container
	run 0 --report $report --format csv a.bin d.bin
	not_in_file out container
	run 0 --report $report --format csv a.bin b.bin
	in_file out ',container'
	in_file out '/pod/a'
	in_file out '/pod/b'
done
run 0 --format csv a.bin b.bin
in_file out '^l,1,2,20,.*,"/pod/a, /pod/b"'
in_file out '^of a.bin,.*,/pod/a'
in_file out '^of b.bin,.*,/pod/b'
run 0 --format csv --by label,container a.bin b.bin
in_file out '^l,/pod/b,1,'
run 0 --format csv --where 'container="/pod/b"' a.bin b.bin
in_file out '^of b.bin'
not_in_file out 'of a.bin'
# With entries of their own beside the owner's.
run 0 --format csv c.bin b.bin a.bin
in_file out '^l,1,5,80,.*,"-, /box/a, /box/b, /pod/a, /pod/b"'

# Merged partial results show what the traces together show: of owners in one container and in several, of
# an unknown owner and an unknown thread, and of more containers than are shown.
make_clocked unowned.bin <<'END'
id "unowned         "
section tasks
task 7 7 0 "server"
section hooks ring=0
hook 0xC0 0x1 tid=7 at=1500 64:10 "l"
hook 0xC0 0xF0000001 64:10 "l"
hook 0xC0 0x1 tid=99 at=1600 64:10 "l"
hook 0xC0 0xF0000001 64:10 "l"
section end
END
while read -r options; do
	# shellcheck disable=SC2086 # lists
	for trace in a b d c many unowned; do
		run 0 --partial $trace.part $options $trace.bin
	done
	for set in 'a b' 'd a' 'unowned a' 'b unowned a' c 'many a' 'a b d many unowned'; do
		traces='' parts=''
		for trace in $set; do
			traces="$traces $trace.bin" parts="$trace.part $parts"
		done
		# shellcheck disable=SC2086 # lists
		{
			run 0 $options $traces
			cp out whole
			run 0 merge $parts
			cmp out whole || fail "$options: merged partial results of $set show other containers"
			run 0 --partial whole.part $options $traces
			run 0 merge --partial merged.part $parts
			cmp whole.part merged.part || fail "$options: merged partial results of $set have other bytes"
		}
	done
done <<'END'
--format csv --report summary
--format csv --exact
--format csv --report why
--format csv --by container,label
--format csv --by container,time:1ms --exact --from 1700000000
--format folded
--format svg
END
