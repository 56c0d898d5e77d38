#!/bin/sh
. "${0%/*}/lib.sh"

misuse 'no trace file'
misuse 'summary, intervals, hooks, cpus, info, diff, why, histogram, slowest, gaps or heatmap' --report nonsense plain.bin
misuse 'text, csv, json, folded, svg, nrm2, ctf, perfetto, chrome, speedscope, callgrind, pprof, parquet, sqlite or html' --format=xml plain.bin
misuse 'hooks goes with text, csv, json' --report hooks --format svg plain.bin
misuse 'info goes with text or json' --report info --format csv plain.bin
misuse 'slowest goes with text or json' --report slowest --format csv plain.bin
misuse 'slowest shows up to 1000' --report slowest -n 1001 plain.bin
misuse 'go with --report summary, intervals, hooks' --report info --sort tid plain.bin
misuse '--columns: --report slowest is no table' --report slowest --columns tid plain.bin
misuse '--having: --report slowest has no groups' --report slowest --having 'count>1' plain.bin
misuse '--sort: partial results of --report slowest hold the longest' --report slowest --sort tid --partial p plain.bin
misuse 'sorts by a column of numbers that an interval has alone' --report slowest --sort task plain.bin
misuse 'are pictures of all intervals: give it --format csv or json' --report heatmap --top 3 plain.bin
misuse 'are pictures of all intervals' --report heatmap --format svg --columns count plain.bin
misuse 'info goes with text, json' --report info --format folded plain.bin
misuse 'weight goes with' --weight ns plain.bin
misuse 'hooks has no interval times to compensate' --report hooks --compensate plain.bin
misuse 'hooks .--format nrm2. has no interval times' --format nrm2 -o x.nrm --compensate plain.bin
misuse 'cpus has no interval times to compensate' --report cpus --compensate plain.bin
misuse 'shows the library.s own cost itself' --report info --compensate plain.bin
misuse 'speedscope holds only starts and ends' --format speedscope --compensate plain.bin
misuse 'own cost is time' --format folded --weight instructions --compensate plain.bin
misuse 'cycles, ns, instructions or thread_cycles' --format svg --weight seconds plain.bin
misuse 'p56 to p99.9' --report why --tail 99 plain.bin
misuse 'p56 to p99.9' --report why --tail p55 plain.bin
misuse 'p56 to p99.9' --report why --tail p100 plain.bin
misuse 'p56 to p99.9' --report why --tail p99.99 plain.bin
misuse 'p56 to p99.9' --report why --tail p99. plain.bin
misuse 'p56 to p99.9' --report why --tail '' plain.bin
misuse 'goes with --report why' --tail p99 plain.bin
misuse 'closes the set' --label '[a' plain.bin
misuse 'no filters' --report info --label x plain.bin
misuse 'expected a number from 0 to 4294967295' --tid x plain.bin
misuse 'expected a number from 0 to 4294967295' --tid -1 plain.bin
misuse 'expected a number from 0 to 4294967295' --pid 4294967296 plain.bin
misuse 'expected a number from 0 to 4294967295' --minor '' plain.bin
misuse '0 to 0xFF' --minor 256 plain.bin
misuse 'expected a list' --cpu 3-1 plain.bin
misuse 'expected a list' --cpu 1, plain.bin
misuse 'expected a list' --cpu 0-99999 plain.bin
misuse 'expected a list' --cpu guestroom plain.bin
misuse 'expected seconds since 1970' --from yesterday plain.bin
misuse 'expected a duration' --to +1week plain.bin
misuse 'no such day' --to 2024-02-30 plain.bin
misuse 'needs a value' plain.bin --report
misuse 'needs a value' plain.bin -o
misuse 'needs a value' plain.bin -j
misuse 'expected a number of threads from 1 to 1024' -j 1025 plain.bin
misuse 'expected a number of threads' -j -1 plain.bin
misuse 'expected a number of threads' -j two plain.bin
misuse 'expected a number of threads' --jobs= plain.bin
for limit in '' M 7M 8388607 512X 512MB -1 1.5G 99999999999G; do
	misuse 'number of bytes with K, M or G' "--memory=$limit" plain.bin
done
misuse 'expected a number of threads' -j 99999999999999999999 plain.bin
misuse 'no such option' --wrong plain.bin
misuse 'takes no value' --strict=yes plain.bin
misuse 'no option -z' -z plain.bin
misuse 'only once' - -
cp plain.bin same.bin
misuse 'the trace itself' -o same.bin same.bin
cmp -s plain.bin same.bin || fail "the trace was overwritten"
