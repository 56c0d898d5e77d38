"use strict";
/* How things are spelled, and the part of time in view. No document here: Node's tests run it. */

/* Characters that a name may hold but that would hide or reverse the text around them. */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function printable(name) {
	return name.replace(HIDDEN, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

const UNITS = [["d", 86400e9], ["h", 3600e9], ["min", 60e9], ["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];

/* With three digits or more: "1.5 ms". */
function durationText(ns) {
	for (const [unit, size] of UNITS)
		if (Math.abs(ns) >= size || size === 1) {
			const value = ns / size;
			if (size === 1)
				return (Number.isInteger(value) ? value : value.toFixed(1)) + " ns";
			return Number(value.toFixed(Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3)) + " " + unit;
		}
	return "";
}

/* A number with spaces between thousands. */
function exactText(number) {
	const [whole, fraction] = String(number).split(".");
	return whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f") + (fraction === undefined ? "" : "." + fraction);
}

/* The trace's first hook, in ns since the page's base: texts count from it, as --from does. */
let firstHook = 0;
function countFrom(hook) {
	firstHook = hook;
}

/* A time since the base, in the form of --from. */
function offsetText(ns) {
	const whole = BigInt(Math.round(ns - firstHook)), sign = whole < 0n ? "-" : "+";
	const digits = String(whole < 0n ? -whole : whole).padStart(10, "0");
	const fraction = digits.slice(-9).replace(/0+$/, "");
	return sign + digits.slice(0, -9) + (fraction ? "." + fraction : "") + " s";
}

/* CLOCK_REALTIME in UTC with nanoseconds. base: a BigInt. */
function clockText(base, ns) {
	const time = base + BigInt(Math.round(ns));
	let seconds = time / 1000000000n, rest = time % 1000000000n;
	if (rest < 0n) {
		rest += 1000000000n;
		seconds--;
	}
	const date = new Date(Number(seconds) * 1000);
	if (isNaN(date))
		return String(time) + " ns";
	return date.toISOString().slice(0, 19) + "." + String(rest).padStart(9, "0") + "Z";
}

/* Marks of an axis: at most `most` of them, at round times. */
function ticksOf(from, to, most) {
	const least = (to - from) / Math.max(1, most);
	let step = 10 ** Math.floor(Math.log10(least));
	if (step < 1)
		step = 1;
	for (const factor of [1, 2, 5, 10, 20])
		if (step * factor >= least) {
			step *= factor;
			break;
		}
	const ticks = [];
	for (let at = Math.ceil(from / step); at * step <= to && ticks.length <= most + 1; at++)
		ticks.push(at * step);
	return { step, ticks };
}

/* A mark since the first hook, as offsetText, with the digits that distinguish two marks. */
function tickText(at, step) {
	const [unit, size] = step >= 1e9 ? ["s", 1e9] : step >= 1e6 ? ["ms", 1e6] : step >= 1e3 ? ["\u00b5s", 1e3] : ["ns", 1];
	return (at < 0 ? "-" : "+") + exactText(Math.abs(Math.round(at / size))) + " " + unit;
}

const VIEW_LEAST_NS = 20;

/* The part of time in view: within the trace, at least VIEW_LEAST_NS. */
function viewWithin(from, to, until) {
	const all = Math.max(until, VIEW_LEAST_NS);
	const width = Math.min(Math.max(to - from, VIEW_LEAST_NS), all);
	const begin = Math.min(Math.max(0, from + (to - from - width) / 2), all - width);
	return { from: begin, to: begin + width };
}

/* factor above 1: farther away. The time at `at` stays where it is. */
function viewZoomed(view, at, factor, until) {
	const width = Math.min(Math.max((view.to - view.from) * factor, VIEW_LEAST_NS), Math.max(until, VIEW_LEAST_NS));
	const share = (at - view.from) / (view.to - view.from);
	const from = at - share * width;
	return viewWithin(from, from + width, until);
}

/* The URL's fragment: times in ns since the first start. */
function stateText(state) {
	const parts = ["from=" + Math.round(state.from), "to=" + Math.round(state.to)];
	if (state.selection)
		parts.push("select=" + Math.round(state.selection.from) + "-" + Math.round(state.selection.to));
	if (state.interval >= 0)
		parts.push("interval=" + state.interval);
	if (state.run >= 0)
		parts.push("run=" + state.run);
	if (state.search)
		parts.push("search=" + encodeURIComponent(state.search));
	return "#" + parts.join("&");
}

function stateOf(text, until) {
	const parts = new URLSearchParams(text.replace(/^#/, ""));
	const number = (value) => /^\d{1,16}$/.test(value || "") ? Number(value) : NaN;
	const state = { from: 0, to: Math.max(until, VIEW_LEAST_NS), selection: null, interval: -1, run: -1, search: parts.get("search") || "" };
	const from = number(parts.get("from")), to = number(parts.get("to"));
	if (from < to)
		Object.assign(state, viewWithin(from, to, until));
	const span = (parts.get("select") || "").split("-");
	if (span.length === 2 && number(span[0]) < number(span[1]))
		state.selection = { from: number(span[0]), to: number(span[1]) };
	const interval = number(parts.get("interval"));
	if (interval >= 0)
		state.interval = interval;
	const run = number(parts.get("run"));
	if (run >= 0)
		state.run = run;
	return state;
}

/* A test of names: text in any case, or a regular expression between slashes. null: nothing. */
function matcherOf(query) {
	const pattern = /^\/(.+)\/$/.exec(query);
	if (!query)
		return null;
	if (pattern)
		try {
			const expression = new RegExp(pattern[1], "iu");
			return (name) => expression.test(name);
		} catch (error) { /* is text, then */ }
	const wanted = query.toLowerCase();
	return (name) => name.toLowerCase().includes(wanted);
}
