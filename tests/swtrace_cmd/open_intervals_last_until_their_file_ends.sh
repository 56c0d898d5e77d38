#!/bin/sh
# With `init --begins` the interval of a program that hangs lasts until the dump, or the drain's end,
# and not beyond `off`. Disabling a major drops it.
. "${0%/*}/lib.sh"
: "${CPIDECODE:?the cpidecode command}" "${INTERVALS:?a program with intervals}"

# begin_interval OPTIONS: of a program that goes on, in rings with these options of init.
begin_interval() {
	# shellcheck disable=SC2086 # its options
	run 0 init --begins $1
	run 0 on
	began=$(date +%s%N)
	"$INTERVALS" 0 60000 0 >out 2>&1 &
	program=$!
	until "$SWTRACE" info --json | grep -q '"attempted": *[1-9]'; do
		sleep 0.01
	done
}

for mode in "-t wrap -s 1" "-t cont -f t.bin"; do
	begin_interval "$mode"
	sleep 0.3
	run 0 off
	ended=$(($(date +%s%N) - began))
	sleep 0.3
	case $mode in *wrap*) run 0 dump t.bin ;; esac
	kill "$program"
	"$CPIDECODE" --report intervals --format csv t.bin >out
	awk -F, -v most="$ended" '
	NR == 2 { elapsed = $2 - $1; ok = elapsed >= 3e8 && elapsed <= most && /,open,/ }
	END { exit !(ok && NR == 2) }' out ||
		fail "$mode: not one open interval of 0.3 to $ended ns"
	run 0 free
done

begin_interval "-t cont -f t.bin"
run 0 disable 0xC0
run 0 off
kill "$program"
"$CPIDECODE" --report intervals --format csv t.bin >out
[ "$(wc -l <out)" -eq 1 ] || fail "an interval of a disabled major is open"
run 0 free
