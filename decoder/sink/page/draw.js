"use strict";
/*
 * The timeline's pixels. Boxes go into one image, which reaches the canvas in one call: what a frame
 * costs depends on the rows in view and the canvas's width, not on how many intervals there are.
 */

/* Okabe and Ito's colours, distinct for any colour vision: red, green, blue. */
const PALETTE = [[86, 180, 233], [230, 159, 0], [0, 158, 115], [240, 228, 66], [204, 121, 167],
	[0, 114, 178], [213, 94, 0], [153, 153, 153]];

/* Cividis: from low to high, alike with any colour vision. */
const RAMP = [[0, 32, 76], [66, 78, 108], [124, 123, 120], [187, 173, 108], [255, 234, 70]];
const NOT_MEASURED = [200, 140, 170];
const LOST_COLOUR = [213, 94, 0];

function rampOf(share) {
	const at = share * (RAMP.length - 1), below = Math.min(RAMP.length - 2, Math.floor(at));
	return blend(RAMP[below], RAMP[below + 1], at - below);
}

/* Steps of the ramp on a light and on a dark background. */
const RAMPS = [0, 0.2].map((least) => Array.from({ length: 64 }, (_, step) => rampOf(least + (1 - least) * step / 63)));

/* Pixels of a line from which on fill is faster than a loop. */
const FILL_LEAST = 16;

function pixelOf([red, green, blue]) {
	return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

function blend(colour, with_, share) {
	return colour.map((value, i) => Math.round(value + (with_[i] - value) * share));
}

/* A box is dark enough for white text. */
function isDark([red, green, blue]) {
	return 0.299 * red + 0.587 * green + 0.114 * blue < 140;
}

class Painter {
	constructor(width, height, background) {
		this.width = width;
		this.height = height;
		this.background = background;
		this.image = new ImageData(width, height);
		this.pixels = new Uint32Array(this.image.data.buffer);
	}

	begin(top) {
		this.pixels.fill(pixelOf(this.background));
		this.top = top;
	}

	box(x, y, width, height, pixel) {
		const { pixels, width: stride } = this, left = Math.max(0, x), right = Math.min(stride, x + width);
		const last = Math.min(this.height, y + height) * stride;
		for (let line = Math.max(this.top, y) * stride; line < last && left < right; line += stride)
			/* Most boxes are marks of one column: a call of fill takes longer than their few pixels. */
			if (right - left < FILL_LEAST)
				for (let at = line + left; at < line + right; at++)
					pixels[at] = pixel;
			else
				pixels.fill(pixel, line + left, line + right);
	}

	/* Marks: two columns each; those that begin in the same column are one. */
	marks(store, lane, view, y, height, pixel) {
		const scale = this.width / (view.to - view.from);
		const [low, high] = store.marksOf(lane, view.from, view.to);
		for (let at = low, used = -1; at < high; at++) {
			const column = Math.floor((lane.marks[at].time - view.from) * scale);
			if (column !== used)
				this.box(column, y, 2, height, pixel);
			used = column;
		}
	}

	/* Diagonal stripes over each interval of a row, two columns wide or more: unknown time. */
	stripes(store, row, view, y, height, pixel) {
		const scale = this.width / (view.to - view.from), [low, high] = store.bounds(row, view.from, view.to);
		const columnOf = (time) => Math.floor((time - view.from) * scale), last = Math.min(this.height, y + height);
		for (let at = low; at < high;) {
			const left = Math.max(0, columnOf(store.start[at])), right = Math.min(this.width, Math.max(left + 2, columnOf(store.end(at))));
			for (let line = Math.max(this.top, y); line < last; line++)
				for (let x = left; x < right; x++)
					if ((x + line) % 6 < 2)
						this.pixels[line * this.width + x] = pixel;
			/* The next that ends beyond these columns. */
			const next = store.nextFrom(view.from + right / scale, at, high);
			at = next - 1 > at && columnOf(store.end(next - 1)) > right ? next - 1 : Math.max(next, at + 1);
		}
	}

	/*
	 * A row of intervals: a box of each that is two columns wide or more, else one column for all
	 * that begin in it, in the longest one's colour and as high as it is busy, never less than a
	 * third. colourOf(position): a pixel. Returns the boxes with room for text.
	 */
	row(store, row, view, left, y, height, colourOf, least) {
		const columns = this.width - left, scale = columns / (view.to - view.from);
		const [low, high] = store.bounds(row, view.from, view.to);
		const texts = [];
		const columnOf = (time) => Math.floor((time - view.from) * scale);
		let used = -1;
		for (let at = low; at < high;) {
			let from = Math.max(0, columnOf(store.start[at]));
			const to = Math.min(columns, columnOf(store.end(at)));
			if (to - from >= 2) {
				if (from === used && from + 1 < to)
					from++;
				this.box(left + from, y, to - from - 1, height, colourOf(at));
				if (to - from >= least)
					texts.push({ at, x: left + from, width: to - from - 1 });
				used = to - 1;
				at++;
				continue;
			}
			let next = store.nextFrom(view.from + (from + 1) / scale, at, high);
			if (next <= at)
				next = at + 1;
			if (next - at > 1 && columnOf(store.end(next - 1)) - from >= 2)
				next--;
			const stats = store.stats(at, next);
			const busy = Math.min(1, stats.sum * scale);
			const tall = Math.max(Math.ceil(height / 3), Math.round(height * busy));
			this.box(left + from, y + height - tall, 1, tall, colourOf(stats.longest));
			used = from;
			at = next;
		}
		return texts;
	}
}
