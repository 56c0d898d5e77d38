#include "screen.h"

#ifdef SWTRACE_NCURSES

#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../formats/base/text.h"
#include "../../../formats/base/utf8.h"
#include "../cmd.h"
#include "collect.h"
#include "view.h"

enum screen_view { VIEW_LABELS, VIEW_PROGRAMS, VIEW_RINGS, VIEW_HISTOGRAM, VIEW_HELP };

enum {
	COLOUR_LOST = 1,
	SMALL_LINES = 10, /* below: one line of the summary */
	ESCAPE_KEY = 27,
};

struct top_screen {
	SCREEN *terminal;
	bool coloured, utf8;
	enum screen_view view;
	bool since_start;
	uint32_t selected; /* row of the labels */
	uint32_t first;	   /* line of the table at the top */
	/* The histogram's label: its index, once it is known, or its name. */
	bool has_label;
	uint32_t label;
	bool begun;
	char message[256];
};

static const char help_text[] = "q          quit\n"
				"l p r      labels, programs, rings\n"
				"h, Enter   histogram of the selected label\n"
				"up, down   select, scroll\n"
				"s S        sort by the next key, by the one before\n"
				"t          the last round, or since the start\n"
				"?          this help\n";

struct top_screen *top_screen_open(const char **why)
{
	struct top_screen *s = calloc(1, sizeof *s);

	*why = "not enough memory";
	if (!s)
		return NULL;
	setlocale(LC_CTYPE, "");
	s->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal) {
		*why = "TERM names no terminal that ncurses knows";
		free(s);
		return NULL;
	}
	set_term(s->terminal);
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	/* start_color alone emits a colour sequence. */
	if (cmd_may_colour() && has_colors() && start_color() == OK) {
		use_default_colors();
		s->coloured = init_pair(COLOUR_LOST, COLOR_RED, -1) == OK;
	}
	return s;
}

void top_screen_close(struct top_screen *s)
{
	if (!s)
		return;
	endwin();
	delscreen(s->terminal);
	free(s);
}

void top_screen_tell(struct top_screen *s, const char *line)
{
	snprintf(s->message, sizeof s->message, "%s", line);
}

/* ---------------------------------------------------------------------- drawing */

/* A locale without UTF-8 shows its characters as question marks. */
static void draw_text(const struct top_screen *s, const char *text, size_t size)
{
	if (s->utf8) {
		addnstr(text, (int)size);
		return;
	}
	for (size_t at = 0, n; at < size; at += n) {
		n = utf8_length(text + at, size - at);
		n = n ? n : 1;
		addch(n == 1 && text[at] > 0 ? (chtype)text[at] : '?');
	}
}

/* One line of text; the rest of the screen's line is cleared. */
static void draw_line(
	const struct top_screen *s, int y, const char *text, size_t size, attr_t attributes)
{
	if (y < 0 || y >= LINES)
		return;
	move(y, 0);
	clrtoeol();
	attrset((int)attributes);
	draw_text(s, text, utf8_fit(text, size, (size_t)(COLS > 1 ? COLS - 1 : 1)));
	attrset(A_NORMAL);
}

/* Lines `skip` to `skip + most` of a text, from y on. Returns how many it has in all. */
static uint32_t draw_lines(const struct top_screen *s, int y, const struct out *o, uint32_t skip,
	int most, uint32_t selected, attr_t attributes)
{
	const char *text = o->buf, *end = o->buf + o->len;
	uint32_t n = 0;

	for (; text < end; n++) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		size_t size = (size_t)((line_end ? line_end : end) - text);

		if (n >= skip && (int)(n - skip) < most)
			draw_line(s, y + (int)(n - skip), text, size,
				n == selected ? A_REVERSE : attributes);
		text += size + (line_end != NULL);
	}
	return n;
}

static const struct top_label *histogram_label(const struct top_screen *s, const struct top *t)
{
	if (s->has_label)
		return s->label < t->labels.count ? &t->labels.row[s->label] : NULL;
	return t->options.label ? top_labels_find(&t->labels, t->options.label) : NULL;
}

static void render_view(const struct top_screen *s, const struct top *t, struct out *o)
{
	struct document d = {.o = o, .keeps_heading = true};

	switch (s->view) {
	case VIEW_LABELS:
		top_view_labels(&d, t, s->since_start);
		break;
	case VIEW_PROGRAMS:
		top_view_programs(&d, t);
		break;
	case VIEW_RINGS:
		top_view_rings(&d, t);
		break;
	case VIEW_HISTOGRAM:
		top_view_histogram(
			&d, t, t->options.label ? t->options.label : "", histogram_label(s, t));
		break;
	case VIEW_HELP:
		out_str(o, help_text);
		break;
	}
}

static uint32_t count_lines(const struct out *o)
{
	uint32_t n = 0;

	for (size_t i = 0; i < o->len; i++)
		n += o->buf[i] == '\n';
	return n;
}

/* The table's first line, its headings, stays; the selected one is visible. */
static void draw_table(struct top_screen *s, const struct top *t, int y, int room)
{
	struct out o;

	out_memory(&o);
	render_view(s, t, &o);
	uint32_t lines = count_lines(&o), body = lines ? lines - 1 : 0;
	uint32_t fit = room > 1 ? (uint32_t)room - 1 : 0;
	bool selects = s->view == VIEW_LABELS;
	if (selects) {
		s->selected = s->selected < body ? s->selected : body ? body - 1 : 0;
		if (s->selected < s->first)
			s->first = s->selected;
		if (fit && s->selected >= s->first + fit)
			s->first = s->selected - fit + 1;
	}
	s->first = s->first + fit <= body ? s->first : body > fit ? body - fit : 0;
	if (o.buf) {
		draw_lines(s, y, &o, 0, 1, UINT32_MAX, A_BOLD);
		draw_lines(s, y + 1, &o, s->first + 1, (int)fit,
			selects ? s->selected + 1 : UINT32_MAX, A_NORMAL);
	}
	out_discard(&o);
}

static void draw_footer(const struct top_screen *s, const struct top *t)
{
	char line[512] = "";

	if (s->message[0])
		text_append(line, sizeof line, "%s", s->message);
	else
		text_append(line, sizeof line, "q quit  ? help  by %s%s",
			top_key_names[t->options.sort], s->since_start ? ", since the start" : "");
	draw_line(s, LINES - 1, line, strlen(line), A_DIM);
}

void top_screen_draw(struct top_screen *s, const struct top *t)
{
	bool lost = s->coloured && t->rings.sum.lost;
	struct out o;

	if (!s->begun) {
		s->begun = true;
		s->view = t->options.counts  ? VIEW_RINGS
			  : t->options.label ? VIEW_HISTOGRAM
					     : VIEW_LABELS;
	}
	erase();
	out_memory(&o);
	top_view_summary(&o, t);
	int head = (int)(LINES < SMALL_LINES ? 1 : count_lines(&o));
	if (o.buf)
		draw_lines(s, 0, &o, 0, head, UINT32_MAX,
			lost ? (attr_t)COLOR_PAIR(COLOUR_LOST) : A_NORMAL);
	out_discard(&o);
	int gap = LINES < SMALL_LINES ? 0 : 1;
	draw_table(s, t, head + gap, LINES - head - gap - 1);
	draw_footer(s, t);
	refresh();
}

/* ------------------------------------------------------------------------- keys */

static void change_view(struct top_screen *s, enum screen_view view)
{
	s->view = view;
	s->first = 0;
}

static void change_sort(struct top *t, unsigned step)
{
	t->options.sort = (enum top_key)((t->options.sort + step) % TOP_KEYS);
	top_collect_sort(t);
}

static void scroll_by(struct top_screen *s, int lines)
{
	uint32_t *at = s->view == VIEW_LABELS ? &s->selected : &s->first;

	if (lines < 0 && *at < (uint32_t)-lines)
		*at = 0;
	else
		*at += (uint32_t)lines;
}

static void show_histogram(struct top_screen *s, const struct top *t)
{
	if (s->view == VIEW_LABELS && s->selected < t->rows) {
		s->has_label = true;
		s->label = t->row[s->selected].label;
	}
	if (s->has_label || t->options.label)
		change_view(s, VIEW_HISTOGRAM);
}

/* False: leave. */
static bool screen_handle_key(struct top_screen *s, struct top *t, int key)
{
	switch (key) {
	case 'q':
	case 'Q':
		return false;
	case 'l':
	case ESCAPE_KEY:
		change_view(s, t->options.counts ? VIEW_RINGS : VIEW_LABELS);
		break;
	case 'p':
		change_view(s, VIEW_PROGRAMS);
		break;
	case 'r':
		change_view(s, VIEW_RINGS);
		break;
	case 'h':
	case '\n':
	case '\r':
	case KEY_ENTER:
		show_histogram(s, t);
		break;
	case '?':
		change_view(s, VIEW_HELP);
		break;
	case 't':
		s->since_start = !s->since_start;
		break;
	case 's':
		change_sort(t, 1);
		break;
	case 'S':
		change_sort(t, TOP_KEYS - 1);
		break;
	case KEY_UP:
	case 'k':
		scroll_by(s, -1);
		break;
	case KEY_DOWN:
	case 'j':
		scroll_by(s, 1);
		break;
	case KEY_PPAGE:
		scroll_by(s, -(LINES / 2));
		break;
	case KEY_NPAGE:
		scroll_by(s, LINES / 2);
		break;
	default: /* KEY_RESIZE: redraw */
		break;
	}
	return true;
}

bool top_screen_handle_keys(struct top_screen *s, struct top *t)
{
	bool changed = false;
	int key;

	while ((key = getch()) != ERR) {
		s->message[0] = 0;
		if (!screen_handle_key(s, t, key))
			return false;
		changed = true;
	}
	if (changed)
		top_screen_draw(s, t);
	return true;
}

#else

struct top_screen *top_screen_open(const char **why)
{
	*why = "this swtrace was built without ncurses";
	return NULL;
}

void top_screen_close(struct top_screen *s)
{
	(void)s;
}

void top_screen_draw(struct top_screen *s, const struct top *t)
{
	(void)s;
	(void)t;
}

bool top_screen_handle_keys(struct top_screen *s, struct top *t)
{
	(void)s;
	(void)t;
	return true;
}

void top_screen_tell(struct top_screen *s, const char *line)
{
	(void)s;
	(void)line;
}

#endif
