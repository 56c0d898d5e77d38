"use strict";
/*
 * The intervals in memory: typed arrays by row. A row holds the intervals of one lane and one level
 * of nesting: they are in order of time and do not overlap. A position is a place in these arrays,
 * an interval's number its place in the order of the trace (and of intervals.csv, from 0). Columns
 * other than these are by slot: the place of an interval's number among those of the store.
 *
 * Times are whole nanoseconds since the first start. A span [from, to) holds each interval that
 * overlaps it, with its whole duration; one of no duration counts where it starts.
 */

/* This many positions, or nodes, are one node of the next level. */
const FAN = 16;

/*
 * The page's names from its list: of threads and hooks a text, of intervals [text, minor] or, if it is not CPI's, [text,
 * minor, major]. By number: the text, the codes, and `labels`, the first number of the same text, which colours and flame
 * graphs go by.
 */
const CPI_MAJOR = 0xc0;
function namesOf(list) {
	const names = [], minors = [], majors = [], labels = new Uint32Array(list.length), first = new Map();
	list.forEach((one, i) => {
		[names[i], minors[i], majors[i] = CPI_MAJOR] = typeof one === "string" ? [one] : one;
		if (!first.has(names[i]))
			first.set(names[i], i);
		labels[i] = first.get(names[i]);
	});
	return { names, minors, majors, labels };
}

class Store {
	/* lanes: each with rows [row, count, row, count, ...] by level. */
	constructor(meta, lanes, names) {
		const count = meta.intervals;
		const counts = new Array(meta.rows).fill(0);
		const longest = meta.overview.longest.reduce((a, b) => Math.max(a, b), 0);
		this.meta = meta;
		this.lanes = lanes;
		this.names = names;
		this.count = count;
		this.laneOf = new Uint32Array(meta.rows);
		this.levelOf = new Uint32Array(meta.rows);
		lanes.forEach((lane, index) => {
			lane.index = index;
			lane.levels = [];
			for (let i = 0; i < lane.rows.length; i += 2) {
				lane.levels.push(lane.rows[i]);
				counts[lane.rows[i]] = lane.rows[i + 1];
				this.laneOf[lane.rows[i]] = index;
				this.levelOf[lane.rows[i]] = i / 2;
			}
		});
		this.offset = new Uint32Array(meta.rows + 1);
		for (let i = 0; i < counts.length; i++)
			this.offset[i + 1] = this.offset[i] + counts[i];
		this.next = this.offset.slice();
		this.start = new Float64Array(count);
		this.duration = longest < 2 ** 32 ? new Uint32Array(count) : new Float64Array(count);
		this.name = names.length <= 2 ** 16 ? new Uint16Array(count) : new Uint32Array(count);
		this.number = new Uint32Array(count);
		this.countOf = new Uint32Array(names.length);
		this.adopted = new Map();
		this.filled = 0;
		this.levels = [];
	}

	/* The next block of `core`, read. */
	add(core) {
		const next = this.next;
		for (let i = 0; i < core.count; i++) {
			const at = next[core.row[i]]++;
			this.start[at] = core.start[i];
			this.duration[at] = core.duration[i];
			this.name[at] = core.name[i];
			this.number[at] = this.filled++;
			this.countOf[core.name[i]]++;
		}
	}

	adopt(list) {
		for (const [row, index, parentRow, parentIndex] of list)
			this.adopted.set(this.offset[row] + index, this.offset[parentRow] + parentIndex);
	}

	/* A block of `marks`, read: in order of time, each lane has its own. */
	mark(block) {
		for (let i = 0; i < block.count; i++) {
			const lane = this.lanes[block.lane[i]];
			lane.marks = lane.marks || [];
			lane.marks.push({ time: block.time[i], name: block.name[i], cpu: block.ring[i] - 1 });
		}
	}

	/* The marks of a lane within [from, to): the first, and the one after the last. */
	marksOf(lane, from, to) {
		const first = (time) => {
			let low = 0, high = lane.marks ? lane.marks.length : 0;
			while (low < high) {
				const middle = (low + high) >>> 1;
				if (lane.marks[middle].time < time)
					low = middle + 1;
				else
					high = middle;
			}
			return low;
		};
		return [first(from), first(to)];
	}

	/* How many marks of each name are within [from, to): [name, count], the most frequent first. */
	countMarks(from, to) {
		const counts = new Map();
		for (const lane of this.lanes) {
			const [low, high] = this.marksOf(lane, from, to);
			for (let i = low; i < high; i++)
				counts.set(lane.marks[i].name, (counts.get(lane.marks[i].name) || 0) + 1);
		}
		return Array.from(counts).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
	}

	/* After the last block: builds the pyramid. */
	finish() {
		let size = this.count;
		for (let level = 0; size > FAN; level++) {
			const below = this.levels[level - 1];
			const nodes = Math.ceil(size / FAN);
			const longest = new Uint32Array(nodes), sum = new Float64Array(nodes);
			for (let i = 0; i < nodes; i++) {
				const end = Math.min(size, (i + 1) * FAN);
				let best = -1, most = -1, total = 0;
				for (let k = i * FAN; k < end; k++) {
					const at = below ? below.longest[k] : k;
					if (this.duration[at] > most) {
						most = this.duration[at];
						best = at;
					}
					total += below ? below.sum[k] : this.duration[k];
				}
				longest[i] = best;
				sum[i] = total;
			}
			this.levels.push({ longest, sum });
			size = nodes;
		}
		this.next = null;
	}

	/* By position. A store of the entire trace has all numbers. */
	get slot() {
		return this.number;
	}

	end(at) {
		return this.start[at] + this.duration[at];
	}

	/* The first position in [low, high) that starts at `time` or later, else high. */
	firstFrom(time, low, high) {
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.start[middle] < time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* The same where it is likely near: doubles its steps. */
	nextFrom(time, low, high) {
		let step = 1;
		while (low + step < high && this.start[low + step] < time) {
			low += step;
			step *= 2;
		}
		return this.firstFrom(time, low, Math.min(high, low + step));
	}

	/* The positions of a row that overlap [from, to): the first, and the one after the last. */
	bounds(row, from, to) {
		const begin = this.offset[row];
		const high = this.firstFrom(to, begin, this.offset[row + 1]);
		let low = this.firstFrom(from, begin, high);
		/* They do not overlap each other, so only the one before can reach into the span. */
		while (low > begin && this.end(low - 1) > from)
			low--;
		return [low, high];
	}

	/* Of the positions [low, high) of one row: the longest (the first of equals; -1: none) and the
	 * sum, exact: intervals of a row do not overlap. */
	stats(low, high) {
		const duration = this.duration;
		let best = -1, most = -1, sum = 0;
		for (let level = -1; low < high; level++) {
			const nodes = level < 0 ? null : this.levels[level];
			const isLast = level + 1 >= this.levels.length;
			/* Those before and after the ones that full nodes of the next level cover. */
			const first = isLast ? high : Math.min(high, Math.ceil(low / FAN) * FAN);
			const last = isLast ? high : Math.max(first, Math.floor(high / FAN) * FAN);
			for (let i = low; i < high; i++) {
				if (i === first)
					i = last;
				if (i >= high)
					break;
				const at = nodes ? nodes.longest[i] : i, length = duration[at];
				sum += nodes ? nodes.sum[i] : length;
				if (length > most || (length === most && at < best)) {
					most = length;
					best = at;
				}
			}
			low = first / FAN;
			high = last / FAN;
		}
		return { longest: best, sum };
	}

	/* count, longest and sum (sumText: exact beyond 2^53) of a span. lane: an index of lanes, the
	 * name of one or several, or nothing for all. */
	query(from, to, lane) {
		let count = 0, longest = 0, sum = 0n, at = -1;
		for (const one of this.lanesOf(lane))
			for (const row of one.levels) {
				const [low, high] = this.bounds(row, from, to);
				if (low >= high)
					continue;
				const stats = this.stats(low, high);
				count += high - low;
				sum += BigInt(stats.sum);
				if (at < 0 || this.duration[stats.longest] > longest) {
					longest = this.duration[stats.longest];
					at = stats.longest;
				}
			}
		return {
			count, longest, sum: Number(sum), sumText: String(sum),
			longestInterval: at < 0 ? null : this.number[at],
		};
	}

	lanesOf(lane) {
		if (lane === undefined || lane === null)
			return this.lanes;
		if (typeof lane === "number") {
			if (!this.lanes[lane])
				throw new RangeError("no lane " + lane + ": there are " + this.lanes.length);
			return [this.lanes[lane]];
		}
		const found = this.lanes.filter((one) => this.names[one.name].slice(1) === lane);
		if (!found.length)
			throw new RangeError("no lane is called " + lane);
		return found;
	}

	rowOf(at) {
		let low = 0, high = this.offset.length - 1;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.offset[middle + 1] <= at)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* Whether a position comes before another in the order of the trace, in which parents do. Times are
	 * rounded: two that began one after the other may have one start. */
	precedes(a, b) {
		return this.start[a] < this.start[b] || (this.start[a] === this.start[b] && this.number[a] < this.number[b]);
	}

	/* The position of an interval's parent; -1: none. */
	parent(at) {
		const row = this.rowOf(at), level = this.levelOf[row];
		if (!level)
			return this.adopted.has(at) ? this.adopted.get(at) : -1;
		const around = this.lanes[this.laneOf[row]].levels[level - 1];
		const begin = this.offset[around];
		let found = this.firstFrom(this.start[at] + 1, begin, this.offset[around + 1]) - 1;
		while (found >= begin && !this.precedes(found, at))
			found--;
		return found < begin ? -1 : found;
	}

	/* The position of the first child on the same lane; -1: none. */
	child(at) {
		const row = this.rowOf(at);
		const below = this.lanes[this.laneOf[row]].levels[this.levelOf[row] + 1];
		if (below === undefined)
			return -1;
		let found = this.firstFrom(this.start[at], this.offset[below], this.offset[below + 1]);
		while (found < this.offset[below + 1] && !this.precedes(at, found))
			found++;
		return found < this.offset[below + 1] && this.parent(found) === at ? found : -1;
	}

	/* The position of an interval by its number; -1: none. */
	find(number) {
		return this.number.indexOf(number);
	}

	/* The next interval in the order of the trace, or the one before (step -1), whose name is wanted
	 * (an array by name); from the other end on after the last. -1: none. */
	nextNamed(wanted, number, step) {
		let best = -1, wrapped = -1;
		const before = (a, b) => b < 0 || (step > 0 ? this.number[a] < this.number[b] : this.number[a] > this.number[b]);
		for (let at = 0; at < this.count; at++) {
			if (!wanted[this.name[at]])
				continue;
			if (step > 0 ? this.number[at] > number : this.number[at] < number) {
				if (before(at, best))
					best = at;
			} else if (best < 0 && before(at, wrapped)) {
				wrapped = at;
			}
		}
		return best >= 0 ? best : wrapped;
	}
}

/* The ends of that many intervals from a number on; NaN: of one that the store lacks. */
function endsIn(store, first, count) {
	const ends = new Float64Array(count).fill(NaN);
	for (let at = 0; at < store.count; at++)
		if (store.number[at] >= first && store.number[at] < first + count)
			ends[store.number[at] - first] = store.end(at);
	return ends;
}

/* The innermost interval of a thread (machine, pid, tid) that overlaps [from, to), the first of several; -1: none. */
function innermostOf(store, { machine, pid, tid }, from, to) {
	let best = -1, depth = -1;
	for (const lane of store.lanes)
		if (lane.machine === machine && lane.tid === tid && (lane.pid || 0) === pid && !lane.apart)
			lane.levels.forEach((row, level) => {
				const [low, high] = store.bounds(row, from, to);
				if (low < high && level > depth) {
					best = low;
					depth = level;
				}
			});
	return best;
}
