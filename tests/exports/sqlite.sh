#!/bin/sh
# SQL's answers about a database equal intervals.csv, the summary and info.
. "${0%/*}/lib.sh"

! is_read || python3 -c 'import sqlite3' 2>/dev/null || skip "no python3 with sqlite3 here"

export_all sqlite
# shellcheck disable=SC2154 # of lib.sh
for name in $names; do
	"$CPIDECODE" --format csv -o "$name.summary.csv" "$name.bin" 2>/dev/null
	"$CPIDECODE" --report info --format json -o "$name.info.json" "$name.bin" 2>/dev/null
done
# shellcheck disable=SC2086,SC2154
readers_agree 'traces, [0-9]+ intervals' python3 -B "$here/sqlite.py" $names
in_file wrap_children.err 'began before the oldest hook .* so self times are upper bounds$'
in_file quality_hostile.err "SQLite's integers end at 2\\^63 - 1: [0-9]+ larger numbers are stored as reals"

"$CPIDECODE" --format sqlite -o piped.sqlite - <deep.bin 2>/dev/null
! is_read || python3 - <<'PYTHON' >out 2>&1 || fail "from a pipe, it is another database"
import sqlite3
dumps = []
for name in ("piped", "deep"):
    dumps.append([line for line in sqlite3.connect(name + ".sqlite").iterdump() if "INTO \"files\"" not in line])
assert len(dumps[0]) > 3000 and dumps[0] == dumps[1]
PYTHON

# From a row to the report.
if is_read; then
	row=$(python3 -c 'import sqlite3
print(*sqlite3.connect("deep.sqlite").execute("""select own.id, start_ns, elapsed_cycles, tid from own
    join intervals using (number) order by own_ns desc limit 1""").fetchone(), sep=",")')
	run 0 --report intervals --format csv --columns id,start_ns,elapsed_cycles,tid --where "id=${row%%,*}" deep.bin
	printf 'id,start_ns,elapsed_cycles,tid\r\n%s\r\n' "$row" >expected
	cmp -s expected out || fail "the interval with the most own time, $row: $(cat out)"
fi

# Refused with the reason, and nothing is left.
mkdir refused
run 2 --format sqlite plain.bin
in_file err 'cannot go to standard output, it is written in pages: give it a file with -o'
run 2 --format sqlite -o - plain.bin
run 2 --format sqlite -o /dev/null plain.bin
in_file err 'give it a file with -o, not a pipe or a device'
run 2 --report summary --format sqlite -o refused/a plain.bin
mkdir without
: >without/libsqlite3.so.0
status=0
LD_LIBRARY_PATH=$PWD/without "$CPIDECODE" --format sqlite -o refused/a plain.bin 2>err || status=$?
[ "$status" -eq 2 ] || fail "without the library: exit $status"
in_file err '^cpidecode: --format sqlite: libsqlite3.so.0 is not here \(Debian: libsqlite3-0\)$'
status=0
(ulimit -f 64 && exec "$CPIDECODE" --format sqlite -o refused/a deep.bin 2>err) || status=$?
[ "$status" -eq 1 ] || fail "with no room: exit $status"
in_file err 'refused/a: cannot write: '
[ -z "$(ls -A refused)" ] || fail "left behind: $(ls -A refused)"

# A file that was there is replaced; a name like an address is one of a file.
echo old >file:a.sqlite
run 0 --format sqlite -o file:a.sqlite plain.bin
! is_read || python3 -c 'import sqlite3, urllib.parse
assert sqlite3.connect("./file:a.sqlite").execute("select count(*) from intervals").fetchone()[0] == 5' ||
	fail "another database"
