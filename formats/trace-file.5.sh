#!/bin/sh
# Prints trace-file(5): the prose of trace-file.md and hook-schema.md as a manual page, by lowdown.
#
# usage: sh formats/trace-file.5.sh [LOWDOWN]
set -eu
cd "$(dirname "$0")"
lowdown=${1:-lowdown}

# print_sections FILE: narrow columns but for the last, which breaks its lines.
print_sections() {
	"$lowdown" -tman --nroff-nolinks --parse-no-intraemph -o "$work/page.5" "$1"
	sed 's/ expand allbox;$/;/; s/^\(l\( l\)*\)\.$/\1x./' "$work/page.5"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed '1s/.*/# Description/; s/^##/#/' trace-file.md >"$work/file.md"
sed '1s/.*/# Hook schemas/' hook-schema.md >"$work/schema.md"
cat <<'HEAD'
'\" t
.\" Made of trace-file.md and hook-schema.md.
.TH TRACE-FILE 5 "" "swtrace" "File Formats"
.SH NAME
trace-file \- the binary trace file that swtrace writes, version 1
HEAD
print_sections "$work/file.md"
print_sections "$work/schema.md"
cat <<'TAIL'
.SH SEE ALSO
.BR swtrace (1),
.BR cpidecode (1),
.BR perfutil (3),
.BR perflib (3)
TAIL
