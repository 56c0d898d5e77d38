// Firefox by WebDriver BiDi, as devtools.mjs has Chromium: the same class for the same tests. Pages are opened from file://.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "./socket.mjs";
import { Waiting } from "./waiting.mjs";

// Firefox lifts the isolation of file:// under automation, unless told otherwise: pages would then prove nothing. The rest keeps
// it from the network.
const PREFERENCES = {
	"remote.prefs.recommended": false, "security.fileuri.strict_origin_policy": true, "privacy.file_unique_origin": true,
	"app.update.auto": false, "app.update.disabledForTesting": true, "browser.aboutwelcome.enabled": false, "browser.shell.checkDefaultBrowser": false,
	"browser.startup.homepage": "about:blank", "browser.startup.page": 0, "browser.newtabpage.enabled": false, "browser.safebrowsing.malware.enabled": false,
	"browser.safebrowsing.phishing.enabled": false, "browser.safebrowsing.update.enabled": false, "datareporting.policy.dataSubmissionEnabled": false,
	"datareporting.healthreport.uploadEnabled": false, "extensions.update.enabled": false, "extensions.getAddons.cache.enabled": false,
	"network.captive-portal-service.enabled": false, "network.connectivity-service.enabled": false, "network.dns.disablePrefetch": true, "network.prefetch-next": false,
	"services.settings.server": "data:,", "toolkit.telemetry.enabled": false, "toolkit.telemetry.unified": false, "dom.disable_open_during_load": false,
};

const KEYS = { Enter: "\ue007", Escape: "\ue00c", Home: "\ue011" };
const SHIFT = "\ue008", CONTROL = "\ue009";

// Converts a value from BiDi's encoding, in which numbers that JSON lacks are texts.
function valueOf({ type, value }) {
	if (type === "array")
		return value.map(valueOf);
	if (type === "object")
		return Object.fromEntries(value.map(([key, one]) => [key, valueOf(one)]));
	return type === "number" ? Number(value) : type === "null" ? null : value;
}

export class Firefox extends Waiting {
	constructor(program, profile) {
		super();
		mkdirSync(profile, { recursive: true });
		writeFileSync(join(profile, "user.js"), Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`).join(""));
		this.process = spawn(program, ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile, "about:blank"],
			{ stdio: ["ignore", "ignore", "ignore"], env: { ...process.env, HOME: profile, MOZ_DISABLE_CONTENT_SANDBOX: "1" } });
		this.number = 0;
		this.waiting = new Map();
		this.errors = [];
		this.loaded = new Set();
		this.ended = new Promise((resolve) => this.process.on("exit", () => {
			this.hasEnded = true;
			for (const { reject } of this.waiting.values())
				reject(new Error("the browser ended"));
			resolve();
		}));
		this.begun = this.#begin(join(profile, "WebDriverBiDiServer.json"));
		this.begun.catch(() => {});
	}

	// Firefox names its port in a file of the profile.
	async #begin(path) {
		for (let port; !this.socket;) {
			if (this.hasEnded)
				throw new Error("the browser ended");
			try {
				port = JSON.parse(readFileSync(path, "utf8")).ws_port;
				this.socket = await connect(port, "/session", (text) => this.#take(JSON.parse(text)));
			} catch {
				await new Promise((done) => setTimeout(done, 50));
			}
		}
		await this.#send("session.new", { capabilities: {} });
		await this.#send("session.subscribe", { events: ["log.entryAdded", "network.beforeRequestSent"] });
	}

	#take(message) {
		const waiting = this.waiting.get(message.id);
		this.waiting.delete(message.id);
		if (message.type === "event")
			this.#note(message.method, message.params);
		else if (message.type === "error")
			waiting?.reject(new Error(`${message.error}: ${message.message}`));
		else
			waiting?.resolve(message.result);
	}

	#note(method, params) {
		if (method === "log.entryAdded" && params.level === "error" && params.source?.context === this.context)
			this.errors.push(params.text);
		if (method !== "network.beforeRequestSent" || params.context !== this.context)
			return;
		const { url } = params.request;
		if (this.allowed?.test(url))
			this.loaded.add(url);
		else if (!params.navigation && !/^(data|blob):/.test(url))
			this.errors.push("a request for " + url);
	}

	#send(method, params = {}) {
		const id = ++this.number;
		return new Promise((resolve, reject) => {
			this.waiting.set(id, { resolve, reject });
			this.socket.send(JSON.stringify({ id, method, params }));
		});
	}

	// As Browser.open.
	async open(address, width = 1280, height = 720) {
		await this.begun;
		const before = this.context, { context } = await this.#send("browsingContext.create", { type: "tab" });
		this.context = context;
		this.errors = [];
		this.loaded = new Set();
		if (before)
			await this.#send("browsingContext.close", { context: before });
		await this.resize(width, height);
		await this.#send("browsingContext.navigate", { context, url: address, wait: "interactive" });
	}

	async evaluate(expression) {
		const answer = await this.#send("script.evaluate", { expression, target: { context: this.context }, awaitPromise: true, userActivation: true });
		if (answer.type === "exception")
			throw new Error(answer.exceptionDetails.text);
		return valueOf(answer.result);
	}

	#perform(actions) {
		return this.#send("input.performActions", { context: this.context, actions });
	}

	#press(type, values) {
		return values.length ? this.#perform([{ type: "key", id: "keys", actions: values.map((value) => ({ type, value })) }]) : null;
	}

	async mouse(type, x, y, { deltaX = 0, deltaY = 0, modifiers = 0 } = {}) {
		const held = [modifiers & 2 ? CONTROL : "", modifiers & 8 ? SHIFT : ""].filter((key) => key), place = { x: Math.round(x), y: Math.round(y) };
		await this.#press("keyDown", held);
		if (type === "mouseWheel")
			await this.#perform([{ type: "wheel", id: "wheel", actions: [{ type: "scroll", ...place, deltaX, deltaY }] }]);
		else
			await this.#perform([{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions: [{ type: "pointerMove", ...place },
				...type === "mousePressed" ? [{ type: "pointerDown", button: 0 }] : type === "mouseReleased" ? [{ type: "pointerUp", button: 0 }] : []] }]);
		await this.#press("keyUp", held);
	}

	async key(key) {
		const value = KEYS[key] ?? key;
		await this.#press("keyDown", [value]);
		await this.#press("keyUp", [value]);
	}

	resize(width, height, ratio = 1) {
		return this.#send("browsingContext.setViewport", { context: this.context, viewport: { width, height }, devicePixelRatio: ratio });
	}

	async pick(selector, path) {
		const { nodes: [element] } = await this.#send("browsingContext.locateNodes", { context: this.context, locator: { type: "css", value: selector } });
		await this.#send("input.setFiles", { context: this.context, element: { sharedId: element.sharedId }, files: [path] });
	}

	async picture() {
		const { data } = await this.#send("browsingContext.captureScreenshot", { context: this.context });
		return Buffer.from(data, "base64");
	}

	async close() {
		await this.begun.then(() => this.#send("browser.close")).catch(() => this.process.kill());
		await this.ended;
	}
}
