"use strict";
/*
 * What was measured in the intervals of each label and minor: CPIs, busy, time on and off the processors, switches. As in
 * --report summary, a CPI is a ratio of sums where the intervals have counts, else an average weighted by elapsed cycles
 * (model/stats/ratio.h). No document here: Node's tests run it.
 */

/* Each with its heading, and the counts that a ratio is of. */
const FIGURES = [
	{ name: "raw_cpi", heading: "raw CPI", above: "cycles", below: "instructions" },
	{ name: "scaled_cpi", heading: "scaled CPI", above: "busy_cycles", below: "instructions" },
	{ name: "thread_cpi", heading: "thread CPI", above: "thread_cycles", below: "thread_instructions" },
	{ name: "busy_pct", heading: "busy %", above: "busy_cycles", below: "cycles", unit: 100 },
	{ name: "on_cpu_ns", heading: "on CPU" },
	{ name: "off_cpu_ns", heading: "off CPU" },
	{ name: "ctx_switches", heading: "switches" },
];
const FIGURE_COLUMNS = Array.from(new Set(["elapsed_cycles", ...FIGURES.flatMap(({ name, above, below }) => above ? [name, above, below] : [name])]));

/* As struct ratio. NaN: not measured. */
class Ratio {
	above = 0; below = 0; weighted = 0; weight = 0; instant = 0; instants = 0; counted = 0; measured = 0;

	add(above, below, value, elapsed) {
		const counts = below ? above / below : NaN;
		if (isNaN(counts) && isNaN(value))
			return;
		this.measured++;
		if (!isNaN(counts)) {
			this.counted++;
			this.above += above;
			this.below += below;
		}
		const one = isNaN(value) ? counts : value;
		if (elapsed) {
			this.weighted += one * elapsed;
			this.weight += elapsed;
		} else {
			this.instant += one;
			this.instants++;
		}
	}

	get value() {
		if (!this.measured)
			return NaN;
		if (this.counted === this.measured)
			return this.above / this.below;
		return this.weight ? this.weighted / this.weight : this.instant / this.instants;
	}
}

/* What a metric's operand is in a group, by its column's name: a figure, or the mean of the counts that a ratio is made of. Others: the mean. */
const FIGURE_MEANS = { cycles: "raw_cpi", busy_cycles: "scaled_cpi", thread_cycles: "thread_cpi" };

/* metrics: of groups, each with the names of its operands, null: the elapsed time. */
class Figures {
	constructor(metrics = []) {
		this.groups = new Map();
		this.metrics = metrics;
		this.means = Array.from(new Set(metrics.flatMap(({ names }) => names)))
			.filter((name) => !FIGURE_MEANS[name] && !FIGURES.some((one) => one.above && one.name === name));
	}

	/* The columns of a block of intervals by name, NaN where there is none; one without values may be absent. */
	begin(columns) {
		this.elapsed = columns.elapsed_cycles;
		this.others = this.means.map((name) => columns[name]);
		this.columns = FIGURES.map(({ name, above, below }) => ({ value: columns[name], above: columns[above], below: columns[below] }));
	}

	/* Adds an interval of that block. */
	add(group, row, duration) {
		let sums = this.groups.get(group);
		if (!sums)
			this.groups.set(group, sums = [...FIGURES.map(({ above }) => above ? new Ratio() : { sum: 0, measured: 0 }), ...this.means.map(() => ({ sum: 0, measured: 0 }))]);
		const elapsed = this.elapsed ? this.elapsed[row] : NaN;
		for (let i = 0; i < FIGURES.length; i++) {
			const { value, above, below } = this.columns[i], { unit = 1 } = FIGURES[i], one = value ? value[row] : NaN;
			if (FIGURES[i].above) {
				sums[i].add(above ? above[row] : NaN, below ? below[row] : NaN, one / unit, elapsed);
			} else if (!isNaN(one)) {
				sums[i].sum += one;
				sums[i].measured++;
			}
		}
		for (let i = 0; i < this.means.length; i++) {
			const one = this.means[i] === null ? duration : this.others[i] ? this.others[i][row] : NaN, sum = sums[FIGURES.length + i];
			if (!isNaN(one)) {
				sum.sum += one;
				sum.measured++;
			}
		}
	}

	/* A metric's operand. */
	operandOf(sums, figures, name) {
		const i = FIGURES.findIndex((one) => one.name === FIGURE_MEANS[name]);
		if (i >= 0)
			return sums[i].above / sums[i].counted;
		if (!this.means.includes(name))
			return figures[name] ?? NaN;
		const { sum, measured } = sums[FIGURES.length + this.means.indexOf(name)];
		return sum / measured;
	}

	/* By group, the figures by name, and metrics by theirs; null: not measured. A CPI of 0 was not. */
	table() {
		const known = (value) => isNaN(value) ? null : value;
		return new Map(Array.from(this.groups, ([group, sums]) => {
			const figures = Object.fromEntries(FIGURES.map(({ name, above, unit = 1 }, i) =>
				[name, !above ? sums[i].measured ? sums[i].sum : null : known(name === "busy_pct" ? sums[i].value * unit : sums[i].value || NaN)]));
			for (const metric of this.metrics)
				figures[metricKey(metric)] = known(metricValue(metric, metric.names.map((name) => this.operandOf(sums, figures, name))));
			return [group, figures];
		}));
	}
}

/* A metric among figures, whose name may be a figure's. */
function metricKey({ name }) {
	return "metric " + name;
}

/*
 * The summary's rows: those of the whole trace (summarize) with the numbers of the report's lines of JSON (cut: how many were left out),
 * and the times, [name, on, off, switches]. Returns the rows, their figures by name, null: not known, and how many lack a line. Intervals
 * that were open at the end are in no line, and neither are groups of these alone among the rows.
 */
function wholeSummary(rows, { rows: lines, cut }, times, { names, minors, majors }, metrics = []) {
	const keyOf = (label, minor, major) => JSON.stringify([label, minor, major]), byKey = new Map(), figures = new Map(), timesOf = new Map(times.map(([name, ...all]) => [name, all]));
	for (const line of lines.split("\n").filter((text) => text)) {
		const one = JSON.parse(line), key = keyOf(one.label, one.minor, one.major ?? CPI_MAJOR);
		/* A double lacks the last digits of long totals. */
		byKey.set(key, [...byKey.get(key) || [], { ...one, total: BigInt(/"total_ns":(\d+)/.exec(line)[1]) }]);
	}
	let absent = 0;
	const merged = rows.map((row) => {
		/* JSON may spell several labels alike that are not UTF-8. */
		const label = names[row.name], alike = byKey.get(keyOf(label[0] === "l" ? label.slice(1) : null, minors[row.name], majors[row.name])) || [];
		const line = alike.find((one) => one.count === row.count) || alike[0];
		const [on, off, switches] = timesOf.get(row.name) || [null, null, null], own = { on_cpu_ns: on, off_cpu_ns: off, ctx_switches: switches };
		for (const { name, above } of FIGURES)
			if (above)
				own[name] = line ? line[name] : null;
		for (const metric of metrics)
			own[metricKey(metric)] = line ? line[metric.summary] ?? null : null;
		figures.set(row.name, own);
		absent += Number(!line && cut > 0);
		return line ? { ...row, count: line.count, total: line.total, mean: line.mean_ns, min: line.min_ns, p50: line.p50_ns, p90: line.p90_ns, p99: line.p99_ns, max: line.max_ns } : cut ? row : null;
	}).filter((row) => row);
	return { rows: merged, figures, absent };
}
