/* Reads a file of RFC 4180: an object for each row. */
import fs from "node:fs";

export function readCsv(file) {
	const text = fs.readFileSync(file, "utf8"), rows = [];
	let row = [], cell = "", quoted = false;
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (quoted && c === '"' && text[i + 1] === '"') {
			cell += text[++i];
		} else if (c === '"') {
			quoted = !quoted;
		} else if (!quoted && (c === "," || c === "\r" || c === "\n")) {
			row.push(cell);
			cell = "";
			if (c === ",")
				continue;
			rows.push(row);
			row = [];
			if (c === "\r")
				i++;
		} else {
			cell += c;
		}
	}
	const names = rows.shift();
	return rows.map((r) => Object.fromEntries(names.map((name, i) => [name, r[i]])));
}
