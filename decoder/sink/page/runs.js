"use strict";
/*
 * Who ran on each processor, by the kernel's context switches: a Store of runs of threads. The name of a
 * run is its thread's number. Lanes are processors, and behind these, in the same order, the times at which
 * it is not known who ran on them; at all others a processor was idle. Uses no document: Node's tests run it.
 */

/* How a run ended, where wake-ups are recorded. */
const RUN_WAITS = 1, RUN_PREEMPTED = 2;

/* Instead of a waker's number. */
const WAKER_IDLE = 0;

/* Instead of the woken thread: wake-ups of the processor since its row before are missing. */
const WAKEUPS_MISSING = 0;

/* A wake-up this long (ns) before its thread left a processor did not end the wait. */
const WAKEUP_EARLY = 1e6;

/* Threads with these numbers: why the running thread is unknown. */
const RUNS_UNKNOWN = ["not recorded", "not recorded: records were lost", "a thread that had ended and had no number any more, or had not been told yet"];

class RunStore extends Store {
	/* about: the block of `processors`; threads: those of `threads`. */
	constructor({ lanes, longest, wakeups }, threads) {
		const sorted = lanes.map((lane, row) => ({ ...lane, row })).sort((a, b) => a.machine - b.machine || a.cpu - b.cpu);
		const known = sorted.map((lane) => ({ ...lane, rows: [lane.row, lane.known] }));
		const unknown = sorted.map((lane) => ({ ...lane, rows: [lanes.length + lane.row, lane.unknown] }));
		const all = [...known, ...unknown], intervals = all.reduce((sum, { rows }) => sum + rows[1], 0);
		super({ intervals, rows: all.length, overview: { longest: [longest] } }, all, [...RUNS_UNKNOWN, ...threads]);
		this.processors = known;
		known.forEach((lane, i) => lane.unknownRow = unknown[i].rows[0]);
		this.ends = new Float64Array(lanes.length);
		this.wakers = wakeups; /* undefined: not recorded; false: left out */
		this.how = wakeups ? new Uint8Array(intervals) : null; /* by number */
		this.wakeups = wakeups ? lanes.map((lane) => ({ count: 0, missing: [], time: new Float64Array(lane.wakeups), tid: new Uint32Array(lane.wakeups),
			by: new Uint32Array(lane.wakeups), how: new Uint8Array(lane.wakeups) })) : [];
	}

	/* The next block of `runs`, read. */
	addRuns({ count, lane, after, duration, thread, how }) {
		const start = new Float64Array(count), row = new Uint32Array(count), processors = this.ends.length;
		for (let i = 0; i < count; i++) {
			start[i] = this.ends[lane[i]] + after[i];
			this.ends[lane[i]] = start[i] + duration[i];
			row[i] = lane[i] + (thread[i] < RUNS_UNKNOWN.length ? processors : 0);
		}
		if (how)
			this.how.set(how, this.filled);
		this.add({ count, start, duration, name: thread, row });
	}

	/* The next block of `wakeups`, read: of each processor, in order. */
	addWakeups({ count, lane, after, tid, by, how }) {
		for (let i = 0; i < count; i++) {
			const all = this.wakeups[lane[i]], at = all.count++;
			all.time[at] = after[i] + (at ? all.time[at - 1] : 0);
			all.tid[at] = tid[i];
			all.by[at] = by[i];
			all.how[at] = how[i];
			if (tid[i] === WAKEUPS_MISSING)
				all.missing.push({ from: at ? all.time[at - 1] : 0, to: all.time[at] });
		}
	}

	/* After the last block. ranked: threads by their time on processors, those with the most first. */
	finish() {
		super.finish();
		const time = this.time = new Float64Array(this.names.length);
		for (let at = 0; at < this.count; at++)
			time[this.name[at]] += this.duration[at];
		this.ranked = Array.from(time.keys()).filter((name) => name >= RUNS_UNKNOWN.length).sort((a, b) => time[b] - time[a] || a - b);
	}

	isUnknown(at) {
		return this.name[at] < RUNS_UNKNOWN.length;
	}

	/* A run's processor. */
	processorOf(at) {
		return this.processors[this.laneOf[this.rowOf(at)] % this.processors.length];
	}

	/* The position of the run in a row at a time; -1: none. */
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

	/* Who ran on a processor within a span instead of a thread: [name, time], the longest first; null: that is not known of all of it. */
	othersIn({ levels: [row], unknownRow }, from, to, thread) {
		const times = new Map(), [low, high] = this.bounds(row, from, to), [first, last] = this.bounds(unknownRow, from, to);
		for (let at = low; at < high; at++)
			if (!this.isOf(this.name[at], thread))
				times.set(this.name[at], (times.get(this.name[at]) || 0) + Math.min(to, this.end(at)) - Math.max(from, this.start[at]));
		return first < last ? null : Array.from(times).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
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

	/*
	 * The next run whose name is wanted (an array by name) in order of time, by processor if several begin at once, or the one before (step
	 * -1). at: -1: the first one, or the last one. -1: none.
	 */
	nextNamed(wanted, at, step) {
		const before = (a, b) => this.start[a] - this.start[b] || a - b;
		let best = -1;
		for (const { levels: [row] } of this.processors) {
			const end = this.offset[row + 1], begin = this.offset[row], place = at < 0 ? step > 0 ? begin : end : this.placeIn(row, at, step);
			let next = step > 0 ? place : place - 1;
			while (next >= begin && next < end && !wanted[this.name[next]])
				next += step;
			if (next >= begin && next < end && (best < 0 || before(next, best) * step < 0))
				best = next;
		}
		return best;
	}

	/* The position of a row's first run after that one, by nextNamed's order; step -1: not before it. */
	placeIn(row, at, step) {
		const begin = this.offset[row], end = this.offset[row + 1];
		if (at >= begin && at < end)
			return step > 0 ? at + 1 : at;
		return this.firstFrom(this.start[at] + Number(begin < at), begin, end);
	}

	/* Which of the wanted runs that one is, by nextNamed's order: from 1. */
	rankNamed(wanted, at) {
		let rank = 0;
		for (const { levels: [row] } of this.processors)
			for (let next = this.offset[row], end = this.placeIn(row, at, 1); next < end; next++)
				rank += Number(Boolean(wanted[this.name[next]]));
		return rank;
	}

	/* The last time at which a thread (machine, tid) was woken in (from, to], by a thread or an interrupt of any processor; null: none. */
	lastWakeup({ machine, tid }, from, to) {
		let best = null;
		for (const lane of this.processors) {
			const all = lane.machine === machine ? this.wakeups[lane.row] : { count: 0 };
			let low = 0, high = all.count;
			while (low < high) {
				const middle = (low + high) >>> 1;
				if (all.time[middle] <= to)
					low = middle + 1;
				else
					high = middle;
			}
			for (let at = low - 1; at >= 0 && all.time[at] > Math.max(from, best ? best.time : -1); at--)
				if (all.tid[at] === tid) {
					best = { time: all.time[at], by: all.by[at], isInterrupt: all.how[at] > 0, lane };
					break;
				}
		}
		return best;
	}

	/* Whether wake-ups by what ran on some processor of a machine are missing within (from, to]. */
	isMissingIn(machine, from, to) {
		return this.processors.some((lane) => lane.machine === machine && this.wakeups[lane.row].missing.some((gap) => gap.from <= to && gap.to > from));
	}

	/* Whether records of some processor of a machine are missing within [from, to). A thread without a number is none that ran before or since. */
	isUnknownIn(machine, from, to) {
		return this.processors.some((lane) => {
			const [low, high] = lane.machine === machine ? this.bounds(lane.unknownRow, from, to) : [0, 0];
			return this.name.subarray(low, high).some((name) => name < RUNS_UNKNOWN.length - 1);
		});
	}

	/*
	 * The wait between a run and the thread's next one, `at`: from when to when, and, if it is known, when and by what it was ended (by: a
	 * thread's number, WAKER_IDLE or 2; isInterrupt: while that ran). null: it did not wait, but was preempted, or what came between is not known.
	 */
	waitBetween(before, at) {
		if (this.endOf(before) !== RUN_WAITS || this.isUnknownIn(this.processorOf(at).machine, this.end(before), this.start[at]))
			return null;
		const wait = { run: at, from: this.end(before), to: this.start[at] }, thread = this.names[this.name[at]];
		const early = Math.max(this.start[before], wait.from - WAKEUP_EARLY), wakeup = this.isMissingIn(thread.machine, early, wait.to) ? null : this.lastWakeup(thread, early, wait.to);
		return wakeup && (wakeup.isInterrupt || !this.isUnnamed(wakeup.by)) ? { ...wait, ...wakeup } : wait;
	}

	/* The wait before a run; null: see waitBetween. */
	waitBefore(at) {
		return this.waitBetween(this.nextOf(at, -1), at);
	}

	/*
	 * The waker of a run, for scripts; null: not known, or its thread did not wait before. Of an interrupt, the thread is the one
	 * that it interrupted: tid 0 is the idle thread, null one that the kernel could not name.
	 */
	wakerBefore(at) {
		const wait = this.waitBefore(at);
		if (!wait || wait.by === undefined)
			return null;
		const { by, isInterrupt, time, lane } = wait, isNamed = by >= RUNS_UNKNOWN.length;
		const { name, tid, pid } = isNamed ? this.names[by] : { name: null, tid: by === WAKER_IDLE ? 0 : null, pid: by === WAKER_IDLE ? 0 : null };
		return { interrupt: isInterrupt, name, tid, pid, processor: lane.index, time, waited: wait.to - wait.from, delay: wait.to - Math.max(wait.from, time) };
	}

	/* How a run ended: RUN_WAITS, RUN_PREEMPTED, or 0: not known. */
	endOf(at) {
		return at < 0 || !this.how ? 0 : this.how[this.number[at]];
	}

	/* Of a waker: the kernel could not name it. */
	isUnnamed(by) {
		return by !== WAKER_IDLE && by < RUNS_UNKNOWN.length;
	}

	/* The longest waits of a thread that ended within [from, to). */
	waitsIn(thread, from, to, most) {
		const runs = [];
		for (const { machine, levels: [row] } of this.processors) {
			const [low, high] = machine === thread.machine ? this.bounds(row, from, to) : [0, 0];
			for (let at = low; at < high; at++)
				if (this.isOf(this.name[at], thread))
					runs.push(at);
		}
		runs.sort((a, b) => this.start[a] - this.start[b]);
		const pairs = runs.map((at, i) => [i ? runs[i - 1] : this.nextOf(at, -1), at]).filter(([before, at]) => before >= 0 && this.start[at] >= from);
		pairs.sort((a, b) => (this.start[b[1]] - this.end(b[0])) - (this.start[a[1]] - this.end(a[0])) || a[1] - b[1]);
		const waits = [];
		for (let i = 0; i < pairs.length && waits.length < most; i++) {
			const wait = this.waitBetween(...pairs[i]);
			if (wait)
				waits.push(wait);
		}
		return waits;
	}

	/* The run next to that one on its processor; -1: none. */
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

/* Groups threads with the same keyOf(name): a name of each group, those with the most time on processors first, and the group of each name. */
function groupRuns(store, keyOf) {
	const found = new Map(), of = new Uint32Array(store.names.length);
	for (const name of store.ranked) {
		const key = keyOf(name), group = found.get(key) || { name, time: 0, names: [] };
		group.time += store.time[name];
		group.names.push(name);
		found.set(key, group);
	}
	const groups = Array.from(found.values()).sort((a, b) => b.time - a.time);
	groups.forEach((group, i) => group.names.forEach((name) => of[name] = i));
	return { of, names: groups.map((group) => group.name) };
}

/* The interval that ran: of each run, the outermost interval of its thread that has the most of its time. */
class RunIntervals {
	/* runs: a RunStore; store: one of intervals. */
	constructor(runs, store) {
		Object.assign(this, { runs, store });
		this.found = new Int32Array(runs.count).fill(-2); /* -2: not sought yet */
		const rows = new Map();
		for (const { machine, pid, tid, apart, levels } of store.lanes)
			if (!apart && levels.length) {
				const key = [machine, pid || 0, tid].join(" ");
				rows.set(key, [...rows.get(key) || [], levels[0]]);
			}
		this.rows = runs.names.map(({ machine, pid, tid }) => rows.get([machine, pid, tid].join(" ")) || []);
	}

	/* The position of the interval in its store; -1: none. */
	of(run) {
		if (this.found[run] === -2)
			this.found[run] = this.find(run);
		return this.found[run];
	}

	find(run) {
		const { runs, store } = this, from = runs.start[run], to = runs.end(run);
		let best = -1, most = 0;
		const consider = (at) => {
			const time = Math.min(to, store.end(at)) - Math.max(from, store.start[at]);
			if (time > most) {
				most = time;
				best = at;
			}
		};
		for (const row of this.rows[runs.name[run]]) {
			const [low, high] = store.bounds(row, from, to);
			if (low >= high)
				continue;
			/* All but the first and the last one are within the run. */
			consider(low);
			if (high - low > 2)
				consider(store.stats(low + 1, high - 1).longest);
			consider(high - 1);
		}
		return best;
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
