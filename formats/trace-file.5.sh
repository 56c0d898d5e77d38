#!/bin/sh
# Makes the manual page trace-file(5) from trace-file.md and hook-schema.md, with lowdown.
#
# usage: sh formats/trace-file.5.sh LOWDOWN PAGE (an absolute path)
set -eu
cd "$(dirname "$0")"
lowdown=$1 page=$2

# print_sections FILE: tables get narrow columns; only the last one breaks its lines.
print_sections() {
	"$lowdown" -tman --nroff-nolinks --parse-no-intraemph -o "$work/page.5" "$1"
	sed 's/ expand allbox;$/;/; s/^\(l\( l\)*\)\.$/\1x./' "$work/page.5"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed '1s/.*/# DESCRIPTION/; s/^##/#/' trace-file.md >"$work/file.md"
sed '1s/.*/# HOOK SCHEMAS/' hook-schema.md >"$work/schema.md"
{
cat <<'HEAD'
'\" t
.\" Generated from trace-file.md and hook-schema.md.
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
} >"$work/whole.5"
# A failed run leaves no page that looks finished.
mv "$work/whole.5" "$page"
