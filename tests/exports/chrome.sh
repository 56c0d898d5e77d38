#!/bin/sh
# Perfetto's trace_processor reads Chrome's trace events as intervals.csv.
. "${0%/*}/lib.sh"

# shellcheck disable=SC2154 # of lib.sh
{
	! is_read || trace_processor
	export_all chrome
	# shellcheck disable=SC2086
	readers_agree 'traces, [0-9]+ intervals' node "$here/equal.mjs" "${processor-}" $exported
}

# One JSON text, and exact where doubles are not.
for name in diff_long arguments strings tasks; do
	"$MKTRACE" "$here/../golden/cases/$name/trace.txt" $name.bin
	run 0 --format chrome $name.bin
	! is_read || node -e 'JSON.parse(require("fs").readFileSync("out", "utf8"))' || fail "$name: not JSON"
done
run 0 --format chrome diff_long.bin
in_file err "chrome holds an interval's figures: losses and what single processors counted are left out"
in_file out '"epoch_ns":"1500000000000010000"'
in_file out '"ph":"E","pid":5,"tid":7,"ts":9007199254740.993}'

"$CPIDECODE" --format chrome - <deep.bin >piped 2>/dev/null
cmp -s piped deep.chrome || fail "from a pipe, it is another trace"
