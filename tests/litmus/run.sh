#!/bin/sh
# Checks that the barriers' comments name the litmus files that there are, and the files with
# herd7: each must be observed as `expected` says, and each file must be named there.
#
# usage: sh tests/litmus/run.sh [HERD7]
#	HERD7	the herd7 of https://github.com/herd/herdtools7 (herd7 on PATH if not given)
# Exit status: 0 passed, 1 failed, 2 usage, 77 skipped.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
case $#:${1-} in
*:-h | *:--help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
0:) herd=herd7 ;;
1:?*) herd=$1 ;;
*) echo "run.sh: one argument at most (see --help)" >&2; exit 2 ;;
esac
passed=0 failed=0
not_ok() { # NAME WHY
	failed=$((failed + 1))
	echo "not ok: litmus $1: $2"
}

# A comment names NAME.litmus; its twins go with it.
named=$(grep -rhoE '[a-z]+(-[a-z]+)+\.litmus' "$here/../../libtrace" | sort -u)
for name in $named; do
	[ -f "$here/$name" ] || not_ok "$name" "named in a comment, and there is no such file"
done
for file in "$here"/*.litmus; do
	name=${file##*/}
	case $name in
	*-weak.litmus) ;;
	*) printf '%s\n' "$named" | grep -qx "$name" || not_ok "$name" "no comment names it" ;;
	esac
done
[ "$failed" -eq 0 ] || exit 1

if ! command -v "$herd" >/dev/null 2>&1; then
	[ $# -eq 0 ] || { echo "run.sh: $herd: not a program that can be run" >&2; exit 2; }
	echo "skipped: litmus: no herd7 on PATH (usage: sh tests/litmus/run.sh HERD7)"
	exit 77
fi

for file in "$here"/*.litmus; do
	name=${file##*/} name=${name%.litmus}
	expected=$(sed -n "s/^$name //p" "$here/expected")
	[ -n "$expected" ] || { not_ok "$name" "not in $here/expected"; continue; }
	said=$("$herd" "$file" 2>&1)
	seen=$(printf '%s\n' "$said" | sed -n "s/^Observation $name \([A-Za-z]*\) .*/\1/p")
	if [ "$seen" = "$expected" ]; then
		passed=$((passed + 1))
		echo "ok: litmus $name: $seen"
	else
		not_ok "$name" "observed ${seen:-nothing}, expected $expected"
		[ -n "$seen" ] || printf '%s\n' "$said" | sed 's/^/  /' | head -n 10
	fi
done
while read -r name expected; do
	case $name in
	'#') continue ;;
	esac
	[ -f "$here/$name.litmus" ] || not_ok "$name" "expected $expected, and there is no such file"
done <"$here/expected"

echo "litmus: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
