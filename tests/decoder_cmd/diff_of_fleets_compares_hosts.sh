#!/bin/sh
. "${0%/*}/lib.sh"
: "${DIFF_SIM:?the simulation of tests/bench}"

# Hosts differ by 3 %, their runs by 1 %. Of 60 pairs without a change, a test at 1 % calls 5 or more
# changed with a probability of 0.03 %, one of runs about 8. The seed is fixed.
for model in others-0 same-0 same-3%; do
	"$DIFF_SIM" -p 60 -m "$model" fleet >>rates
done
rate_is() # MODEL RUNS CONDITION: of the mean's verdicts in percent
{
	awk -v model="$1" -v runs="$2" '$1 == model && $2 == runs { found = 1; ok = $4 '"$3"' }
		END { exit !found || !ok }' rates || fail "$1, $2 runs: not $3: $(cat rates)"
}
rate_is others-0 12 '<= 7'
rate_is others-0 24 '<= 7'
rate_is same-0 24 '<= 7'
rate_is same-3% 24 '>= 90'

mkdir old new same parts
for host in 1 2 3 4; do
	for i in 1 2; do
		make_run old/$host$i.bin $host$i $((4 * host)) host$host
		make_run new/$host$i.bin 7$host$i $((4 * host + 3)) new$host
		make_run same/$host$i.bin 8$host$i $((4 * host + 3)) host$host
		run 0 --partial parts/$host$i.p same/$host$i.bin
	done
done
verdict()
{
	tr -d '\r' <out | awk -F, '$3 == "mean_ns" { print $9 }'
}

# With other hosts, 3 % is within the variation between hosts. With the same hosts, each is compared with itself.
run 0 --report diff --format csv old new
quiet
[ "$(verdict)" = noise ] || fail "variation between hosts is reported as a change"
in_file out ',runs_before,runs_after,major,hosts_before,hosts_after.?$|,runs_before,runs_after,hosts_before,hosts_after.?$'
in_file out '^x,1,mean_ns,.*,8,8,4,4.?$'
run 0 --report diff --format csv old same
[ "$(verdict)" = change ] || fail "a change on every host is reported as noise"
mv out first
run 0 --report diff --format csv old parts
cmp -s out first || fail "partial results do not name their hosts"
run 0 --report diff --format json old same
in_file out '"runs_before":8,"runs_after":8,"hosts_before":4,"hosts_after":4,'
run 0 --report diff old new
in_file out '^# 8 runs of 4 hosts before, 8 of 4 after: means of the hosts. figures, which the tests compare$'
run 0 --report diff --aa old
in_file out '^# noise: what hosts of one side differ by'
run 0 --report diff --fail-if 'mean>+1%' old new
run 5 --report diff --fail-if 'mean>+1%' old same

# Runs of two hosts are two figures, whatever their number; merged they are one.
run 0 --report diff --format csv --before old/1* old/2* --after new
[ "$(verdict)" = too-few ] || fail "two hosts are judged"
run 5 --report diff --fail-if 'mean>+0.1%' --before old/1* old/2* --after new
in_file err 'too few hosts to tell it from noise \(2 and 4, of 3 a side\)'
run 0 merge --partial merged parts/*
run 0 --report diff --before old --after new merged
in_file err 'same/..\.bin and other traces are one run of several hosts'

# merge reports how well their clocks agree.
run 0 merge parts/*
in_file err '^cpidecode: host host1: 2 files, times within .* of its CLOCK_REALTIME$'
in_file err '^cpidecode: clocks of 4 hosts agree to within .* as far as the traces show \(NTP.s own error is not known\)$'
run 0 merge parts/1*
quiet
