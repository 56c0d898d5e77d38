#!/bin/sh
# A trace from a pipe, whole, damaged or cut off: the same bytes, messages and status as from a file.
. "${0%/*}/lib.sh"

cases=$here/../golden/cases

# file OPTIONS...: $trace itself, to out and err, status in $status.
file()
{
	status=0
	"$CPIDECODE" "$@" "$trace" >out 2>err </dev/null || status=$?
	sed "s/$trace/standard input/g" err >told
}

# pipe_equals_file WHAT OPTIONS...: standard input gives the same as the file.
pipe_equals_file()
{
	what=$1
	shift
	piped=0
	"$CPIDECODE" "$@" - >out_piped 2>err_piped || piped=$?
	[ "$piped" -eq "$status" ] || fail "$what: from a pipe exit $piped, not $status"
	cmp out out_piped || fail "$what: from a pipe another summary"
	cmp told err_piped || fail "$what: from a pipe other messages"
}

# both WHAT OPTIONS...
both()
{
	file --format csv ${2+"$2"}
	# shellcheck disable=SC2002 # a pipe, not a file
	cat "$trace" | pipe_equals_file "$1" --format csv ${2+"$2"}
}

trace=small.bin
n=0
for script in "$cases"/*/trace*.txt; do
	"$MKTRACE" "$script" $trace || fail "$script: mktrace"
	both "$script"
	n=$((n + 1))
done
[ $n -gt 50 ] || fail "only $n golden traces"

# Beyond 66 MiB hooks are read while the rest arrives. Here those begin with a section of a type
# that readers skip; the golden trace follows it, with its own header before.
trace=large.bin
{ echo 'section 99'; echo 'zeros 70000000'; } | "$MKTRACE" - $trace
begin=$(wc -c <$trace)

# enlarge SCRIPT [BYTES]: its trace, or so many bytes of it.
enlarge()
{
	"$MKTRACE" "$1" small.bin
	head -c "${2:-$(wc -c <small.bin)}" small.bin >cut.bin
	head -c 256 cut.bin | dd of=$trace conv=notrunc 2>dd.err || fail "dd"
	truncate -s "$begin" $trace
	tail -c +257 cut.bin >>$trace
}

# Labels that are told after the hooks.
awk '/^section/ { late = /labels/ } /^section end/ { printf "%s", labels }
	late { labels = labels $0 "\n"; next } { sub("mode: wrap", "mode: continuous"); print }' \
	"$cases/begins/trace.txt" >late_labels
for name in summary codecs containers begins_later labels_damaged wrap late_labels; do
	script=$name
	[ -e "$script" ] || script=$cases/$name/trace.txt
	enlarge "$script"
	both "$name, large"
	size=$(wc -c <small.bin)
	enlarge "$script" $((size - size / 3))
	both "$name, large, cut off"
done
enlarge "$cases/labels_damaged/trace.txt"
both 'damaged, large' -j1
both 'damaged, large' --strict
# A writer that pauses within a section, and one that dies there.
enlarge "$cases/summary/trace.txt"
file --format csv
{ head -c $((begin + 100)) && sleep 0.05 && cat; } <$trace | pipe_equals_file 'a pause' --format csv
truncate -s $((begin + 100)) $trace
file --format csv
# The shell tells of it.
{ cat $trace && sh -c 'kill -KILL $$'; } 2>killed | pipe_equals_file 'a dying writer' --format csv

status=0
"$CPIDECODE" - >out 2>err <&- || status=$?
[ $status -eq 1 ] || fail "closed standard input: exit $status"
lines=$(wc -l <err)
[ "$lines" -eq 1 ] || fail "closed standard input: $lines lines"
in_file err '^cpidecode: standard input: '
