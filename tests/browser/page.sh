#!/bin/sh
# The page of --format html. Its scripts that know no document run under Node, and read the pages of
# all golden traces and of generated ones, whose data is that of intervals.csv, and files of tiles. Where there is
# a Chromium, it opens pages from file:// and compares them with intervals.csv: queries, columns, summary, search,
# mouse and keys, and names that are HTML and scripts. SWTRACE_TEST_BROWSER=1 opens more pages, tiles and
# servers, in Firefox if there is no Chromium; firefox: in that. CPIDECODE, MKTRACE and GENTRACE name the programs, BROWSER a browser
# (else the one installed), PICTURES a folder for pictures of the pages. Ends with 77 if there is no Node.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/traces.sh"
: "${CPIDECODE:?the cpidecode command}" "${MKTRACE:?the trace builder mktrace}"
: "${GENTRACE:?the generator of traces gentrace}"
if ! command -v node >/dev/null || [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
	echo "skipped: the page of --format html: no node 20 here"
	exit 77
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/cpidecode-page.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
# The readers of pages have no sanitizer: where cpidecode has one (PAGES_READ=no), pages are only written.
PAGES_READ=${PAGES_READ:-yes}
if [ "$PAGES_READ" = yes ]; then
	node --test "$here/page_unit.mjs" >unit 2>&1 || {
		cat unit
		exit 1
	}
	echo "ok: $(sed -n 's/^# pass //p' unit) tests under node"
else
	echo "skipped: reading pages: only cpidecode has a sanitizer, and another build reads them"
fi

# page NAME [--tiles]: NAME.bin as NAME.html and NAME.csv, and the reports that the page holds; of the intervals where $where holds, with
# the metrics $metrics.
where=
metrics=
page() {
	"$CPIDECODE" --format html ${where:+--where "$where"} $metrics ${2+"$2"} -o "$1.html" "$1.bin" 2>"$1.err" || return
	[ "$PAGES_READ" = yes ] || return 0
	for report in intervals:csv.csv summary:csv.csv.summary why:text.csv.why why:json.csv.why.json; do
		format=${report#*:}
		"$CPIDECODE" --report "${report%%:*}" --format "${format%%.*}" ${where:+--where "$where"} $metrics -o "$1.${format#*.}" "$1.bin" 2>/dev/null || return
	done
	"$CPIDECODE" --report info -o "$1.csv.info" "$1.bin" 2>/dev/null
}
# read_by SCRIPT FILE...
read_by() {
	[ "$PAGES_READ" != yes ] || node "$@"
}
mkdir data
cd data
"$GENTRACE" -k groups -n 70000 blocks.bin
"$GENTRACE" -k groups -n 6000 -t 2000 -p label,time threads.bin
"$GENTRACE" -k groups -n 40000 -p label -l 70000 -e labels.bin
for dir in "$here"/../golden/cases/*/; do
	name=$(basename "$dir")
	if ! "$MKTRACE" "$dir/trace.txt" "$name.bin" 2>/dev/null || ! "$CPIDECODE" "$name.bin" >/dev/null 2>&1; then
		rm -f "$name.bin"
	fi
done
# Switches: of processor 0 all up to 40000, of 1 some were lost, of 2 there are none. Thread 2 has a name like HTML; thread 5, of a
# container, has another number.
make_clocked switches.bin <<'END'
cpus 3
section schema
| major 0xC3 kernel
section tasks
task 1 1 0 "server"
task 5 5 0 "boxed"
section 11
bytes 05 00 00 00  07 00 00 00  01 00 00 00  03 00 00 F0  00 00 00 00 00 00 00 00  06 00 00 00 "/box/a" 00 00 00 00 00 00
section labels
label "request"
label "script"
section hooks ring=0
hook 0xC2 0x10000000 tid=1 at=20000 34 1 64:10000 64:2 0
hook 0xC2 0x10000000 tid=1 at=30000 34 3 64:2000 64:0 1
hook 0xC2 0x10000000 tid=1 at=41000 34 1 64:16000 64:2 1
hook 0xC3 1 tid=9 at=50000 0 7 64:8000 64:12000 1 1 0 2 2 1 2000 1 1 0 3000 0 0 0 4000 2 3 0 5000 0 0 0 6000 1 1 0 10000 0 0 0
hook 0xC3 1 tid=9 at=50000 0 1 64:22000 64:26000 0 0 0 1 1 0
hook 0xC3 1 tid=9 at=50000 0 0 64:26000 64:28000 1 1
hook 0xC3 1 tid=9 at=50000 0 1 64:28000 64:40000 1 1 0 0 0 0
hook 0xC3 2 tid=9 at=50000 2 2 2 2 64:9000 64:30000 1 1 64:8000 64:30000 "<b>other</b>" "server"
hook 0xC3 1 tid=9 at=50000 1 2 64:9000 64:12000 0 0 0 2 3 0 4000 0 0 0
hook 0xC3 3 tid=9 at=50000 1 64:16000 64:25000 64:77
hook 0xC3 1 tid=9 at=50000 1 1 64:25000 64:30000 0 4294967295 0 2 2 0
hook 0xC3 1 tid=9 at=50000 1 0 64:30000 64:39000 2 2
section hooks ring=2
hook 0x10 1 tid=5 at=41000 7
hook 0xC3 3 tid=9 at=50000 2 64:10000 64:11000 64:0
section end
put16 header+10 4
fix header
END
# Open at the end; the end of one may have been overwritten.
make_open open.bin 65536 300
# Three ticks a ns: intervals of no duration at the end of one that another follows, or within the start of that,
# in one ns.
brief_intervals <<'END' | "$MKTRACE" - rounded.bin
clock raw
hz 3000000000
sync 0 1700000000000000000 5
section hooks ring=0
interval mm=2 tid=1 at=3301 elapsed=1 label="of the first" cpu 0 1 0
interval mm=1 tid=1 at=3301 elapsed=301 label="first" cpu 0 301 0
interval mm=2 tid=1 at=3302 elapsed=0 label="of the second" cpu 0 0 0
interval mm=3 tid=1 at=3400 elapsed=50 label="of the second, too" cpu 0 50 0
interval mm=1 tid=1 at=3601 elapsed=299 label="second" cpu 0 299 0
interval mm=2 tid=1 at=3602 elapsed=0 label="of the last" cpu 0 0 0
interval mm=1 tid=1 at=3900 elapsed=298 label="last" cpu 0 298 0
section end
END
# Without intervals: from the first run to the last hook.
make_clocked alone.bin <<'END'
cpus 1
section schema
| major 0xC3 kernel
section hooks ring=0
hook 0xC3 1 tid=9 at=20000 0 1 64:8000 64:15000 1 1 0 2 2 0
hook 0xC3 1 tid=9 at=50000 0 1 64:15000 64:30000 2 2 0 0 0 0
section end
END
set --
pages=0
for trace in *.bin; do
	name=${trace%.bin}
	if page "$name"; then
		pages=$((pages + 1))
		set -- "$@" "$name.html" "$name.csv"
	elif ! grep -q 'the page takes 104 days' "$name.err"; then
		cat "$name.err"
		exit 1
	fi
done
# Derived metrics.
make_clocked counted.bin <<'END'
section tasks
task 7 7 0 "t"
section hooks ring=0
interval mm=1 tid=7 at=2000000 elapsed=200000 label="a" cpu 0 200000 0
hook 0xC1 0x20000001 tid=7 at=2000000 3 3 64:200000 0 1 64:1000 64:200000 64:200000 0 1 64:3000 64:200000 64:200000 0 1 64:7 64:0 64:0 "instructions" "cycles" "page-faults"
interval mm=1 tid=7 at=3000000 elapsed=300000 label="a" cpu 0 300000 0
hook 0xC1 0x20000001 tid=7 at=3000000 3 3 64:300000 0 1 64:3000 64:300000 64:300000 0 0 64:0 64:0 64:0 0 1 64:2 64:0 64:0 "instructions" "cycles" "page-faults"
section end
END
metrics='--metric rate=1000*page-faults/(instructions+1) --metric cpu=-elapsed_ns/2 --metric count=off_cpu_ns+0.125 --metric raw_cpi=raw_cpi*{cycles}-0'
page counted
metrics=
set -- "$@" counted.html counted.csv
# A part of the intervals, some without their parent.
"$GENTRACE" -k groups -n 3000 nested.bin
where='depth > 1 or depth = 0'
page nested
where=
set -- "$@" nested.html nested.csv
if [ $pages -lt 70 ]; then
	echo "FAILED: few pages: $pages"
	exit 1
fi
read_by "$here/page_data.mjs" "$@"
# Who woke a thread is in a page with tiles too, and not in one of some processors.
"$CPIDECODE" --format html --tiles -o woken.html wakeups.bin
"$CPIDECODE" --format html --cpu 0 -o some.html wakeups.bin
if ! grep -q 'class="wakeups"' woken.html || grep -q 'class="wakeups"' some.html; then
	echo "FAILED: wake-ups are in a page of some processors, or not in one with tiles"
	exit 1
fi
rm woken.html some.html
"$GENTRACE" -k groups -n 3000 --seed 5 before.bin
"$GENTRACE" -k groups -n 4000 --seed 6 after.bin
for format in html svg; do
	"$CPIDECODE" --report diff --format $format -o diff.$format before.bin after.bin
done
read_by "$here/change.mjs" diff.html diff.svg
cd ..

mkdir tiles
cd tiles
"$GENTRACE" -k groups -n 24000 -c 1 -t 1 -p label,time tall.bin
"$GENTRACE" -k groups -n 1500 -t 100 wide.bin
cp ../data/rounded.bin .
for name in arguments cross_cpu empty guest nesting; do
	"$MKTRACE" "$here/../golden/cases/$name/trace.txt" $name.bin
done
set --
for trace in *.bin; do
	name=${trace%.bin}
	page "$name" --tiles
	set -- "$@" "$name.html" "$name.tiles" "$name.csv"
done
read_by "$here/tiles_data.mjs" "$@"
cd ..
[ "$PAGES_READ" = yes ] || exit 0

# first_of PROGRAM...: the first one that is there.
first_of() {
	for program in "$@"; do
		! command -v "$program" || return 0
	done
}
chromium=$(first_of chromium chromium-browser google-chrome chromium-headless-shell)
case ${SWTRACE_TEST_BROWSER-} in
firefox) browser=${BROWSER-$(first_of firefox-esr firefox)} ;;
1) browser=${BROWSER-${chromium:-$(first_of firefox-esr firefox)}} ;;
*) browser=${BROWSER-$chromium} ;;
esac
if [ -z "$browser" ]; then
	echo "skipped: the page in a browser: none here (sh tests/run.sh --browser or --browser=firefox installs one)"
	exit 0
fi

"$GENTRACE" -k groups -n 20000 --seed 7 deep.bin
"$GENTRACE" -k hooks -n 1500 hooks.bin
cp data/switches.bin data/counted.bin .
{
	printf 'clock raw\nhz 1000000000\nsync 0 1700000000000000000 5\nsection meta\n'
	printf '| host: </script><script>pwned=1</script>\n| command: <img src=x onerror=pwned=1>\n'
	printf '| doctor: no <b>PMU</b>\n| doctor.clock.kernel: note: hpet\n| doctor.pmu.hardware: bad: <img src=x onerror=pwned=1>\n'
	printf '| doctor.pmu.hardware.means: n/a\n| doctor.pmu.hardware.todo: get <i>one</i>\n'
	printf 'section tasks\ntask 1 1 0 "<b>task</b>"\nsection hooks ring=0\n'
	n=0
	while IFS= read -r label; do
		n=$((n + 1))
		printf 'group mm=1 tid=1 at=%d000000 elapsed=9000 types=1 label="%s" summary\n' $n "$label"
		printf 'cpu 4000 8000 0\nendgroup\n'
	done <<'END'
</script><script>pwned=1</script>
<!-- <script>
<img src=x onerror=pwned=1>
\" onload=\"pwned=1\" x=\"script
]]></script>&lt;script&gt;
script \e]0;x\x07\x9b\xc2\x9b\xe2\x80\xae\xe2\x80\xa8
\xff\xfe script \x00 end
__proto__
${pwned=1} `script`
longscriptlongscriptlongscriptlongscriptlongscriptlongscriptlongscriptlongscriptlongscriptlongscriptlongscriptlongscript
END
	printf 'section end\n'
} | "$MKTRACE" - hostile.bin
make_clocked loss.bin <<'END'
section hooks ring=0
interval mm=1 tid=1 at=1000000 elapsed=9000 label="script" cpu 4000 8000 0
section hooks ring=1
interval mm=1 tid=2 at=9000000 elapsed=9000 label="script" cpu 4000 8000 0
section loss
loss 0 77 0 0 0 0 0 0
section end
END
if [ -n "${SWTRACE_TEST_BROWSER-}" ]; then
	"$GENTRACE" -k groups -n 1500 -t 1200 -p label,time threads.bin
	"$GENTRACE" -k groups -n 300 -u utilisation.bin
	"$GENTRACE" -k mixed -n 3000 mixed.bin
	for name in arguments empty nesting guest; do
		"$MKTRACE" "$here/../golden/cases/$name/trace.txt" $name.bin
	done
	cp data/wakeups.bin .
fi
set --
for trace in *.bin; do
	name=${trace%.bin}
	metrics=
	[ "$name" != counted ] || metrics='--metric rate=1000*page-faults/(instructions+1)'
	page "$name"
	"$CPIDECODE" --report hooks --format csv -o "$name.csv.hooks" "$trace" 2>/dev/null
	set -- "$@" "$name.html" "$name.csv"
done
"$CPIDECODE" --report diff --format html -o names.html hostile.bin hostile.bin
set -- "$@" names.html change
if [ -z "${SWTRACE_TEST_BROWSER-}" ]; then
	echo "skipped: further pages, tiles and servers in a browser: SWTRACE_TEST_BROWSER is neither 1 nor firefox"
	timeout 300 node "$here/page.mjs" "$browser" "$work/profile" "$@"
	exit
fi
"$CPIDECODE" serve deep.bin >address &
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
"$CPIDECODE" serve --tiles tiles/tall.bin >tiled &
tiled=$!
trap 'kill $server $tiled; rm -rf "$work"' EXIT
"$CPIDECODE" serve --tiles data/blocks.bin >early &
early=$!
trap 'kill $server $tiled $early; rm -rf "$work"' EXIT
while [ ! -s address ] || [ ! -s tiled ] || [ ! -s early ]; do
	kill -0 $server
	kill -0 $tiled
	kill -0 $early
	sleep 0.1
done
# Stop the process that makes the tiles, so that the early page stays.
maker=$(cat /proc/$early/task/$early/children || :)
# shellcheck disable=SC2086 # at most one
[ -z "$maker" ] || kill -STOP $maker 2>/dev/null || maker=
node -e 'const wait = async (url) => { while (!(await (await fetch(url)).json()).ready) await new Promise((done) => setTimeout(done, 50)); };
	wait(process.argv[1])' "$(cat tiled)state"
set -- "$@" "$(cat address)" deep.csv
# A page that was cut short says so.
awk '/class="core"/ && !n++ { next } { print }' deep.html >cut.html
set -- "$@" cut.html - data/diff.html change
"$CPIDECODE" --format html --tiles-dir -o blocks.html data/blocks.bin
"$CPIDECODE" --format html --tiles-dir -o ran.html switches.bin
timeout 800 node "$here/page.mjs" "$browser" "$work/profile" "$@"
timeout 300 node "$here/tiles.mjs" "$browser" "$work/profile" tiles/tall.html tiles/tall.tiles tiles/tall.csv tiles/wide.tiles \
	blocks.html data/blocks.csv ran.html "$(cat tiled)" "$(cat early)" ${maker:+$maker}
