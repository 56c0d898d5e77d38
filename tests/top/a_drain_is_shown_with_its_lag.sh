#!/bin/sh
# Continuous mode: whether a drain runs, and its backlog.
. "${0%/*}/lib.sh"

run 0 init -s 1 -t cont -f "$dir/stream.bin"
run 0 on
drain=$("$SWTRACE" info --json | sed -n 's/.*"state": "running", "pid": \([0-9]*\).*/\1/p')
[ -n "$drain" ] || fail "no drain runs"
pids="$pids $drain"
watch --json --counts
expect 'last["drain"]["running"] is True'
kill -STOP "$drain"
"$WRITER" hooks 10000 >accepted
lags()
{
	tail -n 2 rounds | head -n 1 | grep -Eq '"drain": \{"running": true, "lag_bytes": [1-9][0-9]{5}, "lag_s": [0-9.]+\}'
}
wait_until lags
kill -CONT "$drain"
run 0 off
run 0 free
ended 0
expect 'last["total"]["hooks"] == 10000'
