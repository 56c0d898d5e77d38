#include "change.h"

#include <math.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "flame_colour.h"
#include "text.h"

enum { COMMAND_CELLS = 90, STEPS = 16, WIDTH = 260 };

enum side { BEFORE, AFTER };

/* The mean of a side's runs. */
static double svg_change_mean(const struct flame *f, enum side side, uint64_t sum)
{
	return f->change->runs[side] ? (double)sum / f->change->runs[side] : 0;
}

/* -1: half or less, 0: the same, 1: double or more, or new. */
static double svg_change_place(double before, double after)
{
	if (!(after > 0))
		return before > 0 ? -1 : 0;
	if (!(before > 0))
		return 1;
	return fmin(fmax(log2(after / before), -1), 1);
}

unsigned svg_change_colour(const struct flame *f, const struct flame_frame *frame)
{
	return flame_colour_of_change(svg_change_place(svg_change_mean(f, BEFORE, frame->before),
		svg_change_mean(f, AFTER, frame->total)));
}

static void svg_change_value(struct out *o, const struct flame *f, enum side side, uint64_t sum)
{
	svg_grouped(o, (uint64_t)llround(svg_change_mean(f, side, sum)));
	out_printf(o, " %s%s", f->unit, f->change->runs[side] > 1 ? " a run" : "");
}

/* `+12.3%`; n/a of nothing. */
static void svg_change_percent(struct out *o, double before, double after)
{
	if (!(before > 0)) {
		out_str(o, after > 0 ? "new" : "n/a");
		return;
	}
	const double percent = 100 * (after - before) / before;

	if (percent >= 0)
		out_char(o, '+');
	out_fixed(o, percent, 1);
	out_char(o, '%');
}

void svg_change_tooltip(struct out *o, const struct flame *f, const struct flame_frame *frame)
{
	const double before = svg_change_mean(f, BEFORE, frame->before);
	const double after = svg_change_mean(f, AFTER, frame->total);
	const double all = svg_change_mean(f, AFTER, f->frames[0].total);

	svg_change_percent(o, before, after);
	out_str(o, before > 0 ? " against before" : ": not before");
	out_str(o, "\nbefore ");
	svg_change_value(o, f, BEFORE, frame->before);
	out_str(o, "\nafter ");
	svg_change_value(o, f, AFTER, frame->total);
	out_str(o, ", ");
	out_fixed(o, all > 0 ? 100 * after / all : 0, 2);
	out_str(o, "% of all");
}

void svg_change_legend(struct out *o)
{
	static const struct {
		double place;
		const char *text, *anchor;
	} ticks[] = {{0, "half", "start"}, {0.5, "same", "middle"}, {1, "double", "end"}};

	for (int i = 0; i <= STEPS; i++)
		out_printf(o, "<rect x=\"%d\" y=\"0\" width=\"%d\" height=\"11\" fill=\"#%06x\"/>",
			i * WIDTH / (STEPS + 1),
			(i + 1) * WIDTH / (STEPS + 1) - i * WIDTH / (STEPS + 1),
			flame_colour_of_change(i * 2.0 / STEPS - 1));
	out_printf(o, "<rect class=\"bar\" width=\"%d\" height=\"11\" fill=\"none\"/>", WIDTH);
	for (unsigned i = 0; i < sizeof ticks / sizeof *ticks; i++)
		out_printf(o, "<text class=\"tick\" text-anchor=\"%s\" x=\"%d\" y=\"24\">%s</text>",
			ticks[i].anchor, (int)(ticks[i].place * WIDTH), ticks[i].text);
	out_printf(o,
		"<text class=\"key\" x=\"%d\" y=\"10\">Red grew, blue shrank (a frame with what is on it); width: after</text>",
		WIDTH + 12);
}

void svg_change_runs(struct out *o, const struct flame *f, unsigned y, unsigned line)
{
	static const char *const names[] = {"before", "after"};
	const uint64_t totals[] = {f->frames[0].before, f->frames[0].total};

	for (unsigned side = BEFORE; side <= AFTER; side++) {
		const char *command = f->change->commands[side];

		out_printf(o, "<text class=\"sub\" x=\"1%%\" y=\"%u\">%s: ", y + side * line,
			names[side]);
		if (command) {
			svg_text_cut(o, command, strlen(command), COMMAND_CELLS);
			out_str(o, " \xC2\xB7 ");
		}
		if (f->change->runs[side] > 1)
			out_printf(o, "%u runs, ", f->change->runs[side]);
		svg_change_value(o, f, side, totals[side]);
		if (side == AFTER) {
			out_str(o, " (");
			svg_change_percent(o, svg_change_mean(f, BEFORE, totals[BEFORE]),
				svg_change_mean(f, AFTER, totals[AFTER]));
			out_printf(o, ") \xC2\xB7 width: %s", f->weight);
		}
		out_str(o, "</text>\n");
	}
}

void svg_change_gone(struct out *o, const struct flame *f)
{
	const uint32_t gone = f->change->gone;

	if (!gone)
		return;
	out_printf(o, " %u frame%s of before %s not there after: ", gone, text_plural(gone),
		gone == 1 ? "is" : "are");
	svg_change_value(o, f, BEFORE, f->change->gone_self);
	out_char(o, '.');
}
