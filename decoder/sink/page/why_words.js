"use strict";
/* The answers of --report why --format json, in words. No document here: Node's tests run it. */

const WHY_TERMS = { instructions: "more instructions", cpi: "more cycles per instruction", cycles_per_ns: "a lower frequency", off_cpu: "time off the processors" };
const WHY_LESS = { instructions: "fewer instructions", cpi: "fewer cycles per instruction", cycles_per_ns: "a higher frequency", off_cpu: "less time off the processors" };

/* One decimal, without "-0.0". */
function whyPercent(value) {
	return value.toFixed(1).replace(/^-0\.0$/, "0.0") + " %";
}

/* "the tail goes with parent none (72.4 %: 13 of its 18)". */
function whyGoesWith(explanation, count) {
	return explanation.by + " " + printable(String(explanation.value)) + " (" + explanation.share_pct.toFixed(1) + " %: " + exactText(explanation.with_tail) +
		" of its " + exactText(count) + ", median " + durationText(explanation.with_p50_ns) + ", others' " + durationText(explanation.others_p50_ns) + ")";
}

/* Why the time off the processors attributes nothing: "; time off the processors was measured in 12 of 17". "": in none, or it does. */
function whyTooFew({ middle, tail, terms_ns: { off_cpu: off } }) {
	const known = tail.off_cpu_intervals, isShort = off === null && (known > 0 || middle.off_cpu_intervals > 0);
	return isShort ? "time off the processors was measured in " + exactText(known) + " of the " + exactText(tail.count) + " slowest and " + exactText(middle.off_cpu_intervals) +
		" of the " + exactText(middle.count) + " around the median, too few to attribute it" : "";
}

/* A sentence or two on an answer's tail. */
function whyWords(answer) {
	const { middle, tail, difference_ns: difference } = answer;
	const text = "the slowest (from p" + answer.tail_pct + " up: " + exactText(tail.count) + " of " + exactText(answer.count) + ") take " + durationText(tail.mean_ns) +
		" on average, those around the median " + durationText(middle.mean_ns) + ".";
	if (!(difference > 0))
		return text + " There is no difference to explain.";
	const terms = Object.entries(answer.terms_ns).filter(([name, ns]) => name !== "unattributed" && ns !== null)
		.map(([name, ns]) => [name, 100 * ns / difference]).filter(([, percent]) => Math.abs(percent) >= 1).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
	const parts = terms.map(([name, percent]) => (percent > 0 ? WHY_TERMS : WHY_LESS)[name] + " " + whyPercent(percent));
	const rest = answer.terms_ns.unattributed, isMeasured = Object.entries(answer.terms_ns).some(([name, ns]) => name !== "unattributed" && ns !== null);
	parts.push(isMeasured ? "not attributed " + whyPercent(100 * rest / difference) : "nothing was measured that would attribute it");
	const few = whyTooFew(answer);
	if (few)
		parts[parts.length - 1] = isMeasured ? parts[parts.length - 1] + " (" + few + ")" : few;
	const explanations = answer.explanations || [];
	return text + " Of the difference: " + parts.join(", ") + "." +
		(explanations.length ? " The tail goes with " + explanations.map((one) => whyGoesWith(one, tail.count)).join("; ") + "." : "");
}

/* [label, words] of each answer, in the report's order. */
function whyList(lines) {
	return lines.split("\n").filter((line) => line).map((line) => JSON.parse(line))
		.map((answer) => [answer.label === null ? "minor " + answer.minor : printable(answer.label), whyWords(answer)]);
}
