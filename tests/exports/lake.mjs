/*
 * lake.mjs MODULES LAKE SQL SUMMARY...: what samples/fleet/lake.sql says in DuckDB (of MODULES/node_modules)
 * of the partitions in LAKE. Each SUMMARY is VERSION=FILE, the summary's CSV of all traces of the version.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { readCsv } from "./csv.mjs";

const [modules, lake, sql, ...summaries] = process.argv.slice(2);
const require = createRequire(path.join(modules, "/"));
const { DuckDBInstance } = require("@duckdb/node-api");
const db = await (await DuckDBInstance.create(":memory:")).connect();
let wrong = 0, groups = 0;

function say(what) {
	console.log(what);
	wrong++;
}

async function query(text) {
	return (await db.runAndReadAll(text)).getRowObjectsJson();
}

await db.run(`set variable lake = '${lake}'; set variable before = '1.0'; set variable after = '1.1'`);
await db.run(fs.readFileSync(sql, "utf8"));

/* The sums and percentiles of merged histograms equal those of the merged traces. */
for (const [version, file] of summaries.map((s) => s.split("="))) {
	for (const row of readCsv(file)) {
		const where = `version = '${version}' and minor = ${row.minor} and major = ${row.major || 192} and label is not distinct from ` +
			(row.label ? `'${row.label}'` : "null");
		const [sums] = await query(`select count::varchar as count, total_ns::varchar as total,
			min_ns::varchar as min, max_ns::varchar as max from versions where ${where}`);
		const ranks = await query(`select percent, ns::varchar as ns from percentiles where ${where} order by percent`);
		const is = [sums?.count, sums?.total, sums?.max, ...ranks.map((r) => r.ns)];
		const expected = [row.count, row.total_ns, row.max_ns, row.p50_ns, row.p90_ns, row.p99_ns];
		groups++;
		if (String(is) !== String(expected))
			say(`${version}, ${row.label} ${row.major}:${row.minor}: ${is} instead of ${expected}`);
	}
}

/* Partial histograms, kept and read again, merge to the same. */
const merged = "select version, label, minor, major, percent, ns from percentiles order by all";
const before = JSON.stringify(await query(merged));
await db.run(`copy (from summaries) to '${lake}.kept' (format parquet, partition_by (host, date, version));
	create or replace view summaries as from read_parquet('${lake}.kept/**/*.parquet',
	hive_partitioning = true, hive_types = {'host': varchar, 'date': date, 'version': varchar})`);
if (JSON.stringify(await query(merged)) !== before)
	say("kept summaries merge to something else");

console.log(JSON.stringify(await query(`select host, date::varchar as date, version, count(*)::integer as intervals
	from intervals group by all order by all`)));
for (const row of await query("from regressions"))
	console.log(JSON.stringify([row.label, row.minor, row.major, Number(row.hosts_before), Number(row.hosts_after),
		Math.round(row.change_pct * 10) / 10, Math.abs(row.t) > 5 ? "change" : "noise"]));
console.log(wrong ? `FAILED: ${wrong} differences` : `ok: ${groups} groups`);
process.exit(wrong ? 1 : 0);
