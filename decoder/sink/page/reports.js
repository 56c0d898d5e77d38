"use strict";
/* The reports of cpidecode that the page holds as text. */

const REPORTS = {
	why: { title: "Why the slow ones are slow", about: "cpidecode --report why: by label, the slowest intervals (from p99 up) beside those around the median." },
	info: { title: "The trace's files", about: "cpidecode --report info: format, clock, machine, what was recorded and lost in each ring, tasks." },
};

/* Each in a region of its own that the keyboard scrolls. */
function showReports(box, reports) {
	for (const { name, text, cut } of reports) {
		const { title, about } = REPORTS[name], region = element("div", undefined, { className: "scroll", tabIndex: 0 });
		region.setAttribute("role", "region");
		region.setAttribute("aria-label", title);
		region.append(element("pre", text, { id: "report-" + name }));
		if (!text)
			continue;
		box.append(element("h3", title), element("p", about, { className: "note" }), region);
		if (cut)
			box.append(element("p", "The page holds its beginning: " + exactText(cut) + " more lines are in cpidecode's.", { className: "note" }));
	}
}
