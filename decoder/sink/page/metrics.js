"use strict";
/*
 * Derived metrics (`metrics` of `meta`): formulas of the columns of an interval, or of a group's means, as in --report intervals and
 * summary (report/values/metrics.h). No document here: Node's tests run it.
 */

/* The value of a formula, NaN: n/a. operands: of each, a number. */
function metricValue({ steps }, operands) {
	const stack = [];
	for (const step of steps) {
		if (typeof step === "number") {
			stack.push(operands[step]);
		} else if (typeof step !== "string") {
			stack.push(step[0]);
		} else if (step === "negate") {
			stack.push(-stack.pop());
		} else {
			const b = stack.pop(), a = stack.pop();
			stack.push(step === "+" ? a + b : step === "-" ? a - b : step === "*" ? a * b : b ? a / b : NaN);
		}
	}
	/* There is no -0 in reports. */
	return isFinite(stack[0]) ? stack[0] + 0 : NaN;
}

/* With the digits of CSV; null: n/a. */
function metricDigits(value) {
	return isNaN(value) ? null : value.toFixed(4);
}

/* Of an interval, from its cells and its duration. */
function metricText(metric, cells, duration) {
	return metricDigits(metricValue(metric, metric.operands.map((place) => place === null ? duration : Number(cells[place] ?? NaN))));
}

/* Whether some interval may have a metric. numeric: the places of columns with numbers. */
function isMetricMeasured({ operands }, numeric) {
	return operands.every((place) => place === null || numeric.includes(place));
}

/* Replaces the first of `columns`, those of the operands that are columns, with the metric's values by slot. */
function metricColumn(metric, store, columns) {
	const { operands } = metric, values = columns[0] || new Float64Array(store.count), slots = store.slot, own = new Array(operands.length);
	for (let at = 0; at < store.count; at++) {
		const slot = slots[at];
		for (let i = 0, k = 0; i < operands.length; i++)
			own[i] = operands[i] === null ? store.duration[at] : columns[k++][slot];
		values[slot] = metricValue(metric, own);
	}
	return values;
}
