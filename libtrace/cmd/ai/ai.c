/*
 * ai: samples how busy the processors are.
 */
#include <string.h>

#include "../../../formats/base/number.h"
#include "../../../formats/base/quantity.h"
#include "../../../formats/base/time_ns.h"
#include "ai.h"

enum { AI_RUN_TIME = 1, AI_STAMP, AI_SYSTEM, AI_BOTH, AI_LOG, AI_AS_JSON, AI_AS_CSV, AI_TRACE };

static const struct option options[] = {
	{.help = "INTERVAL is in seconds (1), from 0.01 on. Without a number of samples or -r it runs\nuntil Ctrl-C.\n\n"},
	{AI_RUN_TIME, "-r", .value = "TIME",
		.help = "ends after TIME: seconds, or with a suffix ms, s, m, h or d"},
	{AI_STAMP, "-t", .help = "the time after each sample"},
	{AI_SYSTEM, "-s", .help = "only the system's total"},
	{AI_BOTH, "-sp", .help = "also the system's total"},
	{AI_LOG, "-l", .value = "FILE", .help = "also to FILE, which is replaced"},
	{AI_AS_JSON, "--json", .help = "one object per line: a header, then the samples"},
	{AI_AS_CSV, "--csv", .help = "a row per processor, and one for the system (cpu is empty)"},
	{AI_TRACE, "--trace",
		.help = "also as hooks of major 0xC8, label \"ai\", into the trace session"},
	{.help = "\n"
		 "idle, busy and intr are percent of the time; if interrupt time is n/a, it is included in\n"
		 "busy. The header names the method, and why a better one is unavailable.\n"
		 "Exit codes: 0; 1 it failed; 2 wrong usage; 4 nothing can be measured here.\n"},
	{0}};

#define SHORTEST (10 * TIME_MS_NS)
#define LONGEST (86400 * TIME_SECOND_NS)

static void ai_set_format(struct ai_run *r, enum ai_format format)
{
	if (r->format != AI_TEXT && r->format != format)
		cmd_misuse(r->verb, "--json and --csv exclude each other");
	r->format = format;
}

static void ai_set_scope(struct ai_run *r, bool processors)
{
	if (r->system && r->processors != processors)
		cmd_misuse(r->verb, "-s and -sp exclude each other");
	r->system = true;
	r->processors = processors;
}

static void ai_parse_option(struct ai_run *r, const struct arguments *a, int id)
{
	switch (id) {
	case AI_RUN_TIME:
		if (!quantity_parse_duration(a->value, strlen(a->value),
			    QUANTITY_WHOLE_POINT | QUANTITY_ANY_CASE | QUANTITY_BARE_SECONDS |
				    QUANTITY_DAYS,
			    INT64_MAX, &r->run_time) ||
			!r->run_time)
			cmd_misuse(r->verb,
				"-r: \"%.80s\": expected seconds, or a time with ms, s, m, h or d, above 0",
				a->value);
		break;
	case AI_STAMP:
		r->stamped = true;
		break;
	case AI_SYSTEM:
		ai_set_scope(r, false);
		break;
	case AI_BOTH:
		ai_set_scope(r, true);
		break;
	case AI_LOG:
		if (!*a->value)
			cmd_misuse(r->verb, "-l: the file's name is empty");
		r->log = a->value;
		break;
	case AI_AS_JSON:
		ai_set_format(r, AI_JSON);
		break;
	case AI_AS_CSV:
		ai_set_format(r, AI_CSV);
		break;
	case AI_TRACE:
		r->traced = true;
		break;
	}
}

static void ai_parse_operands(struct ai_run *r, int n, char **operand)
{
	if (n > 2)
		cmd_misuse(r->verb,
			"\"%.80s\": one argument too many: expected an interval and a number of samples",
			operand[2]);
	if (n > 0 && (!parse_time(operand[0], &r->interval) || r->interval < SHORTEST ||
			     r->interval > LONGEST || r->interval % TIME_MS_NS))
		cmd_misuse(r->verb,
			"interval: \"%.80s\": expected seconds, or a time with ms, s, m or h, 10ms to 24h in multiples of 1ms",
			operand[0]);
	if (n > 1 && (!number_parse(operand[1], 10, UINT32_MAX, &r->samples) || !r->samples))
		cmd_misuse(r->verb, "number of samples: \"%.80s\": expected a whole number above 0",
			operand[1]);
	if (!r->run_time)
		return;
	if (n > 1)
		cmd_misuse(r->verb, "a number of samples and -r exclude each other");
	r->samples = r->run_time / r->interval;
	if (!r->samples)
		cmd_misuse(r->verb, "-r: the time is shorter than the interval");
}

static int ai_run_verb(const struct verb *verb, int argc, char **argv)
{
	struct arguments a = {.verb = verb, .argc = argc, .argv = argv};
	struct ai_run r = {.verb = verb, .processors = true, .interval = TIME_SECOND_NS};
	int id;

	while ((id = arguments_next(&a)))
		ai_parse_option(&r, &a, id);
	ai_parse_operands(&r, a.operands, argv + 1);
	/* Machine-readable output always includes the system's column. */
	if (r.format != AI_TEXT)
		r.system = true;
	return ai_follow(&r);
}

const struct verb verb_ai = {"ai",
	"ai [INTERVAL [SAMPLES | -r TIME[s|m|h|d]]] [-t] [-s|-sp] [-l FILE]\n"
	"                  [--json|--csv] [--trace]",
	"shows how busy the processors are", options, ai_run_verb};
