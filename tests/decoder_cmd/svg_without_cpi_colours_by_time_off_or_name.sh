#!/bin/sh
. "${0%/*}/lib.sh"

# trace QUALITY-LINE: a request with a wait in it.
trace() {
	cat <<-END
		clock raw
		hz 1000000000
		sync 1000000000 1700000000000000000 5
		section meta
		| host: demo
		| command: ./server --name "<&>"
		section hooks ring=0
		group mm=1 tid=100 at=1005000000 elapsed=4000000 types=1 label="waits" summary
		$1
		endgroup
		group mm=1 tid=100 at=1006000000 elapsed=1000000 types=1 label="日本語のとても長い名前、日本語のとても長い名前" summary
		endgroup
		group mm=1 tid=100 at=1020000000 elapsed=20000000 types=1 label="request" summary
		endgroup
		section end
	END
}

trace 'quality on_cpu=1000000 switches=5 migrations=0 faults=7' | "$MKTRACE" - off.bin
run 0 --format svg off.bin
in_file out 'share of the time off the processors'
in_file out 'off the processors 75\.00% of the time'
in_file out '>100%</text>'
in_file out 'class="frame unmeasured"[^>]*><title>request'
in_file out '^<text class="sub".*>\./server --name (&quot;|")&lt;&amp;&gt;'
not_in_file out 'hooks? lost'

trace '' | "$MKTRACE" - names.bin
run 0 --format svg names.bin
in_file out 'Colours distinguish names'
not_in_file out 'unmeasured"|share of the time'
in_file out 'class="frame dark"[^>]*><title>request'
# 60 pixels: seven cells, of which the ellipsis takes one, for characters of two cells each.
in_file out '<title>日本語のとても長い名前、日本語のとても長い名前$'
in_file out '>日本語…</text>'
if command -v xmllint >/dev/null; then
	xmllint --noout out || fail "not well-formed"
fi
