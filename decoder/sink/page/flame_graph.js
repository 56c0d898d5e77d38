"use strict";
/* A flame graph as an icicle of buttons: children beneath their parent, the widest first. */

const FLAME_LEAST = 0.001, FLAME_ROW = 21, FLAME_DEEPEST = 200;

/* What a graph of that time does not show. */
function undrawnText({ count, time }, all) {
	return count ? exactText(count) + (count === 1 ? " frame is" : " frames are") + " not drawn: narrower than " + 100 * FLAME_LEAST + " % of the graph, or deeper than " + FLAME_DEEPEST +
		" rows. " + (100 * time / (all || 1)).toFixed(2) + " % of its time is theirs: click a frame to see what is nested in it." : "";
}

class FlameGraph {
	/*
	 * box holds the frames; `told` describes the frame under the pointer, `undrawn` those that are left out. look:
	 * nameOf(frame, index), tellOf(frame, index, share of all) and colourOf(frame, index).
	 */
	constructor(box, told, undrawn, look) {
		Object.assign(this, { box, told, undrawn, look });
	}

	/* frames: each with parent and time, a parent before its children; the first is all. */
	fill(frames, root = 0) {
		const children = frames.map(() => []), buttons = [], leftOut = { count: 0, time: 0 };
		const sizes = frames.map(() => 1); /* with the frames nested in it */
		let deepest = 0;
		for (let i = 1; i < frames.length; i++)
			children[frames[i].parent].push(i);
		for (let i = frames.length - 1; i > 0; i--)
			sizes[frames[i].parent] += sizes[i];
		const place = (index, left, width, depth) => {
			const button = this.button(frames, index, left, width, depth);
			button.onclick = () => this.fill(frames, index === root ? 0 : index);
			buttons.push(button);
			deepest = Math.max(deepest, depth);
			const below = children[index].sort((a, b) => frames[b].time - frames[a].time || frames[a].name - frames[b].name || a - b);
			/* Overlapping intervals may exceed the interval that contains them. */
			const all = Math.max(frames[index].time, below.reduce((sum, child) => sum + frames[child].time, 0)) || 1;
			for (const child of below) {
				const wide = width * frames[child].time / all;
				if (wide >= FLAME_LEAST && depth < FLAME_DEEPEST) {
					place(child, left, wide, depth + 1);
				} else {
					leftOut.count += sizes[child];
					leftOut.time += frames[child].time;
				}
				left += wide;
			}
		};
		if (frames.length > 1)
			place(root, 0, 1, 0);
		this.box.style.height = (deepest + 1) * FLAME_ROW + "px";
		replaceFocused(this.box, ...buttons);
		if (this.isDim)
			this.dim(this.isDim);
		this.told.textContent = frames.length > 1 ? "" : "Nothing is in this span.";
		this.undrawn.textContent = undrawnText(leftOut, frames[root].time);
	}

	button(frames, index, left, width, depth) {
		const one = frames[index], colour = this.look.colourOf(one, index), text = this.look.tellOf(one, index, one.time / (frames[0].time || 1));
		const button = element("button", this.look.nameOf(one, index), { type: "button", title: text });
		button.setAttribute("aria-label", text);
		Object.assign(button.style, { left: 100 * left + "%", width: 100 * width + "%", top: depth * FLAME_ROW + "px",
			background: "rgb(" + colour.join(",") + ")", color: isDark(colour) ? "#fff" : "#000" });
		button.onmouseenter = button.onfocus = () => this.told.textContent = text;
		button.dataset.name = one.name;
		return button;
	}

	/* isDim: returns by a frame's name whether it is dimmed. */
	dim(isDim) {
		this.isDim = isDim;
		for (const button of this.box.children)
			button.classList.toggle("dim", isDim(button.dataset.name));
	}
}
