#!/bin/sh
# `swtrace stat` where there are hardware counters. POSIX, and busybox's: it runs in the
# emulated machine, too. SWTRACE and WORK name the programs; CPI, if given, is what a loop
# without memory has there ("1" at QEMU's -icount shift=0). Prints `ok NAME` or `not ok NAME WHY`;
# exit code 1 if there is any of these, 77 if there are no counters.
set -u
: "${SWTRACE:?the swtrace command}" "${WORK:?the program tests/stat/work.c}"
dir=$(mktemp -d "${TMPDIR:-/tmp}/swtrace-stat-hw.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0

ok()
{
	echo "ok $1"
}

not_ok()
{
	bad=1
	echo "not ok $*"
	[ ! -s err ] || head -n 3 err
}

# counts ARGUMENTS...: CSV in the file counts.
counts()
{
	rm -f counts
	"$SWTRACE" stat --csv -o counts "$@" >out 2>err </dev/null
}

# cell EVENT COLUMN: of the total's rows of all places.
cell()
{
	tr -d '\r' <counts | awk -F, -v event="$1" -v column="$2" \
		'$1 == "total" && $4 == "" && $5 == event { print $column }'
}

# within NAME VALUE LOW HIGH
within()
{
	if [ -n "$2" ] && awk -v v="$2" -v low="$3" -v high="$4" \
		'BEGIN { exit !(v >= low && v <= high) }'; then
		ok "$1"
	else
		not_ok "$1" "'$2', expected $3 to $4"
	fi
}

if ! counts -e instructions:u -- true; then
	echo "skipped: hardware counters: $(head -n 1 err)"
	exit 77
fi

# A million turns more are two million instructions more.
counts -e instructions:u -- "$WORK" loop 1000000
few=$(cell instructions:u 6)
counts -e instructions:u -- "$WORK" loop 2000000
many=$(cell instructions:u 6)
within instructions_of_a_loop $((${many:-0} - ${few:-0})) 1998000 2002000
within instructions_with_their_program "$few" 2000000 10000000

counts -e '{instructions,cycles}:u' -- "$WORK" loop 20000000
within instructions_in_a_group "$(cell instructions:u 6)" 40000000 50000000
if [ -n "$(cell cycles:u 6)" ]; then
	if [ "$(cell instructions:u 14)" = CPI ]; then
		ok cpi_is_told
	else
		not_ok cpi_is_told "no figure"
	fi
	within cpi_is_cycles_by_instructions "$(cell instructions:u 13)" \
		"$(awk -v c="$(cell cycles:u 6)" -v i="$(cell instructions:u 6)" \
			'BEGIN { print c / i - 0.0002 }')" \
		"$(awk -v c="$(cell cycles:u 6)" -v i="$(cell instructions:u 6)" \
			'BEGIN { print c / i + 0.0002 }')"
	[ -z "${CPI:-}" ] || within cpi_of_the_machine "$(cell instructions:u 13)" \
		"$(awk -v c="$CPI" 'BEGIN { print c * 0.99 }')" \
		"$(awk -v c="$CPI" 'BEGIN { print c * 1.01 }')"
fi

# More events than any processor has counters: scaled, and said to be.
many=instructions:u
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do
	many=$many,instructions:u
done
counts -e "$many" -- "$WORK" loop 200000000
cell instructions:u 10 >percent
if awk '$1 < 100 { shared = 1 } END { exit !shared }' percent; then
	ok multiplexed_counts_say_so
	cell instructions:u 6 >values
	awk '$1 != "" && ($1 < 0.95 * 400000000 || $1 > 1.05 * 401000000) { bad = 1 }
		END { exit bad }' values && ok multiplexed_counts_are_scaled ||
		not_ok multiplexed_counts_are_scaled "$(tr '\n' ' ' <values)"
else
	echo "skipped: multiplexing: 24 events found a counter each"
fi

# Intervals add up, whatever the clock does.
counts -I 5 -e instructions:u -- "$WORK" loop 50000000
sum=$(tr -d '\r' <counts |
	awk -F, '$1 == "interval" && $5 == "instructions:u" { n += $6 } END { printf "%.0f", n }')
within intervals_sum_to_the_total "$sum" "$(cell instructions:u 6)" "$(cell instructions:u 6)"

if counts -a --per-cpu -e instructions -- "$WORK" loop 10000000; then
	within instructions_of_all_processors "$(cell instructions 6)" 20000000 100000000000
else
	echo "skipped: all processors: $(head -n 1 err)"
fi

# Events that the machine lacks never show 0.
counts -e instructions:u,node-prefetch-misses -- true
case $(cell node-prefetch-misses 6) in
0) not_ok nothing_is_made_up "0 for an event that was not counted" ;;
*) ok nothing_is_made_up ;;
esac
exit $bad
