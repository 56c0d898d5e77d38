# Sourced by run.sh: what the emulated machine said and traced, against what must come out.

ok() { passed=$((passed + 1)); echo "ok: $name: $1"; }
no() { # NAME [FILE]
	failed=$((failed + 1))
	echo "FAILED: $name: $1"
	[ $# -lt 2 ] || head -n "${3:-8}" "$2" | sed 's/^/  | /'
}

# Lines "ok NAME", "not ok NAME: WHY", "skip NAME: WHY", "END"; what explains them is passed on.
judge_console() { # BOOT
	name=$1
	console=$(machine_dir "$name")/console
	tr -d '\r' <"$console" >"$console.text"
	while IFS= read -r line; do
		case $line in
		"ok "*) ok "${line#ok }" ;;
		"not ok "*) no "${line#not ok }" ;;
		"skip "*) skipped=$((skipped + 1)); echo "skipped: $name: ${line#skip }" ;;
		"  | "* | "  # "*) echo "$line" ;;
		esac
	done <"$console.text"
	if grep -qx END "$console.text"; then
		tar --no-same-owner -xf "$(machine_dir "$name")/disk" -C "$(machine_out "$name")" ||
			no "its disk holds what it sent"
	else
		tail -n 30 "$console.text" >"$console.end"
		no "the machine came to its end (status $(cat "$(machine_dir "$name")/status"))" "$console.end" 30
	fi
}

# check WHAT COMMAND...: what it prints is shown if it fails.
check() {
	what=$1; shift
	if "$@" >"$arm64_dir/check" 2>&1; then
		ok "$what"
	else
		no "$what" "$arm64_dir/check"
	fi
}

# table FILE: the intervals of FILE.bin as FILE.csv, and a line of both for each interval:
# FILE.rows has the columns of the report and, as data_NAME, the values that the program printed
# of its CPI_DATA. Not measured: n/a.
table() {
	[ -s "$1.bin" ] && [ -s "$1.txt" ] || { echo "there is no $1.bin"; return 1; }
	"$cpidecode" --strict --report intervals --format csv -o "$1.csv" "$1.bin" || return 1
	awk -F, '
	{ sub(/\r$/, "") }
	FNR == NR { if (FNR == 1) header = $0; else row[++n] = $0; next }
	{
		count = split($0, word, " ")
		head = header
		line = row[++m]
		for (i = 1; i <= count; i++) {
			at = index(word[i], "=")
			head = head ",data_" substr(word[i], 1, at - 1)
			line = line "," substr(word[i], at + 1)
		}
		if (m == 1) print head
		print line
	}
	END { if (m != n || n == 0) { print m " intervals printed, " n " decoded"; exit 1 } }
	' "$1.csv" "$1.txt" >"$1.rows" || { tail -n 1 "$1.rows"; return 1; }
}

# rows FILE AWK: for each row of FILE.rows, with v["column"]; bad(TEXT) fails.
rows() {
	awk -F, '
	function bad(text) { print FILENAME ": row " FNR - 1 ": " text; failed = 1 }
	function measured(name) { return v[name] != "" && v[name] != "n/a" }
	function near(name, value, within) {
		if (!measured(name) || v[name] < value - within || v[name] > value + within)
			bad(name " is \"" v[name] "\", not " value)
	}
	FNR == 1 { for (i = 1; i <= NF; i++) column[i] = $i; next }
	{ delete v; for (i = 1; i <= NF; i++) v[column[i]] = $i; rows++ }
	'"$2"'
	END { if (!rows) bad("none"); exit failed }' "$1.rows"
}

# exactly FILE COLUMN SKIP: of two loops, the difference of COLUMN is that of their instructions.
# SKIP first rounds may differ (what runs for the first time runs longer); of the others all
# ("each"), or the least of each length ("least": the kernel's work for itself may come in).
exactly() {
	rows "$1" '
	{
		turns = v["label"]
		if (seen[turns]++ < '"$3"') next
		if (!measured("'"$2"'")) { bad("'"$2"' is not measured"); next }
		more = v["'"$2"'"] - 2 * turns
		if (!(turns in least) || more < least[turns]) least[turns] = more
		if ("'"$4"'" == "each" && more != least[turns]) bad(turns " turns: " more ", and " least[turns])
	}
	END {
		for (turns in least) {
			if (first == "") first = turns
			lengths++
			if (least[turns] != least[first] || least[turns] < 0 || least[turns] > 60000)
				bad(turns " turns: " least[turns] " instructions more; " first ": " least[first])
		}
		if (lengths < 3) bad("only " lengths " lengths")
	}'
}

# ---------------------------------------------------------------- loops of known length

# CPI_DATA has quotients: the counts they were made of come back whole.
data_is_hooks() { # FILE
	rows "$1" '
	{
		if (measured("thread_cpi") != measured("data_thread")) bad("on-thread: CPI_DATA or hooks")
		if (measured("data_thread") &&
			sprintf("%.0f", v["thread_cycles"] / v["data_thread"]) != v["thread_instructions"])
			bad("thread: " v["thread_cycles"] " / " v["data_thread"] " is not " v["thread_instructions"])
		if (measured("raw_cpi") != measured("data_raw")) bad("raw: CPI_DATA or hooks")
		if (measured("data_raw") &&
			sprintf("%.0f", v["cycles"] / v["data_raw"]) != v["instructions"])
			bad("raw: " v["cycles"] " / " v["data_raw"] " is not " v["instructions"])
		if (measured("data_scaled")) near("data_scaled", v["scaled_cpi"], 0.0001)
	}'
}
is_cpi() { # FILE COLUMN VALUE: in the hooks and in CPI_DATA, four decimals
	rows "$1" '
	{
		near("'"$2"'", '"$3"', 0.00005)
		near("'"$(echo "$2" | sed 's/\(.*\)_cpi/data_\1/')"'", '"$3"', 0.00005)
	}'
}
not_measured() { # FILE COLUMN...
	file=$1; shift
	for column in "$@"; do
		rows "$file" '{ if (measured("'"$column"'")) bad("'"$column"' is " v["'"$column"'"]) }' || return 1
	done
}
# Where the frequency is 1 GHz, cycles are ns of virtual time: the loop's, the readings', not
# what it takes to write the hooks. Between reading the clock and the counters something else
# may run for any time (an interrupt, and the kernel thread that it woke), and then one row's ratio
# is of two different times: so most rows are held to it, not each.
raw_in_theory() { # FILE CPI
	rows "$1" '
	{
		ns = v["end_ns"] - v["start_ns"]
		if (v["cycles"] > ns + 100 || v["cycles"] < 2 * v["label"] * '"$2"')
			bad(v["cycles"] " cycles in " ns " ns")
		near("data_raw0", v["raw_cpi"], 0.0001)
		off = v["raw_cpi"] - '"$2"'
		off = off < 0 ? -off : off
		if (off > 10000 * '"$2"' / v["instructions"]) far = far " " v["raw_cpi"]
		else near_enough++
		turns = v["label"]
		if (!(turns in least) || off < least[turns]) least[turns] = off
	}
	# A tick of the clock is 16 ns.
	END {
		if (near_enough < 3 * rows / 4) bad("raw_cpi is" far)
		for (turns in least)
			if (least[turns] > 64 / (2 * turns) + 0.0001)
				bad(turns " turns: raw_cpi is off by " least[turns] " at least")
	}'
}

# One CPU: no migrations; and other threads seldom run in between.
quiet_activity() { # FILE
	rows "$1" '
	{
		if (v["migrations"] != "0" || v["ctx_switches"] !~ /^[0-9]+$/ ||
			v["off_cpu_ns"] !~ /^[0-9]+$/ || v["faults"] !~ /^[0-9]+$/)
			bad("off " v["off_cpu_ns"] " ns, " v["ctx_switches"] " switches, " \
				v["migrations"] " migrations, " v["faults"] " faults")
		quiet += v["ctx_switches"] == 0 && v["off_cpu_ns"] < 100000
		if (v["flags"] ~ /multiplexed|cpus-changed|user-only/) bad("flagged: " v["flags"])
	}
	END { if (quiet < rows / 2) bad("only " quiet " of them undisturbed") }'
}

judge_exact() { # CPI
	out=$(machine_out "$name")
	for file in user kernel hz; do
		check "$file: traced there, decoded here" table "$out/$file"
	done
	check "user mode: instructions of the thread: 2 a turn, each time" \
		exactly "$out/user" thread_instructions 1 each
	check "with the kernel: instructions of the thread: 2 a turn" \
		exactly "$out/kernel" thread_instructions 1 least
	check "with the kernel: instructions of the processors: 2 a turn" \
		exactly "$out/hz" instructions 1 least
	for file in user kernel hz; do
		check "$file: CPI_DATA are made of the hooks' counts" data_is_hooks "$out/$file"
		check "$file: on-thread CPI is $1" is_cpi "$out/$file" thread_cpi "$1"
	done
	for file in kernel hz; do
		check "$file: scaled CPI is $1" is_cpi "$out/$file" scaled_cpi "$1"
	done
	check "raw CPI is n/a without the processor's frequency" \
		not_measured "$out/kernel" raw_cpi cycles data_raw data_raw0
	check "raw CPI is what the frequency makes it" raw_in_theory "$out/hz" "$1"
	check "what the thread did is known: it was on its processor" quiet_activity "$out/hz"
	check "without rights the processors are n/a" \
		not_measured "$out/user" instructions raw_cpi scaled_cpi data_raw data_scaled
}

judge_reads() {
	out=$(machine_out "$name")
	check "reads: traced there, decoded here" table "$out/reads"
	check "reads: in user mode: 2 instructions a turn, each time" \
		exactly "$out/reads" thread_instructions 1 each
	check "reads: in user mode: CPI_DATA are made of the hooks' counts" data_is_hooks "$out/reads"
	check "reads: the quality hook says that it was user mode" by_user_mode "$out/reads.bin"
}
# The sources of instructions, busy, the thread's instructions and cycles: CPI_SOURCE_COUNTER_USER.
by_user_mode() { # FILE
	hooks_of "$1" || return 1
	grep '"name":"quality"' "$out/hooks" >"$arm64_dir/quality"
	cat "$arm64_dir/quality"
	[ "$(grep -c '"source":\[[0-9]*,[0-9]*,2,2\]' "$arm64_dir/quality")" -eq 12 ]
}

# --------------------------------------------------------------------------- multiplexing

scaled_up() { # FILE
	rows "$1" '
	{
		near("thread_instructions", 2 * v["label"], 2 * v["label"] / 100)
		near("thread_cpi", 1, 0.01)
		if (v["flags"] !~ /multiplexed/) bad("not flagged: " v["flags"])
	}'
}
judge_crowd() {
	for access in 0 1; do
		check "crowd $access: traced there, decoded here" table "$out/crowd$access"
		check "crowd $access: 13 events on 7 counters: within 1 %, and flagged" \
			scaled_up "$out/crowd$access"
	done
}

# ----------------------------------------------------------------------- events of a list

# FILE.rows of the events hooks of FILE.bin: the group's label, and for each event NAME its value
# (n/a: unknown), NAME_flags, NAME_enabled and NAME_running.
events_table() { # FILE
	hooks_of "$1.bin" || return 1
	awk '
	# The texts or numbers of a list, without its brackets.
	function list(name) {
		if (!match($0, "\"" name "\":\\[[^]]*\\]")) return ""
		text = substr($0, RSTART, RLENGTH)
		sub(/^[^[]*\[/, "", text)
		gsub(/["\]]/, "", text)
		return text
	}
	/"name":"label, start"/ {
		match($0, /"label":"[0-9]*"/)
		label = substr($0, RSTART + 9, RLENGTH - 10)
	}
	/"name":"events"/ {
		n = split(list("event_value"), value, ",")
		names = $0
		for (i = 1; i <= n; i++) {
			sub(/.*"counts":\[/, "", names)
			match(names, /[{]"name":"[^"]*"/)
			name[i] = substr(names, RSTART + 9, RLENGTH - 10)
			names = substr(names, RSTART + RLENGTH)
		}
		split(list("event_flags"), flags, ",")
		split(list("event_enabled"), enabled, ",")
		split(list("event_running"), running, ",")
		head = "label"
		line = label
		for (i = 1; i <= n; i++) {
			head = head "," name[i] "," name[i] "_flags," name[i] "_enabled," name[i] "_running"
			line = line "," (flags[i] % 2 ? value[i] : "n/a") "," flags[i] "," enabled[i] "," running[i]
		}
		if (!rows++) print head
		print line
	}' "$out/hooks" >"$1.rows"
	[ -s "$1.rows" ] || { echo "no events in $1.bin"; return 1; }
}
# Known, unknown, of user mode only; never on a shared counter.
events_flagged() { # FILE
	rows "$1" '
	{
		if (v["instructions_flags"] != 3 || v["cycles_flags"] != 3) bad("not flagged as of user mode")
		if (v["instructions:u_flags"] != 1) bad("instructions:u: " v["instructions:u_flags"])
		if (v["branches_flags"] != 0 || v["context-switches_flags"] != 0)
			bad("known: " v["branches"] " " v["context-switches"])
		if (v["page-faults_flags"] != 1 || v["task-clock_flags"] != 1)
			bad("unknown: faults or the clock")
		if (v["instructions_enabled"] == 0 || v["instructions_enabled"] != v["instructions_running"])
			bad("enabled " v["instructions_enabled"] ", running " v["instructions_running"])
		near("instructions:u", v["instructions"], 0)
		near("cycles", v["instructions"], v["instructions"] / 100 + 100)
		if (v["task-clock"] < 2 * v["label"]) bad("task-clock " v["task-clock"])
	}'
}
events_scaled() { # FILE NAME...
	file=$1; shift
	for event in "$@"; do
		rows "$file" '
		{
			near("'"$event"'", 2 * v["label"], 2 * v["label"] / 50)
			if (v["'"$event"'_running"] >= v["'"$event"'_enabled"])
				bad("'"$event"' had its counter alone")
		}' || return 1
	done
}
judge_events() {
	for file in events events_groups events_user events_crowd events_denied events_all; do
		check "$file: traced there, decoded here" events_table "$out/$file"
	done
	check "events: instructions: 2 a turn, each time" exactly "$out/events" instructions 1 each
	check "events: unknown counts are n/a, user-mode counts are marked" \
		events_flagged "$out/events"
	check "events: in user mode: 2 instructions a turn, each time" \
		exactly "$out/events_user" instructions 1 each
	check "events: 8 on 7 counters: within 2 %, and their times say so" \
		events_scaled "$out/events_groups" instructions cycles r8 r11 instructions:u cycles:u r8:u r11:u
	check "events: 14 on 7 counters, user mode reads: within 2 %" \
		events_scaled "$out/events_crowd" instructions cycles
	check "events: of all processors: without the right n/a" events_denied "$out/events_denied"
	check "events: of all processors: in user mode 2 instructions a turn" \
		exactly "$out/events_all" instructions:ua 1 least
	check "events: of all processors: no fewer than in user mode, nor than the thread's" \
		events_of_all "$out/events_all"
}
events_denied() { # FILE
	rows "$1" '
	{
		if (measured("instructions:ua") || v["instructions:ua_flags"] != 0) bad("counted all processors")
		if (v["instructions:u_flags"] != 1) bad("instructions:u: " v["instructions:u_flags"])
	}'
}
events_of_all() { # FILE
	rows "$1" '
	{
		if (!measured("instructions:a") || v["instructions:a"] < v["instructions:ua"] ||
			v["instructions:a"] < v["instructions"])
			bad(v["instructions:a"] " of all, " v["instructions:ua"] " in user mode, " v["instructions"])
		if (v["instructions:a_running"] == 0 || v["instructions:a_running"] != v["instructions:a_enabled"])
			bad("enabled " v["instructions:a_enabled"] ", running " v["instructions:a_running"])
	}'
}

# --------------------------------------------------------------------------------- boots

judge_shift0() {
	judge_exact 1.0000
	judge_reads
	judge_crowd
	judge_events
	check "sample: every interval of compress_bench has its CPI" sample_is_measured \
		"$cpidecode" "$out/sample.bin" "$out/sample.csv"
	check "pairs: on-thread CPI is 1.0000, and near it where the thread was switched" pairs_have_cpi
}
judge_shift2() {
	judge_exact 4.0000
}

judge_holes() {
	out=$(machine_out holes)
	for file in holes switched highest whole; do
		check "$file: traced there, decoded here" table "$out/$file"
	done
	check "holes: the highest CPU counts, the holes are n/a" rows "$out/holes" '
	{
		if (v["num_cpus"] != 7 || v["data_cpus"] != 7) bad("CPUs: " v["num_cpus"])
		for (cpu = 0; cpu < 7; cpu++) {
			hole = cpu == 2 || cpu == 5
			if (measured("data_raw" cpu) && hole) bad("CPU " cpu " is a hole")
			if (measured("data_busy" cpu) == hole) bad("CPU " cpu ": busy " v["data_busy" cpu])
		}
		if (v["flags"] ~ /cpus/) bad("flagged: " v["flags"])
	}'
	check "holes: the report by CPU" by_cpu "$out/holes.bin"
	check "switched: a CPU that goes or comes is n/a, the interval is flagged" \
		rows "$out/switched" '
	{
		if (v["num_cpus"] != 7) bad("CPUs: " v["num_cpus"])
		if (measured("data_raw3") || measured("data_scaled3")) bad("CPU 3 has a CPI")
		if (v["flags"] !~ /cpus/) bad("not flagged: " v["flags"])
	}'
	check "highest: as the highest CPU goes and comes, so does their number" \
		rows "$out/highest" '
	{
		if (v["num_cpus"] != (rows % 2 ? 5 : 7)) bad("CPUs: " v["num_cpus"])
		if (measured("data_raw6")) bad("CPU 6 has a CPI")
		if (v["flags"] !~ /cpus/) bad("not flagged: " v["flags"])
	}'
	check "whole: online again, all eight are measured" rows "$out/whole" '
	{
		if (v["num_cpus"] != 8) bad("CPUs: " v["num_cpus"])
		for (cpu = 0; cpu < 8; cpu++)
			if (!measured("data_busy" cpu)) bad("CPU " cpu " is not measured")
	}'
}
by_cpu() { # FILE
	"$cpidecode" --report cpus "$1" | tee "$arm64_dir/cpus" | awk '
	/CPU0/ { heads = NF; if ($NF != "CPU6") bad = 1 }
	$1 == "busy%" { if ($5 != "n/a" || $8 != "n/a" || $3 == "n/a") bad = 1; seen = 1 }
	END { exit bad || !seen }' || { cat "$arm64_dir/cpus"; return 1; }
}

judge_missing() {
	check "no instructions: traced there, decoded here" hooks_of "$out/missing.bin"
	check "no instructions: cycles and time are measured, instructions and CPI are not" lacks_instructions "$out/hooks"
}
hooks_of() {
	"$cpidecode" --strict --report hooks --format json -o "$out/hooks" "$1"
}
lacks_instructions() {
	grep '"name":"thread"' "$1" >"$arm64_dir/thread" || return 1
	grep '"name":"system-wide"' "$1" >"$arm64_dir/system" || return 1
	cat "$arm64_dir/thread" "$arm64_dir/system"
	counts='"thread_instructions":null,"thread_cycles":[1-9][0-9]*,"thread_cpi":null'
	[ "$(grep -c "$counts" "$arm64_dir/thread")" -eq 3 ] || return 1
	counts='"instructions":null,"cycles":[1-9][0-9]*,"raw_cpi":null,.*"scaled_cpi":null'
	[ "$(grep -c "$counts" "$arm64_dir/system")" -eq 3 ]
}

# Intervals written from an instance's image: one cycle per instruction, as -icount defines it, give or
# take the instructions between reading the two registers. Their number differs between the fast path and
# the slow one, which the first interval after a switch takes at one end. An interrupt between the
# registers would add thousands.
pairs_have_cpi() {
	"$cpidecode" --report intervals --format csv --columns label,types,thread_cpi -o "$out/pairs.csv" \
		"$out/pairs.bin" || return 1
	awk -F, '
	{ sub(/\r$/, "") }
	NR > 1 && int($2 / 4) % 2 { counted++; exact += $3 == "1.0000" }
	NR > 1 && int($2 / 4) % 2 && !($3 > 0.5 && $3 < 2) { print "row " NR ": " $0; failed = 1 }
	END {
		if (counted < 1000) { print counted + 0 " intervals count the thread"; failed = 1 }
		if (exact < 0.99 * counted) { print exact " of " counted " are exact"; failed = 1 }
		exit failed
	}
	' "$out/pairs.csv"
}

# A set of rings judges itself; this checks which rings have hooks.
judge_rings() { # CPUS: at least so many have written
	out=$(machine_out "$name")
	check "hooks of three processes: all decoded here, all from CPUs' rings" \
		in_cpu_rings "$out/rings.bin" "$1"
}
in_cpu_rings() {
	hooks_of "$1" || return 1
	[ "$(wc -l <"$out/hooks")" -eq 30000 ] || { wc -l "$out/hooks"; return 1; }
	! grep -m 1 '"cpu":null' "$out/hooks" || return 1
	[ "$(grep -o '"cpu":[0-9]*' "$out/hooks" | sort -u | wc -l)" -ge "$2" ]
}
judge_rings1() {
	judge_rings 1
	judge_missing
}
judge_rings2() { judge_rings 2; }
