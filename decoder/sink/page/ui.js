"use strict";
/* The page itself: reads the blocks, draws, and answers the mouse and the keys. */

const HEADING = 20, ROW = 18, AXIS = 26, GAPS = 14, MARKS = 10, PALE = 0.6, PRINTED = 8000;
const UNASKED = 1000000; /* Page.unasked */

class Page {
	constructor() {
		this.dirty = new Set();
		this.matches = null;
		this.matched = 0;
		this.coloured = "label";
		this.chosen = -1;
		this.selection = null;
		this.summaries = new SummaryPanel(this);
		this.painter = null;
		this.scheme = matchMedia("(prefers-color-scheme: dark)");
		this.processors = new ProcessorPanel(this);
		this.runs = new RunPanel(this);
		this.lanes = "threads";
		this.prints = false;
		this.plots = new Map(); /* canvas: function that draws it again */
		this.flame = new FlamePanel(this);
		this.curves = new CurvePanel(this);
		this.medians = new Map();
	}

	/* Before the data: what the trace is, and its overview. */
	async begin() {
		this.meta = await readObject("meta");
		this.base = BigInt(this.meta.base);
		countFrom(this.meta.first_hook);
		this.until = Math.max(this.meta.until, VIEW_LEAST_NS);
		this.view = { from: 0, to: this.until };
		this.tellAbout();
		this.drawOverview();
	}

	tellAbout() {
		const meta = this.meta, files = meta.files.map((file) => printable(file.path)).join(", ");
		document.title = files + " \u2013 trace";
		$("title").textContent = files;
		const about = [];
		if (meta.command)
			about.push("Command: " + printable(meta.command));
		if (meta.host)
			about.push("Host: " + printable(meta.host));
		about.push("Duration: " + durationText(meta.until), "Intervals: " + exactText(meta.intervals));
		about.push("Begins: " + clockText(this.base, 0));
		if (meta.span)
			about.push("Only the intervals that overlap " + meta.span.map((time) => clockText(BigInt(time), 0)).join(" to "));
		const error = Math.max(...meta.files.map((file) => file.clock_error_ns === null ? NaN : file.clock_error_ns));
		about.push("Clock: " + (error >= 0 ? "true to \u00b1" + durationText(error) : "error unknown"));
		if (meta.open)
			about.push("Open at the end: " + exactText(meta.open) + (meta.open_no_end ? ", of which " + exactText(meta.open_no_end) + " may have ended in overwritten hooks" : ""));
		if (meta.scripted)
			about.push("Counters were scripted: counts and CPIs were not measured");
		$("about").textContent = about.join(" \u00b7 ");
		for (const loss of meta.losses)
			$("losses").append(element("li", exactText(loss.count) + " " + loss.what + " (" + printable(loss.file) + ")"));
		$("losses").hidden = !meta.losses.length;
		showDoctor($("doctor"), meta.files);
	}

	async tellReports() {
		const reports = await readLists("reports"), limits = limitsOf(this.meta, this.unasked(), reports);
		this.summary = reports.find((one) => one.name === "summary");
		showReports($("reports"), reports.filter((one) => one !== this.summary));
		$("limits").append(...limits.map((text) => element("li", text)));
		$("limited").hidden = !limits.length;
	}

	async load() {
		await this.begun;
		const names = await this.readNames(), lanes = await readLists("lanes");
		const store = new Store(this.meta, lanes, names);
		await this.tellReports();
		this.more = [];
		for (const block of document.querySelectorAll("script.core, script.more, script.adopted, script.marks")) {
			if (block.className === "more") {
				/* None is before it in a page that lacks its beginning. */
				if (this.more.length)
					this.more[this.more.length - 1].block = block;
				continue;
			}
			const bytes = await inflate(takeBlock(block));
			if (block.className === "marks") {
				store.mark(readMarks(bytes));
				continue;
			}
			if (block.className === "adopted") {
				store.adopt(readAdopted(bytes));
				continue;
			}
			const core = readCore(bytes);
			this.more.push({ first: store.filled, count: core.count });
			store.add(core);
		}
		if (store.filled !== this.meta.intervals)
			throw new Error("the page holds " + store.filled + " of " + this.meta.intervals + " intervals: it was cut short");
		store.finish();
		this.store = store;
		await this.open(lanes);
		const whole = finish(summarize(store, 0, this.until + 1));
		this.medians = new Map(whole.rows.map((row) => [row.name, row.p50]));
		this.summaries.fillWhole(whole, this.summary, await readLists("times"));
		this.enable();
		this.packMore();
		if (store.count <= this.unasked()) {
			this.showLanes("both");
			this.curves.find();
		}
	}

	/* Once there is a store. */
	async open(lanes) {
		await this.runs.read();
		if (this.runs.store)
			this.lanes = $("lanes").value = "both";
		this.chooseColours();
		$("about").textContent += " \u00b7 Threads: " + exactText(new Set(lanes.map(this.threadKey)).size);
		this.listen();
		this.arrange();
	}

	enable() {
		this.restore();
		for (const control of document.querySelectorAll("button:disabled, input:disabled, select:disabled"))
			control.disabled = false;
		document.documentElement.setAttribute("aria-busy", "false");
	}

	/* Sets the names and what they stand for. Returns them with their kinds. */
	async readNames() {
		const { names, minors, majors, labels } = namesOf(await readLists("names"));
		Object.assign(this, { minors, majors, labels, names: names.map((name) => printable(name.slice(1))) });
		return names;
	}

	/* A blob needs three quarters of a block's memory, and not the page's. */
	async packMore() {
		for (const one of this.more) {
			this.blobOf(one);
			await new Promise((done) => setTimeout(done, 0));
		}
	}

	blobOf(one) {
		if (one.block)
			one.blob = takeBlock(one.block);
		one.block = null;
		return one.blob;
	}

	threadKey(lane) {
		return [lane.machine, lane.pid || 0, lane.tid, lane.name].join(" ");
	}

	/* Where lanes are, from top to bottom: a thread's further lanes after its first one. */
	arrange() {
		const lanes = this.store.lanes.slice().sort((a, b) => a.machine - b.machine ||
			(a.pid || 0) - (b.pid || 0) || a.tid - b.tid || a.name - b.name || a.further - b.further);
		let y = AXIS;
		this.placed = [];
		if (this.meta.gaps.length) {
			this.placed.push({ y, height: GAPS + 4, gaps: true });
			y += GAPS + 4;
		}
		y = this.curves.place(this.placed, y);
		for (const lane of this.lanesShown() === "processors" ? [] : lanes) {
			this.placed.push({ y, height: HEADING, lane });
			y += HEADING;
			if (lane.marks) {
				this.placed.push({ y, height: MARKS, lane, marks: true });
				y += MARKS;
			}
			for (const row of lane.levels) {
				this.placed.push({ y, height: ROW, row, lane });
				y += ROW;
			}
			y += 4;
		}
		if (this.lanesShown() !== "threads")
			y = this.processors.place(this.placed, y);
		this.height = y + 4;
	}

	/* The lanes that the timeline has: threads, processors, both. */
	lanesShown() {
		return this.lanes;
	}

	/* Whether lanes of processors have rows derived from intervals. */
	hasDerived() {
		return this.processors.store !== null;
	}

	/* The column that the timeline's colours show; null: none. */
	columnShown() {
		return this.column;
	}

	/* Lanes to show: threads, processors, both. */
	async showLanes(lanes) {
		$("lanes").value = lanes;
		if (lanes !== "threads")
			await this.processors.find();
		if ($("lanes").value !== lanes)
			return;
		this.lanes = lanes;
		this.arrange();
		this.fillLegend();
		this.changed();
	}

	laneText(lane) {
		let text = this.names[lane.name];
		if (!text.startsWith("tid "))
			text += " (tid " + lane.tid + ")";
		if (lane.process !== undefined && lane.pid !== lane.tid)
			text += " of " + this.names[lane.process] + " (pid " + lane.pid + ")";
		if (lane.further)
			text += ", overlapping " + lane.further;
		if (this.meta.files.length > 1 && this.meta.files[lane.file].host)
			text = printable(this.meta.files[lane.file].host) + " " + text;
		return text;
	}

	/* Drawing. */

	/* Paper is light. */
	isDark() {
		return this.scheme.matches && !this.prints;
	}

	theme() {
		return this.isDark()
			? { back: [22, 25, 29], text: "#e8eaee", faint: "#a3abb8", line: "#3d444e", bar: "#2f7fae", mark: "#fff", hot: [255, 209, 102] }
			: { back: [255, 255, 255], text: "#1b1e23", faint: "#5a6270", line: "#c9ced6", bar: "#56b4e9", mark: "#1b1e23", hot: [0, 51, 102] };
	}

	/* The most frequent labels have colours of their own. */
	colourOf(name) {
		return PALETTE[this.colours[name]];
	}

	chooseColours() {
		const { labels } = this, counts = this.labelCounts = new Float64Array(labels.length);
		this.store.countOf.forEach((count, name) => counts[labels[name]] += count);
		this.frequent = Array.from(counts.keys()).filter((i) => counts[i]).sort((a, b) => counts[b] - counts[a] || a - b);
		this.colours = new Uint8Array(counts.length);
		this.frequent.forEach((label, rank) => this.colours[label] = rank % PALETTE.length);
		labels.forEach((label, name) => this.colours[name] = this.colours[label]);
	}

	/* Colour by a column. */

	fillColours() {
		const box = $("colour"), add = (value, text) => box.append(element("option", text, { value }));
		add("label", "label");
		for (const i of this.meta.numeric)
			add(String(i), printable(this.meta.columns[i]));
		if (this.hasNumbers("off_cpu_ns"))
			add("off", "off-CPU share");
		this.meta.metrics.forEach((metric, i) => isMetricMeasured(metric, this.meta.numeric) && add("metric " + i, printable(metric.name)));
	}

	/* The metrics of groups that may have been measured, with the names of their operands. */
	groupMetrics() {
		const { metrics, numeric, columns } = this.meta;
		return metrics.filter((metric) => metric.summary !== null && isMetricMeasured(metric, numeric))
			.map((metric) => ({ ...metric, names: metric.operands.map((place) => place === null ? null : columns[place]) }));
	}

	/* The number of intervals up to which columns are read without a request. */
	unasked() {
		return UNASKED;
	}

	/* Whether a column has numbers in some interval. */
	hasNumbers(name) {
		return this.meta.numeric.includes(this.meta.columns.indexOf(name));
	}

	/* Reads columns by their indexes in meta.columns (-1: a column without values): values by slot, NaN if unmeasured. null: no
	 * longer wanted. */
	async readNumbers(store, columns, isWanted) {
		const all = columns.map(() => new Float64Array(store.count));
		for (const one of this.more) {
			const bytes = await inflate(this.blobOf(one));
			if (!isWanted())
				return null;
			columns.forEach((column, i) => all[i].set(readMoreColumn(bytes, one.count, column), one.first));
		}
		return all;
	}

	/* The metric of a choice of colours; undefined: a column. */
	metricOf(choice) {
		return choice.startsWith("metric ") ? this.meta.metrics[Number(choice.slice(7))] : undefined;
	}

	/* The indexes in meta.columns of what a choice of colours is made of. */
	columnsIn(choice) {
		const metric = this.metricOf(choice);
		return metric ? metric.operands.filter((place) => place !== null) : [choice === "off" ? this.meta.columns.indexOf("off_cpu_ns") : Number(choice)];
	}

	/* The column of a choice, for pictures, from the values by slot of columnsIn. */
	columnOf(store, choice, numbers) {
		const isShare = choice === "off", slots = store.slot, metric = this.metricOf(choice), values = metric ? metricColumn(metric, store, numbers) : numbers[0];
		for (let at = 0; isShare && at < store.count; at++)
			values[slots[at]] /= store.duration[at] || NaN;
		return this.columnShape(choice, values);
	}

	/* The name and the range of colours of a column's values. */
	columnShape(choice, values) {
		const isShare = choice === "off", range = rangeOf(values), metric = this.metricOf(choice);
		return { name: isShare ? "off-CPU share" : metric ? metric.name : this.meta.columns[Number(choice)], values, range: range && isShare ? { low: 0, high: 1, isLog: false } : range };
	}

	/* Reads the column of a choice. null: no longer wanted. */
	async readColumn(choice, isWanted) {
		const { store } = this, numbers = await this.readNumbers(store, this.columnsIn(choice), isWanted);
		return numbers && this.columnOf(store, choice, numbers);
	}

	async colourBy(choice) {
		const job = this.colouring = {};
		this.coloured = choice;
		const column = choice === "label" ? null : await this.readColumn(choice, () => this.colouring === job);
		if (this.colouring !== job)
			return;
		this.column = column;
		this.fillLegend();
		this.changed();
	}

	valueOf(at) {
		return this.column.values[this.store.slot[at]];
	}

	colourOfValue(value, { range }) {
		return isNaN(value) || !range ? NOT_MEASURED : this.rampColour(shareOf(range, value));
	}

	/* In the dark, the ramp's darkest part would not stand out. */
	rampColour(share) {
		const ramp = RAMPS[Number(this.isDark())];
		return ramp[Math.round(share * (ramp.length - 1))];
	}

	colourAt(at) {
		return this.column ? this.colourOfValue(this.valueOf(at), this.column) : this.colourOf(this.store.name[at]);
	}

	/* ": raw_cpi 1.25" */
	valueText(value, column = this.column) {
		return column ? "; " + printable(column.name) + " " + (isNaN(value) ? "not measured" : Number(value.toPrecision(6))) : "";
	}

	/* Sizes a canvas for the screen's pixels. */
	prepare(canvas, width, height) {
		const ratio = devicePixelRatio || 1;
		const wide = Math.max(1, Math.round(width * ratio)), tall = Math.max(1, Math.round(height * ratio));
		if (canvas.width !== wide || canvas.height !== tall) {
			canvas.width = wide;
			canvas.height = tall;
			canvas.style.height = height + "px";
		}
		return ratio;
	}

	drawOverview() {
		const canvas = $("overview");
		const width = canvas.clientWidth || 800, height = 46, ratio = this.prepare(canvas, width, height);
		const ctx = canvas.getContext("2d"), theme = this.theme(), scale = width / this.until;
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.clearRect(0, 0, canvas.width, canvas.height);
		ctx.drawImage(this.overviewBars(canvas, width, height, ratio), 0, 0);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		const mark = (from, to, colour) => {
			ctx.strokeStyle = colour;
			ctx.lineWidth = 2;
			ctx.strokeRect(from * scale + 1, 1, Math.max(2, (to - from) * scale - 2), height - 2);
		};
		if (this.view.from > 0 || this.view.to < this.until)
			mark(this.view.from, this.view.to, theme.mark);
		if (this.selection)
			mark(this.selection.from, this.selection.to, "#d55e00");
	}

	/* The overview without marks, which does not depend on the view: drawn again only if its size or colour changes. */
	overviewBars({ width: wide, height: tall }, width, height, ratio) {
		const { bar } = this.theme(), key = [wide, tall, bar].join(" "), { width: bucket, count } = this.meta.overview;
		if (this.bars && this.bars.key === key)
			return this.bars.canvas;
		const canvas = element("canvas", undefined, { width: wide, height: tall }), ctx = canvas.getContext("2d");
		const most = count.reduce((a, b) => Math.max(a, b), 1), scale = width / this.until;
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.fillStyle = bar;
		for (let i = 0; i < count.length; i++)
			if (count[i]) {
				const high = Math.max(2, (height - 2) * count[i] / most);
				/* Integral columns: adjacent bars leave no lines between them. */
				const left = Math.floor(i * bucket * scale);
				ctx.fillRect(left, height - high, Math.max(1, Math.ceil((i + 1) * bucket * scale) - left), high);
			}
		this.bars = { key, canvas };
		return canvas;
	}

	/* Paper has all lanes, up to PRINTED pixels of them. */
	draw() {
		const scroller = $("scroller"), canvas = $("timeline"), theme = this.theme(), lanes = this.prints ? Math.min(this.height, PRINTED) : this.height;
		$("tall").style.height = lanes + "px";
		const width = scroller.clientWidth, height = Math.max(60, this.prints ? lanes : Math.min(lanes, scroller.clientHeight || 400));
		const ratio = this.prepare(canvas, width, height), ctx = canvas.getContext("2d");
		if (!this.painter || this.painter.width !== canvas.width || this.painter.height !== canvas.height ||
			this.dark !== this.isDark())
			this.painter = new Painter(canvas.width, canvas.height, theme.back);
		this.dark = this.isDark();
		const scroll = this.prints ? 0 : scroller.scrollTop, texts = [], ran = [], wanted = this.matches;
		const pixels = new Map();
		const pixelAt = (at, share) => {
			const faded = wanted && !wanted[this.store.name[at]] ? 0.75 : share, colour = this.colourAt(at), key = pixelOf(colour) * 100 + 100 * faded;
			if (!pixels.has(key))
				pixels.set(key, pixelOf(blend(colour, theme.back, faded)));
			return pixels.get(key);
		};
		const colourOf = (at) => pixelAt(at, 0), { processors } = this;
		const ranColourOf = (at) => pixelAt(processors.originOf(at), processors.isPale(at) ? PALE : 0);
		this.painter.begin(Math.round(AXIS * ratio));
		const shown = this.placed.filter((one) => one.y + one.height > scroll && one.y < scroll + height);
		for (const one of shown)
			if (one.row !== undefined) {
				const y = Math.round((one.y - scroll) * ratio), tall = Math.round((ROW - 2) * ratio);
				for (const text of this.paintRow(one.row, y, tall, colourOf, 26 * ratio))
					texts.push({ ...text, y: one.y - scroll, name: this.store.name[text.at], share: 0 });
			} else if (one.ran !== undefined) {
				const y = Math.round((one.y - scroll) * ratio), tall = Math.round((ROW - 2) * ratio);
				for (const text of this.painter.row(processors.store, one.ran, this.view, 0, y, tall, ranColourOf, 26 * ratio))
					texts.push({ ...text, at: processors.originOf(text.at), y: one.y - scroll, name: processors.store.name[text.at],
						share: processors.isPale(text.at) ? PALE : 0 });
			} else if (one.runs) {
				for (const text of this.runs.paint(this.painter, one.runs, this.view, Math.round((one.y - scroll) * ratio), Math.round((ROW - 2) * ratio), 26 * ratio))
					ran.push({ ...text, y: one.y - scroll });
			}
		const mark = pixelOf(this.isDark() ? [255, 255, 255] : [27, 30, 35]);
		for (const one of shown)
			if (one.marks)
				this.painter.marks(this.store, one.lane, this.view, Math.round((one.y - scroll) * ratio), Math.round((MARKS - 2) * ratio), mark);
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.putImageData(this.painter.image, 0, 0);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.save();
		ctx.beginPath();
		ctx.rect(0, AXIS, width, height);
		ctx.clip();
		ctx.textBaseline = "middle";
		for (const one of shown) {
			ctx.font = "600 12px system-ui, sans-serif";
			ctx.fillStyle = theme.text;
			if (one.lane && one.row === undefined && !one.marks)
				ctx.fillText(this.laneText(one.lane), 4, one.y - scroll + HEADING / 2 + 1);
			else if (one.processor && one.ran === undefined)
				ctx.fillText(processors.name(one.processor), 4, one.y - scroll + HEADING / 2 + 1);
			if (one.gaps)
				this.drawGaps(ctx, one.y - scroll, width);
			if (one.curve !== undefined)
				this.curves.paint(ctx, one.curve, one.y - scroll, width);
		}
		ctx.font = "12px system-ui, sans-serif";
		for (const text of texts)
			this.drawText(ctx, text, ratio);
		for (const text of ran)
			this.runs.drawText(ctx, text, ratio);
		this.drawChosen(ctx, scroll, width, theme);
		this.drawSelection(ctx, width, height);
		ctx.restore();
		this.drawAxis(ctx, width, theme);
	}

	paintRow(row, y, tall, colourOf, least) {
		return this.painter.row(this.store, row, this.view, 0, y, tall, colourOf, least);
	}

	drawText(ctx, text, ratio) {
		const room = text.width / ratio - 6, theme = this.theme();
		ctx.fillStyle = this.matches && !this.matches[this.store.name[text.at]] ? theme.faint :
			isDark(blend(this.colourAt(text.at), theme.back, text.share)) ? "#fff" : "#000";
		ctx.fillText(this.cut(ctx, this.names[text.name], room), text.x / ratio + 3, text.y + ROW / 2 - 0.5);
	}

	/* A name in that much room, with an ellipsis if it is cut. */
	cut(ctx, text, room) {
		this.widths = this.widths || new Map();
		let width = this.widths.get(text);
		if (width === undefined)
			this.widths.set(text, width = ctx.measureText(text).width);
		if (width <= room)
			return text;
		const letters = Array.from(text);
		let kept = Math.floor(letters.length * room / width);
		let cut = letters.slice(0, kept).join("") + "\u2026";
		while (kept > 0 && ctx.measureText(cut).width > room)
			cut = letters.slice(0, --kept).join("") + "\u2026";
		return kept ? cut : "";
	}

	xOf(time, width) {
		return (time - this.view.from) / (this.view.to - this.view.from) * width;
	}

	timeOf(x) {
		return this.view.from + x / $("timeline").clientWidth * (this.view.to - this.view.from);
	}

	drawGaps(ctx, y, width) {
		for (const gap of this.meta.gaps) {
			const from = Math.max(-2, this.xOf(gap.from, width)), to = Math.min(width + 2, this.xOf(gap.to, width));
			if (to < 0 || from > width)
				continue;
			ctx.save();
			ctx.beginPath();
			ctx.rect(from, y, Math.max(2, to - from), GAPS);
			ctx.clip();
			ctx.strokeStyle = "#d55e00";
			ctx.lineWidth = 2;
			ctx.beginPath();
			for (let x = from - GAPS; x < to + GAPS; x += 7) {
				ctx.moveTo(x, y + GAPS);
				ctx.lineTo(x + GAPS, y);
			}
			ctx.stroke();
			ctx.strokeRect(from, y, Math.max(2, to - from), GAPS);
			ctx.restore();
		}
	}

	/* The selection: the position of an interval in the page's store, or of a run in that of runs; -1: nothing. */
	chosenOne() {
		return this.chosen < 0 && this.runs.chosen >= 0 ? { store: this.runs.store, at: this.runs.chosen } : { store: this.store, at: this.chosen };
	}

	/* Where an interval is drawn: on its thread's lanes, a processor's, or both. */
	placesOf(at) {
		const row = this.store.rowOf(at);
		return this.placed.filter((place) => place.row === row || (place.ran !== undefined && this.processors.holds(place.ran, at)));
	}

	drawChosen(ctx, scroll, width, theme) {
		const { store, at } = this.chosenOne();
		if (at < 0)
			return;
		const places = store === this.store ? this.placesOf(at) : this.placed.filter((place) => place.runs === store.processorOf(at));
		const from = Math.max(-4, this.xOf(store.start[at], width));
		const to = Math.min(width + 4, this.xOf(store.end(at), width));
		ctx.strokeStyle = theme.mark;
		ctx.lineWidth = 2;
		for (const { y } of places)
			ctx.strokeRect(from - 1, y - scroll - 1, Math.max(3, to - from + 1), ROW);
	}

	drawSelection(ctx, width, height) {
		const span = this.selection;
		if (!span)
			return;
		const from = Math.max(-2, this.xOf(span.from, width)), to = Math.min(width + 2, this.xOf(span.to, width));
		ctx.fillStyle = "rgba(213, 94, 0, 0.14)";
		ctx.fillRect(from, AXIS, to - from, height);
		ctx.strokeStyle = "#d55e00";
		ctx.lineWidth = 1.5;
		ctx.strokeRect(from, AXIS, to - from, height);
	}

	drawAxis(ctx, width, theme) {
		const { step, ticks } = ticksOf(this.view.from - firstHook, this.view.to - firstHook, Math.max(1, Math.floor(width / 130)));
		ctx.fillStyle = "rgb(" + theme.back.join(",") + ")";
		ctx.fillRect(0, 0, width, AXIS);
		ctx.fillStyle = theme.faint;
		ctx.strokeStyle = theme.line;
		ctx.lineWidth = 1;
		ctx.font = "11px system-ui, sans-serif";
		ctx.textBaseline = "middle";
		ctx.beginPath();
		for (const at of ticks) {
			const x = Math.round(this.xOf(at + firstHook, width)) + 0.5, text = tickText(at, step);
			ctx.moveTo(x, 4);
			ctx.lineTo(x, AXIS);
			/* No part of a number. */
			if (x + 4 + ctx.measureText(text).width <= width)
				ctx.fillText(text, x + 4, AXIS / 2);
		}
		ctx.moveTo(0, AXIS - 0.5);
		ctx.lineTo(width, AXIS - 0.5);
		ctx.stroke();
	}

	/* One frame for all that changed since the last one. */
	redraw() {
		if (this.frame)
			return;
		this.frame = requestAnimationFrame(() => {
			this.frame = 0;
			this.draw();
			this.drawOverview();
		});
	}

	/* The view and its consequences. */

	changed() {
		const view = this.view, span = this.span();
		this.redraw();
		$("place").textContent = offsetText(view.from) + " to " + offsetText(view.to) + ", " + durationText(view.to - view.from) +
			(this.selection ? "; selected: " + durationText(span.to - span.from) : "");
		clearTimeout(this.later);
		this.later = setTimeout(() => this.settle(), 150);
	}

	/* The span that the tables are about: whole ns. */
	span() {
		const span = this.selection || this.view;
		const from = Math.floor(span.from), to = Math.ceil(span.to);
		/* The last interval may end, or be of no duration, at the very end. */
		return { from, to: !this.selection && to >= this.until ? this.until + 1 : to };
	}

	/* Runs a generator, and yields to the page now and then. null: it is not wanted any more. */
	async run(generator, job) {
		let last = performance.now();
		for (;;) {
			const step = generator.next();
			if (step.done)
				return step.value;
			if (performance.now() - last > 12) {
				await new Promise((done) => setTimeout(done, 0));
				if (this.job !== job)
					return null;
				last = performance.now();
			}
		}
	}

	async settle() {
		const job = this.job = {}, { from, to } = this.span();
		this.remember();
		$("span").textContent = "Counting.";
		const summary = await this.run(summarize(this.store, from, to), job);
		if (!summary)
			return;
		$("span").textContent = (this.selection ? "Selected: " : "In view: ") + offsetText(from) + " to " + offsetText(Math.min(to, this.until)) +
			": " + exactText(summary.count) + " interval" + (summary.count === 1 ? "" : "s") + ". An interval counts where it overlaps the span.";
		const figures = this.summaries.known(summary);
		this.summaries.fill($("summary"), { ...summary, figures });
		this.fillMarks(this.store.countMarks(from, to));
		this.fillHistogram(summary.histogram);
		const processors = this.lanesShown() !== "threads" && this.processors.store && this.processors, uses = processors && await this.run(usesOf(processors.store, from, to), job);
		if (uses === null)
			return;
		$("used").hidden = !uses || !uses.length;
		if (uses)
			processors.fill($("uses"), uses, to - from);
		const frames = await this.run(flameOf(this.store, from, to, this.labels, this.flame.valueOf(), this.flame.groupOf()), job);
		if (frames)
			this.flame.fill(frames);
		const heat = frames && await this.run(heatOf(this.store, from, to, 160), job);
		if (heat)
			this.drawHeat(heat);
		const curve = heat && await this.run(curveOf(this.store, from, to, CURVE_PARTS, this.column && ((at) => this.valueOf(at))), job);
		if (!curve)
			return;
		this.drawCurves(curve, from, to);
		const drawn = await this.curves.draw(from, to, job);
		if (drawn && !this.selection)
			this.curves.see(from, to, curve.counts, drawn);
		else if (drawn)
			await this.curves.look(Math.floor(this.view.from), Math.ceil(this.view.to), job);
		if (drawn)
			await this.runs.tell(from, Math.min(to, this.until), job);
		if (drawn && figures === undefined)
			await this.summaries.find(summary, from, to, job);
	}

	/* What was measured in the intervals of a span, by name. null: no longer wanted. */
	async readFigures(from, to, isWanted) {
		const { store } = this, metrics = this.groupMetrics(), wanted = new Set([...FIGURE_COLUMNS, ...metrics.flatMap(({ names }) => names)]);
		const columns = Array.from(wanted).filter((name) => this.hasNumbers(name)).map((name) => [name, this.meta.columns.indexOf(name)]);
		/* Positions in the order of the trace, so that each block is read once. */
		const ranges = rangesOf(store, from, to), room = store.count, order = new Float64Array(ranges.reduce((sum, [low, high]) => sum + high - low, 0)), figures = new Figures(metrics);
		let filled = 0;
		for (const [low, high] of ranges)
			for (let at = low; at < high; at++)
				order[filled++] = store.number[at] * room + at;
		order.sort();
		for (let i = 0; i < order.length;) {
			const { bytes, first, count } = await this.blockWith(Math.floor(order[i] / room)), values = {};
			if (!isWanted())
				return null;
			for (const [name, column] of columns)
				values[name] = readMoreColumn(bytes, count, column);
			figures.begin(values);
			for (let number; i < order.length && (number = Math.floor(order[i] / room)) < first + count; i++)
				figures.add(store.name[order[i] % room], number - first, store.duration[order[i] % room]);
		}
		return figures.table();
	}

	/* How often intervals start, and the column that colours show. */
	drawCurves(curve, from, to) {
		const seconds = (to - from) / curve.counts.length / 1e9, rate = curve.counts.map((count) => count / seconds);
		const total = curve.counts.reduce((a, b) => a + b, 0), number = (value) => exactText(Number(value.toPrecision(4)));
		$("ratetold").textContent = "Starts per second: " + number(total / ((to - from) / 1e9)) + " on average, up to " +
			number(rate.reduce((a, b) => Math.max(a, b), 0)) + " in a " + curve.counts.length + "th of the span.";
		this.drawCurve($("rate"), rate, null, null, 0);
		const column = this.columnShown();
		$("curve").hidden = !column;
		$("curvetold").textContent = "Colour by a column to see it over time.";
		if (column)
			this.drawColumn(curve, column, $("curve"), $("curvetold"));
	}

	/* A column's values by the intervals' starts; without any there is no picture. */
	drawColumn(curve, column, canvas, told) {
		const number = (value) => exactText(Number(value.toPrecision(4)));
		const least = curve.least.reduce((a, b) => Math.min(a, b), Infinity);
		canvas.hidden = least === Infinity;
		told.textContent = printable(column.name) + ": not measured in this span.";
		if (canvas.hidden)
			return;
		const most = curve.most.reduce((a, b) => Math.max(a, b), -Infinity);
		told.textContent = printable(column.name) + (column.isFar ? ", means of up to 4\u202f096 neighbours in a lane" : ", by the intervals' starts") +
			": the mean as a line, the least and the greatest as an area, cut off far above the means; " +
			number(least) + " to " + number(most) + ".";
		this.drawCurve(canvas, curve.mean, curve.least, curve.most, Math.min(0, least));
	}

	/* A line from `floor` up, with gaps where there is no value; above least and below most an area.
	 * That is cut off far above the line, which outliers would flatten. */
	drawCurve(canvas, values, least, most, floor) {
		this.plots.set(canvas, () => this.drawCurve(canvas, values, least, most, floor));
		const left = 70, width = canvas.clientWidth || 800, height = 72, ratio = this.prepare(canvas, width, height);
		const ctx = canvas.getContext("2d"), theme = this.theme(), wide = (width - left) / values.length;
		const greatest = (all) => all.reduce((a, b) => b > a ? b : a, floor);
		const highest = greatest(values), ceiling = Math.min(greatest(most || values), highest > 0 ? 4 * highest : Infinity), scale = (height - 12) / (ceiling - floor || 1);
		const y = (value) => height - 6 - (value - floor) * scale;
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.clearRect(0, 0, width, height);
		ctx.font = "11px system-ui, sans-serif";
		ctx.textBaseline = "middle";
		ctx.fillStyle = theme.faint;
		ctx.fillText(exactText(Number(ceiling.toPrecision(4))), 4, 10);
		ctx.fillText(String(Number(floor.toPrecision(4))), 4, height - 10);
		ctx.fillStyle = theme.bar;
		ctx.globalAlpha = 0.35;
		values.forEach((value, i) => {
			const bottom = least ? least[i] : floor, top = Math.min(ceiling, most ? most[i] : value);
			if (top >= bottom)
				ctx.fillRect(left + i * wide, y(top), wide, Math.max(1, y(bottom) - y(top)));
		});
		ctx.globalAlpha = 1;
		ctx.strokeStyle = theme.mark;
		ctx.lineWidth = 1.5;
		ctx.beginPath();
		values.forEach((value, i) => {
			if (isNaN(value))
				return;
			/* Level across its part of the span, so that a lone value shows. */
			if (i && !isNaN(values[i - 1]))
				ctx.lineTo(left + i * wide, y(value));
			else
				ctx.moveTo(left + i * wide, y(value));
			ctx.lineTo(left + (i + 1) * wide, y(value));
		});
		ctx.stroke();
	}

	/* Time to the right, durations upwards; the more intervals, the farther from the background. */
	drawHeat(heat) {
		this.plots.set($("heat"), () => this.drawHeat(heat));
		const canvas = $("heat"), left = 70, line = 14, rows = heat.most ? heat.highest - heat.lowest + 1 : 1;
		const width = canvas.clientWidth || 800, height = rows * line + 2, ratio = this.prepare(canvas, width, height);
		const ctx = canvas.getContext("2d"), theme = this.theme(), wide = (width - left) / heat.columns;
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.clearRect(0, 0, width, height);
		ctx.font = "11px system-ui, sans-serif";
		ctx.textBaseline = "middle";
		for (let bucket = heat.lowest; heat.most && bucket <= heat.highest; bucket++) {
			const y = (heat.highest - bucket) * line + 1;
			ctx.fillStyle = theme.faint;
			ctx.fillText(durationText(bucket ? 2 ** (bucket - 1) : 0), 4, y + line / 2);
			for (let column = 0; column < heat.columns; column++) {
				const count = heat.counts[column * heat.buckets + bucket];
				if (!count)
					continue;
				ctx.fillStyle = "rgb(" + this.heatColour(count, heat.most).join(",") + ")";
				ctx.fillRect(left + column * wide, y, Math.max(1, wide - 0.5), line - 1);
			}
		}
		$("heattold").textContent = heat.most ? "Starts to the right, durations from " + durationText(heat.lowest ? 2 ** (heat.lowest - 1) : 0) +
			" upwards by doublings; a cell holds up to " + exactText(heat.most) + (heat.most === 1 ? " interval." : " intervals.") : "Nothing is in this span.";
		this.fillHeatLegend(heat);
	}

	heatColour(count, most) {
		const theme = this.theme();
		return blend(theme.back, theme.hot, 0.2 + 0.8 * Math.log2(1 + count) / Math.log2(1 + most));
	}

	fillHeatLegend({ most }) {
		const steps = Array.from(new Set([0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(most ** share))));
		$("heat-legend").replaceChildren(...(most ? steps.map((count) => legendItem(this.heatColour(count, most), exactText(count) + (count === 1 ? " interval" : " intervals"))) : []));
	}

	remember() {
		const state = { ...this.view, selection: this.selection, search: $("search").value,
			interval: this.chosen < 0 ? -1 : this.store.number[this.chosen], run: this.runs.number() };
		try {
			history.replaceState(null, "", stateText(state));
		} catch (error) { /* a document without an address has nothing to remember */ }
	}

	restore() {
		const state = stateOf(location.hash, this.until);
		this.view = { from: state.from, to: state.to };
		this.selection = state.selection;
		$("search").value = state.search;
		this.search();
		const at = state.interval >= 0 ? this.store.find(state.interval) : -1;
		if (at >= 0)
			this.choose(at, false);
		else
			this.runs.restore(state.run);
		this.changed();
	}

	show(from, to) {
		this.view = viewWithin(from, to, this.until);
		this.changed();
	}

	zoom(factor, at) {
		const view = this.view;
		this.view = viewZoomed(view, at === undefined ? (view.from + view.to) / 2 : at, factor, this.until);
		this.changed();
	}

	pan(share) {
		const move = share * (this.view.to - this.view.from);
		this.show(this.view.from + move, this.view.to + move);
	}

	/* One interval. */

	/* Moves the view to a time, if it is not in view or hardly visible there. */
	bring(start, end) {
		const { from, to } = this.view;
		if (end < from || start > to || end - start > 4 * (to - from) || (end - start) * 400 < to - from) {
			const width = Math.max(20 * (end - start), VIEW_LEAST_NS);
			this.view = viewWithin((start + end - width) / 2, (start + end + width) / 2, this.until);
		}
	}

	/* Scrolls to a row; undefined: none. */
	scrollTo(place) {
		const scroller = $("scroller");
		if (place && (place.y < scroller.scrollTop + AXIS || place.y + ROW > scroller.scrollTop + scroller.clientHeight))
			scroller.scrollTop = place.y - scroller.clientHeight / 2;
	}

	/* A description that leads somewhere. */
	link(text, to) {
		const cell = element("dd");
		cell.append(element("button", text, { className: "link", type: "button", onclick: to }));
		return cell;
	}

	async choose(at, moves) {
		const store = this.store;
		this.chosen = at;
		this.runs.chosen = -1;
		if (moves) {
			this.bring(store.start[at], store.end(at));
			/* Lanes of processors have no nested intervals. */
			this.scrollTo(this.placesOf(at)[0]);
		}
		this.changed();
		const lane = store.lanes[store.laneOf[store.rowOf(at)]];
		$("told").textContent = this.names[store.name[at]] + ": " + durationText(store.duration[at]) + " on " +
			this.laneText(lane) + ", from " + offsetText(store.start[at]);
		await this.tellInterval(at, lane);
	}

	async tellInterval(at, lane) {
		const store = this.store, number = store.number[at];
		let list = element("dl");
		const lists = [list], add = (name, value) => list.append(element("dt", name), value instanceof Node ? value : element("dd", value));
		const { link } = this;
		const name = store.name[at], label = this.labels[name], alike = this.labelCounts[label], wanted = Array.from(this.labels, (one) => one === label);
		add("label", store.names[name][0] === "l" ? this.names[name] : "none (" + this.names[name] + ")");
		add("duration", durationText(store.duration[at]) + " (" + exactText(store.duration[at]) + " ns)");
		add("start", offsetText(store.start[at]) + ", " + clockText(this.base, store.start[at]));
		add("end", offsetText(store.end(at)) + ", " + clockText(this.base, store.end(at)));
		add("start_ns", String(this.base + BigInt(store.start[at])));
		add("end_ns", String(this.base + BigInt(store.end(at))));
		add("minor", String(this.minors[name]));
		if (this.majors[name] !== CPI_MAJOR)
			add("major", String(this.majors[name]));
		add("thread", this.laneText(lane));
		const task = this.names[lane.name];
		if (task !== "tid " + lane.tid)
			add("task", task);
		add("tid", String(lane.tid));
		if (lane.pid)
			add("pid", String(lane.pid));
		add("number", exactText(number));
		const parent = store.parent(at), child = store.child(at);
		add("parent", parent < 0 ? "none" : link(this.names[store.name[parent]] + ", " + durationText(store.duration[parent]), () => this.choose(parent, true)));
		if (child >= 0)
			add("first nested", link(this.names[store.name[child]] + ", " + durationText(store.duration[child]), () => this.choose(child, true)));
		if (this.runs.store)
			this.runs.linksOf(at, lane).forEach((value, i) => add(i ? "" : "ran, by the kernel's switches", value));
		this.runs.wakersOf(at, lane).forEach((value, i) => add(i ? "" : "woken by", value));
		add("same label", exactText(alike) + " in all");
		if (alike > 1) {
			add("", link("next one", () => this.chooseNext(wanted, number, 1)));
			add("", link("one before", () => this.chooseNext(wanted, number, -1)));
		}
		const columns = await this.columnsOf(number, parent < 0 ? null : store.number[parent], store.duration[at]), unmeasured = [];
		if (this.chosen !== at)
			return;
		lists.push(list = element("dl"));
		for (const [name, cell] of Object.entries(columns))
			if (cell !== null)
				add(printable(name), printable(cell));
			else if (name !== "parent_id")
				unmeasured.push(printable(name));
		if (unmeasured.length)
			add("n/a", unmeasured.join(", "));
		const words = explain({ group: alike > store.countOf[name] ? "label and minor" : "label", duration: store.duration[at], median: this.medians.get(name), count: store.countOf[name],
			shorter: this.medians.has(name) ? countShorter(store, at) : 0,
			cells: columns });
		$("h-interval").textContent = "Interval";
		const instead = columns.cpu !== null && columns.start_cpu === columns.cpu ? this.runs.insteadOf(at, lane, columns.cpu) : "";
		replaceFocused($("interval"), element("p", words + instead, { id: "explained" }), ...lists);
	}

	/* The columns of an interval by name, as text, and derived metrics; null: not measured. parent: the number of its parent, null: none. */
	async columnsOf(number, parent, duration) {
		const { columns, metrics } = this.meta, cells = await this.cellsOf(number), found = Object.create(null), idOf = (one) => this.idOf(one).catch(() => null);
		cells.forEach((cell, i) => found[columns[i]] = cell);
		found.id = await idOf(number);
		/* Of a parent that the page lacks, `more` has the id. */
		found.parent_id ??= parent === null ? null : await idOf(parent);
		for (const metric of metrics)
			found[metric.name] = metricText(metric, cells, duration);
		return found;
	}

	/* The id of an interval by its number, as in intervals.csv. */
	async idOf(number) {
		const { bytes, first, count } = await this.blockWith(number), { columns, rings } = this.meta;
		return readId(bytes, count, columns.indexOf("id"), number - first, await this.endsOf(first, count), rings);
	}

	/* The ends of that many intervals from a number on. */
	async endsOf(first, count) {
		return endsIn(this.store, first, count);
	}

	/* The cells of an interval in its block of `more`, as text; null: not measured. */
	async cellsOf(number) {
		const { bytes, first, count } = await this.blockWith(number);
		return readMore(bytes, count, number - first);
	}

	/* The block of `more` with an interval. */
	async blockWith(number) {
		const block = this.more.findLast((one) => one.first <= number);
		const unpacked = this.unpacked?.block === block ? this.unpacked : { block, bytes: await inflate(this.blobOf(block)) };
		this.unpacked = unpacked;
		return { bytes: unpacked.bytes, first: block.first, count: block.count };
	}

	/* Search. */

	search() {
		const test = matcherOf($("search").value), counted = (count, what) => exactText(count) + " " + what + (count === 1 ? "" : "s");
		this.matches = test && this.names.map((name, i) => this.store.countOf[i] > 0 && test(name));
		this.matched = 0;
		const labels = new Set();
		if (test)
			this.matches.forEach((is, i) => {
				if (is)
					labels.add(this.labels[i]);
				this.matched += is ? this.store.countOf[i] : 0;
			});
		const threads = this.runs.search(test);
		this.flame.dim();
		this.found = test ? { intervals: counted(this.matched, "interval") + " of " + counted(labels.size, "label"),
			runs: this.runs.store ? counted(this.runs.matched, "run") + " of " + counted(threads, "thread") : "" } : null;
		this.tellFound("intervals", 0);
		this.redraw();
	}

	/* Shows the matches, one kind first. rank: which of these is chosen, from 1; 0: none. */
	tellFound(kind, rank) {
		const { found } = this;
		$("found").textContent = found ? (rank ? exactText(rank) + " of " : "") + [found[kind], found[kind === "runs" ? "intervals" : "runs"]].filter((text) => text).join("; ") : "";
	}

	/* Chooses the next match, or the previous one (step -1): intervals in the order of the trace, then runs in order of time. */
	walk(step) {
		if (this.runs.matched && (this.runs.chosen >= 0 || !this.matched))
			this.runs.walk(step, this.runs.chosen);
		else if (this.matched)
			this.walkIntervals(step, this.chosenNumber());
	}

	/* from: the number of an interval; -1: from the first one on, or the last one. */
	async walkIntervals(step, from) {
		/* The search may be another one by then. */
		const past = from >= 0 && this.runs.matched ? () => this.runs.matched && this.runs.walk(step, -1) : null;
		this.tellFound("intervals", 0);
		await this.chooseNext(this.matches, from < 0 && step < 0 ? this.meta.intervals : from, step, past);
		if (this.chosen >= 0)
			this.tellFound("intervals", this.rank());
	}

	/* The number of the chosen interval; -1: none. */
	chosenNumber() {
		return this.chosen < 0 ? -1 : this.store.number[this.chosen];
	}

	/* Which of the found intervals is chosen, in the order of the trace: from 1; 0: not known. */
	rank() {
		const { store, matches } = this, chosen = store.number[this.chosen];
		let rank = 0;
		for (let at = 0; at < store.count; at++)
			rank += Number(matches[store.name[at]] && store.number[at] <= chosen);
		return rank;
	}

	/* Chooses the longest interval of a name in a span, the first one of equals. */
	chooseLongest(name, from, to) {
		const { store } = this;
		let best = -1;
		for (const [low, high] of rangesOf(store, from, to))
			for (let at = low; at < high; at++)
				if (store.name[at] === name && (best < 0 || store.duration[at] > store.duration[best] ||
					(store.duration[at] === store.duration[best] && store.number[at] < store.number[best])))
					best = at;
		if (best >= 0)
			this.choose(best, true);
	}

	/* The next interval whose name is wanted: Store.nextNamed. past(): what to do after the last one, instead of starting over. */
	async chooseNext(wanted, number, step, past) {
		const at = this.store.nextNamed(wanted, number, step);
		if (past && this.isPast(this.store.number[at], number, step))
			past();
		else if (at >= 0)
			this.choose(at, true);
	}

	/* Whether a search for the next number started over. */
	isPast(found, number, step) {
		return (found - number) * step <= 0;
	}

	query(from, to, lane) {
		return lane !== null && typeof lane === "object" ? this.runs.query(from, to, lane.processor) : this.queryIntervals(from, to, lane);
	}

	queryIntervals(from, to, lane) {
		return this.store.query(from, to, lane);
	}

	/* No interval is chosen, because a run of a thread is. */
	unchoose() {
		this.chosen = -1;
	}

	/* Whether this.store has the intervals of that time. */
	holds() {
		return true;
	}

	/* An interval's name, start, duration and parent, by its number. */
	async intervalOf(number) {
		const { store } = this, at = store.find(number), parent = store.parent(at);
		return { name: store.name[at], start: store.start[at], duration: store.duration[at], parent: parent < 0 ? null : store.number[parent] };
	}

	/* Tables. */

	searchFor(name) {
		$("search").value = this.names[name];
		this.search();
		this.remember();
		if (this.matched)
			this.walkIntervals(1, this.chosenNumber());
	}

	fillMarks(counts) {
		const table = $("marks"), body = element("tbody"), head = element("thead"), names = element("tr");
		$("marked").hidden = !this.meta.marks;
		names.append(element("th", "hook", { scope: "col" }), element("th", "count", { scope: "col" }));
		head.append(names);
		for (const [name, count] of counts) {
			const line = element("tr");
			line.append(element("th", this.names[name], { scope: "row" }), element("td", exactText(count)));
			body.append(line);
		}
		table.replaceChildren(table.caption, head, body);
	}

	fillHistogram(buckets) {
		const table = $("histogram"), body = element("tbody"), most = Math.max(1, ...buckets);
		const first = buckets.findIndex((n) => n > 0), last = buckets.findLastIndex((n) => n > 0);
		const head = element("thead"), names = element("tr");
		for (const name of ["from", "to below", "count", ""])
			names.append(element("th", name, { scope: "col" }));
		head.append(names);
		for (let i = Math.max(0, first); i <= last; i++) {
			const line = element("tr"), bar = element("td", undefined, { className: "bar" }), fill = element("i");
			fill.style.width = 100 * buckets[i] / most + "%";
			if (buckets[i])
				bar.append(fill);
			line.append(element("td", durationText(i ? 2 ** (i - 1) : 0)), element("td", durationText(i ? 2 ** i : 1)),
				element("td", exactText(buckets[i])), bar);
			body.append(line);
		}
		table.replaceChildren(table.caption, head, body);
	}

	/* The legend of a column's colours. */
	rangeItems(column) {
		const { range } = column, lines = [];
		for (const share of range ? [0, 0.25, 0.5, 0.75, 1] : []) {
			const value = range.isLog ? range.low * (range.high / range.low) ** share : range.low + share * (range.high - range.low);
			lines.push(legendItem(this.rampColour(share), (share ? share < 1 ? "" : "from " : printable(column.name) + " up to ") + Number(value.toPrecision(4))));
		}
		lines.push(legendItem(NOT_MEASURED, "not measured"));
		if (column.isFar)
			lines.push(element("li", "means of up to 4\u202f096 neighbours in a lane: zoom in for each interval's"));
		return lines;
	}

	fillLegend() {
		const names = this.frequent, column = this.columnShown(), lines = column ? this.rangeItems(column) : [], item = legendItem;
		if (!column)
			lines.push(...names.slice(0, 8).map((i) => item(this.colourOf(i), this.names[i])));
		if (!column && names.length > 8)
			lines.push(element("li", "and " + exactText(names.length - 8) + " more labels in the same eight colours"));
		lines.push(item(null, "curves: of each part of the view, the mean of the intervals that start in it, from 0 up to the number on it", "curve"));
		lines.push(item(null, "several in one column of pixels: the longest one's colour, as high as it is busy", "merged"));
		if (this.meta.marks)
			lines.push(item(null, "hooks that belong to no interval", "marks"));
		if (this.lanesShown() !== "threads" && this.runs.store)
			lines.push(...this.runs.legend());
		if (this.lanesShown() !== "threads" && this.hasDerived())
			lines.push(item(blend(PALETTE[0], this.theme().back, PALE), "pale, in lanes of processors: ended there; otherwise it ran there throughout, without a switch of its thread. " +
				(this.runs.store ? "Beneath the runs of threads; derived from outermost intervals" : "Derived from outermost intervals: the page has none of the kernel's context switches")));
		lines.push(item(null, "chosen", "chosen"), item(null, "not found by the search", "dimmed"));
		if (this.meta.gaps.length)
			lines.push(item(null, "data lost: " + this.meta.gaps.map((gap) => (gap.cpu === undefined ? "guest ring" : "processor " + gap.cpu) + " " + gap.why + " " +
				offsetText(gap.from) + " to " + offsetText(gap.to)).slice(0, 8).join("; "), "lost"));
		lines.push(item(PALETTE[0], "above: intervals that start in each part of the trace"));
		if (this.prints && this.height > PRINTED)
			lines.push(element("li", "only the first lanes are printed, as there are many"));
		$("legend").replaceChildren(...lines);
	}

	/* The mouse and the keys. */

	placeAt(event) {
		const box = $("timeline").getBoundingClientRect();
		const x = event.clientX - box.left, y = event.clientY - box.top + $("scroller").scrollTop;
		return { x, time: this.timeOf(x), place: this.placed.find((one) => y >= one.y && y < one.y + one.height) };
	}

	/* The interval under the mouse: the longest one that its column of pixels shows. */
	intervalAt({ x, place }) {
		if (!place || (place.row === undefined && place.ran === undefined))
			return { at: -1, count: 0 };
		const left = Math.floor(x), from = this.timeOf(left), to = this.timeOf(left + 1), { processors } = this;
		const store = place.row === undefined ? processors.store : this.store, row = place.row === undefined ? place.ran : place.row;
		const [low, high] = store.bounds(row, from, Math.max(to, from + Number.EPSILON));
		const stats = store.stats(low, high), found = { at: stats.longest, count: high - low, sum: stats.sum, lane: place.lane };
		if (place.row === undefined && stats.longest >= 0) {
			found.at = processors.originOf(stats.longest);
			found.lane = this.store.lanes[this.store.laneOf[this.store.rowOf(found.at)]];
			found.where = "; " + processors.tell(stats.longest, place.processor);
		}
		return found;
	}

	/* The marks within three pixels of the mouse, as text; null: it is elsewhere. */
	marksAt({ x, place }) {
		if (!place || !place.marks)
			return null;
		const [low, high] = this.store.marksOf(place.lane, this.timeOf(x - 3), this.timeOf(x + 3));
		if (low >= high)
			return "";
		const { name, time, cpu } = place.lane.marks[low];
		return "Hook " + this.names[name] + " at " + offsetText(time) + (cpu < 0 ? "" : " on processor " + cpu) +
			(high - low > 1 ? ", and " + exactText(high - low - 1) + " more here" : "");
	}

	hover(event) {
		const placed = this.placeAt(event), marks = this.marksAt(placed);
		if (placed.place && placed.place.runs)
			$("told").textContent = this.runs.find(placed).text;
		if (marks)
			$("told").textContent = marks;
		if (placed.place && placed.place.curve !== undefined)
			$("told").textContent = this.curves.tell(placed.place.curve, placed.time);
		const found = this.intervalAt(placed), store = this.store;
		if (found.at < 0)
			return;
		$("told").textContent = found.count > 1
			? exactText(found.count) + " intervals in this column of pixels, " + durationText(found.sum) + " together; the longest: " +
				this.names[store.name[found.at]] + ", " + durationText(store.duration[found.at])
			: this.names[store.name[found.at]] + ": " + durationText(store.duration[found.at]) + " on " + this.laneText(found.lane) +
				", from " + offsetText(store.start[found.at]) + (this.column ? this.valueText(this.valueOf(found.at)) : "") + (found.where || "");
	}

	listen() {
		const canvas = $("timeline"), scroller = $("scroller"), overview = $("overview");
		this.fillLegend();
		canvas.addEventListener("wheel", (event) => {
			if (event.shiftKey)
				return;
			event.preventDefault();
			const lines = event.deltaMode === 1 ? 33 : 1;
			if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
				this.pan(event.deltaX * lines / 1000);
			else
				this.zoom(Math.exp(event.deltaY * lines / 400), this.placeAt(event).time);
		}, { passive: false });
		canvas.addEventListener("wheel", (event) => {
			if (event.shiftKey) {
				event.preventDefault();
				scroller.scrollTop += event.deltaY || event.deltaX;
			}
		}, { passive: false });
		let drag = null;
		canvas.addEventListener("pointerdown", (event) => {
			if (event.button)
				return;
			const place = this.placeAt(event);
			drag = { x: event.clientX, view: this.view, time: place.time, selects: event.shiftKey, moved: false };
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener("pointermove", (event) => {
			if (!drag)
				return this.hover(event);
			if (Math.abs(event.clientX - drag.x) > 3)
				drag.moved = true;
			if (!drag.moved)
				return;
			if (drag.selects) {
				const time = Math.min(Math.max(0, this.placeAt(event).time), this.until);
				this.selection = { from: Math.floor(Math.min(drag.time, time)), to: Math.ceil(Math.max(drag.time, time)) };
				this.changed();
			} else {
				const move = (drag.x - event.clientX) / canvas.clientWidth * (drag.view.to - drag.view.from);
				this.show(drag.view.from + move, drag.view.to + move);
			}
		});
		canvas.addEventListener("pointerup", (event) => {
			if (drag && !drag.moved) {
				const placed = this.placeAt(event), isRun = placed.place && placed.place.runs, found = isRun ? this.runs.find(placed) : this.intervalAt(placed);
				if (found.at >= 0 && isRun)
					this.runs.choose(found.at, false);
				else if (found.at >= 0)
					this.choose(found.at, false);
			}
			drag = null;
		});
		canvas.addEventListener("pointercancel", () => drag = null);
		canvas.addEventListener("dblclick", () => this.zoomToChosen());
		overview.addEventListener("pointerdown", (event) => this.goTo(event));
		overview.addEventListener("pointermove", (event) => {
			if (event.buttons)
				this.goTo(event);
		});
		scroller.addEventListener("scroll", () => this.redraw());
		new ResizeObserver(() => this.redraw()).observe(scroller);
		this.scheme.addEventListener("change", () => {
			this.fillLegend();
			this.changed();
		});
		addEventListener("hashchange", () => this.restore());
		addEventListener("beforeprint", () => this.print(true));
		addEventListener("afterprint", () => this.print(false));
		document.addEventListener("keydown", (event) => this.key(event));
		$("search").addEventListener("input", () => {
			this.search();
			this.remember();
		});
		$("search").addEventListener("keydown", (event) => {
			if (event.key === "Enter")
				this.walk(event.shiftKey ? -1 : 1);
		});
		this.fillColours();
		this.flame.listen();
		this.curves.listen();
		$("colour").addEventListener("change", () => this.colourBy($("colour").value));
		$("lanes").addEventListener("change", () => this.showLanes($("lanes").value));
		const buttons = {
			next: () => this.walk(1), previous: () => this.walk(-1), closer: () => this.zoom(0.5), farther: () => this.zoom(2),
			earlier: () => this.pan(-0.25), later: () => this.pan(0.25), whole: () => this.show(0, this.until), fit: () => this.zoomToSelection(), unselect: () => this.unselect(),
		};
		for (const id in buttons)
			$(id).addEventListener("click", buttons[id]);
	}

	/* Draws all pictures for paper, or again for the screen. */
	print(prints) {
		this.prints = prints;
		this.fillLegend();
		this.draw();
		this.drawOverview();
		for (const plot of this.plots.values())
			plot();
	}

	goTo(event) {
		const box = $("overview").getBoundingClientRect(), width = this.view.to - this.view.from;
		const middle = (event.clientX - box.left) / box.width * this.until;
		this.show(middle - width / 2, middle + width / 2);
	}

	unselect() {
		this.selection = null;
		this.changed();
	}

	/* Shows a part of time, with a margin. False: it is shown already. */
	showAround(from, to) {
		const margin = (to - from) / 20, { from: left, to: right } = viewWithin(from - margin, to + margin, this.until), { view } = this;
		this.show(left, right);
		return Math.abs(left - view.from) + Math.abs(right - view.to) > (right - left) / 1000;
	}

	zoomToChosen() {
		const { store, at } = this.chosenOne();
		if (at >= 0)
			this.showAround(store.start[at], store.end(at));
	}

	/* Zooms to the selected span; without one, or where it fills the view already, to what is chosen. */
	zoomToSelection() {
		if (!this.selection && this.chosenOne().at < 0)
			$("told").textContent = "Nothing is selected: Shift and drag selects a span, a click an interval.";
		else if (!this.selection || !this.showAround(this.selection.from, this.selection.to))
			this.zoomToChosen();
	}

	/* The interval that an arrow key leads to; -1: none. */
	neighbour(key) {
		const at = this.chosen, row = this.store.rowOf(at);
		if (key === "ArrowUp")
			return this.store.parent(at);
		if (key === "ArrowDown")
			return this.store.child(at);
		const next = at + (key === "ArrowLeft" ? -1 : 1);
		return next >= this.store.offset[row] && next < this.store.offset[row + 1] ? next : -1;
	}

	key(event) {
		const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.target === $("timeline") && event.key.startsWith("Arrow") && this.chosen < 0 && this.runs.step(event.key)) {
			event.preventDefault();
		} else if (event.target === $("timeline") && event.key.startsWith("Arrow")) {
			let to = this.chosen < 0 ? -1 : this.neighbour(event.key);
			if (this.chosen < 0) {
				const first = this.placed.find((one) => one.row !== undefined);
				to = first ? this.store.bounds(first.row, this.view.from, this.until + 1)[0] : -1;
				to = to < this.store.count ? to : -1;
			}
			if (to >= 0)
				this.choose(to, true);
			event.preventDefault();
		} else if (event.target === $("timeline") && event.key === "Enter") {
			this.zoomToChosen();
		} else if (event.key === "Escape") {
			this.unselect();
		} else if (!isTyping) {
			const step = event.shiftKey ? 4 : 1;
			const actions = {
				KeyW: () => this.zoom(0.7 ** step), KeyS: () => this.zoom(1 / 0.7 ** step), KeyA: () => this.pan(-0.1 * step),
				KeyD: () => this.pan(0.1 * step), KeyF: () => this.zoomToSelection(), KeyN: () => this.walk(event.shiftKey ? -1 : 1), Home: () => this.show(0, this.until),
			};
			if (event.key === "/") {
				$("search").focus();
				$("search").select();
			} else if (actions[event.code]) {
				actions[event.code]();
			} else {
				return;
			}
			event.preventDefault();
		}
	}
}
