#!/bin/sh
. "${0%/*}/lib.sh"
measured task-clock || skip "the task clock cannot be counted here"

# The clock and the kernel's accounts of the same program: these leave its start and end out,
# and on some machines the time that a host steals. The two clocks differ by up to a percent.
run 0 --csv -o counts -e task-clock -- "$WORK" spin 60
accounts=$(cat out)
near "task-clock in us (accounts: $accounts)" $(($(total task-clock) / 1000)) \
	$((accounts - accounts / 50 - 1000)) $((3 * accounts + 100000))

measured context-switches || skip "switches: this user may not count in the kernel"
run 0 --csv -o counts -e context-switches -- "$WORK" sleeps 0
none=$(total context-switches)
run 0 --csv -o counts -e context-switches -- "$WORK" sleeps 60
near "60 sleeps" $(($(total context-switches) - none)) 50 200
