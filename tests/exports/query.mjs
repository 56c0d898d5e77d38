/* query.mjs FOLDER TRACE SQL...: what trace_processor (in FOLDER) answers, a line of JSON a row. */
import { TraceProcessor } from "./trace_processor.mjs";

const [folder, trace, ...queries] = process.argv.slice(2);
const tp = await TraceProcessor.make(folder);
await tp.load(trace);
for (const sql of queries)
	for (const row of await tp.query(sql))
		console.log(JSON.stringify(row, (_, v) => typeof v === "bigint" ? String(v) : v));
process.exit(0);
