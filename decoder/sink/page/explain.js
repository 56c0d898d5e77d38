"use strict";
/* Explains in words why an interval was slow, from its columns. Uses no document: Node's tests run it. */

/* How many intervals of its label and minor are shorter. */
function countShorter(store, at) {
	const name = store.name[at], duration = store.duration[at];
	let shorter = 0;
	for (let other = 0; other < store.count; other++)
		shorter += Number(store.name[other] === name && store.duration[other] < duration);
	return shorter;
}

/*
 * group: of what median (undefined: unknown), count and shorter are; duration and median: ns;
 * cells: its columns by name, as text, null where there is none.
 */
function explain({ group = "label", duration, median, count, shorter, cells }) {
	const sentences = [], number = (name) => cells[name] === null || cells[name] === undefined ? NaN : Number(cells[name]);
	const flags = (cells.flags || "").split("+"), has = (flag) => flags.includes(flag);
	const share = (part) => (100 * part / duration).toFixed(1) + " %";
	if (has("open"))
		sentences.push(has("no-end") ? "Its end may have been overwritten: shown as open until the end of the trace." :
			"Open at the end of the trace: the duration is the time so far.");
	if (count > 1 && median !== undefined)
		sentences.push((median ? exactText(Number((duration / median).toPrecision(3))) + " times the median of its " + group + " (" + durationText(median) + ")"
			: "The median of its " + group + " is 0 ns") + "; longer than " + exactText(shorter) + " of " + exactText(count) + ".");
	const off = number("off_cpu_ns"), switches = number("ctx_switches"), begun = number("start_cpu"), ended = number("cpu");
	if (off >= 0 && duration)
		sentences.push("Off the processors for " + durationText(off) + ", " + share(off) + " of it" +
			(switches >= 0 ? ", " + exactText(switches) + " switch" + (switches === 1 ? "" : "es") : "") + ".");
	if (begun >= 0 && ended >= 0)
		sentences.push(begun === ended ? "Began and ended on processor " + ended + "." : "Began on processor " + begun + ", ended on processor " + ended + ".");
	if (has("children-lost"))
		sentences.push("Intervals nested inside may have been overwritten: its self time is an upper bound.");
	return sentences.join(" ");
}
