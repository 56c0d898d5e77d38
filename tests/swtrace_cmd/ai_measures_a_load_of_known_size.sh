#!/bin/sh
# Threads that are busy for 10, 50 and 90 % of the time, one on a processor: within 2 points over
# 2 s. What else ran there is known from the scheduler's switches, and is part of the load; where
# nothing would be left to be idle, the measurement is made again, as is one that is not within
# 2 points: five times in all, if that does not take too long.
. "${0%/*}/lib.sh"
: "${DUTY:?the program duty.c}"

allowed=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //' | tr ',' '\n' |
	awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
first=$(echo "${allowed:-0}" | sed -n 1p)
second=$(echo "$allowed" | sed -n 2p)

run 0 ai 0.01 1 --json
! grep -q '"method": "scripted' out || skip "counters are scripted"

# judge FILE: "PERCENT met|wrong|noisy ..." for each load.
judge()
{
	awk '
	function apart(a, b) { return a > b ? a - b : b - a }
	$1 == "load" { n++; cpu[n] = $2; percent[n] = $3; own[n] = $4; others[n] = $5 }
	/"kind": "sample"/ { sample = $0 }
	END {
		for (i = 1; i <= n; i++) {
			row = sample
			sub(".*\\{\"cpu\": " cpu[i] ", ", "", row)
			# "busy": B, "idle": I, "intr": T, ...
			split(row, part, /[:,] */)
			shown = part[2] + (part[6] == "null" ? 0 : part[6])
			known = others[i] != "n/a"
			load = own[i] + (known ? others[i] : 0)
			# What a hypervisor took away may be in the time of a thread.
			stolen = part[2] == "null" ? 0 : 100 - shown - part[4]
			verdict = "met"
			if (part[2] == "null" || apart(own[i], percent[i]) > 1 || load > 97 || stolen > 1)
				verdict = "noisy"
			else if (apart(shown, load) > 2)
				# Less than the thread alone ran is wrong, whatever the others did.
				verdict = known || shown < own[i] - 2 ? "wrong" : "noisy"
			print percent[i], verdict ": thread", own[i] ", others", others[i] ", shown", shown
		}
	}' "$1"
}

# without WORD WORDS...
without()
{
	gone=$1
	shift
	for word; do
		[ "$word" = "$gone" ] || echo "$word"
	done
}

left="10 90 50"
wrong=
began=$(date +%s)
for try in 1 2 3 4 5; do
	set -- $left
	[ $# -gt 0 ] && [ $(($(date +%s) - began)) -lt 9 ] || break
	loads="$first $1"
	[ -z "$second" ] || [ $# -lt 2 ] || loads="$loads $second $2"
	"$DUTY" $loads -- "$SWTRACE" ai 2 1 --json >out 2>err || fail "ai failed under load"
	judge out >judged
	cat judged
	for percent in $(awk '{ print $1 }' judged); do
		# What has to be tried again takes turns, and processors.
		left=$(without $percent $left)
		case $(awk -v p=$percent '$1 == p { print $2 }' judged) in
		met:) wrong=$(without $percent $wrong) ;;
		wrong:) left="$left $percent" wrong="$(without $percent $wrong) $percent" ;;
		*) left="$left $percent" ;;
		esac
	done
done
[ -z "$(echo $wrong)" ] || fail "not within 2 points: loads of" $wrong "%"
[ -z "$(echo $left)" ] || skip "too much else runs here for loads of" $left "%"
