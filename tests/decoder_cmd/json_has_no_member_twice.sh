#!/bin/sh
# However its columns, metrics and events are called.
. "${0%/*}/lib.sh"
command -v python3 >/dev/null || skip "members: python3: not installed"

cat >members.py <<'E'
import json, sys

def check(pairs):
    names = [name for name, _ in pairs]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"twice: {twice}")
    return dict(pairs)

lines = [json.loads(line, object_pairs_hook=check) for line in sys.stdin]
if not lines:
    sys.exit("no lines")
E

# Events whose names are parts of each other around a comma, or end as a diff's figures do.
make_clocked t.bin <<'END'
cpus 1
section labels
# numbers 1, 3, 5, 7 and 9
label "cpu/a,b/"
label "a"
label "b/"
label "a.before"
label "p75_ns"
section hooks ring=0
interval mm=1 tid=1 at=2000 elapsed=500 label="inner" cpu 0 500 0
hook 0xC1 0x20000001 tid=1 at=2000 5 0 64:500 1 1 64:1000 64:500 64:500 3 1 64:3000 64:500 64:500 5 1 64:100 64:500 64:500 7 1 64:7 64:500 64:500 9 1 64:8 64:500 64:500
section end
END
run 0 --report intervals --columns cpu/a,b/,a,b/,a.before,p75_ns --format csv t.bin
in_file out '^1000,3000,100,7,8.?$'

# once ARGUMENTS...: the report in JSON has no member twice.
once()
{
	run 0 --format json "$@" t.bin
	python3 members.py <out || fail "$*"
}
for report in intervals summary cpus why histogram heatmap 'hooks --by major' 'diff t.bin'; do
	# shellcheck disable=SC2086
	once --report $report
	case $report in
	hooks* | heatmap) columns=count,count ;;
	intervals) columns=id,label,id,elapsed,elapsed_ns,cpu/a,b/,a,b/,cpu/a,b/,a ;;
	diff*) columns=label,a,a.before,label,a.before,cpu/a,b/.before,cpu/a,b/.before ;;
	*) columns=label,label,count,label ;;
	esac
	# shellcheck disable=SC2086
	once --report $report --columns $columns
done
# What is listed twice is twice where that does no harm.
run 0 --report intervals --format csv --columns id,id t.bin
in_file out '^id,id'

# Percentiles have their names before events and metrics.
for name in p75_ns p75 p50 mean label in count; do
	once --percentiles 75,50 --metric "$name=elapsed_ns/2"
	once --report diff --percentiles 75,50 --metric "$name=elapsed_ns/2" t.bin
done
in_file out '"event.p75_ns":\{'
run 0 --report diff --format csv --percentiles 75 --metric 'p75_ns=elapsed_ns/2' t.bin t.bin
in_file out '^inner,1,metric.p75_ns,,250.0000,'
in_file out '^inner,1,p75_ns,,500,'
