"use strict";
/* Elements, and the blocks of data in the document. */

const $ = (id) => document.getElementById(id);

function element(tag, text, properties) {
	const made = Object.assign(document.createElement(tag), properties);
	if (text !== undefined)
		made.textContent = text;
	return made;
}

/* Replaces the children of a box. A button in it that had the focus passes it to the first new one with the same text, or else to the first one. */
function replaceFocused(box, ...nodes) {
	const old = box.contains(document.activeElement) && document.activeElement !== box ? document.activeElement : null;
	box.replaceChildren(...nodes);
	if (!old)
		return;
	const buttons = Array.from(box.querySelectorAll("button")), next = buttons.find((one) => one.textContent === old.textContent) || buttons[0];
	if (next)
		next.focus({ preventScroll: true });
}

/* The bytes of a block. Removes its element, to free the memory of its base64 text. */
function takeBlock(block) {
	const bytes = bytesOfBase64(block.textContent);
	block.remove();
	return new Blob([bytes]);
}

/* The first block of a kind, as JSON. */
async function readObject(kind) {
	return JSON.parse(new TextDecoder().decode(await inflate(takeBlock(document.querySelector("script." + kind)))));
}

/* All blocks of a kind: one list. */
async function readLists(kind) {
	const all = [];
	for (const block of document.querySelectorAll("script." + kind))
		for (const one of JSON.parse(new TextDecoder().decode(await inflate(takeBlock(block)))))
			all.push(one);
	return all;
}

/* An entry of a legend. colour: red, green, blue, or null; kind: a class of its mark. */
function legendItem(colour, text, kind) {
	const line = element("li"), mark = element("i", undefined, { className: kind || "" });
	if (colour)
		mark.style.background = "rgb(" + colour.join(",") + ")";
	line.append(mark, text);
	return line;
}
