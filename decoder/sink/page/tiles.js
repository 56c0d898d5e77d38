"use strict";
/*
 * A file of tiles (sink/tiles/README.md): the intervals of a trace too large for the page's memory,
 * read piece by piece. A tile holds neighbours in a row, a node summarizes up to 64 of a tile, a group
 * holds the nodes of several tiles. The directory, with a summary of each tile, stays in memory.
 *
 * A source is where bytes come from: { size, read(offset, length): a promise of bytes }.
 */

const TILES_MAGIC = "SWTTILE1", TILES_FOOTER = 32, TILES_AT_ONCE = 16;

/* Limit of unpacked tiles and groups in memory, in bytes. */
const TILES_KEPT = 40 << 20;

/* Limits of tiles and intervals in a window: a Store of the intervals that overlap a span. For sorting, a double packs a
 * number (32 bits) and a position (21 bits). */
const WINDOW_TILES = 3000, WINDOW_ROOM = 2 ** 21;

function sourceOfFile(file) {
	return { size: file.size, read: async (offset, length) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer()) };
}

/* Limit of chunks of a folder in memory. */
const CHUNKS_KEPT = 24;

/* A folder of scripts: load(folder, number) is a promise of a chunk's bytes. */
class ChunkSource {
	constructor({ name, chunk, bytes }, load) {
		Object.assign(this, { name, length: chunk, size: bytes, load });
		this.kept = new Map();
	}

	chunk(number) {
		const found = this.kept.get(number) || this.load(this.name, number);
		/* The last one used is the last one in the map. */
		this.kept.delete(number);
		this.kept.set(number, found);
		found.catch(() => this.kept.delete(number));
		for (const first of this.kept.keys()) {
			if (this.kept.size <= CHUNKS_KEPT)
				break;
			this.kept.delete(first);
		}
		return found;
	}

	async read(offset, length) {
		const bytes = new Uint8Array(length);
		for (let at = offset; at < offset + length;) {
			const number = Math.floor(at / this.length), begin = number * this.length;
			const part = (await this.chunk(number)).subarray(at - begin, offset + length - begin);
			if (!part.length)
				throw new Error("a chunk is too short");
			bytes.set(part, at - offset);
			at += part.length;
		}
		return bytes;
	}
}

/* Columns of numbers of any size: a Float64Array, or a list with BigInts. */
function readExactColumn(reader, count) {
	const column = new Reader(reader.raw(reader.number()));
	return Array.from({ length: count }, () => column.number());
}

/* Prefix sums of a column: where each element's part begins. */
function sumsOf(counts) {
	const sums = new Float64Array(counts.length + 1);
	for (let i = 0; i < counts.length; i++)
		sums[i + 1] = sums[i] + counts[i];
	return sums;
}

/* A column of floats: NaN where there is none. */
function readFloats(reader) {
	const bytes = reader.raw(reader.number()), view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

function readTile(bytes) {
	const reader = new Reader(bytes), count = reader.number();
	const start = readColumn(reader, count), duration = readColumn(reader, count);
	const name = Uint32Array.from(readColumn(reader, count)), number = readColumn(reader, count);
	for (let i = 1; i < count; i++) {
		start[i] += start[i - 1];
		number[i] += number[i - 1];
	}
	const adopted = [], list = new Reader(reader.raw(reader.number()));
	while (list.at < list.bytes.length)
		adopted.push([list.number(), list.number(), list.number()]);
	return { count, start, duration, name, number: Uint32Array.from(number), adopted, bytes: 24 * count + 2000 };
}

function readGroup(bytes, count) {
	const reader = new Reader(bytes);
	const first = readColumn(reader, count), end = readColumn(reader, count), longest = readColumn(reader, count);
	const name = Uint32Array.from(readColumn(reader, count)), sum = readColumn(reader, count);
	for (let i = 0; i < count; i++) {
		if (i)
			first[i] += first[i - 1];
		end[i] += first[i];
	}
	return { first, end, longest, name, sum, bytes: 36 * count + 2000 };
}

/* The indexes [low, high) of a tile's intervals that overlap [from, to). */
function tileBounds(tile, from, to) {
	const firstFrom = (time) => {
		let low = 0, high = tile.count;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (tile.start[middle] < time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	};
	const high = firstFrom(to);
	let low = Math.min(high, firstFrom(from));
	while (low > 0 && tile.start[low - 1] + tile.duration[low - 1] > from)
		low--;
	return [low, high];
}

/* The intervals that overlap a span, as a Store with the trace's lanes and rows. */
class WindowStore extends Store {
	/* parts: [row, tile, low, high, place of the tile's first interval in its row], by row. */
	constructor(meta, lanes, names, countOf, parts, from, to) {
		const counts = new Uint32Array(meta.rows);
		let all = 0;
		for (const [row, , low, high] of parts) {
			counts[row] += high - low;
			all += high - low;
		}
		const own = lanes.map((lane) => ({ ...lane, rows: lane.rows.map((value, i) => i % 2 ? counts[lane.rows[i - 1]] : value) }));
		super({ ...meta, intervals: all }, own, names);
		this.from = from;
		this.to = to;
		this.countOf = countOf;
		const first = new Float64Array(meta.rows).fill(-1);
		for (const [row, tile, low, high, place] of parts) {
			const at = this.next[row];
			this.start.set(tile.start.subarray(low, high), at);
			this.duration.set(tile.duration.subarray(low, high), at);
			this.name.set(tile.name.subarray(low, high), at);
			this.number.set(tile.number.subarray(low, high), at);
			this.next[row] += high - low;
			if (first[row] < 0)
				first[row] = place + low;
		}
		for (const [row, tile, low, high, place] of parts)
			for (const [index, parentRow, parentPlace] of tile.adopted) {
				const parent = parentPlace - first[parentRow];
				if (index >= low && index < high && first[parentRow] >= 0 && parent >= 0 && parent < counts[parentRow])
					this.adopted.set(this.offset[row] + place + index - first[row], this.offset[parentRow] + parent);
			}
		this.filled = all;
		this.finish();
	}

	/* An interval without duration at the window's edge may lack its parent. */
	parent(at) {
		const found = super.parent(at);
		return found >= 0 && this.end(found) >= this.end(at) && this.start[found] <= this.start[at] ? found : -1;
	}

	holds(from, to) {
		return from >= this.from && to <= this.to;
	}

	/* By position: the rank of the interval's number in the window. */
	get slot() {
		if (!this.ranks) {
			const ranks = this.ranks = new Uint32Array(this.count);
			this.sorted = Float64Array.from(this.number, (number, at) => number * WINDOW_ROOM + at).sort();
			this.sorted.forEach((one, rank) => {
				ranks[one % WINDOW_ROOM] = rank;
				this.sorted[rank] = Math.floor(one / WINDOW_ROOM);
			});
		}
		return this.ranks;
	}

	/* Numbers by slot, in ascending order. */
	get numbers() {
		return this.slot && this.sorted;
	}
}

class Tiles {
	/* Approximate limit of intervals in a window. */
	static most = 1 << 20;

	constructor(source, meta, lanes, names) {
		Object.assign(this, { source, meta, lanes, names });
		this.kept = new Map();
		this.reading = new Map();
		this.bytes = 0;
		this.turn = 0;
	}

	/* Reads the directory. Fails with a text for the user. */
	async open() {
		const { source, meta } = this;
		if (source.size !== meta.tiles.bytes)
			throw new Error("it has " + source.size + " bytes, this page's tiles have " + meta.tiles.bytes);
		const footer = new DataView((await source.read(source.size - TILES_FOOTER, TILES_FOOTER)).buffer);
		const magic = String.fromCharCode(...new Uint8Array(footer.buffer, 24, 8));
		const at = Number(footer.getBigUint64(0, true)), length = Number(footer.getBigUint64(8, true));
		if (magic !== TILES_MAGIC || footer.getBigUint64(16, true) !== BigInt(meta.tiles.check) || at + length + TILES_FOOTER !== source.size)
			throw new Error("these are not the tiles of this page");
		this.readDirectory(await inflate(await source.read(at, length)));
	}

	readDirectory(bytes) {
		const reader = new Reader(bytes);
		this.node = reader.number();
		const rows = reader.number(), blocks = reader.number(), tiles = reader.number(), groups = reader.number(), orders = reader.number(), names = reader.number();
		const bits = reader.number();
		this.size = readColumn(reader, blocks);
		this.offset = sumsOf(this.size).map((at) => at + TILES_MAGIC.length);
		const begins = (count) => Uint32Array.from(sumsOf(readColumn(reader, count)));
		this.tileOf = begins(rows);
		const column = (count) => readColumn(reader, count);
		this.tile = { block: column(tiles), count: column(tiles), first: column(tiles), end: column(tiles), longest: column(tiles),
			name: column(tiles), sum: column(tiles), number: column(tiles), means: this.meta.tiles.means.map(() => readFloats(reader)), group: new Uint32Array(tiles), place: new Float64Array(tiles) };
		for (let i = 0; i < tiles; i++)
			this.tile.end[i] += this.tile.first[i];
		this.groupOf = begins(rows);
		this.group = { block: column(groups), tiles: column(groups), first: new Uint32Array(groups), nodes: new Uint32Array(groups) };
		this.order = { block: column(orders), count: column(orders) };
		this.order.first = sumsOf(this.order.count);
		const [count, sum, least, most, first, last] = Array.from({ length: 6 }, () => readExactColumn(reader, names));
		this.totals = { count, sum: sum.map(BigInt), least, most, first, last };
		this.countOf = Float64Array.from({ length: this.names.length }, (_, i) => count[i] ?? 0);
		const [steps] = column(1), of = begins(rows * GRID_LEVELS);
		this.grid = new Grid(bits, of, { block: column(steps), count: column(steps), first: column(steps) });
		this.placeTiles(rows);
	}

	/* Where tiles are in their rows, and their nodes in their groups. */
	placeTiles(rows) {
		const { tile, group } = this;
		this.rowAround = new Int32Array(rows).fill(-1);
		for (const lane of this.lanes)
			for (let i = 2; i < lane.rows.length; i += 2)
				this.rowAround[lane.rows[i]] = lane.rows[i - 2];
		tile.nodes = new Uint32Array(tile.block.length);
		for (let row = 0; row < rows; row++) {
			let at = this.tileOf[row];
			for (let i = this.groupOf[row]; i < this.groupOf[row + 1]; i++) {
				group.first[i] = at;
				for (let left = group.tiles[i]; left > 0; left--, at++) {
					tile.group[at] = i;
					tile.nodes[at] = group.nodes[i];
					group.nodes[i] += Math.ceil(tile.count[at] / this.node);
				}
			}
			for (let i = this.tileOf[row] + 1; i < this.tileOf[row + 1]; i++)
				tile.place[i] = tile.place[i - 1] + tile.count[i - 1];
		}
	}

	async readBlock(block) {
		return inflate(await this.source.read(this.offset[block], this.size[block]));
	}

	/* The cached value of that key, or null. */
	peek(key) {
		const one = this.kept.get(key);
		if (one)
			one.turn = this.turn;
		return one || null;
	}

	/* Reads a value once and caches it. */
	async read(key, make) {
		const found = this.peek(key);
		if (found)
			return found;
		if (!this.reading.has(key))
			this.reading.set(key, make().then((one) => {
				this.keep(key, one);
				return one;
			}).finally(() => this.reading.delete(key)));
		return this.reading.get(key);
	}

	keep(key, one) {
		one.turn = this.turn;
		this.kept.set(key, one);
		this.bytes += one.bytes;
		if (this.bytes <= TILES_KEPT)
			return;
		/* Evict the least recently used ones. */
		for (const [other, old] of Array.from(this.kept).sort((a, b) => a[1].turn - b[1].turn)) {
			if (this.bytes <= TILES_KEPT / 2 || old.turn === this.turn)
				break;
			this.kept.delete(other);
			this.bytes -= old.bytes;
		}
	}

	/* Keys: tiles are numbers, groups are negative, parts of the order are texts. */
	readTileAt(at) {
		return this.read(at, async () => readTile(await this.readBlock(this.tile.block[at])));
	}

	readGroupAt(at) {
		return this.read(-1 - at, async () => readGroup(await this.readBlock(this.group.block[at]), this.group.nodes[at]));
	}

	readStepsAt(at) {
		const { block, count, first } = this.grid.blocks;
		return this.read("steps " + at, async () => readSteps(await this.readBlock(block[at]), count[at], first[at]));
	}

	/* The tiles of a row that may overlap [from, to): the first, and the one after the last. */
	bounds(row, from, to) {
		const { first, end } = this.tile, begin = this.tileOf[row];
		const firstFrom = (time, high) => {
			let low = begin;
			while (low < high) {
				const middle = (low + high) >>> 1;
				if (first[middle] < time)
					low = middle + 1;
				else
					high = middle;
			}
			return low;
		};
		const high = firstFrom(to, this.tileOf[row + 1]);
		let low = firstFrom(from, high);
		/* A tile that ends at `from` may have an interval without duration there. */
		while (low > begin && end[low - 1] >= from)
			low--;
		return [low, high];
	}

	rowsOf(lanes) {
		return lanes.flatMap((lane) => lane.rows.filter((_, i) => i % 2 === 0));
	}

	/* Calls each(row, tile's number, tile, bounds in it of the intervals that overlap the span) of the tiles at the span's
	 * edges, whole(row, tile's number) of those within it. */
	async visit(rows, from, to, whole, each) {
		const edges = [];
		for (const row of rows) {
			const [low, high] = this.bounds(row, from, to);
			for (let at = low; at < high; at++)
				if (this.tile.first[at] >= from && this.tile.end[at] < to)
					whole(row, at);
				else
					edges.push([row, at]);
		}
		for (let i = 0; i < edges.length; i += TILES_AT_ONCE)
			await Promise.all(edges.slice(i, i + TILES_AT_ONCE).map(async ([row, at]) => {
				const tile = await this.readTileAt(at);
				each(row, at, tile, tileBounds(tile, from, to));
			}));
	}

	/* As Store.query, of rows, by a promise. */
	async queryRows(rows, from, to) {
		let count = 0, sum = 0n, best = null;
		/* The first one in its row, of the first row, if several are as long. */
		const consider = (longest, row, at, name) => {
			if (!best || longest > best.longest || (longest === best.longest && (row < best.row || (row === best.row && at < best.at))))
				best = { longest, row, at, name };
		};
		const { tile } = this, part = { sum: 0 };
		const addSum = (value) => {
			part.sum += value;
			if (part.sum > 2 ** 52) {
				sum += BigInt(part.sum);
				part.sum = 0;
			}
		};
		await this.visit(rows, from, to, (row, at) => {
			count += tile.count[at];
			addSum(tile.sum[at]);
			consider(tile.longest[at], row, at, tile.name[at]);
		}, (row, at, one, [low, high]) => {
			if (low >= high)
				return;
			count += high - low;
			let most = low, total = 0;
			for (let i = low; i < high; i++) {
				total += one.duration[i];
				if (one.duration[i] > one.duration[most])
					most = i;
			}
			addSum(total);
			consider(one.duration[most], row, at, one.name[most]);
		});
		sum += BigInt(part.sum);
		const answer = { count, longest: best ? best.longest : 0, sum: Number(sum), sumText: String(sum), longestInterval: null, name: -1 };
		if (best) {
			const one = await this.readTileAt(best.at), [low, high] = tileBounds(one, from, to);
			let i = low;
			while (i < high && one.duration[i] !== best.longest)
				i++;
			answer.longestInterval = one.number[i];
			answer.name = best.name;
		}
		return answer;
	}

	async query(from, to, lane) {
		const { count, longest, sum, sumText, longestInterval } = await this.queryRows(this.rowsOf(this.lanesOf(lane)), from, to);
		return { count, longest, sum, sumText, longestInterval };
	}

	lanesOf(lane) {
		return Store.prototype.lanesOf.call(this, lane);
	}

	/* The position of an interval: { row, at, index, tile }. null: none. */
	async find(number) {
		if (!(number >= 0 && number < this.meta.intervals))
			return null;
		const block = this.orderOf(number), row = (await this.readOrder(block)).row[number - this.order.first[block]];
		let low = this.tileOf[row], high = this.tileOf[row + 1];
		while (high - low > 1) {
			const middle = (low + high) >>> 1;
			if (this.tile.number[middle] <= number)
				low = middle;
			else
				high = middle;
		}
		const tile = await this.readTileAt(low), index = tile.number.indexOf(number);
		return { row, at: low, index, tile, start: tile.start[index], duration: tile.duration[index], name: tile.name[index] };
	}

	/* The number of the parent; null: none. As Store.parent. */
	async parentOf({ row, index, tile, start }) {
		const adopted = tile.adopted.find(([at]) => at === index);
		if (adopted)
			return this.numberAt(adopted[1], adopted[2]);
		const around = this.rowAround[row];
		if (around < 0)
			return null;
		const number = tile.number[index];
		for (let at = this.bounds(around, start, start + 1)[1]; at-- > this.tileOf[around];) {
			const found = await this.readTileAt(at);
			for (let place = tileBounds(found, start, start + 1)[1]; place-- > 0;)
				if (found.number[place] < number)
					return found.number[place];
		}
		return null;
	}

	/* The number of an interval by its row and its place there. */
	async numberAt(row, place) {
		let at = this.tileOf[row];
		while (at + 1 < this.tileOf[row + 1] && this.tile.place[at + 1] <= place)
			at++;
		return (await this.readTileAt(at)).number[place - this.tile.place[at]];
	}

	orderOf(number) {
		let low = 0, high = this.order.block.length;
		while (high - low > 1) {
			const middle = (low + high) >>> 1;
			if (this.order.first[middle] <= number)
				low = middle;
			else
				high = middle;
		}
		return low;
	}

	readOrder(at) {
		return this.read("order " + at, async () => {
			const reader = new Reader(await this.readBlock(this.order.block[at])), count = this.order.count[at];
			return { row: readColumn(reader, count), name: readColumn(reader, count), bytes: 16 * count + 2000 };
		});
	}

	/* The columns of an interval as text; null where there is none. */
	async cellsOf(number) {
		const { bytes, first, count } = await this.blockWith(number);
		return readMore(bytes, count, number - first);
	}

	/* As Page.endsOf. Besides those of a block, only intervals around it overlap its time. */
	async endsOf(first, count) {
		const [from, to] = [await this.find(first), await this.find(first + count - 1)];
		return endsIn(await this.window(from.start, to.start + 1, () => true, Infinity), first, count);
	}

	/* As Page.blockWith. */
	async blockWith(number) {
		const at = this.orderOf(number);
		return { bytes: await this.readBlock(this.order.block[at] + 1), first: this.order.first[at], count: this.order.count[at] };
	}

	/* As Page.readNumbers, for a window. */
	async readNumbers(store, columns, isWanted) {
		const { numbers } = store, all = columns.map(() => new Float64Array(store.count).fill(NaN));
		for (let slot = 0; slot < numbers.length;) {
			const block = this.orderOf(numbers[slot]), first = this.order.first[block], count = this.order.count[block];
			const bytes = await this.readBlock(this.order.block[block] + 1);
			if (!isWanted())
				return null;
			const read = columns.map((column) => readMoreColumn(bytes, count, column));
			for (; slot < numbers.length && numbers[slot] < first + count; slot++)
				read.forEach((values, i) => all[i][slot] = values[numbers[slot] - first]);
		}
		return all;
	}

	/* A column's means by tile, by its place in meta.columns; null: tiles lack the column. */
	meansOf(column) {
		const i = this.meta.tiles.means.indexOf(column);
		return i < 0 ? null : Float64Array.from(this.tile.means[i]);
	}

	/* As curveOf, from the tiles alone: assumes that a tile's intervals start evenly throughout it, and have its value in
	 * `values` (null: none). */
	curveOf(from, to, columns, values) {
		const list = () => new Float64Array(columns), counts = list(), measured = list(), sums = list(), scale = columns / (to - from);
		const least = list().fill(Infinity), most = list().fill(-Infinity), { first, end, count } = this.tile;
		for (const row of this.rowsOf(this.lanes)) {
			const [low, high] = this.bounds(row, from, to);
			for (let at = low; at < high; at++) {
				const begin = (first[at] - from) * scale, width = (end[at] - first[at]) * scale;
				for (let i = Math.max(0, Math.floor(begin)); i < columns && i <= begin + width; i++) {
					const part = width ? count[at] * Math.max(0, Math.min(i + 1, begin + width) - Math.max(i, begin)) / width : count[at];
					counts[i] += part;
					if (!values || isNaN(values[at]))
						continue;
					measured[i] += part;
					sums[i] += part * values[at];
					least[i] = Math.min(least[i], values[at]);
					most[i] = Math.max(most[i], values[at]);
				}
			}
		}
		return { counts, least, most, mean: sums.map((sum, i) => sum / measured[i]) };
	}

	/* As Store.nextNamed, by numbers. isWanted(): whether it still matters. */
	async nextNamed(wanted, number, step, isWanted) {
		const { first, last, count } = this.totals, all = this.meta.intervals;
		let least = Infinity, most = -1;
		for (let i = 0; i < count.length; i++)
			if (wanted[i] && count[i]) {
				least = Math.min(least, first[i]);
				most = Math.max(most, last[i]);
			}
		if (most < 0)
			return -1;
		if (step > 0 && number < least || step > 0 && number >= most)
			return least;
		if (step < 0 && number > most || step < 0 && number <= least)
			return most;
		for (let at = Math.min(Math.max(number + step, 0), all - 1), block = this.orderOf(at); isWanted(); block += step) {
			const { name } = await this.readOrder(block), begin = this.order.first[block];
			for (let i = at - begin; i >= 0 && i < name.length; i += step)
				if (wanted[name[i]])
					return begin + i;
			at = step > 0 ? begin + name.length : begin - 1;
		}
		return -1;
	}

	/* The approximate number of intervals that overlap a span, and their number of tiles. */
	guess(from, to) {
		let count = 0, tiles = 0;
		for (const row of this.rowsOf(this.lanes)) {
			const [low, high] = this.bounds(row, from, to);
			tiles += high - low;
			for (let at = low; at < high; at++) {
				const { first, end } = this.tile, width = end[at] - first[at];
				const share = width ? (Math.min(to, end[at]) - Math.max(from, first[at])) / width : 1;
				count += this.tile.count[at] * Math.min(1, Math.max(0, share));
			}
		}
		return { count, tiles };
	}

	/* The store of the intervals that overlap a span; null: too many, or no longer wanted. */
	async window(from, to, isWanted, most = Tiles.most) {
		const { count, tiles } = this.guess(from, to);
		if (count > most || tiles > WINDOW_TILES)
			return null;
		const wanted = [], parts = [];
		let all = 0;
		for (const row of this.rowsOf(this.lanes)) {
			const [low, high] = this.bounds(row, from, to);
			for (let at = low; at < high; at++)
				wanted.push([row, at]);
		}
		for (let i = 0; i < wanted.length; i += TILES_AT_ONCE) {
			const read = await Promise.all(wanted.slice(i, i + TILES_AT_ONCE).map(([, at]) => this.readTileAt(at)));
			if (!isWanted())
				return null;
			read.forEach((tile, k) => {
				const [row, at] = wanted[i + k], [low, high] = tileBounds(tile, from, to);
				all += high - low;
				if (low < high)
					parts.push([row, this.cutTile(tile, low, high), 0, high - low, this.tile.place[at] + low]);
			});
			if (all > 2 * most)
				return null;
		}
		return new WindowStore(this.meta, this.lanes, this.names, this.countOf, parts, from, to);
	}

	/* A copy: the tile itself may then be dropped. */
	cutTile(tile, low, high) {
		const cut = (column) => column.slice(low, high);
		return { start: cut(tile.start), duration: cut(tile.duration), name: cut(tile.name), number: cut(tile.number),
			adopted: tile.adopted.filter(([index]) => index >= low && index < high).map(([index, row, place]) => [index - low, row, place]) };
	}

	/* Begins a picture: tiles that the last one did not use may be evicted. */
	begin() {
		this.turn++;
		this.wanted = [];
	}

	/*
	 * Draws a row as Painter.row does, from the tiles in memory. An interval of two columns or more is a box by itself.
	 * Others are one mark for each cell of steps; without steps, or if a tile's number decides the colour (isByTile), one
	 * for each column in which full nodes or tiles begin. `wanted` collects the tiles that would refine the picture; until that is
	 * read, a tile or a node is one box. colourOf(name, tile's number): a pixel.
	 */
	paint(painter, row, view, y, height, colourOf, isByTile) {
		const columns = painter.width, scale = columns / (view.to - view.from);
		const pen = new TilePen(painter, view.from, scale, y, height, colourOf);
		const cells = isByTile ? null : this.grid.cellsFor(row, 1 / scale);
		if (cells) {
			this.paintCells(pen, cells, view);
			return;
		}
		const [low, high] = this.bounds(row, view.from, view.to), { tile } = this;
		for (let at = low; at < high; at++) {
			if (tile.first[at] < pen.columnEnd && tile.end[at] < pen.narrowEnd)
				pen.merge(tile.longest[at], tile.name[at], tile.sum[at], at);
			else if (pen.isNarrow(tile.first[at], tile.end[at]))
				pen.add(tile.first[at], tile.longest[at], tile.name[at], tile.sum[at], at);
			else
				this.paintTile(pen, at, view);
		}
		pen.end();
	}

	/* Draws exact cells of one or two columns. Those in blocks that are not in memory follow once these are read. */
	paintCells(pen, cells, view) {
		const stepsOf = (at) => {
			const steps = this.peek("steps " + at);
			if (!steps)
				this.wanted.push("steps " + at);
			return steps;
		};
		this.grid.eachCell(cells, view, stepsOf, (one) => {
			const isWide = one.longest >= 2 * cells.cell, rest = isWide ? one.count - 1 : one.count;
			if (rest)
				pen.mark(one.index * cells.cell, cells.cell, isWide ? one.sum - one.longest : one.sum, isWide ? one.secondName : one.name);
			if (isWide && one.start + one.longest > view.from)
				pen.box(one.start, one.start + one.longest, one.longest, one.name);
		});
	}

	paintTile(pen, at, view) {
		const { tile } = this, group = this.peek(-1 - tile.group[at]);
		if (!group) {
			this.wanted.push(-1 - tile.group[at]);
			pen.box(tile.first[at], tile.end[at], tile.sum[at], tile.name[at], at);
			return;
		}
		const end = tile.nodes[at] + Math.ceil(tile.count[at] / this.node);
		let intervals = null;
		for (let i = tile.nodes[at]; i < end; i++) {
			if (group.first[i] < pen.columnEnd && group.end[i] < pen.narrowEnd) {
				pen.merge(group.longest[i], group.name[i], group.sum[i], at);
				continue;
			}
			if (group.end[i] < view.from || group.first[i] >= view.to)
				continue;
			if (pen.isNarrow(group.first[i], group.end[i])) {
				pen.add(group.first[i], group.longest[i], group.name[i], group.sum[i], at);
				continue;
			}
			intervals = intervals || this.peek(at);
			if (!intervals) {
				if (this.wanted[this.wanted.length - 1] !== at)
					this.wanted.push(at);
				pen.box(group.first[i], group.end[i], group.sum[i], group.name[i], at);
				continue;
			}
			const begin = (i - tile.nodes[at]) * this.node, last = Math.min(begin + this.node, intervals.count);
			for (let k = begin; k < last; k++) {
				const start = intervals.start[k], stop = start + intervals.duration[k];
				if (start < pen.columnEnd && stop < pen.narrowEnd)
					pen.merge(intervals.duration[k], intervals.name[k], intervals.duration[k], at);
				else if (pen.isNarrow(start, stop))
					pen.add(start, intervals.duration[k], intervals.name[k], intervals.duration[k], at);
				else
					pen.box(start, stop, stop - start, intervals.name[k], at);
			}
		}
	}

	/* Reads the tiles that the last picture lacked, as far as there is room. Returns whether there were any. */
	async fetchWanted() {
		const wanted = Array.from(new Set(this.wanted)).filter((key) => !this.kept.has(key));
		let used = 0;
		for (const one of this.kept.values())
			used += one.turn === this.turn ? one.bytes : 0;
		if (!wanted.length || used > TILES_KEPT)
			return false;
		await Promise.all(wanted.slice(0, 2 * TILES_AT_ONCE).map((key) => typeof key === "string" ? this.readStepsAt(Number(key.slice(6))) :
			key < 0 ? this.readGroupAt(-1 - key) : this.readTileAt(key)));
		return true;
	}
}

/* Boxes of a row from left to right. */
class TilePen {
	constructor(painter, from, scale, y, height, colourOf) {
		Object.assign(this, { painter, from, scale, y, height, colourOf });
		this.column = -1;
		this.used = -1;
		/* Intervals that begin before columnEnd and end before narrowEnd belong to the mark: most do. */
		this.columnEnd = this.narrowEnd = -Infinity;
	}

	columnOf(time) {
		return Math.max(0, Math.floor((time - this.from) * this.scale));
	}

	isNarrow(first, end) {
		return Math.min(this.painter.width, this.columnOf(end)) - this.columnOf(first) < 2;
	}

	/* To the mark of the column that it begins in. */
	add(first, longest, name, sum, tile) {
		const column = this.columnOf(first);
		if (column !== this.column) {
			this.end();
			this.column = column;
			this.longest = -1;
			this.sum = 0;
			this.columnEnd = this.from + (column + 1) / this.scale;
			this.narrowEnd = this.from + (column + 2) / this.scale;
		}
		this.merge(longest, name, sum, tile);
	}

	merge(longest, name, sum, tile) {
		this.sum += sum;
		if (longest > this.longest) {
			this.longest = longest;
			this.name = name;
			this.tile = tile;
		}
	}

	tall(busy) {
		return Math.max(Math.ceil(this.height / 3), Math.round(this.height * Math.min(1, busy)));
	}

	/* Ends the mark. */
	end() {
		if (this.column < 0)
			return;
		const tall = this.tall(this.sum * this.scale);
		this.painter.box(this.column, this.y + this.height - tall, 1, tall, this.colourOf(this.name, this.tile));
		this.used = this.column;
		this.column = -1;
		this.columnEnd = this.narrowEnd = -Infinity;
	}

	/* Draws one mark for all intervals that begin in a cell, as high as they keep it busy. */
	mark(first, width, sum, name) {
		const from = this.columnOf(first), to = Math.min(this.painter.width, Math.max(from + 1, this.columnOf(first + width)));
		if (first + width <= this.from || from >= to)
			return;
		const tall = this.tall(sum / width);
		this.painter.box(from, this.y + this.height - tall, to - from, tall, this.colourOf(name));
		this.used = to - 1;
	}

	/* A box as high as it is busy: of one interval, all of it. */
	box(first, end, sum, name, tile) {
		this.end();
		const to = Math.min(this.painter.width, this.columnOf(end));
		let from = this.columnOf(first);
		if (from === this.used && from + 1 < to)
			from++;
		const tall = this.tall(sum / (end - first));
		this.painter.box(from, this.y + this.height - tall, Math.max(1, to - from - 1), tall, this.colourOf(name, tile));
		this.used = to - 1;
	}
}
