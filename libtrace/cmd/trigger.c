/*
 * trigger: dumps the seconds around an event that matches a condition.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../decoder/sink/json.h"
#include "../../decoder/sink/units.h"
#include "../../formats/base/number.h"
#include "../../formats/base/time_ns.h"
#include "../../include/perfutil.h"
#include "../dump/dump.h"
#include "../dump/tasks.h"
#include "../trigger/condition.h"
#include "../trigger/watch.h"
#include "flight.h"

enum {
	OPTION_WHEN = 1,
	OPTION_BEFORE,
	OPTION_AFTER,
	OPTION_COUNT,
	OPTION_TIMEOUT,
	OPTION_COMPRESS,
	OPTION_KEEP,
	OPTION_FILE
};

static const struct option options[] = {
	{OPTION_WHEN, "--when", .value = "CONDITION",
		.words =
			"label=|elapsed>|major=|minor=|mm=|tid=|pid=|comm=|cpu=|cpi>|lost>|arg.|event.|off_cpu_ns>|on_cpu_ns>|ctx_switches>|faults>|raw_cpi>|thread_cpi>|busy_pct>|flags=",
		.help = "terms FIELD OP VALUE, joined by and, or, not and parentheses;\n"
			"              of one hook, or of an interval's hooks together:\n"
			"                label comm             = !=    a pattern (* ? [a-z]), in \"...\" with spaces\n"
			"                elapsed                = != < <= > >=    a time: 10ms, 1.5s, 200us, 50ns\n"
			"                major minor mm tid pid cpu lost    the same, with a whole number or 0x...\n"
			"                cpi                    the same, with a number\n"
			"                arg.NAME event.NAME    a number or a pattern\n"
			"                off_cpu_ns raw_cpi ... any column of cpidecode --report intervals\n"
			"                                       --format csv that an interval's hooks carry\n"
			"              FIELD in (VALUE, ...): one of them; absent(FIELD): there is none"},
	{OPTION_BEFORE, "--before", .value = "T",
		.help = "how long before the event is wanted: the dump has what the buffers\n"
			"              hold anyway, and this says how much of T that is"},
	{OPTION_AFTER, "--after", .value = "T",
		.help = "how long it goes on before the dump (0.5s)"},
	{OPTION_COUNT, "--count", .value = "N", .help = "ends after N dumps (1); 0: goes on"},
	{OPTION_TIMEOUT, "--timeout", .value = "T", .help = "gives up after T"},
	{OPTION_COMPRESS, "--compress", .value = "none|lz4|zlib",
		.help = "how the hooks are stored (lz4)"},
	{OPTION_KEEP, "--keep", .value = "N", .help = "keeps N of the older dumps (all)"},
	{OPTION_FILE, "-o", .value = "FILE",
		.help = "the newest dump (swtrace.bin); older ones are FILE.1, FILE.2, ..."},
	{.help = "\n"
		 "Exit codes: 0 dumped; 1 nothing matched in time, a dump failed, or the buffers were freed;\n"
		 "128 + N ended by signal N before it was through (with --count 0: 0).\n\n"
		 "  swtrace trigger --when 'label=req* and elapsed>10ms' --after 1s -o slow.bin\n"},
	{0}};

struct trigger {
	struct flight flight;
	struct condition condition;
	const char *when;
	uint64_t before, after, timeout; /* ns; before, timeout 0: none */
	uint64_t until;			 /* CLOCK_MONOTONIC */
	uint32_t count;			 /* 0: no end */
	struct watch watch;
	struct tasks tasks;
	uint64_t lost;	      /* writers' losses at the last evaluation of the condition */
	uint64_t told;	      /* reported part of watch.missed and .unfinished */
	bool reported_damage; /* watch.damaged was reported */
	bool matched;
	char *what;	 /* description of the match */
	uint64_t start;	 /* of the match, in ticks; 0: it has no time */
	char window[64]; /* cpidecode's arguments that show it; "": unknown */
	int signal;	 /* ending signal */
};

/* -------------------------------------------------------------------- what matched */

enum { LABEL_BYTES = 255 /* at most, of the description */ };

static void print_time(struct out *out, const struct session *s, uint64_t stamp)
{
	uint64_t real = cmd_unix_time(s, stamp);
	char text[40];
	struct tm tm;

	if (real == 0)
		return;
	time_t seconds = (time_t)(real / TIME_SECOND_NS);
	if (localtime_r(&seconds, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
		out_printf(out, ", at %s.%06u", text, (unsigned)(real % TIME_SECOND_NS / 1000));
}

static void print_quoted(struct out *out, const void *text, size_t size)
{
	json_string(&(struct json){.o = out}, text, size);
}

static void trigger_find_task(struct trigger *t, struct event *e)
{
	e->task = tasks_find(&t->tasks, e->number);
	e->tid = tasks_thread(&t->tasks, e->number, e->stamp);
}

static void print_event(struct out *out, struct trigger *t, struct event *e)
{
	const struct session *s = &t->flight.session;
	const uint8_t *label;
	uint32_t length;

	if (!e->record) {
		out_printf(out, "%llu hooks were lost", (unsigned long long)e->lost);
		return;
	}
	if (event_find_label(e, &label, &length)) {
		out_str(out, "label ");
		print_quoted(out, label, length < LABEL_BYTES ? length : LABEL_BYTES);
	} else {
		out_printf(out, "major 0x%02X minor 0x%08X", e->major, e->minor[0]);
	}
	if (e->has_elapsed) {
		out_str(out, ", elapsed ");
		units_duration(
			out, (double)time_ticks_to_ns(e->elapsed, s->geometry.ticks_per_second));
	}
	trigger_find_task(t, e);
	out_printf(out, ", thread %u", e->tid);
	if (e->task) {
		out_str(out, " (");
		print_quoted(out, e->task->name, strlen(e->task->name));
		out_printf(out, ", process %u)", e->task->pid);
	}
	if (e->has_cpu)
		out_printf(out, ", CPU %u", e->cpu);
	print_time(out, s, e->stamp);
}

static bool trigger_matches_event(struct trigger *t, struct event *e)
{
	if (t->condition.asks_task && e->record)
		trigger_find_task(t, e);
	if (t->condition.asks_time && e->record)
		e->end_ns = cmd_unix_time(&t->flight.session, e->stamp);
	return condition_holds(&t->condition, e, t->flight.session.geometry.ticks_per_second);
}

/* The match, with a quarter of its length on both sides, 1 ms at least. */
static void note_window(struct trigger *t, const struct event *e)
{
	const struct session *s = &t->flight.session;
	uint64_t elapsed = e->has_elapsed && e->elapsed < e->stamp ? e->elapsed : 0;
	uint64_t start, end, margin;

	t->start = e->record ? e->stamp - elapsed : 0;
	t->window[0] = 0;
	start = t->start ? cmd_unix_time(s, t->start) : 0;
	end = start ? cmd_unix_time(s, e->stamp) : 0;
	if (end < start || start == 0)
		return;
	margin = (end - start) / 4 > TIME_MS_NS ? (end - start) / 4 : TIME_MS_NS;
	start -= margin;
	end += margin;
	snprintf(t->window, sizeof t->window, "--from %llu.%09u --to %llu.%09u",
		(unsigned long long)(start / TIME_SECOND_NS), (unsigned)(start % TIME_SECOND_NS),
		(unsigned long long)(end / TIME_SECOND_NS), (unsigned)(end % TIME_SECOND_NS));
}

/* Returns false on a match: later hooks wait until after the dump. */
static bool on_event(void *arg, struct event *e)
{
	struct trigger *t = arg;
	struct out what;

	if (!trigger_matches_event(t, e))
		return true;
	t->matched = true;
	note_window(t, e);
	out_memory(&what);
	print_event(&what, t, e);
	out_char(&what, 0);
	free(t->what);
	t->what = what.error ? NULL : strdup(what.buf);
	out_discard(&what);
	return false;
}

static bool pass_over(void *arg, struct event *e)
{
	(void)arg;
	(void)e;
	return true;
}

/* ------------------------------------------------------------------------ the watch */

static int begin_watch(struct trigger *t)
{
	struct session_error error = {"unknown error"};

	if (watch_open(&t->watch, &t->flight.session, &error) != 0)
		return cmd_fail(t->flight.verb, "%s", error.text);
	tasks_open(&t->tasks, &t->flight.session);
	t->lost = t->told = 0;
	t->reported_damage = false;
	return EXIT_FINE;
}

static void end_watch(struct trigger *t)
{
	watch_close(&t->watch);
	tasks_close(&t->tasks);
}

/* Reports hooks that the condition never saw. */
static void tell_gaps(struct trigger *t)
{
	const struct watch *w = &t->watch;
	const struct verb *verb = t->flight.verb;

	if (w->missed + w->unfinished > t->told) {
		cmd_note(verb,
			"%llu hooks were overwritten before they were checked, %llu skipped unfinished",
			(unsigned long long)w->missed, (unsigned long long)w->unfinished);
		t->told = w->missed + w->unfinished;
	}
	if (w->damaged && !t->reported_damage) {
		cmd_note(verb,
			"a program truncated or overwrote %u rings: not all of their hooks were checked",
			w->damaged);
		t->reported_damage = true;
	}
}

static void trigger_poll_hooks(struct trigger *t)
{
	struct event none = {0};

	watch_poll(&t->watch, on_event, t);
	if (t->matched || !t->condition.asks_lost || t->watch.lost == t->lost)
		return;
	/* A lost hook is not an event: evaluate the condition on an empty one. */
	none.lost = t->lost = t->watch.lost;
	on_event(t, &none);
}

/* Returns true if an ending signal arrived. */
static bool pause_until(struct trigger *t, uint64_t until)
{
	uint64_t ns = watch_pause(&t->watch) * TIME_MS_NS, now = time_ns_monotonic();

	if (until && now + ns > until)
		ns = until > now ? until - now : 0;
	t->signal = flight_wait(&t->flight, NULL, ns);
	return t->signal != 0;
}

/* Waits so that the dump includes later hooks. A signal shortens the wait but keeps the dump. */
static void dump_around(struct trigger *t)
{
	uint64_t until = time_ns_monotonic() + t->after;

	while (time_ns_monotonic() < until && !pause_until(t, until))
		watch_poll(&t->watch, pass_over, t);
	watch_poll(&t->watch, pass_over, t);
	const char *what = t->what ? t->what : "";
	struct dump_reason reason = {.condition = t->when,
		.match = what,
		.window = t->window,
		.start = t->start,
		.before_ns = t->before};
	if (flight_dump(&t->flight, &reason) == EXIT_FINE)
		printf("%s: %s\n", what, t->flight.path);
	else
		printf("%s: no dump\n", what);
	fflush(stdout);
	t->matched = false;
	/* Count losses from 0 for the next dump. */
	t->watch.lost = t->lost = 0;
}

/* ------------------------------------------------------------------------- its end */

static int failed_or(const struct trigger *t, int code)
{
	return t->flight.failed ? EXIT_FAILED : code;
}

static int timed_out(const struct trigger *t)
{
	const struct flight *f = &t->flight;

	if (f->dumps == 0)
		return cmd_fail(f->verb, "nothing matched in time: %s", t->when);
	if (t->count)
		return cmd_fail(f->verb, "only %u of %u matched in time", f->dumps, t->count);
	return failed_or(t, EXIT_FINE);
}

static int trigger_signal_code(const struct trigger *t)
{
	return failed_or(t, t->count ? EXIT_SIGNAL + t->signal : EXIT_FINE);
}

/* False: there is nothing left to watch. */
static bool trigger_follow_rings(struct trigger *t)
{
	switch (flight_follow(&t->flight)) {
	case RINGS_SAME:
		return true;
	case RINGS_GONE:
		return false;
	case RINGS_NEW:
		break;
	}
	tell_gaps(t);
	end_watch(t);
	return begin_watch(t) == EXIT_FINE;
}

static int trigger_watch_rings(struct trigger *t)
{
	for (;;) {
		if (!trigger_follow_rings(t))
			return EXIT_FAILED;
		trigger_poll_hooks(t);
		if (t->matched) {
			dump_around(t);
			tell_gaps(t);
		}
		if (t->count && t->flight.dumps == t->count)
			return failed_or(t, EXIT_FINE);
		if (t->signal)
			return trigger_signal_code(t);
		if (t->until && time_ns_monotonic() >= t->until)
			return timed_out(t);
		if (pause_until(t, t->until))
			return trigger_signal_code(t);
	}
}

static int watch_session(struct trigger *t)
{
	int code = flight_begin(&t->flight);

	if (code)
		return code;
	code = begin_watch(t);
	if (code == EXIT_FINE) {
		cmd_note(t->flight.verb, "watching %s%s", t->flight.session.location.dir,
			cmd_is_on(&t->flight.session) ? ""
						      : "; tracing is off, waiting for swtrace on");
		if (t->timeout)
			t->until = time_ns_monotonic() + t->timeout;
		code = trigger_watch_rings(t);
		tell_gaps(t);
	}
	end_watch(t);
	flight_end(&t->flight);
	free(t->what);
	return code;
}

/* ---------------------------------------------------------------------------- verb */

static uint64_t trigger_parse_time(const struct arguments *a, const char *name)
{
	uint64_t ns;

	if (!parse_time(a->value, &ns))
		cmd_misuse(a->verb, "%s: \"%s\": expected " CMD_TIME_HELP, name, a->value);
	return ns;
}

static void trigger_parse_condition(struct trigger *t, const struct arguments *a)
{
	struct expression_error error;

	if (condition_parse(&t->condition, a->value, &error) != 0)
		cmd_misuse_condition(a, "--when", &error);
	t->when = a->value;
}

static void trigger_parse_option(struct trigger *t, const struct arguments *a, int id)
{
	uint64_t n;
	int length;

	switch (id) {
	case OPTION_WHEN:
		trigger_parse_condition(t, a);
		break;
	case OPTION_BEFORE:
		t->before = trigger_parse_time(a, "--before");
		break;
	case OPTION_AFTER:
		t->after = trigger_parse_time(a, "--after");
		break;
	case OPTION_COUNT:
		if (!number_parse(a->value, 10, UINT32_MAX, &n))
			cmd_misuse(a->verb, "--count: \"%s\": expected a whole number", a->value);
		t->count = (uint32_t)n;
		break;
	case OPTION_TIMEOUT:
		t->timeout = trigger_parse_time(a, "--timeout");
		if (t->timeout == 0)
			cmd_misuse(a->verb,
				"--timeout: \"%s\": expected " CMD_TIME_HELP ", above 0", a->value);
		break;
	case OPTION_COMPRESS:
		t->flight.codec = cmd_codec(a);
		break;
	case OPTION_KEEP:
		t->flight.keep = flight_keep(a->verb, a->value);
		break;
	case OPTION_FILE:
		length = snprintf(t->flight.path, sizeof t->flight.path, "%s", a->value);
		if (length <= 0 || (size_t)length >= sizeof t->flight.path)
			cmd_misuse(a->verb, "-o: the file's name is empty or too long");
		if (strcmp(a->value, "-") == 0)
			cmd_misuse(a->verb, "-o takes a file, not standard output");
		break;
	}
}

static int trigger_run(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct trigger *t = calloc(1, sizeof *t);
	int id;

	if (!t)
		return cmd_fail(verb, "options: not enough memory");
	t->flight = (struct flight){.verb = verb, .codec = TF_CODEC_LZ4, .path = "swtrace.bin"};
	t->after = 500000000;
	t->count = 1;
	while ((id = arguments_next(&a)))
		trigger_parse_option(t, &a, id);
	arguments_expect_no_operand(&a);
	if (!t->when)
		cmd_misuse(verb, "--when CONDITION is missing");
	int code = watch_session(t);
	condition_free(&t->condition);
	free(t);
	return code;
}

const struct verb verb_trigger = {"trigger",
	"trigger --when CONDITION [--before T] [--after T] [--count N] [--timeout T] [--compress none|lz4|zlib] [--keep N] [-o FILE]",
	"dumps the seconds around an event, while tracing goes on", options, trigger_run};
