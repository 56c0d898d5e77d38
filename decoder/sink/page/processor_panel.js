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

	/* Drops what was read from the page's previous store. */
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

	name(lane) {
		const machines = new Set(this.store.lanes.map((one) => one.machine));
		if (machines.size < 2)
			return "Processor " + lane.cpu;
		const { file } = this.page.store.lanes.find((one) => one.machine === lane.machine), { host } = this.page.meta.files[file];
		return "Processor " + lane.cpu + " of " + (host ? printable(host) : "machine " + lane.machine);
	}

	/* Lays out the lanes from y on, as Page.arrange does. */
	place(placed, y) {
		for (const lane of this.store.lanes) {
			placed.push({ y, height: HEADING, processor: lane });
			y += HEADING;
			for (const ran of lane.levels) {
				placed.push({ y, height: ROW, ran, processor: lane });
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
