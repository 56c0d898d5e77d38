// The memory of a browser's renderer.
import { readdirSync, readFileSync } from "node:fs";

// Values of /proc/PID/status in MB (10^6 bytes), of the renderer that has most: the page's.
export function rendererMemory(browser) {
	const found = [];
	for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
		try {
			if (!readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--type=renderer") || !isBelow(pid, browser.process.pid))
				continue;
			const status = readFileSync(`/proc/${pid}/status`, "latin1"), of = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)[1]) * 1024 / 1e6;
			found.push({ now: of("VmRSS"), peak: of("VmHWM") });
		} catch { /* it has ended */ }
	return found.reduce((most, one) => one.peak > most.peak ? one : most, { now: 0, peak: 0 });
}

function isBelow(pid, ancestor) {
	for (let at = Number(pid); at > 1;) {
		if (at === ancestor)
			return true;
		at = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${at}/status`, "latin1"))[1]);
	}
	return false;
}
