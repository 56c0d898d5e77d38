#!/bin/sh
# With `init --begins` the interval of a program that hangs lasts until the dump, or the drain's end.
. "${0%/*}/lib.sh"
: "${CPIDECODE:?the cpidecode command}" "${INTERVALS:?a program with intervals}"

for mode in "wrap -s 1" "cont -f t.bin"; do
	# shellcheck disable=SC2086 # its options
	run 0 init --begins -t $mode
	run 0 on
	"$INTERVALS" 0 60000 0 >out 2>&1 &
	program=$!
	until "$SWTRACE" info --json | grep -q '"attempted": *[1-9]'; do
		sleep 0.01
	done
	sleep 0.3
	run 0 off
	case $mode in wrap*) run 0 dump t.bin ;; esac
	kill "$program"
	"$CPIDECODE" --report intervals --format csv t.bin >out
	awk -F, 'NR == 2 { ok = $2 - $1 >= 3e8 && /,open,/ } END { exit !(ok && NR == 2) }' out ||
		fail "-t $mode: not one open interval of 300 ms"
	run 0 free
done
