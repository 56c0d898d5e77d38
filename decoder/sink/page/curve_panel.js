"use strict";
/* Curves that are always shown: CPI, and how busy the processors were. */

class CurvePanel {
	constructor(page) {
		this.page = page;
		this.columns = [];
	}

	/* Reads the columns that were measured in some interval. */
	async find() {
		const { page } = this, isNumeric = (name) => page.meta.numeric.includes(page.meta.columns.indexOf(name));
		const columns = [];
		for (const name of [FLAME_CPIS.find(isNumeric), "busy_pct"].filter((one) => one && isNumeric(one)))
			columns.push(await page.readColumn(String(page.meta.columns.indexOf(name)), () => true));
		this.columns = columns;
		this.plots = columns.map(() => ({ told: element("p", undefined, { className: "note" }), canvas: element("canvas", undefined, { className: "plot" }) }));
		this.plots.forEach(({ told, canvas }, i) => {
			told.id = "curvetold" + i;
			canvas.setAttribute("role", "img");
			canvas.setAttribute("aria-describedby", told.id);
			$("curves").append(told, canvas);
		});
		page.changed();
	}

	/* Draws each column's curve in a span, until another span is wanted. */
	async draw(from, to, job) {
		const { page } = this, { number } = page.store;
		for (let i = 0; i < this.columns.length; i++) {
			const { values } = this.columns[i], curve = await page.run(curveOf(page.store, from, to, 160, (at) => values[number[at]]), job);
			if (!curve)
				return;
			page.drawColumn(curve, this.columns[i], this.plots[i].canvas, this.plots[i].told);
		}
	}
}
