/* The flame graph as one SVG document: styles, legend, frames, script. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/search.h"
#include "../../../formats/base/text.h"
#include "../flame.h"
#include "flame_colour.h"
#include "change.h"
#include "text.h"
#include "../units.h"

/* flame.css and flame.js, built in (formats/embed.cmake). */
extern const unsigned char flame_css[], flame_js[];
extern const unsigned flame_css_size, flame_js_size;

enum {
	ROW = 21,
	HEADER = 106,
	FOOTER = 34,
	SCALE_WIDTH = 260,
	NOMINAL_WIDTH = 1200,
	MAX_NAME = 1024, /* bytes of a name on its frame, and where another frame has all of it */
	MARGIN = 8,	 /* of a name on its frame, in pixels */
	FIRST_LINE = 49,
	LINE = 18,
	MAX_COMMAND = 120, /* cells */
};

/* The width of a letter in pixels, where no script measures it. */
#define LETTER_WIDTH 7.3

/* Narrower than a tenth of a pixel at the nominal width, a frame would be invisible. */
#define NARROWEST (0.1 / NOMINAL_WIDTH)

struct svg {
	struct out *o;
	const struct flame *flame;
	/* By the first that some interval has; by change in a differential graph. */
	enum { BY_CPI, BY_OFF_CPU, BY_NAME, BY_CHANGE } colours;
	struct flame_scale scale;
	const char *scale_name;
	unsigned header; /* pixels */
	uint32_t rows;
	uint8_t *cut; /* a bit for each frame whose name another frame stores in full; NULL: none */
};

/* A frame with a name longer than MAX_NAME, found by hash: equal names may be stored once per
 * thread. */
struct long_name {
	uint64_t hash;
	uint32_t frame;
};

static int svg_compare_names(const void *a, const void *b)
{
	const struct long_name *x = a, *y = b;

	return compare_u64_pair(x->hash, y->hash, x->frame, y->frame);
}

static bool have_same_name(const struct flame_frame *x, const struct flame_frame *y)
{
	return x->name_len == y->name_len && memcmp(x->name, y->name, x->name_len) == 0;
}

/* Stores a long name once, in the first frame that has it. 0, or -1: no memory. */
static int cut_names(struct svg *s)
{
	const struct flame *f = s->flame;
	size_t n = 0;

	for (uint32_t i = 0; i < f->count; i++)
		n += f->frames[i].name_len > MAX_NAME;
	if (n < 2)
		return 0;
	struct long_name *names = malloc(n * sizeof *names);
	s->cut = calloc(f->count / 8 + 1, 1);
	if (!names || !s->cut) {
		free(names);
		return -1;
	}
	n = 0;
	for (uint32_t i = 0; i < f->count; i++)
		if (f->frames[i].name_len > MAX_NAME)
			names[n++] = (struct long_name){
				XXH3_64bits(f->frames[i].name, f->frames[i].name_len), i};
	qsort(names, n, sizeof *names, svg_compare_names);
	for (size_t i = 1; i < n; i++)
		if (names[i].hash == names[i - 1].hash &&
			have_same_name(&f->frames[names[i].frame], &f->frames[names[i - 1].frame]))
			s->cut[names[i].frame / 8] |= (uint8_t)(1u << names[i].frame % 8);
	free(names);
	return 0;
}

static bool is_cut(const struct svg *s, const struct flame_frame *frame)
{
	size_t i = (size_t)(frame - s->flame->frames);

	return s->cut && s->cut[i / 8] >> i % 8 & 1;
}

/* A position as a fraction of the picture, 0 to 1. */
static double svg_share_of_total(const struct svg *s, uint64_t weight)
{
	uint64_t all = s->flame->frames[0].total;

	return all ? (double)weight / (double)all : 0;
}

uint64_t flame_least(uint64_t all)
{
	struct search s = {0, all};

	if (!all)
		return UINT64_MAX;
	while (s.low < s.high)
		search_narrow(&s, (double)search_middle(&s) / (double)all < NARROWEST);
	return s.low;
}

static const char *cpi_name(enum flame_cpi kind)
{
	static const char *const names[] = {[FLAME_CPI_NONE] = "CPI not measured",
		[FLAME_CPI_THREAD] = "thread CPI",
		[FLAME_CPI_SCALED] = "scaled CPI",
		[FLAME_CPI_RAW] = "raw CPI",
		[FLAME_OFF_CPU] = "CPI not measured, off the processors"};

	return names[kind];
}

/* Writes the legend: one or several kinds of CPI, and the range of the colours. */
static void choose_scale(struct svg *s)
{
	unsigned all = s->flame->cpis.kinds,
		 kinds = all & ~(1u << FLAME_CPI_NONE | 1u << FLAME_OFF_CPU);

	s->colours = s->flame->change		 ? BY_CHANGE
		     : s->flame->cpis.high > 0	 ? BY_CPI
		     : all & 1u << FLAME_OFF_CPU ? BY_OFF_CPU
						 : BY_NAME;
	s->scale = s->colours == BY_OFF_CPU
			   ? (struct flame_scale){.high = 1}
			   : flame_scale_of(s->flame->cpis.low, s->flame->cpis.high);
	if (s->colours == BY_OFF_CPU)
		s->scale_name = "share of the time off the processors (CPI not measured)";
	else if (kinds & (kinds - 1))
		s->scale_name = "CPI: the thread's, else scaled, else raw (see the tooltips)";
	else if (kinds == 1u << FLAME_CPI_THREAD)
		s->scale_name = "thread CPI, cycles per instruction";
	else if (kinds == 1u << FLAME_CPI_SCALED)
		s->scale_name = "scaled CPI, busy cycles per instruction";
	else
		s->scale_name = "raw CPI, cycles per instruction";
}

/* Cuts the name to MAX_NAME bytes, between characters. */
static uint32_t cut_bytes(const struct flame_frame *frame)
{
	uint32_t n = frame->name_len;

	if (n > MAX_NAME)
		for (n = MAX_NAME; n && (frame->name[n] & 0xC0) == 0x80;)
			n--;
	return n;
}

/* Cuts the name to its frame: where a picture runs no script, as in a page that embeds it, nothing
 * else does. */
static void write_name(struct out *o, const struct flame_frame *frame, double width)
{
	double room = (width * NOMINAL_WIDTH - MARGIN) / LETTER_WIDTH;

	if (room >= 2)
		svg_text_cut(o, frame->name, cut_bytes(frame), (size_t)room);
}

/* The frame's weight, and its intervals. */
static void write_figures(struct svg *s, const struct flame_frame *frame)
{
	struct out *o = s->o;

	if (s->colours == BY_CHANGE) {
		svg_change_tooltip(o, s->flame, frame);
		return;
	}
	svg_grouped(o, frame->total);
	out_printf(o, " %s, ", s->flame->unit);
	out_fixed(o, 100 * svg_share_of_total(s, frame->total), 2);
	out_str(o, "% of all\n");
	if (frame->self != frame->total && frame->kind == FLAME_INTERVAL) {
		svg_grouped(o, frame->self);
		out_printf(o, " %s not spent in nested intervals\n", s->flame->unit);
	}
	uint64_t count = frame->kind == FLAME_INTERVAL ? frame->count : frame->within;
	svg_grouped(o, count);
	out_str(o, count == 1 ? " interval" : " intervals");
	if (frame->kind != FLAME_INTERVAL)
		return;
	out_str(o, ", ");
	units_duration(o, frame->elapsed_ns);
	out_char(o, '\n');
	out_str(o, cpi_name(frame->cpi_kind));
	if (frame->cpi_kind == FLAME_OFF_CPU) {
		out_char(o, ' ');
		out_fixed(o, 100 * frame->cpi, 2);
		out_str(o, "% of the time");
	} else if (!isnan(frame->cpi)) {
		out_char(o, ' ');
		out_fixed(o, frame->cpi, 4);
	}
}

/* Writes a tooltip: its first line is the name; the script shows the rest unchanged. */
static void write_tooltip(struct svg *s, const struct flame_frame *frame)
{
	struct out *o = s->o;

	out_str(o, "<title>");
	if (is_cut(s, frame)) {
		svg_text(o, frame->name, cut_bytes(frame));
		out_str(o, SVG_ELLIPSIS);
		out_printf(o, "\n(%u bytes of name: another frame of it has all)", frame->name_len);
	} else {
		svg_text(o, frame->name, frame->name_len);
	}
	out_str(o, frame->kind == FLAME_PROCESS ? "\nprocess\n"
		   : frame->kind == FLAME_TASK	? "\nthread\n"
						: "\n");
	write_figures(s, frame);
	out_str(o, "</title>");
}

/* The colour of an interval's frame; 0: the colouring metric is n/a for it. */
static unsigned frame_colour(const struct svg *s, const struct flame_frame *frame)
{
	if (s->colours == BY_CHANGE)
		return svg_change_colour(s->flame, frame);
	if (s->colours == BY_NAME)
		return flame_colour_of_name(frame->name, frame->name_len);
	if (isnan(frame->cpi) || (s->colours == BY_CPI && frame->cpi_kind == FLAME_OFF_CPU))
		return 0;
	return flame_colour(flame_scale_fraction(&s->scale, frame->cpi));
}

static void write_frame(struct svg *s, const struct flame_frame *frame)
{
	struct out *o = s->o;
	const bool is_coloured = frame->kind == FLAME_INTERVAL || s->colours == BY_CHANGE;
	unsigned colour = is_coloured ? frame_colour(s, frame) : 0;
	const char *class = is_coloured && colour ? flame_colour_is_dark(colour) ? "light" : "dark"
			    : frame->kind == FLAME_ROOT	    ? "root"
			    : frame->kind != FLAME_INTERVAL ? "task"
			    : !colour			    ? "unmeasured"
			    : flame_colour_is_dark(colour)  ? "light"
							    : "dark";
	unsigned y = (s->rows - 1 - frame->depth) * ROW;
	double x = svg_share_of_total(s, frame->left), width = svg_share_of_total(s, frame->total);
	out_printf(o, "<svg class=\"frame %s\" tabindex=\"-1\" role=\"treeitem\" x=\"", class);
	out_fixed(o, 100 * x, 5);
	out_printf(o, "%%\" y=\"%u\" width=\"", y);
	out_fixed(o, 100 * width, 5);
	out_printf(o, "%%\" height=\"%u\" data-d=\"%u\" data-x=\"", ROW, frame->depth);
	out_general(o, x, 9);
	out_str(o, "\" data-w=\"");
	out_general(o, width, 9);
	out_str(o, "\">");
	write_tooltip(s, frame);
	out_printf(o, "<rect width=\"100%%\" height=\"%u\" rx=\"2\"", ROW);
	if (colour)
		out_printf(o, " fill=\"#%06x\"", colour);
	out_str(o, "/><text x=\"5\" y=\"15\">");
	write_name(o, frame, width);
	out_str(o, "</text></svg>\n");
}

/* Walks in preorder without recursion: the trace controls the depth. */
static void write_frames(struct svg *s)
{
	const struct flame *f = s->flame;

	for (uint32_t i = 0;;) {
		write_frame(s, &f->frames[i]);
		if (f->frames[i].first_child) {
			i = f->frames[i].first_child;
			continue;
		}
		while (i && !f->frames[i].next)
			i = f->frames[i].parent;
		if (!i)
			break;
		i = f->frames[i].next;
	}
}

static void write_scale(struct svg *s)
{
	enum { WIDTH = SCALE_WIDTH, TICKS = 5 };
	struct out *o = s->o;

	for (int i = 0; i <= 16; i++)
		out_printf(o, "<rect x=\"%d\" y=\"0\" width=\"%d\" height=\"11\" fill=\"#%06x\"/>",
			i * WIDTH / 17, (i + 1) * WIDTH / 17 - i * WIDTH / 17,
			flame_colour(i / 16.0));
	out_printf(o, "<rect class=\"bar\" width=\"%d\" height=\"11\" fill=\"none\"/>", WIDTH);
	for (int i = 0; i < TICKS; i++) {
		double place = (double)i / (TICKS - 1);

		out_printf(o, "<text class=\"tick\" text-anchor=\"%s\" x=\"%d\" y=\"24\">",
			!i		 ? "start"
			: i + 1 == TICKS ? "end"
					 : "middle",
			(int)(place * WIDTH));
		double value = flame_scale_value(&s->scale, place);
		if (s->colours == BY_OFF_CPU)
			out_printf(o, "%d%%", (int)lround(100 * value));
		else
			out_fixed(o, value, s->scale.high < 100 ? 2 : 0);
		out_str(o, "</text>");
	}
	out_printf(o, "<text class=\"key\" x=\"%d\" y=\"10\">%s</text>", WIDTH + 12, s->scale_name);
}

static void write_legend(struct svg *s)
{
	struct out *o = s->o;

	out_printf(o, "<svg x=\"1%%\" y=\"%u\" height=\"30\">", s->header - 40);
	int x = 0;
	if (s->colours == BY_CHANGE) {
		svg_change_legend(o);
		out_str(o, "</svg>\n");
		return;
	}
	if (s->colours == BY_NAME) {
		out_str(o,
			"<text class=\"key\" y=\"10\">Colours distinguish names: no CPI was measured in any interval, nor its time off the processors.</text></svg>\n");
		return;
	}
	if (!s->scale.empty) {
		write_scale(s);
		/* To the right of the scale and its name, at some six pixels a letter. */
		x = SCALE_WIDTH + 32 + 6 * (int)strlen(s->scale_name);
	}
	if (s->flame->cpis.unmeasured ||
		(s->colours == BY_CPI && s->flame->cpis.kinds & 1u << FLAME_OFF_CPU))
		out_printf(o,
			"<rect x=\"%d\" width=\"26\" height=\"12\" rx=\"2\" fill=\"url(#hatch)\"/><text class=\"key\" x=\"%d\" y=\"10\">%s</text>",
			x, x + 34, s->colours == BY_CPI ? "CPI not measured" : "not measured");
	out_str(o, "</svg>\n");
}

static const char *svg_title(const struct flame *f)
{
	return f->change ? "Differential flame graph" : "Interval flame graph";
}

/* Lines under the first one of what the picture is of. */
static unsigned svg_count_lines(const struct flame *f)
{
	return (f->change != NULL) + (f->command || f->lost);
}

/* The last of these lines, if there is anything for it. */
static void svg_write_command(struct svg *s)
{
	const struct flame *f = s->flame;
	struct out *o = s->o;

	if (!f->command && !f->lost)
		return;
	out_printf(o, "<text class=\"sub\" x=\"1%%\" y=\"%u\">",
		FIRST_LINE + LINE * svg_count_lines(f));
	if (f->command)
		svg_text_cut(o, f->command, strlen(f->command), MAX_COMMAND);
	if (f->lost) {
		out_str(o, "<tspan class=\"warn\">");
		if (f->command)
			out_str(o, " \xC2\xB7 ");
		svg_grouped(o, f->lost);
		out_printf(
			o, " hook%s lost: intervals may be missing</tspan>", text_plural(f->lost));
	}
	out_str(o, "</text>\n");
}

static void svg_write_header(struct svg *s)
{
	const struct flame *f = s->flame;
	struct out *o = s->o;

	out_printf(o, "<text class=\"title\" x=\"1%%\" y=\"29\">%s", svg_title(f));
	if (f->host) {
		out_str(o, ": ");
		svg_text(o, f->host, strlen(f->host));
	}
	if (f->scripted)
		out_str(o, " <tspan class=\"warn\">(scripted counters, not measured)</tspan>");
	out_str(o, "</text>\n");
	if (f->change) {
		svg_change_runs(o, f, FIRST_LINE, LINE);
	} else {
		out_printf(o, "<text class=\"sub\" x=\"1%%\" y=\"%d\">", FIRST_LINE);
		svg_text(o, f->range, strlen(f->range));
		out_str(o, " \xC2\xB7 ");
		svg_grouped(o, f->frames[0].total);
		out_printf(o, " %s in all \xC2\xB7 width: %s", f->unit, f->weight);
		out_str(o, "</text>\n");
	}
	svg_write_command(s);
	out_str(o,
		"<foreignObject id=\"tools\" class=\"gone\" x=\"49%\" y=\"10\" width=\"50%\" height=\"32\"><div xmlns=\"http://www.w3.org/1999/xhtml\" class=\"tools\"><output id=\"matched\"></output><input id=\"search\" type=\"search\" placeholder=\"Search (text or regex)\" aria-label=\"Search frames\"/><button id=\"reset\" type=\"button\">Reset</button></div></foreignObject>\n");
}

static void write_footer(struct svg *s)
{
	struct out *o = s->o;
	unsigned y = s->header + s->rows * ROW + 22;

	out_printf(o,
		"<text class=\"key\" x=\"1%%\" y=\"%u\">Click or Enter zooms, arrow keys walk, / searches (Enter: the next one), Esc resets.",
		y);
	uint32_t left_out = s->flame->left_out;
	if (left_out)
		out_printf(o,
			" %u frame%s narrower than a tenth of a pixel or deeper than %d rows left out.",
			left_out, text_plural(left_out), FLAME_MAX_ROWS);
	if (s->flame->change)
		svg_change_gone(o, s->flame);
	if (!s->flame->frames[0].total)
		out_str(o, " There is no interval to show.");
	out_str(o, "</text>\n");
}

void flame_svg(struct out *o, const struct flame *f)
{
	struct svg s = {.o = o, .flame = f, .header = HEADER + LINE * svg_count_lines(f)};

	choose_scale(&s);
	if (cut_names(&s) && !o->error)
		o->error = ENOMEM;
	for (uint32_t i = 0; i < f->count; i++)
		s.rows = f->frames[i].depth >= s.rows ? f->frames[i].depth + 1 : s.rows;
	unsigned height = s.header + s.rows * ROW + FOOTER;
	out_printf(o,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"%u\" style=\"min-width:640px\">\n<title>%s",
		height, svg_title(f));
	if (f->command) {
		out_str(o, ": ");
		svg_text_cut(o, f->command, strlen(f->command), MAX_COMMAND);
	}
	out_str(o, "</title>\n<style>\n");
	out_bytes(o, flame_css, flame_css_size);
	out_str(o,
		"</style>\n<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" class=\"hatch-ground\"/><line y2=\"6\" class=\"hatch-line\"/></pattern></defs>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
	svg_write_header(&s);
	write_legend(&s);
	out_printf(o,
		"<svg id=\"plot\" role=\"tree\" aria-label=\"Intervals\" x=\"1%%\" y=\"%u\" width=\"98%%\" height=\"%u\">\n",
		s.header, s.rows * ROW);
	write_frames(&s);
	out_str(o, "</svg>\n");
	write_footer(&s);
	out_str(o, "<g id=\"tip\" class=\"gone\"></g>\n<script><![CDATA[\n");
	out_bytes(o, flame_js, flame_js_size);
	out_str(o, "]]></script>\n</svg>\n");
	free(s.cut);
}
