/*
 * parquet.mjs MODULES WASM NAME...: what DuckDB (of MODULES/node_modules) reads of NAME.parquet equals
 * the intervals of NAME.csv and, by SQL, the sums of NAME.summary.csv; parquet-wasm (the folder WASM) reads
 * as many rows. The hooks of NAME.hooks.parquet equal NAME.hooks.csv. Says what differs and ends with 1.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { readCsv } from "./csv.mjs";

const [modules, wasm, ...names] = process.argv.slice(2);
const require = createRequire(path.join(modules, "/"));
const { DuckDBInstance } = require("@duckdb/node-api");
const { readParquet } = require(path.join(wasm, "node/parquet_wasm.js"));
const db = await (await DuckDBInstance.create(":memory:")).connect();
let wrong = 0, intervals = 0, hooks = 0;

function say(name, what) {
	console.log(`${name}: ${what}`);
	wrong++;
}

async function query(sql) {
	const reader = await db.runAndReadAll(sql);
	return { columns: reader.columnNames(), types: reader.columnTypes().map(String),
		rows: reader.getRowsJson() };
}

/* A cell of CSV, which has up to four decimals and no null, and a value of a type. */
function isEqual(text, value, type) {
	if (value === null || value === "")
		return text === "";
	if (type !== "DOUBLE")
		/* CSV has no numbers that are not finite, in a column of texts either. */
		return text === String(value) || (text === "" && /^(NaN|-?inf)$/.test(value));
	const real = Number(value);
	if (text === "")
		return !isFinite(real);
	return Math.abs(Number(text) - real) <= Math.max(0.500001e-4, Math.abs(real) * 1e-15);
}

/* Of very many rows, those around the row groups' ends and every 16th. compareSums and compareIds see all. */
const GROUP_ROWS = 122880, MANY_ROWS = 20000;

async function compareRows(name, all) {
	const isSampled = all.length > MANY_ROWS;
	const rows = isSampled ? all.filter((_, i) => i % 16 === 0 || (i + 100) % GROUP_ROWS < 200) : all;
	const found = await query(`select * from '${name}.parquet'
		${isSampled ? `where number % 16 = 0 or (number + 100) % ${GROUP_ROWS} < 200` : ""} order by number`);
	if (found.rows.length !== rows.length) {
		say(name, `${found.rows.length} of ${rows.length} rows`);
		return;
	}
	for (const column of Object.keys(rows[0] ?? {})) {
		/* To DuckDB, names that differ in case only are one: it gives the second one an end. */
		const at = found.columns.findIndex((c) => c === column) >= 0 ? found.columns.indexOf(column)
			: found.columns.findIndex((c) => c.startsWith(column + "_"));
		/* Metrics are derived from others. */
		if (at < 0 && rows.some((r) => r[column]))
			say(name, `no column ${column}`);
		for (let i = 0; at >= 0 && i < rows.length; i++)
			if (!isEqual(rows[i][column], found.rows[i][at], found.types[at])) {
				say(name, `row ${i}, ${column}: ${found.rows[i][at]} instead of ${rows[i][column]}`);
				break;
			}
	}
	/* One type in all files of a lake, whether an event was measured or not. */
	for (let at = found.columns.indexOf("parent_id") + 1; at < found.columns.length; at++)
		if (!found.columns[at].startsWith("arg.") && found.types[at] === "VARCHAR")
			say(name, `${found.columns[at]}: an event of texts`);
	if (isSampled)
		return;
	const parent = found.columns.indexOf("parent"), depth = found.columns.indexOf("depth");
	const file = found.columns.indexOf("file"), tid = found.columns.indexOf("tid");
	const last = new Map();
	for (const [number, row] of found.rows.entries()) {
		const key = row[file] + " " + row[tid];
		if (!last.has(key))
			last.set(key, []);
		const open = last.get(key);
		if (row[parent] !== (row[depth] ? String(open[row[depth] - 1]) : null)) {
			say(name, `the parent of ${number}: ${row[parent]}`);
			break;
		}
		open[row[depth]] = number;
	}
}

async function compareSums(name) {
	const found = await query(`select coalesce(label, ''), minor, count(*), sum(elapsed_ns)::varchar
		from '${name}.parquet' where not list_contains(string_split(flags, '+'), 'open') group by 1, 2`);
	const groups = new Map(found.rows.map((r) => [`${r[0]} ${r[1]}`, [BigInt(r[2]), BigInt(r[3])]]));
	const expected = new Map();
	for (const row of readCsv(name + ".summary.csv")) {
		const key = `${row.label} ${row.minor}`, sum = expected.get(key) ?? [0n, 0n];
		expected.set(key, [sum[0] + BigInt(row.count), sum[1] + BigInt(row.total_ns)]);
	}
	if (groups.size !== expected.size)
		say(name, `${groups.size} of ${expected.size} groups`);
	for (const [key, [count, total]] of expected) {
		const is = groups.get(key) ?? [0n, 0n], off = is[1] - total;
		/* total_ns adds ticks: a nanosecond an interval. */
		if (is[0] !== count || off > count || -off > count)
			say(name, `the sum of ${key}: ${is} instead of ${[count, total]}`);
	}
}

/* A parent's number leads to the row whose id is parent_id; every interval has an id of its own. */
async function compareIds(name, rows) {
	const found = await query(`select count(distinct i.id), count(p.id), count(i.parent_id)
		from '${name}.parquet' i left join '${name}.parquet' p on p.number = i.parent and p.id = i.parent_id`);
	const nested = rows.filter((r) => r.parent_id).length;
	if (String(found.rows[0]) !== String([rows.length, nested, nested]))
		say(name, `ids, parents, parent_ids: ${found.rows[0]} instead of ${[rows.length, nested, nested]}`);
	const pages = await query(`select count(*) from parquet_metadata('${name}.parquet')
		where path_in_schema in ('id', 'parent_id') and encodings like '%DICTIONARY%'`);
	if (String(pages.rows[0]) !== "0")
		say(name, `dictionaries of ids: ${pages.rows[0]}`);
}

/* Conditions that readers answer by statistics and dictionaries. */
async function compareConditions(name, rows) {
	const middle = rows[rows.length >> 1];
	if (!middle)
		return;
	const counts = [
		[`start_ns >= ${middle.start_ns}`, rows.filter((r) => BigInt(r.start_ns) >= BigInt(middle.start_ns))],
		[`id = '${middle.id}'`, [middle]],
		[`tid = ${middle.tid}`, rows.filter((r) => r.tid === middle.tid)],
		[`label is not null and label = '${middle.label.replaceAll("'", "''")}'`,
			rows.filter((r) => r.label === middle.label)],
		[`elapsed_cycles > ${middle.elapsed_cycles}`,
			rows.filter((r) => BigInt(r.elapsed_cycles) > BigInt(middle.elapsed_cycles))],
	];
	for (const [condition, expected] of counts) {
		if (condition.startsWith("label") && !middle.label)
			continue;
		const found = await query(`select count(*) from '${name}.parquet' where ${condition}`);
		if (BigInt(found.rows[0][0]) !== BigInt(expected.length))
			say(name, `${condition}: ${found.rows[0][0]} of ${expected.length}`);
	}
}

/* Chosen columns are those of the complete file, in the order of their list. */
async function compareChosen(name) {
	const chosen = await query(`select * from '${name}.chosen.parquet' order by number`);
	const all = await query(`select ${chosen.columns.join(", ")} from '${name}.parquet' order by number`);
	if (chosen.columns.join() !== "label,elapsed_ns,thread_cycles,parent_id,number,own_nested_ns,flags")
		say(name, `chosen columns: ${chosen.columns}`);
	if (JSON.stringify(chosen) !== JSON.stringify(all))
		say(name, "chosen columns differ from those of all");
}

async function compareChosenHooks(name) {
	const chosen = await query(`select * from '${name}.hooks.chosen.parquet'`);
	const all = await query(`select words, time_ns, name, minor from '${name}.hooks.parquet'`);
	if (JSON.stringify(chosen) !== JSON.stringify(all) || chosen.rows.length === 0)
		say(name, "chosen columns of hooks differ from those of all");
}

/* Pages by zstd hold the rows of those by LZ4. */
async function compareZstd(name) {
	const file = name + ".zstd.parquet";
	const found = await query(`select (select count(*) from '${file}'), (select count(*) from '${name}.parquet'),
		(select count(*) from (from '${file}' except all from '${name}.parquet'))`);
	const [there, expected, other] = found.rows[0].map(Number);
	if (there !== expected || other !== 0)
		say(name, `by zstd ${there} of ${expected} rows, ${other} of them differ`);
	const codecs = await query(`select distinct compression from parquet_metadata('${file}')`);
	if (String(codecs.rows) !== "ZSTD")
		say(name, `by zstd: ${codecs.rows}`);
	const table = readParquet(new Uint8Array(fs.readFileSync(file)));
	if (table.recordBatches().reduce((sum, batch) => sum + batch.numRows, 0) !== expected)
		say(name, "parquet-wasm reads another number of rows by zstd");
}

/* By DuckDB, as sets of rows: a hundred thousand are too many for objects. */
async function compareManyHooks(name) {
	const file = fs.openSync(name + ".hooks.csv"), head = Buffer.alloc(4096);
	fs.readSync(file, head);
	fs.closeSync(file);
	const texts = head.toString().split(/\r?\n/)[0].split(",").map((c) => `coalesce("${c}"::varchar, '')`);
	const csv = `select ${texts} from read_csv('${name}.hooks.csv', all_varchar = true, header = true,
		delim = ',', quote = '"', escape = '"')`;
	const counts = await query(`with csv as (${csv}), parquet as (select ${texts} from '${name}.hooks.parquet')
		select (select count(*) from csv), (select count(*) from parquet),
			(select count(*) from (from csv except all from parquet))`);
	const [there, found, missing] = counts.rows[0].map(Number);
	if (there === 0 || found !== there || missing !== 0)
		say(name, `${found} of ${there} hooks, ${missing} of them differ`);
	hooks += there;
}

/* Hooks of an NRM2 file have the times of their groups here. */
async function compareHooks(name) {
	if (!fs.existsSync(name + ".hooks.csv"))
		return;
	if (fs.statSync(name + ".hooks.csv").size > 1e6)
		return compareManyHooks(name);
	const rows = readCsv(name + ".hooks.csv");
	const found = await query(`select * from '${name}.hooks.parquet'`);
	if (found.rows.length !== rows.length)
		say(name, `${found.rows.length} of ${rows.length} hooks`);
	for (const column of Object.keys(rows[0] ?? {})) {
		const at = found.columns.indexOf(column);
		if (name.startsWith("nrm2") && ["time_ns", "ticks"].includes(column))
			continue;
		const i = rows.findIndex((r, i) => r[column] !== String(found.rows[i]?.[at] ?? ""));
		if (i >= 0)
			say(name, `hook ${i}, ${column}: ${found.rows[i]?.[at]} instead of ${rows[i][column]}`);
	}
	hooks += rows.length;
}

for (const name of names) {
	/* First what reads no rows into objects: while WebAssembly's memory grows, all objects are collected again and
	 * again. */
	const table = readParquet(new Uint8Array(fs.readFileSync(name + ".parquet")));
	const read = table.recordBatches().reduce((sum, batch) => sum + batch.numRows, 0);
	for (const file of [name, name + ".hooks"])
		if (fs.existsSync(file + ".zstd.parquet"))
			await compareZstd(file);
	await compareHooks(name);
	const rows = readCsv(name + ".csv");
	intervals += rows.length;
	if (read !== rows.length)
		say(name, `parquet-wasm reads ${read} of ${rows.length} rows`);
	await compareRows(name, rows);
	await compareSums(name);
	await compareIds(name, rows);
	await compareConditions(name, rows);
	if (fs.existsSync(name + ".chosen.parquet"))
		await compareChosen(name);
	if (fs.existsSync(name + ".hooks.chosen.parquet"))
		await compareChosenHooks(name);
}
console.log(wrong ? `FAILED: ${wrong} differences` : `ok: ${names.length} traces, ${intervals} intervals, ${hooks} hooks`);
process.exit(wrong ? 1 : 0);
