// node viewers.mjs perfetto TRACE-PROCESSOR FILE | json FILE: how long another viewer's reader takes for an export,
// and how much memory it has then, before anything is drawn. One line for each figure: its name, value and unit.
// perfetto: Perfetto's trace_processor, which its UI asks. json: the file as JavaScript's objects, with which the
// viewers of Chrome's and speedscope's JSON begin.
import { readFileSync } from "node:fs";
import { TraceProcessor } from "../exports/trace_processor.mjs";

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

try {
	const [before, slices] = await (kind === "perfetto" ? readPerfetto : readJson)(rest);
	tell(kind === "perfetto" ? "memory of its reader" : "memory of its reader, at least", (resident() - before).toFixed(0), "MB");
	if (slices)
		tell("slices in it", String(slices), "");
} catch (error) {
	tell("its reader", "n/a", error.message.split("\n")[0]);
}
process.exit(kept ? 0 : 1);
