/*
 * equal.mjs FOLDER TRACE CSV STDERR...: what trace_processor (in FOLDER) reads of each TRACE equals
 * the intervals of CSV: number, names, times, threads, nesting, figures, arguments. STDERR is
 * cpidecode's, which tells how many could not nest. Says what differs and ends with 1.
 */
import fs from "node:fs";
import { readCsv } from "./csv.mjs";
import { TraceProcessor } from "./trace_processor.mjs";

const counts = ["cpu", "elapsed_cycles", "instructions", "cycles", "busy_cycles", "thread_instructions",
	"thread_cycles", "on_cpu_ns", "off_cpu_ns", "ctx_switches", "migrations", "faults",
	"unexplained_ns", "own_inside_ns", "own_nested_ns"];
const reals = ["raw_cpi", "scaled_cpi", "busy_pct", "thread_cpi", "idle_pct", "intr_pct",
	"actual_perf_pct"];
/* All other columns are events. */
const attributes = ["minor", "types", "num_cpus", "flags", "time_source", "start_cpu", "major", "method",
	"container"];
const notCounters = ["start_ns", "end_ns", "pid", "tid", "task", "label", "depth", ...attributes, "id",
	"parent_id"];

/* A cell whose value goes without saying is left out: 0, the major of CPI's hooks, the processor of the
 * end. */
const majorOfCpi = "192";
function attributeOf(row, column) {
	const value = row[column];
	if (column === "start_cpu")
		return value === row.cpu ? "" : value;
	if (column === "major")
		return value === majorOfCpi ? "" : value;
	return ["minor", "types"].includes(column) && value === "0" ? "" : value;
}

/* The innermost container of an interval of depth d is the last one of depth d - 1 before it. */
function addParents(rows) {
	const last = new Map();
	for (const row of rows) {
		const key = row.tid, depth = Number(row.depth);
		if (!last.has(key))
			last.set(key, []);
		const stack = last.get(key);
		row.parent = depth ? stack[depth - 1] : null;
		stack[depth] = row;
		stack.length = depth + 1;
	}
}

/* CSV has the label "" and none in the same way. */
function nameOf(row) {
	return row.label || "none";
}

function shownName(name) {
	return !name || name === "[No name]" || /^minor 0x[0-9A-F]{2}$/.test(name) ? "none" : name;
}

/*
 * The arguments of a CSV's columns. Names that differ in invalid bytes only, which columns tell apart by
 * their ends, are one to trace_processor, which then has one of them.
 */
function argumentsOf(columns) {
	const names = columns.filter((c) => c.startsWith("arg.")).map((c) => c.slice("arg.".length));
	const alike = new Set(names.filter((n) => / \(\d+\)$/.test(n))
		.map((n) => n.replace(/ \(\d+\)$/, "")));
	return new Set(names.filter((n) => !alike.has(n.replace(/ \(\d+\)$/, ""))));
}

/* How trace_processor names an argument of a Perfetto trace. */
const ownNames = new Set([...counts, ...reals, ...notCounters]);
function annotationOf(name) {
	return (ownNames.has(name) || name.startsWith("arg_") ? "arg_" + name : name).replace(/[.[\]]/g, "_");
}

function durationOf(row) {
	const duration = BigInt(row.end_ns) - BigInt(row.start_ns);
	return duration >= 0n ? duration : BigInt(row.elapsed_cycles);
}

/* The first difference of two lists of texts, whatever their order. */
function difference(expected, found) {
	expected.sort();
	found.sort();
	for (let i = 0; i < Math.max(expected.length, found.length); i++)
		if (expected[i] !== found[i])
			return `${found.length} of ${expected.length}; ${found[i]} instead of ${expected[i]}`;
	return null;
}

const slices = `select s.ts, s.dur, s.name, p.ts, p.dur, p.name, t.name, th.name, th.tid, pr.pid
	from slice s left join slice p on p.id = s.parent_id join track t on t.id = s.track_id
	left join thread_track tt on tt.id = s.track_id left join thread th using (utid)
	left join process pr using (upid) where s.name <> 'hooks lost' or s.dur <> 0`;

const figuresOfCounters = `select c.ts, t.name, c.value from counter c
	join track t on t.id = c.track_id left join track p on p.id = t.parent_id
	where p.name is null or p.name not glob 'cpu [0-9]*'`;
const figuresOfArguments = `select s.ts, substr(a.key, 6), coalesce(a.int_value, a.real_value)
	from slice s join args a using (arg_set_id)
	where a.key glob 'args.*' and a.key not glob 'args.arg.*'`;

class Comparison {
	constructor(tp, file, csv, stderr) {
		this.tp = tp;
		this.file = file;
		this.stderr = fs.readFileSync(stderr, "utf8");
		this.rows = readCsv(csv);
		this.columns = Object.keys(this.rows[0] ?? {});
		addParents(this.rows);
		if (/before 1970/.test(this.stderr))
			this.rows = this.rows.filter((r) => BigInt(r.start_ns) >= 0n);
		this.wrong = 0;
		this.epoch = null;
		if (file.endsWith(".chrome"))
			this.epoch = BigInt(JSON.parse(fs.readFileSync(file, "utf8")).otherData.epoch_ns);
	}

	/* Times of chrome's events count from an epoch. */
	addEpoch(found) {
		for (const row of found)
			row[0] += this.epoch ?? 0n;
	}

	/* The reader's doubles of JSON are off in the last digit. */
	number(text) {
		return this.epoch === null ? Number(text) : Number(Number(text).toPrecision(14));
	}

	say(what) {
		console.log(`${this.file}: ${what}`);
		this.wrong++;
	}

	compare(what, expected, found) {
		const differs = difference(expected, found);
		if (differs)
			this.say(`${what}: ${differs}`);
	}

	overlaps() {
		const told = /(\d+) intervals? overlaps? others/.exec(this.stderr);
		return told ? Number(told[1]) : 0;
	}

	compareSlices(found) {
		const rows = this.rows;
		this.compare("slices",
			rows.map((r) => [r.start_ns, durationOf(r), nameOf(r)].join(" ")),
			found.map((s) => s.slice(0, 3).join(" ")));
		/* A thread's track has its ids; a further track, and a plain one, its name. */
		this.compare("threads",
			rows.map((r) => [r.start_ns, nameOf(r), r.task || "tid " + r.tid].join(" ")),
			found.map((s) => [s[0], s[2], s[7] ?? (s[8] === null ? s[6] : "tid " + s[8])]
				.join(" ")));
		const ids = found.filter((s) => s[8] !== null);
		const known = new Set(rows.map((r) => [r.start_ns, nameOf(r), r.tid, r.pid].join(" ")));
		for (const s of ids)
			if (!known.has([s[0], s[2], s[8], s[9]].join(" ")))
				this.say(`no interval of the thread of ${s.join(" ")}`);
		this.threads = ids.length;
	}

	compareNesting(found) {
		const keyOf = (ts, dur, name) => [ts, dur, name].join(" ");
		const parents = new Map(), none = "none";
		for (const r of this.rows) {
			const key = keyOf(r.start_ns, durationOf(r), nameOf(r));
			if (!parents.has(key))
				parents.set(key, new Map());
			const p = r.parent;
			const parent = p ? keyOf(p.start_ns, durationOf(p), nameOf(p)) : none;
			const of = parents.get(key);
			of.set(parent, (of.get(parent) ?? 0) + 1);
		}
		let lost = 0;
		for (const s of found) {
			const of = parents.get(keyOf(s[0], s[1], s[2]));
			const parent = s[3] === null ? none : keyOf(s[3], s[4], s[5]);
			if (of?.get(parent))
				of.set(parent, of.get(parent) - 1);
			else if (parent === none)
				lost++;
			else
				this.say(`the parent of ${s.join(" ")}`);
		}
		if (lost > this.overlaps())
			this.say(`${lost} are nested in nothing, ${this.overlaps()} overlap`);
		/* Those that nest in nothing, and are not on their thread's own track. (A thread of
		 * another container has an id that is none to the reader: a plain track.) */
		if (this.threads && this.rows.every((r) => r.pid && Number(r.tid) < 2 ** 31)) {
			const further = found.filter((s) => s[8] === null && s[3] === null).length;
			if (further > this.overlaps())
				this.say(`${further} begin on further tracks, ${this.overlaps()} overlap`);
		}
	}

	async compareFigures() {
		const found = await this.tp.query(this.epoch === null ? figuresOfCounters
			: figuresOfArguments);
		this.addEpoch(found);
		const own = [...counts, ...reals].filter((name) => this.columns.includes(name));
		const known = new Set([...notCounters, ...this.columns.filter((c) => c.startsWith("arg."))]);
		for (const name of [...own, ...this.columns.filter((c) => !known.has(c) && !own.includes(c))])
			this.compare(name,
				this.rows.filter((r) => r[name]).map((r) => r.start_ns + " " + this.number(r[name])),
				found.filter((c) => c[1] === name).map((c) => c[0] + " " + this.number(c[2])));
		/* SQL's own sums. */
		const sums = await this.tp.query(
			"select sum(s.dur), count(*) from slice s where s.name <> 'hooks lost' or s.dur <> 0");
		const total = this.rows.reduce((sum, r) => sum + durationOf(r), 0n);
		if (BigInt(sums[0][0] ?? 0) !== total)
			this.say(`sum(dur) is ${sums[0][0]}, not ${total}`);
	}

	async compareArguments() {
		const nameOfArgument = (name) => this.epoch === null ? "debug." + annotationOf(name)
			: "args.arg." + name;
		const found = await this.tp.query(`select s.ts, s.name, a.key, a.display_value
			from slice s join args a using (arg_set_id)`);
		this.addEpoch(found);
		const text = (v) => v === "" || isNaN(v) || /^-?[1-9]\d*$/.test(v) ? v : String(Number(v) + 0);
		const expected = [], known = new Map();
		for (const name of argumentsOf(this.columns))
			known.set(nameOfArgument(name), name);
		for (const r of this.rows)
			for (const [column, value] of Object.entries(r))
				/* CSV has an empty text and none in the same way. */
				if (value && column.startsWith("arg.") && known.has(nameOfArgument(column.slice(4))))
					expected.push([r.start_ns, nameOf(r), column.slice(4), text(value)].join(" "));
		this.compare("arguments", expected,
			/* Nor does it have numbers that are not finite. */
			found.filter((a) => a[3] && !/^-?(inf|nan)/i.test(a[3]))
				.filter((a) => known.has(a[2]))
				.map((a) => [a[0], shownName(a[1]), known.get(a[2]), text(String(a[3]))]
					.join(" ")));
		for (const column of attributes)
			this.compareColumn(found, column, (row) => attributeOf(row, column) ?? "");
		/* Perfetto has none: they would make a trace of time and label half as large again. */
		if (this.epoch !== null)
			this.compareColumn(found, "id", (row) => row.id);
	}

	compareColumn(found, column, of) {
		const key = (this.epoch === null ? "debug." : "args.") + column;
		this.compare(column,
			this.rows.filter((r) => of(r)).map((r) => [r.start_ns, nameOf(r), of(r)].join(" ")),
			found.filter((a) => a[2] === key)
				.map((a) => [a[0], shownName(a[1]), a[3]].join(" ")));
	}

	async compareRest() {
		for (const [name, value] of await this.tp.query(`select name, value from stats
				where value > 0 and severity in ('error', 'data_loss')
				and name <> 'trace_sorter_negative_timestamp_dropped'`))
			this.say(`trace_processor counts ${name}: ${value}`);
		if (!this.rows.length || !this.file.endsWith(".perfetto"))
			return;
		const first = this.rows.reduce((min, r) => BigInt(r.start_ns) < min ? BigInt(r.start_ns) : min,
			BigInt(this.rows[0].start_ns));
		const told = await this.tp.query("select to_realtime(min(ts)) from slice");
		if (told[0][0] !== first)
			this.say(`to_realtime is ${told[0][0]}, not ${first}`);
	}

	async run() {
		await this.tp.load(this.file);
		const found = await this.tp.query(slices);
		this.addEpoch(found);
		for (const s of found)
			s[3] = s[3] === null || this.epoch === null ? s[3] : s[3] + this.epoch;
		for (const s of found) {
			/* chrome's events without an id. */
			if (s[8] >= 2 ** 30)
				[s[6], s[7], s[8]] = [s[7], null, null];
			if (s[9] >= 2 ** 30)
				s[9] = null;
			s[2] = shownName(s[2]);
			s[5] = shownName(s[5]);
		}
		this.compareSlices(found);
		this.compareNesting(found);
		await this.compareFigures();
		await this.compareArguments();
		await this.compareRest();
		return this.rows.length;
	}
}

const [folder, ...files] = process.argv.slice(2);
const tp = await TraceProcessor.make(folder);
let wrong = 0, intervals = 0;
for (let i = 0; i < files.length; i += 3) {
	const comparison = new Comparison(tp, files[i], files[i + 1], files[i + 2]);
	intervals += await comparison.run();
	wrong += comparison.wrong;
}
console.log(wrong ? `FAILED: ${wrong} differences`
	: `ok: ${files.length / 3} traces, ${intervals} intervals`);
process.exit(wrong ? 1 : 0);
