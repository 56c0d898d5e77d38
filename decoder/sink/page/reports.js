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

/* Doctor's findings of a file: those that need attention first. */
function doctorElement(doctor) {
	const list = element("ul", undefined, { className: "findings" }), order = ["bad", "note", "good"];
	for (const { id, status, text, meaning, todo } of doctor.findings.slice().sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status))) {
		const line = element("li", undefined, { className: status });
		line.append(element("strong", status), " " + printable(id) + ": " + printable(text) + ".");
		if (meaning)
			line.append(" It means: " + printable(meaning) + ".");
		if (todo)
			line.append(" To do: " + printable(todo) + ".");
		list.append(line);
	}
	return list;
}

/* "2 bad, 1 note"; "": only good ones. */
function doctorCounts(files) {
	const found = files.flatMap(({ doctor }) => doctor ? doctor.findings : []), count = (status) => found.filter((one) => one.status === status).length;
	const [bad, notes] = [count("bad"), count("note")];
	return [bad ? bad + " bad" : "", notes ? notes + (notes === 1 ? " note" : " notes") : ""].filter((text) => text).join(", ");
}

/* The verdict, at the top of the page, and the findings in box. */
function showDoctor(box, files) {
	const verdicts = new Set(files.flatMap(({ doctor }) => doctor ? [printable(doctor.verdict)] : [])), counts = doctorCounts(files);
	for (const { path, doctor } of files) {
		if (files.length > 1)
			box.append(element("h4", printable(path)));
		if (!doctor) {
			box.append(element("p", "Not in this trace: only the commands of swtrace that make trace buffers record it.", { className: "note" }));
			continue;
		}
		box.append(element("p", printable(doctor.verdict) + "." + (doctor.time ? " Found at " + printable(doctor.time) + "." : "")), doctorElement(doctor));
	}
	$("verdict").hidden = !verdicts.size;
	$("verdict").append("swtrace doctor, where this was traced: " + Array.from(verdicts).join("; ") + ". ");
	if (counts)
		$("verdict").append(element("button", "Its findings: " + counts, { className: "link", type: "button", onclick: () => $("h-doctor").focus() }));
}

/* Each report has its own region, which the keyboard can scroll. */
function showReports(box, reports) {
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
