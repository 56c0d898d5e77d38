/* A heat map as an SVG document: styles, legend, axes, cells. */
#include "heatmap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "../escapes.h"
#include "flame_colour.h"
#include "../units.h"

enum {
	TOP = 118, /* pixels above the plot */
	BOTTOM = 58,
	HEIGHT = 480, /* of the plot, about */
	LEAST_ROW = 3,
	MOST_ROW = 24,
	LEVELS = 16, /* colours */
	HEATMAP_SCALE_WIDTH = 260,
	TICKS = 8,
	LEFT_PERCENT = 12, /* of the plot, of the picture's width */
	WIDTH_PERCENT = 86,
};

static const char heatmap_style[] =
	":root { --ground: #fbfaf7; --ink: #23211d; --soft: #6d675d; --line: #d9d4c9; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	"\t:root { --ground: #1b1a18; --ink: #ece8e0; --soft: #a8a196; --line: #3b3833; }\n"
	"}\n"
	"svg { font-family: ui-sans-serif, system-ui, -apple-system, \"Segoe UI\", \"Liberation "
	"Sans\", \"DejaVu Sans\", sans-serif; font-size: 12px; }\n"
	":root { background: var(--ground); }\n"
	".ground { fill: var(--ground); }\n"
	"text { fill: var(--ink); }\n"
	".title { font-size: 19px; font-weight: 600; }\n"
	".sub, .tick, .key { fill: var(--soft); }\n"
	".tick { font-size: 11px; font-variant-numeric: tabular-nums; }\n"
	".warn { fill: #b3261e; font-weight: 600; }\n"
	"@media (prefers-color-scheme: dark) { .warn { fill: #ff897d; } }\n"
	".grid { stroke: var(--line); }\n"
	".frame { fill: none; stroke: var(--soft); }\n"
	"#cells rect:hover { stroke: var(--ink); stroke-width: 2; vector-effect: "
	"non-scaling-stroke; }\n";

uint64_t heatmap_round_up(uint64_t least)
{
	static const unsigned factors[] = {1, 2, 5};

	for (uint64_t power = 1;; power *= 10)
		for (unsigned i = 0; i < sizeof factors / sizeof *factors; i++) {
			if (power > UINT64_MAX / factors[i])
				return UINT64_MAX;
			if (factors[i] * power >= least)
				return factors[i] * power;
			if (power > UINT64_MAX / 10 && factors[i] == 5)
				return UINT64_MAX;
		}
}

static void heatmap_write_text(struct out *o, const char *s)
{
	struct out safe;

	out_memory(&safe);
	escape_text(&safe, s, strlen(s));
	escape_xml(o, safe.buf, safe.len);
	if (!o->error)
		o->error = safe.error;
	out_discard(&safe);
}

/* A time with enough digits to distinguish steps, in a unit for the greatest one. */
static void heatmap_write_time(
	struct out *o, int64_t ns, double step, double greatest, bool is_relative)
{
	const double most_whole = 0x1p53;
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	unsigned unit = 0, decimals = 0;

	while (unit < 3 && greatest < units[unit].ns)
		unit++;
	for (double part = step / units[unit].ns; part < 0.999 && decimals < 9; part *= 10)
		decimals++;
	if (is_relative && ns >= 0)
		out_char(o, '+');
	if (fabs((double)ns) >= most_whole)
		out_seconds(o, ns);
	else
		out_fixed(o, (double)ns / units[unit].ns, decimals);
	out_printf(o, " %s", units[unit].name);
}

/* 1 to LEVELS, by the logarithm; 0: none. */
static unsigned heatmap_level(const struct heatmap *h, uint64_t count)
{
	if (!count)
		return 0;
	if (h->most == 1)
		return LEVELS;
	return 1 + (unsigned)((LEVELS - 1) * log((double)count) / log((double)h->most) + 0.5);
}

/* The palest one is left out: a single interval must be seen. */
static unsigned heatmap_colour(unsigned level)
{
	return flame_colour(0.12 + 0.88 * (level - 1) / (LEVELS - 1));
}

static void heatmap_write_head(struct out *o, const struct heatmap *h)
{
	out_str(o, "<text class=\"title\" x=\"1%\" y=\"29\">Heat map");
	if (h->host) {
		out_str(o, ": ");
		heatmap_write_text(o, h->host);
	}
	if (h->scripted)
		out_str(o, " <tspan class=\"warn\">(scripted counters)</tspan>");
	out_str(o, "</text>\n<text class=\"sub\" x=\"1%\" y=\"49\">");
	heatmap_write_text(o, h->range);
	out_printf(o, " \xC2\xB7 %" PRIu64 " interval%s", h->total, text_plural(h->total));
	if (h->label) {
		out_str(o, " of ");
		heatmap_write_text(o, h->label);
	}
	out_str(o, "</text>\n");
	if (!h->command && !h->lost)
		return;
	out_str(o, "<text class=\"sub\" x=\"1%\" y=\"67\">");
	if (h->command)
		heatmap_write_text(o, h->command);
	if (h->lost)
		out_printf(o,
			"<tspan class=\"warn\">%s%" PRIu64
			" hook%s lost: intervals may be missing</tspan>",
			h->command ? " \xC2\xB7 " : "", h->lost, text_plural(h->lost));
	out_str(o, "</text>\n");
}

/* The counts at both ends and between, by the logarithm. */
static void heatmap_write_legend(struct out *o, const struct heatmap *h)
{
	enum { LEGEND_TICKS = 5 };
	uint64_t before = 0;

	if (!h->total)
		return;
	out_printf(o, "<svg x=\"1%%\" y=\"78\" height=\"30\">");
	for (int i = 0; i < LEVELS; i++)
		out_printf(o, "<rect x=\"%d\" width=\"%d\" height=\"11\" fill=\"#%06x\"/>",
			i * HEATMAP_SCALE_WIDTH / LEVELS,
			(i + 1) * HEATMAP_SCALE_WIDTH / LEVELS - i * HEATMAP_SCALE_WIDTH / LEVELS,
			heatmap_colour((unsigned)(h->most == 1 ? LEVELS : i + 1)));
	for (int i = 0; i < LEGEND_TICKS; i++) {
		const double place = (double)i / (LEGEND_TICKS - 1);
		const uint64_t count = (uint64_t)llround(pow((double)h->most, place));

		if (count == before)
			continue;
		before = count;
		out_printf(o,
			"<text class=\"tick\" text-anchor=\"%s\" x=\"%d\" y=\"24\">%" PRIu64
			"</text>",
			!i			? "start"
			: i + 1 == LEGEND_TICKS ? "end"
						: "middle",
			(int)(place * HEATMAP_SCALE_WIDTH), count);
	}
	out_printf(o,
		"<text class=\"key\" x=\"%d\" y=\"10\">intervals that began then and took so "
		"long (logarithmic); empty: none</text></svg>\n",
		HEATMAP_SCALE_WIDTH + 12);
}

/* The height of a latency on the axis: 0 at the bottom, 1 at the top. */
static double heatmap_height(const struct heatmap *h, uint64_t ns)
{
	const uint32_t bucket = bucket_of(ns, h->parts);
	const double low = (double)bucket_low(bucket, h->parts);
	const double high = (double)bucket_low(bucket + 1, h->parts);
	const double in = high > low ? ((double)ns - low) / (high - low) : 0;

	return ((double)bucket - h->first_row + in) / h->rows;
}

static void heatmap_write_latency(
	struct out *o, const struct heatmap *h, uint64_t ns, unsigned height)
{
	const double y = TOP + height * (1 - heatmap_height(h, ns));

	out_printf(o, "<line class=\"grid\" x1=\"%d%%\" x2=\"%d%%\" y1=\"", LEFT_PERCENT,
		LEFT_PERCENT + WIDTH_PERCENT);
	out_fixed(o, y, 1);
	out_str(o, "\" y2=\"");
	out_fixed(o, y, 1);
	out_printf(o, "\"/><text class=\"tick\" text-anchor=\"end\" x=\"%d%%\" y=\"",
		LEFT_PERCENT - 1);
	out_fixed(o, y + 4, 1);
	out_str(o, "\">");
	heatmap_write_time(
		o, ns > INT64_MAX ? INT64_MAX : (int64_t)ns, (double)ns, (double)ns, false);
	out_str(o, "</text>\n");
}

/* Decades, or with few of them 1, 2 and 5 of each. */
static void heatmap_write_latencies(struct out *o, const struct heatmap *h, unsigned height)
{
	const uint64_t low = bucket_low(h->first_row, h->parts);
	const uint64_t high = bucket_low(h->first_row + h->rows, h->parts);
	const bool is_fine = high / (low ? low : 1) < 200;

	for (uint64_t power = 1; power && power <= high;
		power = power > UINT64_MAX / 10 ? 0 : power * 10)
		for (unsigned factor = 1; factor <= 5; factor += factor == 2 ? 3 : 1) {
			if (power > UINT64_MAX / factor || (factor > 1 && !is_fine))
				continue;
			const uint64_t ns = power * factor;
			if (ns >= low && ns <= high)
				heatmap_write_latency(o, h, ns, height);
		}
}

int64_t heatmap_time(const struct heatmap *h, int64_t origin, uint32_t column)
{
	const __int128 ns = (__int128)h->from + (__int128)h->step * column + origin;

	return ns > INT64_MAX ? INT64_MAX : ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

static double heatmap_find_greatest(const struct heatmap *h)
{
	return fmax(fabs((double)h->from), fabs((double)heatmap_time(h, 0, h->columns)));
}

static void heatmap_write_times(struct out *o, const struct heatmap *h, unsigned height)
{
	const double span = (double)h->step * h->columns;
	const uint64_t step = heatmap_round_up((uint64_t)(span / TICKS) + 1);
	const int64_t end = heatmap_time(h, 0, h->columns);
	const double greatest = heatmap_find_greatest(h);
	/* Far from the origin a double would not advance by a small step. */
	__int128 at = h->from - (__int128)h->from % step;

	for (at += at < h->from ? step : 0; at <= end; at += step) {
		const double x = LEFT_PERCENT + WIDTH_PERCENT * (double)(at - h->from) / span;

		out_str(o, "<line class=\"grid\" x1=\"");
		out_fixed(o, x, 3);
		out_str(o, "%\" x2=\"");
		out_fixed(o, x, 3);
		out_printf(o,
			"%%\" y1=\"%u\" y2=\"%u\"/><text class=\"tick\" text-anchor=\"middle\" x=\"",
			TOP, TOP + height + 5);
		out_fixed(o, x, 3);
		out_printf(o, "%%\" y=\"%u\">", TOP + height + 18);
		heatmap_write_time(o, (int64_t)at, (double)step, greatest, true);
		out_str(o, "</text>\n");
	}
	out_printf(o, "<text class=\"key\" text-anchor=\"middle\" x=\"%d%%\" y=\"%u\">start, from ",
		LEFT_PERCENT + WIDTH_PERCENT / 2, TOP + height + 38);
	heatmap_write_text(o, h->origin);
	out_str(o, "</text>\n");
}

static void heatmap_write_cell(
	struct out *o, const struct heatmap *h, uint32_t row, uint32_t column, uint64_t count)
{
	const double greatest = heatmap_find_greatest(h);

	out_printf(o,
		"<rect x=\"%u\" y=\"%u\" width=\"1\" height=\"1\" class=\"c%u\"><title>%" PRIu64
		" interval%s: ",
		column, h->rows - 1 - row, heatmap_level(h, count), count, text_plural(count));
	heatmap_write_time(o, heatmap_time(h, 0, column), (double)h->step, greatest, true);
	out_str(o, " to ");
	heatmap_write_time(o, heatmap_time(h, 0, column + 1), (double)h->step, greatest, true);
	out_str(o, ", ");
	units_duration(o, (double)bucket_low(h->first_row + row, h->parts));
	out_str(o, " to ");
	units_duration(o, (double)bucket_low(h->first_row + row + 1, h->parts));
	out_str(o, "</title></rect>\n");
}

static void heatmap_write_plot(struct out *o, const struct heatmap *h, unsigned height)
{
	out_printf(o,
		"<svg id=\"cells\" x=\"%d%%\" y=\"%d\" width=\"%d%%\" height=\"%u\" "
		"viewBox=\"0 0 %u %u\" preserveAspectRatio=\"none\">\n",
		LEFT_PERCENT, TOP, WIDTH_PERCENT, height, h->columns, h->rows);
	for (uint32_t row = 0; row < h->rows && !o->error; row++)
		for (uint32_t column = 0; column < h->columns; column++) {
			const uint64_t count = h->counts[(size_t)row * h->columns + column];

			if (count)
				heatmap_write_cell(o, h, row, column, count);
		}
	out_printf(o,
		"</svg>\n<rect class=\"frame\" x=\"%d%%\" y=\"%d\" width=\"%d%%\" height=\"%u\"/>\n",
		LEFT_PERCENT, TOP, WIDTH_PERCENT, height);
}

/* In words, for screen readers. */
static void heatmap_write_description(struct out *o, const struct heatmap *h)
{
	size_t fullest = 0;

	out_printf(o, "<desc id=\"desc\">%" PRIu64 " interval%s", h->total, text_plural(h->total));
	if (!h->total) {
		out_str(o, ": nothing to show.</desc>\n");
		return;
	}
	while (h->counts[fullest] != h->most)
		fullest++;
	out_str(o, " by when they began, to the right, and how long they took, upwards, from ");
	units_duration(o, (double)bucket_low(h->first_row, h->parts));
	out_str(o, " to ");
	units_duration(o, (double)bucket_low(h->first_row + h->rows, h->parts));
	out_str(o, ", logarithmic. A column is ");
	units_duration(o, (double)h->step);
	out_printf(o, ". Most, %" PRIu64 ", took from ", h->most);
	const uint32_t row = h->first_row + (uint32_t)(fullest / h->columns);
	units_duration(o, (double)bucket_low(row, h->parts));
	out_str(o, " to ");
	units_duration(o, (double)bucket_low(row + 1, h->parts));
	out_str(o, " and began in the column at ");
	out_fixed(o, ((double)h->from + (double)h->step * (double)(fullest % h->columns)) / 1e9, 9);
	out_str(o, " s. --report heatmap --format csv has every number.</desc>\n");
}

void heatmap_svg(struct out *o, const struct heatmap *h)
{
	unsigned row = h->rows ? HEIGHT / h->rows : 0;

	row = row < LEAST_ROW ? LEAST_ROW : row > MOST_ROW ? MOST_ROW : row;
	const unsigned height = h->rows * row;
	out_printf(o,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"%u\" "
		"style=\"min-width:640px\" role=\"img\" aria-labelledby=\"title desc\">\n"
		"<title id=\"title\">Heat map of intervals, time by latency</title>\n",
		TOP + height + BOTTOM);
	heatmap_write_description(o, h);
	out_str(o, "<style>\n");
	out_str(o, heatmap_style);
	for (unsigned level = 1; level <= LEVELS; level++)
		out_printf(o, ".c%u { fill: #%06x; }\n", level, heatmap_colour(level));
	out_str(o, "</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
	heatmap_write_head(o, h);
	heatmap_write_legend(o, h);
	if (h->total) {
		heatmap_write_latencies(o, h, height);
		heatmap_write_times(o, h, height);
		heatmap_write_plot(o, h, height);
	} else {
		out_printf(o,
			"<text class=\"key\" x=\"1%%\" y=\"%d\">There is no interval to show.</text>\n",
			TOP);
	}
	out_str(o, "</svg>\n");
}
