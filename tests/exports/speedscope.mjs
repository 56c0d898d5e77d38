/*
 * speedscope.mjs AJV SPEEDSCOPE FILE CSV...: each FILE is valid by speedscope's schema, keeps the rules that
 * its importer throws for (times that go back, an end that is not the innermost frame's, an open frame at
 * the end), and has the intervals of CSV: names, times, threads. The importer itself reads each frame's own
 * time. AJV and SPEEDSCOPE are the folders of npm's packages.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";
import { readCsv } from "./csv.mjs";

const [ajv, speedscope, ...files] = process.argv.slice(2);
const Ajv = createRequire(import.meta.url)(path.join(ajv, "dist/ajv.bundle.js"));
const release = path.join(speedscope, "dist/release");
const schema = fs.readFileSync(path.join(release, "file-format-schema.json"), "utf8");
const validate = new Ajv().compile(JSON.parse(schema));
const importProfiles = findImporter();
let wrong = 0, intervals = 0;

function say(file, what) {
	console.log(`${file}: ${what}`);
	wrong++;
}

/*
 * The importer is in the bundle of the page, behind a module that is begun when needed: one place is changed to
 * hand it out. Then the page itself begins, and fails for want of a browser.
 */
function findImporter() {
	const bundle = fs.readdirSync(release).find((name) => /^speedscope-\w+\.js$/.test(name));
	const code = fs.readFileSync(path.join(release, bundle), "utf8");
	const module = 'var Zo=re(()=>{"use strict";ke();Ke();S_()});', importer = "function Wo(t)";
	if (!code.includes(module) || !code.includes(importer))
		throw new Error("another version of speedscope: it lacks " + module);
	globalThis.window = globalThis.self = globalThis;
	try {
		vm.runInThisContext(code.replace(module,
			module + "globalThis.importProfiles=(t)=>{Zo();return Wo(t)};"));
	} catch (error) {
		if (!globalThis.importProfiles)
			throw error;
	}
	return globalThis.importProfiles;
}

function addTo(sums, name, value) {
	sums.set(name, (sums.get(name) ?? 0) + value);
}

/* The own time of each name, by the events. */
function ownTimesOf(profile, frames) {
	const open = [], sums = new Map();
	let last = profile.startValue;
	for (const event of profile.events) {
		if (open.length)
			addTo(sums, frames[open.at(-1)].name, event.at - last);
		last = event.at;
		if (event.type === "O") {
			open.push(event.frame);
			addTo(sums, frames[event.frame].name, 0);
		} else {
			open.pop();
		}
	}
	return sums;
}

/* What the importer has of each profile: its name, length, and the names' own times. */
function compareImported(file, say) {
	const imported = importProfiles(structuredClone(file)).profiles;
	if (imported.length !== file.profiles.length)
		say(`${imported.length} of ${file.profiles.length} profiles are imported`);
	for (const [i, profile] of imported.entries()) {
		const expected = file.profiles[i], sums = new Map();
		profile.forEachFrame((frame) => addTo(sums, frame.name, frame.getSelfWeight()));
		const found = [profile.getName(), profile.getTotalWeight(), ...[...sums].sort()];
		const is = JSON.stringify(found), be = JSON.stringify([expected.name,
			expected.endValue - expected.startValue,
			...[...ownTimesOf(expected, file.shared.frames)].sort()]);
		if (is !== be)
			say(`imported: ${is} instead of ${be}`);
	}
}

/* The slices of an evented profile, as texts. */
function slicesOf(profile, frames, base, say) {
	const open = [], slices = [];
	let last = profile.startValue;
	for (const event of profile.events) {
		if (event.at < last || event.at > profile.endValue)
			say(`${profile.name}: an event at ${event.at}`);
		last = event.at;
		if (event.type === "O") {
			open.push(event);
			continue;
		}
		const begin = open.pop();
		if (begin?.frame !== event.frame)
			say(`${profile.name}: the end of another frame at ${event.at}`);
		const thread = profile.name.replace(/, overlapping \d+$/, "");
		slices.push([base + BigInt(begin.at), base + BigInt(event.at), frames[event.frame].name,
			thread].join(" "));
	}
	if (open.length)
		say(`${profile.name}: ${open.length} frames are open`);
	return slices;
}

function threadOf(row) {
	return row.task ? `${row.task} (tid ${row.tid})` : `tid ${row.tid}`;
}

function expectedOf(row) {
	const start = BigInt(row.start_ns), end = BigInt(row.end_ns);
	const minor = "minor 0x" + Number(row.minor).toString(16).toUpperCase().padStart(2, "0");
	return [start, end >= start ? end : start + BigInt(row.elapsed_cycles), row.label || minor,
		threadOf(row)].join(" ");
}

/* Labels: CSV has "" and none in the same way, and replaces control characters. */
function plain(text) {
	return text.replace(/ minor 0x[0-9A-F]{2} /, "  ").replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g,
		"\ufffd");
}

for (let i = 0; i < files.length; i += 2) {
	const name = files[i], profile = JSON.parse(fs.readFileSync(name, "utf8"));
	if (!validate(profile))
		say(name, JSON.stringify(validate.errors.slice(0, 3)));
	if (profile.profiles.length)
		compareImported(profile, (what) => say(name, what));
	const base = BigInt(/-?\d+/.exec(profile.name)[0]);
	const found = profile.profiles.flatMap((p) =>
		slicesOf(p, profile.shared.frames, base, (what) => say(name, what))).map(plain).sort();
	const expected = readCsv(files[i + 1]).map(expectedOf).map(plain).sort();
	intervals += expected.length;
	for (let k = 0; k < Math.max(found.length, expected.length); k++)
		if (found[k] !== expected[k]) {
			say(name, `${found.length} of ${expected.length}: ${found[k]} instead of ${expected[k]}`);
			break;
		}
	if (new Set(profile.profiles.map((p) => p.name)).size < profile.profiles.length &&
		!/^tasks|reuse/.test(name))
		say(name, "two profiles of one name");
}
console.log(wrong ? `FAILED: ${wrong} differences` : `ok: ${files.length / 2} traces, ${intervals} intervals`);
process.exit(wrong ? 1 : 0);
