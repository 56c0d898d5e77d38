// The page's scripts that know no document, under node --test: decoding, queries and drawing against
// brute force. Seeded: every run has the same intervals.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import vm from "node:vm";

globalThis.ImageData = class {
	constructor(width, height) {
		this.data = new Uint8ClampedArray(4 * width * height);
	}
};
const folder = join(dirname(fileURLToPath(import.meta.url)), "../../decoder/sink/page");
const source = ["decode", "store", "analysis", "view", "draw", "explain", "why_words", "limits", "metrics", "figures", "processors", "runs", "run_panel"]
	.map((name) => readFileSync(join(folder, name + ".js"), "utf8")).join("\n");
vm.runInThisContext(source);
const page = vm.runInThisContext(`({ bytesOfBase64, inflate, Reader, readCore, readMore, readMoreColumn, readMarks, readAdopted, namesOf, rangeOf, shareOf, rampOf, Store, finish,
	summarize, flameOf, heatOf, curveOf, histogramOf, Sums, printable, durationText, exactText, countFrom, offsetText, clockText, ticksOf, tickText,
	viewWithin, viewZoomed, stateText, stateOf, matcherOf, Painter, pixelOf, PALETTE, LOST_COLOUR, isDark,
	Residence, processorsOf, usesOf, PROCESSOR_ROWS, readRuns, readWakeups, RunStore, RunIntervals, ranIn, RUNS_UNKNOWN, RunPanel, innermostOf, explain, countShorter, whyList, limitsOf, openText, Figures, wholeSummary, metricValue, metricText, metricColumn, isMetricMeasured })`);

function random(seed) {
	return () => {
		seed = seed * 1664525 + 1013904223 >>> 0;
		return seed / 2 ** 32;
	};
}

function leb(value) {
	const bytes = [];
	for (let left = BigInt(value); ; left >>= 7n) {
		const low = Number(left & 127n);
		if (left < 128n)
			return [...bytes, low];
		bytes.push(low | 128);
	}
}

const folded = (value) => leb(BigInt(value) < 0n ? -2n * BigInt(value) - 1n : 2n * BigInt(value));
const column = (values) => {
	const bytes = values.flatMap(leb);
	return [...leb(bytes.length), ...bytes];
};

// Intervals of lanes and levels as a trace has them: [lane, level, start, duration, name, parent].
function makeIntervals(seed, lanes, most) {
	const next = random(seed), all = [];
	const below = (lane, level, from, to, parent) => {
		let at = from;
		while (at < to && all.length < most) {
			const start = at + Math.floor(next() * next() * (to - at + 1) / 4);
			const duration = next() < 0.1 ? 0 : Math.floor(next() * next() * (to - start + 1));
			if (start + duration > to)
				break;
			const one = { lane, level, start, duration, name: Math.floor(next() * 5), parent };
			all.push(one);
			if (level < 4 && duration > 4)
				below(lane, level + 1, start, start + duration, one);
			at = start + Math.max(1, duration);
		}
	};
	for (let lane = 0; lane < lanes; lane++)
		for (let from = 0; from < 20; from++)
			below(lane, 0, from * 5000, from * 5000 + 5000, null);
	return all.sort((a, b) => a.start - b.start || b.duration - a.duration || a.level - b.level);
}

function storeOf(all, lanes) {
	const rows = [], table = Array.from({ length: lanes }, (_, i) => ({ name: i, rows: [] }));
	for (const one of all) {
		const key = one.lane + " " + one.level;
		let row = rows.find((each) => each.key === key);
		if (!row)
			rows.push(row = { key, lane: one.lane, level: one.level, count: 0 });
		one.row = rows.indexOf(row);
		row.count++;
	}
	for (let level = 0; level < 5; level++)
		rows.forEach((row, i) => row.level === level && table[row.lane].rows.push(i, row.count));
	const meta = { intervals: all.length, rows: rows.length, overview: { longest: [5000] } };
	const store = new page.Store(meta, table, ["la", "lb", "lc", "ld", "le"]);
	for (let from = 0; from < all.length; from += 1000) {
		const part = all.slice(from, from + 1000);
		store.add({ count: part.length, start: part.map((one) => one.start), duration: part.map((one) => one.duration),
			name: part.map((one) => one.name), row: part.map((one) => one.row) });
	}
	store.finish();
	return store;
}

const overlaps = (one, from, to) => one.start < to && (one.start + one.duration > from || one.start >= from);

function bruteOf(all, from, to, lane) {
	const found = all.filter((one) => overlaps(one, from, to) && (lane === undefined || one.lane === lane));
	return { count: found.length, longest: found.reduce((most, one) => Math.max(most, one.duration), 0),
		sum: found.reduce((sum, one) => sum + one.duration, 0) };
}

test("numbers of every size, and cells of every kind", () => {
	const values = [0, 1, 127, 128, 16383, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER];
	const reader = new page.Reader(Uint8Array.from(values.flatMap(leb)));
	for (const value of values)
		assert.equal(reader.number(), value);
	assert.equal(new page.Reader(Uint8Array.from(leb(2n ** 64n - 1n))).number(), 2n ** 64n - 1n);
	for (const value of [0, -1, 1, -5000000000, 2 ** 40])
		assert.equal(new page.Reader(Uint8Array.from(folded(value))).signed(), value);
	assert.equal(new page.Reader(Uint8Array.from(folded(-(2n ** 63n)))).signed(), -(2n ** 63n));
	const text = new TextEncoder().encode("</script>");
	const real = new Uint8Array(Float64Array.of(-0.1).buffer);
	const bytes = Uint8Array.from([...leb(7), 0, 0, 1, ...column([7, 8, 2n ** 64n - 1n]),
		255, 0, 2, 0, ...leb(1), ...folded(-3), 4, ...leb(3 * (text.length + 1)), ...[0, 1, 2].flatMap(() => [text.length, ...text]),
		255, 0, 0, 3, ...leb(8), ...real, 255, 20, 20, 0, ...leb(4), ...folded(-5), ...folded(12345),
		16, ...column([2, 4, 6])]);
	const got = [0, 1, 2].map((row) => page.readMore(bytes, 3, row));
	assert.deepEqual(got[0], [null, "7", null, "</script>", null, "-0.0005", "1"]);
	assert.deepEqual(got[1], [null, "8", "-3", "</script>", null, "1.2345", "2"]);
	for (let column = 0; column < 7; column++)
		assert.deepEqual([...page.readMoreColumn(bytes, 3, column)], got.map((cells) => cells[column] === null ? NaN : Number(cells[column])));
	assert.deepEqual(got[2], [null, "18446744073709551615", null, "</script>", "-0.1", null, "3"]);
});

test("a block from base64 to columns", async () => {
	const raw = Uint8Array.from([...leb(3), ...column([5, 0, 2 ** 40]), ...column([1, 0, 3]), ...column([0, 1, 0]), ...column([2, 2, 300])]);
	const bytes = page.bytesOfBase64(deflateRawSync(raw).toString("base64"));
	const core = page.readCore(await page.inflate(new Blob([bytes])));
	assert.deepEqual([...core.start], [5, 5, 2 ** 40 + 5]);
	assert.deepEqual([...core.duration], [1, 0, 3]);
	assert.deepEqual([...core.name], [0, 1, 0]);
	assert.deepEqual([...core.row], [2, 2, 300]);
	assert.deepEqual(page.readAdopted(Uint8Array.from([1, 2, 3, ...leb(400)])), [[1, 2, 3, 400]]);
});

for (const [seed, most] of [[1, 20000], [2, 300], [3, 16], [4, 17], [5, 1]])
	test(`queries of ${most} intervals at most are those of brute force`, () => {
		const lanes = 3, all = makeIntervals(seed, lanes, most), store = storeOf(all, lanes), next = random(seed + 100);
		for (let i = 0; i < 300; i++) {
			const width = Math.floor(10 ** (5.2 * next())), from = Math.floor(next() * 100000);
			const lane = [undefined, 0, 1, 2][i % 4];
			const { count, longest, sum, sumText, longestInterval } = store.query(from, from + width, lane);
			assert.deepEqual({ count, longest, sum }, bruteOf(all, from, from + width, lane));
			assert.equal(sumText, String(sum));
			assert.equal(longestInterval === null ? 0 : all[longestInterval].duration, longest);
		}
		assert.throws(() => store.query(0, 1, 9), /no lane 9/);
		assert.throws(() => store.query(0, 1, "z"), /no lane is called z/);
	});

test("every column of pixels at every zoom is exact", () => {
	const all = makeIntervals(7, 1, 5000), store = storeOf(all, 1);
	for (let width = 100000; width >= 50; width = Math.floor(width / 9))
		for (let i = 0; i < 200; i++) {
			const from = 30000 + i * width / 200, to = 30000 + (i + 1) * width / 200;
			const { count, longest, sum } = store.query(from, to);
			assert.deepEqual({ count, longest, sum }, bruteOf(all, from, to));
		}
});

test("parents, children and the next of a label", () => {
	const all = makeIntervals(8, 2, 3000), store = storeOf(all, 2);
	for (let number = 0; number < all.length; number += 7) {
		const at = store.find(number), parent = store.parent(at), one = all[number];
		assert.equal(store.name[at], one.name);
		assert.equal(parent < 0 ? null : all[store.number[parent]], one.parent);
		const child = store.child(at);
		assert.equal(child >= 0, all.some((each) => each.parent === one));
		assert.ok(child < 0 || all[store.number[child]].parent === one);
	}
	const wanted = [false, true], numbers = all.flatMap((one, i) => one.name === 1 ? [i] : []);
	for (const from of [-1, numbers[0], numbers[5], numbers[numbers.length - 1]]) {
		const after = numbers.find((n) => n > from) ?? numbers[0];
		const before = numbers.findLast((n) => n < from) ?? numbers[numbers.length - 1];
		assert.equal(store.number[store.nextNamed(wanted, from, 1)], after);
		assert.equal(store.number[store.nextNamed(wanted, from, -1)], before);
	}
	assert.equal(store.nextNamed([], 0, 1), -1);
	store.adopt([[0, 0, 1, 2]]);
	assert.equal(store.parent(store.offset[0]), store.offset[1] + 2);
});

test("a parent comes first, though both start in one ns", () => {
	const first = { lane: 0, level: 0, start: 0, duration: 100, name: 0, parent: null };
	const last = { lane: 0, level: 0, start: 100, duration: 50, name: 1, parent: null };
	const ofFirst = { lane: 0, level: 1, start: 100, duration: 0, name: 2, parent: first };
	const ofLast = { lane: 0, level: 1, start: 100, duration: 0, name: 3, parent: last };
	const all = [first, ofFirst, last, ofLast], store = storeOf(all, 1);
	for (const [number, one] of all.entries()) {
		const parent = store.parent(store.find(number)), child = store.child(store.find(number));
		assert.equal(parent < 0 ? null : all[store.number[parent]], one.parent);
		assert.equal(child < 0 ? null : all[store.number[child]], all.find((each) => each.parent === one) ?? null);
	}
	const frames = page.finish(page.flameOf(store, 0, 1000, LABELS));
	const nameOf = (i) => i ? nameOf(frames[i].parent) + "/" + frames[i].name : "";
	assert.deepEqual(frames.map((frame, i) => [nameOf(i), frame.count]).slice(1).sort(), [["/0", 1], ["/0/2", 1], ["/1", 1], ["/1/3", 1]]);
});

test("marks of lanes", () => {
	const all = makeIntervals(12, 2, 50), store = storeOf(all, 2), time = [5, 5, 90, 2 ** 40];
	const bytes = Uint8Array.from([...leb(4), ...column(time.map((at, i) => at - (time[i - 1] ?? 0))), ...column([1, 0, 1, 1]),
		...column([0, 1, 0, 0]), ...column([0, 3, 1, 200])]);
	store.mark(page.readMarks(bytes));
	assert.deepEqual(store.lanes[0].marks.map((mark) => [mark.time, mark.cpu]), [[5, -1], [90, 0], [2 ** 40, 199]]);
	assert.deepEqual(store.marksOf(store.lanes[0], 5, 90), [0, 1]);
	assert.deepEqual(store.countMarks(0, 91), [[1, 2], [0, 1]]);
	assert.deepEqual(store.countMarks(6, 90), []);
	const painter = new page.Painter(100, 10, [0, 0, 0]), white = page.pixelOf([255, 255, 255]);
	painter.begin(0);
	painter.marks(store, store.lanes[0], { from: 0, to: 100 }, 1, 8, white);
	assert.deepEqual([...Array(100).keys()].filter((x) => painter.pixels[500 + x] === white), [5, 6, 90, 91]);
});

test("the summary and the histogram of a span", () => {
	const all = makeIntervals(9, 2, 4000), store = storeOf(all, 2), from = 20000, to = 61000;
	const got = page.finish(page.summarize(store, from, to));
	const inside = all.filter((one) => overlaps(one, from, to));
	assert.equal(got.count, inside.length);
	for (const row of got.rows) {
		const sorted = inside.filter((one) => one.name === row.name).map((one) => one.duration).sort((a, b) => a - b);
		assert.equal(row.count, sorted.length);
		assert.equal(row.total, BigInt(sorted.reduce((a, b) => a + b, 0)));
		assert.equal(row.p90, sorted[Math.ceil(sorted.length * 0.9) - 1]);
		assert.deepEqual([row.min, row.max], [sorted[0], sorted[sorted.length - 1]]);
		const self = inside.filter((one) => one.name === row.name).reduce((sum, one) => sum + one.duration -
			all.filter((each) => each.parent === one).reduce((nested, each) => nested + each.duration, 0), 0);
		assert.equal(row.self, BigInt(self));
	}
	assert.equal(got.rows.reduce((n, row) => n + row.count, 0), inside.length);
	assert.equal(got.histogram.reduce((a, b) => a + b), inside.length);
	const buckets = page.histogramOf([0, 1, 2, 3, 4, 2 ** 31 - 1, 2 ** 31, 2 ** 40]);
	const heat = page.finish(page.heatOf(store, from, to, 10));
	for (let column = 0; column < 10; column++)
		for (let bucket = 0; bucket < heat.buckets; bucket++) {
			const cell = inside.filter((one) => Math.max(0, Math.floor((one.start - from) / (to - from) * 10)) === column &&
				(one.duration ? Math.floor(Math.log2(one.duration)) + 1 : 0) === bucket);
			assert.equal(heat.counts[column * heat.buckets + bucket], cell.length);
		}
	const curve = page.finish(page.curveOf(store, from, to, 10, (at) => store.name[at] === 2 ? NaN : store.duration[at]));
	for (let column = 0; column < 10; column++) {
		const own = inside.filter((one) => one.start >= from && Math.floor((one.start - from) / (to - from) * 10) === column);
		const values = own.filter((one) => one.name !== 2).map((one) => one.duration);
		assert.equal(curve.counts[column], own.length);
		assert.deepEqual([curve.least[column], curve.most[column]], [Math.min(...values), Math.max(...values)]);
		const mean = values.reduce((a, b) => a + b, 0) / values.length;
		assert.ok(values.length ? Math.abs(curve.mean[column] - mean) <= 1e-9 * mean : isNaN(curve.mean[column]));
	}
	assert.ok(page.finish(page.curveOf(store, from, to, 10)).mean.every(isNaN));
	const sums = new page.Sums(1);
	for (let i = 0; i < 5; i++)
		sums.add(0, 2 ** 52 + 1);
	assert.equal(sums.get(0), 5n * (2n ** 52n + 1n));
	assert.deepEqual([0, 1, 2, 3, 31, 32, 41].map((i) => buckets[i]), [1, 1, 2, 1, 1, 1, 1]);
});

test("names of intervals by their codes", () => {
	const { names, minors, majors, labels } = page.namesOf(["tmain", ["lget", 1], ["lget", 3], ["lset", 1], ["lget", 1, 200], ["mminor 0x03", 3], "hget"]);
	assert.deepEqual(names, ["tmain", "lget", "lget", "lset", "lget", "mminor 0x03", "hget"]);
	assert.deepEqual([...minors], [undefined, 1, 3, 1, 1, 3, undefined]);
	assert.deepEqual(majors.slice(1, 6), [0xc0, 0xc0, 0xc0, 200, 0xc0]);
	assert.deepEqual([...labels], [0, 1, 1, 3, 1, 5, 6]);
});

/* Names as they are, and two of one label. */
const LABELS = [0, 1, 2, 3, 4];
for (const labels of [LABELS, [0, 1, 2, 1, 4]])
	test("the flame graph of a span, labels " + labels, () => {
		const all = makeIntervals(10, 2, 4000), store = storeOf(all, 2), from = 12345, to = 54321, stacks = new Map();
		const pathOf = (one) => one ? pathOf(one.parent) + "/" + labels[one.name] : "";
		for (const one of all.filter((each) => overlaps(each, from, to))) {
			const entry = stacks.get(pathOf(one)) ?? { count: 0, time: 0 };
			entry.count++;
			entry.time += Math.max(0, Math.min(to, one.start + one.duration) - Math.max(from, one.start));
			stacks.set(pathOf(one), entry);
		}
		const frames = page.finish(page.flameOf(store, from, to, labels));
		const nameOf = (i) => i ? nameOf(frames[i].parent) + "/" + frames[i].name : "";
		assert.equal(frames.length - 1, stacks.size);
		frames.forEach((frame, i) => i && assert.deepEqual({ count: frame.count, time: frame.time }, stacks.get(nameOf(i))));
		assert.equal(frames[0].time, frames.filter((frame) => frame.parent === 0).reduce((sum, frame) => sum + frame.time, 0));
		const grouped = page.finish(page.flameOf(store, from, to, labels, null, (lane) => 7 - lane.index));
		assert.deepEqual(grouped.map((frame) => [frame.time, frame.count]), frames.map((frame) => [frame.time, frame.count]));
		const times = (i, lane) => all.filter((one) => one.lane === lane && overlaps(one, from, to) && pathOf(one) === nameOf(i))
			.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.start + one.duration) - Math.max(from, one.start)), 0);
		grouped.forEach((frame, i) => i && assert.equal(frame.groupTime, Math.max(times(i, 0), times(i, 1))));
		grouped.forEach((frame, i) => i && assert.equal(frame.groupTime, times(i, 7 - frame.group)));
	});

test("nothing vanishes at a distance: 1 us in an hour, alone and in a crowd", () => {
	const hour = 3600e9, spike = { lane: 0, level: 0, start: 1234567890123, duration: 1000, name: 0 };
	const view = { from: 0, to: hour }, x = Math.floor(spike.start / hour * 1000);
	const paint = (all) => {
		const painter = new page.Painter(1000, 20, [0, 0, 0]);
		const store = storeOf(all, 1);
		painter.begin(0);
		painter.row(store, 0, view, 0, 2, 16, (at) => page.pixelOf(page.PALETTE[store.name[at]]), 30);
		return (column) => [...Array(20).keys()].map((y) => painter.pixels[y * 1000 + column]);
	};
	const lone = paint([{ ...spike }]), red = page.pixelOf(page.PALETTE[0]), black = page.pixelOf([0, 0, 0]);
	assert.ok(lone(x).filter((pixel) => pixel === red).length >= 5);
	assert.ok(lone(x - 1).every((pixel) => pixel === black));
	const crowd = [];
	for (let start = 0; start < hour; start += 36e6)
		crowd.push({ lane: 0, level: 0, start, duration: 10, name: 1 });
	crowd.push({ ...spike });
	crowd.sort((a, b) => a.start - b.start);
	const many = paint(crowd);
	assert.ok(many(x).includes(red), "the longest colours its column");
	assert.ok(!many(x - 1).includes(red));
	assert.ok([...Array(999).keys()].every((column) => many(column).some((pixel) => pixel !== black)));
});

test("views, addresses and texts", () => {
	const whole = page.viewWithin(-5, 2000, 1000);
	assert.deepEqual(whole, { from: 0, to: 1000 });
	assert.deepEqual(page.viewWithin(990, 1010, 1000), { from: 980, to: 1000 });
	const zoomed = page.viewZoomed({ from: 0, to: 1e12 }, 25e10, 0.5, 1e12);
	assert.equal((25e10 - zoomed.from) / (zoomed.to - zoomed.from), 0.25);
	let view = { from: 0, to: 36e11 };
	for (let i = 0; i < 100; i++)
		view = page.viewZoomed(view, 18e11, 0.5, 36e11);
	assert.ok(view.to - view.from === 20 && view.from <= 18e11 && view.to >= 18e11);
	const state = { from: 5, to: 105, selection: { from: 7, to: 9 }, interval: 3, run: 12, search: "a&b=<c>#" };
	assert.deepEqual(page.stateOf(page.stateText(state), 1000), state);
	for (const bad of ["#from=x&to=3", "#from=9&to=2", "#from=1e9&to=2e9", "#select=9-9&interval=-1", "#%%%"])
		assert.deepEqual({ ...page.stateOf(bad, 1000), search: "" },
			{ from: 0, to: 1000, selection: null, interval: -1, run: -1, search: "" });
	assert.equal(page.printable("a\u202eb\u0000c\u2028"), "a\\u{202e}b\\u{0}c\\u{2028}");
	assert.deepEqual([0, 999, 1500, 2e6, 90e9, 7200e9].map(page.durationText), ["0 ns", "999 ns", "1.5 \u00b5s", "2 ms", "1.5 min", "2 h"]);
	assert.equal(page.exactText(1234567n), "1\u202f234\u202f567");
	assert.equal(page.exactText("1234.56789"), "1\u202f234.56789");
	assert.equal(page.offsetText(1500000001), "+1.500000001 s");
	page.countFrom(2000000);
	assert.equal(page.offsetText(1500000001), "+1.498000001 s");
	assert.equal(page.offsetText(0), "-0.002 s");
	page.countFrom(0);
	assert.equal(page.clockText(-1n, 0), "1969-12-31T23:59:59.999999999Z");
	assert.equal(page.clockText(1700000000000000000n, 5), "2023-11-14T22:13:20.000000005Z");
	assert.deepEqual([[-2000, 1000], [0, 1e6], [5e9, 1e9]].map(([at, step]) => page.tickText(at, step)), ["-2 \u00b5s", "+0 ms", "+5 s"]);
	const { step, ticks } = page.ticksOf(0, 36e11, 10);
	assert.ok(ticks.length >= 2 && ticks.length <= 11 && ticks.every((tick) => tick % step === 0));
	assert.ok(page.matcherOf("ReQ")("a request") && !page.matcherOf("/^req/")("a request") && page.matcherOf("/(/")("x/(/"));
	assert.equal(page.matcherOf(""), null);
});

test("colours of a column", () => {
	assert.equal(page.rangeOf([NaN, NaN]), null);
	const values = Float64Array.from({ length: 200000 }, (_, i) => i % 1000 ? i % 100 : 1e9), range = page.rangeOf(values);
	assert.deepEqual(range, { low: 0, high: 96, isLog: false });
	assert.deepEqual([-5, 0, 48, 96, 1e9].map((value) => page.shareOf(range, value)), [0, 0, 0.5, 1, 1]);
	const wide = { low: 1, high: 10000, isLog: true };
	assert.deepEqual([0, 1, 100, 10000].map((value) => page.shareOf(wide, value)), [0, 0, 0.5, 1]);
	assert.equal(page.shareOf({ low: 2, high: 2, isLog: false }, 2), 0.5);
	assert.deepEqual([0, 0.5, 1].map(page.rampOf), [[0, 32, 76], [124, 123, 120], [255, 234, 70]]);
	const all = makeIntervals(11, 1, 500), store = storeOf(all, 1), seen = [];
	const frames = page.finish(page.flameOf(store, 0, 100001, LABELS, (at) => {
		seen.push(at);
		return store.name[at] === 1 ? NaN : store.number[at];
	}));
	const top = frames.find((frame) => frame.parent === 0 && frame.name === 0);
	const own = all.map((one, number) => ({ ...one, number })).filter((one) => !one.parent && one.name === 0 && one.duration);
	const mean = own.reduce((sum, one) => sum + one.number * one.duration, 0) / own.reduce((sum, one) => sum + one.duration, 0);
	assert.ok(Math.abs(top.value - mean) < 1e-6 * mean && seen.length === all.length);
	assert.ok(frames.filter((frame) => frame.name === 1).every((frame) => isNaN(frame.value)));
});

// Lanes of up to so many intervals each.
const makeLanes = (seed, lanes, most) => Array.from({ length: lanes }, (_, lane) => makeIntervals(seed + lane, 1, most).map((one) => ({ ...one, lane })))
	.flat().sort((a, b) => a.start - b.start || b.duration - a.duration || a.level - b.level);

test("figures of groups", () => {
	const figures = new page.Figures(), values = { elapsed_cycles: [100, 300, 0, 100, 50], cycles: [NaN, 60, NaN, 50, 0], instructions: [10, 40, NaN, 0, 10], raw_cpi: [2, NaN, 7, NaN, NaN],
		thread_cycles: [20, 30, NaN, NaN, NaN], thread_instructions: [10, 10, NaN, NaN, NaN], busy_cycles: [NaN, 30, NaN, 25, NaN], on_cpu_ns: [5, NaN, 0, NaN, NaN], ctx_switches: [NaN, NaN, NaN, 2 ** 40, NaN] };
	figures.begin(values);
	for (const [group, row] of [[4, 0], [4, 1], [4, 2], [9, 3], [8, 4]])
		figures.add(group, row);
	const table = figures.table();
	/* By elapsed cycles: not all have counts. Of no length: left out beside others. */
	assert.deepEqual(table.get(4), { raw_cpi: (2 * 100 + 1.5 * 300) / 400, scaled_cpi: 0.75, thread_cpi: 2.5, busy_pct: 50, on_cpu_ns: 5, off_cpu_ns: null, ctx_switches: null });
	assert.deepEqual(table.get(9), { raw_cpi: null, scaled_cpi: null, thread_cpi: null, busy_pct: 50, on_cpu_ns: null, off_cpu_ns: null, ctx_switches: 2 ** 40 });
	assert.equal(table.get(8).raw_cpi, null, "a CPI of 0 was not measured");
});

test("derived metrics", () => {
	const metric = (operands, steps) => ({ name: "m", summary: "m", operands, steps });
	assert.equal(page.metricValue(metric([3], [0, [1000], "*", "negate", [2.5], "+"]), [2]), -1997.5);
	assert.equal(page.metricValue(metric([3, 4], [0, 1, "/"]), [2, 0]), NaN);
	assert.equal(page.metricValue(metric([3, 4], [0, 1, "-"]), [2, NaN]), NaN);
	assert.equal(page.metricValue(metric([3], [0, [1e300], "*"]), [1e300]), NaN, "too large");
	assert.ok(Object.is(page.metricValue(metric([3], [0, "negate"]), [0]), 0), "no -0");
	assert.equal(page.metricText(metric([null, 1], [0, 1, "/"]), ["7", "8"], 20), "2.5000");
	assert.equal(page.metricText(metric([null, 1], [0, 1, "/"]), ["7", null], 20), null);
	assert.deepEqual([page.isMetricMeasured(metric([null, 1], []), [1]), page.isMetricMeasured(metric([-1], []), [1])], [true, false]);
	const values = page.metricColumn(metric([null, 1], [0, 1, "/"]), { count: 2, slot: [1, 0], duration: [6, 10] }, [Float64Array.from([5, 3])]);
	assert.deepEqual(Array.from(values), [2, 2]);
	/* In groups: figures, the counts of a CPI, and means. */
	const named = (name, names) => ({ ...metric(names, names.map((_, i) => i).concat(names.slice(1).map(() => "+"))), name, names });
	const figures = new page.Figures([named("all", ["cycles", "busy_pct"]), named("raw_cpi", [null]), named("event", ["event.x"]), named("none", ["off"])]);
	figures.begin({ cycles: [60, 80], busy_cycles: [30, 40], instructions: [10, 10], "event.x": [NaN, 9] });
	figures.add(1, 0, 4);
	figures.add(1, 1, 7);
	const found = figures.table().get(1);
	assert.deepEqual([found["metric all"], found["metric raw_cpi"], found["metric event"], found["metric none"], found.raw_cpi], [120, 5.5, 9, null, 7]);
});

test("the report's rows in the summary of the whole trace", () => {
	const names = { names: ["lget", "lget", "mminor 0x03"], minors: [1, 2, 3], majors: [0xc0, 200, 0xc0] }, rows = [0, 1, 2].map((name) => ({ name, count: 1, total: 5n }));
	const line = (label, minor, more) => `{"label":${label},"minor":${minor},${more}"count":2,"total_ns":9007199254740993,"mean_ns":1.5,"min_ns":1,"p50_ns":1,"p90_ns":2,"p99_ns":2,"max_ns":2,"raw_cpi":1.25,"busy_pct":null}\n`;
	const summary = { rows: line('"get"', 1, "") + line('"get"', 2, '"major":200,'), cut: 0 };
	const got = page.wholeSummary(rows, summary, [[0, 7, null, 3]], names);
	assert.deepEqual(got.rows.map(({ name, count, total, max }) => [name, count, total, max]), [[0, 2, 9007199254740993n, 2], [1, 2, 9007199254740993n, 2]]);
	assert.deepEqual([got.absent, got.figures.get(0).raw_cpi, got.figures.get(0).on_cpu_ns, got.figures.get(0).off_cpu_ns, got.figures.get(1).on_cpu_ns], [0, 1.25, 7, null, null]);
	const metric = page.wholeSummary(rows, summary, [], names, [{ name: "mean", summary: "mean_ns" }, { name: "x", summary: "x" }]).figures.get(1);
	assert.deepEqual([metric["metric mean"], metric["metric x"]], [1.5, null]);
	const cut = page.wholeSummary(rows, { ...summary, cut: 1 }, [], names);
	assert.deepEqual([cut.rows.length, cut.rows[2], cut.absent, cut.figures.get(2).raw_cpi], [3, rows[2], 1, null]);
});

test("an interval in words", () => {
	const all = makeIntervals(17, 2, 900), store = storeOf(all, 2);
	for (let at = 0; at < store.count; at += 37)
		assert.equal(page.countShorter(store, at), all.filter((one) => one.name === store.name[at] && one.duration < store.duration[at]).length);
	assert.equal(page.explain({ duration: 8364620, median: 869, count: 100000, shorter: 99999, cells: { off_cpu_ns: "7977892", ctx_switches: "1", start_cpu: "1", cpu: "1" } }),
		"9\u202f630 times the median of its label (869 ns); longer than 99\u202f999 of 100\u202f000. Off the processors for 7.978 ms, 95.4 % of it, 1 switch. Began and ended on processor 1.");
	assert.equal(page.explain({ duration: 0, median: 0, count: 2, shorter: 0, cells: { off_cpu_ns: "0", start_cpu: "3", cpu: "0" } }),
		"The median of its label is 0 ns; longer than 0 of 2. Began on processor 3, ended on processor 0.");
	assert.equal(page.explain({ duration: 10, median: undefined, count: 9, shorter: 0, cells: { off_cpu_ns: "5" } }), "Off the processors for 5 ns, 50.0 % of it.");
	assert.equal(page.explain({ duration: 5, median: 5, count: 1, shorter: 0, cells: { off_cpu_ns: null, cpu: "2" } }), "");
	assert.equal(page.explain({ duration: 50, median: 5, count: 2, shorter: 1, cells: { flags: "open" } }),
		"Open at the end of the trace: the duration is the time so far. 10 times the median of its label (5 ns); longer than 1 of 2.");
	assert.equal(page.explain({ duration: 50, count: 1, cells: { flags: "no-end+open" } }), "Its end may have been overwritten: shown as open until the end of the trace.");
	assert.equal(page.explain({ duration: 50, count: 1, cells: { flags: "detailed+children-lost" } }), "Intervals nested inside may have been overwritten: its self time is an upper bound.");
});

test("why in words", () => {
	const answer = { label: "a\u202eb", minor: 1, count: 1775, tail_pct: 99, middle: { mean_ns: 5000 }, tail: { count: 18, mean_ns: 105000 }, difference_ns: 100000,
		explanations: [{ by: "parent", value: "none", with_tail: 13, with_p50_ns: 6226, others_p50_ns: 4719, share_pct: 72.41 }],
		terms_ns: { instructions: 53000, cpi: -8000, cycles_per_ns: null, off_cpu: 500, unattributed: 54500 } };
	const flat = { ...answer, label: null, explanations: undefined, difference_ns: 0 };
	const unknown = { ...answer, explanations: [], terms_ns: { instructions: null, cpi: null, cycles_per_ns: null, off_cpu: null, unattributed: 100000 } };
	const even = { ...answer, explanations: [], terms_ns: { instructions: 100000, cpi: null, cycles_per_ns: null, off_cpu: null, unattributed: -10 } };
	const few = { ...unknown, middle: { ...answer.middle, count: 164, off_cpu_intervals: 164 }, tail: { ...answer.tail, off_cpu_intervals: 12 } };
	const tooFew = "time off the processors was measured in 12 of the 18 slowest and 164 of the 164 around the median, too few to attribute it";
	const partly = { ...even, middle: few.middle, tail: few.tail };
	const start = "the slowest (from p99 up: 18 of 1\u202f775) take 105 \u00b5s on average, those around the median 5 \u00b5s.";
	assert.deepEqual(page.whyList([answer, flat, unknown, even, few, partly].map((one) => JSON.stringify(one) + "\n").join("")), [
		["a\\u{202e}b", start + " Of the difference: more instructions 53.0 %, fewer cycles per instruction -8.0 %, not attributed 54.5 %." +
			" The tail goes with parent none (72.4 %: 13 of its 18, median 6.226 \u00b5s, others' 4.719 \u00b5s)."],
		["minor 1", start + " There is no difference to explain."],
		["a\\u{202e}b", start + " Of the difference: nothing was measured that would attribute it."],
		["a\\u{202e}b", start + " Of the difference: more instructions 100.0 %, not attributed 0.0 %."],
		["a\\u{202e}b", start + " Of the difference: " + tooFew + "."],
		["a\\u{202e}b", start + " Of the difference: more instructions 100.0 %, not attributed 0.0 % (" + tooFew + ")."]]);
});

test("who ran on each processor", () => {
	const lanes = 40, all = makeLanes(13, lanes, 300), store = storeOf(all, lanes), next = random(14);
	store.lanes.forEach((lane, i) => lane.machine = i % 2);
	all.forEach((one, number) => Object.assign(one, { number, cpu: next() < 0.1 ? NaN : Math.floor(next() * 2), switches: [0, 3, NaN][Math.floor(next() * 3)] }));
	const columnOf = (list, of) => Float64Array.from(list, of), absent = columnOf(all, () => NaN);
	const got = page.finish(page.processorsOf(store, new page.Residence(columnOf(all, (one) => one.cpu), columnOf(all, (one) => one.switches))));
	assert.deepEqual(got.lanes.map((lane) => [lane.machine, lane.cpu]), [[0, 0], [0, 1], [1, 0], [1, 1]]);
	const wanted = all.filter((one) => !one.level && !isNaN(one.cpu));
	assert.deepEqual(Array.from(got.origin, (at) => store.number[at]).sort((a, b) => a - b), wanted.map((one) => one.number));
	let crowded = 0;
	for (const lane of got.lanes) {
		assert.ok(lane.levels.length <= page.PROCESSOR_ROWS);
		for (const row of lane.levels)
			for (let at = got.offset[row]; at < got.offset[row + 1]; at++) {
				const one = all[store.number[got.origin[got.number[at]]]], isEnd = got.start[at] !== one.start || got.duration[at] !== one.duration;
				crowded += isEnd;
				assert.deepEqual([one.lane % 2, one.cpu, one.switches === 0, one.lane], [lane.machine, lane.cpu, got.stayed[got.number[at]] === 1, got.name[at]]);
				assert.deepEqual([got.end(at), got.duration[at]], [one.start + one.duration, isEnd ? 0 : one.duration]);
				assert.ok(at === got.offset[row] || got.end(at - 1) <= got.start[at], "intervals of a row overlap");
			}
	}
	assert.ok(crowded > 0);
	assert.equal(page.finish(page.processorsOf(store, new page.Residence(absent, absent))).lanes.length, 0);
	const few = makeLanes(15, 2, 2000), small = storeOf(few, 2), from = 20000, to = 47000;
	small.lanes.forEach((lane) => lane.machine = 0);
	const known = new page.Residence(columnOf(few, () => 4), columnOf(few, (one) => one.lane ? 0 : 1));
	const [use, ...others] = page.finish(page.usesOf(page.finish(page.processorsOf(small, known)), from, to));
	const inside = few.filter((one) => !one.level && overlaps(one, from, to)), stayed = inside.filter((one) => one.lane);
	assert.deepEqual([use.lane.cpu, use.count, use.stayed, others.length], [4, inside.length, stayed.length, 0]);
	assert.equal(use.time, stayed.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.start + one.duration) - Math.max(from, one.start)), 0));
});

// Three processors of two machines, as in the blocks: a processor's runs are in order, with idle time between some.
function makeRuns(seed) {
	const next = random(seed), unknown = page.RUNS_UNKNOWN.length, ends = [0, 0, 0], runs = [];
	const threads = [[0, 5, 5, "main"], [0, 5, 6, null], [0, 7, 7, "<b>"], [1, 5, 5, "main"]].map(([machine, pid, tid, name]) => ({ machine, pid, tid, name }));
	const lanes = [[3, 1], [1, 0], [0, 0]].map(([cpu, machine]) => ({ cpu, machine, file: machine, known: 0, unknown: 0, lost: 0 }));
	for (let i = 0; i < 5000; i++) {
		const lane = Math.floor(next() * 3), after = next() < 0.5 ? 0 : Math.floor(next() * 100), duration = 1 + Math.floor(next() ** 3 * 400);
		const thread = next() < 0.1 ? Math.floor(next() * unknown) : unknown + (lanes[lane].machine ? 3 : Math.floor(next() * 3));
		lanes[lane][thread < unknown ? "unknown" : "known"]++;
		runs.push({ lane, after, duration, thread, start: ends[lane] + after, end: ends[lane] += after + duration, isKnown: thread >= unknown });
	}
	const store = new page.RunStore({ lanes, longest: 400 }, threads);
	for (let first = 0; first < runs.length; first += 2000) {
		const part = runs.slice(first, first + 2000);
		store.addRuns(page.readRuns(Uint8Array.from([...leb(part.length), ...["lane", "after", "duration", "thread"].flatMap((name) => column(part.map((one) => one[name])))])));
	}
	store.finish();
	return { store, runs, threads, lanes, unknown };
}

test("runs of threads, by the kernel's switches", () => {
	const { store, runs, threads, lanes, unknown } = makeRuns(21), until = Math.max(...runs.map((one) => one.end)), next = random(22);
	assert.deepEqual(store.processors.map(({ machine, cpu }) => [machine, cpu]), [[0, 0], [0, 1], [1, 3]]);
	const within = (one, from, to) => Math.max(0, Math.min(one.end, to) - Math.max(one.start, from)), sum = (list, of) => list.reduce((all, one) => all + of(one), 0);
	for (let i = 0; i < 50; i++) {
		const from = Math.floor(next() * until), to = from + 1 + Math.floor(next() ** 3 * (until - from)), inside = runs.filter((one) => one.start < to && one.end > from);
		const got = page.finish(page.ranIn(store, from, to));
		got.processors.forEach(({ lane, count, busy, unknown: time }, index) => {
			const own = inside.filter((one) => lanes[one.lane].cpu === lane.cpu && lanes[one.lane].machine === lane.machine), known = own.filter((one) => one.isKnown);
			assert.deepEqual([count, busy, time], [known.length, sum(known, (one) => within(one, from, to)), sum(own.filter((one) => !one.isKnown), (one) => within(one, from, to))]);
			const thread = threads[i % 4], others = store.othersIn(lane, from, to, thread), at = unknown + i % 4;
			assert.deepEqual(others && Object.fromEntries(others), own.every((one) => one.isKnown) ? own.reduce((all, one) => one.thread === at ? all
				: { ...all, [one.thread]: (all[one.thread] ?? 0) + within(one, from, to) }, {}) : null, "who else ran");
			const query = store.query(from, to, index);
			assert.deepEqual([query.count, query.longest, query.sum], [known.length, Math.max(0, ...known.map((one) => one.end - one.start)), sum(known, (one) => one.end - one.start)]);
		});
		assert.ok(got.threads.every((one, at) => !at || one.time <= got.threads[at - 1].time));
		const byThread = threads.map((_, thread) => inside.filter((one) => one.thread === unknown + thread)).map((own) => [own.length, sum(own, (one) => within(one, from, to))]);
		assert.deepEqual(threads.map((_, thread) => got.threads.find((one) => one.name === unknown + thread) ?? { count: 0, time: 0 }).map(({ count, time }) => [count, time]), byThread);
	}
	assert.equal(store.ranked.length, threads.length);
	for (let i = 0; i < 200; i++) {
		const time = Math.floor(next() * until), thread = threads[i % 4], own = runs.filter((one) => one.thread === unknown + i % 4).sort((a, b) => a.start - b.start);
		const at = store.runOf(thread, time), now = own.filter((one) => one.start <= time && one.end > time);
		assert.ok(at < 0 ? !now.length : now.some((one) => one.start === store.start[at] && one.end === store.end(at)), "the run at a time");
		if (at < 0)
			continue;
		assert.equal(store.processorOf(at).machine, thread.machine);
		for (const [step, found] of [[1, own.find((one) => one.start > store.start[at])], [-1, own.findLast((one) => one.start < store.start[at])]])
			assert.equal(store.nextOf(at, step) < 0 ? undefined : store.start[store.nextOf(at, step)], found?.start, "the thread's next run");
		const [before, after] = [store.beside(at, -1), store.beside(at, 1)];
		assert.ok(before < 0 || store.end(before) <= store.start[at]);
		assert.ok(after < 0 || store.start[after] >= store.end(at));
	}
	assert.equal(store.runOf({ machine: 0, pid: 6, tid: 5 }, store.start[0]), -1, "of another process");
});

test("times of which it is not known who ran are drawn at any zoom", () => {
	const { store } = makeRuns(23), width = 97, painter = new page.Painter(width, 8, [0, 0, 0]), until = 400000;
	for (const view of [{ from: 0, to: until }, { from: 1000, to: 3000 }, { from: 5000, to: 5100 }])
		for (const { unknownRow } of store.processors) {
			painter.begin(0);
			painter.stripes(store, unknownRow, view, 0, 8, 1);
			const drawn = Array.from({ length: width }, (_, x) => Array.from({ length: 8 }, (_, y) => painter.pixels[y * width + x]).includes(1));
			const wanted = new Array(width).fill(false), scale = width / (view.to - view.from), [low, high] = store.bounds(unknownRow, view.from, view.to);
			for (let at = low; at < high; at++) {
				const left = Math.max(0, Math.floor((store.start[at] - view.from) * scale)), right = Math.max(left + 1, Math.floor((store.end(at) - view.from) * scale));
				wanted.fill(true, left, Math.min(width, right));
			}
			assert.ok(drawn.every((is, x) => is || !wanted[x]), "nothing vanishes");
			assert.ok(drawn.every((is, x) => !is || wanted[x] || wanted[x - 1]), "nothing is beside it");
		}
});

test("times of which it is not known who ran are drawn above runs", () => {
	const columns = 60, count = 3 * columns, runs = Array.from({ length: count }, (_, i) => i % 3 === 1);
	const store = new page.RunStore({ lanes: [{ cpu: 0, machine: 0, file: 0, known: 2 * columns, unknown: columns, lost: null }], longest: 450 },
		[{ machine: 0, pid: 1, tid: 1, name: "one" }]);
	store.addRuns({ count, lane: new Uint32Array(count), after: new Float64Array(count), duration: runs.map((isUnknown) => isUnknown ? 100 : 450),
		thread: runs.map((isUnknown) => isUnknown ? 0 : page.RUNS_UNKNOWN.length) });
	store.finish();
	const panel = new page.RunPanel({ chosen: -1, theme: () => ({ back: [0, 0, 0] }) }), lost = page.pixelOf(page.LOST_COLOUR);
	panel.store = store;
	panel.colourBy("thread");
	for (let y = 0; y < 6; y++)
		for (const tall of [16, 20, 32]) {
			const painter = new page.Painter(columns, y + tall, [0, 0, 0]);
			painter.begin(0);
			panel.paint(painter, store.processors[0], { from: 0, to: 1000 * columns }, y, tall, 1);
			for (let x = 0; x < columns; x++)
				assert.ok(Array.from({ length: tall }, (_, line) => painter.pixels[(y + line) * columns + x]).includes(lost), "column " + x + " of " + tall + " lines");
		}
});

// Threads 5 and 6 of a machine wake each other, and interrupts do, on two processors. A third thread is preempted.
function makeWakeups(missing = []) {
	const threads = [[5, "main"], [6, "worker"], [7, null]].map(([tid, name]) => ({ machine: 0, pid: 5, tid, name })), [main, worker, other] = [3, 4, 5];
	const runs = [[0, 0, 10, main, 1], [0, 20, 10, main, 1], [0, 60, 10, other, 2], [0, 80, 10, other, 1], [0, 100, 20, main, 0],
		[1, 5, 30, worker, 1], [1, 35, 5, 2, 0], [1, 50, 10, worker, 1], [1, 70, 5, worker, 1], [1, 90, 5, worker, 0], [1, 110, 10, 1, 0]];
	// The third one was too early for a wait; the last ones are of another machine and of a waker without a name.
	const wakeups = [[0, 2, 6, main, 0], [0, 65, 6, 0, 1], [0, 88, 6, 2, 0], [1, 15, 5, worker, 0], [1, 72, 5, worker, 0], [1, 93, 5, main, 2], [2, 95, 5, worker, 0], ...missing].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
	const ofLane = (list, lane) => list.filter((one) => one[0] === lane), lanes = [[0, 0], [1, 0], [0, 1]].map(([cpu, machine], lane) => ({ cpu, machine, file: machine,
		known: ofLane(runs, lane).filter((one) => one[3] > 2).length, unknown: ofLane(runs, lane).filter((one) => one[3] < 3).length, lost: 0, wakeups: ofLane(wakeups, lane).length }));
	const store = new page.RunStore({ lanes, longest: 30, wakeups: true }, threads), ends = [0, 0, 0], woke = [0, 0, 0];
	const block = (rows) => Uint8Array.from([...leb(rows.length), ...rows[0].flatMap((_, i) => column(rows.map((row) => row[i])))]);
	store.addRuns(page.readRuns(block(runs.map(([lane, start, duration, thread, how]) => {
		const after = start - ends[lane];
		ends[lane] = start + duration;
		return [lane, after, duration, thread, how];
	}))));
	store.addWakeups(page.readWakeups(block(wakeups.map(([lane, time, tid, by, how]) => {
		const after = time - woke[lane];
		woke[lane] = time;
		return [lane, after, tid, by, how];
	}))));
	store.finish();
	return { store, threads, at: (lane, start) => Array.from(store.start.keys()).find((one) => store.start[one] === start && store.processorOf(one).cpu === lane) };
}

test("who ended a thread's waits", () => {
	const { store, threads, at } = makeWakeups(), told = (wait) => wait && [wait.from, wait.to, wait.by, wait.time, wait.isInterrupt];
	assert.deepEqual(told(store.waitBefore(at(0, 20))), [10, 20, 4, 15, false], "by a thread, on another processor");
	assert.deepEqual(told(store.waitBefore(at(1, 50))), [35, 50, undefined, undefined, undefined], "the only one was before it ran");
	assert.deepEqual(told(store.waitBefore(at(1, 70))), [60, 70, 0, 65, true], "by an interrupt, while idle");
	assert.deepEqual(told(store.waitBefore(at(1, 90))), [75, 90, undefined, undefined, undefined], "by a thread without a name");
	assert.deepEqual(told(store.waitBefore(at(0, 100))), [30, 100, 3, 93, true], "the last of several, by an interrupt");
	assert.equal(store.waitBefore(at(0, 80)), null, "preempted");
	assert.equal(store.waitBefore(at(0, 0)), null, "nothing before");
	assert.deepEqual(store.waitsIn(threads[0], 0, 120, 5).map(told), [[30, 100, 3, 93, true], [10, 20, 4, 15, false]], "the longest first");
	assert.deepEqual(store.waitsIn(threads[0], 0, 120, 1).length, 1);
	assert.deepEqual(store.waitsIn(threads[0], 21, 100, 5), [], "those that ended within");
	assert.deepEqual(store.waitsIn({ machine: 0, pid: 9, tid: 5 }, 0, 120, 5), [], "of another process");
	assert.deepEqual(store.lastWakeup({ machine: 1, tid: 5 }, 0, 200), { time: 95, by: 4, isInterrupt: false, lane: store.processors[2] }, "of a machine");
	assert.ok(store.isUnknownIn(0, 110, 111) && !store.isUnknownIn(0, 30, 110) && !store.isUnknownIn(1, 0, 120), "a thread without a number is another one");
});

test("the next run of threads that a search found, and its place among them", () => {
	for (const seed of [3, 8]) {
		const { store } = makeRuns(seed), panel = new page.RunPanel({}), next = random(seed);
		panel.store = store;
		assert.equal(panel.search(null), 0);
		assert.deepEqual([panel.matches, panel.matched], [null, 0]);
		const found = panel.search((name) => name.includes(panel.shortText(store.ranked[0])) || name === panel.shortText(store.ranked[1]));
		assert.ok(found >= 2 && !panel.matches.slice(0, page.RUNS_UNKNOWN.length).includes(true), "threads, not why they are unknown");
		const runs = Array.from(store.start.keys()).filter((at) => panel.matches[store.name[at]]).sort((a, b) => store.start[a] - store.start[b] || a - b);
		assert.equal(panel.matched, runs.length);
		for (const step of [1, -1]) {
			const order = step > 0 ? runs : runs.slice().reverse();
			assert.equal(store.nextNamed(panel.matches, -1, step), order[0]);
			assert.equal(store.nextNamed(panel.matches, order.at(-1), step), -1, "after the last one");
			for (let i = 0; i < 200; i++) {
				const place = Math.floor(next() * (order.length - 1));
				assert.equal(store.nextNamed(panel.matches, order[place], step), order[place + 1]);
				assert.equal(store.rankNamed(panel.matches, order[place]), step > 0 ? place + 1 : order.length - place);
			}
		}
		const other = Array.from(store.start.keys()).find((at) => !store.isUnknown(at) && !panel.matches[store.name[at]]);
		assert.equal(store.nextNamed(panel.matches, other, 1), runs.find((at) => store.start[at] > store.start[other] || (store.start[at] === store.start[other] && at > other)) ?? -1, "from one that was not found");
	}
});

test("colours of runs: groups of threads, those with the most time first", () => {
	const { store, runs, threads, unknown } = makeRuns(31), panel = new page.RunPanel({ chosen: -1 });
	Object.assign(panel, { store, leaders: new Map() });
	for (const [choice, keyOf] of [["thread", (i) => i], ["name", (i) => threads[i].name ?? "tid " + threads[i].tid], ["process", (i) => threads[i].machine + " " + threads[i].pid]]) {
		const times = new Map();
		for (const { thread, start, end } of runs.filter((one) => one.isKnown))
			times.set(keyOf(thread - unknown), (times.get(keyOf(thread - unknown)) ?? 0) + end - start);
		const order = Array.from(times.keys()).sort((a, b) => times.get(b) - times.get(a));
		panel.colourBy(choice);
		assert.equal(panel.groups.names.length, order.length);
		store.start.forEach((_, at) => {
			if (!store.isUnknown(at))
				assert.equal(panel.colourAt(at), page.PALETTE[order.indexOf(keyOf(store.name[at] - unknown))]);
		});
	}
});

test("the interval that ran has most of a run's time, of the outermost ones of its thread", () => {
	const { store: runs, threads } = makeRuns(33), intervals = [], next = random(34), until = Math.max(...Array.from(runs.start));
	// Two lanes of thread 5 of machine 0, one of thread 6, which is apart.
	for (const [lane, level, count] of [[0, 0, 300], [0, 1, 200], [1, 0, 40], [2, 0, 100]])
		for (let i = 0, at = 0; i < count; i++) {
			const start = at + Math.floor(next() * until / count), duration = Math.floor(next() ** 2 * until / count);
			intervals.push({ lane, level, start, end: at = start + duration, row: [0, 2, 3][lane] + level });
		}
	const lanes = [[5, 2], [5, 1], [6, 1]].map(([tid, levels], lane) => ({ name: 0, tid, pid: 5, machine: 0, apart: lane === 2 ? true : undefined,
		rows: Array.from({ length: levels }, (_, level) => [[0, 2, 3][lane] + level, intervals.filter((one) => one.lane === lane && one.level === level).length]).flat() }));
	const store = new page.Store({ intervals: intervals.length, rows: 4, overview: { longest: [until] } }, lanes, ["lone"]);
	const value = (of) => Float64Array.from(intervals, of);
	store.add({ count: intervals.length, start: value((one) => one.start), duration: value((one) => one.end - one.start), name: value(() => 0), row: value((one) => one.row) });
	store.finish();
	const found = new page.RunIntervals(runs, store), panel = new page.RunPanel({ store, holds: () => true, view: {}, isDark: () => false, colourAt: (at) => "of " + at });
	Object.assign(panel, { store: runs, coloured: "interval", byInterval: true });
	let none = 0;
	runs.start.forEach((from, at) => {
		const thread = threads[runs.name[at] - page.RUNS_UNKNOWN.length], to = runs.end(at), isOf = thread === threads[0];
		const times = intervals.map((one) => isOf && one.lane < 2 && one.level === 0 ? Math.min(one.end, to) - Math.max(one.start, from) : 0), most = Math.max(...times);
		const got = found.of(at);
		none += got < 0;
		if (most <= 0)
			assert.equal(got, -1);
		else
			assert.equal(Math.min(store.end(got), to) - Math.max(store.start[got], from), most);
		assert.equal(found.of(at), got, "as before");
		if (!runs.isUnknown(at))
			assert.deepEqual(panel.colourAt(at), got < 0 ? [206, 210, 217] : "of " + got);
	});
	assert.ok(none > 100 && none < runs.count - 100);
	panel.page.holds = () => false;
	assert.equal(panel.shown(), "thread", "the view's intervals are not in memory");
});

test("a run's waker, for scripts", () => {
	const { store, at } = makeWakeups(), panel = new page.RunPanel({});
	panel.store = store;
	const waker = (lane, start) => panel.runBy(store.number[at(lane, start)]).waker;
	assert.deepEqual(waker(0, 20), { interrupt: false, name: "worker", tid: 6, pid: 5, processor: 1, time: 15, waited: 10, delay: 5 });
	assert.deepEqual(waker(1, 70), { interrupt: true, name: null, tid: 0, pid: 0, processor: 0, time: 65, waited: 10, delay: 5 }, "while idle");
	assert.deepEqual(waker(0, 100), { interrupt: true, name: "main", tid: 5, pid: 5, processor: 1, time: 93, waited: 70, delay: 7 }, "while a thread ran");
	assert.equal(waker(1, 50), null, "no wake-up in that time");
	assert.equal(waker(1, 90), null, "a thread without a name");
	assert.equal(waker(0, 80), null, "preempted");
	assert.equal(waker(0, 0), null, "nothing before");
	store.wakeups[0].how[store.wakeups[0].time.indexOf(88)] = 1;
	assert.deepEqual(waker(1, 90), { interrupt: true, name: null, tid: null, pid: null, processor: 0, time: 88, waited: 15, delay: 2 }, "an interrupt of a thread without a name");
	store.how = null;
	assert.equal(waker(0, 20), null, "the page has no wake-ups");
});

test("a wait has no waker if wake-ups of that time are missing, on whichever processor", () => {
	/* Up to 14, since 2; and up to 74, since 72. */
	const { store, at } = makeWakeups([[0, 14, 0, 0, 0], [1, 74, 0, 0, 0]]), by = (lane, start) => store.waitBefore(at(lane, start)).by;
	assert.equal(by(0, 20), undefined, "before the wake-up, in the thread's time");
	assert.equal(by(1, 70), 0, "after them, and before the others");
	assert.equal(by(0, 100), undefined, "within the time");
	assert.equal(makeWakeups([[2, 99, 0, 0, 0]]).store.waitBefore(at(0, 20)).by, 4, "of another machine");
});

test("wakers in words, and where they were then", () => {
	const { store, at } = makeWakeups(), panel = new page.RunPanel({ store: { lanes: [] }, meta: {}, holds: () => true });
	assert.match(panel.wakersAbsent(), /^not recorded/);
	Object.assign(panel, { store, leaders: new Map([["0 5", "main"]]) });
	assert.equal(panel.wakersAbsent(), "");
	const [thread, idle, late] = [at(0, 20), at(1, 70), at(0, 100)].map((run) => store.waitBefore(run));
	assert.equal(panel.wakerText(thread), "worker (tid 6) of main (pid 5)");
	assert.equal(panel.wakerText(idle), "an interrupt (while idle)");
	assert.equal(panel.wakerText(late), "an interrupt (while main (tid 5) ran)");
	assert.equal(panel.wakerText({ by: 2, isInterrupt: true }), "an interrupt");
	assert.match(panel.wakerPlace(thread).text, /^then running for 30\u202fns|^then running for 30 ns/);
	assert.equal(panel.wakerPlace(idle), null);
	assert.equal(panel.wakerPlace(late), null, "nothing of the waker's at that time");
	assert.match(panel.wakerPlace({ ...thread, isInterrupt: true }).text, /^it interrupted a run of 30.ns$/);
	panel.page.holds = () => false;
	assert.match(panel.wakerPlace(thread).text, /not read there: zoom in/);
	panel.page.store = { lanes: [{ machine: 0, pid: 5, tid: 6, levels: [0] }], bounds: () => [0, 1], name: [0], duration: [12] };
	panel.page.names = ["send"];
	assert.match(panel.wakerPlace(thread).text, /^then in send, 12.ns$/);
	store.wakers = false;
	assert.match(panel.wakersAbsent(), /leaves out/);
	panel.store = null;
	panel.page.meta.switches_left_out = true;
	assert.match(panel.wakersAbsent(), /none of the kernel's context switches/);
});

test("the interval beneath a run is the innermost one of its thread", () => {
	const all = makeIntervals(25, 2, 900), store = storeOf(all, 2), next = random(26);
	store.lanes.forEach((lane, i) => Object.assign(lane, { machine: 0, tid: 7 + i, pid: 7 }));
	for (let i = 0; i < 100; i++) {
		const from = Math.floor(next() * 90000), to = from + 1 + Math.floor(next() * 2000), at = page.innermostOf(store, { machine: 0, pid: 7, tid: 8 }, from, to);
		const inside = all.filter((one) => one.lane === 1 && overlaps(one, from, to)), depth = Math.max(...inside.map((one) => one.level));
		assert.equal(at < 0 ? undefined : store.start[at], inside.find((one) => one.level === depth)?.start);
	}
	store.lanes[1].apart = true;
	assert.equal(page.innermostOf(store, { machine: 0, pid: 7, tid: 8 }, 0, 1e6), -1, "its number is another thread's");
});

test("no script can end its element, and none makes markup of text", () => {
	const names = readdirSync(folder).filter((name) => name.endsWith(".js"));
	assert.ok(names.includes("ui.js"));
	for (const name of names) {
		const text = readFileSync(join(folder, name), "utf8");
		assert.doesNotMatch(text, /<\/script|<!--/i, name);
		assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/, name);
	}
});

test("limits are told where there are some", () => {
	const meta = { columns: ["cpu", "raw_cpi", "minor"], numeric: [0, 1], intervals: 2000, losses: [] }, both = [{ name: "why" }, { name: "info" }];
	assert.deepEqual(page.limitsOf(meta, 1000000, both), []);
	assert.match(page.limitsOf(meta, 1000, both)[0], /^Beyond 1\u202f000 intervals/);
	assert.match(page.limitsOf({ ...meta, children_lost: 1200 }, 1000000, both)[0], /^Of 1\u202f200 intervals .* self times, and .* are upper bounds\.$/);
	assert.match(page.limitsOf({ ...meta, open_no_end: 1 }, 1000000, both)[0], /^Of 1 interval the end may have been overwritten .* nested inside\.$/);
	assert.equal(page.openText({ open: 0 }), "");
	assert.match(page.openText({ open: 1200 }), /^With the time so far of .* \(1\u202f200 in all\)\.$/);
	assert.match(page.limitsOf({ ...meta, values_left_out: 1, times_of: 32768 }, 1000000, both).join(" "), /^1 name of an argument or event has no column .* 1\u202f000 columns\. In the summary .* first 32\u202f768 names/);
	assert.match(page.limitsOf({ ...meta, marks_left_out: true }, 1000000, both)[0], /^Hooks .* not marked/);
	assert.match(page.limitsOf({ ...meta, switches_left_out: true, span: ["1", "2"] }, 1000000, both)[0], /^The kernel's context switches .* a page of a span has none/);
	assert.match(page.limitsOf({ ...meta, switches_left_out: true }, 1000000, both)[0], /^The kernel's context switches .* 4\u202f000\u202f000 runs/);
	assert.match(page.limitsOf({ ...meta, losses: [{ what: "hooks lost: too big" }] }, 1000000, both)[0], /^When hooks were lost/);
	assert.match(page.limitsOf({ ...meta, span: ["1", "2"], intervals: 40000000 }, 40000000, []).join(" "), /^A page of a span[^.]*\.$/);
	assert.match(page.limitsOf(meta, 1000000, [{ name: "why" }, { name: "info", without_costs: true }]).join(" "), /^The report info lacks[^.]*\. Run cpidecode --report info\.$/);
	assert.match(page.limitsOf(meta, 1000000, [{ name: "info" }])[0], /^The report why is not here/);
	const tiled = page.limitsOf({ ...meta, tiles: { means: [1] } }, 1000000, [{ name: "info" }]);
	assert.match(tiled.join(" "), /which the file has for: raw_cpi\. Codes, numbers of processors and columns behind the first 64 have no mean, and need at most about 1 million intervals in view: cpu\..*cpidecode --report why/);
});
