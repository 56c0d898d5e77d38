#!/bin/sh
# Checks that the C files are as clang-format 14 writes them: other versions differ in details.
# usage: format.sh; it reads .clang-format. CLANG_FORMAT names another program.
set -u
cd "$(dirname "$0")/../.." || exit 1

. tests/lib/checks.sh

format=${CLANG_FORMAT:-$(command -v clang-format-14 || command -v clang-format)}
[ -n "$format" ] || skip "no clang-format"
case $("$format" --version) in
*'version 14.'*) ;;
*) skip "$format is not version 14" ;;
esac
find decoder formats include libtrace samples tests -name '*.[ch]' -print0 |
	xargs -0 -n 100 -P "$(nproc)" "$format" --dry-run -Werror || {
	echo "run: $format -i FILE..." >&2
	exit 1
}
echo "ok: format"
