"use strict";
/*
 * The page of cpidecode serve while it reads a large trace: hooks over time, as the headers of the
 * trace's sections tell them. It asks the server how far it is, and loads the page of the intervals
 * once that is there.
 */

const EARLY_HEIGHT = 96, EARLY_LANE = 24, EARLY_POLL_MS = 500;
/* Hooks of a span that is read by itself. */
const EARLY_SPAN_HOOKS = 4000000;

/* Per bucket: hooks that are certainly in it, and those of sections that also reach into others. */
function sumOfLanes(lanes, buckets) {
	const within = new Float64Array(buckets), reach = new Float64Array(buckets);
	for (const lane of lanes)
		for (let i = 0; i < buckets; i++) {
			within[i] += lane.within[i];
			reach[i] += lane.reach[i];
		}
	return { within, reach };
}

/* What the server says of its reading, in words. share: of the bar; null: not known. */
function earlyState({ read, of, packed }) {
	if (!of || read < of)
		return { text: "Reading the trace" + (of ? ": " + Math.floor(100 * read / of) + " %" : "") + ".", share: of ? read / of : null };
	return { text: "Sorting the intervals and building the page" + (packed ? ": " + exactText(Math.floor(packed / 2 ** 20)) + " MiB so far" : "") + ".", share: null };
}

/* The most hooks that a span [from, to) may have. */
function mostHooks({ within, reach }, width, from, to) {
	let most = 0;
	for (let i = Math.floor(from / width); i < within.length && i * width < to; i++)
		most += within[i] + reach[i];
	return most;
}

class EarlyPage {
	async load() {
		this.data = await readObject("early");
		this.scheme = matchMedia("(prefers-color-scheme: dark)");
		this.tell();
		this.draw();
		addEventListener("resize", () => this.draw());
		this.scheme.addEventListener("change", () => this.draw());
		for (const canvas of document.querySelectorAll("canvas"))
			this.listen(canvas);
		for (const box of [$("from"), $("to")])
			box.addEventListener("input", () => this.tellSpan());
		$("show").addEventListener("click", () => this.showSpan());
		/* Restored by the browser's Back. */
		addEventListener("pageshow", (event) => event.persisted && location.reload());
		await this.wait();
	}

	tell() {
		const { data } = this, files = data.files.map(printable).join(", ");
		document.title = files + " \u2013 trace";
		$("title").textContent = files;
		const about = [];
		if (data.command)
			about.push("Command: " + printable(data.command));
		if (data.host)
			about.push("Host: " + printable(data.host));
		about.push("Duration: " + durationText(data.until), "Hooks: " + exactText(data.hooks), "Begins: " + clockText(BigInt(data.base), 0));
		$("about").textContent = about.join(" \u00b7 ");
		for (const loss of data.losses)
			$("losses").append(element("li", exactText(loss.count) + " " + loss.what + " (" + printable(loss.file) + ")"));
		$("losses").hidden = !data.losses.length;
		$("overviewtold").textContent = "Hooks of all kinds, before any filter, in steps of " + durationText(data.width) + ", by the headers of the trace's sections.";
		$("legend").append(legendItem(null, "certainly in this step", "certain"), legendItem(null, "of sections that reach beyond it: at most so many more", "uncertain"));
		const lanes = data.lanes.length ? data.lanes : [];
		this.pictures = [{ canvas: $("overview"), height: EARLY_HEIGHT, ...sumOfLanes(data.lanes.length ? data.lanes : [data.all], data.steps) }];
		for (const lane of lanes) {
			const canvas = element("canvas");
			canvas.setAttribute("role", "img");
			canvas.setAttribute("aria-label", printable(lane.name));
			$("processors").append(element("p", printable(lane.name) + ": " + exactText(lane.hooks) + " hooks"), canvas);
			this.pictures.push({ canvas, height: EARLY_LANE, within: lane.within, reach: lane.reach });
		}
		if (!lanes.length)
			$("processors").append(element("p", "There are too many to show each."));
	}

	draw() {
		for (const picture of this.pictures)
			this.drawPicture(picture);
	}

	drawPicture({ canvas, height, within, reach }) {
		const width = canvas.clientWidth || 800, ratio = devicePixelRatio || 1, { steps } = this.data;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.height = height + "px";
		const ctx = canvas.getContext("2d"), bar = this.scheme.matches ? "#2f7fae" : "#56b4e9";
		let most = 1;
		for (let i = 0; i < steps; i++)
			most = Math.max(most, within[i] + reach[i]);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.fillStyle = bar;
		const box = (i, from, to) => {
			const left = Math.floor(i * width / steps), right = Math.max(left + 1, Math.floor((i + 1) * width / steps));
			ctx.fillRect(left, height - to, right - left, to - from);
		};
		for (let i = 0; i < steps; i++) {
			const certain = within[i] ? Math.max(1, height * within[i] / most) : 0;
			ctx.globalAlpha = 1;
			box(i, 0, certain);
			ctx.globalAlpha = 0.35;
			if (reach[i])
				box(i, certain, Math.max(certain + 1, height * (within[i] + reach[i]) / most));
		}
	}

	point(canvas, x) {
		const { steps, width } = this.data, i = Math.floor(x * steps / canvas.clientWidth);
		const picture = this.pictures.find((one) => one.canvas === canvas);
		if (!(i >= 0 && i < steps))
			return;
		const least = picture.within[i], most = least + picture.reach[i];
		$("told").textContent = offsetText(i * width) + " to " + offsetText((i + 1) * width) + ": " + exactText(least) +
			(most > least ? " to " + exactText(most) : "") + " hooks";
	}

	listen(canvas) {
		const xOf = (event) => event.clientX - canvas.getBoundingClientRect().left;
		const timeOf = (x) => Math.round(Math.min(1, Math.max(0, x / canvas.clientWidth)) * this.data.steps * this.data.width);
		let begin = -1;
		canvas.addEventListener("pointerdown", (event) => {
			begin = xOf(event);
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener("pointerup", () => begin = -1);
		canvas.addEventListener("pointermove", (event) => {
			const x = xOf(event);
			this.point(canvas, x);
			if (begin < 0 || Math.abs(x - begin) < 2)
				return;
			[$("from").value, $("to").value] = [begin, x].sort((a, b) => a - b).map((one) => String(timeOf(one) / 1e9));
			this.tellSpan();
		});
	}

	/* The span that was chosen, in ns; null: none. */
	span() {
		const [from, to] = ["from", "to"].map((id) => $(id).value.trim() === "" ? NaN : Math.round(Number($(id).value) * 1e9));
		return from >= 0 && from < to && to <= Number.MAX_SAFE_INTEGER ? { from, to } : null;
	}

	tellSpan() {
		const span = this.span(), most = span ? mostHooks(this.pictures[0], this.data.width, span.from, span.to) : 0;
		const isFew = most <= EARLY_SPAN_HOOKS;
		$("show").disabled = !span || !isFew;
		$("spantold").textContent = span ? "At most " + exactText(most) + " hooks" + (isFew ? "" : ": choose a shorter span") : "";
	}

	/* Its page replaces this one as soon as the server has made it. */
	showSpan() {
		const { from, to } = this.span();
		this.leaves = true;
		$("show").disabled = true;
		$("spantold").textContent = "Reading this span.";
		location.href = "span/" + from + "-" + to;
	}

	/* Until the page of the intervals is there, or the server has gone. */
	async wait() {
		for (;;) {
			const answer = await window.fetch("state").then((one) => one.json()).catch(() => null);
			if (!answer) {
				$("state").textContent = "The server has ended. Its messages say why.";
				return;
			}
			if (answer.ready && !this.leaves) {
				location.reload();
				return;
			}
			const { text, share } = earlyState(answer);
			$("state").textContent = text;
			if (share === null)
				$("progress").removeAttribute("value");
			else
				$("progress").value = share;
			await new Promise((done) => setTimeout(done, EARLY_POLL_MS));
		}
	}
}

const page = new EarlyPage();

/* As of the page of the intervals, where it is not known yet. */
window.trace = {
	ready: new Promise(() => { /* the page of the intervals has its own */ }),
	query: () => Promise.reject(new Error("the intervals are being read")),
};

document.addEventListener("DOMContentLoaded", () => page.load());
