"use strict";
/* The page that is shown, and window.trace. */

const page = document.documentElement.dataset.tiles === undefined ? new Page() : new TiledPage();

/* For scripts and tests; README.md documents it. */
window.trace = {
	ready: new Promise((resolve, reject) => {
		document.addEventListener("DOMContentLoaded", () => page.load().then(resolve, (error) => {
			$("about").textContent = "The trace cannot be shown: " + error.message;
			reject(error);
		}));
	}),
	query: (from, to, lane) => page.query(from, to, lane),
	/* By the kernel's switches; empty: the page has none. */
	get processors() {
		const { store } = page.runs;
		return store ? store.processors.map(({ cpu, machine, lost }) => ({ cpu, machine, lost })) : [];
	},
	/* A run of a thread by its number: longestInterval of a processor's query. */
	run: (number) => page.runs.runBy(number),
	get lanes() {
		return page.store.lanes.map((lane) => ({ name: page.store.names[lane.name].slice(1), tid: lane.tid, pid: lane.pid }));
	},
	get until() {
		return page.meta.until;
	},
	get base() {
		return page.base;
	},
	/* The columns of an interval by its number. */
	async interval(number) {
		const { name, start, duration, parent } = await page.intervalOf(number);
		const columns = { label: page.store.names[name].slice(1), minor: String(page.minors[name]), major: String(page.majors[name]), start, duration, parent };
		return Object.assign(columns, await page.columnsOf(number, parent, duration));
	},
};
