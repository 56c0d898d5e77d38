#!/bin/sh
# Rings whose sections were never entered take no memory for being read, and the session's state and
# ledger are those of before.
. "${0%/*}/lib.sh"

session wrap 16
"$WRITER" hooks 1000 >accepted
blocks()
{
	stat -c %b "$SWTRACE_SESSION"/rings.*
}
before=$(blocks)
"$SWTRACE" info --json >info_before
run 0 top --json --rounds 3 --interval 20ms
run 0 top --json --counts --rounds 3 --interval 20ms
[ "$(blocks)" -eq "$before" ] || fail "rings took $before blocks before, $(blocks) after"
"$SWTRACE" info --json >info_after
cmp info_before info_after || fail "the session is another one"
