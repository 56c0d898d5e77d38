"use strict";
/* Curves that are always shown: starts per second, CPI, and how busy the processors were. In the timeline, of the view; beneath it, of the span. */

const CURVE = 34, CURVE_PARTS = 160;

class CurvePanel {
	constructor(page) {
		this.page = page;
		this.choices = [];
		this.columns = [];
		this.seen = [];
	}

	/* Places a curve for each of the columns that was measured in some interval. */
	listen() {
		const { page } = this;
		this.choices = [FLAME_CPIS.find((name) => page.hasNumbers(name)), "busy_pct"].filter((name) => page.hasNumbers(name))
			.map((name) => String(page.meta.columns.indexOf(name)));
		this.plots = this.choices.map(() => ({ told: element("p", undefined, { className: "note" }), canvas: element("canvas", undefined, { className: "plot" }) }));
		this.plots.forEach(({ told, canvas }, i) => {
			told.id = "curvetold" + i;
			canvas.setAttribute("role", "img");
			canvas.setAttribute("aria-label", "Curve of " + printable(page.meta.columns[Number(this.choices[i])]));
			canvas.setAttribute("aria-describedby", told.id);
			canvas.hidden = true;
			$("curves").append(told, canvas);
		});
	}

	async find() {
		const { page, choices } = this, columns = [];
		for (const choice of choices)
			columns.push(await page.readColumn(choice, () => true));
		this.columns = columns;
		page.arrange();
		page.changed();
	}

	/* A curve from tiles: of a column, or of -1 the starts alone. */
	farCurve(i, from, to) {
		const { page } = this;
		return page.tiles.curveOf(from, to, CURVE_PARTS, i < 0 ? null : page.farColumn(this.choices[i]).values);
	}

	/* Draws a column's curve of a span from tiles. Returns it. */
	drawFar(i, from, to) {
		const { page } = this, curve = this.farCurve(i, from, to);
		page.drawColumn(curve, page.farColumn(this.choices[i]), this.plots[i].canvas, this.plots[i].told);
		return curve;
	}

	/* Draws each column's curve in a span, until another span is wanted. Returns them; null: another span is. */
	async draw(from, to, job) {
		const { page } = this, curves = [];
		for (let i = 0; i < this.choices.length; i++) {
			const column = this.columns[i], { canvas, told } = this.plots[i];
			if (!column && page.farColumn) {
				curves[i] = this.drawFar(i, from, to);
				continue;
			}
			if (!column) {
				canvas.hidden = true;
				told.textContent = printable(page.meta.columns[this.choices[i]]) + ": drawn for up to " + exactText(page.unasked()) + " intervals. Colour by it to see it over time.";
				continue;
			}
			curves[i] = await this.curveOf(i, from, to, job);
			if (!curves[i])
				return null;
			page.drawColumn(curves[i], column, canvas, told);
		}
		return curves;
	}

	/* The curve of a column; of -1 the starts alone. */
	curveOf(i, from, to, job) {
		const { page } = this, slots = page.store.slot, values = i < 0 ? null : this.columns[i].values;
		return page.run(curveOf(page.store, from, to, CURVE_PARTS, values && ((at) => values[slots[at]])), job);
	}

	/* In the timeline. */

	/* The name of a lane's curve: -1: starts per second, else a column's. */
	name(i) {
		return i < 0 ? "starts per second" : printable(this.page.meta.columns[this.choices[i]]);
	}

	/* Lays out the lanes from y on, as Page.arrange does. */
	place(placed, y) {
		for (let i = -1; i < this.choices.length; i++)
			if (i < 0 || this.columns[i] || this.page.farColumn) {
				placed.push({ y, height: CURVE, curve: i });
				y += CURVE + 4;
			}
		return y;
	}

	/* The curves of the view: `all` has them by column, starts in `counts`. */
	see(from, to, counts, all) {
		const seconds = (to - from) / counts.length / 1e9, parts = [counts.map((count) => count / seconds), ...all.map((curve) => curve && curve.mean)];
		this.seen = parts.map((values) => values && { from, to, values, most: values.reduce((a, b) => b > a ? b : a, 0) });
		this.page.redraw();
	}

	/* Of the view where another span is selected. */
	async look(from, to, job) {
		const starts = await this.curveOf(-1, from, to, job), all = [];
		for (let i = 0; starts && i < this.choices.length; i++) {
			if (this.columns[i])
				all[i] = await this.curveOf(i, from, to, job);
			else if (this.page.farColumn)
				all[i] = this.farCurve(i, from, to);
			if (this.columns[i] && !all[i])
				return;
		}
		if (starts)
			this.see(from, to, starts.counts, all);
	}

	/* The same from tiles. */
	lookFar(from, to) {
		this.see(from, to, this.farCurve(-1, from, to).counts, this.choices.map((_, i) => this.farCurve(i, from, to)));
	}

	/* The value of a lane's curve at a time; NaN: none. */
	valueAt(i, time) {
		const curve = this.seen[i + 1];
		return curve ? curve.values[Math.floor((time - curve.from) / (curve.to - curve.from) * curve.values.length)] ?? NaN : NaN;
	}

	tell(i, time) {
		const value = this.valueAt(i, time);
		return this.name(i) + " about " + offsetText(time) + ": " + (isNaN(value) ? "not measured" : exactText(Number(value.toPrecision(4))));
	}

	/* Draws a lane: from 0 to the greatest value in view. */
	paint(ctx, i, y, width) {
		const { page } = this, theme = page.theme(), curve = this.seen[i + 1], bottom = y + CURVE;
		ctx.strokeStyle = theme.line;
		ctx.lineWidth = 1;
		ctx.strokeRect(-1, y + 0.5, width + 2, CURVE - 1);
		if (curve) {
			const { from, to, values, most } = curve, scale = (CURVE - 4) / (most || 1), part = (to - from) / values.length;
			ctx.fillStyle = theme.bar;
			values.forEach((value, at) => {
				if (!(value > 0))
					return;
				const left = page.xOf(from + at * part, width), right = page.xOf(from + (at + 1) * part, width);
				if (right > 0 && left < width)
					ctx.fillRect(left, bottom - value * scale - 1, right - left + 0.5, value * scale);
			});
		}
		const text = this.name(i) + (curve ? ", up to " + exactText(Number(curve.most.toPrecision(4))) : "");
		ctx.font = "11px system-ui, sans-serif";
		ctx.fillStyle = "rgba(" + theme.back.join(",") + ",0.75)";
		ctx.fillRect(2, y + 2, ctx.measureText(text).width + 6, 15);
		ctx.fillStyle = theme.text;
		ctx.fillText(text, 5, y + 10);
	}
}
