# For the tests of this folder: `. "${0%/*}/lib.sh"`.
# shellcheck shell=sh
. "${0%/*}/../swtrace_cmd/lib.sh"
: "${WRITER:?the traced program}" "${INTERVALS:?the program with intervals}"

# session MODE MB: one that is on.
session()
{
	run 0 init -s "$2" -t "$1"
	run 0 on
}

has_lines()
{
	[ "$(wc -l <"$1")" -ge "$2" ]
}

# watch OPTION...: top in the background, until it has printed its first round. Its pid is in $top,
# what it prints in rounds and told.
watch()
{
	: >rounds
	"$SWTRACE" top --interval 50ms "$@" >rounds 2>told </dev/null &
	top=$!
	pids="$pids $top"
	wait_until has_lines rounds 1
}

# ended STATUS: top has ended so.
ended()
{
	status=0
	wait "$top" || status=$?
	[ "$status" -eq "$1" ] || fail "top: exit $status, expected $1: $(cat told)"
}

# free_session: it ends top.
free_session()
{
	run 0 off
	run 0 free
	ended 0
	in_file told "were freed"
}

# expect EXPRESSION: true in Python, where `rounds` are the objects that top printed, `last` is the
# last one, and `program(name)` and `label(name)` find parts of it.
expect()
{
	python3 - "$1" <<-'END' || fail "not so: $1: $(tail -n 1 rounds)"
		import json, math, sys
		rounds = [json.loads(line) for line in open("rounds", encoding="utf-8")]
		last = rounds[-1]
		def program(name):
		    return next(p for p in last["programs"] if p["name"] == name)
		def label(name):
		    return next(l for l in last["labels"] if l["label"] == name)
		sys.exit(not eval(sys.argv[1]))
	END
}

# need_all_seen: for tests of what hooks say. A writer that is kept from its processor for a tenth of a
# second within a hook is not waited for.
need_all_seen()
{
	if tail -n 1 rounds | grep -q '"total": {[^}]*"missed": [1-9]' ||
		grep '^since the start ' rounds | tail -n 1 | grep -q ', seen [0-9][0-9]\{0,1\}[.]'; then
		skip "hooks were missed: a writer was kept from its processor"
	fi
}

command -v python3 >/dev/null || skip "needs python3"
