/*
 * top: a live view of the session.
 */
#include "../../../formats/base/number.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../flight.h"
#include "../wake.h"
#include "collect.h"
#include "json.h"
#include "screen.h"
#include "view.h"

enum {
	OPTION_BATCH = 1,
	OPTION_COUNTS,
	OPTION_INTERVAL,
	OPTION_ROUNDS,
	OPTION_SORT,
	OPTION_WHERE,
	OPTION_LABEL,
	OPTION_JSON,
	OPTION_OUTPUT
};

#define SORT_KEYS "rate|count|mean|p50|p99|max|cpi|on|off|label"

static const struct option options[] = {
	{OPTION_BATCH, "--batch",
		.help = "prints lines instead of a full-screen view; so does an output that\n"
			"              is no terminal"},
	{OPTION_JSON, "--json", .help = "one JSON object a round, each on its line"},
	{OPTION_COUNTS, "--counts",
		.help = "counts alone, of rings and programs: takes least of a processor"},
	{OPTION_INTERVAL, "--interval", .value = "T", .help = "the length of a round (1s)"},
	{OPTION_ROUNDS, "--rounds", .value = "N", .help = "ends after N rounds"},
	{OPTION_SORT, "--sort", .value = SORT_KEYS, .help = "the order of labels (rate)"},
	{OPTION_WHERE, "--where", .value = "CONDITION",
		.words =
			"label=|elapsed>|major=|minor=|mm=|tid=|pid=|comm=|cpu=|cpi>|lost>|arg.|event.|off_cpu_ns>|on_cpu_ns>|ctx_switches>|faults>|raw_cpi>|thread_cpi>|busy_pct>|flags=",
		.help = "labels and programs count only hooks for which it holds, as\n"
			"              trigger --when has it; rings count all"},
	{OPTION_LABEL, "--label", .value = "NAME",
		.help = "also a histogram of this label's elapsed times"},
	{OPTION_OUTPUT, "-o", .value = "FILE",
		.help = "where --batch and --json print to (standard output)"},
	{.help = "\n"
		 "Keys: q quits; l labels, p programs, r rings, h or Enter the selected label's histogram;\n"
		 "s and S sort by the next key and the one before; t the last round or since the start;\n"
		 "? help. Ends with 0 on q, SIGINT, SIGTERM, or when the buffers are freed.\n\n"
		 "  swtrace top --where 'label=req* and elapsed>1ms' --sort p99\n"},
	{0}};

/* Where rounds are shown or printed. */
struct display {
	struct top_screen *screen; /* NULL: lines */
	int out;
	int wake; /* readable: a signal came */
};

/* ---------------------------------------------------------------------- printing */

static const char *name_of_output(const struct top *t)
{
	return t->options.path ? t->options.path : "-";
}

static int fail_output(const struct top *t, const char *what)
{
	const char *path = name_of_output(t);
	char line[512];

	snprintf(line, sizeof line, "%s: cannot %s: %s",
		strcmp(path, "-") == 0 ? "standard output" : path, what, strerror(errno));
	return cmd_fail_output(t->verb, path, line);
}

/* A signal leaves it readable; any other wake-up is drained here. */
static void settle_wake(const struct display *d)
{
	uint64_t n;
	ssize_t got = wake_should_end ? 0 : read(d->wake, &n, sizeof n);

	(void)got; /* if it is not readable, there was nothing to settle */
}

/*
 * Writes as much as fits into a pipe without waiting, so that a reader that has stopped keeps no
 * signal from ending top. False: see errno.
 */
static bool send_bytes(const struct display *d, const char *bytes, size_t n)
{
	while (n) {
		struct pollfd p[2] = {
			{.fd = d->wake, .events = POLLIN}, {.fd = d->out, .events = POLLOUT}};

		poll(p, 2, wake_should_end ? 0 : -1);
		if (!p[1].revents && wake_should_end)
			return true;
		if (p[0].revents)
			settle_wake(d);
		if (!p[1].revents)
			continue;
		ssize_t sent = write(d->out, bytes, n < PIPE_BUF ? n : PIPE_BUF);
		if (sent < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		bytes += sent > 0 ? sent : 0;
		n -= sent > 0 ? (size_t)sent : 0;
	}
	return true;
}

static int print_round(const struct top *t, const struct display *d)
{
	struct out text;
	struct json json = {.o = &text, .spaced = true};
	int code = EXIT_FINE;

	out_memory(&text);
	if (t->options.json)
		top_put_json(&json, t);
	else
		top_view_batch(&text, t);
	if (text.error)
		code = cmd_fail(t->verb, "%s", strerror(text.error));
	else if (!send_bytes(d, text.buf, text.len))
		code = fail_output(t, "write");
	out_discard(&text);
	return code;
}

/* Ends the round and shows it. Returns an exit code. */
static int show_round(struct top *t, struct display *d)
{
	top_collect_poll(t);
	if (!top_collect_close_round(t))
		return cmd_fail(t->verb, "table of labels and programs: not enough memory");
	if (!d->screen)
		return print_round(t, d);
	top_screen_draw(d->screen, t);
	return EXIT_FINE;
}

/* ------------------------------------------------------------------------ its end */

static void close_screen(struct display *d)
{
	top_screen_close(d->screen);
	d->screen = NULL;
}

/* Hooks written since the last round. */
static int show_rest(struct top *t, struct display *d)
{
	return d->screen ? EXIT_FINE : show_round(t, d);
}

static int end_freed(struct top *t, struct display *d)
{
	int code = show_rest(t, d);

	close_screen(d);
	cmd_note(t->verb, "%s: its trace buffers were freed", t->session.location.dir);
	return code;
}

/* Continues with the rings of the next `init`. Figures start from 0. */
static int follow_new_rings(struct top *t, struct display *d)
{
	char line[SESSION_DIR_BYTES + 64];
	int code = show_rest(t, d);

	snprintf(line, sizeof line, "%s has new trace buffers: continuing with them",
		t->session.location.dir);
	top_collect_close(t);
	session_close(&t->session);
	struct top_screen *screen = d->screen;
	if (!code)
		code = cmd_open(t->verb, &t->session, SESSION_READ);
	if (code)
		return code;
	code = top_collect_open(t);
	if (code)
		session_close(&t->session);
	else if (screen)
		top_screen_tell(screen, line);
	else
		cmd_note(t->verb, "%s", line);
	return code;
}

/* ------------------------------------------------------------------------- rounds */

/* Waits for a key, a signal, or that long. False: the terminal is gone. */
static bool wait_for_news(const struct display *d, uint64_t ns)
{
	struct pollfd p[2] = {{.fd = d->wake, .events = POLLIN},
		{.fd = d->screen ? STDIN_FILENO : -1, .events = POLLIN}};
	const struct timespec timeout = time_of_ns(ns);

	if (ppoll(p, 2, &timeout, NULL) <= 0)
		return true;
	if (p[0].revents)
		settle_wake(d);
	return !(p[1].revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Until the next poll. A poll costs the same however little is new. */
static uint64_t pause_between_looks(const struct top *t)
{
	uint64_t ms = watch_pause(&t->watch);

	/* At most the time in which the fastest ring fills a quarter; to count, half full is early
	 * enough. */
	if (t->options.counts && ms >= 10)
		ms *= 2;
	return ms * 1000000;
}

static int watch_rounds(struct top *t, struct display *d)
{
	uint64_t next = time_ns_monotonic() + t->options.interval_ns;
	uint32_t rounds = 0;
	int code = EXIT_FINE;

	if (d->screen)
		code = show_round(t, d);
	while (!code && !wake_should_end) {
		enum flight_rings rings = flight_check_rings(&t->session);

		if (rings == RINGS_GONE)
			return end_freed(t, d);
		if (rings == RINGS_NEW) {
			code = follow_new_rings(t, d);
			continue;
		}
		top_collect_poll(t);
		uint64_t now = time_ns_monotonic();
		if (now >= next) {
			code = show_round(t, d);
			if (code || ++rounds == t->options.rounds)
				return code;
			next += t->options.interval_ns;
			next = next > now ? next : now + t->options.interval_ns;
		}
		uint64_t pause = pause_between_looks(t);
		if (!wait_for_news(d, now + pause < next ? pause
				      : next > now	 ? next - now
							 : 0) ||
			(d->screen && !top_screen_handle_keys(d->screen, t)))
			return EXIT_FINE;
	}
	return code ? code : show_rest(t, d);
}

static int open_lines(struct top *t, struct display *d)
{
	const char *path = name_of_output(t);

	if (strcmp(path, "-") != 0)
		d->out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return d->out < 0 ? fail_output(t, "create") : EXIT_FINE;
}

static int open_display(struct top *t, struct display *d)
{
	const struct top_options *o = &t->options;
	const char *why;

	if (o->batch || o->json || o->path)
		return open_lines(t, d);
	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
		why = isatty(STDOUT_FILENO) ? "standard input is no terminal"
					    : "standard output is no terminal";
	} else {
		d->screen = top_screen_open(&why);
		if (d->screen)
			return EXIT_FINE;
	}
	cmd_note(t->verb, "%s: printing lines, as with --batch", why);
	return open_lines(t, d);
}

static int top_watch_session(struct top *t)
{
	struct display d = {.out = STDOUT_FILENO};
	int code = cmd_open(t->verb, &t->session, SESSION_READ);

	if (code)
		return code;
	code = wake_catch_signals(t->verb, true, &d.wake);
	if (!code)
		code = top_collect_open(t);
	if (!code)
		code = open_display(t, &d);
	if (!code)
		code = watch_rounds(t, &d);
	close_screen(&d);
	if (d.out > STDERR_FILENO && close(d.out) != 0 && !code)
		code = fail_output(t, "write");
	if (t->open) {
		top_collect_close(t);
		session_close(&t->session);
	}
	return code;
}

/* --------------------------------------------------------------------------- verb */

static enum top_key parse_key(const struct arguments *a)
{
	for (int key = 0; key < TOP_KEYS; key++)
		if (strcmp(a->value, top_key_names[key]) == 0)
			return (enum top_key)key;
	cmd_misuse(a->verb, "--sort: \"%s\": expected " SORT_KEYS, a->value);
}

static void top_parse_condition(struct top_options *o, const struct arguments *a)
{
	struct expression_error error;

	if (condition_parse(&o->condition, a->value, &error) != 0)
		cmd_misuse_condition(a, "--where", &error);
	o->has_condition = true;
}

static void top_parse_option(struct top_options *o, const struct arguments *a, int id)
{
	uint64_t n;

	switch (id) {
	case OPTION_BATCH:
		o->batch = true;
		break;
	case OPTION_JSON:
		o->json = true;
		break;
	case OPTION_COUNTS:
		o->counts = true;
		break;
	case OPTION_INTERVAL:
		if (!parse_time(a->value, &o->interval_ns) || o->interval_ns < 10000000)
			cmd_misuse(a->verb,
				"--interval: \"%s\": expected " CMD_TIME_HELP ", at least 10ms",
				a->value);
		break;
	case OPTION_ROUNDS:
		if (!number_parse(a->value, 10, UINT32_MAX, &n) || n == 0)
			cmd_misuse(a->verb, "--rounds: \"%s\": expected a whole number above 0",
				a->value);
		o->rounds = (uint32_t)n;
		break;
	case OPTION_SORT:
		o->sort = parse_key(a);
		break;
	case OPTION_WHERE:
		top_parse_condition(o, a);
		break;
	case OPTION_LABEL:
		o->label = a->value;
		break;
	case OPTION_OUTPUT:
		if (!*a->value)
			cmd_misuse(a->verb, "-o: the file's name is empty");
		o->path = a->value;
		break;
	}
}

static int top_run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct top *t = calloc(1, sizeof *t);
	int id;

	if (!t)
		return cmd_fail(verb, "tables: not enough memory");
	t->verb = verb;
	t->options.interval_ns = TIME_SECOND_NS;
	while ((id = arguments_next(&a)))
		top_parse_option(&t->options, &a, id);
	arguments_expect_no_operand(&a);
	if (t->options.counts && (t->options.has_condition || t->options.label))
		cmd_misuse(verb, "--counts reads no hook contents: excludes %s",
			t->options.label ? "--label" : "--where");
	if (t->options.batch && t->options.json)
		cmd_misuse(verb, "--batch and --json exclude each other");
	int code = top_watch_session(t);
	condition_free(&t->options.condition);
	free(t);
	return code;
}

const struct verb verb_top = {"top",
	"top [--batch|--json] [--counts] [--interval T] [--rounds N] [--sort KEY] [--where CONDITION] [--label NAME] [-o FILE]",
	"shows what programs write and how long intervals take, live", options, top_run};
