#!/bin/sh
# samples/measured.trace shows measured CPI, as its description says.
# Environment: CPIDECODE, SAMPLE.
set -u
: "${CPIDECODE:?}" "${SAMPLE:?}"
. "${0%/*}/../lib/tally.sh"

here=$(cd "$(dirname "$0")" && pwd)
. "$here/sample_is_measured.sh"
check "every interval has its CPI, measured" sample_is_measured "$CPIDECODE" "$SAMPLE" "$work/csv"
small() { [ "$(wc -c <"$SAMPLE")" -lt 65536 ]; }
check "it is small" small
honest() {
	"$CPIDECODE" --report info --format json "$SAMPLE" >"$work/info" || return 1
	grep -q '"scripted":false' "$work/info" && grep -q '"machine","value":"aarch64"' "$work/info" &&
		grep -q '"value":"perf_event' "$work/info"
}
check "it was measured, on AArch64" honest
summary() {
	"$CPIDECODE" "$SAMPLE" >"$work/summary" || return 1
	cat "$work/summary"
	[ "$(grep -cE '^(zlib|lz4) -[0-9] ' "$work/summary")" -eq 5 ] && ! grep -q 'n/a' "$work/summary"
}
check "the summary has no n/a" summary
tally
