// node tiles.mjs BROWSER PROFILE TRACE.html TRACE.tiles TRACE.csv WRONG.tiles FOLDER.html FOLDER.csv RUNS.html ADDRESS EARLY [MAKER]:
// the page opens a file of tiles by its button, from file://, and answers what intervals.csv says, far away
// and near; and that of a folder, or of a server, loads it. RUNS.html has runs of threads (switches.bin of page.sh). EARLY is a server of the folder's trace whose process
// MAKER, which makes the tiles, was stopped, unless it had ended.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import assert from "node:assert/strict";
import { browserOf } from "./browsers.mjs";
import { readCsv } from "../exports/csv.mjs";

const [program, profile, html, tiles, csv, wrong, folderHtml, folderCsv, runsHtml, address, early, maker] = process.argv.slice(2);
let rows, all;

function readRows(name) {
	rows = readCsv(name);
	const base = BigInt(rows[0].start_ns);
	all = rows.map((row, number) => ({ ...row, number, start: Number(BigInt(row.start_ns) - base), end: Number(BigInt(row.end_ns) - base) }));
}

const spanOf = (from, to) => all.filter((one) => one.start < to && (one.end > from || one.start >= from));
const browser = browserOf(program, profile);

const text = (id) => browser.evaluate(`document.getElementById("${id}").textContent`);
const plain = async (id) => (await text(id)).replaceAll("\u202f", "");

async function pick(file) {
	await browser.pick("#tiles", resolve(file));
}

async function checkQueries(until) {
	for (const [from, to] of [[0, until + 1], [0, 1], [until / 3, until / 3 + 5000], [until / 4, until / 2], [until - 10, until + 1]]) {
		const got = await browser.evaluate(`trace.query(${from}, ${to}).then(({ count, longest, sumText }) => [count, longest, sumText])`);
		const inside = spanOf(from, to);
		assert.deepEqual(got, [inside.length, inside.reduce((most, one) => Math.max(most, one.end - one.start), 0),
			String(inside.reduce((sum, one) => sum + BigInt(one.end - one.start), 0n))]);
	}
	for (const number of [0, all.length >> 1, all.length - 1]) {
		const got = await browser.evaluate(`trace.interval(${number})`);
		assert.deepEqual([got.label, got.start, got.duration, got.depth, got.id, got.parent_id ?? ""],
			[rows[number].label, all[number].start, all[number].end - all[number].start, rows[number].depth, rows[number].id, rows[number].parent_id]);
	}
}

// The whole is too much for a summary; a small part of it has one.
async function checkSpans(until) {
	await browser.settled();
	assert.match(await plain("span"), new RegExp(`: ${all.length} intervals, .* together; the longest: `));
	assert.equal(await browser.evaluate("page.isNear()"), false);
	await browser.until("page.tiles.wanted.every((key) => page.tiles.kept.has(key)) && page.tiles.kept.size > 0");
	assert.equal(await browser.evaluate("getComputedStyle(document.getElementById('flame')).display"), "none");
	const from = Math.floor(until / 3), to = from + 200000;
	await browser.evaluate(`page.show(${from}, ${to})`);
	await browser.settled();
	await browser.until("page.isNear()");
	await browser.settled();
	assert.match(await plain("span"), new RegExp(`: ${spanOf(from, to).length} interval`));
	const counts = await browser.evaluate(`Array.from(document.querySelectorAll("#summary tbody tr"), (row) => Number(row.cells[2].textContent.replaceAll("\\u202f", "")))`);
	assert.equal(counts.reduce((a, b) => a + b, 0), spanOf(from, to).length);
}

// Of a window: a column's colours, curves of CPI and busy, lanes of processors; each follows the view to the next window.
async function checkColumns(until) {
	const inside = () => rows.filter((_, number) => all[number].start < view.to && all[number].end >= view.from);
	const show = async (from, to) => {
		view = { from, to };
		await browser.evaluate(`page.show(${from}, ${to})`);
		await browser.settled();
		await browser.until("page.isNear() && page.columnShown() && page.processors.store");
		await browser.settled();
	};
	let view;
	await browser.evaluate(`(() => { const box = document.getElementById("colour");
		box.value = Array.from(box.options).find((option) => option.text === "elapsed_cycles").value;
		box.dispatchEvent(new Event("change")); return page.showLanes("processors"); })()`);
	await browser.evaluate("page.show(0, page.until)");
	await browser.settled();
	await browser.until("!page.isNear()");
	await browser.until("document.getElementById('legend').textContent.includes('lanes of processors: zoom in') && document.getElementById('legend').textContent.includes('neighbours in a lane')");
	for (const share of [3, 4]) {
		const from = Math.floor(until / share);
		await show(from, from + 200000);
		const shown = await browser.evaluate("Array.from(page.store.number, (number, at) => [number, page.valueOf(at)])");
		const inWindow = new Set(shown.map(([number]) => number));
		assert.ok(spanOf(from, from + 200000).every((one) => inWindow.has(one.number)), "the window has what is in view");
		for (const [number, value] of shown)
			assert.equal(String(value), rows[number].elapsed_cycles);
		assert.match(await text("legend"), /elapsed_cycles up to [0-9]+/);
		const counts = {};
		for (const row of inside().filter((one) => one.depth === "0" && /^\d+$/.test(one.cpu)))
			counts["Processor " + row.cpu] = (counts["Processor " + row.cpu] ?? 0) + 1;
		/* The table is that of the window before until the page has counted. */
		assert.ok(Object.keys(counts).length > 0);
		const wanted = Object.entries(counts).map((pair) => pair.join(" ")).sort();
		await browser.until(`Array.from(document.getElementById("uses").tBodies[0]?.rows ?? [], (row) =>
			row.cells[0].textContent + " " + row.cells[1].textContent.replaceAll("\\u202f", "")).sort().join() === ${JSON.stringify(wanted.join())}`);
		await browser.until(`Array.from(document.querySelectorAll("#curves p")).every((line) => /by the intervals' starts|not measured/.test(line.textContent))`);
	}
	await browser.evaluate(`document.getElementById("flame-colour").value = "thread", document.getElementById("flame-colour").dispatchEvent(new Event("change"))`);
	await browser.until(`document.getElementById("flame-legend").textContent.includes("most of its time")`);
	await browser.evaluate(`page.colourBy("label").then(() => page.showLanes("threads"))`);
	for (const name of ["why", "info"])
		assert.equal(await text("report-" + name), readFileSync(csv + "." + name, "utf8"), name);
}

// From one interval to the next of its label, wherever that is.
async function checkSearch() {
	const { label } = rows[7], numbers = all.filter((one) => one.label.toLowerCase().includes(label.toLowerCase())).map((one) => one.number);
	await browser.evaluate(`(() => { const box = document.getElementById("search"); box.value = ${JSON.stringify(label)}; box.dispatchEvent(new Event("input")); })()`);
	assert.equal((await plain("found")).match(/^(\d+) interval/)[1], String(numbers.length));
	for (let i = 0; i < 2; i++) {
		await browser.evaluate(`document.getElementById("next").click()`);
		await browser.until(`page.chosen >= 0 && page.store.number[page.chosen] === ${numbers[i]}`);
	}
	await browser.until(`document.getElementById("interval").textContent.includes("start_ns${rows[numbers[1]].start_ns}")`);
}

// Zoomed out, CPI is a colour and a curve by tiles' means.
async function checkFar() {
	await browser.evaluate("Tiles.most = 5000, page.enter(new WindowStore(page.meta, page.tiles.lanes, page.tiles.names, page.tiles.countOf, [], 0, 0), new Map()), page.changed()");
	await browser.settled();
	await browser.until("!page.isNear()");
	await browser.evaluate(`page.colourBy(Array.from(document.getElementById("colour").options).find((option) => option.text === "raw_cpi").value)`);
	await browser.until(`document.getElementById("legend").textContent.includes("neighbours in a lane: zoom in")`);
	await browser.settled();
	await browser.until(`Array.from(document.querySelectorAll("#curves p")).some((line) => /_cpi, means of up to/.test(line.textContent))`);
	/* Any column that has a mean, and not a code. */
	for (const [name, legend] of [["cpu", /colours by a column: zoom in to about a million intervals/], ["elapsed_cycles", /elapsed_cycles up to .*neighbours in a lane: zoom in/]]) {
		await browser.evaluate(`page.colourBy(Array.from(document.getElementById("colour").options).find((option) => option.text === "${name}").value)`);
		await browser.until(`${legend}.test(document.getElementById("legend").textContent)`);
	}
	await browser.until(`/^elapsed_cycles, means of up to/.test(document.getElementById("curvetold").textContent)`);
	await browser.evaluate(`page.colourBy(Array.from(document.getElementById("colour").options).find((option) => option.text === "raw_cpi").value)`);
	await browser.settled();
	assert.match(await text("ratetold"), /^Starts per second: .* Approximate: from tiles\.$/);
	assert.equal(await browser.evaluate("getComputedStyle(document.getElementById('rate')).display"), "block");
	assert.equal(await browser.evaluate("getComputedStyle(document.getElementById('heat')).display"), "none");
	if (process.env.PICTURES)
		writeFileSync(resolve(process.env.PICTURES, "far.png"), await browser.picture());
	/* The flame graph's colours are those of the window, and of the next one. */
	await browser.evaluate(`document.getElementById("flame-colour").value = "cpi", document.getElementById("flame-colour").dispatchEvent(new Event("change"))`);
	for (const share of [0.4, 0.6]) {
		await browser.evaluate(`document.getElementById("flame-legend").replaceChildren(), page.show(page.until * ${share}, page.until * ${share + 0.02})`);
		await browser.until(`page.isNear() && page.flame.column?.values.length === page.store.count && /_cpi up to/.test(document.getElementById("flame-legend").textContent)`);
		assert.ok(await browser.evaluate("page.flame.frames.some((frame) => frame.value > 0)"));
	}
}

// Scripts of a folder are loaded unasked.
async function checkFolder() {
	readRows(folderCsv);
	browser.allowed = /-tiles\/\d{4}\.js$/;
	await browser.open("file://" + resolve(folderHtml));
	await browser.until("document.documentElement?.getAttribute('aria-busy') === 'false'");
	assert.equal(await browser.evaluate("document.getElementById('picker').hidden"), true);
	await browser.settled();
	await checkQueries(await browser.evaluate("trace.until"));
	/* Firefox does not report scripts from disk. */
	assert.ok(await browser.evaluate("page.tiles.source.kept.size") > 1, "several scripts");
	await checkFar();
	assert.deepEqual(browser.errors, []);
}

// Who ran is in the page itself: known also where the view is too large for a window.
async function checkRuns() {
	await browser.open("file://" + resolve(runsHtml));
	await browser.until("document.documentElement?.getAttribute('aria-busy') === 'false'");
	assert.deepEqual(await browser.evaluate("trace.processors.map((one) => one.lost)"), [0, 77, null]);
	await browser.until("page.isNear()");
	await browser.evaluate(`Tiles.most = 1, page.store = new WindowStore(page.meta, page.tiles.lanes, page.store.names, page.tiles.countOf, [], 0, 0), page.show(0, page.until)`);
	await browser.until(`document.getElementById("span").textContent.includes("Zoom in") && document.getElementById("ran").tBodies[0]?.rows.length === 3`);
	assert.deepEqual(await browser.evaluate(`[page.isNear(), page.lanesShown(), page.placed.filter((one) => one.runs).length, document.getElementById("ran").checkVisibility()]`),
		[false, "both", 3, true]);
	await browser.evaluate("page.runs.choose(page.runs.store.runOf({ machine: 0, pid: 2, tid: 3 }, 3000), false)");
	assert.match(await plain("interval"), /threadtid 3 of <b>other<\/b> \(pid 2\).*intervalnot read: zoom in/);
	await browser.evaluate(`document.getElementById("runs-colour").value = "interval", document.getElementById("runs-colour").dispatchEvent(new Event("change"))`);
	assert.match(await text("legend"), /ran: server \(tid 1\).*runs by the interval that ran: zoom in to about a million intervals; until then by thread/);
	/* Of thread 1, an interval and the runs after it. */
	await browser.evaluate(`page.runs.chosen = -1, page.sought = -1, document.getElementById("search").value = "/server|script/", document.getElementById("search").dispatchEvent(new Event("input"))`);
	assert.equal(await plain("found"), "1 interval of 1 label; 4 runs of 1 thread");
	await browser.evaluate(`document.getElementById("next").click()`);
	await browser.until("page.sought >= 0 || page.chosen >= 0");
	for (const [rank, start] of [[1, 0], [2, 4000], [3, 8000]]) {
		await browser.evaluate(`document.getElementById("next").click()`);
		await browser.until(`document.getElementById("found").textContent.replaceAll("\u202f", " ").startsWith("${rank} of 4 runs of 1 thread; 1 interval")`);
		assert.equal(await browser.evaluate("page.runs.store.start[page.runs.chosen]"), start);
	}
	assert.deepEqual(browser.errors, []);
}

// As does that of a server.
async function checkServed() {
	readRows(csv);
	browser.allowed = /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/(tiles|state|span\/\d+-\d+)$/;
	await browser.open(address);
	await browser.until("document.documentElement?.getAttribute('aria-busy') === 'false'");
	await checkQueries(await browser.evaluate("trace.until"));
	assert.ok(browser.loaded.has(address + "tiles"));
	assert.deepEqual(browser.errors, []);
}

/* While a page is replaced, there is none to ask. */
async function reloaded() {
	while (!await browser.evaluate("document.documentElement?.getAttribute('aria-busy') === 'false'").catch(() => false))
		await new Promise((done) => setTimeout(done, 50));
}

/* Of [from, to) since `base`: count and sum. */
function spanCount(base, from, to) {
	const since = Number(base - BigInt(rows[0].start_ns)), inside = spanOf(since + from, since + to);
	return [inside.length, String(inside.reduce((sum, one) => sum + BigInt(one.end - one.start), 0n))];
}

/* Whether the process is stopped; not if there is none. */
function isStopped(pid) {
	try {
		return /\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return false;
	}
}

// Until its tiles are made, a server shows an overview from the headers of sections; then the page comes by itself.
async function checkEarly() {
	if (!isStopped(maker)) {
		console.log("skipped: the early page: the tiles were made already");
		return;
	}
	readRows(folderCsv);
	await browser.open(early);
	/* The process may have been stopped after it had read the trace. */
	await browser.until("/^(Reading the trace|Sorting the intervals)/.test(document.getElementById('state')?.textContent)");
	assert.equal(await browser.evaluate("document.documentElement.getAttribute('aria-busy')"), "true");
	assert.equal(await browser.evaluate("document.querySelectorAll('#processors canvas').length"), 2);
	assert.match(await plain("about"), /Hooks: \d+/);
	await browser.evaluate("page.point(document.getElementById('overview'), 5)");
	assert.match(await plain("told"), /^\+0.* to \+0.*: \d+( to \d+)? hooks$/);
	assert.ok(await browser.evaluate(`Array.from(document.getElementById("overview").getContext("2d").getImageData(0, 0, 200, 90).data).some((value) => value)`));
	if (process.env.PICTURES)
		writeFileSync(resolve(process.env.PICTURES, "early.png"), await browser.picture());
	// A span is read at once: its page replaces the early one.
	const base = await browser.evaluate("page.data.base"), from = 5000000, to = 6000000;
	await browser.evaluate(`$("from").value = "0.005"; $("to").value = "0.006"; page.tellSpan()`);
	assert.match(await plain("spantold"), /^At most \d+ hooks$/);
	await browser.evaluate("$('show').click()");
	await reloaded();
	const since = Number(BigInt(base) - await browser.evaluate("String(page.base)").then(BigInt));
	assert.match(await text("about"), /Only the intervals that overlap /);
	assert.deepEqual(await browser.evaluate(`[trace.query(${since + from}, ${since + to}).count, trace.query(${since + from}, ${since + to}).sumText]`),
		spanCount(BigInt(base), from, to));
	assert.deepEqual(browser.errors, []);
	process.kill(Number(maker), "SIGCONT");
	await browser.open(early);
	await reloaded();
	await checkQueries(await browser.evaluate("trace.until"));
	assert.deepEqual(browser.errors, []);
}

try {
	readRows(csv);
	await browser.open("file://" + resolve(html));
	await browser.until("document.readyState === 'complete' && document.getElementById('picker')?.hidden === false");
	assert.equal(await browser.evaluate("document.documentElement.getAttribute('aria-busy')"), "true");
	assert.match(await text("told"), /^The intervals are in tall\.tiles: click here/);
	assert.ok(await browser.evaluate(`Array.from(document.getElementById("timeline").getContext("2d").getImageData(0, 0, 200, 60).data).some((value) => value)`));
	if (process.env.PICTURES)
		writeFileSync(resolve(process.env.PICTURES, "unopened.png"), await browser.picture());
	await pick(wrong);
	await browser.until("document.getElementById('picked').textContent !== ''");
	assert.match(await text("picked"), /cannot be shown: /);
	await browser.evaluate("Tiles.most = 5000");
	await pick(tiles);
	await browser.until("document.documentElement.getAttribute('aria-busy') === 'false'");
	const until = await browser.evaluate("trace.until");
	await checkQueries(until);
	await checkSpans(until);
	await checkColumns(until);
	await checkSearch();
	assert.equal(await browser.evaluate("document.querySelectorAll('script[src], img, iframe').length"), 0);
	if (process.env.PICTURES)
		writeFileSync(resolve(process.env.PICTURES, "tiles.png"), await browser.picture());
	assert.deepEqual(browser.errors, []);
	await checkFolder();
	await checkRuns();
	await checkServed();
	await checkEarly();
	console.log("ok: pages with tiles in a file, in a folder and at a server");
} catch (error) {
	console.log(`FAILED: ${error.stack}\n${browser.errors?.join("\n") ?? ""}`);
	process.exitCode = 1;
}
await browser.close();
