"use strict";
/*
 * Processors as lanes, derived from intervals: an outermost interval is on the lane of the processor
 * where it ended. It ran there throughout if its thread was not switched; time between intervals is
 * unknown. runs.js has who ran by the kernel's switches. Uses no document: Node's tests run it.
 */

/* Rows of a lane: the last row has the ends of intervals for which there is no room. */
const PROCESSOR_ROWS = 8;

/* Columns that tell where intervals ended, and whether their thread was switched. */
const RESIDENCE = ["cpu", "ctx_switches"];

/* Where each interval ended, by slot, from the values of the columns RESIDENCE. */
class Residence {
	constructor(cpus, switches) {
		this.cpu = Uint32Array.from(cpus, (cpu) => isNaN(cpu) ? 0 : cpu + 1); /* 0: unknown */
		this.stayed = Uint8Array.from(switches, (count) => count === 0);
	}
}

/*
 * Rows of one processor, in which intervals do not overlap: positions in the store. The first row is
 * for those that ran there throughout, which overlap only by errors of the clocks.
 */
class ProcessorRows {
	constructor(machine, cpu) {
		this.machine = machine;
		this.cpu = cpu;
		this.rows = [[]];
		this.ends = [0];
		this.crowd = [];
	}

	add(at, start, end, stayed) {
		let row = stayed ? 0 : 1;
		while (row < this.rows.length && this.ends[row] > start)
			row++;
		if (row === PROCESSOR_ROWS - 1) {
			this.crowd.push(at);
			return;
		}
		if (row === this.rows.length)
			this.rows.push([]);
		this.rows[row].push(at);
		this.ends[row] = end;
	}
}

/* The outermost intervals by processor, in the order of the trace. */
function* gatherProcessors(store, residence) {
	const positions = new Uint32Array(store.count), lanes = new Uint32Array(store.count), found = new Map(), slots = store.slot;
	store.lanes.forEach((lane, index) => {
		for (let at = store.offset[lane.levels[0]]; lane.levels.length && at < store.offset[lane.levels[0] + 1]; at++)
			if (!store.adopted.has(at)) {
				positions[slots[at]] = at;
				lanes[slots[at]] = index + 1;
			}
	});
	for (let slot = 0; slot < store.count; slot++) {
		if (slot % WORK === WORK - 1)
			yield;
		if (!lanes[slot] || !residence.cpu[slot])
			continue;
		const { machine } = store.lanes[lanes[slot] - 1], cpu = residence.cpu[slot] - 1, key = machine + " " + cpu;
		if (!found.has(key))
			found.set(key, new ProcessorRows(machine, cpu));
		const at = positions[slot];
		found.get(key).add(at, store.start[at], store.end(at), residence.stayed[slot]);
	}
	return Array.from(found.values()).sort((a, b) => a.machine - b.machine || a.cpu - b.cpu);
}

/*
 * A Store whose lanes are processors, named by thread. `origin` has the positions of its intervals
 * (by number) in the original store, `stayed` is 1 for those that ran there throughout. Intervals
 * without room appear as their end, with no duration.
 */
function* processorsOf(store, residence) {
	const lanes = [], origin = [], slots = store.slot, all = { start: [], duration: [], name: [], row: [] };
	let longest = 0, rows = 0;
	for (const one of yield* gatherProcessors(store, residence)) {
		const lane = { machine: one.machine, cpu: one.cpu, rows: [] };
		if (one.crowd.length)
			one.rows.push(one.crowd.sort((a, b) => store.end(a) - store.end(b)));
		for (const row of one.rows.filter((each) => each.length)) {
			lane.rows.push(rows, row.length);
			for (const at of row) {
				const isEnd = row === one.crowd;
				all.start.push(isEnd ? store.end(at) : store.start[at]);
				all.duration.push(isEnd ? 0 : store.duration[at]);
				all.name.push(store.lanes[store.laneOf[store.rowOf(at)]].name);
				all.row.push(rows);
				origin.push(at);
				longest = Math.max(longest, store.duration[at]);
			}
			rows++;
			yield;
		}
		lanes.push(lane);
	}
	const made = new Store({ intervals: origin.length, rows, overview: { longest: [longest] } }, lanes, store.names);
	made.add({ ...all, count: origin.length });
	made.finish();
	made.origin = Uint32Array.from(origin);
	made.stayed = Uint8Array.from(origin, (at) => residence.stayed[slots[at]]);
	return made;
}

/*
 * For each processor in a span: the number of outermost intervals that ended on it and overlap the
 * span, how many of these ran there throughout, and the time of the latter within the span.
 */
function* usesOf(processors, from, to) {
	const uses = [];
	let done = 0;
	for (const lane of processors.lanes) {
		const use = { lane, count: 0, stayed: 0, time: 0 };
		for (const row of lane.levels) {
			const [low, high] = processors.bounds(row, from, to);
			use.count += high - low;
			for (let at = low; at < high; at++) {
				if (processors.stayed[processors.number[at]]) {
					use.stayed++;
					use.time += Math.max(0, Math.min(to, processors.end(at)) - Math.max(from, processors.start[at]));
				}
				if (++done % WORK === 0)
					yield;
			}
		}
		uses.push(use);
	}
	return uses;
}
