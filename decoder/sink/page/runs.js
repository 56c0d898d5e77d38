"use strict";
/*
 * Who ran on each processor, by the kernel's context switches: a Store of runs of threads. The name of a
 * run is its thread's number. Lanes are processors, and behind these, in the same order, the times at which
 * it is not known who ran on them; at all others a processor was idle. Uses no document: Node's tests run it.
 */

/* Threads with these numbers: why it is not known who ran. */
const RUNS_UNKNOWN = ["not recorded", "not recorded: records were lost", "a thread that had ended and had no number any more, or had not been told yet"];

class RunStore extends Store {
	/* about: the block of `processors`; threads: those of `threads`. */
	constructor({ lanes, longest }, threads) {
		const sorted = lanes.map((lane, row) => ({ ...lane, row })).sort((a, b) => a.machine - b.machine || a.cpu - b.cpu);
		const known = sorted.map((lane) => ({ ...lane, rows: [lane.row, lane.known] }));
		const unknown = sorted.map((lane) => ({ ...lane, rows: [lanes.length + lane.row, lane.unknown] }));
		const all = [...known, ...unknown], intervals = all.reduce((sum, { rows }) => sum + rows[1], 0);
		super({ intervals, rows: all.length, overview: { longest: [longest] } }, all, [...RUNS_UNKNOWN, ...threads]);
		this.processors = known;
		known.forEach((lane, i) => lane.unknownRow = unknown[i].rows[0]);
		this.ends = new Float64Array(lanes.length);
	}

	/* The next block of `runs`, read. */
	addRuns({ count, lane, after, duration, thread }) {
		const start = new Float64Array(count), row = new Uint32Array(count), processors = this.ends.length;
		for (let i = 0; i < count; i++) {
			start[i] = this.ends[lane[i]] + after[i];
			this.ends[lane[i]] = start[i] + duration[i];
			row[i] = lane[i] + (thread[i] < RUNS_UNKNOWN.length ? processors : 0);
		}
		this.add({ count, start, duration, name: thread, row });
	}

	/* After the last block. Threads by their time on processors: rank 0 has the most. */
	finish() {
		super.finish();
		const time = new Float64Array(this.names.length);
		for (let at = 0; at < this.count; at++)
			time[this.name[at]] += this.duration[at];
		this.ranked = Array.from(time.keys()).filter((name) => name >= RUNS_UNKNOWN.length).sort((a, b) => time[b] - time[a] || a - b);
		this.rank = new Uint32Array(time.length);
		this.ranked.forEach((name, rank) => this.rank[name] = rank);
	}

	isUnknown(at) {
		return this.name[at] < RUNS_UNKNOWN.length;
	}

	/* A run's processor. */
	processorOf(at) {
		return this.processors[this.laneOf[this.rowOf(at)] % this.processors.length];
	}

	/* The position of what is in a row at a time; -1: nothing. */
	inRow(row, time) {
		const at = this.firstFrom(time + 1, this.offset[row], this.offset[row + 1]) - 1;
		return at >= this.offset[row] && this.end(at) > time ? at : -1;
	}

	isOf(name, { machine, pid, tid }) {
		const one = this.names[name];
		return name >= RUNS_UNKNOWN.length && one.tid === tid && one.pid === pid && one.machine === machine;
	}

	/* The run of a thread (machine, pid, tid) at a time, on any processor; -1: none. */
	runOf(thread, time) {
		for (const lane of this.processors) {
			const at = lane.machine === thread.machine ? this.inRow(lane.levels[0], time) : -1;
			if (at >= 0 && this.isOf(this.name[at], thread))
				return at;
		}
		return -1;
	}

	/* The thread's next run after that one, or (step -1) the one before, on any processor; -1: none. */
	nextOf(at, step) {
		const thread = this.names[this.name[at]];
		let best = -1;
		for (const { levels: [row] } of this.processors) {
			const begin = this.offset[row], end = this.offset[row + 1];
			let next = step > 0 ? this.firstFrom(this.start[at] + 1, begin, end) : this.firstFrom(this.start[at], begin, end) - 1;
			while (next >= begin && next < end && !this.isOf(this.name[next], thread))
				next += step;
			if (next >= begin && next < end && (best < 0 || (this.start[next] - this.start[best]) * step < 0))
				best = next;
		}
		return best;
	}

	/* The run beside that one on its processor; -1: none. */
	beside(at, step) {
		const row = this.rowOf(at), next = at + step;
		return next >= this.offset[row] && next < this.offset[row + 1] ? next : -1;
	}

	/* The time of a row within [from, to), and the number of runs that overlap it. */
	timeOf(row, from, to) {
		const [low, high] = this.bounds(row, from, to);
		if (low >= high)
			return { count: 0, time: 0 };
		const { sum } = this.stats(low, high);
		return { count: high - low, time: sum - Math.max(0, from - this.start[low]) - Math.max(0, this.end(high - 1) - to) };
	}
}

/*
 * Of a span: each processor's runs, and its busy and unknown time; each thread's runs and time on processors,
 * those with the most first. Times are those within the span.
 */
function* ranIn(store, from, to) {
	const processors = [], counts = new Uint32Array(store.names.length), times = new Float64Array(store.names.length);
	let done = 0;
	for (const lane of store.processors) {
		const { count, time: busy } = store.timeOf(lane.levels[0], from, to), { time: unknown } = store.timeOf(lane.unknownRow, from, to);
		processors.push({ lane, count, busy, unknown });
		const [low, high] = store.bounds(lane.levels[0], from, to);
		for (let at = low; at < high; at++) {
			counts[store.name[at]]++;
			times[store.name[at]] += Math.min(to, store.end(at)) - Math.max(from, store.start[at]);
			if (++done % WORK === 0)
				yield;
		}
	}
	const threads = Array.from(counts, (count, name) => ({ name, count, time: times[name] })).filter((one) => one.count);
	return { processors, threads: threads.sort((a, b) => b.time - a.time || a.name - b.name) };
}
