// Chromium by its DevTools protocol over two pipes: no port, no package. Pages are opened from
// file://.
import { spawn } from "node:child_process";
import { Waiting } from "./waiting.mjs";

export class Browser extends Waiting {
	constructor(program, profile, more = []) {
		super();
		this.process = spawn(program, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
			"--remote-debugging-pipe", "--no-first-run", `--user-data-dir=${profile}`, ...more, "about:blank"],
			{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.number = 0;
		this.waiting = new Map();
		this.listeners = [];
		this.ended = new Promise((resolve) => this.process.on("exit", resolve));
		let rest = Buffer.alloc(0);
		this.process.stdio[4].on("data", (bytes) => {
			rest = Buffer.concat([rest, bytes]);
			for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
				this.#take(JSON.parse(rest.toString("utf8", 0, end)));
		});
		this.ended.then(() => {
			for (const { reject } of this.waiting.values())
				reject(new Error("the browser ended"));
		});
	}

	#take(message) {
		const waiting = this.waiting.get(message.id);
		if (!waiting) {
			for (const listener of this.listeners)
				listener(message);
			return;
		}
		this.waiting.delete(message.id);
		if (message.error)
			waiting.reject(new Error(message.error.message));
		else
			waiting.resolve(message.result);
	}

	send(method, params = {}) {
		const id = ++this.number;
		const message = { id, method, params };
		if (this.session)
			message.sessionId = this.session;
		this.process.stdio[3].write(JSON.stringify(message) + "\0");
		return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
	}

	// Opens an address in a tab of its own, with what it does wrong in `errors`. `allowed` are requests
	// that are none of them: `loaded` has those.
	async open(address, width = 1280, height = 720) {
		this.session = undefined;
		const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
		const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
		this.session = sessionId;
		this.errors = [];
		this.loaded = new Set();
		this.listeners = [(message) => {
			// Events of the previous tab may arrive late.
			if (message.sessionId !== sessionId)
				return;
			if (message.method === "Runtime.exceptionThrown")
				this.errors.push(message.params.exceptionDetails.exception?.description ?? message.params.exceptionDetails.text);
			if (message.method === "Network.requestWillBeSent" && this.allowed?.test(message.params.request.url))
				this.loaded.add(message.params.request.url);
			else if (message.method === "Network.requestWillBeSent" && message.params.documentURL !== message.params.request.url &&
				!/^(data|blob):/.test(message.params.request.url))
				this.errors.push("a request for " + message.params.request.url);
			if (message.method === "Log.entryAdded" && message.params.entry.level === "error")
				this.errors.push(message.params.entry.text);
		}];
		await this.send("Runtime.enable");
		await this.send("Log.enable");
		await this.send("Network.enable");
		await this.send("Page.enable");
		await this.resize(width, height);
		await this.send("Page.navigate", { url: address });
	}

	// The value of an expression in the page, which may be a promise.
	async evaluate(expression) {
		const { result, exceptionDetails } = await this.send("Runtime.evaluate",
			{ expression, awaitPromise: true, returnByValue: true });
		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		return result.value;
	}

	resize(width, height, ratio = 1) {
		return this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: ratio, mobile: false });
	}

	// Shows the page as it is printed, or again as on a screen (""), to who wants light or dark pages.
	medium(media, scheme = "light") {
		return this.send("Emulation.setEmulatedMedia", { media, features: [{ name: "prefers-color-scheme", value: scheme }] });
	}

	// Gives a file to an input.
	async pick(selector, path) {
		const { root } = await this.send("DOM.getDocument"), { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
		await this.send("DOM.setFileInputFiles", { nodeId, files: [path] });
	}

	mouse(type, x, y, more = {}) {
		return this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1, ...more });
	}

	async key(key, code, more = {}) {
		await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code, text: key.length === 1 ? key : undefined, ...more });
		await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code, ...more });
	}

	async picture() {
		const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: false });
		return Buffer.from(data, "base64");
	}

	async close() {
		this.session = undefined;
		await this.send("Browser.close").catch(() => {});
		await this.ended;
	}
}
