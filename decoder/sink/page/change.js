"use strict";
/* A differential flame graph: the frames of the runs after, coloured by their change. */

const CHANGE_ROWS = 500;

/* The SVG's texts group digits by commas; the page uses narrow spaces. */
const regroup = (text) => text.replace(/(?<=\d),(?=\d{3})/g, "\u202f");

const rgbOf = (number) => [number >> 16 & 255, number >> 8 & 255, number & 255];

class ChangePage {
	async load() {
		this.data = await readObject("change");
		const { runs, frames } = this.data;
		this.frames = frames.map(([name, parent, before, after, colour, text], i) => ({
			name: i, text: i ? printable(name) : "all", parent: i ? parent : -1, time: after, colour: rgbOf(colour), told: regroup(text.replaceAll("\n", "; ")),
			before: runs[0] ? before / runs[0] : 0, after: runs[1] ? after / runs[1] : 0,
		}));
		this.graph = new FlameGraph($("flame"), $("frame"), $("undrawn"), {
			nameOf: (frame) => frame.text, tellOf: (frame) => frame.text + ": " + frame.told, colourOf: (frame) => frame.colour,
		});
		this.sorting = { column: 3, falls: true };
		this.at = -1;
		this.matches = [];
		this.tell();
		this.graph.fill(this.frames);
		this.fillTable();
		this.listen();
		for (const control of document.querySelectorAll("button:disabled, input:disabled"))
			control.disabled = false;
		document.documentElement.setAttribute("aria-busy", "false");
	}

	value(number) {
		return exactText(Math.round(number)) + " " + this.data.unit;
	}

	tell() {
		const { data } = this, [root] = this.frames, isMean = data.runs.some((n) => n > 1);
		const side = (name, i, value) => $("sides").append(element("dt", name), element("dd", (data.commands[i] ? printable(data.commands[i]) + " \u00b7 " : "") +
			(data.runs[i] > 1 ? exactText(data.runs[i]) + " runs, " : "") + this.value(value) + (data.runs[i] > 1 ? " a run" : "")));
		document.title = "Differential flame graph";
		$("about").textContent = "Weight: " + data.weight + " \u00b7 " + root.told;
		side("before", 0, root.before);
		side("after", 1, root.after);
		const losses = [];
		if (data.lost)
			losses.push(exactText(data.lost) + " hooks were lost: intervals may be missing");
		if (data.scripted)
			losses.push("Counters were scripted: counts were not measured");
		$("losses").append(...losses.map((loss) => element("li", loss)));
		$("losses").hidden = !losses.length;
		const steps = data.legend.length - 1, named = { 0: "half or less", [steps / 2]: "the same", [steps]: "double or more, or new" };
		$("legend").append(...data.legend.map((colour, i) => legendItem(rgbOf(colour), named[i] || "")),
			element("li", "red grew, blue shrank: a frame with what is nested in it" + (isMean ? ", means of a side's runs" : "")));
		$("gone").textContent = (data.gone ? exactText(data.gone) + " frame" + (data.gone === 1 ? "" : "s") + " of before " + (data.gone === 1 ? "is" : "are") +
			" not there after: " + this.value(data.goneSum / data.runs[0]) + ". " : "") +
			(data.leftOut ? exactText(data.leftOut) + " frames are too narrow or too deep to be shown." : "");
	}

	/* A frame with those around it: "process > thread > outer > inner". */
	path(frame) {
		return frame.parent > 0 ? this.path(this.frames[frame.parent]) + " > " + frame.text : frame.text;
	}

	fillTable() {
		const table = $("changes"), head = element("tr"), body = element("tbody"), top = element("thead");
		const columns = [["frame", (frame) => this.path(frame)], ["before", (frame) => frame.before], ["after", (frame) => frame.after],
			["difference", (frame) => Math.abs(frame.after - frame.before)]];
		const value = columns[this.sorting.column][1], sign = this.sorting.falls ? -1 : 1;
		const rows = this.frames.slice(1).map((frame) => [value(frame), frame]).sort(([x, a], [y, b]) => (x < y ? -1 : x > y ? 1 : a.name - b.name) * sign);
		columns.forEach(([name], i) => {
			const cell = element("th", undefined, { scope: "col" }), isSorted = i === this.sorting.column;
			if (isSorted)
				cell.setAttribute("aria-sort", this.sorting.falls ? "descending" : "ascending");
			cell.append(element("button", name + (isSorted ? this.sorting.falls ? " \u25be" : " \u25b4" : ""), { type: "button", onclick: () => {
				this.sorting = { column: i, falls: isSorted ? !this.sorting.falls : i > 0 };
				this.fillTable();
				table.tHead.rows[0].cells[i].firstChild.focus();
			} }));
			head.append(cell);
		});
		head.append(element("th", "change", { scope: "col" }));
		for (const [, frame] of rows.slice(0, CHANGE_ROWS)) {
			const line = element("tr"), difference = frame.after - frame.before, percent = 100 * difference / frame.before;
			line.append(element("th", this.path(frame), { scope: "row" }), element("td", exactText(Math.round(frame.before))), element("td", exactText(Math.round(frame.after))),
				element("td", (difference > 0 ? "+" : "") + exactText(Math.round(difference))),
				element("td", frame.before > 0 ? (percent >= 0 ? "+" : "") + percent.toFixed(1) + " %" : frame.after > 0 ? "new" : "n/a"));
			body.append(line);
		}
		table.caption.textContent = "With what is nested in it, in " + this.data.unit + (this.data.runs.some((n) => n > 1) ? ", means of a side's runs" : "") +
			"; sorted by the difference, growth and shrinkage alike" + (rows.length > CHANGE_ROWS ? "; the first " + CHANGE_ROWS + " of " + exactText(rows.length) : "");
		top.append(head);
		table.replaceChildren(table.caption, top, body);
	}

	search() {
		const test = matcherOf($("search").value);
		this.matches = test ? this.frames.slice(1).filter((frame) => test(frame.text)) : [];
		this.at = -1;
		this.dim(Boolean(test));
		$("found").textContent = test ? exactText(this.matches.length) + " frame" + (this.matches.length === 1 ? "" : "s") : "";
	}

	dim(isSearching) {
		const found = new Set(this.matches.map((frame) => String(frame.name)));
		this.graph.dim((name) => isSearching && !found.has(name));
	}

	/* Goes to the next or previous match. Shows all frames first, so that the match is visible. */
	walk(step) {
		const { matches } = this;
		if (!matches.length)
			return;
		this.at = this.at < 0 ? step > 0 ? 0 : matches.length - 1 : (this.at + step + matches.length) % matches.length;
		this.graph.fill(this.frames);
		this.dim(true);
		const frame = matches[this.at], button = Array.from($("flame").children).find((one) => one.dataset.name === String(frame.name));
		if (button)
			button.focus();
		$("found").textContent = exactText(this.at + 1) + " of " + exactText(matches.length) + ": " + frame.text + ": " + frame.told;
	}

	listen() {
		$("search").addEventListener("input", () => this.search());
		$("search").addEventListener("keydown", (event) => {
			if (event.key === "Enter")
				this.walk(event.shiftKey ? -1 : 1);
		});
		$("next").addEventListener("click", () => this.walk(1));
		$("previous").addEventListener("click", () => this.walk(-1));
		document.addEventListener("keydown", (event) => {
			if (event.key === "/" && event.target !== $("search")) {
				$("search").focus();
				event.preventDefault();
			}
		});
	}
}

const page = new ChangePage();
document.addEventListener("DOMContentLoaded", () => page.load().catch((error) => {
	$("about").textContent = "The graph cannot be shown: " + error.message;
	throw error;
}));
