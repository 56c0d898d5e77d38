"use strict";
/*
 * Blocks of data: base64 of raw deflate data. Numbers are little-endian groups of seven bits
 * (LEB128). README.md lists the blocks' contents. No document here: Node's tests run it.
 */

function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/* packed: bytes, or a Blob, which the browser may keep on disk. */
async function inflate(packed) {
	const stream = packed instanceof Blob ? packed.stream() : new ReadableStream({
		start(control) {
			control.enqueue(packed);
			control.close();
		},
	});
	return new Uint8Array(await new Response(stream.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer());
}

/* Reads a block from its start to its end. */
class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	/* A Number up to 2^53, above that a BigInt. */
	number() {
		const bytes = this.bytes;
		let value = 0, factor = 1, byte;
		const begin = this.at;
		do {
			byte = bytes[this.at++];
			value += (byte & 127) * factor;
			factor *= 128;
		} while (byte & 128);
		if (value <= Number.MAX_SAFE_INTEGER)
			return value;
		let exact = 0n;
		for (let i = this.at - 1; i >= begin; i--)
			exact = exact << 7n | BigInt(bytes[i] & 127);
		return exact;
	}

	/* Small ones of either sign: 0, -1, 1, -2, ... */
	signed() {
		const small = this.number();
		if (typeof small === "number" && small < 2 ** 31)
			return small & 1 ? -(small >>> 1) - 1 : small >>> 1;
		const folded = BigInt(small);
		const value = folded & 1n ? -(folded >> 1n) - 1n : folded >> 1n;
		return Number.isSafeInteger(Number(value)) ? Number(value) : value;
	}

	raw(length) {
		this.at += length;
		return this.bytes.subarray(this.at - length, this.at);
	}
}

/* A column of `count` numbers, none above 2^53. */
function readColumn(reader, count) {
	const bytes = reader.raw(reader.number());
	const values = new Float64Array(count);
	for (let i = 0, at = 0; i < count; i++) {
		let byte = bytes[at++];
		let value = byte & 127;
		for (let factor = 128; byte & 128; factor *= 128) {
			byte = bytes[at++];
			value += (byte & 127) * factor;
		}
		values[i] = value;
	}
	return values;
}

/* A block of `core`. */
function readCore(bytes) {
	const reader = new Reader(bytes);
	const count = reader.number();
	const start = readColumn(reader, count);
	for (let i = 1; i < count; i++)
		start[i] += start[i - 1];
	return {
		count, start,
		duration: readColumn(reader, count),
		name: readColumn(reader, count),
		row: readColumn(reader, count),
	};
}

/* A block of `marks`. */
function readMarks(bytes) {
	const reader = new Reader(bytes);
	const count = reader.number();
	const time = readColumn(reader, count);
	for (let i = 1; i < count; i++)
		time[i] += time[i - 1];
	return { count, time, name: readColumn(reader, count), lane: readColumn(reader, count), ring: readColumn(reader, count) };
}

/* A block of `runs`. */
function readRuns(bytes) {
	const reader = new Reader(bytes), count = reader.number();
	const runs = { count, lane: readColumn(reader, count), after: readColumn(reader, count), duration: readColumn(reader, count), thread: readColumn(reader, count) };
	return reader.at < bytes.length ? { ...runs, how: readColumn(reader, count) } : runs;
}

/* A block of `wakeups`. */
function readWakeups(bytes) {
	const reader = new Reader(bytes), count = reader.number();
	return { count, lane: readColumn(reader, count), after: readColumn(reader, count), tid: readColumn(reader, count), by: readColumn(reader, count), how: readColumn(reader, count) };
}

/* A block of `adopted`: [row, index in it, the parent's row, its index] of each. */
function readAdopted(bytes) {
	const reader = new Reader(bytes), all = [];
	while (reader.at < bytes.length)
		all.push([reader.number(), reader.number(), reader.number(), reader.number()]);
	return all;
}

const TAG_NONE = 0, TAG_UNSIGNED = 1, TAG_SIGNED = 2, TAG_DOUBLE = 3, TAG_TEXT = 4, TAG_IDS = 5, TAG_FIXED = 16,
	TAG_MIXED = 255;

/* Digits with a decimal point, as in CSV. */
function fixedText(value, decimals) {
	const digits = String(value < 0 ? -value : value).padStart(decimals + 1, "0");
	const point = digits.length - decimals;
	return (value < 0 ? "-" : "") + digits.slice(0, point) + (decimals ? "." + digits.slice(point) : "");
}

function readCell(reader, tag) {
	if (tag === TAG_NONE)
		return null;
	if (tag === TAG_UNSIGNED)
		return String(reader.number());
	if (tag === TAG_SIGNED)
		return String(reader.signed());
	if (tag === TAG_TEXT)
		return new TextDecoder().decode(reader.raw(reader.number()));
	if (tag === TAG_DOUBLE) {
		const bytes = reader.raw(8);
		return String(new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true));
	}
	return fixedText(reader.signed(), tag - TAG_FIXED);
}

function readNumber(reader, tag) {
	if (tag === TAG_UNSIGNED)
		return Number(reader.number());
	if (tag === TAG_SIGNED)
		return Number(reader.signed());
	if (tag >= TAG_FIXED && tag < TAG_MIXED)
		return Number(reader.signed()) / 10 ** (tag - TAG_FIXED);
	return tag === TAG_NONE || tag === TAG_IDS ? NaN : Number(readCell(reader, tag) ?? NaN);
}

/* Of a block of `more`: one column as numbers, NaN where there is none. */
function readMoreColumn(bytes, count, column) {
	const reader = new Reader(bytes), numbers = new Float64Array(count).fill(NaN);
	const columns = reader.number();
	for (let i = 0; i < columns; i++) {
		const first = reader.raw(1)[0];
		const tags = first === TAG_MIXED ? reader.raw(count) : null;
		const values = new Reader(reader.raw(reader.number()));
		for (let row = 0; i === column && row < count; row++)
			numbers[row] = readNumber(values, tags ? tags[row] : first);
	}
	return numbers;
}

/*
 * Of a block of `more`: the id of a row, from the column of ids: each row's ring, then the positions in the order of the rings, and of
 * the intervals' ends in each; `ends` has these by row. rings: the beginnings of ids. null: there are no ids.
 */
function readId(bytes, count, column, row, ends, rings) {
	const reader = new Reader(bytes);
	for (let left = reader.number(), i = 0; left > 0; left--, i++) {
		const tag = reader.raw(1)[0];
		if (tag === TAG_MIXED)
			reader.raw(count);
		const values = new Reader(reader.raw(reader.number()));
		if (i !== column || tag !== TAG_IDS)
			continue;
		const all = Array.from({ length: count }, () => values.number()), own = all[row];
		const alike = Array.from(all.keys()).filter((one) => all[one] === own).sort((a, b) => ends[a] - ends[b] || a - b);
		for (let before = all.filter((ring) => ring < own).length; before > 0; before--)
			values.number();
		let position = 0n;
		for (const one of alike) {
			position += BigInt(values.signed());
			if (one === row)
				return rings[own] + BigInt.asUintN(64, position);
		}
	}
	return null;
}

/* Of a block of `more` with `count` rows: the cells of one row as text, null where there is none. Ids need readId. */
function readMore(bytes, count, row) {
	const reader = new Reader(bytes), cells = [];
	for (let left = reader.number(); left > 0; left--) {
		const first = reader.raw(1)[0];
		const tags = first === TAG_MIXED ? reader.raw(count) : null;
		const values = new Reader(reader.raw(reader.number()));
		let cell = null;
		for (let i = 0; first !== TAG_IDS && i <= row; i++)
			cell = readCell(values, tags ? tags[i] : first);
		cells.push(cell);
	}
	return cells;
}
