// node page.mjs BROWSER PROFILE TRACE.html TRACE.csv ...: the page, of a file or an address, of --format html in a browser
// answers what intervals.csv says, and does what it is for.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import assert from "node:assert/strict";
import { browserOf } from "./browsers.mjs";
import { readCsv } from "../exports/csv.mjs";

const [program, profile, ...files] = process.argv.slice(2);
let checks = 0;

function equal(got, wanted, what) {
	checks++;
	assert.deepEqual(got, wanted, what);
}

function random(seed) {
	return () => {
		seed = seed * 1664525 + 1013904223 >>> 0;
		return seed / 2 ** 32;
	};
}

// The rows of intervals.csv with times since the first start.
function intervalsOf(csv) {
	const rows = readCsv(csv);
	const base = rows.length ? rows.reduce((least, row) => BigInt(row.start_ns) < least ? BigInt(row.start_ns) : least, BigInt(rows[0].start_ns)) : 0n;
	return rows.map((row) => {
		const start = Number(BigInt(row.start_ns) - base), end = Number(BigInt(row.end_ns) - base);
		return { ...row, start, end };
	});
}

function spanOf(rows, from, to, tid) {
	const found = rows.filter((row) => row.start < to && (row.end > from || row.start >= from) && (tid === undefined || row.tid === String(tid)));
	return { count: found.length, longest: found.reduce((most, row) => Math.max(most, row.end - row.start), 0),
		sum: String(found.reduce((sum, row) => sum + BigInt(row.end - row.start), 0n)) };
}

const query = (browser, from, to, lane) => browser.evaluate(`(() => {
	const { count, longest, sumText } = trace.query(${from}, ${to}, ${JSON.stringify(lane)});
	return { count, longest, sum: sumText };
})()`);

async function checkQueries(browser, rows) {
	const until = rows.reduce((most, row) => Math.max(most, row.end), 0), next = random(rows.length);
	const lanes = await browser.evaluate("trace.lanes");
	if (rows.length)
		equal(await browser.evaluate("trace.until"), until);
	equal(await query(browser, 0, until + 1), spanOf(rows, 0, until + 1), "the whole");
	for (let i = 0; i < 40 && rows.length; i++) {
		const from = Math.floor(next() * until), to = from + 1 + Math.floor(next() ** 4 * until);
		equal(await query(browser, from, to), spanOf(rows, from, to), `${from} to ${to}`);
		const lane = Math.floor(next() * lanes.length), tid = lanes[lane].tid;
		if (lanes.filter((one) => one.tid === tid).length === 1)
			equal(await query(browser, from, to, lane), spanOf(rows, from, to, tid), `${from} to ${to} of ${tid}`);
	}
}

// Each column as CSV has it. CSV writes control characters otherwise, and reals of arguments likewise.
async function checkIntervals(browser, rows) {
	for (let number = 0; number < rows.length; number += Math.ceil(rows.length / 50)) {
		const got = await browser.evaluate(`trace.interval(${number})`), row = rows[number];
		equal([got.start, got.duration], [row.start, row.end - row.start], `times of ${number}`);
		for (const [name, value] of Object.entries(got))
			if (name in row && !name.startsWith("arg.") && !/[\ufffd\u0000-\u001f]/.test(value))
				equal(value ?? "", name === "label" && row.label === "" ? value : row[name], `${name} of ${number}`);
	}
}

// The details after a click have each column of the interval's row in intervals.csv.
async function checkDetails(browser, rows) {
	for (const number of new Set([0, 1, rows.length >> 1, rows.length - 1].filter((one) => rows[one]))) {
		const row = rows[number], isPlain = ([name, value]) => typeof value === "string" && name && !name.startsWith("arg.") && !/[^ -~]/.test(value) && !(name === "label" && value === "");
		await browser.evaluate(`page.choose(page.store.find(${number}), false)`);
		await browser.until(`Array.from(document.querySelectorAll("#interval dt")).some((one) => one.textContent === "id" && one.nextSibling.textContent === "${row.id}")`);
		const shown = await browser.evaluate(`Object.fromEntries(Array.from(document.querySelectorAll("#interval dt"), (one) => [one.textContent, one.nextSibling.textContent]))`);
		const wanted = Object.entries(row).filter(isPlain), absent = new Set((shown["n/a"] ?? "").split(", "));
		for (const [name, value] of wanted)
			if (value !== "" && name !== "label")
				equal(shown[name], value, `${name} of ${number}`);
			else if (value === "" && name in shown)
				equal(shown[name], "", `${name} of ${number}`);
		equal(wanted.filter(([name, value]) => value !== "" && absent.has(name)), [], "n/a");
	}
	await browser.evaluate("page.chosen = -1, page.changed()");
}

// Both tables have the rows of --report summary: of the whole trace with its numbers, of the span with its CPIs and busy.
async function checkSummary(browser, rows, summary) {
	const columns = { count: "count", total: "total_ns", mean: "mean_ns", min: "min_ns", p50: "p50_ns", p90: "p90_ns", p99: "p99_ns", max: "max_ns" };
	const ratios = { "raw CPI": "raw_cpi", "scaled CPI": "scaled_cpi", "thread CPI": "thread_cpi", "busy %": "busy_pct" };
	const sums = { "on CPU": "on_cpu_ns", "off CPU": "off_cpu_ns", switches: "ctx_switches" }, measured = ([, name]) => rows.some((row) => row[name] !== "");
	const hex = (code) => Number(code).toString(16).toUpperCase().padStart(2, "0"), codeOf = ({ minor, major }) => (Number(major || 0xc0) === 0xc0 ? "" : hex(major) + ":") + hex(minor);
	const shownOf = async (id) => {
		await browser.until(`document.getElementById("${id}").tBodies[0] && !document.getElementById("${id}").textContent.includes("\u2026")`);
		await browser.evaluate(`Array.from(document.querySelectorAll("#${id} td[colspan] button"), (button) => button.click())`);
		return browser.evaluate(`(() => { const table = document.getElementById("${id}"), heads = Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent.replace(/ [\u25be\u25b4]$/, ""));
			return Array.from(table.tBodies[0].rows, (row) => Object.fromEntries(Array.from(row.cells, (cell, i) => [heads[i], cell.textContent.replaceAll("\u202f", "").replace(/^n.a$/, "")]))); })()`);
	};
	const known = Object.entries(ratios).filter(measured);
	for (const [id, numbers] of [["all", [...Object.entries(columns), ...known]], ["summary", [["count", "count"], ...known]]]) {
		const shown = await shownOf(id), line = (code, values) => [code, ...values].join(" ");
		equal(shown.map((row) => line(row.minor, numbers.map(([heading]) => row[heading]))).sort(),
			summary.map((row) => line(codeOf(row), numbers.map(([, name]) => name === "mean_ns" ? Number(row[name]).toFixed(1) : row[name]))).sort(), id + " of --report summary");
		for (const row of shown.slice(0, 20)) {
			const own = rows.filter((one) => (one.label || "minor 0x" + hex(one.minor)) === row.label && codeOf(one) === row.minor);
			for (const [heading, name] of own.length ? Object.entries(sums).filter(measured) : []) {
				const values = own.map((one) => one[name]).filter((value) => value !== "");
				equal(row[heading], values.length ? String(values.reduce((sum, value) => sum + Number(value), 0)) : "", heading);
			}
		}
		const absent = [...Object.entries(ratios), ...Object.entries(sums)].filter((pair) => !measured(pair)).map(([heading]) => heading);
		equal(await text(browser, id + "-note"), absent.length ? "Measured in no interval: " + absent.join(", ") + "." : "");
	}
	/* A click on the longest of a row goes to it; the report rounds otherwise. */
	for (const id of rows.length ? ["all", "summary"] : []) {
		const [shown, chosen] = await browser.evaluate(`(() => { const button = document.querySelector("#${id} td:not([colspan]) button");
			button.click();
			return [button.textContent.replaceAll("\\u202f", ""), page.store.duration[page.chosen]]; })()`);
		assert.ok(Math.abs(Number(shown) - chosen) <= (id === "all" ? 1 : 0), "a click on the longest");
	}
	await browser.evaluate("page.chosen = -1, page.show(0, page.until)");
	await browser.settled();
}

// Hooks of other majors than those of intervals and counters.
async function checkMarks(browser, hooks) {
	const counts = {};
	for (const hook of hooks.filter((one) => ![0xc0, 0xc1, 0xc2, 0xc3, 0xc8, 0xc9].includes(Number(one.major)))) {
		const name = hook.name || "hook 0x" + Number(hook.major).toString(16).toUpperCase().padStart(2, "0") + " 0x" + Number(hook.minor).toString(16).toUpperCase();
		counts[name] = (counts[name] ?? 0) + 1;
	}
	equal(Object.fromEntries(await browser.evaluate("page.store.countMarks(0, trace.until + 1).map(([name, count]) => [page.names[name], count])")), counts, "hooks");
	equal(await browser.evaluate("document.getElementById('marked').hidden"), !Object.keys(counts).length);
	return Object.values(counts).reduce((a, b) => a + b, 0);
}

// Its blocks are not complete.
async function checkCut(browser) {
	await browser.until("document.getElementById('about')?.textContent.includes('cannot be shown')");
	assert.match(await text(browser, "about"), /the page holds \d+ of \d+ intervals/);
	equal(await browser.evaluate("document.documentElement.getAttribute('aria-busy')"), "true");
}

// Each control and region has a name, and what scrolls is reached by the keyboard. At 400 % zoom of 1280 pixels the page
// itself does not scroll sideways; printed, no region is cut off.
async function checkAccess(browser) {
	equal(await browser.evaluate(`Array.from(document.querySelectorAll("input, select, button, canvas, .scroll, [role=group]"), (one) => {
		const isNamed = one.labels?.length || one.ariaLabel || one.ariaHidden === "true" || one.textContent.trim();
		const isReached = !one.matches(".scroll") || one.tabIndex === 0;
		return isNamed && isReached ? "" : one.outerHTML.slice(0, 80);
	}).filter((text) => text)`), []);
	await browser.resize(320, 256, 4);
	equal(await browser.evaluate(`document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
		Array.from(document.querySelectorAll("body *")).filter((one) => one.getBoundingClientRect().right > innerWidth && !one.closest(".scroll")).map((one) => one.outerHTML.slice(0, 80))`), [], "400 %");
	/* WebDriver BiDi does not show a page as it is printed. */
	if (browser.medium) {
		await browser.medium("print");
		equal(await browser.evaluate(`Array.from(document.querySelectorAll(".scroll"), (one) => getComputedStyle(one)).every(({ maxHeight, overflowY }) =>
			maxHeight === "none" && overflowY === "visible") && getComputedStyle(document.querySelector(".tools")).display`), "none", "printed");
		await browser.medium("");
	}
	await browser.resize(1280, 720);
}

// The keyboard's focus stays where it is while a frame zooms or a link shows another interval, and so do frames that a search dimmed.
async function checkFocus(browser, rows) {
	const pressed = (text) => `Array.from(document.querySelectorAll("#interval button")).find((one) => one.textContent === "${text}")`;
	await browser.evaluate(`page.choose(page.store.find(0), false)`);
	await browser.until(pressed("next one"));
	await browser.evaluate(`(() => { window.pressed = ${pressed("next one")}; pressed.focus(); pressed.click(); })()`);
	await browser.until("!pressed.isConnected");
	equal(await browser.evaluate("document.activeElement.textContent"), "next one");
	await browser.settled();
	equal(await browser.evaluate(`(() => { const box = document.getElementById("search"), dims = () => document.querySelectorAll("#flame .dim").length;
		const isDim = () => Array.from(document.querySelectorAll("#flame button")).every((one) => one.matches(".dim") === !page.matches[one.dataset.name]);
		box.value = ${JSON.stringify(rows[7].label)}; page.search();
		const frame = document.querySelectorAll("#flame button")[1], name = frame.textContent;
		frame.focus(); frame.click();
		const zoomed = [document.activeElement.textContent === name, isDim()];
		document.activeElement.click();
		const all = [document.activeElement.textContent === name, isDim() && dims() > 0];
		box.value = ""; page.search();
		return [...zoomed, ...all, dims()]; })()`), [true, true, true, true, 0], "focus and dimmed frames");
	await browser.evaluate("page.chosen = -1, page.show(0, page.until)");
	await browser.settled();
}

// Paper is light, also where the screen is dark. Not in Firefox, as above.
async function checkPaper(browser) {
	if (!browser.medium)
		return;
	/* All lanes are on paper, and no table is cut off at its side: A4, landscape. */
	await browser.medium("print");
	await browser.resize(1031, 703);
	equal(await browser.evaluate(`(() => { page.print(true);
		const canvas = document.getElementById("timeline"), shown = [canvas.clientHeight === Math.min(page.height, PRINTED), canvas.height >= canvas.clientHeight - 1,
			Array.from(document.querySelectorAll("table, pre, ul")).filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.id)];
		page.print(false);
		return shown; })()`), [true, true, []], "cut off on paper");
	await browser.resize(1280, 720);
	await browser.medium("print", "dark");
	equal(await browser.evaluate(`(() => { const seen = [getComputedStyle(document.body).backgroundColor];
		for (const name of ["beforeprint", "afterprint"]) {
			dispatchEvent(new Event(name));
			seen.push(page.isDark());
		}
		return seen; })()`), ["rgb(255, 255, 255)", false, true], "paper");
	await browser.medium("");
}

// The page of a differential flame graph.
async function checkChange(browser) {
	await browser.until("document.documentElement?.getAttribute('aria-busy') === 'false'");
	equal(await browser.evaluate(`document.querySelectorAll("#flame button").length > 5`), true);
	equal(await browser.evaluate(`document.getElementById("changes").tBodies[0].rows.length > 5`), true);
	equal(await browser.evaluate(`document.getElementById("search").type`), "search");
	assert.match(await text(browser, "about"), /^((?!\d,\d)[^])*\d\u202f\d{3}((?!\d,\d)[^])*$/, "digits are grouped in one way");
	const name = await browser.evaluate("page.frames.at(-1).text"), find = (key) => `(() => { const box = document.getElementById("search");
		box.focus(); box.value = ${JSON.stringify(name)}; box.dispatchEvent(new Event("input")); return ${key}; })()`;
	const found = await browser.evaluate(find("page.matches.length"));
	equal(await browser.evaluate("page.frames.slice(1).filter((frame) => frame.text.toLowerCase().includes(" + JSON.stringify(name.toLowerCase()) + ")).length"), found);
	await browser.key("Enter", "Enter");
	assert.match(await text(browser, "found"), new RegExp("^1 of "));
	await browser.evaluate(`document.getElementById("previous").click()`);
	assert.ok((await text(browser, "found")).startsWith(`${found} of ${found}: `), await text(browser, "found"));
	const roots = await browser.evaluate(`(() => { const buttons = document.querySelectorAll("#flame button"), before = buttons[0].textContent;
		buttons[1].click(); const zoomed = document.querySelector("#flame button").textContent; document.querySelector("#flame button").click();
		return [before, zoomed === buttons[1].textContent, document.querySelector("#flame button").textContent]; })()`);
	equal(roots, ["all", true, "all"]);
	equal(await browser.evaluate("window.pwned === undefined && document.querySelectorAll('script').length === 1 && !document.querySelector('img')"), true, "a name ran");
	await checkAccess(browser);
	equal(browser.errors, []);
}

const state = (browser) => browser.evaluate("location.hash");
const viewOf = async (browser) => {
	const parts = new URLSearchParams((await state(browser)).slice(1));
	return { from: Number(parts.get("from")), to: Number(parts.get("to")), parts };
};
const text = (browser, id) => browser.evaluate(`document.getElementById(${JSON.stringify(id)}).textContent`);

async function checkUse(browser, rows) {
	const until = rows.reduce((most, row) => Math.max(most, row.end), 0);
	const box = await browser.evaluate(`(() => { const box = document.getElementById("timeline").getBoundingClientRect();
		return { x: box.x, y: box.y, width: box.width, height: box.height }; })()`);
	const middle = [box.x + box.width / 2, box.y + 60];
	for (const modifiers of [0, 2]) { /* without and with Ctrl */
		const before = await viewOf(browser);
		await browser.mouse("mouseWheel", ...middle, { deltaX: 0, deltaY: -300, modifiers });
		await browser.settled();
		const after = await viewOf(browser);
		assert.ok(after.to - after.from < (before.to - before.from) * 0.6, "the wheel zooms");
		equal(await browser.evaluate("visualViewport.scale"), 1);
	}
	for (const [key, code, test] of [["s", "KeyS", (a, b) => b.to - b.from > a.to - a.from],
		["w", "KeyW", (a, b) => b.to - b.from < a.to - a.from], ["d", "KeyD", (a, b) => b.from > a.from],
		["a", "KeyA", (a, b) => b.from < a.from]]) {
		const before = await viewOf(browser);
		await browser.key(key, code);
		await browser.settled();
		assert.ok(test(before, await viewOf(browser)), key);
		checks++;
	}
	let before = await viewOf(browser);
	await browser.mouse("mousePressed", ...middle);
	await browser.mouse("mouseMoved", middle[0] - 100, middle[1], { buttons: 1 });
	await browser.mouse("mouseReleased", middle[0] - 100, middle[1]);
	await browser.settled();
	assert.ok((await viewOf(browser)).from > before.from, "drag moves");
	await browser.mouse("mousePressed", middle[0] - 200, middle[1], { modifiers: 8 });
	await browser.mouse("mouseMoved", middle[0] + 200, middle[1], { buttons: 1, modifiers: 8 });
	await browser.mouse("mouseReleased", middle[0] + 200, middle[1], { modifiers: 8 });
	await browser.settled();
	const [from, to] = (await viewOf(browser)).parts.get("select").split("-").map(Number);
	const { count } = spanOf(rows, from, to);
	equal((await text(browser, "span")).replaceAll("\u202f", "").match(/: (\d+) interval/)[1], String(count), "the selection");
	/* F and its button: the span with a margin, then the chosen interval. */
	const wide = rows.reduce((best, row, i) => row.end - row.start > rows[best].end - rows[best].start && row.end - row.start < until / 2 ? i : best, 0);
	const isAround = async (start, end) => {
		await browser.settled();
		const shown = await viewOf(browser), wanted = await browser.evaluate(`viewWithin(${start} - (${end} - ${start}) / 20, ${end} + (${end} - ${start}) / 20, page.until)`);
		return Math.abs(shown.from - wanted.from) < 2 && Math.abs(shown.to - wanted.to) < 2;
	};
	await browser.evaluate(`page.choose(page.store.find(${wide}), false)`);
	await browser.key("Home", "Home");
	await browser.key("f", "KeyF");
	assert.ok(await isAround(from, to), "F zooms to the span");
	for (const press of [() => browser.key("f", "KeyF"), () => browser.evaluate("document.getElementById('fit').click()")]) {
		await press();
		assert.ok(await isAround(rows[wide].start, rows[wide].end), "F zooms to the interval");
		await browser.key("Escape", "Escape");
		await browser.key("Home", "Home");
		await browser.settled();
	}
	await browser.evaluate("page.chosen = -1, document.getElementById('fit').click()");
	assert.match(await text(browser, "told"), /^Nothing is selected/);
	before = await viewOf(browser);
	equal([before.from, before.to, before.parts.get("select")], [0, until, null]);
	await checkColour(browser, rows);
	await checkAddress(browser, rows);
}

// Each choice of the flame graph's colours has a legend; that of threads names them.
async function checkFlame(browser) {
	const choices = await browser.evaluate(`Array.from(document.getElementById("flame-colour").options, (option) => option.value)`);
	const named = /^(?!.*(up to|most of its time))./, patterns = { timeline: named, name: named, cpi: /(thread|scaled|raw)_cpi up to/, off: /off-CPU share up to/,
		thread: /tid [0-9]+.*most of its time/, module: /pid [0-9]+.*most of its time/ };
	equal(choices.filter((choice) => !(choice in patterns)), []);
	assert.ok(["timeline", "name", "thread"].every((choice) => choices.includes(choice)));
	for (const choice of choices.reverse()) {
		await browser.evaluate(`document.getElementById("flame-colour").value = "${choice}", document.getElementById("flame-colour").dispatchEvent(new Event("change"))`);
		await browser.until(`${patterns[choice]}.test(document.getElementById("flame-legend").textContent)`);
		equal(await browser.evaluate(`document.querySelectorAll("#flame button").length > 1`), true, choice);
	}
	/* Frames that are not drawn are counted, also of a part of the graph. */
	for (const root of [0, 1]) {
		/* At once: the graph may be drawn again. */
		const [drawn, all, told] = await browser.evaluate(`(() => { const { frames } = page.flame, box = document.getElementById("flame");
			page.flame.graph.fill(frames);
			box.children[${root}].click();
			const isWithin = (i) => i === top || (i > 0 && isWithin(frames[i].parent)), top = ${root} ? frames.findIndex((one) => one.parent === 0 && page.names[one.name] === box.firstChild.textContent) : 0;
			return [box.children.length, frames.filter((_, i) => isWithin(i)).length, document.getElementById("undrawn").textContent.replaceAll("\u202f", "")]; })()`);
		assert.equal(Number(told.match(/^(\d+) frames? (?:is|are) not drawn: narrower than 0.1 % of the graph/)?.[1] ?? 0), all - drawn, told);
		assert.ok(all === drawn || /\d+\.\d\d % of its time is theirs/.test(told));
		undrawn += all - drawn;
	}
	await browser.evaluate(`document.querySelector("#flame button").click()`);
}

// CPI and busy, where they were measured, are curves with their least and greatest as text.
async function checkCurves(browser, rows) {
	const measured = (name) => rows.some((row) => row[name] !== ""), cpi = ["thread_cpi", "scaled_cpi", "raw_cpi"].find(measured);
	await browser.evaluate("page.show(0, page.until)");
	for (const name of [cpi, "busy_pct"].filter((one) => one && measured(one))) {
		const values = rows.filter((row) => row[name] !== "").map((row) => Number(row[name])), number = (value) => String(Number(value.toPrecision(4)));
		await browser.until(`Array.from(document.querySelectorAll("#curves p"), (line) => line.textContent.replaceAll("\u202f", ""))
			.some((line) => line.startsWith("${name}, ") && line.endsWith("; ${number(Math.min(...values))} to ${number(Math.max(...values))}."))`);
		checks++;
	}
}

// Derived metrics: colours, the summary's columns, and details.
async function checkMetrics(browser, rows, summary) {
	const metrics = await browser.evaluate(`(async () => { const box = document.getElementById("colour"), all = [];
		for (const { value, text } of Array.from(box.options).filter((option) => option.value.startsWith("metric "))) {
			await page.colourBy(value);
			all.push([text, Array.from(page.column.values, (value) => isNaN(value) ? "" : value.toFixed(4))]);
		}
		return all; })()`);
	for (const [name, values] of metrics) {
		equal(values, rows.map((row) => row[name]), `${name} of all`);
		equal((await browser.evaluate("trace.interval(0)"))[name] ?? "", rows[0][name], name);
	}
	const shown = await browser.evaluate(`page.groupMetrics().map(({ name }) => name)`);
	const columns = await browser.evaluate(`Array.from(document.querySelectorAll("#all thead th"), (cell) => cell.textContent)`);
	for (const name of shown) {
		const cells = await browser.evaluate(`Array.from(document.querySelectorAll("#all tbody tr"), (row) => row.cells[${columns.indexOf(name)}].textContent)`);
		equal(cells.map((cell) => cell === "n/a" ? "" : cell).sort(), summary.map((row) => row[name]).sort(), `${name} in the summary`);
	}
	await browser.evaluate(`page.colourBy("label")`);
	return shown.length;
}

async function checkColour(browser, rows) {
	const values = await browser.evaluate(`(async () => { const box = document.getElementById("colour");
		box.value = Array.from(box.options).find((option) => option.text === "elapsed_cycles").value;
		await page.colourBy(box.value); return Array.from(page.column.values); })()`);
	equal(values.map(String), rows.map((row) => row.elapsed_cycles), "elapsed_cycles of all");
	assert.match(await text(browser, "legend"), /elapsed_cycles up to [0-9]+/);
	await browser.evaluate(`page.colourBy("label")`);
	await checkFlame(browser);
	await checkCurves(browser, rows);
	assert.doesNotMatch(await text(browser, "legend"), /elapsed_cycles/);
}

async function checkAddress(browser, rows) {
	const number = rows.length >> 1, label = rows[number].label;
	/* The page may still write the address of its last view. */
	await browser.settled();
	await browser.evaluate(`location.hash = "#from=10&to=1010&select=20-500&interval=${number}&search=" + encodeURIComponent(${JSON.stringify(label)})`);
	await browser.settled();
	const view = await viewOf(browser);
	equal([view.from, view.to, view.parts.get("select"), view.parts.get("interval"), view.parts.get("search")], [10, 1010, "20-500", String(number), label]);
	await browser.until(`document.getElementById("interval").textContent.includes("start_ns${rows[number].start_ns}")`);
	const details = await text(browser, "interval");
	const alike = rows.filter((row) => row.label === label), shorter = alike.filter((row) => row.end - row.start < rows[number].end - rows[number].start);
	assert.ok(alike.length < 2 || details.replaceAll("\u202f", "").includes(`; longer than ${shorter.length} of `), details);
	assert.ok(details.includes("start_ns" + rows[number].start_ns) && details.includes("end_ns" + rows[number].end_ns), "the interval's columns are text");
}

async function checkSearch(browser, rows, label) {
	const found = rows.filter((row) => row.label.toLowerCase().includes(label.toLowerCase())).length;
	await browser.evaluate(`(() => { document.getElementById("unselect").click(); const box = document.getElementById("search");
		box.focus(); box.value = ${JSON.stringify(label)}; box.dispatchEvent(new Event("input")); })()`);
	equal(Number((await text(browser, "found")).replaceAll("\u202f", "").match(/^(\d+) interval/)[1]), found, "found");
	equal(await browser.evaluate(`getComputedStyle(document.body) && document.getElementById("search").type`), "search");
	const steps = [];
	for (let i = 0; i < 3; i++) {
		await browser.evaluate(`document.getElementById("next").click()`);
		await browser.settled();
		steps.push(Number((await viewOf(browser)).parts.get("interval")));
		const rank = rows.slice(0, steps[i] + 1).filter((row) => row.label.toLowerCase().includes(label.toLowerCase())).length;
		assert.ok((await text(browser, "found")).replaceAll("\u202f", "").startsWith(`${rank} of ${found} interval`), "its place among those found");
	}
	assert.ok(steps.every((step) => rows[step].label.toLowerCase().includes(label.toLowerCase())), "next");
	await browser.evaluate(`document.getElementById("previous").click()`);
	await browser.settled();
	equal(Number((await viewOf(browser)).parts.get("interval")), steps[1], "previous");
}

// Elements that do not depend on names; hostile ones add none, and no name runs.
async function checkSafety(browser) {
	equal(await browser.evaluate("window.pwned === undefined && top.pwned === undefined"), true, "a name ran");
	await browser.until("document.querySelectorAll('script.more').length === 0");
	equal(await browser.evaluate("document.querySelectorAll('script').length"), 2, "scripts");
	equal(await browser.evaluate("document.querySelectorAll('img, image, iframe, object, embed, svg, a, base, form').length"), 0, "elements of names");
	equal(await browser.evaluate("document.documentElement.getAttribute('aria-busy')"), "false");
}

// The reports are text, in regions that the keyboard reaches.
async function checkReports(browser, csv) {
	const answers = readFileSync(csv + ".why.json", "utf8").split("\n").length - 1;
	equal(await browser.evaluate(`document.querySelectorAll("#why li").length`), Math.min(answers, 21), "why in words");
	for (const name of ["why", "info"]) {
		const wanted = readFileSync(csv + "." + name, "utf8");
		equal(await browser.evaluate(`document.getElementById("report-${name}")?.textContent ?? ""`), wanted, name);
		if (wanted)
			equal(await browser.evaluate(`(() => { const region = document.getElementById("report-${name}").parentElement;
				return region.tabIndex === 0 && region.getAttribute("role") === "region" && region.ariaLabel !== ""; })()`), true, name);
	}
}

// Doctor's verdict is at the top, and leads to its findings, the worst first.
async function checkDoctor(browser, file) {
	const told = await text(browser, "doctor"), isShown = file.includes("hostile");
	equal(await browser.evaluate(`document.getElementById("verdict").hidden`), !isShown, "verdict");
	if (!isShown) {
		assert.match(told, /^Not in this trace/);
		return;
	}
	assert.match(told, /^no <b>PMU<\/b>\.bad pmu\.hardware: <img src=x onerror=pwned=1>\. It means: n\/a\. To do: get <i>one<\/i>\.note clock\.kernel: hpet\.$/);
	assert.match(await text(browser, "verdict"), /no <b>PMU<\/b>\. Its findings: 1 bad, 1 note$/);
	equal(await browser.evaluate(`document.querySelector("#verdict button").click(), document.activeElement.id`), "h-doctor");
}

// Outermost intervals by the processor where they ended, as a table and as lanes.
async function checkProcessors(browser, rows, isRecorded) {
	const counts = {};
	for (const row of rows.filter((one) => one.depth === "0" && /^\d+$/.test(one.cpu)))
		counts["Processor " + row.cpu] = (counts["Processor " + row.cpu] ?? 0) + 1;
	await browser.evaluate("page.show(0, page.until), page.showLanes('both')");
	await browser.settled();
	equal(await browser.evaluate("page.placed.filter((one) => one.processor && one.ran === undefined).length"), isRecorded ? 3 : Object.keys(counts).length, "lanes");
	/* Without threads' lanes an interval is chosen and drawn in its processor's. */
	if (Object.keys(counts).length) {
		await browser.evaluate("page.showLanes('processors').then(() => page.choose(page.processors.store.origin[0], true)).then(() => page.draw())");
		equal(await browser.evaluate("page.placesOf(page.chosen).length"), 1, "chosen");
		await browser.evaluate("page.chosen = -1, page.show(0, page.until), page.showLanes('both')");
		await browser.settled();
	}
	await browser.until(`(document.getElementById("uses").tBodies[0]?.rows.length ?? 0) === ${Object.keys(counts).length}`);
	equal(Object.fromEntries(await browser.evaluate(`Array.from(document.getElementById("uses").tBodies[0]?.rows ?? [], (row) =>
		[row.cells[0].textContent, Number(row.cells[1].textContent.replaceAll("\\u202f", ""))])`)), counts, "processors");
}

// Runs of threads by the kernel's switches (switches.bin of page.sh): tables, a click, and links between an interval and what ran.
async function checkRuns(browser, isRecorded) {
	equal(await browser.evaluate("trace.processors.length"), isRecorded ? 3 : 0);
	if (!isRecorded) {
		equal(await browser.evaluate("document.getElementById('runs').hidden"), true, "runs of threads");
		return;
	}
	const wanted = { ran: ["Processor 0 6 24000 6000 1000 77.42 0", "Processor 1 2 13000 2000 16000 41.94 77", "Processor 2 0 0 0 31000 0.00 n/a"],
		runners: ["server (tid 1) 4 21000 67.74", "<b>other</b> (tid 2) 2 11000 35.48", "tid 3 of <b>other</b> (pid 2) 2 5000 16.13"] };
	for (const [id, rows] of Object.entries(wanted))
		await browser.until(`Array.from(document.getElementById("${id}").tBodies[0]?.rows ?? [], (row) =>
			Array.from(row.cells, (cell) => cell.textContent.replaceAll("\u202f", "")).join(" ")).join("; ") === ${JSON.stringify(rows.join("; "))}`);
	equal(await query(browser, 0, 9000, { processor: 0 }), { count: 5, longest: 4000, sum: "10000" });
	equal(await browser.evaluate("trace.run(trace.query(0, 30000, { processor: 0 }).longestInterval)"), { name: "server", tid: 1, pid: 1, start: 16000, duration: 14000, processor: 0, waker: null });
	const [x, y, width] = await browser.evaluate(`(() => { const scroller = document.getElementById("scroller"), place = page.placed.find((one) => one.runs);
		scroller.scrollTop = place.y - 60;
		const box = document.getElementById("timeline").getBoundingClientRect();
		return [box.left, box.top + place.y - scroller.scrollTop + 9, box.width]; })()`);
	const at = (time) => [x + width * time / 31000, y];
	for (const [time, told] of [[3000, /^Processor 0: <b>other<\/b> \(tid 2\), 2 \u00b5s from/], [14000, /^Processor 0: idle/], [30500, /^Processor 0: not recorded, 1 \u00b5s/]]) {
		await browser.mouse("mouseMoved", ...at(time));
		await browser.until(`${told}.test(document.getElementById("told").textContent)`);
	}
	const colours = {};
	for (const [choice, legend, told] of [["process", /ran: server \(pid 1\)ran: <b>other<\/b> \(pid 2\)empty/, /^Processor 0: server \(tid 1\), 14 \u00b5s from \+0\.000006 s$/],
		["name", /ran: serverran: <b>other<\/b>ran: tid 3empty/, /^Processor 0: server/],
		["interval", /in the colour of the outermost interval.*a run without an interval/, /, 14 \u00b5s from \+0\.000006 s; mostly in (request|script)$/], ["thread", /ran: server \(tid 1\)/, /\+0\.000006 s$/]]) {
		await browser.evaluate(`document.getElementById("runs-colour").value = "${choice}", document.getElementById("runs-colour").dispatchEvent(new Event("change"))`);
		assert.match(await text(browser, "legend"), legend);
		await browser.settled();
		await browser.mouse("mouseMoved", ...at(14000));
		await browser.mouse("mouseMoved", ...at(20000));
		await browser.until(`${told}.test(document.getElementById("told").textContent.replaceAll("\u202f", " "))`);
		/* The run's middle, and that of the interval which ran. */
		colours[choice] = await browser.evaluate(`(() => { const { painter, runs } = page, ratio = devicePixelRatio || 1, scroll = document.getElementById("scroller").scrollTop;
			page.draw();
			const pixel = (place, time) => painter.pixels[Math.round((place.y - scroll + 9) * ratio) * painter.width + Math.floor(time / 31000 * painter.width)];
			const within = runs.intervalOf(runs.store.runOf({ machine: 0, pid: 1, tid: 1 }, 17000));
			return [pixel(page.placed.find((one) => one.runs), 17000), within < 0 ? 0 : pixelOf(page.colourAt(within)), pixelOf(PALETTE[0])]; })()`);
	}
	equal(colours.interval[0], colours.interval[1], "in the colour of the interval that ran");
	assert.ok(colours.interval[1] > 0 && colours.process[0] === colours.process[2] && colours.thread[0] === colours.thread[2], "in that of the first group");
	await browser.mouse("mousePressed", ...at(20000));
	await browser.mouse("mouseReleased", ...at(20000));
	await browser.until(`document.getElementById("h-interval").textContent === "Run of a thread"`);
	const follow = (term) => browser.evaluate(`Array.from(document.querySelectorAll("#interval dt")).find((one) => one.textContent === ${JSON.stringify(term)}).nextSibling.firstChild.click()`);
	assert.match(await text(browser, "interval"), /threadserver \(tid 1\).*processorProcessor 0duration14 \u00b5s/);
	await follow("interval");
	await browser.until(`document.getElementById("interval").textContent.includes("labelscript")`);
	await follow("ran, by the kernel's switches");
	await browser.until(`document.getElementById("interval").textContent.includes("duration14 ")`);
	await follow("before it on this processor");
	await browser.until(`document.getElementById("interval").textContent.includes("duration4 ")`);
	await browser.until("/&run=\\d+/.test(location.hash)");
	await browser.evaluate("page.choose(0, false)");
	await browser.until(`document.getElementById("interval").textContent.includes("labelrequest")`);
	await browser.evaluate("location.hash = '#from=0&to=31000&run=' + trace.query(20000, 30000, { processor: 1 }).longestInterval");
	await browser.until(`/thread<b>other<\\/b> \\(tid 2\\)/.test(document.getElementById("interval").textContent)`);
	await browser.evaluate("page.show(0, page.until)");
	await browser.settled();
	await checkSearchOfRuns(browser);
}

// A search finds the runs of threads too, after the intervals.
async function checkSearchOfRuns(browser) {
	const search = (words) => browser.evaluate(`(() => { const box = document.getElementById("search"); box.value = ${JSON.stringify(words)}; box.dispatchEvent(new Event("input")); })()`);
	const found = async () => (await text(browser, "found")).replaceAll("\u202f", ""), step = async (button) => {
		await browser.evaluate(`document.getElementById("${button}").click()`);
		await browser.settled();
		return [await found(), await browser.evaluate("page.runs.chosen < 0 ? -1 : page.runs.store.start[page.runs.chosen]")];
	};
	await search("server");
	equal(await found(), "0 intervals of 0 labels; 4 runs of 1 thread");
	await browser.evaluate("page.runs.chosen = -1, page.chosen = -1");
	for (const [rank, start] of [[1, 0], [2, 4000], [3, 8000], [4, 16000], [1, 0]])
		equal(await step("next"), [rank + " of 4 runs of 1 thread; 0 intervals of 0 labels", start]);
	equal((await step("previous"))[1], 16000, "from the first one to the last one");
	await search("/server|script/");
	equal(await found(), "1 interval of 1 label; 4 runs of 1 thread");
	equal(await step("next"), ["1 of 1 interval of 1 label; 4 runs of 1 thread", -1], "intervals after the last run");
	equal(await step("next"), ["1 of 4 runs of 1 thread; 1 interval of 1 label", 0]);
	equal(await step("previous"), ["1 of 1 interval of 1 label; 4 runs of 1 thread", -1]);
	equal(await step("previous"), ["4 of 4 runs of 1 thread; 1 interval of 1 label", 16000]);
	equal(await browser.evaluate("document.getElementById('search').placeholder"), "label, thread that ran, or /regexp/");
	await search("");
	equal(await found(), "");
	await browser.evaluate("page.searchFor(page.names.push('') - 1), page.names.pop()");
	await browser.settled();
	equal(await found(), "", "a label without text is nothing to search for");
}

// Who woke a thread (golden/cases/wakeups): of an interval with a wait, a link to the waker's interval then; of one without, nothing; of
// runs, and an interrupt's wake-ups are not in the page of any other thread.
async function checkWakers(browser) {
	const told = async (pattern) => browser.until(`${pattern}.test(document.getElementById("interval").textContent.replaceAll(/[\u202f\u00a0]/g, " "))`);
	await browser.evaluate("page.choose(page.store.find(0), false)");
	await told("/on processor 0: other \\(tid 2\\) for 2 \u00b5s.*labelrequest.*woken bywaker \\(tid 4\\)[^;]* after 3 \u00b5s, 500 ns before it ran; then in send, 300 nssame label/");
	await browser.evaluate(`Array.from(document.querySelectorAll("#interval dt")).find((one) => one.textContent === "woken by").nextSibling.firstChild.click()`);
	await told("/labelsend.*woken bynone: it did not wait, or that is not known/");
	const choose = (from, to) => browser.evaluate(`page.runs.choose(page.runs.store.find(trace.query(${from}, ${to}, { processor: 0 }).longestInterval), false)`);
	await choose(8500, 9000);
	await told("/threadtid 1.*woken bywaker \\(tid 4\\)[^;]* after 3 \u00b5s, 500 ns before it ran; then in send, 300 ns/");
	await choose(4500, 4600);
	await told("/threadtid 1.*woken bynone: it was preempted before/");
	const waker = (from, to) => browser.evaluate(`trace.run(trace.query(${from}, ${to}, { processor: 0 }).longestInterval).waker`);
	equal(await waker(8500, 9000), { interrupt: false, name: "waker", tid: 4, pid: 2, processor: 1, time: 7500, waited: 3000, delay: 500 });
	equal(await waker(4500, 4600), null, "preempted before");
}

// A browser that a driver lets read files from file:// would prove nothing.
async function checkIsolation(browser) {
	writeFileSync("isolated.html", "<!DOCTYPE html><title>isolated</title>");
	await browser.open("file://" + resolve("isolated.html"));
	await browser.until("document.title === 'isolated'");
	equal(await browser.evaluate("new Promise((done) => { const asked = new XMLHttpRequest(); asked.onload = () => done('read'); " +
		"asked.onerror = () => done('refused'); asked.open('GET', 'deep.csv'); asked.send(); })"), "refused");
}

let marks = 0, metrics = 0, undrawn = 0;
const browser = browserOf(program, profile);
try {
	await checkIsolation(browser);
	for (let i = 0; i < files.length; i += 2) {
		await browser.open(files[i].startsWith("http:") ? files[i] : "file://" + resolve(files[i]));
		if (files[i + 1] === "-") {
			await checkCut(browser);
			continue;
		}
		if (files[i + 1] === "change") {
			await checkChange(browser);
			continue;
		}
		const rows = intervalsOf(files[i + 1]);
		await browser.until("document.documentElement?.getAttribute('aria-busy') === 'false'");
		await browser.settled();
		await checkQueries(browser, rows);
		await checkIntervals(browser, rows);
		await checkDetails(browser, rows);
		await checkSummary(browser, rows, readCsv(files[i + 1] + ".summary"));
		metrics += await checkMetrics(browser, rows, readCsv(files[i + 1] + ".summary"));
		marks += await checkMarks(browser, readCsv(files[i + 1] + ".hooks"));
		await checkSafety(browser);
		await checkReports(browser, files[i + 1]);
		await checkDoctor(browser, files[i]);
		const hasWakeups = files[i].includes("wakeups");
		await checkProcessors(browser, rows, files[i].includes("switches"));
		await (hasWakeups ? checkWakers(browser) : checkRuns(browser, files[i].includes("switches")));
		if (rows.length > 1000) {
			await checkUse(browser, rows);
			await checkAccess(browser);
			await checkPaper(browser);
			await checkFocus(browser, rows);
			await checkSearch(browser, rows, rows[7].label);
		} else if (rows[0]?.label.includes("script")) {
			await checkSearch(browser, rows, "script");
			await checkAccess(browser);
		}
		if (process.env.PICTURES)
			writeFileSync(resolve(process.env.PICTURES, i / 2 + ".png"), await browser.picture());
		equal(await text(browser, "losses") !== "", files[i].includes("loss"), "losses");
		equal(browser.errors, [], files[i]);
	}
	assert.ok(marks > 1000, "hooks are marked");
	assert.ok(metrics > 0, "derived metrics");
	assert.ok(undrawn > 0, "frames that are not drawn");
	console.log(`ok: ${files.length / 2} pages, ${checks} checks`);
} catch (error) {
	console.log(`FAILED: ${error.stack}\n${browser.errors?.join("\n") ?? ""}`);
	process.exitCode = 1;
}
await browser.close();
