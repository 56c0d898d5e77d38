"use strict";
/* Reads names, places and widths from the document; this script never contains a name. */
(function () {
	const picture = document.documentElement;
	const plot = document.getElementById("plot");
	const tip = document.getElementById("tip");
	const elements = Array.from(plot.querySelectorAll(".frame"));
	const search = document.getElementById("search");
	const reset = document.getElementById("reset");
	const matched = document.getElementById("matched");
	let focus = 0, current = 0, query = "", matches = [], share = "";

	/* Frames are in preorder: a parent is the last frame before that is one level shallower. */
	const path = [];
	const frames = elements.map(function (element, index) {
		const title = element.querySelector("title");
		const lines = title.textContent.split("\n");
		const depth = Number(element.dataset.d);
		path.length = depth;
		const parent = depth ? path[depth - 1] : -1;
		path.push(index);
		element.setAttribute("aria-label", lines.join(", "));
		title.remove(); /* the tooltip below replaces it */
		return {
			element: element, text: element.querySelector("text"),
			name: lines[0], lines: lines,
			x: Number(element.dataset.x), w: Number(element.dataset.w),
			depth: depth, parent: parent, end: index + 1, shown: true, match: false
		};
	});
	for (let i = frames.length - 1; i > 0; i--) {
		const parent = frames[frames[i].parent];
		parent.end = Math.max(parent.end, frames[i].end);
	}

	function letterWidth() {
		const probe = document.createElementNS(picture.namespaceURI, "text");
		probe.textContent = "0000000000";
		frames[0].element.appendChild(probe);
		const width = probe.getComputedTextLength() / 10;
		probe.remove();
		return width || 7.3;
	}

	/* East Asian wide characters are as wide as two letters (as in formats/base/utf8.c). */
	const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

	function cut(name, room) {
		let taken = 0, kept = "";
		for (const letter of name) {
			taken += wide.test(letter) ? 2 : 1;
			if (taken > room)
				return kept + "\u2026";
			if (taken < room)
				kept += letter;
		}
		return name;
	}

	function fit() {
		const width = plot.getBoundingClientRect().width, letter = letterWidth();
		for (const frame of frames) {
			if (!frame.shown)
				continue;
			const room = Math.floor((frame.width * width - 8) / letter);
			const text = room < 2 ? "" : cut(frame.name, room);
			if (frame.text.textContent !== text)
				frame.text.textContent = text;
		}
	}

	function isAbove(index, of) {
		for (let i = frames[of].parent; i >= 0; i = frames[i].parent)
			if (i === index)
				return true;
		return false;
	}

	function place() {
		const centre = frames[focus];
		frames.forEach(function (frame, index) {
			const above = isAbove(index, focus);
			frame.shown = above || (index >= focus && index < centre.end);
			frame.element.classList.toggle("gone", !frame.shown);
			frame.element.classList.toggle("above", above);
			if (!frame.shown)
				return;
			frame.width = above ? 1 : frame.w / centre.w;
			const x = above ? 0 : (frame.x - centre.x) / centre.w;
			frame.element.setAttribute("x", 100 * x + "%");
			frame.element.setAttribute("width", 100 * frame.width + "%");
		});
		fit();
	}

	function showMatches() {
		let pattern = null, sum = 0, covered = 0;
		matches = [];
		if (query) {
			try {
				pattern = new RegExp(query, "i");
			} catch (error) {
				const plain = query.toLowerCase();
				pattern = { test: function (name) { return name.toLowerCase().includes(plain); } };
			}
		}
		plot.classList.toggle("searching", pattern !== null);
		frames.forEach(function (frame, index) {
			frame.match = pattern !== null && index > 0 && pattern.test(frame.name);
			frame.element.classList.toggle("match", frame.match);
			/* Frames on top of a matching one are already counted with it. */
			if (!frame.match || index < focus || index >= frames[focus].end)
				return;
			matches.push(index);
			if (index >= covered) {
				sum += frame.w;
				covered = frame.end;
			}
		});
		if (focus && frames[focus].match)
			sum = frames[focus].w;
		share = (100 * sum / frames[focus].w).toFixed(2) + "% matched";
		tellMatches(-1);
	}

	function tellMatches(at) {
		const count = (at >= 0 ? at + 1 + " of " : "") + matches.length;
		matched.textContent = query ? count + (matches.length === 1 ? " frame, " : " frames, ") + share : "";
	}

	/* Shows the next match, or the one before; the search box keeps the focus. */
	function walk(step) {
		if (!matches.length)
			return;
		let at = matches.indexOf(current);
		if (at < 0)
			at = step > 0 ? -1 : 0;
		at = (at + step + matches.length) % matches.length;
		select(matches[at], false);
		const box = elements[current].getBoundingClientRect();
		showTip(current, box.left + Math.min(box.width, 40), box.top);
		tellMatches(at);
	}

	function remember() {
		const parts = [];
		if (focus)
			parts.push("zoom=" + focus);
		if (query)
			parts.push("search=" + encodeURIComponent(query));
		try {
			history.replaceState(null, "", parts.length ? "#" + parts.join("&") : location.pathname);
		} catch (error) { /* a document without an address has nothing to remember */ }
	}

	function update() {
		reset.disabled = !focus && !query;
		place();
		showMatches();
		remember();
	}

	function zoom(index) {
		focus = index;
		if (!frames[current].shown || !(current >= index && current < frames[index].end))
			select(index, false);
		update();
	}

	function clear() {
		query = search.value = "";
		zoom(0);
		hideTip();
	}

	function select(index, take) {
		elements[current].setAttribute("tabindex", "-1");
		current = index;
		elements[index].setAttribute("tabindex", "0");
		if (take) {
			elements[index].focus();
			const box = elements[index].querySelector("rect").getBoundingClientRect();
			showTip(index, box.left + Math.min(box.width, 40), box.top);
		}
	}

	function showTip(index, x, y) {
		const lines = frames[index].lines;
		while (tip.firstChild)
			tip.firstChild.remove();
		const box = document.createElementNS(picture.namespaceURI, "rect");
		box.setAttribute("rx", 5);
		tip.appendChild(box);
		let widest = 0;
		tip.classList.remove("gone");
		lines.forEach(function (line, i) {
			const text = document.createElementNS(picture.namespaceURI, "text");
			text.setAttribute("x", 10);
			text.setAttribute("y", 19 + 17 * i);
			text.textContent = line.length > 110 ? line.slice(0, 109) + "\u2026" : line;
			tip.appendChild(text);
			widest = Math.max(widest, text.getComputedTextLength());
		});
		const width = widest + 20, height = 17 * lines.length + 11;
		box.setAttribute("width", width);
		box.setAttribute("height", height);
		placeTip(x, y, width, height);
	}

	/* Never over the frames above the pointer: those are its children, where the pointer goes next. */
	function placeTip(x, y, width, height) {
		const page = picture.getBoundingClientRect();
		const right = Math.min(page.right, window.innerWidth) - 4;
		const bottom = Math.min(page.bottom, window.innerHeight) - 4;
		const header = plot.getBoundingClientRect().top;
		let left = x + 14, top = y + 16;
		if (left + width > right)
			left = Math.max(page.left + 4, x - width - 10);
		if (top + height > bottom) {
			if (header - height >= Math.max(page.top - 24, 0)) {
				top = Math.max(page.top + 2, header - height - 2); /* over the legend */
			} else {
				/* In the other half, at the bottom. */
				top = bottom - height;
				left = x < (page.left + right) / 2 ? right - width : page.left + 4;
			}
		}
		tip.setAttribute("transform",
			"translate(" + (left - page.left) + "," + (top - page.top) + ")");
	}

	function hideTip() {
		tip.classList.add("gone");
	}

	function indexOf(node) {
		const element = node && node.closest ? node.closest(".frame") : null;
		return element ? elements.indexOf(element) : -1;
	}

	/* The neighbour in a direction: up and down the stack, left and right in a row. */
	function neighbour(key) {
		const here = frames[current];
		if (key === "ArrowDown")
			return here.parent;
		if (key === "ArrowUp") {
			let best = -1;
			for (let i = current + 1; i < here.end; i++)
				if (frames[i].parent === current && (best < 0 || frames[i].w > frames[best].w))
					best = i;
			return best;
		}
		const step = key === "ArrowLeft" ? -1 : 1;
		for (let i = current + step; i >= 0 && i < frames.length; i += step)
			if (frames[i].depth === here.depth && frames[i].shown)
				return i;
		return -1;
	}

	plot.addEventListener("click", function (event) {
		const index = indexOf(event.target);
		if (index >= 0) {
			select(index, false);
			zoom(index);
		}
	});
	plot.addEventListener("mousemove", function (event) {
		const index = indexOf(event.target);
		if (index >= 0)
			showTip(index, event.clientX, event.clientY);
		else
			hideTip();
	});
	plot.addEventListener("mouseleave", hideTip);
	plot.addEventListener("focusout", hideTip);
	plot.addEventListener("keydown", function (event) {
		if (event.key.startsWith("Arrow")) {
			const next = neighbour(event.key);
			if (next >= 0)
				select(next, true);
		} else if (event.key === "Enter" || event.key === " ") {
			zoom(current);
			select(current, true);
		} else {
			return;
		}
		event.preventDefault();
	});
	document.addEventListener("keydown", function (event) {
		if (event.key === "Escape") {
			clear();
		} else if ((event.key === "/" && event.target !== search) ||
			(event.key === "f" && (event.ctrlKey || event.metaKey))) {
			search.focus();
			search.select();
			event.preventDefault();
		}
	});
	search.addEventListener("keydown", function (event) {
		if (event.key === "Enter") {
			walk(event.shiftKey ? -1 : 1);
			event.preventDefault();
		}
	});
	search.addEventListener("input", function () {
		query = search.value;
		update();
	});
	reset.addEventListener("click", clear);
	window.addEventListener("resize", fit);

	function fromAddress() {
		const state = new URLSearchParams(location.hash.slice(1));
		const index = Number(state.get("zoom"));
		focus = Number.isInteger(index) && index > 0 && index < frames.length ? index : 0;
		query = search.value = state.get("search") || "";
		select(focus, false);
		update();
	}
	window.addEventListener("hashchange", fromAddress);
	document.getElementById("tools").classList.remove("gone");
	fromAddress();
})();
