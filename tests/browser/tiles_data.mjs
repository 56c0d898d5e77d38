// node tiles_data.mjs TRACE.html TRACE.tiles TRACE.csv ...: a file of tiles, read by the page's own
// scripts, answers what a count of intervals.csv does. Seeded: every run asks the same.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import vm from "node:vm";
import { readCsv } from "../exports/csv.mjs";

globalThis.ImageData = class {
	constructor(width, height) {
		this.data = new Uint8ClampedArray(4 * width * height);
	}
};
const folder = join(dirname(fileURLToPath(import.meta.url)), "../../decoder/sink/page");
vm.runInThisContext(["decode", "store", "analysis", "draw", "grid", "tiles"].map((name) => readFileSync(join(folder, name + ".js"), "utf8")).join("\n"));
const page = vm.runInThisContext("({ bytesOfBase64, inflate, namesOf, Tiles, ChunkSource, Painter, finish, summarize, pixelOf })");
let queries = 0, intervals = 0, tiles = 0, windows = 0, parents = 0, measured = 0, cells = 0;

function random(seed) {
	return () => {
		seed = seed * 1664525 + 1013904223 >>> 0;
		return seed / 2 ** 32;
	};
}

function groupBy(all, keyOf) {
	const groups = new Map();
	for (const one of all) {
		const key = keyOf(one);
		if (!groups.has(key))
			groups.set(key, []);
		groups.get(key).push(one);
	}
	return groups;
}

async function lists(html, kind) {
	const found = [];
	for (const [, base64] of html.matchAll(new RegExp(`<script type="text/plain" class="${kind}">([A-Za-z0-9+/=]*)</script>`, "g")))
		found.push(JSON.parse(new TextDecoder().decode(await page.inflate(new Blob([page.bytesOfBase64(base64)])))));
	return found.flat();
}

// A file as a folder of scripts.
const chunksOf = (bytes) => new page.ChunkSource({ name: "x", chunk: 5000, bytes: bytes.length },
	async (name, number) => Uint8Array.from(bytes.subarray(5000 * number, 5000 * (number + 1))));
const sourceOf = (bytes) => ({ size: bytes.length, read: async (offset, length) => Uint8Array.from(bytes.subarray(offset, offset + length)) });

// The intervals of the CSV as the page counts them: ns since the first.
function intervalsOf(csv, base) {
	return readCsv(csv).map((row, number) => ({ ...row, number, start: Number(BigInt(row.start_ns) - base),
		duration: Number(BigInt(row.end_ns) - BigInt(row.start_ns)) }));
}

function bruteOf(all, from, to) {
	let count = 0, longest = 0, sum = 0n, part = 0;
	for (const one of all)
		if (one.start < to && (one.start + one.duration > from || one.start >= from)) {
			count++;
			longest = Math.max(longest, one.duration);
			part += one.duration;
			if (part > 2 ** 50) {
				sum += BigInt(part);
				part = 0;
			}
		}
	return { count, longest, sum: String(sum + BigInt(part)) };
}

async function checkQuery(one, all, from, to, lane, ofLane) {
	const { count, longest, sumText, longestInterval } = await one.query(from, to, lane);
	assert.deepEqual({ count, longest, sum: sumText }, bruteOf(ofLane, from, to), `${from} to ${to} of ${lane}`);
	if (count)
		assert.equal(all[longestInterval].duration, longest);
	else
		assert.equal(longestInterval, null);
	queries++;
}

async function checkQueries(one, all, until) {
	const next = random(20), byTid = groupBy(all, (row) => row.tid);
	const lanes = one.lanes.filter((lane) => one.lanes.filter((other) => other.tid === lane.tid).length === 1);
	await checkQuery(one, all, 0, until + 1, undefined, all);
	for (let i = 0; i < 20; i++) {
		const from = Math.floor(next() * (until + 1)), width = Math.max(1, Math.floor(until * 10 ** (-5 * next())));
		await checkQuery(one, all, from, from + width, undefined, all);
		const lane = lanes[Math.floor(next() * lanes.length)];
		if (lane)
			await checkQuery(one, all, from, from + width, one.lanes.indexOf(lane), byTid.get(String(lane.tid)) ?? []);
	}
	/* Every column of pixels of the whole trace: their edges are within tiles. */
	for (let i = 0; i < 32; i++)
		await checkQuery(one, all, i * until / 32, (i + 1) * until / 32, undefined, all);
	const { start, duration } = all[all.length >> 1];
	for (const [from, to] of [[start, start + 1], [start + duration, start + duration + 1], [start, start], [until, until + 1], [until + 5, until + 9]])
		await checkQuery(one, all, from, to, undefined, all);
}

async function checkIntervals(one, all) {
	const isWhole = all.every((row) => row.duration >= 0);
	for (let number = 0; number < all.length; number += all.length > 500 ? 1 + (all.length >> 6) : 1) {
		const row = all[number], found = await one.find(number), name = one.names[found.name];
		assert.deepEqual([found.start, found.duration], [row.start, row.duration]);
		assert.equal(found.tile.number[found.index], number);
		assert.equal(name[0] === "l" ? name.slice(1).replace(/[^ -~]/g, "") : "", row.label.replace(/[^ -~]/g, ""));
		const cells = await one.cellsOf(number), depth = cells[one.meta.columns.indexOf("depth")], cpu = cells[one.meta.columns.indexOf("cpu")];
		assert.deepEqual([depth ?? row.depth, cpu ?? ""], [row.depth, row.cpu]);
		if (!isWhole)
			continue;
		const parent = await one.parentOf(found);
		assert.equal(parent === null, row.depth === "0", "a parent");
		if (parent !== null) {
			const around = all[parent];
			assert.deepEqual([around.tid, Number(around.depth)], [row.tid, row.depth - 1]);
			assert.ok(around.start <= row.start && around.start + around.duration >= row.start + row.duration);
			parents++;
		}
	}
	assert.equal(await one.find(all.length), null);
	for (const [label, rows] of Array.from(groupBy(all, (row) => row.label)).slice(0, 5)) {
		const numbers = rows.map((row) => row.number), at = numbers[numbers.length >> 1];
		const wanted = one.names.map((name) => name === "l" + label);
		if (!wanted.includes(true))
			continue;
		assert.equal(await one.nextNamed(wanted, at, 1, () => true), numbers[(numbers.length >> 1) + 1] ?? numbers[0]);
		assert.equal(await one.nextNamed(wanted, at, -1, () => true), numbers[(numbers.length >> 1) - 1] ?? numbers[numbers.length - 1]);
		assert.equal(await one.nextNamed(wanted, -1, 1, () => true), numbers[0]);
	}
	assert.equal(await one.nextNamed([], 0, 1, () => true), -1);
}

// A window is a store of what overlaps it: its queries and summary are those of the whole.
async function checkWindows(one, all, until) {
	const next = random(30);
	for (let i = 0; i < 4; i++) {
		const from = Math.floor(next() * until), to = from + Math.max(1, Math.floor(until * 10 ** (-3 * next())));
		const store = await one.window(from, to, () => true), inside = bruteOf(all, from, to);
		assert.equal(store.count, inside.count);
		assert.deepEqual(Array.from(store.number).sort((a, b) => a - b), all.filter((row) => bruteOf([row], from, to).count).map((row) => row.number));
		for (let k = 0; k < 8; k++) {
			const begin = from + Math.floor(next() * (to - from)), end = begin + Math.floor(next() * (to - begin));
			const { count, longest, sumText } = store.query(begin, end);
			assert.deepEqual({ count, longest, sum: sumText }, bruteOf(all, begin, end));
		}
		const { rows } = page.finish(page.summarize(store, from, to));
		assert.equal(rows.reduce((sum, row) => sum + row.count, 0), inside.count);
		const columns = ["cpu", "elapsed_cycles", "raw_cpi"], numbers = await one.readNumbers(store, columns.map((name) => one.meta.columns.indexOf(name)), () => true);
		for (let at = 0; at < store.count; at++)
			columns.forEach((name, k) => {
				const text = all[store.number[at]][name], value = numbers[k][store.slot[at]];
				assert.equal(isNaN(value) ? "" : value, text === "" || isNaN(text) ? "" : Number(text), name);
			});
		for (let at = 0; at < store.count; at += 1 + (store.count >> 6)) {
			const parent = store.parent(at), number = await one.parentOf(await one.find(store.number[at]));
			if (parent >= 0)
				assert.equal(store.number[parent], number, "a parent in a window");
			else if (number !== null)
				assert.equal(bruteOf([all[number]], from, to).count, 0, "a parent that the window lacks");
		}
		windows++;
	}
	assert.equal(await one.window(0, until + 1, () => false), null);
}

// A tile's means are those of its intervals, and curves have each interval and value once.
async function checkMeans(one, all, until) {
	/* CSV spells the names of some arguments otherwise. */
	for (const place of one.meta.tiles.means.filter((i) => /^[\w.]+$/.test(one.meta.columns[i]))) {
		const name = one.meta.columns[place], means = one.meansOf(place), values = all.map((row) => row[name] === "" ? NaN : Number(row[name])), least = values.reduce((a, b) => b < a ? b : a, Infinity);
		for (let at = 0; at < means.length; at += 1 + (means.length >> 5)) {
			const own = Array.from((await one.readTileAt(at)).number, (number) => values[number]).filter((value) => !isNaN(value));
			const mean = Math.min(own.reduce((a, b) => a + b, 0) / own.length, (2 - 2 ** -23) * 2 ** 127);
			assert.ok(own.length ? Math.abs(means[at] - mean) <= 1e-6 * Math.abs(mean) : isNaN(means[at]), `${name} of tile ${at}: ${means[at]}, ${mean}`);
		}
		const curve = one.curveOf(0, until + 1, 100, means), total = curve.counts.reduce((a, b) => a + b, 0);
		assert.ok(Math.abs(total - all.length) <= 1e-6 * all.length, `${total} of ${all.length} intervals in a curve`);
		assert.equal(curve.mean.some((mean) => !isNaN(mean)), least < Infinity, name);
		/* Values may be negative. */
		const isAtMost = (a, b, error) => a <= b + error * Math.abs(b);
		assert.ok(curve.mean.every((mean, i) => isNaN(mean) || isAtMost(curve.least[i], mean, 1e-9) && isAtMost(mean, curve.most[i], 1e-9) && isAtMost(least, curve.least[i], 1e-6)), name);
		measured += least < Infinity;
	}
	const codes = ["cpu", "start_cpu", "types"];
	assert.deepEqual(one.meta.tiles.means, one.meta.numeric.filter((i) => !codes.includes(one.meta.columns[i])));
	codes.forEach((name) => assert.equal(one.meansOf(one.meta.columns.indexOf(name)), null));
}

// Until nothing is wanted any more, drawing reads what it lacks; each interval then leaves a mark in
// the column that it begins in, or, of a cell, node or tile, at most one column before.
async function checkPicture(one, all, until) {
	const width = 400, lane = one.lanes[0], painter = new page.Painter(width, 8, [0, 0, 0]), white = page.pixelOf([255, 255, 255]);
	for (const [from, to] of [[0, until], [until / 3, until / 2], [until / 2, until / 2 + 400]]) {
		const view = { from, to: Math.max(to, from + 20) };
		for (let again = true; again;) {
			one.begin();
			painter.begin(0);
			for (const row of one.rowsOf([lane]))
				one.paint(painter, row, view, 0, 8, () => white);
			again = await one.fetchWanted();
		}
		const scale = width / (view.to - view.from);
		for (const row of all.filter((each) => one.lanes.filter((other) => other.tid === Number(each.tid)).length === 1 && Number(each.tid) === lane.tid)) {
			const column = Math.floor((row.start - view.from) * scale);
			if (column >= 1 && column < width)
				assert.ok([column - 1, column].some((x) => painter.pixels[7 * width + x] === white), `column ${column} of ${view.from} to ${view.to}`);
		}
	}
}

// Zoomed out, the cells of a row are exactly what begins in each: count, sum, the longest, and the longest of the others.
async function checkCells(one, all, until) {
	const steps = new Map(), next = random(40);
	for (let at = 0; at < one.grid.blocks.block.length; at++)
		steps.set(at, await one.readStepsAt(at));
	for (const row of one.rowsOf(one.lanes)) {
		const own = [];
		for (let at = one.tileOf[row]; at < one.tileOf[row + 1]; at++) {
			const tile = await one.readTileAt(at);
			tile.start.forEach((start, i) => own.push({ start, duration: tile.duration[i], name: tile.name[i] }));
		}
		for (let i = 0; i < 6; i++) {
			const from = i ? Math.floor(next() * until) : 0, to = i ? from + 1 + Math.floor(next() * (until - from)) : until + 1;
			const how = one.grid.cellsFor(row, (to - from) / (50 + 1000 * next()));
			if (!how)
				continue;
			const got = new Map(), wanted = new Map();
			assert.ok(one.grid.eachCell(how, { from, to }, (at) => steps.get(at), (cell) => got.set(cell.index, { ...cell })));
			const last = own.findLast((each) => Math.floor(each.start / how.cell) < Math.floor(from / how.cell));
			for (const each of own) {
				const index = Math.floor(each.start / how.cell);
				if (index * how.cell < to && index >= Math.floor(from / how.cell))
					wanted.set(index, [...wanted.get(index) || [], each]);
			}
			/* The step before tells what may reach into the view. */
			if (last && last.duration >= 2 * how.cell) {
				const before = got.get(Math.floor(last.start / how.cell));
				assert.deepEqual([before.start, before.longest, before.name], [last.start, last.duration, last.name]);
			}
			for (const index of got.keys())
				if (index < Math.floor(from / how.cell))
					got.delete(index);
			for (const [index, inside] of wanted) {
				const cell = got.get(index), sorted = inside.slice().sort((a, b) => b.duration - a.duration);
				assert.deepEqual([cell.count, cell.sum, cell.longest, cell.second], [inside.length, inside.reduce((sum, each) => sum + each.duration, 0),
					sorted[0].duration, sorted.length > 1 ? sorted[1].duration : 0], `cell ${index} of row ${row}`);
				const longest = inside.find((each) => each.duration === cell.longest);
				assert.deepEqual([cell.name, cell.start], [longest.name, longest.start]);
				cells++;
			}
			assert.ok(Array.from(got.keys()).every((index) => wanted.has(index)));
		}
	}
}

for (let i = 2; i < process.argv.length; i += 3)
	try {
		const html = readFileSync(process.argv[i], "latin1"), bytes = readFileSync(process.argv[i + 1]);
		const [meta] = await lists(html, "meta"), all = intervalsOf(process.argv[i + 2], BigInt(meta.base));
		const one = new page.Tiles(i % 2 ? chunksOf(bytes) : sourceOf(bytes), meta, await lists(html, "lanes"), page.namesOf(await lists(html, "names")).names);
		await one.open();
		assert.equal(meta.intervals, all.length);
		assert.equal(one.countOf.reduce((a, b) => a + b, 0), all.length);
		if (all.length) {
			await checkQueries(one, all, meta.until);
			await checkIntervals(one, all);
			await checkWindows(one, all, meta.until);
			await checkMeans(one, all, meta.until);
			await checkPicture(one, all, meta.until);
			await checkCells(one, all, meta.until);
		}
		for (const wrong of [bytes.subarray(0, bytes.length - 1), Buffer.concat([bytes.subarray(0, -8), Buffer.from("SWTTILEX")])])
			await assert.rejects(new page.Tiles(sourceOf(wrong), meta, one.lanes, one.names).open(), /bytes|not the tiles of this page/);
		intervals += all.length;
		tiles += one.tile.block.length;
	} catch (error) {
		console.log(`FAILED: ${process.argv[i]}: ${error.stack}`);
		process.exitCode = 1;
	}
assert.ok(measured > 3, "columns with means");
console.log(`ok: ${(process.argv.length - 2) / 3} files of tiles, ${tiles} tiles, ${intervals} intervals, ${queries} queries, ${windows} windows, ${parents} parents, ${cells} cells`);
