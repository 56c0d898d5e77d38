"use strict";
/* The tables of the summary: of a span, and of the whole trace. */

const SUMMARY_ROWS = 200;

class SummaryPanel {
	constructor(page) {
		this.page = page;
		this.sorting = new Map();
		this.whole = null; /* figures of the whole trace, by name; null: unknown */
	}

	/* A minor, with its major if that is not CPI's. */
	codeText(name) {
		const { majors, minors } = this.page, hex = (code) => code.toString(16).toUpperCase().padStart(2, "0");
		return (majors[name] === CPI_MAJOR ? "" : hex(majors[name]) + ":") + hex(minors[name]);
	}

	/* The columns after the label: name, a row's value to sort by, null: none, and its text if that is not the number. */
	columns(summary) {
		const { page } = this, time = (name) => ({ name, isTime: true, value: (row) => row[name] ?? null });
		const figure = ({ name, heading, above }) => ({ name: heading, isTime: name.endsWith("_ns"), value: ({ name: group }) => summary.figures?.get(group)?.[name] ?? null,
			text: (value) => value === null ? summary.figures ? "n/a" : "\u2026" : above ? value.toFixed(4) : exactText(value) });
		return [
			{ name: "minor", value: ({ name }) => page.majors[name] * 256 + page.minors[name], text: (_, { name }) => this.codeText(name) },
			{ name: "count", value: (row) => row.count },
			time("total"), time("self"), { ...time("mean"), text: (value) => exactText(value.toFixed(1)) }, ...["min", "p50", "p90", "p99", "max"].map(time),
			...FIGURES.filter(({ name }) => page.hasNumbers(name)).map(figure),
			...page.groupMetrics().map((metric) => figure({ name: metricKey(metric), heading: printable(metric.name), above: true })),
		].filter(({ name }) => !summary.absent || !summary.absent.includes(name));
	}

	/* rows: those of summarize. figures: of each, by name, undefined: not known yet. absent: names of columns that are not there. */
	fill(table, summary) {
		const { page } = this, columns = [{ name: "label", value: ({ name }) => page.names[name] }, ...this.columns(summary)];
		const sorting = this.sorting.get(table) || { by: "total", falls: true }, { value } = columns.find(({ name }) => name === sorting.by);
		const rows = summary.rows.map((row) => [value(row), row]).sort(([x, a], [y, b]) => {
			if (x === null || y === null)
				return Number(x === null) - Number(y === null) || a.name - b.name;
			return (x < y ? -1 : x > y ? 1 : a.name - b.name) * (sorting.falls ? -1 : 1);
		});
		const focused = table.tHead && table.tHead.contains(document.activeElement) ? document.activeElement.parentElement.cellIndex : -1;
		const head = element("tr"), body = element("tbody"), top = element("thead"), most = summary.all ? Infinity : SUMMARY_ROWS;
		columns.forEach(({ name }) => {
			const cell = element("th", undefined, { scope: "col" }), isSorted = name === sorting.by;
			if (isSorted)
				cell.setAttribute("aria-sort", sorting.falls ? "descending" : "ascending");
			cell.append(element("button", name + (isSorted ? sorting.falls ? " \u25be" : " \u25b4" : ""), {
				type: "button",
				onclick: () => {
					this.sorting.set(table, { by: name, falls: isSorted ? !sorting.falls : name !== "label" && name !== "minor" });
					this.fill(table, summary);
				},
			}));
			head.append(cell);
		});
		for (const [, row] of rows.slice(0, most))
			body.append(this.line(table, columns, row));
		top.append(head);
		replaceFocused(table, table.caption, top, body);
		if (rows.length > most) {
			const line = element("tr"), cell = element("td", undefined, { colSpan: columns.length });
			cell.append(element("button", "Show all " + exactText(rows.length) + " rows", {
				type: "button", onclick: () => this.fill(table, { ...summary, all: true }),
			}));
			line.append(cell);
			body.append(line);
		}
		if (focused >= 0)
			head.cells[Math.min(focused, columns.length - 1)].firstChild.focus();
		this.tell(table, summary);
	}

	line(table, columns, row) {
		/* With tiles, the page has only the intervals around the view. */
		const { page } = this, [from, to] = table === $("all") ? [0, page.until + 1] : [page.span().from, page.span().to], has = table !== $("all") || page.store.count === page.meta.intervals;
		const line = element("tr"), first = element("th", undefined, { scope: "row" });
		first.append(element("button", this.page.names[row.name], { className: "link", type: "button", onclick: () => page.searchFor(row.name) }));
		line.append(first);
		for (const { name, value, text, isTime } of columns.slice(1)) {
			const one = value(row), cell = element("td", text ? text(one, row) : one === null ? "n/a" : exactText(one), isTime && one !== null ? { title: durationText(Number(one)) } : {});
			if (name === "max" && has)
				cell.replaceChildren(element("button", cell.textContent, { className: "link", type: "button", title: "Go to it: " + cell.title,
					onclick: () => page.chooseLongest(row.name, from, to) }));
			line.append(cell);
		}
		return line;
	}

	/* What the table lacks. */
	tell(table, { notes = [], absent = [] }) {
		const { metrics, numeric } = this.page.meta, namesOf = (wanted) => metrics.filter(wanted).map(({ name }) => printable(name)), alone = namesOf(({ summary }) => summary === null);
		const unmeasured = [...FIGURES.filter(({ name }) => !this.page.hasNumbers(name)).map(({ heading }) => heading), ...namesOf((metric) => !isMetricMeasured(metric, numeric))];
		const only = alone.length ? "Of single intervals alone: " + alone.join(", ") + "." : "";
		const open = table === $("all") ? "" : openText(this.page.meta);
		const bounds = absent.includes("self") ? "" : childrenLostText(this.page.meta);
		$(table.id + "-note").textContent = [...notes, open, bounds, only, unmeasured.length ? "Measured in no interval: " + unmeasured.join(", ") + "." : ""].filter((text) => text).join(" ");
	}

	/* The whole trace: lines of the report summary if the page has them, and the times on and off the processors. */
	fillWhole(whole, report, times) {
		const { page } = this, { minors, majors, store: { names } } = page, { open } = page.meta;
		const { rows, figures, absent } = wholeSummary(whole.rows, report || { rows: "", cut: whole.rows.length }, times, { names, minors, majors }, page.groupMetrics());
		const cut = rows.filter(({ name }) => name >= page.meta.times_of).length;
		if (report && !absent && !open && !cut)
			this.whole = figures;
		const lacks = page.groupMetrics().length > 0 || FIGURES.some(({ name, above }) => above && page.hasNumbers(name));
		const lacking = (whole.absent && report ? "Percentiles, " : "") + "CPI, busy and metrics";
		this.fill($("all"), { ...whole, absent: whole.absent && report ? ["self"] : whole.absent, rows, figures,
			notes: [absent && (lacks || whole.absent && report) ? lacking + " of " + exactText(absent) + " rows are not in the page: cpidecode --report summary has them." : "",
				cut ? "On CPU, off CPU and switches of " + exactText(cut) + " rows are not in the page: select a span to have them." : "",
				report && open ? "Without the intervals that were open at the end: " + exactText(open) + "." : ""] });
	}

	/* The figures of a span, if they are known or none was measured; undefined: find() reads them. */
	known({ count }) {
		return count === this.page.meta.intervals && this.whole || (this.page.groupMetrics().length || FIGURES.some(({ name }) => this.page.hasNumbers(name)) ? undefined : new Map());
	}

	/* Reads the figures of a span, whose summary was filled without them. */
	async find(summary, from, to, job) {
		const { page } = this, isTooMany = summary.count > page.unasked();
		const figures = isTooMany ? new Map() : await page.readFigures(from, to, () => page.job === job);
		if (figures)
			this.fill($("summary"), { ...summary, figures,
				notes: [isTooMany ? "CPI, busy, metrics, times on and off the processors, and switches: of up to " + exactText(page.unasked()) + " intervals in a span." : ""] });
	}
}
