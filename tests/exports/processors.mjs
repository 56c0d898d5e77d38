/*
 * processors.mjs FOLDER TRACE JSON...: what trace_processor (in FOLDER) has on the tracks of processors
 * equals the cpus of the intervals in JSON. Says what differs and ends with 1.
 */
import fs from "node:fs";
import { TraceProcessor } from "./trace_processor.mjs";

const counters = `select c.ts, p.name, t.name, c.value from counter c join track t on t.id = c.track_id
	join track p on p.id = t.parent_id where p.name glob 'cpu [0-9]*'`;

function expectedOf(json) {
	const expected = [];
	for (const line of fs.readFileSync(json, "utf8").split("\n").filter((l) => l)) {
		/* Its digits do not fit a double. */
		const start = /"start_ns":(-?\d+)/.exec(line)[1];
		for (const { cpu, ...figures } of JSON.parse(line).cpus)
			for (const [name, value] of Object.entries(figures))
				if (value !== null)
					expected.push([start, "cpu " + cpu, name, value].join(" "));
	}
	return expected.sort();
}

const [folder, ...files] = process.argv.slice(2);
const tp = await TraceProcessor.make(folder);
let wrong = 0, values = 0;
for (let i = 0; i < files.length; i += 2) {
	await tp.load(files[i]);
	const expected = expectedOf(files[i + 1]);
	const found = (await tp.query(counters)).map((row) => row.join(" ")).sort();
	const at = expected.findIndex((text, k) => text !== found[k]);
	values += found.length;
	if (at < 0 && expected.length === found.length)
		continue;
	console.log(`${files[i]}: ${found.length} of ${expected.length}; ${found[at]} instead of ${expected[at]}`);
	wrong++;
}
console.log(wrong ? `FAILED: ${wrong} traces` : `ok: ${values} values`);
process.exit(wrong ? 1 : 0);
