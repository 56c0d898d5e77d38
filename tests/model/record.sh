#!/bin/sh
# run.sh leaves out a search if its record is of the same model, and only then.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
for tool in spin "${CC:-gcc}"; do
	command -v "$tool" >/dev/null 2>&1 || { echo "skipped: model: no $tool here"; exit 77; }
done
. "$here/../lib/tally.sh"

# judges PATTERN FILE EXPRESSION: of a copy, FILE edited by the expression, run.sh says PATTERN.
case=bounded-walk-three-laps
judges() {
	rm -rf "$work/model" && cp -R "$here" "$work/model" && sed -i "$3" "$work/model/$2" || return
	! cmp "$here/$2" "$work/model/$2" || return
	sh "$work/model/run.sh" --only $case >"$work/said"
	cat "$work/said"
	grep -q "^$1 .*$case:" "$work/said"
}

check "a changed comment leaves the model what was searched" judges skipped: writer.pml '1a changed'
check "a changed rule is searched for, and found" judges 'not ok:' writer.pml 's/F_NO_HELD_CHECK/ABORT/'
check "a record of another model counts for nothing" judges ok: searched "/^$case /s/ [0-9a-f]/ x/"
check "a record of too few states counts for nothing" judges ok: searched "/^$case /s/[0-9]*\$/5/"
tally
