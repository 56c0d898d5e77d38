"use strict";
/*
 * What a span holds: the summary by label, the histogram and the flame graph. Generators, so that the page can continue drawing in between: each yields after some work and returns its result.
 */

const WORK = 1 << 16;

/* Runs a generator to its end. */
function finish(generator) {
	for (;;) {
		const step = generator.next();
		if (step.done)
			return step.value;
	}
}

/* The ranges of positions that overlap a span: [low, high, row] of each row that has any. */
function rangesOf(store, from, to) {
	const ranges = [];
	for (const lane of store.lanes)
		for (const row of lane.levels) {
			const [low, high] = store.bounds(row, from, to);
			if (low < high)
				ranges.push([low, high, row]);
		}
	return ranges;
}

/* The nearest rank: at least that share of sorted values is up to it. */
function atRank(sorted, percent) {
	return sorted[Math.max(0, Math.ceil(sorted.length * percent / 100) - 1)];
}

/* Exact sums by name: what a double may no longer hold exactly goes into a BigInt. */
class Sums {
	constructor(names) {
		this.part = new Float64Array(names);
		this.rest = new Map();
	}

	add(name, value) {
		if ((this.part[name] += value) > 2 ** 52) {
			this.rest.set(name, this.get(name));
			this.part[name] = 0;
		}
	}

	get(name) {
		return (this.rest.get(name) || 0n) + BigInt(this.part[name]);
	}
}

/* By name, the durations less those of the intervals directly nested in them, never below 0. */
function* selfOf(store, ranges) {
	const sums = new Sums(store.names.length), within = new Map();
	let done = 0;
	for (const [child, parent] of store.adopted)
		within.set(parent, (within.get(parent) || 0) + store.duration[child]);
	for (const [low, high, row] of ranges) {
		const nested = new Float64Array(high - low);
		const below = store.lanes[store.laneOf[row]].levels[store.levelOf[row] + 1];
		if (below !== undefined) {
			const end = store.offset[below + 1], last = store.offset[row + 1];
			let at = store.firstFrom(store.start[low], store.offset[below], end);
			for (let parent = low; at < end; at++) {
				while (parent + 1 < last && store.precedes(parent + 1, at))
					parent++;
				if (parent >= high)
					break;
				nested[parent - low] += store.duration[at];
				if (++done % WORK === 0)
					yield;
			}
		}
		for (let at = low; at < high; at++) {
			if (within.size && within.has(at))
				nested[at - low] += within.get(at);
			sums.add(store.name[at], Math.max(0, store.duration[at] - nested[at - low]));
			if (++done % WORK === 0)
				yield;
		}
	}
	return sums;
}

/* Sums are exact: a BigInt. */
function* summarize(store, from, to) {
	const ranges = rangesOf(store, from, to);
	const counts = new Uint32Array(store.names.length);
	let all = 0, done = 0;
	for (const [low, high] of ranges) {
		for (let at = low; at < high; at++) {
			counts[store.name[at]]++;
			if (++done % WORK === 0)
				yield;
		}
		all += high - low;
	}
	const begin = new Uint32Array(counts.length + 1);
	for (let i = 0; i < counts.length; i++)
		begin[i + 1] = begin[i] + counts[i];
	const next = begin.slice(), durations = new store.duration.constructor(all);
	for (const [low, high] of ranges)
		for (let at = low; at < high; at++) {
			durations[next[store.name[at]]++] = store.duration[at];
			if (++done % WORK === 0)
				yield;
		}
	const own = yield* selfOf(store, ranges), rows = [];
	for (let name = 0; name < counts.length; name++) {
		if (!counts[name])
			continue;
		const sorted = durations.subarray(begin[name], begin[name + 1]).sort();
		let sum = 0n, part = 0;
		for (let i = 0; i < sorted.length; i++) {
			part += sorted[i];
			if (part > 2 ** 52 || i === sorted.length - 1) {
				sum += BigInt(part);
				part = 0;
			}
		}
		rows.push({
			name, count: sorted.length, total: sum, self: own.get(name), mean: Number(sum) / sorted.length,
			min: sorted[0], p50: atRank(sorted, 50), p90: atRank(sorted, 90),
			p99: atRank(sorted, 99), max: sorted[sorted.length - 1],
		});
		yield;
	}
	return { count: all, rows, histogram: histogramOf(durations) };
}

/* By doublings: bucket 0 holds durations of 0, bucket i those of [2^(i-1), 2^i). */
function bucketOf(duration) {
	if (duration < 2 ** 32)
		return 32 - Math.clz32(duration);
	return 64 - Math.clz32(Math.floor(duration / 2 ** 32));
}

function histogramOf(durations) {
	const buckets = new Array(55).fill(0);
	for (const duration of durations)
		buckets[bucketOf(duration)]++;
	return buckets;
}

/*
 * The range of a column that colours show: from its 1st to its 99th percentile in a sample, so that
 * one outlier does not make all others alike; by logarithms if it is wide. null: it has no numbers.
 */
function rangeOf(values) {
	const step = Math.max(1, Math.floor(values.length / 50000)), sample = [];
	for (let i = 0; i < values.length; i += step)
		if (!isNaN(values[i]))
			sample.push(values[i]);
	if (!sample.length) {
		const found = values.find((value) => !isNaN(value));
		return found === undefined ? null : { low: found, high: found, isLog: false };
	}
	sample.sort((a, b) => a - b);
	const low = atRank(sample, 1), high = atRank(sample, 99);
	return { low, high, isLog: low > 0 && high / low > 100 };
}

/* Where a value is in a range: 0 to 1. */
function shareOf(range, value) {
	const scale = range.isLog ? Math.log : Number;
	const low = scale(range.low), high = scale(range.high);
	if (high <= low)
		return value > range.high ? 1 : value < range.low ? 0 : 0.5;
	const at = range.isLog ? Math.log(Math.max(value, range.low)) : value;
	return Math.min(1, Math.max(0, (at - low) / (high - low)));
}

/*
 * How many intervals start when and last how long: a grid of `columns` by the histogram's buckets.
 * Those that began before the span are in its first column.
 */
function* heatOf(store, from, to, columns) {
	const buckets = 55, counts = new Uint32Array(columns * buckets), scale = columns / (to - from);
	let done = 0, lowest = buckets, highest = 0, most = 0;
	for (const [low, high] of rangesOf(store, from, to))
		for (let at = low; at < high; at++) {
			const column = Math.min(columns - 1, Math.max(0, Math.floor((store.start[at] - from) * scale)));
			const bucket = bucketOf(store.duration[at]);
			most = Math.max(most, ++counts[column * buckets + bucket]);
			lowest = Math.min(lowest, bucket);
			highest = Math.max(highest, bucket);
			if (++done % WORK === 0)
				yield;
		}
	return { counts, columns, buckets, lowest, highest, most };
}

/*
 * Intervals by their starts, in `columns` parts of the span: how many there are, and of those that
 * have a value (valueOf(position), NaN: none; no function: of none) the least, mean and greatest.
 */
function* curveOf(store, from, to, columns, valueOf) {
	const counts = new Float64Array(columns), measured = new Float64Array(columns), sums = new Float64Array(columns);
	const least = new Float64Array(columns).fill(Infinity), most = new Float64Array(columns).fill(-Infinity);
	const scale = columns / (to - from);
	let done = 0;
	for (const [low, high] of rangesOf(store, from, to))
		for (let at = low; at < high; at++) {
			if (++done % WORK === 0)
				yield;
			if (store.start[at] < from)
				continue;
			const column = Math.min(columns - 1, Math.floor((store.start[at] - from) * scale));
			counts[column]++;
			const value = valueOf ? valueOf(at) : NaN;
			if (isNaN(value))
				continue;
			measured[column]++;
			sums[column] += value;
			least[column] = Math.min(least[column], value);
			most[column] = Math.max(most[column], value);
		}
	return { counts, least, most, mean: sums.map((sum, i) => sum / measured[i]) };
}

/*
 * Stacks of names. Of each frame: `time` is that of its intervals within the span, `count` how many
 * there are; children follow their parent. The first frame is the root, of all lanes' stacks. With
 * valueOf(position), NaN where there is none: `value` is its mean, weighted by that time. With
 * groupOf(lane), a number: `group` is the one with most of the time, which is `groupTime`. labels: of namesOf.
 */
function* flameOf(store, from, to, labels, valueOf, groupOf) {
	const frames = [{ name: -1, parent: -1, depth: 0, time: 0, count: 0, value: NaN }];
	const index = new Map(), names = store.names.length;
	const frameOf = (parent, name) => {
		const key = parent * names + name;
		let frame = index.get(key);
		if (frame === undefined) {
			frame = frames.length;
			frames.push({ name, parent, depth: frames[parent].depth + 1, time: 0, count: 0, value: NaN });
			index.set(key, frame);
		}
		return frame;
	};
	const frameAround = (at) => at < 0 ? 0 : frameOf(frameAround(store.parent(at)), labels[store.name[at]]);
	const weights = [], add = (frame, value, time) => {
		if (isNaN(value) || !time)
			return;
		const before = weights[frame] || 0;
		weights[frame] = before + time;
		frames[frame].value = (before ? frames[frame].value * (before / weights[frame]) : 0) + value * (time / weights[frame]);
	};
	const groups = [], addGroup = (frame, group, time) => {
		groups[frame] = groups[frame] || new Map();
		groups[frame].set(group, (groups[frame].get(group) || 0) + time);
	};
	let done = 0;
	for (const lane of store.lanes) {
		const group = groupOf && groupOf(lane);
		let around = null;
		for (const row of lane.levels) {
			const [low, high] = store.bounds(row, from, to);
			if (low >= high)
				break;
			const own = { low, frames: new Uint32Array(high - low) };
			for (let at = low, parent = around ? around.low : 0; at < high; at++) {
				while (around && parent + 1 - around.low < around.frames.length &&
					store.precedes(parent + 1, at))
					parent++;
				/* The parent of the first ones may have ended at `from`. */
				const above = around && store.precedes(parent, at) ? around.frames[parent - around.low] :
					frameAround(store.parent(at));
				const frame = frameOf(above, labels[store.name[at]]);
				const time = Math.max(0, Math.min(to, store.end(at)) - Math.max(from, store.start[at]));
				own.frames[at - low] = frame;
				frames[frame].time += time;
				frames[frame].count++;
				if (valueOf)
					add(frame, valueOf(at), time);
				if (groupOf)
					addGroup(frame, group, time);
				if (!above)
					frames[0].time += time;
				if (++done % WORK === 0)
					yield;
			}
			around = own;
		}
	}
	groups.forEach((times, frame) => {
		const [group, groupTime] = Array.from(times).reduce((best, one) => one[1] > best[1] ? one : best);
		Object.assign(frames[frame], { group, groupTime });
	});
	return frames;
}
