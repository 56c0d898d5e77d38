"use strict";
/* What a page does not show, and why, in words. No document here: Node's tests run it. */

/* Of how many intervals nested ones may have been overwritten; "": of none. */
function childrenLostText({ children_lost: lost }) {
	return lost ? "Of " + exactText(lost) + (lost === 1 ? " interval" : " intervals") + " those nested inside may be missing, as older hooks were overwritten " +
		"(flags: children-lost): self times are upper bounds." : "";
}

/* How open intervals count in a span; "": none is open. */
function openText({ open }) {
	return open ? "With the time so far of intervals that were open at the end of the trace (" + exactText(open) + " in all)." : "";
}

/* A list of column names, or "none". */
function columnsText(names) {
	return names.length ? names.map(printable).join(", ") : "none";
}

/* What a page with tiles shows only of a window. */
function tileLimits(meta, hasSummary) {
	const namesOf = (isFar) => meta.numeric.filter((i) => meta.tiles.means.includes(i) === isFar).map((i) => meta.columns[i]);
	const far = namesOf(true), near = namesOf(false), limits = [
		"The summary, the flame graph, the heat map, the histogram and the hooks of a span need its intervals one by one. The page reads them from the file of tiles " +
			"where at most about 1 million overlap the view and the selection: more would take too much memory. Of larger spans it has the exact count, longest and sum, and the curves.",
		"Self times of the whole trace need every interval" + (hasSummary ? "." : ", and so do its percentiles, CPI and busy: cpidecode --report summary has these."),
		"Lanes of processors, apart from the threads that ran by the kernel's switches, are made from the intervals in view, up to about 1 million.",
	];
	if (near.length)
		limits.push("Colours, zoomed out, are means of up to 4\u202f096 neighbours in a lane, which the file has for: " + columnsText(far) +
			". Codes, numbers of processors and columns behind the first 64 have no mean, and need at most about 1 million intervals in view: " + columnsText(near) + ".");
	return limits;
}

/* What a page without tiles shows only on request. unasked: the number of intervals up to which it reads columns by itself. */
function columnLimits(meta, unasked) {
	return meta.intervals > unasked ? ["Beyond " + exactText(unasked) + " intervals, lanes of processors are made when you choose them, and there are no curves of CPI and busy, " +
		"and none of these figures in the summary of a larger span: they unpack columns of all intervals. Colour by a column to see it over time."] : [];
}

/* Sentences. reports: those that the page holds. */
function limitsOf(meta, unasked, reports) {
	const limits = meta.tiles ? tileLimits(meta, reports.some((one) => one.name === "summary")) : columnLimits(meta, unasked);
	if (meta.marks_left_out)
		limits.push("Hooks that belong to no interval are not marked: there are more than 100\u202f000. A part of the trace may have fewer (--from and --to).");
	if (meta.switches_left_out)
		limits.push("The kernel's context switches are recorded, but not shown: " + (meta.span ? "a page of a span has none." :
			"there are more than 4\u202f000\u202f000 runs of threads. A part of the trace may have fewer (--from and --to).") + " The reports slowest and info tell of them.");
	if (meta.span)
		limits.push("A page of a span has none of the reports below: they read the whole trace.");
	else if (!reports.some((one) => one.name === "why"))
		limits.push("The report why is not here: it would read these many intervals several times. Run cpidecode --report why.");
	if (reports.some((one) => one.without_costs))
		limits.push("The report info lacks the library's own cost: it would read these many intervals again. Run cpidecode --report info.");
	if (meta.values_left_out)
		limits.push(exactText(meta.values_left_out) + (meta.values_left_out === 1 ? " name of an argument or event has" : " names of arguments and events have") +
			" no column here: a page has up to 1\u202f000 columns.");
	if (meta.times_of)
		limits.push("In the summary of the whole trace, times on and off the processors, and switches, are of the first " + exactText(meta.times_of) +
			" names of intervals, threads and hooks: more would take too much memory. Of a span they are complete.");
	if (meta.children_lost)
		limits.push(childrenLostText(meta).replace("self times", "self times, and what the flame graph leaves to a frame itself,"));
	if (meta.open_no_end)
		limits.push("Of " + exactText(meta.open_no_end) + (meta.open_no_end === 1 ? " interval" : " intervals") + " the end may have been overwritten (flags: no-end+open): " +
			"drawn as open until the end of the trace, and what followed on the thread as nested inside.");
	if (meta.losses.some((loss) => loss.what.startsWith("hooks lost")))
		limits.push("When hooks were lost is known only where a ring was full and others were not; otherwise only how many.");
	return limits;
}
