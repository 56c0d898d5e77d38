"use strict";
/* Runs of threads, by the kernel's switches: lanes of processors in the timeline, details of a run, and tables of a span. */

/* Of an interval, in its details. */
const WAKERS_SHOWN = 4;

/* The colour of runs without an interval, on a light and on a dark background. */
const NO_INTERVAL = [[206, 210, 217], [70, 76, 85]];

class RunPanel {
	constructor(page) {
		this.page = page;
		this.store = null; /* the page has none */
		this.chosen = -1;
		this.matches = null;
		this.matched = 0;
		this.coloured = "thread";
		this.groups = this.intervals = null;
	}

	async read() {
		if (!document.querySelector("script.processors"))
			return;
		const about = await readObject("processors"), store = new RunStore(about, await readLists("threads"));
		for (const block of document.querySelectorAll("script.runs"))
			store.addRuns(readRuns(await inflate(takeBlock(block))));
		for (const block of document.querySelectorAll("script.wakeups"))
			store.addWakeups(readWakeups(await inflate(takeBlock(block))));
		if (store.filled !== store.count || store.wakeups.some((all) => all.count !== all.time.length))
			throw new Error("the page holds " + store.filled + " of " + store.count + " runs of threads: it was cut short");
		store.finish();
		this.store = store;
		$("search").placeholder = "label, thread that ran, or /regexp/";
		this.leaders = new Map(store.names.filter((one) => one.tid !== undefined && one.tid === one.pid && one.name !== null)
			.map((one) => [one.machine + " " + one.pid, one.name]));
		this.colourBy("thread");
		$("runs-coloured").hidden = false;
		$("runs-colour").addEventListener("change", () => this.colourBy($("runs-colour").value));
	}

	/* Texts. */

	/* "server (tid 7) of main (pid 5)", or why it is not known. */
	text(name) {
		const { names } = this.store;
		if (name < RUNS_UNKNOWN.length)
			return names[name];
		const { pid, tid, name: own } = names[name];
		const text = own === null ? "tid " + tid : printable(own) + " (tid " + tid + ")";
		return pid === tid ? text : text + " of " + this.processText(name);
	}

	/* "main (pid 5)" */
	processText(name) {
		const { machine, pid } = this.store.names[name], process = this.leaders.get(machine + " " + pid);
		return process === undefined ? "pid " + pid : printable(process) + " (pid " + pid + ")";
	}

	shortText(name) {
		const { tid, name: own } = this.store.names[name];
		return own === null ? "tid " + tid : printable(own);
	}

	describe(at) {
		const { store, page } = this;
		return page.processors.name(store.processorOf(at)) + ": " + this.text(store.name[at]) + ", " + durationText(store.duration[at]) + " from " + offsetText(store.start[at]) +
			this.intervalText(at);
	}

	/* "; mostly in request; raw_cpi 1.25", if colours are the intervals'. */
	intervalText(at) {
		const { page } = this, interval = this.shown() !== "interval" || this.store.isUnknown(at) ? -1 : this.intervalOf(at);
		return interval < 0 ? "" : "; mostly in " + page.names[page.store.name[interval]] + (page.column ? page.valueText(page.valueOf(interval)) : "");
	}

	/* The run at a place of the timeline; at: -1: idle, or several of which none is chosen. */
	find({ x, place }) {
		const { page, store } = this, left = Math.floor(x), from = page.timeOf(left), to = page.timeOf(left + 1), lane = place.runs;
		const [low, high] = store.bounds(lane.levels[0], from, Math.max(to, from + Number.EPSILON));
		if (low < high) {
			const { longest, sum } = store.stats(low, high);
			return { at: longest, text: high - low > 1 ? page.processors.name(lane) + ": " + exactText(high - low) + " runs in this column of pixels, " + durationText(sum) +
				" together; the longest: " + this.text(store.name[longest]) + ", " + durationText(store.duration[longest]) + this.intervalText(longest) : this.describe(longest) };
		}
		const [first, end] = store.bounds(lane.unknownRow, from, Math.max(to, from + Number.EPSILON));
		return first < end ? { at: -1, text: this.describe(first) } : { at: -1, text: page.processors.name(lane) + ": idle at " + offsetText(from) };
	}

	/* Count, longest and sum of a processor's runs: an index of trace.processors. */
	query(from, to, processor) {
		const { store } = this;
		if (!store || !store.processors[processor])
			throw new RangeError("no processor " + processor + ": there are " + (store ? store.processors.length : 0));
		return store.query(from, to, processor);
	}

	/* A run by its number. */
	runBy(number) {
		const { store } = this, at = store ? store.find(number) : -1;
		if (at < 0 || store.isUnknown(at))
			throw new RangeError("no run " + number);
		const { name, tid, pid } = store.names[store.name[at]];
		return { name, tid, pid, start: store.start[at], duration: store.duration[at], processor: store.processorOf(at).index, waker: store.wakerBefore(at) };
	}

	/* Drawing. */

	/* choice: thread, name, process, interval. */
	colourBy(choice) {
		const { names } = this.store, keys = { name: (name) => this.shortText(name), process: (name) => names[name].machine + " " + names[name].pid };
		this.coloured = choice;
		this.groups = groupRuns(this.store, keys[choice] || ((name) => name));
		if (this.page.store && this.page.placed) {
			this.page.fillLegend();
			this.page.redraw();
		}
	}

	/* The choice that the timeline shows: the intervals of the view may not be in memory. */
	shown() {
		const { page } = this;
		return this.coloured === "interval" && !page.holds(page.view.from, page.view.to) ? "thread" : this.coloured;
	}

	/* The interval that ran; -1: none. */
	intervalOf(at) {
		const { page } = this;
		if (!this.intervals || this.intervals.store !== page.store)
			this.intervals = new RunIntervals(this.store, page.store);
		return this.intervals.of(at);
	}

	colourAt(at) {
		if (!this.byInterval)
			return PALETTE[this.groups.of[this.store.name[at]] % PALETTE.length];
		const interval = this.intervalOf(at), { page } = this;
		return interval < 0 ? NO_INTERVAL[Number(page.isDark())] : page.colourAt(interval);
	}

	/* The thread of the chosen run or interval; null: none, or its number is not the kernel's. */
	chosenThread() {
		const { page, store } = this;
		if (page.chosen < 0)
			return this.chosen < 0 ? null : store.names[store.name[this.chosen]];
		const { machine, pid, tid, apart } = page.store.lanes[page.store.laneOf[page.store.rowOf(page.chosen)]];
		return apart ? null : { machine, pid: pid || 0, tid };
	}

	/* Search. */

	/* Finds threads by the names of their runs. test: null: nothing. The number of threads. */
	search(test) {
		const { store } = this;
		this.matches = test && store && store.names.map((_, name) => store.countOf[name] > 0 && name >= RUNS_UNKNOWN.length && test(this.shortText(name)));
		this.matched = 0;
		if (this.matches)
			this.matches.forEach((is, name) => this.matched += is ? store.countOf[name] : 0);
		return this.matches ? this.matches.filter((is) => is).length : 0;
	}

	/* Chooses the next run that was found after that one (-1: none): Page.walk. */
	walk(step, from) {
		const { page, store, matches } = this, at = store.nextNamed(matches, from, step);
		if (at < 0 && page.matched) {
			page.walkIntervals(step, -1);
			return;
		}
		this.choose(at < 0 ? store.nextNamed(matches, -1, step) : at, true);
		page.tellFound("runs", store.rankNamed(matches, this.chosen));
	}

	/* Threads that a search did not find, and those other than the chosen one, are pale. */
	fadeOf(name) {
		if (this.matches && !this.matches[name])
			return 0.75;
		return this.thread && !this.store.isOf(name, this.thread) ? PALE : 0;
	}

	/* Draws a lane. Above the runs, stripes of unknown times show also where runs fill a column: five lines of six have one. Returns the boxes with room for text. */
	paint(painter, lane, view, y, tall, least) {
		const { store } = this, edge = Math.max(5, Math.round(tall / 6)), pixels = new Map(), { back } = this.page.theme();
		const pixelAt = (at) => {
			const colour = this.colourAt(at), fade = this.fadeOf(store.name[at]), key = pixelOf(colour) * 100 + 100 * fade;
			if (!pixels.has(key))
				pixels.set(key, pixelOf(blend(colour, back, fade)));
			return pixels.get(key);
		};
		this.thread = this.chosenThread();
		this.byInterval = this.shown() === "interval";
		painter.stripes(store, lane.unknownRow, view, y, tall, pixelOf(LOST_COLOUR));
		return painter.row(store, lane.levels[0], view, 0, y + edge, tall - edge, pixelAt, least);
	}

	drawText(ctx, { at, x, width, y }, ratio) {
		const { back } = this.page.theme();
		ctx.fillStyle = isDark(blend(this.colourAt(at), back, this.fadeOf(this.store.name[at]))) ? "#fff" : "#000";
		ctx.fillText(this.page.cut(ctx, this.shortText(this.store.name[at]), width / ratio - 6), x / ratio + 3, y + ROW / 2 + 1);
	}

	legend() {
		const { groups: { names }, page } = this, kinds = { name: "names of threads", process: "processes" }, lines = [], shown = this.shown();
		const textOf = (name) => shown === "name" ? this.shortText(name) : shown === "process" ? this.processText(name) : this.text(name);
		if (shown === "interval") {
			lines.push(element("li", "runs of threads: in the colour of the outermost interval of the thread that has the most of that run's time"),
				legendItem(NO_INTERVAL[Number(page.isDark())], "a run without an interval of its thread"));
		} else {
			lines.push(...names.slice(0, PALETTE.length).map((name, i) => legendItem(PALETTE[i], "ran: " + textOf(name))));
			if (names.length > PALETTE.length)
				lines.push(element("li", "and " + exactText(names.length - PALETTE.length) + " more " + (kinds[shown] || "threads") + " in the same eight colours"));
			if (shown !== this.coloured)
				lines.push(element("li", "runs by the interval that ran: zoom in to about a million intervals; until then by thread"));
		}
		lines.push(element("li", "empty, in the first row of a processor: idle, by the kernel's switches; pale: another thread than the chosen one"),
			legendItem(null, "striped there: not known who ran", "lost"));
		return lines;
	}

	/* One run. */

	choose(at, moves) {
		const { page, store } = this;
		page.unchoose();
		this.chosen = at;
		if (moves) {
			page.bring(store.start[at], store.end(at));
			page.scrollTo(page.placed.find((place) => place.runs === store.processorOf(at)));
		}
		page.changed();
		$("told").textContent = this.describe(at);
		this.tellRun(at);
	}

	/* The number of the chosen run; -1: none. */
	number() {
		return this.chosen < 0 ? -1 : this.store.number[this.chosen];
	}

	/* Chooses a run by its number. */
	restore(number) {
		const at = this.store && number >= 0 ? this.store.find(number) : -1;
		if (at >= 0 && !this.store.isUnknown(at))
			this.choose(at, false);
	}

	/* Follows an arrow key from the chosen run, or without lanes of threads to the first one in view. Whether it leads anywhere here. */
	step(key) {
		const { page, store } = this, first = page.placed.find((place) => place.runs || place.row !== undefined);
		if (this.chosen < 0 && !(first && first.runs))
			return false;
		const row = first.runs ? first.runs.levels[0] : -1;
		const to = this.chosen >= 0 ? store.beside(this.chosen, key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1) : store.bounds(row, page.view.from, page.until + 1)[0];
		if (to >= 0 && (this.chosen >= 0 || to < store.offset[row + 1]))
			this.choose(to, true);
		return true;
	}

	tellRun(at) {
		const { page, store } = this, list = element("dl"), name = store.name[at], { pid, tid, machine } = store.names[name];
		const add = (term, value) => list.append(element("dt", term), value instanceof Node ? value : element("dd", value));
		const run = (term, to, text) => to >= 0 && add(term, page.link(text(to), () => this.choose(to, true)));
		const withTimes = (to) => durationText(store.duration[to]) + " from " + offsetText(store.start[to]);
		add("thread", this.text(name));
		add("tid", String(tid));
		add("pid", String(pid));
		add("processor", page.processors.name(store.processorOf(at)));
		add("duration", durationText(store.duration[at]) + " (" + exactText(store.duration[at]) + " ns)");
		add("start", offsetText(store.start[at]) + ", " + clockText(page.base, store.start[at]));
		add("end", offsetText(store.end(at)) + ", " + clockText(page.base, store.end(at)));
		add("start_ns", String(page.base + BigInt(store.start[at])));
		add("end_ns", String(page.base + BigInt(store.end(at))));
		const within = innermostOf(page.store, { machine, pid, tid }, store.start[at], store.end(at));
		if (within >= 0)
			add("interval", page.link(page.names[page.store.name[within]] + ", " + durationText(page.store.duration[within]), () => page.choose(within, true)));
		else
			add("interval", page.holds(store.start[at], store.end(at)) ? "none of this thread" : "not read: zoom in");
		run("before it on this processor", store.beside(at, -1), (to) => this.text(store.name[to]) + ", " + withTimes(to));
		run("after it on this processor", store.beside(at, 1), (to) => this.text(store.name[to]) + ", " + withTimes(to));
		for (const [term, step] of [["this thread before", -1], ["this thread after", 1]])
			run(term, store.nextOf(at, step), (to) => page.processors.name(store.processorOf(to)) + ", " + withTimes(to));
		const before = store.nextOf(at, -1), [waker] = this.wakerOf(store.waitBetween(before, at));
		add("woken by", waker || (store.endOf(before) === RUN_PREEMPTED ? "none: it was preempted before" : "none: it did not wait before, or that is not known"));
		$("h-interval").textContent = "Run of a thread";
		replaceFocused($("interval"), list);
	}

	/* The runs of an interval's thread when it began and ended, as elements. */
	linksOf(at, lane) {
		const { store, page } = this, start = page.store.start[at], end = page.store.end(at);
		if (lane.apart)
			return [element("dd", "not known: its thread has another number in the kernel's switches")];
		const runs = Array.from(new Set([start, Math.max(start, end - 1)].map((time) => store.runOf({ machine: lane.machine, pid: lane.pid || 0, tid: lane.tid }, time)))).filter((run) => run >= 0);
		return runs.length ? runs.map((run) => page.link("on " + page.processors.name(store.processorOf(run)) + ", " + durationText(store.duration[run]) + " from " +
			offsetText(store.start[run]), () => this.choose(run, true))) : [element("dd", "not known: no record of it")];
	}

	/* Who ran on a processor during an interval whose thread was away from it; "": none did, or that is not known. cpu: its number, as text. */
	insteadOf(at, lane, cpu) {
		const { store, page } = this, processor = store && !lane.apart && store.processors.find((one) => one.machine === lane.machine && String(one.cpu) === cpu);
		const others = processor && store.othersIn(processor, page.store.start[at], page.store.end(at), { machine: lane.machine, pid: lane.pid || 0, tid: lane.tid });
		if (!others || !others.length)
			return "";
		/* At most three, of 1 % of its time or more. */
		const named = others.slice(0, 3).filter(([, time], i) => !i || time >= page.store.duration[at] / 100), left = others.slice(named.length).reduce((sum, [, time]) => sum + time, 0);
		return " Meanwhile on " + page.processors.name(processor).toLowerCase() + ": " + named.map(([name, time]) => this.text(name) + " for " + durationText(time)).join(", ") +
			(left ? ", others for " + durationText(left) : "") + ".";
	}

	/* Who woke a thread. */

	/* Why the page has no wakers; "": it has. */
	wakersAbsent() {
		const { store } = this;
		if (!store && this.page.meta.switches_left_out)
			return "not known: the page has none of the kernel's context switches";
		if (!store || store.wakers === undefined)
			return "not recorded: the trace has no wake-ups";
		return store.wakers ? "" : "not known: the page leaves out the wake-ups, because there are more than 4\u202f000\u202f000, or it is of some processors only";
	}

	/* "other (tid 2)", or "an interrupt (while other (tid 2) ran)". */
	wakerText({ by, isInterrupt }) {
		const { store } = this, who = by === WAKER_IDLE ? "idle" : store.isUnnamed(by) ? "" : this.text(by);
		if (!isInterrupt)
			return who;
		return "an interrupt" + (who && " (while " + who + (by === WAKER_IDLE ? ")" : " ran)"));
	}

	/* Where a waker was then: its innermost interval, its run, or nowhere: null. */
	wakerPlace({ by, time, lane, isInterrupt }) {
		const { page, store } = this;
		if (by === WAKER_IDLE || store.isUnnamed(by))
			return null;
		const thread = store.names[by], within = isInterrupt ? -1 : innermostOf(page.store, thread, time, time + 1), run = store.inRow(lane.levels[0], time);
		if (within >= 0)
			return { text: "then in " + page.names[page.store.name[within]] + ", " + durationText(page.store.duration[within]), go: () => page.choose(within, true) };
		const unread = isInterrupt || page.holds(time, time + 1) ? "" : " (intervals are not read there: zoom in)";
		if (run < 0 || !store.isOf(store.name[run], thread))
			return null;
		return { text: (isInterrupt ? "it interrupted a run of " : "then running for ") + durationText(store.duration[run]) + unread, go: () => this.choose(run, true) };
	}

	/* Elements that show who ended a wait; none for null. */
	wakerOf(wait) {
		const { page } = this, absent = this.wakersAbsent();
		if (absent || !wait)
			return absent ? [element("dd", absent)] : [];
		const waited = " after " + durationText(wait.to - wait.from);
		if (wait.by === undefined)
			return [element("dd", "n/a: not recorded," + waited)];
		const text = this.wakerText(wait) + waited + ", " + durationText(wait.to - Math.max(wait.from, wait.time)) + " before it ran", place = this.wakerPlace(wait);
		return [place ? page.link(text + "; " + place.text, place.go) : element("dd", text)];
	}

	/* Who ended the longest waits within an interval; without one, the wait before. */
	wakersOf(at, lane) {
		const { store, page } = this, absent = this.wakersAbsent();
		if (absent)
			return [element("dd", absent)];
		if (lane.apart)
			return [element("dd", "not known: its thread has another number in the kernel's switches")];
		const thread = { machine: lane.machine, pid: lane.pid || 0, tid: lane.tid }, waits = store.waitsIn(thread, page.store.start[at], page.store.end(at), WAKERS_SHOWN);
		if (waits.length)
			return waits.flatMap((wait) => this.wakerOf(wait));
		const run = store.runOf(thread, page.store.start[at]), before = run < 0 ? null : store.waitBefore(run);
		return before ? [element("dd", "it did not wait; before it:"), ...this.wakerOf(before)] : [element("dd", "none: it did not wait, or that is not known")];
	}

	/* Tables of a span. */

	table(table, names, rows) {
		const head = element("thead"), body = element("tbody"), line = element("tr");
		for (const name of names)
			line.append(element("th", name, { scope: "col" }));
		head.append(line);
		for (const [first, ...cells] of rows) {
			const row = element("tr");
			row.append(element("th", first, { scope: "row" }), ...cells.map((cell) => element("td", cell)));
			body.append(row);
		}
		table.replaceChildren(table.caption, head, body);
	}

	/* Fills them, unless another span is wanted meanwhile. */
	async tell(from, to, job) {
		const ran = this.store && await this.page.run(ranIn(this.store, from, to), job);
		$("runs").hidden = !this.store;
		if (ran)
			this.fill(ran, from, to);
	}

	fill({ processors, threads }, from, to) {
		const span = to - from, share = (time) => (100 * time / span).toFixed(2), { page } = this;
		this.table($("ran"), ["processor", "runs", "busy", "idle", "not known", "% busy", "records lost in all"], processors.map(({ lane, count, busy, unknown }) =>
			[page.processors.name(lane), ...[count, busy, span - busy - unknown, unknown].map(exactText), share(busy), lane.lost === null ? "n/a" : exactText(lane.lost)]));
		this.table($("runners"), ["thread", "runs", "time", "% of the span"], threads.slice(0, SUMMARY_ROWS).map(({ name, count, time }) =>
			[this.text(name), exactText(count), exactText(time), share(time)]));
		$("runners-left").textContent = threads.length > SUMMARY_ROWS ? "and " + exactText(threads.length - SUMMARY_ROWS) + " more threads" : "";
	}
}
