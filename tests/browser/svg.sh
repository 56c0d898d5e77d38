#!/bin/sh
# Flame graphs of hostile names in a browser: no name runs, none adds an element or an
# attribute, and the picture does what it is for. CPIDECODE and MKTRACE name the programs,
# BROWSER a Chromium (else the one installed). Ends with 77 if there is none.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${CPIDECODE:?the cpidecode command}" "${MKTRACE:?the trace builder mktrace}"
browser=${BROWSER-}
for program in chromium chromium-browser google-chrome chromium-headless-shell; do
	[ -n "$browser" ] || browser=$(command -v $program) || browser=
done
if [ -z "$browser" ]; then
	echo "skipped: flame graphs in a browser: no chromium here (sh tests/run.sh --browser installs it)"
	exit 77
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/cpidecode-browser.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

# trace HOST TASK LABEL...: a group for each label, of one thread each, as long as the others.
trace() {
	printf 'clock raw\nhz 1000000000\nsync 0 1700000000000000000 5\nsection meta\n| host: %s\n' "$1"
	printf 'section tasks\n'
	n=1
	while [ $n -le 9 ]; do
		printf 'task %d 1 0 "%s"\n' $n "$2"
		n=$((n + 1))
	done
	shift 2
	echo 'section hooks ring=0'
	n=0
	for label in "$@"; do
		n=$((n + 1))
		printf 'group mm=1 tid=%d at=%d000000 elapsed=9000 types=1 label="%s" summary\n' \
			$n $n "$label"
		printf 'cpu 4000 8000 0\nendgroup\n'
	done
	echo 'section end'
}

# In order, so that the frames of both stand in one order: the shape must be the same.
trace host task a b c d e f g h i | "$MKTRACE" - harmless.bin
# shellcheck disable=SC2016
trace '<script>top.pwned=1</script>&"]]>' '<image x=\"' \
	'</title><script>top.pwned=1</script>' \
	']]></script><script>top.pwned=1</script>' \
	'\" onload=\"top.pwned=1\" x=\"' \
	'&lt;script&gt;&#39;&amp;' \
	'<image href=x onerror=top.pwned=1>' \
	'<!-- --><![CDATA[<?x?>' \
	'\e]0;x\x07\x9b\xc2\x9b\xe2\x80\xae' \
	"<a href='javascript:top.pwned=1'>" \
	'%3Cscript%3E ${top.pwned=1} `' | "$MKTRACE" - hostile.bin
for kind in harmless hostile; do
	"$CPIDECODE" --format svg $kind.bin >$kind.svg
	printf 'const %s = "%s";\n' $kind "$(base64 -w 0 $kind.svg)"
done >page.js
cat >>page.js <<'END'
const names = ["</title><script>top.pwned=1</script>", "]]></script><script>top.pwned=1</script>",
	"\" onload=\"top.pwned=1\" x=\"", "&lt;script&gt;&#39;&amp;",
	"<image href=x onerror=top.pwned=1>", "<!-- --><![CDATA[<?x?>",
	"\\x1B]0;x\\x07\\x9B\\xC2\\x9B\\xE2\\x80\\xAE", "<a href='javascript:top.pwned=1'>",
	"%3Cscript%3E ${top.pwned=1} `"];
END
cat "$here/svg.js" >>page.js
cat >page.html <<'END'
<!DOCTYPE html><meta charset="utf-8"><title>untouched</title><body><script src="page.js"></script>
END
status=0
timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
	--allow-file-access-from-files \
	--user-data-dir="$work/profile" --virtual-time-budget=5000 --dump-dom \
	"file://$work/page.html" >dom 2>log || status=$?
verdict=$(sed -n 's/.*VERDICT \([^<]*\).*/\1/p' dom | head -n 1)
case $verdict in
'ok '*) echo "ok: ${verdict#ok } checks" ;;
*)
	echo "FAILED: ${verdict:-no verdict, the browser ended with $status}"
	tail -n 5 log
	exit 1
	;;
esac
