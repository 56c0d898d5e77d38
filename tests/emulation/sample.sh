#!/bin/sh
# samples/measured.trace shows measured CPI, as its description says.
# Environment: CPIDECODE, SAMPLE.
set -u
: "${CPIDECODE:?}" "${SAMPLE:?}"
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

check() { # NAME COMMAND...
	name=$1; shift
	if "$@" >"$work/log" 2>&1; then
		passed=$((passed + 1)); echo "ok: $name"
	else
		failed=$((failed + 1)); echo "FAILED: $name"; sed 's/^/  /' "$work/log"
	fi
}

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
	[ "$(grep -cE '(zlib|lz4) -[0-9]$' "$work/summary")" -eq 5 ] && ! grep -q 'n/a' "$work/summary"
}
check "the summary has no n/a" summary
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
