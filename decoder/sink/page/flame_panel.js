"use strict";
/* The flame graph of a span, with its own choice of colours and a legend. */

/* The colour of frames that are not intervals. */
const FLAME_ALL = [200, 204, 210];

/* The best measured CPI: the thread's own, else its processor's in busy time. */
const FLAME_CPIS = ["thread_cpi", "scaled_cpi", "raw_cpi"];

class FlamePanel {
	constructor(page) {
		this.page = page;
		this.choice = "timeline";
		this.column = this.groups = null;
		this.graph = new FlameGraph($("flame"), $("frame"), $("undrawn"), {
			nameOf: (frame, i) => i ? page.names[frame.name] : "all intervals",
			tellOf: (frame, i, share) => this.tell(frame, i, share),
			colourOf: (frame, i) => i ? this.colourOf(frame) : FLAME_ALL,
		});
	}

	/* Call once the data is there. */
	listen() {
		const { store } = this.page, has = (name) => this.page.hasNumbers(name), add = (value, text) => $("flame-colour").append(element("option", text, { value }));
		this.cpi = FLAME_CPIS.find(has);
		add("timeline", "as the timeline");
		add("name", "name");
		if (this.cpi)
			add("cpi", "CPI (" + this.cpi + ")");
		if (has("off_cpu_ns"))
			add("off", "off-CPU share");
		add("thread", "thread");
		if (store.lanes.some((lane) => lane.process !== undefined))
			add("module", "module (process)");
		$("flame-colour").addEventListener("change", () => this.choose($("flame-colour").value));
	}

	async choose(choice) {
		const { page } = this;
		this.choice = choice;
		this.groups = choice === "thread" || choice === "module" ? this.groupLanes(choice) : null;
		this.column = null;
		if (this.wanted()) {
			const column = await page.readColumn(this.wanted(), () => this.choice === choice);
			if (this.choice !== choice)
				return;
			this.column = column;
		}
		page.changed();
	}

	/* The column that the choice needs, for Page.readColumn. null: none. */
	wanted() {
		return this.choice === "off" ? "off" : this.choice === "cpi" ? String(this.page.meta.columns.indexOf(this.cpi)) : null;
	}

	/* Numbers threads or processes, by lane; texts by number, those with most intervals first. */
	groupLanes(choice) {
		const { page } = this, found = new Map();
		for (const lane of page.store.lanes) {
			const text = choice === "thread" ? page.laneText({ ...lane, further: 0 })
				: lane.process === undefined ? "unknown" : page.names[lane.process] + " (pid " + lane.pid + ")";
			const group = found.get(text) || { text, count: 0, lanes: [] };
			lane.levels.forEach((row) => group.count += page.store.offset[row + 1] - page.store.offset[row]);
			group.lanes.push(lane.index);
			found.set(text, group);
		}
		const groups = Array.from(found.values()).sort((a, b) => b.count - a.count), of = new Uint32Array(page.store.lanes.length);
		groups.forEach((group, i) => group.lanes.forEach((lane) => of[lane] = i));
		return { of, texts: groups.map((group) => group.text) };
	}

	/* The column that colours show; null: none. */
	shown() {
		return this.choice === "timeline" ? this.page.column : this.column;
	}

	/* For flameOf: a value of each interval, and a group of each lane. */
	valueOf() {
		const column = this.shown(), slots = this.page.store.slot;
		return column && ((at) => column.values[slots[at]]);
	}

	groupOf() {
		const { groups } = this;
		return groups && ((lane) => groups.of[lane.index]);
	}

	colourOf(frame) {
		const column = this.shown();
		if (this.groups)
			return PALETTE[frame.group % PALETTE.length];
		return column ? this.page.colourOfValue(frame.value, column) : this.page.colourOf(frame.name);
	}

	tell(frame, i, share) {
		const { page, groups } = this, text = (i ? page.names[frame.name] : "all intervals") + ": " + durationText(frame.time) + ", " +
			(100 * share).toFixed(2) + " %";
		if (!i)
			return text;
		return text + ", " + exactText(frame.count) + (frame.count === 1 ? " interval" : " intervals") + page.valueText(frame.value, this.shown()) +
			(groups ? "; " + groups.texts[frame.group] + (frame.time ? ", " + (100 * frame.groupTime / frame.time).toFixed(0) + " % of it" : "") : "");
	}

	fill(frames) {
		this.frames = frames;
		this.graph.fill(frames);
		this.dim();
		this.fillLegend(frames);
	}

	dim() {
		const { matches } = this.page;
		this.graph.dim((name) => Boolean(matches) && !matches[name]);
	}

	fillLegend(frames) {
		const { page, groups } = this, column = this.shown();
		let lines;
		if (groups) {
			const seen = new Set(frames.slice(1).map((frame) => frame.group)), numbers = Array.from(seen).sort((a, b) => a - b);
			lines = numbers.slice(0, PALETTE.length).map((group) => legendItem(PALETTE[group % PALETTE.length], groups.texts[group]));
			if (numbers.length > PALETTE.length)
				lines.push(element("li", "and " + exactText(numbers.length - PALETTE.length) + " more in the same colours"));
			lines.push(element("li", "a frame has the colour of the one with most of its time"));
		} else if (column) {
			lines = page.rangeItems(column);
		} else {
			const names = Array.from(new Set(frames.slice(1).map((frame) => frame.name))), shown = names.slice(0, PALETTE.length);
			lines = shown.map((name) => legendItem(page.colourOf(name), page.names[name]));
			if (names.length > shown.length)
				lines.push(element("li", "and " + exactText(names.length - shown.length) + " more names in these colours"));
		}
		$("flame-legend").replaceChildren(...lines);
	}
}
