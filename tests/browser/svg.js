"use strict";
/*
 * In a page of its own: loads two flame graphs of the same shape, harmless.svg and hostile.svg,
 * one of harmless and one of hostile names, and says in the page what was wrong, or how much
 * was right. The page defines harmless, hostile (base64 of both) and names (what each of the
 * hostile names must be shown as).
 */
let checks = 0;
const wrong = [];
window.pwned = 0;

function expect(holds, what) {
	checks++;
	if (!holds)
		wrong.push(what);
}

function bytesOf(base64) {
	return Uint8Array.from(atob(base64), function (c) { return c.charCodeAt(0); });
}

/* Elements, and attributes by element, counted. Text, style and place differ; these must not. */
function shapeOf(root) {
	const counts = {};
	for (const element of root.querySelectorAll("*")) {
		const names = Array.from(element.attributes, function (a) { return a.name; }).sort();
		const key = element.localName + " " + names.join(" ");
		counts[key] = (counts[key] || 0) + 1;
	}
	return JSON.stringify(Object.entries(counts).sort());
}

function frameOf(doc, name) {
	return Array.from(doc.querySelectorAll(".frame")).find(function (frame) {
		return frame.getAttribute("aria-label").startsWith(name + ", ");
	});
}

function fire(doc, target, type, Kind, more) {
	target.dispatchEvent(new doc.defaultView[Kind](type, Object.assign({ bubbles: true }, more)));
}

/* The picture still does what it is for: tooltip, zoom, search, reset. */
function useIt(doc) {
	const tip = doc.getElementById("tip"), matched = doc.getElementById("matched");
	for (const name of names) {
		const frame = frameOf(doc, name);
		expect(frame, "no frame is called " + name);
		if (!frame)
			continue;
		fire(doc, frame, "mousemove", "MouseEvent", { clientX: 9, clientY: 9 });
		const told = tip.querySelector("text");
		expect(told && told.textContent === name, "the tooltip of " + name);
		fire(doc, frame, "click", "MouseEvent");
		expect(frame.getAttribute("width") === "100%", "a zoom to " + name);
		expect(!doc.getElementById("reset").disabled, "a way back from " + name);
		fire(doc, doc, "keydown", "KeyboardEvent", { key: "Escape" });
		expect(doc.getElementById("reset").disabled, "the way back from " + name);
	}
	/* Wherever the pointer is: the tooltip leaves the frames above it free. */
	for (const frame of doc.querySelectorAll(".frame")) {
		const box = frame.querySelector("rect").getBoundingClientRect();
		const x = box.left + box.width / 2, y = box.top + box.height / 2;
		fire(doc, frame, "mousemove", "MouseEvent", { clientX: x, clientY: y });
		const covered = tip.getBoundingClientRect();
		const plot = doc.getElementById("plot").getBoundingClientRect();
		const left = Math.max(box.left, x - 150), right = Math.min(box.right, x + 150);
		expect(!(covered.left < right && left < covered.right && covered.top < box.top &&
			covered.bottom > plot.top + 8),
			"the tooltip covers what is above " + frame.getAttribute("aria-label"));
	}
	const search = doc.getElementById("search");
	search.value = names[0];
	fire(doc, search, "input", "Event");
	expect(/^1 frame, \d+\.\d\d% matched$/.test(matched.textContent), "a search");
	fire(doc, search, "keydown", "KeyboardEvent", { key: "Enter" });
	expect(matched.textContent.startsWith("1 of 1 frame, "), "a walk to what was found");
	expect(tip.querySelector("text").textContent === names[0], "the tooltip of what was found");
	search.value = "\\<(unclosed";
	fire(doc, search, "input", "Event");
	expect(matched.textContent === "0 frames, 0.00% matched", "a search for no regular expression");
}

function judge(good, bad) {
	const text = new TextDecoder("utf-8", { fatal: true });
	const documents = [harmless, hostile].map(function (base64) {
		return text.decode(bytesOf(base64));
	});
	for (const type of ["image/svg+xml", "text/html"]) {
		const shapes = documents.map(function (source) {
			return shapeOf(new DOMParser().parseFromString(source, type));
		});
		expect(shapes[0] === shapes[1], "elements or attributes injected, as " + type + ": " +
			shapes[0] + " became " + shapes[1]);
		expect(shapes[0].includes("treeitem") || shapes[0].includes("role"), "nothing parsed");
	}
	expect(shapeOf(good) === shapeOf(bad), "elements or attributes injected");
	useIt(bad);
	expect(shapeOf(good) !== "[]" && !bad.querySelector("parsererror"), "not well-formed");
	expect(good.documentElement.querySelectorAll("script").length === 1, "one script");
	/* Handlers that were injected would have run by now. */
	expect(!window.pwned && !bad.defaultView.pwned, "a name ran as a script");
	expect(document.title === "untouched", "a name reached the page");
}

function say(text) {
	const verdict = document.createElement("pre");
	verdict.textContent = "VERDICT " + text;
	document.body.replaceChildren(verdict);
}

/* While the page is still being read: its own load event then waits for both. */
const [good, bad] = ["harmless.svg", "hostile.svg"].map(function (name) {
	const frame = document.createElement("iframe");
	frame.width = 900;
	frame.height = 500;
	frame.src = name;
	document.body.append(frame);
	return frame;
});

window.onload = function () {
	try {
		judge(good.contentDocument, bad.contentDocument);
		say(wrong.length ? "WRONG: " + wrong.join("; ") : "ok " + checks);
	} catch (error) {
		say("WRONG: " + error);
	}
};
