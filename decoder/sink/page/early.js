"use strict";
/*
 * The page that cpidecode serve shows while it reads a large trace: hooks over time, from the headers
 * of the trace's sections. It polls the server's progress, and reloads once the page of the intervals
 * is ready.
 */

const EARLY_HEIGHT = 96, EARLY_LANE = 24, EARLY_POLL_MS = 500;
/* Limit of hooks in a span that gets a page of its own. */
const EARLY_SPAN_HOOKS = 4000000;

/* Per step: hooks of sections within it, and of sections that also reach into others. */
function sumOfLanes(lanes, steps) {
	const within = new Float64Array(steps), reach = new Float64Array(steps);
	for (const lane of lanes)
		for (let i = 0; i < steps; i++) {
			within[i] += lane.within[i];
			reach[i] += lane.reach[i];
		}
	return { within, reach };
}

/* The server's progress as text, and as a share of the bar (null: unknown). isAgain: not for the first time. */
function earlyState({ read, of, packed }, isAgain) {
	if (!of || read < of)
		return { text: "Reading the trace" + (isAgain ? " again" : "") + (of ? ": " + Math.floor(100 * read / of) + " %" : "") + ".", share: of ? read / of : null };
	return { text: "Sorting the intervals and building the page" + (packed ? ": " + exactText(Math.floor(packed / 2 ** 20)) + " MiB so far" : "") + ".", share: null };
}

/* Upper bound of the hooks in a span [from, to). */
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
		/* The browser's Back may restore this page long after the other is ready. */
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
		$("overviewtold").textContent = "All hooks, whatever the filters, in steps of " + durationText(data.width) + ", counted from the headers of the trace's sections.";
		$("legend").append(legendItem(null, "certainly in this step", "certain"), legendItem(null, "in sections that reach beyond it: at most this many more", "uncertain"));
		const { lanes } = data;
		this.pictures = [{ canvas: $("overview"), height: EARLY_HEIGHT, ...sumOfLanes(lanes.length ? lanes : [data.all], data.steps) }];
		for (const lane of lanes) {
			const canvas = element("canvas");
			canvas.setAttribute("role", "img");
			canvas.setAttribute("aria-label", printable(lane.name));
			$("processors").append(element("p", printable(lane.name) + ": " + exactText(lane.hooks) + " hooks"), canvas);
			this.pictures.push({ canvas, height: EARLY_LANE, within: lane.within, reach: lane.reach });
		}
		if (!lanes.length)
			$("processors").append(element("p", "Too many processors to show each."));
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

	/* The chosen span in ns; null: none. */
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

	/* Navigates: this page stays until the server has made that of the span. */
	showSpan() {
		const { from, to } = this.span();
		this.leaves = true;
		$("show").disabled = true;
		$("spantold").textContent = "Reading this span.";
		location.href = "span/" + from + "-" + to;
	}

	/* Returns once the page of the intervals is ready, or the server has ended. */
	async wait() {
		for (let last = 0, isAgain = false; ;) {
			const answer = await window.fetch("state").then((one) => one.json()).catch(() => null);
			if (!answer) {
				$("state").textContent = "The server has ended. Its messages say why.";
				return;
			}
			if (answer.ready) {
				/* A reload would cancel the request for a span. */
				if (this.leaves)
					$("state").textContent = "The page of all intervals is ready: reload to see it.";
				else
					location.reload();
				return;
			}
			/* Marks and reports need further passes. */
			isAgain = isAgain || answer.read < last;
			last = answer.read;
			const { text, share } = earlyState(answer, isAgain);
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

/* Replaces the API of the page of the intervals. */
window.trace = {
	ready: new Promise(() => { /* never: this page has no intervals */ }),
	query: () => Promise.reject(new Error("the intervals are being read")),
};

document.addEventListener("DOMContentLoaded", () => page.load());
