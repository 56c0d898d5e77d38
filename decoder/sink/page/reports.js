"use strict";
/* The reports of cpidecode that the page holds as text. */

const REPORTS = {
	why: { title: "Why the slow ones are slow", about: "cpidecode --report why: by label, the slowest intervals (from p99 up) beside those around the median." },
	info: { title: "The trace's files", about: "cpidecode --report info: format, clock, machine, what was recorded and lost in each ring, tasks." },
};

/* Labels to put in words, in the report's order. */
const WHY_MOST = 20;

function whyElement(answers) {
	const list = element("ul", undefined, { id: "why" }), all = whyList(answers);
	for (const [label, words] of all.slice(0, WHY_MOST)) {
		const line = element("li");
		line.append(element("strong", label), ": " + words);
		list.append(line);
	}
	if (all.length > WHY_MOST)
		list.append(element("li", "The other labels are below."));
	return list;
}

/* Each report has its own region, which the keyboard can scroll. */
function showReports(box, reports) {
	if (!reports.length)
		box.append(element("p", "A page of more than 10 million intervals has no reports: run cpidecode --report why and cpidecode --report info.", { className: "note" }));
	for (const { name, text, cut, answers } of reports) {
		const { title, about } = REPORTS[name], region = element("div", undefined, { className: "scroll", tabIndex: 0 });
		region.setAttribute("role", "region");
		region.setAttribute("aria-label", title);
		region.append(element("pre", text, { id: "report-" + name }));
		if (!text)
			continue;
		box.append(element("h3", title), element("p", about, { className: "note" }));
		if (answers)
			box.append(whyElement(answers));
		box.append(region);
		if (cut)
			box.append(element("p", "The page holds its beginning: " + exactText(cut) + " more lines are in cpidecode's.", { className: "note" }));
	}
}
