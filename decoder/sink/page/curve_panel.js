"use strict";
/* Curves that are always shown: CPI, and how busy the processors were. */

class CurvePanel {
	constructor(page) {
		this.page = page;
		this.choices = [];
		this.columns = [];
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
		page.changed();
	}

	/* Draws the curves of a span that has no window, from tiles. */
	drawFar(from, to) {
		const { page } = this;
		this.choices.forEach((choice, i) => {
			const column = page.farColumn(choice), { canvas, told } = this.plots[i];
			page.drawColumn(page.tiles.curveOf(from, to, 160, column.values), column, canvas, told);
		});
	}

	/* Draws each column's curve in a span, until another span is wanted. */
	async draw(from, to, job) {
		const { page } = this, slots = page.store.slot;
		for (let i = 0; i < this.choices.length; i++) {
			const column = this.columns[i], { canvas, told } = this.plots[i];
			if (!column) {
				canvas.hidden = true;
				told.textContent = page.meta.columns[this.choices[i]] + ": drawn for up to " + exactText(page.unasked()) + " intervals. Colour by it to see it over time.";
				continue;
			}
			const { values } = column, curve = await page.run(curveOf(page.store, from, to, 160, (at) => values[slots[at]]), job);
			if (!curve)
				return;
			page.drawColumn(curve, column, canvas, told);
		}
	}
}
