// node page.mjs CHROMIUM PAGE.html [FILE.tiles]: how fast a page of --format html is, and how much memory it takes. One line for each
// figure: its name, value and unit.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Browser } from "../browser/devtools.mjs";
import { rendererMemory } from "./renderer.mjs";

const [program, html, tiles] = process.argv.slice(2);
const WARM = 100, FRAMES = 1000;
const tell = (name, value, unit) => console.log(name.padEnd(34) + value.padStart(10) + " " + unit);

// In the page, before its scripts: when it said what the trace is (its overview is drawn then), and when every query was ready.
const WATCH = `window.seen = {}; new MutationObserver(() => {
	const about = document.getElementById("about");
	if (!seen.overview && about && about.textContent.includes("Intervals:"))
		seen.overview = performance.now();
	if (!seen.ready && document.documentElement && document.documentElement.getAttribute("aria-busy") === "false")
		seen.ready = performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });`;

// Zooms in from the whole trace and out again, and pans: the time of each frame from the one before, and of drawing alone.
const MOVE = `(async () => {
	const all = page.until, frames = [], drawn = [], draw = page.draw;
	page.draw = function () { const begin = performance.now(); draw.call(this); drawn.push(performance.now() - begin); };
	const next = () => new Promise((done) => requestAnimationFrame(done));
	let last = await next();
	for (let i = 0; i < ${WARM + FRAMES}; i++) {
		const width = Math.max(20, all * 10 ** (-6 * (0.5 - 0.5 * Math.cos(i / 80)))), middle = all * (0.5 + 0.3 * Math.sin(i / 50));
		page.show(middle - width / 2, middle + width / 2);
		const now = await next();
		frames.push(now - last);
		last = now;
	}
	page.draw = draw;
	const rank = (list, share) => list.slice(${WARM}).sort((a, b) => a - b)[Math.ceil(share * ${FRAMES}) - 1];
	return { frame: [rank(frames, 0.5), rank(frames, 0.99)], drawn: [rank(drawn, 0.5), rank(drawn, 0.99)] };
})()`;

const profile = mkdtempSync(join(tmpdir(), "bench-page."));
const browser = new Browser(program, profile);
try {
	writeFileSync(join(profile, "empty.html"), "<!DOCTYPE html><title>empty</title>");
	await browser.open("file://" + join(profile, "empty.html"));
	await browser.until("document.title === 'empty'");
	const empty = rendererMemory(browser);
	await browser.open("about:blank");
	/* Seconds of the main thread's processor time: other load does not add to them. */
	await browser.send("Performance.enable", { timeDomain: "threadTicks" });
	const spent = async () => (await browser.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
	await browser.send("Page.addScriptToEvaluateOnNewDocument", { source: WATCH });
	await browser.send("Page.navigate", { url: "file://" + resolve(html) });
	if (tiles) {
		await browser.until("document.getElementById('picker')?.hidden === false");
		await browser.evaluate("seen.picked = performance.now()");
		await browser.pick("#tiles", resolve(tiles));
	}
	await browser.until("window.seen?.ready > 0");
	const seen = await browser.evaluate("seen"), reading = await spent() * 1e3;
	tell("overview drawn after", seen.overview.toFixed(0), "ms");
	tell("every query ready after", (seen.ready - (seen.picked ?? 0)).toFixed(0), "ms" + (tiles ? " from the file's choice" : ""));
	tell("main thread's processor time", reading.toFixed(0), "ms until then");
	await browser.settled();
	const before = await spent();
	const { frame, drawn } = await browser.evaluate(MOVE);
	const thread = (await spent() - before) * 1e3 / (WARM + FRAMES);
	tell("time of a frame, median", frame[0].toFixed(1), "ms");
	tell("time of a frame, p99", frame[1].toFixed(1), "ms");
	tell("main thread's processor time", thread.toFixed(1), "ms a frame");
	tell("its drawing, median", drawn[0].toFixed(1), "ms");
	tell("its drawing, p99", drawn[1].toFixed(1), "ms");
	await browser.settled();
	await browser.send("HeapProfiler.collectGarbage");
	const after = rendererMemory(browser), { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await browser.send("Runtime.getHeapUsage");
	tell("renderer, settled", after.now.toFixed(0), "MB");
	tell("renderer, at its peak", after.peak.toFixed(0), "MB");
	tell("renderer of an empty page", empty.now.toFixed(0), "MB");
	tell("JavaScript heap and buffers", ((usedSize + embedderHeapUsedSize + backingStorageSize) / 1e6).toFixed(0), "MB");
	tell("load of the machine", loadavg()[0].toFixed(2), "");
} catch (error) {
	console.log(`FAILED: ${error.stack}`);
	process.exitCode = 1;
}
await browser.close();
rmSync(profile, { recursive: true, force: true });
