#!/bin/sh
# Writers that overwrite hooks before top reads them: all are counted, and the share is told.
. "${0%/*}/lib.sh"

is_stopped()
{
	grep -q '^State:	[Tt]' "/proc/$top/status"
}

for options in '' --counts; do
	session wrap 1
	# shellcheck disable=SC2086
	watch --json $options
	kill -STOP "$top"
	wait_until is_stopped
	"$WRITER" hooks 200000 >accepted || fail "the writer failed"
	kill -CONT "$top"
	free_session
	expect 'last["total"]["hooks"] == 200000'
	expect '0 < last["total"]["missed"] < 200000'
	expect 'math.isclose(last["total"]["seen_share"], 1 - last["total"]["missed"] / 200000, abs_tol=1e-5)'
	expect 'program("swtrace_writer")["total_hooks"] == 200000 - last["total"]["missed"]'
done

# In text, an incomplete share is never "100.0 %".
session wrap 1
watch --batch
kill -STOP "$top"
wait_until is_stopped
"$WRITER" hooks 200000 >accepted
kill -CONT "$top"
free_session
in_file rounds '^since the start 200000 hooks, seen [0-9][0-9]?\.[0-9] %,'
