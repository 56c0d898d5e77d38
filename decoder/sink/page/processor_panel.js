"use strict";
/* The lanes of processors in the timeline, and a table of processors in a span. */

class ProcessorPanel {
	constructor(page) {
		this.page = page;
		this.store = null;
	}

	/* Reads the processor where each interval ended. Concurrent calls share one reading. */
	find() {
		this.finding = this.finding || this.read();
		return this.finding;
	}

	/* Drops the data read from the page's previous store. */
	clear() {
		this.store = this.finding = null;
	}

	async read() {
		const { page } = this, { store } = page, isWanted = () => page.store === store;
		const columns = await page.readNumbers(store, RESIDENCE.map((name) => page.meta.columns.indexOf(name)), isWanted);
		const made = columns && processorsOf(store, new Residence(...columns));
		for (let step = made && made.next(); step && isWanted(); step = made.next()) {
			if (step.done) {
				this.store = step.value;
				return;
			}
			await new Promise((done) => setTimeout(done, 0));
		}
	}

	/* The lanes of each processor: { runs, derived }, by the kernel's switches and by intervals, undefined where there is none. */
	all() {
		const runs = this.page.runs.store, found = new Map();
		const add = (kind, lane) => {
			const key = lane.machine + " " + lane.cpu, one = found.get(key) || { lane };
			one[kind] = lane;
			found.set(key, one);
		};
		for (const lane of runs ? runs.processors : [])
			add("runs", lane);
		for (const lane of this.page.hasDerived() ? this.store.lanes : [])
			add("derived", lane);
		return Array.from(found.values()).sort((a, b) => a.lane.machine - b.lane.machine || a.lane.cpu - b.lane.cpu);
	}

	name(lane) {
		const { files } = this.page.meta;
		if (files.length < 2 || new Set(this.all().map((one) => one.lane.machine)).size < 2)
			return "Processor " + lane.cpu;
		const file = lane.file ?? this.page.store.lanes.find((one) => one.machine === lane.machine).file, { host } = files[file];
		return "Processor " + lane.cpu + " of " + (host ? printable(host) : "machine " + lane.machine);
	}

	/* Lays out the lanes from y on, as Page.arrange does. */
	place(placed, y) {
		for (const { lane, runs, derived } of this.all()) {
			placed.push({ y, height: HEADING, processor: lane });
			y += HEADING;
			if (runs) {
				placed.push({ y, height: ROW, runs });
				y += ROW;
			}
			for (const ran of derived ? derived.levels : []) {
				placed.push({ y, height: ROW, ran, processor: derived });
				y += ROW;
			}
			y += 4;
		}
		return y;
	}

	/* Converts a position here to one among all intervals. */
	originOf(at) {
		return at < 0 ? -1 : this.store.origin[this.store.number[at]];
	}

	/* Whether a row has the interval at that position of all intervals. */
	holds(row, origin) {
		const { store } = this, end = store.offset[row + 1], start = this.page.store.start[origin];
		for (let at = store.firstFrom(start, store.offset[row], end); at < end && store.start[at] === start; at++)
			if (this.originOf(at) === origin)
				return true;
		return false;
	}

	isPale(at) {
		return !this.store.stayed[this.store.number[at]];
	}

	tell(at, lane) {
		return this.isPale(at) ? "ended on " + this.name(lane) : "ran on " + this.name(lane) + " throughout";
	}

	fill(table, uses, span) {
		const body = element("tbody"), head = element("thead"), names = element("tr");
		for (const name of ["processor", "outermost intervals", "not switched", "their time", "% of the span"])
			names.append(element("th", name, { scope: "col" }));
		head.append(names);
		for (const { lane, count, stayed, time } of uses) {
			const line = element("tr");
			line.append(element("th", this.name(lane), { scope: "row" }), element("td", exactText(count)), element("td", exactText(stayed)),
				element("td", exactText(time), { title: durationText(time) }), element("td", (100 * time / span).toFixed(2)));
			body.append(line);
		}
		table.replaceChildren(table.caption, head, body);
	}
}
