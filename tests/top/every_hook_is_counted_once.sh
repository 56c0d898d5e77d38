#!/bin/sh
# Hooks and bytes of rings and programs are those of a writer of a known number; in JSON of one object
# a line, which is there as soon as its round is over.
. "${0%/*}/lib.sh"

for options in '' --counts; do
	session wrap 4
	# shellcheck disable=SC2086
	watch --json $options
	"$WRITER" hooks 20000 >accepted || fail "the writer failed"
	[ "$(cat accepted)" -eq 20000 ] || fail "the writer had $(cat accepted) of its hooks accepted"
	free_session
	is_json rounds
	expect 'last["total"]["hooks"] == 20000 and last["total"]["lost"] == 0'
	expect 'sum(r["hooks"] for r in rounds) == 20000'
	expect 'sum(ring["hooks"] for r in rounds for ring in r["rings"]) == 20000'
	expect 'sum(ring["bytes"] for r in rounds for ring in r["rings"]) == last["total"]["bytes"]'
	# No hook is missed unless the machine keeps top from its processor.
	expect 'program("swtrace_writer")["total_hooks"] == 20000 - last["total"]["missed"]'
	expect 'program("swtrace_writer")["total_bytes"] == 48 * program("swtrace_writer")["total_hooks"]'
	expect '("labels" in last) == ('"'$options'"' == "")'
	expect 'rounds[0]["seen_share"] is None and last["generation"] == rounds[0]["generation"]'
	expect 'last["drain"] is None'
done

# Full rings of normal mode: the loss, by ring and by program.
session norm 1
watch --json --counts
"$WRITER" hooks 100000 >accepted
free_session
expect 'last["total"]["hooks"] == '"$(cat accepted)"
expect 'last["total"]["lost"] == 100000 - '"$(cat accepted)"
expect 'sum(ring["lost_in_all"] for ring in last["rings"]) == last["total"]["lost"] > 0'
expect 'max(ring["full"] for ring in last["rings"]) > 0.9'
expect 'program("swtrace_writer")["total_lost"] == last["total"]["lost"]'
expect 'sum(p["lost"] for r in rounds for p in r["programs"] if p["name"]) == last["total"]["lost"]'

# While a program loses hooks, unknown ones lose none: a thread stopped between its ring's counter and its
# own is at most one hook.
session norm 1
"$WRITER" loop >/dev/null &
writer=$!
pids="$pids $writer"
loses()
{
	[ "$(grep -c '"bytes_per_s": [0-9.]*, "lost": [1-9]' rounds)" -ge 5 ]
}
watch --json --counts
wait_until loses
kill $writer
wait $writer || :
free_session
expect 'all(p["name"] or p["total_lost"] <= 1 for r in rounds for p in r["programs"])'
expect 'len([r for r in rounds if r["lost"] > 0]) >= 5'
