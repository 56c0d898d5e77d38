# Prints samples as a table or a JSON document.
#
# usage: awk -v name=BENCHMARK -v json=0|1 -f report.awk ROWS SAMPLES
#
# ROWS: see writer.rows. SAMPLES: lines of tab-separated fields,
#	machine	NAME	VALUE		of the machine and the method
#	sample	ROW	VALUE		in the order of the repetitions
#	absent	EXPRESSION	WHY	why rows without samples have none
#	unjudged	EXPRESSION	rows whose goals do not hold in this run
#	check	WHAT	ok|failed	DETAIL
# A ratio is the median of the ratios of samples of the same repetition. A work has samples of its
# rate and of ID.wall, ID.cpu, ID.anon and ID.peak, whose medians are printed.

BEGIN { FS = "\t" }

FNR == NR {
	if (/^#/ || $0 == "")
		next
	n++
	kind[n] = $1
	if ($1 == "title" || $1 == "works") {
		what[n] = $2
	} else if ($1 == "work") {
		id[n] = $2; unit[n] = $3; what[n] = $4
	} else if ($1 == "figure") {
		id[n] = $2; unit[n] = $3; what[n] = $4; op[n] = $5; goal[n] = $6
	} else if ($1 == "ratio") {
		id[n] = $2; over[n] = $3; under[n] = $4; unit[n] = "ratio"
		what[n] = $5; op[n] = $6; goal[n] = $7
	} else {
		print FILENAME ": unknown row: " $0 | "cat >&2"
		broken = 1
		exit 1
	}
	next
}
$1 == "machine" { facts++; fact[facts] = $2; says[facts] = $3; known[$2] = $3 }
$1 == "sample" { value[$2, ++count[$2]] = $3 }
$1 == "absent" { absents++; absent[absents] = $2; why[absents] = $3 }
$1 == "unjudged" { unjudged[++unjudgeds] = $2 }
$1 == "check" { checks++; check[checks] = $2; outcome[checks] = $3; detail[checks] = $4 }

# Sorts v[1..m], sets middle, least and most.
function summarize(m,    i, k, x) {
	for (i = 2; i <= m; i++) {
		x = v[i]
		for (k = i - 1; k >= 1 && v[k] > x; k--)
			v[k + 1] = v[k]
		v[k + 1] = x
	}
	least = v[1]
	most = v[m]
	middle = m % 2 ? v[(m + 1) / 2] : (v[m / 2] + v[m / 2 + 1]) / 2
}

# Fills v with a row's samples; returns how many.
function collect(i,    k, m) {
	if (kind[i] != "ratio") {
		for (k = 1; k <= count[id[i]]; k++)
			v[k] = value[id[i], k] + 0
		return count[id[i]] + 0
	}
	m = count[over[i]] < count[under[i]] ? count[over[i]] : count[under[i]]
	for (k = 1; k <= m; k++) {
		if (value[under[i], k] + 0 == 0)
			return 0
		v[k] = value[over[i], k] / value[under[i], k]
	}
	return m + 0
}

# Why a row has no samples: its own reason, or that of a row it is computed from.
function reason(i,    k, part, parts, p) {
	parts = 1
	part[1] = id[i]
	if (kind[i] == "ratio") {
		part[2] = over[i]; part[3] = under[i]; parts = 3
	}
	for (p = 1; p <= parts; p++)
		for (k = 1; k <= absents; k++)
			if (part[p] ~ absent[k])
				return why[k]
	return "not measured"
}

# Rows with a reason for absence are not computed, even if there are samples.
function forbidden(i,    k) {
	for (k = 1; k <= absents; k++)
		if (id[i] ~ absent[k])
			return 1
	return 0
}

function verdict(i,    k) {
	for (k = 1; k <= unjudgeds; k++)
		if (id[i] ~ unjudged[k])
			return "n/a"
	if (op[i] == "<=")
		return middle <= goal[i] + 0 ? "meets" : "misses"
	if (op[i] == "<")
		return middle < goal[i] + 0 ? "meets" : "misses"
	return middle >= goal[i] + 0 ? "meets" : "misses"
}

function quoted(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	gsub(/[\001-\037]/, " ", s)
	return "\"" s "\""
}

function scalar(s) {
	return s ~ /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/ ? s : quoted(s)
}

function short(x) {
	return sprintf(x >= 1000 || x <= -1000 ? "%.0f" : x >= 100 || x <= -100 ? "%.1f" : "%.2f", x)
}

# The median of a work's wall, cpu, anon or peak.
function beside(i, name,    k) {
	for (k = 1; k <= count[id[i] "." name]; k++)
		v[k] = value[id[i] "." name, k] + 0
	summarize(k - 1)
	return middle
}

function json_work(i) {
	return sprintf(", \"wall_s\": %.6g, \"cpu_s\": %.6g, \"anon_mib\": %.6g, \"peak_mib\": %.6g",
		beside(i, "wall"), beside(i, "cpu"), beside(i, "anon"), beside(i, "peak"))
}

function json_row(i, m,    s) {
	s = "    {\"id\": " quoted(id[i]) ", \"what\": " quoted(what[i]) ", \"unit\": " quoted(unit[i])
	if (m)
		s = s sprintf(", \"median\": %.6g, \"min\": %.6g, \"max\": %.6g, \"samples\": %d",
			middle, least, most, m)
	else
		s = s ", \"median\": null, \"reason\": " quoted(reason(i))
	if (goal[i] != "")
		s = s ", \"goal\": " quoted(op[i] " " goal[i]) ", \"verdict\": " \
			quoted(m ? verdict(i) : "n/a")
	if (m && kind[i] == "work")
		s = s json_work(i)
	return s "}"
}

function print_json(    i, m, first) {
	printf "{\n  \"benchmark\": %s,\n  \"machine\": {", quoted(name)
	for (i = 1; i <= facts; i++)
		printf "%s\n    %s: %s", (i > 1 ? "," : ""), quoted(fact[i]), scalar(says[i])
	printf "\n  },\n  \"rows\": ["
	for (i = 1; i <= n; i++) {
		if (kind[i] == "title" || kind[i] == "works")
			continue
		m = forbidden(i) ? 0 : collect(i)
		if (m)
			summarize(m)
		printf "%s\n%s", (first++ ? "," : ""), json_row(i, m)
	}
	printf "\n  ],\n  \"checks\": ["
	for (i = 1; i <= checks; i++)
		printf "%s\n    {\"check\": %s, \"outcome\": %s, \"detail\": %s}", (i > 1 ? "," : ""),
			quoted(check[i]), quoted(outcome[i]), quoted(detail[i])
	printf "\n  ]\n}\n"
}

function print_row(i, m,    line) {
	line = sprintf("  %-46s", what[i])
	if (!m) {
		print line "        n/a  " reason(i) (goal[i] == "" ? "" : "; goal " op[i] " " goal[i])
		return
	}
	line = line sprintf(" %10s %10s %10s", short(middle), short(least), short(most))
	if (kind[i] == "work")
		line = line sprintf(" %8s %8s %8s %8s", short(beside(i, "wall")),
			short(beside(i, "cpu")), short(beside(i, "anon")), short(beside(i, "peak")))
	if (goal[i] != "")
		line = line sprintf("  %-8s %s", op[i] " " goal[i], verdict(i))
	print line
}

function print_table(    i, m) {
	for (i = 1; i <= facts; i++)
		printf "%s%s %s", (i > 1 ? (i % 4 == 1 ? "\n" : "; ") : ""), fact[i], says[i]
	print ""
	for (i = 1; i <= n; i++) {
		if (kind[i] == "title") {
			printf "\n%-48s %10s %10s %10s  %-8s\n", what[i], "median", "min", "max", "goal"
			continue
		}
		if (kind[i] == "works") {
			printf "\n%-48s %10s %10s %10s %8s %8s %8s %8s\n", what[i], "median", "min",
				"max", "wall s", "CPU s", "anon", "peak MiB"
			continue
		}
		m = forbidden(i) ? 0 : collect(i)
		if (m)
			summarize(m)
		print_row(i, m)
	}
	print ""
	for (i = 1; i <= checks; i++)
		print outcome[i] ": " check[i] (detail[i] == "" ? "" : " (" detail[i] ")")
}

END {
	if (broken)
		exit 1
	if (json)
		print_json()
	else
		print_table()
}
