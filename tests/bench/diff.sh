# Sourced by run.sh: how often cpidecode's diff errs, and what it sees. No rows with goals: tables.
# shellcheck shell=sh disable=SC2034,SC2154

programs='spin walk sort'

simulator() {
	# shellcheck disable=SC2046,SC2086
	must "compiling the simulation" $cc $flags -I "$top" "$here/diff_sim.c" -o "$work/diff_sim" \
		$(find "$build" -path '*cpidecode_output.dir/*' -name '*.o') \
		"$(find "$build" -name libcpidecode_parts.a)" \
		$(pkg-config --libs liblz4 libxxhash zlib) -pthread -lm
}

# One busy loop per processor (--quick: one), so that the measured program is preempted now and then.
disturb() {
	noise=''
	for _ in $(seq "$((quick ? 1 : $(nproc)))"); do
		(while :; do :; done) &
		noise="$noise $!"
	done
	# shellcheck disable=SC2086
	undo="kill $noise"
}

# Pairs of sides of 5 runs each, of the programs in turn: which metrics are called changed.
real_pairs() {
	pairs=$1 i=0
	: >"$work/verdicts"
	while [ $i -lt "$pairs" ]; do
		for program in $programs; do
			[ $i -lt "$pairs" ] || break
			"$swtrace" bench -n 5 -s 1 --format csv --against "$work/diff_real $program" \
				-- "$work/diff_real" "$program" 2>"$log" >"$work/csv" ||
				{ tail -n 5 "$log" >&2; fail "swtrace bench failed"; }
			tr -d '\r' <"$work/csv" | sed "s/^/$program,/" >>"$work/verdicts"
			i=$((i + 1))
		done
	done
	awk -F, -v pairs="$pairs" '
		$2 == "work" && ($10 == "change" || $10 == "noise") {
			n[$4]++; changes[$4] += $10 == "change"
		}
		END {
			print "# real runs of one program, 5 a side, " pairs " pairs: called a change, of"
			split("mean_ns p50_ns p90_ns p99_ns cpi instructions", m, " ")
			for (i = 1; i <= 6; i++)
				if (n[m[i]]) printf "%-12s %5d %6d\n", m[i], changes[m[i]], n[m[i]]
		}' "$work/verdicts"
}

measure() {
	compile diff_real "$here/diff_real.c"
	simulator
	simulated=10000 real=200
	[ "$quick" -eq 0 ] || simulated=50 real=3
	{
		"$work/diff_sim" -p "$simulated" false || fail "the simulation failed"
		"$work/diff_sim" -p "$simulated" power
		"$work/diff_sim" -p "$((simulated / 10))" single
		"$work/diff_sim" -p "$((simulated / 10))" fleet
	} >"$work/report"
	# Nothing but the seed is random in the simulation.
	if [ "$quick" -eq 1 ]; then
		"$work/diff_sim" -p "$simulated" false >"$work/again" &&
			head -n "$(wc -l <"$work/again")" "$work/report" | cmp - "$work/again" ||
			fail "the simulation does not repeat itself"
	fi
	disturb
	real_pairs "$real" >>"$work/report"
	$undo
	undo=''
}

report() {
	machine | sed 's/^machine\t/# /'
	cat "$work/report"
	[ -z "$output" ] || cp "$work/report" "$output" || fail "cannot write $output"
}
