"use strict";
/*
 * The page of a trace whose intervals are in a file of tiles. While few enough intervals overlap the
 * view, its store is a window, and all of Page works. Zoomed out further, the timeline is drawn from
 * the tiles, and a span has only its count, longest and sum.
 */

/* Pending loads of chunks: resolving functions by chunk number. */
const tilesAwaited = new Map();

/* Called by each script in a folder of tiles. */
window.tilesChunk = (number, base64) => {
	const bytes = bytesOfBase64(base64), waiting = tilesAwaited.get(number) || [];
	tilesAwaited.delete(number);
	for (const resolve of waiting)
		resolve(bytes);
};

function loadChunk(folder, number) {
	return new Promise((resolve, reject) => {
		const name = String(number).padStart(4, "0") + ".js";
		const script = element("script", undefined, { src: encodeURIComponent(folder) + "/" + name });
		const end = () => {
			script.remove();
			/* No effect if the chunk has arrived. */
			reject(new Error(printable(folder) + "/" + name + " cannot be read"));
		};
		tilesAwaited.set(number, [...tilesAwaited.get(number) || [], resolve]);
		script.onload = script.onerror = end;
		document.head.append(script);
	});
}

/* Tiles from cpidecode serve. */
function sourceOfServer({ name, bytes }) {
	return { size: bytes, read: async (offset, length) => {
		const answer = await window.fetch(name, { headers: { Range: "bytes=" + offset + "-" + (offset + length - 1) } });
		if (answer.status !== 206)
			throw new Error("the server answered " + answer.status);
		return new Uint8Array(await answer.arrayBuffer());
	} };
}

const UNASKED_WINDOW = 1 << 18; /* TiledPage.unasked */

class TiledPage extends Page {
	async load() {
		await this.begun;
		await this.tellReports();
		const names = await this.readNames(), lanes = await readLists("lanes");
		this.far = new Map();
		this.tiles = await this.opened(lanes, names);
		const store = this.store = new WindowStore(this.meta, lanes, names, this.tiles.countOf, [], 0, 0);
		for (const block of document.querySelectorAll("script.marks"))
			store.mark(readMarks(await inflate(takeBlock(block))));
		this.tiles.lanes = store.lanes.map((lane, i) => ({ ...lane, rows: lanes[i].rows }));
		await this.open(lanes);
		this.summaries.fillWhole(this.totals(), this.summary, await readLists("times"));
		addEventListener("unhandledrejection", (event) => $("told").textContent = "The tiles cannot be read: " + printable(String(event.reason.message)));
		$("place").after(element("output", "", { id: "reading" }));
		this.enable();
	}

	async openSource(source, lanes, names) {
		const tiles = new Tiles(source, this.meta, lanes, names);
		await tiles.open();
		return tiles;
	}

	/* The tiles: of a server or a folder, or once the user has picked their file. */
	opened(lanes, names) {
		const { chunk, served } = this.meta.tiles;
		if (chunk || served)
			return this.openSource(served ? sourceOfServer(this.meta.tiles) : new ChunkSource(this.meta.tiles, loadChunk), lanes, names);
		$("picker").hidden = false;
		$("tilesname").textContent = printable(this.meta.tiles.name);
		this.askForTiles();
		return new Promise((resolve) => {
			const picks = () => $("picker").hidden || $("tiles").click();
			$("timeline").addEventListener("click", picks);
			$("timeline").addEventListener("keydown", (event) => event.key === "Enter" && picks());
			const open = async (file) => {
				const tiles = new Tiles(sourceOfFile(file), this.meta, lanes, names);
				try {
					await tiles.open();
				} catch (error) {
					$("picked").textContent = printable(file.name) + " cannot be shown: " + error.message;
					return;
				}
				$("picker").hidden = true;
				$("told").textContent = "";
				resolve(tiles);
			};
			$("tiles").addEventListener("change", () => $("tiles").files.length && open($("tiles").files[0]));
			addEventListener("dragover", (event) => event.preventDefault());
			addEventListener("drop", (event) => {
				event.preventDefault();
				if (!$("picker").hidden && event.dataTransfer.files.length)
					open(event.dataTransfer.files[0]);
			});
		});
	}

	/* Draws the request for tiles in the timeline, which is empty until then. */
	askForTiles() {
		const text = "The intervals are in " + printable(this.meta.tiles.name) + ": click here to open it, or drop it on the page.";
		const canvas = $("timeline"), ratio = this.prepare(canvas, $("scroller").clientWidth, 60), ctx = canvas.getContext("2d");
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.fillStyle = this.theme().text;
		ctx.font = "14px system-ui, sans-serif";
		ctx.textBaseline = "middle";
		ctx.fillText(text, 8, 30);
		$("told").textContent = text;
	}

	/* The summary of the entire trace, from the tiles. Percentiles are of the page's summary, self times of a window. */
	totals() {
		const { count, sum, least, most } = this.tiles.totals, rows = [];
		count.forEach((n, name) => {
			if (n)
				rows.push({ name, count: n, total: sum[name], mean: Number(sum[name]) / n, min: least[name], max: most[name] });
		});
		return { rows, absent: ["self", "p50", "p90", "p99"] };
	}

	queryIntervals(from, to, lane) {
		return this.tiles.query(from, to, lane);
	}

	unchoose() {
		super.unchoose();
		this.sought = -1;
	}

	holds(from, to) {
		return this.store.holds(Math.floor(from), Math.ceil(to));
	}

	isNear() {
		return this.holds(this.view.from, this.view.to);
	}

	unasked() {
		return UNASKED_WINDOW;
	}

	/* They are a window's. */
	hasDerived() {
		return this.isNear() && super.hasDerived();
	}

	lanesShown() {
		return this.hasDerived() || this.runs.store ? this.lanes : "threads";
	}

	columnShown() {
		return this.isNear() ? this.column : this.farColumn(this.coloured);
	}

	/* The column of a choice as the timeline shows it zoomed out: means by tile. null: tiles lack it. */
	farColumn(choice) {
		if (choice === "label")
			return null;
		if (!this.far.has(choice)) {
			const { sum, count } = this.tiles.tile, means = this.metricOf(choice) ? null : this.tiles.meansOf(this.columnsIn(choice)[0]);
			const values = means && choice === "off" ? means.map((mean, at) => sum[at] ? mean * count[at] / sum[at] : NaN) : means;
			this.far.set(choice, values && { ...this.columnShape(choice, values), isFar: true });
		}
		return this.far.get(choice);
	}

	arrange() {
		this.isArrangedDerived = this.hasDerived();
		super.arrange();
	}

	/* Updates lanes and legend if zooming changed which of the choices the timeline can show. A choice may be
	 * made, and derived lanes may be found and lost again, between two pictures. */
	follow() {
		const column = this.columnShown(), shown = [this.lanesShown(), this.hasDerived(), column ? column.name + Boolean(column.isFar) : "", this.lanes, this.coloured, this.runs.shown()].join(" ");
		if (shown === this.following && this.isArrangedDerived === this.hasDerived())
			return;
		this.following = shown;
		this.arrange();
		this.fillLegend();
	}

	fillLegend() {
		super.fillLegend();
		const absent = [this.lanes !== "threads" && !this.hasDerived() ? this.runs.store ? "intervals by processor" : "lanes of processors" : "",
			this.coloured !== "label" && !this.columnShown() ? "colours by a column" : ""].filter((text) => text);
		if (absent.length)
			$("legend").append(element("li", absent.join(" and ") + ": zoom in to about a million intervals"));
	}

	draw() {
		this.follow();
		this.tiles.begin();
		this.pixels = new Map();
		super.draw();
		this.refine();
	}

	/* Reads the missing tiles of the picture, and draws again. */
	async refine() {
		if (this.refining || !this.tiles.wanted.length)
			return;
		this.refining = true;
		try {
			if (await this.tiles.fetchWanted())
				this.redraw();
		} finally {
			this.refining = false;
		}
	}

	paintRow(row, y, tall, colourOf, least) {
		if (this.isNear())
			return super.paintRow(row, y, tall, colourOf, least);
		const { back } = this.theme(), column = this.columnShown();
		this.tiles.paint(this.painter, row, this.view, y, tall, (name, tile) => {
			const isFaded = this.matches && !this.matches[name], key = column ? tile * 2 + Number(isFaded) : name;
			if (!this.pixels.has(key)) {
				const colour = column ? this.colourOfValue(column.values[tile], column) : this.colourOf(name);
				this.pixels.set(key, pixelOf(isFaded ? blend(colour, back, 0.75) : colour));
			}
			return this.pixels.get(key);
		}, Boolean(column));
		return [];
	}

	/* Reads the window around the view, if it is new and has few enough intervals. */
	async fetchWindow(job) {
		const view = { from: Math.floor(this.view.from), to: Math.ceil(this.view.to) };
		const { from, to } = this.selection ? { from: Math.min(view.from, this.selection.from), to: Math.max(view.to, this.selection.to) } : view;
		if (this.store.holds(from, to))
			return;
		const width = to - from, isWanted = () => this.job === job;
		$("reading").textContent = "Reading.";
		try {
			for (const more of [width / 2, 0]) {
				const store = isWanted() ? await this.tiles.window(Math.floor(from - more), Math.ceil(to + more) + 1, isWanted) : null;
				const columns = store && isWanted() ? await this.readWanted(store, isWanted) : null;
				if (columns && isWanted()) {
					this.enter(store, columns);
					return;
				}
			}
		} finally {
			$("reading").textContent = "";
		}
	}

	readNumbers(store, columns, isWanted) {
		return this.tiles.readNumbers(store, columns, isWanted);
	}

	/* Retries if another window replaced the store meanwhile. */
	async readColumn(choice, isWanted) {
		for (;;) {
			const { store } = this, column = await super.readColumn(choice, isWanted);
			if (!column || store === this.store)
				return column;
		}
	}

	/* The columns that a window's colours and curves show, by choice. null: no longer wanted. */
	async readWanted(store, isWanted) {
		const choices = new Set(store.count <= this.unasked() ? this.curves.choices : []);
		for (const choice of [this.coloured === "label" ? null : this.coloured, this.flame.wanted()])
			if (choice !== null)
				choices.add(choice);
		const all = Array.from(choices), numbers = all.length ? await this.readNumbers(store, all.flatMap((choice) => this.columnsIn(choice)), isWanted) : [];
		return numbers && new Map(all.map((choice) => [choice, this.columnOf(store, choice, numbers.splice(0, this.columnsIn(choice).length))]));
	}

	/* Replaces the window, and keeps the chosen interval. */
	enter(store, columns) {
		const number = this.chosen < 0 ? this.sought : this.store.number[this.chosen];
		this.store = store;
		this.column = columns.get(this.coloured) || null;
		this.flame.column = columns.get(this.flame.wanted()) || null;
		this.curves.columns = this.curves.choices.map((choice) => columns.get(choice));
		/* The user may have chosen these columns while the window was read. */
		if (this.coloured !== "label" && !this.column)
			this.colourBy(this.coloured);
		if (this.flame.wanted() && !this.flame.column)
			this.flame.choose(this.flame.choice);
		this.processors.clear();
		this.arrange();
		this.fillLegend();
		/* With runs, lanes of processors were not asked for. */
		if (this.lanes !== "threads" && (!this.runs.store || store.count <= this.unasked()))
			this.showLanes(this.lanes);
		this.sought = -1;
		this.chosen = number >= 0 ? store.find(number) : -1;
		if (this.chosen >= 0)
			this.tellInterval(this.chosen, store.lanes[store.laneOf[store.rowOf(this.chosen)]]);
		else
			this.endLinks();
		this.redraw();
	}

	/* If the chosen interval is not in the window: its links lead to intervals of the previous window. */
	endLinks() {
		if (this.runs.chosen >= 0)
			this.runs.tellRun(this.runs.chosen);
		else
			for (const button of $("interval").querySelectorAll("button"))
				button.disabled = true;
	}

	async settle() {
		const job = this.job = {};
		this.remember();
		$("span").textContent = "Counting.";
		await this.fetchWindow(job);
		if (this.job !== job)
			return;
		const { from, to } = this.span(), isNear = this.store.holds(from, Math.min(to, this.until + 1));
		$("span").parentNode.classList.toggle("far", !isNear);
		if (isNear) {
			await super.settle();
			return;
		}
		const starts = this.tiles.curveOf(from, to, CURVE_PARTS, this.coloured === "label" ? null : (this.farColumn(this.coloured) || {}).values);
		this.drawCurves(starts, from, to);
		$("ratetold").textContent += " Approximate: from tiles.";
		const curves = this.curves.choices.map((_, i) => this.curves.drawFar(i, from, to));
		if (!this.selection)
			this.curves.see(from, to, starts.counts, curves);
		else
			this.curves.lookFar(Math.floor(this.view.from), Math.ceil(this.view.to));
		const { count, longest, sum, name } = await this.tiles.queryRows(this.tiles.rowsOf(this.tiles.lanes), from, to);
		if (this.job === job)
			$("span").textContent = (this.selection ? "Selected: " : "In view: ") + offsetText(from) + " to " + offsetText(to) + ": " +
				exactText(count) + " intervals, " + durationText(sum) + " together" + (count ? "; the longest: " + this.names[name] + ", " +
				durationText(longest) : "") + ". An interval counts where it overlaps the span. Zoom in to about a million for their summary, flame graph and histogram.";
		if (this.job === job)
			await this.runs.tell(from, Math.min(to, this.until), job);
	}

	remember() {
		if (this.chosen >= 0 || !(this.sought >= 0))
			super.remember();
	}

	restore() {
		const { interval } = stateOf(location.hash, this.until);
		this.chosen = -1;
		super.restore();
		this.sought = this.chosen < 0 ? interval : -1;
	}

	intervalAt(placed) {
		return this.isNear() ? super.intervalAt(placed) : { at: -1, count: 0 };
	}

	/* The intervals under the mouse, from the tiles. null: none, or the mouse has moved on. */
	async farAt({ x, place }) {
		const job = this.pointed = {};
		if (!place || place.row === undefined)
			return null;
		const left = Math.floor(x), from = this.timeOf(left), to = this.timeOf(left + 1);
		const found = await this.tiles.queryRows([place.row], from, Math.max(to, from + Number.EPSILON));
		return this.pointed === job && found.count ? found : null;
	}

	async hover(event) {
		super.hover(event);
		const found = this.isNear() ? null : await this.farAt(this.placeAt(event));
		if (found)
			$("told").textContent = found.count > 1 ? exactText(found.count) + " intervals in this column of pixels, " + durationText(found.sum) +
				" together; the longest: " + this.names[found.name] + ", " + durationText(found.longest) : this.names[found.name] + ": " + durationText(found.longest);
	}

	listen() {
		super.listen();
		let down = 0;
		$("timeline").addEventListener("pointerdown", (event) => down = event.clientX);
		$("timeline").addEventListener("click", async (event) => {
			const found = this.isNear() || Math.abs(event.clientX - down) > 3 ? null : await this.farAt(this.placeAt(event));
			if (found)
				this.seek(found.longestInterval);
		});
	}

	/* Shows an interval by its number: its window is read first if need be. */
	async seek(number) {
		const near = this.store.find(number);
		if (near >= 0) {
			await this.choose(near, true);
			return;
		}
		const found = await this.tiles.find(number);
		if (!found)
			return;
		const width = Math.max(20 * found.duration, VIEW_LEAST_NS);
		this.chosen = this.runs.chosen = -1;
		this.sought = number;
		this.show(found.start + (found.duration - width) / 2, found.start + (found.duration + width) / 2);
	}

	async chooseNext(wanted, number, step, past) {
		const job = this.walking = {};
		$("reading").textContent = "Searching.";
		const found = await this.tiles.nextNamed(wanted, number, step, () => this.walking === job);
		if (this.walking !== job)
			return;
		$("reading").textContent = "";
		if (past && found >= 0 && this.isPast(found, number, step))
			past();
		else if (found >= 0)
			await this.seek(found);
	}

	/* Unknown: counting would mean reading the entire file. */
	rank() {
		return 0;
	}

	chosenNumber() {
		return this.chosen < 0 && this.sought >= 0 ? this.sought : super.chosenNumber();
	}

	blockWith(number) {
		return this.tiles.blockWith(number);
	}

	endsOf(first, count) {
		return this.tiles.endsOf(first, count);
	}

	async intervalOf(number) {
		const found = await this.tiles.find(number);
		if (!found)
			throw new RangeError("no interval " + number + ": there are " + this.meta.intervals);
		return { ...found, parent: await this.tiles.parentOf(found) };
	}
}
