// node page_data.mjs TRACE.html TRACE.csv ...: the data of the page of --format html is that of
// intervals.csv, read by the page's own scripts.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import vm from "node:vm";
import { readCsv } from "../exports/csv.mjs";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../decoder/sink/page");
vm.runInThisContext(["decode", "store", "analysis", "view", "why_words", "runs", "metrics", "figures", "explain"].map((name) => readFileSync(join(folder, name + ".js"), "utf8")).join("\n"));
const page = vm.runInThisContext("({ readId, endsIn, metricText, metricKey, bytesOfBase64, inflate, readCore, readMore, readMoreColumn, readAdopted, readMarks, namesOf, readRuns, readWakeups, Store, RunStore, whyList, summarize, finish, wholeSummary, Figures, FIGURES, FIGURE_COLUMNS })");
const MOST = 4 << 20;
let intervals = 0, cells = 0, adopted = 0, blocks = 0, shortened = 0, groups = 0, parentIds = 0, metrics = 0, ended = 0;

async function blocksOf(html, kind) {
	const found = [];
	for (const [, base64] of html.matchAll(new RegExp(`<script type="text/plain" class="${kind}">([A-Za-z0-9+/=]*)</script>`, "g"))) {
		assert.ok(base64.length <= MOST, `a block of ${base64.length} bytes`);
		found.push(await page.inflate(new Blob([page.bytesOfBase64(base64)])));
	}
	blocks += found.length;
	return found;
}

const lists = async (html, kind) => (await blocksOf(html, kind)).flatMap((bytes) => JSON.parse(new TextDecoder().decode(bytes)));

async function storeOf(html) {
	const [meta] = (await blocksOf(html, "meta")).map((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
	const { names, minors, majors } = page.namesOf(await lists(html, "names")), lanes = await lists(html, "lanes");
	assert.deepEqual([names.length, lanes.length], [meta.names, meta.lanes]);
	const store = new page.Store(meta, lanes, names);
	const more = [];
	for (const bytes of await blocksOf(html, "core")) {
		const core = page.readCore(bytes);
		more.push({ first: store.filled, count: core.count });
		store.add(core);
	}
	for (const bytes of await blocksOf(html, "adopted"))
		store.adopt(page.readAdopted(bytes));
	for (const bytes of await blocksOf(html, "marks"))
		store.mark(page.readMarks(bytes));
	store.finish();
	const parts = await blocksOf(html, "more");
	assert.equal(parts.length, more.length);
	more.forEach((one, i) => one.bytes = parts[i]);
	return { store, more, names, minors, majors };
}

// CSV replaces what JSON escapes, and writes reals of arguments by its own rule.
const isAlike = (a, b, name) => (a ?? "") === (b ?? "") || name.startsWith("arg.") || /[\ufffd\u0000-\u001f\u007f-\u009f]/.test(a + b);

function checkRow({ store, minors, majors }, row, number, at, base, own, idOf) {
	const lane = store.lanes[store.laneOf[store.rowOf(at)]], name = store.names[store.name[at]];
	const start = BigInt(row.start_ns), end = BigInt(row.end_ns);
	assert.equal(BigInt(store.start[at]) + base, start, "start");
	if (end >= start)
		assert.equal(BigInt(store.duration[at]), end - start, "duration");
	assert.equal(String(lane.tid), row.tid, "tid");
	assert.equal(String(lane.pid ?? ""), row.pid, "pid");
	if (name[0] === "l")
		assert.ok(isAlike(name.slice(1), row.label, "label"), `label ${name} ${row.label}`);
	else
		assert.equal(row.label, "");
	assert.equal(String(minors[store.name[at]]), row.minor, "minor");
	assert.equal(String(majors[store.name[at]]), row.major || "192", "major");
	const parent = store.parent(at), idColumn = store.meta.columns.indexOf("id"), given = own[idColumn + 1];
	assert.deepEqual([idOf(number), given ?? (parent < 0 ? "" : idOf(store.number[parent]))], [row.id, row.parent_id], `ids of ${number}`);
	parentIds += Number(row.parent_id !== "");
	for (const metric of store.meta.metrics) {
		assert.equal(page.metricText(metric, own, store.duration[at]) ?? "", row[metric.name], metric.name);
		metrics += Number(row[metric.name] !== "");
	}
	store.meta.columns.forEach((column, i) => {
		if (column in row && i !== idColumn && i !== idColumn + 1)
			assert.ok(isAlike(own[i], row[column], column), `${column} of ${number}: ${own[i]}, not ${row[column]}`);
		cells++;
	});
}

// The parent holds the interval, and is one level above it.
function checkParent(store, rows, at) {
	const parent = store.parent(at), row = rows[store.number[at]];
	if (parent < 0) {
		assert.equal(row.depth, "0");
		return;
	}
	const around = rows[store.number[parent]];
	assert.deepEqual([around.tid, Number(around.depth)], [row.tid, Number(row.depth) - 1], "a parent's depth");
	assert.ok(store.start[parent] <= store.start[at] && store.end(parent) >= store.end(at), "a parent holds it");
}

// The reports are those of cpidecode, or their first complete lines.
async function checkReports(html, csv) {
	const reports = await lists(html, "reports");
	assert.deepEqual(reports.map((one) => one.name), ["why", "summary", "info"]);
	const lines = readFileSync(csv + ".why.json", "utf8");
	assert.ok(reports[0].answers === lines || (reports[0].answers.length > 200000 && lines.startsWith(reports[0].answers)), "answers");
	assert.equal(page.whyList(reports[0].answers).length, reports[0].answers.split("\n").length - 1);
	for (const { name, text, cut } of reports.filter((one) => one.name !== "summary")) {
		const lines = readFileSync(csv + "." + name, "utf8").split("\n"), kept = text.split("\n");
		assert.equal(kept.length + cut, lines.length, `lines of ${name}`);
		assert.deepEqual(kept.slice(0, -1), lines.slice(0, kept.length - 1), name);
		shortened += cut > 0;
	}
}

// The metrics of groups, with the names of their operands.
const metricsOf = ({ metrics, columns }) => metrics.filter((one) => one.summary !== null)
	.map((one) => ({ ...one, names: one.operands.map((place) => place === null ? null : columns[place]) }));

// The summary of the whole trace has the rows and numbers of the report, and what the page itself adds up the same CPIs and busy.
async function checkSummary(html, csv, { store, more, names, minors, majors }, rows) {
	const [report] = (await lists(html, "reports")).filter((one) => one.name === "summary"), wanted = readCsv(csv + ".summary");
	const whole = page.finish(page.summarize(store, 0, Infinity)), got = page.wholeSummary(whole.rows, report, await lists(html, "times"), { names, minors, majors }, metricsOf(store.meta));
	assert.equal(got.absent, report.cut, "rows that are left out");
	assert.equal(got.rows.length, wanted.length, "groups");
	const metrics = metricsOf(store.meta), figures = new page.Figures(metrics), asked = [...page.FIGURE_COLUMNS, ...metrics.flatMap((one) => one.names)];
	for (const { first, count, bytes } of more) {
		const values = Object.fromEntries(asked.map((name) => [name, page.readMoreColumn(bytes, count, store.meta.columns.indexOf(name))]));
		figures.begin(values);
		store.number.forEach((number, at) => number >= first && number < first + count && figures.add(store.name[at], number - first, store.duration[at]));
	}
	const own = figures.table(), ratios = page.FIGURES.filter((one) => one.above).map((one) => one.name), sums = page.FIGURES.filter((one) => !one.above).map((one) => one.name);
	const textOf = (value) => value === null ? "" : value.toFixed(4), mean = (value) => Number(value).toFixed(1);
	const lineOf = (row, table) => [minors[row.name], majors[row.name], row.count, row.total, mean(row.mean), row.min, row.p50, row.p90, row.p99, row.max,
		...[...ratios, ...metrics.map(page.metricKey)].map((name) => textOf(table.get(row.name)[name]))].join(" ");
	const wantedLines = wanted.map((row) => [row.minor, row.major || 192, row.count, row.total_ns, mean(row.mean_ns), row.min_ns, row.p50_ns, row.p90_ns, row.p99_ns, row.max_ns,
		...[...ratios, ...metrics.map((one) => one.summary)].map((name) => row[name])].join(" ")).sort();
	if (!report.cut)
		assert.deepEqual(got.rows.map((row) => lineOf(row, got.figures)).sort(), wantedLines, "the report's rows");
	if (!report.cut && !store.meta.open)
		assert.deepEqual(got.rows.map((row) => lineOf(row, own)).sort(), wantedLines, "the page's CPIs");
	for (const row of whole.rows.slice(0, 100)) {
		const inGroup = rows.filter((_, number) => store.name[position(store)[number]] === row.name);
		for (const name of sums) {
			const values = inGroup.map((one) => one[name]).filter((value) => value !== ""), sum = values.length ? values.reduce((a, b) => a + Number(b), 0) : null;
			assert.deepEqual([got.figures.get(row.name)[name], own.get(row.name)[name]], [sum, sum], name);
		}
		groups++;
	}
}

let positions = new Map();
function position(store) {
	if (!positions.has(store)) {
		const of = new Uint32Array(store.count);
		store.number.forEach((number, at) => of[number] = at);
		positions = new Map([[store, of]]);
	}
	return positions.get(store);
}

// Of switches.bin and alone.bin (page.sh): processor, start, end and thread, in ns since the page's first time; by hand from the format.
const RAN = { "alone.html": [[0, 0, 7000, "tid 1"], [0, 7000, 22000, "tid 2"], [0, 22000, 42000, "not recorded"]], "switches.html": [
	[0, 0, 2000, "server"], [0, 2000, 4000, "<b>other</b>"], [0, 4000, 5000, "server"], [0, 6000, 7000, "tid 3"], [0, 8000, 12000, "server"], [0, 16000, 30000, "server"],
	[1, 2000, 6000, "tid 3"], [1, 20000, 29000, "<b>other</b>"],
	[0, 30000, 31000, "not recorded"], [1, 6000, 15000, "not recorded: records were lost"],
	[1, 15000, 20000, "a thread that had ended and had no number any more, or had not been told yet"], [1, 29000, 31000, "not recorded"], [2, 0, 31000, "not recorded: records were lost"]], "wakeups.html": [
	[0, 0, 2000, "tid 1"], [0, 2000, 4000, "other"], [0, 4000, 5000, "tid 1"], [0, 8000, 10000, "tid 1"], [1, 0, 10000, "waker"]] };

// Of golden/cases/wakeups: processor, time, who is woken, by whom and how; and how runs ended: 0 not known, 1 waiting, 2 preempted.
const WOKEN = { "wakeups.html": [[0, 3000, 3, "other", 1], [0, 6000, 7, "idle", 2], [1, 7500, 1, "waker", 0]] };
const ENDED = { "wakeups.html": [2, 1, 1, 1, 0] };

// Other pages have none.
async function checkRuns(html, name) {
	const ran = RAN[name], woken = WOKEN[name], [about] = (await blocksOf(html, "processors")).map((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
	assert.equal(about !== undefined, ran !== undefined, "runs of threads");
	if (!ran)
		return;
	const store = new page.RunStore(about, await lists(html, "threads"));
	for (const bytes of await blocksOf(html, "runs"))
		store.addRuns(page.readRuns(bytes));
	for (const bytes of await blocksOf(html, "wakeups"))
		store.addWakeups(page.readWakeups(bytes));
	store.finish();
	assert.equal(about.wakeups, woken && true);
	assert.deepEqual(store.wakeups.flatMap((all, lane) => Array.from(all.time, (time, i) => [about.lanes[lane].cpu, time, all.tid[i],
		all.by[i] ? store.names[all.by[i]].name : "idle", all.how[i]])), woken ?? []);
	assert.deepEqual(store.how && Array.from(store.number, (number) => store.how[number]), ENDED[name] ?? null);
	assert.deepEqual(Array.from(store.start, (start, at) => {
		const one = store.names[store.name[at]];
		return [store.processorOf(at).cpu, start, store.end(at), one.tid === undefined ? one : one.name ?? "tid " + one.tid];
	}), ran);
	assert.deepEqual((await lists(html, "lanes")).filter((lane) => lane.apart).map((lane) => lane.tid), name === "switches.html" ? [5] : []);
	assert.deepEqual(about.lanes.map((lane) => lane.lost), about.lanes.map(({ cpu }) => woken || !cpu ? 0 : cpu === 1 ? 77 : null));
}

for (let i = 2; i < process.argv.length; i += 2)
	try {
		const html = readFileSync(process.argv[i], "latin1");
		const rows = readCsv(process.argv[i + 1]), read = await storeOf(html), { store, more } = read;
		await checkReports(html, process.argv[i + 1]);
		await checkRuns(html, process.argv[i]);
		assert.equal(store.filled, rows.length);
		const open = rows.map((row) => row.flags.split("+")).filter((flags) => flags.includes("open")), noEnd = open.filter((flags) => flags.includes("no-end"));
		assert.deepEqual([store.meta.open, store.meta.open_no_end], [open.length, noEnd.length], "open at the end");
		ended += noEnd.length;
		assert.deepEqual(Array.from(store.number).sort((a, b) => a - b), Array.from(rows.keys()), "numbers");
		await checkSummary(html, process.argv[i + 1], read, rows);
		const base = BigInt(store.meta.base);
		const ends = new Map(more.map((one) => [one, page.endsIn(store, one.first, one.count)]));
		const idOf = (number) => {
			const one = more.findLast(({ first }) => first <= number);
			return page.readId(one.bytes, one.count, store.meta.columns.indexOf("id"), number - one.first, ends.get(one), store.meta.rings);
		};
		for (const one of more)
			for (let k = 0; k < one.count; k += one.count > 2000 ? 2039 : 1) {
				const number = one.first + k;
				checkRow(read, rows[number], number, position(store)[number], base, page.readMore(one.bytes, one.count, k), idOf);
			}
		/* Rows hold intervals that do not overlap. */
		for (let row = 0; row < store.meta.rows; row++)
			for (let at = store.offset[row] + 1; at < store.offset[row + 1]; at++)
				assert.ok(store.end(at - 1) <= store.start[at], "intervals of a row overlap");
		const isWhole = !process.argv[i].includes("nested") && rows.every((row) => BigInt(row.end_ns) >= BigInt(row.start_ns));
		for (let at = 0; at < store.count && isWhole; at++)
			checkParent(store, rows, at);
		intervals += rows.length;
		adopted += store.adopted.size;
	} catch (error) {
		console.log(`FAILED: ${process.argv[i]}: ${error.stack}`);
		process.exitCode = 1;
	}
assert.ok(shortened > 0, "a report is too long for a page");
assert.ok(ended > 0, "an end that may have been overwritten");
assert.ok(parentIds > 0 && metrics > 0, "ids of parents and derived metrics");
console.log(`ok: ${(process.argv.length - 2) / 2} pages, ${blocks} blocks, ${intervals} intervals, ${cells} cells, ${adopted} adopted, ${groups} groups, ${parentIds} ids of parents, ${metrics} metrics`);
