#!/bin/sh
# gentrace's traces have the contents requested: other tests and the benchmark rely on that.
#
# usage: check.sh
# Environment: GENTRACE, CPIDECODE: the programs.
set -u
: "${GENTRACE:?}" "${CPIDECODE:?}"
. "${0%/*}/../lib/tally.sh"

agrees() { # WHAT EXPECTED THERE
	[ -n "$2" ] && [ "$2" = "$3" ] && return
	echo "$1: expected $2, there is $3"
	return 1
}
hooks() { "$CPIDECODE" --strict --report hooks "$@"; }

hooks_are_whole() {
	"$GENTRACE" -n 3000 "$work/t" && hooks "$work/t" >"$work/hooks" || return 1
	agrees hooks 3000 "$(wc -l <"$work/hooks")" && agrees words 3000 "$(grep -cE '( [0-9A-F]{8}){10} sample( w[0-7]=[0-9]+){8}$' "$work/hooks")"
}
check "hooks: as many as asked for, none lost or damaged" hooks_are_whole

# Every group counted, flagged with its contents only, its time in the stacks.
groups_are_whole() {
	"$GENTRACE" -k groups -n 2000 -c 3 "$work/t" || return 1
	"$GENTRACE" -k groups -n 2000 -c 3 -f folded "$work/folded" || return 1
	"$CPIDECODE" --strict --report intervals --format csv "$work/t" >"$work/csv" || return 1
	agrees intervals 2001 "$(wc -l <"$work/csv")" || return 1
	agrees 'whole ones' 2000 "$(grep -c ',summary+detailed,' "$work/csv")" || return 1
	"$CPIDECODE" --format folded "$work/t" | LC_ALL=C sort >"$work/there"
	awk '{ v = $NF; sub(/ [0-9]+$/, ""); s[$0] += v } END { for (k in s) printf "%s %d\n", k, s[k] }' \
		"$work/folded" | LC_ALL=C sort >"$work/expected"
	cmp "$work/expected" "$work/there"
}
check "groups: all complete, nested as gentrace says" groups_are_whole

same_hooks_however_stored() {
	"$GENTRACE" -k mixed -c 3 -n 1500 "$work/t" && hooks "$work/t" >"$work/expected" || return 1
	for how in '-z lz4' '-z zlib' '-z zlib --level 1' '-o filled' '-o rings' '--section 8192' \
		'--no-index'; do
		# shellcheck disable=SC2086
		"$GENTRACE" -k mixed -c 3 -n 1500 $how "$work/t" && hooks "$work/t" >"$work/there" || return 1
		cmp "$work/expected" "$work/there" || { echo "$how"; return 1; }
	done
	"$GENTRACE" -k mixed -c 3 -n 1500 - | hooks - >"$work/there"
	cmp "$work/expected" "$work/there"
}
check "the same hooks in any codec, order and section, and through a pipe" same_hooks_however_stored

seeds() {
	"$GENTRACE" -s 7 "$work/a" && "$GENTRACE" -s 7 "$work/b" && "$GENTRACE" -s 8 "$work/c" || return 1
	cmp "$work/a" "$work/b" && ! cmp -s "$work/a" "$work/c"
}
check "the same seed, the same bytes; another, others" seeds

size() {
	"$GENTRACE" -b 1M "$work/t" && bytes=$(wc -c <"$work/t") || return 1
	echo "$bytes bytes"
	[ "$bytes" -ge 1000000 ] && [ "$bytes" -lt 1020000 ]
}
check "--bytes" size
sections() { "$CPIDECODE" --report info "$@" | grep '^  sections'; }
index_and_end() {
	"$GENTRACE" "$work/t" && sections "$work/t" | grep -q 'INDEX, 1 END' || return 1
	"$GENTRACE" --no-index "$work/t" && ! sections "$work/t" | grep -q INDEX || return 1
	"$GENTRACE" --no-end "$work/t" && ! sections "$work/t" 2>/dev/null | grep -q END || return 1
	! "$GENTRACE" - | sections - | grep -q INDEX
}
check "INDEX and END are present unless they must not be" index_and_end
parts() {
	"$GENTRACE" -k groups -p label,summary -n 100 "$work/t" || return 1
	agrees hooks 300 "$(hooks "$work/t" | wc -l)"
}
check "--parts" parts

utilisation() {
	"$GENTRACE" -k groups -u -n 500 -c 3 "$work/t" || return 1
	"$CPIDECODE" --strict --report intervals --format csv "$work/t" >"$work/csv" || return 1
	agrees intervals 501 "$(wc -l <"$work/csv")" || return 1
	agrees 'whole ones' 500 "$(grep -cE ',summary\+detailed,,,,,,,,,200,[0-9.]+,[0-9.]+,100\.0000' "$work/csv")"
}
check "--utilisation: all groups complete, their hooks agree" utilisation

if command -v babeltrace2 >/dev/null; then
	ctf() {
		"$GENTRACE" -k mixed -n 1000 "$work/t" && "$GENTRACE" -k mixed -n 1000 -f ctf "$work/ctf" ||
			return 1
		babeltrace2 "$work/ctf" >"$work/events" || return 1
		agrees events "$(hooks "$work/t" | wc -l)" "$(wc -l <"$work/events")"
	}
	check "the same events as CTF" ctf
else
	count_skip "the same events as CTF" "there is no babeltrace2"
fi

check "an existing folder is refused for a new CTF trace: 1" fails_with 1 "$GENTRACE" -f ctf "$work"
check "a file that cannot be created: 1" fails_with 1 "$GENTRACE" "$work/nothing/t"
check "a full device: 1" fails_with 1 "$GENTRACE" /dev/full
check "a group that does not fit its section: 1" fails_with 1 "$GENTRACE" -k groups -c 100 --section 4096 "$work/t"
check "no output: 2" fails_with 2 "$GENTRACE"
check "two outputs: 2" fails_with 2 "$GENTRACE" "$work/t" "$work/u"
check "no number: 2" fails_with 2 "$GENTRACE" -n many "$work/t"
check "a number below its range: 2" fails_with 2 "$GENTRACE" -c 0 "$work/t"
check "an unknown codec: 2" fails_with 2 "$GENTRACE" -z rar "$work/t"
check "an unknown part: 2" fails_with 2 "$GENTRACE" -p label,body "$work/t"
check "count and bytes: 2" fails_with 2 "$GENTRACE" -n 1 -b 1 "$work/t"
check "stacks of CPU utilisation: 2" fails_with 2 "$GENTRACE" -k groups -u -f folded "$work/t"
check "stacks of hooks: 2" fails_with 2 "$GENTRACE" -f folded "$work/t"

tally
