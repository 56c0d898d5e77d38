#!/bin/sh
# By threads, by children, and in both sizes: more pages touched, more faults counted.
. "${0%/*}/lib.sh"
measured page-faults || skip "page faults cannot be counted here"

faults()
{
	run 0 --csv -o counts -e page-faults -- "$WORK" "$@"
	total page-faults
}

few=$(faults pages 100)
many=$(faults pages 5100)
near "5000 pages" $((many - few)) 4980 5020
near "100 pages with their program" "$few" 100 2000

none=$(faults threads 8 0)
some=$(faults threads 8 500)
near "8 threads of 500 pages" $((some - none)) 3980 4040

# A child has page tables of its own: some faults more or less as it starts.
none=$(faults children 8 0)
some=$(faults children 8 500)
near "8 children of 500 pages" $((some - none)) 3900 4100
