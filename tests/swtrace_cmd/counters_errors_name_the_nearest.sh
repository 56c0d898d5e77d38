#!/bin/sh
. "${0%/*}/lib.sh"

misuse()
{
	pattern=$1
	shift
	refuses 2 "$pattern" counters "$@"
	in_file err 'see swtrace counters --help$'
}

# An invalid path is wrong usage, reported before any query.
misuse 'does not begin with a backslash' query 'Processor Information(*)\% Idle Time'
misuse 'names another machine' query '\\no such host\Processor Information(*)\% Idle Time'
misuse "machine's name is missing" query '\\\Processor Information(*)\% Idle Time'
misuse "counterset's name is missing" query '\\host'
misuse "counterset's name is missing" query '\'
misuse "counterset's name is missing" query '\(x)\y'
misuse 'the counter is missing' query '\Processor Information'
misuse 'the counter is missing' query '\Processor Information(*)'
misuse 'the counter is missing' query '\Processor Information(*)\'
misuse 'the counter is missing' query '\Processor Information\'
misuse 'the \) after the instance' query '\Processor Information(*\% Idle Time'
misuse "instance's name is missing" query '\Processor Information()\% Idle Time'
misuse "instance's name is too long" query "\\Process($(printf '%01100d' 1))\\ID Process"
misuse 'needs a path' query
misuse 'list, instances or query is missing'
misuse 'unknown action "show": expected' show
misuse 'needs the name' instances
misuse 'takes one counterset' list Processor Information
misuse '-si does not go with list' list -si 1
misuse '-o does not go with instances' instances Process -o x
misuse '-q does not go with query' query -q '\a\b'
misuse '--trace does not go with list' list --trace
misuse 'exclude each other' list -q --json
misuse 'exclude each other' list -q -qx
misuse 'exclude each other' query '\a\b' --json -f csv
for time in 0 0.001 x '' 1: :1 1:2:3:4 -1 1m 86401 99999:0; do
	misuse '-si: ".*": expected' query '\a\b' -si "$time"
done
for count in 0 x '' 1.5 4294967296; do
	misuse '-sc: ".*": expected' query '\a\b' -sc "$count"
done
misuse '-f: "xml": expected csv, tsv or json' query '\a\b' -f xml
misuse "file's name is empty" query '\a\b' -o ''
misuse "trace's name is empty" query '\a\b' --from ''
misuse 'a trace.s samples have their times' query '\a\b' --from x -si 1
misuse '--from has a trace' query '\a\b' --from x --trace
misuse 'unknown option "-x"' query -x
echo 'no path' >paths
misuse 'does not begin with a backslash' query -cf paths
: >paths
misuse 'needs a path' query -cf paths

# A path that names nothing.
refuses 1 'no counterset "Processor Informatoin"; the nearest is "Processor Information"' \
	counters query '\Processor Informatoin(*)\% Idle Time'
refuses 1 'no counterset "Xyzzy"; swtrace counters list' counters query '\Xyzzy\Plugh'
refuses 1 'has no counter "% Idel Time"; the nearest is "% Idle Time"' \
	counters query '\Processor Information(*)\% Idel Time'
refuses 1 'has no counter "xyzzyxyzzyxyzzyxyzzy"; swtrace' \
	counters query '\Processor Information(*)\xyzzyxyzzyxyzzyxyzzy'
refuses 1 'has no such instance' counters query '\Processor Information(99,99)\% Idle Time'
refuses 1 'has no such instance' counters query '\Processor Information(x*)\% Idle Time' \
	'\Processor Information(*)\% Idle Time'
refuses 1 'has instances; \(\*\) after its name' counters query '\Processor Information\% Idle Time'
refuses 1 'nearest is "Process"' counters instances Proces
refuses 1 'nearest is "Process"' counters list Procss
refuses 1 'No such file' counters query -cf nothing
refuses 1 'nothing.*there is no such file' counters query --from nothing '\Process(*)\ID Process'
refuses 1 'nothing.*there is no such file' counters list --from nothing
echo 'no trace' >trace
refuses 1 "trace: not a trace" counters list --from trace

run 0 counters --help
in_file out '^usage: swtrace counters '
