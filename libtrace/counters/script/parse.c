#include "parse.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/number.h"
#include "../../../include/perfutil.h"

/* One line, cut into words in place. */
struct words {
	const char *p, *end;
};

static bool script_next_word(struct words *w, const char **word, size_t *length)
{
	while (w->p < w->end && (*w->p == ' ' || *w->p == '\t' || *w->p == '\r'))
		w->p++;
	if (w->p == w->end || *w->p == '#') {
		w->p = w->end;
		return false;
	}
	*word = w->p;
	while (w->p < w->end && !memchr(" \t\r#", *w->p, 4))
		w->p++;
	*length = (size_t)(w->p - *word);
	return true;
}

static bool script_word_is(const char *word, size_t length, const char *text)
{
	return length == strlen(text) && memcmp(word, text, length) == 0;
}

static bool script_parse_integer(const char *p, size_t length, uint64_t *value)
{
	const char *end = p + length;

	return length <= 18 && number_scan(&p, end, 10, UINT64_MAX, value) && p == end;
}

/* "12", "1.5": at most 9 digits on either side; in units of 1/SCRIPT_ONE. */
static bool script_parse_decimal(const char *p, size_t length, uint64_t *value)
{
	const char *dot = memchr(p, '.', length);
	size_t left = dot ? (size_t)(dot - p) : length, right = dot ? length - left - 1 : 0;
	uint64_t integral, fraction = 0;

	if (left > 9 || right > 9 || (dot && right == 0) ||
		!script_parse_integer(p, left, &integral))
		return false;
	if (right && !script_parse_integer(dot + 1, right, &fraction))
		return false;
	for (; right < 9; right++)
		fraction *= 10;
	*value = integral * SCRIPT_ONE + fraction;
	return true;
}

static const char *const no_memory = "out of memory";

static const char *new_step(struct script *s, uint64_t reads)
{
	if (!array_reserve(&s->step, &s->step_room, s->steps + 1, sizeof *s->step))
		return no_memory;
	s->step[s->steps++] =
		(struct script_step){.first = s->actions, .reads = reads, .cycles = NOT_MEASURED};
	return NULL;
}

static const char *new_action(struct script *s, const struct script_action *a)
{
	if (!array_reserve(&s->action, &s->action_room, s->actions + 1, sizeof *s->action))
		return no_memory;
	s->action[s->actions++] = *a;
	s->step[s->steps - 1].actions++;
	return NULL;
}

/* One action a run of processors. */
static const char *for_cpus(
	struct script *s, struct script_action *a, const char *list, size_t length)
{
	struct cpu_set set, *mentioned = &s->mentioned[a->what];

	if (script_word_is(list, length, "all")) {
		list = "0-1023";
		length = 6;
	}
	if (!cpu_set_parse(&set, list, length))
		return "not a list of processors (0, 0-3,8 or all)";
	for (uint32_t cpu = 0; cpu < set.end; cpu++) {
		const char *why;

		if (!cpu_set_has(&set, cpu))
			continue;
		a->from = cpu;
		while (cpu_set_has(&set, cpu + 1))
			cpu++;
		a->to = cpu;
		why = new_action(s, a);
		if (why)
			return why;
	}
	for (size_t i = 0; i < ONLINE_WORDS; i++)
		mentioned->word[i] |= set.word[i];
	if (set.end > mentioned->end)
		mentioned->end = set.end;
	return NULL;
}

static const char *script_parse_value(struct script_action *a, const char *p, size_t length)
{
	if (script_word_is(p, length, "none")) {
		a->how = SCRIPT_NONE;
		return NULL;
	}
	if (a->how == SCRIPT_CPI)
		return script_parse_decimal(p, length, &a->value) && a->value ? NULL
									      : "not a CPI (1.5)";
	if (length > 1 && p[length - 1] == '%' &&
		(a->what == SCRIPT_BUSY || a->what == SCRIPT_INTR ||
			a->what == SCRIPT_THREAD_CYCLES)) {
		a->how = SCRIPT_PERCENT;
		return script_parse_decimal(p, length - 1, &a->value) &&
				       a->value <= 100 * SCRIPT_ONE
			       ? NULL
			       : "not a percentage (0% to 100%)";
	}
	return script_parse_integer(p, length, &a->value) ? NULL
							  : "not a count (at most 18 digits)";
}

/* The words for counts of processors. */
static bool word_of_cpus(const char *word, size_t length, enum script_what *what)
{
	static const struct {
		const char *word;
		enum script_what what;
	} words[] = {
		{"cpi", SCRIPT_INSTRUCTIONS},
		{"instructions", SCRIPT_INSTRUCTIONS},
		{"busy", SCRIPT_BUSY},
		{"intr", SCRIPT_INTR},
		{"unhalted", SCRIPT_CORE},
		{"reference", SCRIPT_REFERENCE},
		{"switches", SCRIPT_SWITCHES},
		{"interrupts", SCRIPT_INTERRUPTS},
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (script_word_is(word, length, words[i].word)) {
			*what = words[i].what;
			return true;
		}
	}
	return false;
}

static bool word_of_thread(const char *word, size_t length, enum script_what *what)
{
	if (script_word_is(word, length, "cycles"))
		*what = SCRIPT_THREAD_CYCLES;
	else if (script_word_is(word, length, "instructions") ||
		 script_word_is(word, length, "cpi"))
		*what = SCRIPT_THREAD_INSTRUCTIONS;
	else
		return false;
	return true;
}

/* "instructions CPUS VALUE", "thread cycles VALUE", ...; the first word is read. */
static const char *parse_action(
	struct script *s, struct words *w, bool thread, const char *word, size_t length)
{
	struct script_action a = {.how = SCRIPT_COUNT};
	const char *list = NULL, *value, *why;
	size_t list_length = 0, value_length;

	if (script_word_is(word, length, "cpi"))
		a.how = SCRIPT_CPI;
	if (thread && !word_of_thread(word, length, &a.what))
		return "thread: instructions, cycles or cpi";
	if (!thread && !word_of_cpus(word, length, &a.what))
		return "unknown word";
	if (!thread && !script_next_word(w, &list, &list_length))
		return "which processors?";
	if (!script_next_word(w, &value, &value_length))
		return "a value is missing";
	why = script_parse_value(&a, value, value_length);
	if (why)
		return why;
	if (!thread)
		return for_cpus(s, &a, list, list_length);
	s->thread_mentioned[a.what == SCRIPT_THREAD_CYCLES] = true;
	return new_action(s, &a);
}

static const char *parse_step(struct script *s, struct words *w)
{
	const char *word;
	size_t length;
	uint64_t reads = 1;

	if (script_next_word(w, &word, &length) &&
		(!script_parse_integer(word, length, &reads) || reads == 0))
		return "step: not a number of reads";
	return new_step(s, reads);
}

static const char *parse_line(struct script *s, struct words *w)
{
	const char *word, *why = NULL;
	size_t length;

	if (!script_next_word(w, &word, &length))
		return NULL;
	if (script_word_is(word, length, "step")) {
		why = parse_step(s, w);
	} else {
		if (s->steps == 0)
			why = new_step(s, 1);
		if (why)
			return why;
		if (script_word_is(word, length, "cycles")) {
			if (!script_next_word(w, &word, &length) ||
				!script_parse_integer(word, length, &s->step[s->steps - 1].cycles))
				return "cycles: not a count (at most 18 digits)";
		} else if (script_word_is(word, length, "thread")) {
			if (!script_next_word(w, &word, &length))
				return "thread: instructions, cycles or cpi";
			why = parse_action(s, w, true, word, length);
		} else {
			why = parse_action(s, w, false, word, length);
		}
	}
	if (!why && script_next_word(w, &word, &length))
		why = "more words than expected";
	return why;
}

int script_parse(
	const char *text, size_t length, struct script **script, unsigned *line, const char **why)
{
	const char *p = text, *end = text + length;
	struct script *s = calloc(1, sizeof *s);

	*line = 0;
	*why = s ? NULL : no_memory;
	while (!*why && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct words w = {p, nl ? nl : end};

		++*line;
		*why = parse_line(s, &w);
		p = nl ? nl + 1 : end;
	}
	if (!*why && s->steps == 0)
		*why = "the script says nothing";
	if (*why) {
		script_free(s);
		return *why == no_memory ? PU_ERROR_NOT_ENOUGH_MEMORY : PU_ERROR_INVALID_PARAMETER;
	}
	*script = s;
	return 0;
}

void script_free(struct script *s)
{
	if (!s)
		return;
	free(s->action);
	free(s->step);
	free(s);
}

unsigned script_quantities(const struct script *s)
{
	unsigned q = 0;

	if (s->mentioned[SCRIPT_INSTRUCTIONS].end)
		q |= COUNTER_BIT(COUNTER_INSTRUCTIONS);
	if (s->mentioned[SCRIPT_BUSY].end)
		q |= COUNTER_BIT(COUNTER_BUSY);
	if (s->thread_mentioned[0])
		q |= COUNTER_BIT(COUNTER_THREAD_INSTRUCTIONS);
	if (s->thread_mentioned[1])
		q |= COUNTER_BIT(COUNTER_THREAD_CYCLES);
	return q;
}
