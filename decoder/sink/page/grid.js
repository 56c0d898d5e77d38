"use strict";
/*
 * Steps of time of the rows in a file of tiles (sink/tiles/README.md): the intervals that begin in each. Zoomed out,
 * the timeline draws cells of 2^n ns, one or two columns of pixels wide. A cell is a multiple of a step,
 * so its count, longest and sum are exact.
 */

const GRID_LEVELS = 2, GRID_FAN_BITS = 3;

/* Reads a block of `count` steps. Their numbers are stored as differences; first: the number of the first step. */
function readSteps(bytes, count, first) {
	const reader = new Reader(bytes), floats = () => new Float64Array(count);
	const steps = { step: floats(), count: floats(), sum: floats(), longest: floats(), start: floats(), second: floats(),
		name: new Uint32Array(count), secondName: new Uint32Array(count), bytes: 56 * count + 2000 };
	for (let i = 0, at = first; i < count; i++) {
		steps.step[i] = at += reader.number();
		steps.count[i] = reader.number();
		steps.sum[i] = reader.number();
		steps.longest[i] = reader.number();
		steps.start[i] = reader.number();
		steps.name[i] = reader.number();
		if (steps.count[i] > 1) {
			steps.second[i] = reader.number();
			steps.secondName[i] = reader.number();
		}
	}
	return steps;
}

/* The first index whose value is `wanted` or more. */
function placeFrom(values, wanted, low, high) {
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (values[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The intervals that begin in a cell: their count and sum, the longest with its start, and the longest of the others. */
class Cell {
	begin(index) {
		this.index = index;
		this.count = this.sum = this.longest = this.start = this.second = 0;
		this.name = this.secondName = 0;
	}

	/* An interval that is the longest or the second of its step. */
	take(duration, name, start) {
		if (!this.count || duration > this.longest) {
			this.second = this.longest;
			this.secondName = this.name;
			this.longest = duration;
			this.name = name;
			this.start = start;
		} else if (this.count === 1 || duration > this.second) {
			this.second = duration;
			this.secondName = name;
		}
		this.count++;
	}

	add(steps, i, width) {
		this.sum += steps.sum[i];
		this.take(steps.longest[i], steps.name[i], steps.step[i] * width + steps.start[i]);
		if (steps.count[i] > 1) {
			this.take(steps.second[i], steps.secondName[i], 0);
			this.count += steps.count[i] - 2;
		}
	}
}

class Grid {
	/* bits: a step of the lowest level is 2^bits ns. of: where the blocks of each row's levels begin. */
	constructor(bits, of, blocks) {
		Object.assign(this, { bits, of, blocks });
	}

	/* The narrowest cells of a row that are at least a pixel wide: their width, and the level of steps that they consist of.
	 * null: its steps are wider. */
	cellsFor(row, perPixel) {
		const bits = Math.max(0, Math.ceil(Math.log2(perPixel)));
		for (let level = GRID_LEVELS - 1; level >= 0; level--) {
			const key = row * GRID_LEVELS + level, own = this.bits + level * GRID_FAN_BITS;
			if (own <= bits && this.of[key] < this.of[key + 1])
				return { key, width: 2 ** own, cell: 2 ** bits };
		}
		return null;
	}

	/* Calls each(cell) for each cell in view, and for that of the last step before, whose longest interval may reach into the
	 * view. stepsOf(block): its steps, or null. Returns whether none was null. */
	eachCell({ key, width, cell }, { from, to }, stepsOf, each) {
		const { first } = this.blocks, one = new Cell(), begin = this.of[key], end = this.of[key + 1];
		const lowest = Math.floor(from / cell) * (cell / width), until = Math.ceil(to / cell) * cell;
		let isWhole = true;
		one.begin(-1);
		for (let block = Math.max(begin, placeFrom(first, lowest, begin, end) - 1); block < end && first[block] * width < until; block++) {
			const steps = stepsOf(block);
			if (!steps) {
				isWhole = false;
				continue;
			}
			const count = steps.step.length;
			for (let i = Math.max(0, placeFrom(steps.step, lowest, 0, count) - 1); i < count && steps.step[i] * width < until; i++) {
				const index = Math.floor(steps.step[i] * width / cell);
				if (index !== one.index) {
					if (one.count)
						each(one);
					one.begin(index);
				}
				one.add(steps, i, width);
			}
		}
		if (one.count)
			each(one);
		return isWhole;
	}
}
