#!/bin/sh
# A trace of TraceHook alone has no intervals: their reports name the one that shows its hooks.
. "${0%/*}/lib.sh"

"$MKTRACE" - t.bin <<'END'
clock tsc
hz 1000000000
sync 0 1700000000000000000 0
section hooks ring=0
hook 0x10 1 tid=1 at=1000000000 7
hook 0x10 2 tid=1 at=1000000001 8
section end
END
"$MKTRACE" - empty.bin <<'END'
clock tsc
hz 1000000000
sync 0 1700000000000000000 0
section end
END
for report in '--report summary' '--report summary --format csv' '--report summary --format json' \
	'--report intervals' '--report intervals --format csv' '--report cpus' '--report why' \
	'--format svg' '--format folded'; do
	# shellcheck disable=SC2086
	run 0 $report t.bin
	[ "$(wc -l <err)" -eq 1 ] || fail "$report: not in one line"
	in_file err '^cpidecode: no intervals, but 2 hooks .*: --report hooks shows them$'
	# shellcheck disable=SC2086
	run 0 $report empty.bin
	quiet
done
for report in hooks info; do
	run 0 --report "$report" t.bin
	quiet
done
# A filter may have left intervals out.
run 0 --label 'none*' t.bin
quiet
