// node viewers.mjs perfetto TRACE-PROCESSOR FILE | json FILE | speedscope CHROMIUM RELEASE FILE: how long another viewer
// takes for an export, and how much memory it has then. One line for each figure: its name, value and unit.
// perfetto: Perfetto's trace_processor, which its UI asks, before anything is drawn. json: the file as JavaScript's
// objects, with which the viewer of Chrome's JSON begins. speedscope: all of it, in a browser.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Browser } from "../browser/devtools.mjs";
import { TraceProcessor } from "../exports/trace_processor.mjs";
import { rendererMemory } from "./renderer.mjs";

const [kind, ...rest] = process.argv.slice(2);
const tell = (name, value, unit) => console.log(name.padEnd(34) + value.padStart(10) + " " + unit);
const resident = () => {
	globalThis.gc?.();
	return process.memoryUsage.rss() / 1e6;
};
let kept;

async function readPerfetto([folder, file]) {
	const processor = await TraceProcessor.make(folder), before = resident(), began = performance.now();
	await processor.load(file);
	const [[slices]] = await processor.query("select count(*) from slice");
	tell("its reader takes", (performance.now() - began).toFixed(0), "ms");
	kept = processor;
	return [before, Number(slices)];
}

async function readJson([file]) {
	const before = resident(), began = performance.now();
	kept = JSON.parse(readFileSync(file, "utf8"));
	tell("its reader takes, at least", (performance.now() - began).toFixed(0), "ms");
	return [before, NaN];
}

// Its timeline has a button that the page without a file lacks.
async function showInSpeedscope([program, release, file]) {
	const profile = mkdtempSync(join(tmpdir(), "bench-viewers."));
	const browser = new Browser(program, profile, ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]);
	browser.allowed = /^file:/;
	try {
		await browser.open("file://" + join(resolve(release), "index.html"));
		await browser.until("document.querySelector('input[type=file]') !== null");
		const before = rendererMemory(browser).now, began = performance.now();
		await browser.pick("input[type=file]", resolve(file));
		await browser.until("document.body.innerText.includes('Sandwich')");
		tell("its timeline is drawn after", (performance.now() - began).toFixed(0), "ms");
		await new Promise((done) => setTimeout(done, 5000));
		const { now, peak } = rendererMemory(browser);
		tell("renderer, with its empty page's " + before.toFixed(0), now.toFixed(0), "MB, at its peak " + peak.toFixed(0));
	} finally {
		browser.process.kill();
		await browser.ended;
		rmSync(profile, { recursive: true, force: true });
	}
}

if (kind === "speedscope") {
	try {
		await showInSpeedscope(rest);
		process.exit(0);
	} catch (error) {
		tell("its timeline", "n/a", error.message.split("\n")[0]);
		process.exit(1);
	}
}
try {
	const [before, slices] = await (kind === "perfetto" ? readPerfetto : readJson)(rest);
	tell(kind === "perfetto" ? "memory of its reader" : "memory of its reader, at least", (resident() - before).toFixed(0), "MB");
	if (slices)
		tell("slices in it", String(slices), "");
} catch (error) {
	tell("its reader", "n/a", error.message.split("\n")[0]);
}
process.exit(kept ? 0 : 1);
