#include "metrics.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "../../../formats/interval_hooks.h"

static const char *const builtin_formulas[] = {
	"ipc={instructions}/{cycles}",
	"cpi={cycles}/{instructions}",
	"branch_miss_rate={branch-misses}/{branches}",
	"cache_miss_rate={cache-misses}/{cache-references}",
	"llc_miss_rate={LLC-load-misses}/{LLC-loads}",
	"frontend_stalled={stalled-cycles-frontend}/{cycles}",
	"backend_stalled={stalled-cycles-backend}/{cycles}",
};

enum { BUILTIN = sizeof builtin_formulas / sizeof *builtin_formulas };

/* A column of intervals that formulas know, and its mean in a group. */
struct metric_column {
	const char *name;
	double (*of_group)(const struct tally_group *g, const struct sums *s); /* NULL: n/a */
	uint16_t offset; /* in struct interval */
	bool is_real;
};

/* The mean of the sum that a CPI is made of. */
static double metric_mean_above(const struct ratio *r)
{
	return r->counted ? (double)r->above / (double)r->counted : NAN;
}

static double metric_elapsed(const struct tally_group *g, const struct sums *s)
{
	(void)s;
	return tally_total_ns(g) / (double)g->time.count;
}

#define GROUP_FIGURE(name, expression)                                                             \
	static double metric_##name(const struct tally_group *g, const struct sums *s)             \
	{                                                                                          \
		(void)g;                                                                           \
		return expression;                                                                 \
	}
GROUP_FIGURE(raw_cpi, ratio_cpi(&s->ratios.raw))
GROUP_FIGURE(scaled_cpi, ratio_cpi(&s->ratios.scaled))
GROUP_FIGURE(thread_cpi, ratio_cpi(&s->ratios.thread))
GROUP_FIGURE(busy, ratios_busy(&s->ratios))
GROUP_FIGURE(instructions, sums_mean(&s->instructions))
GROUP_FIGURE(thread_instructions, sums_mean(&s->thread_instructions))
GROUP_FIGURE(cycles, metric_mean_above(&s->ratios.raw))
GROUP_FIGURE(busy_cycles, metric_mean_above(&s->ratios.scaled))
GROUP_FIGURE(thread_cycles, metric_mean_above(&s->ratios.thread))

#define REAL(name, of_group, member)                                                               \
	{                                                                                          \
		name, of_group, offsetof(struct interval, member), true                            \
	}
#define COUNT(name, of_group, member)                                                              \
	{                                                                                          \
		name, of_group, offsetof(struct interval, member), false                           \
	}

static const struct metric_column metric_columns[] = {
	REAL("elapsed_ns", metric_elapsed, elapsed_ns),
	REAL("raw_cpi", metric_raw_cpi, raw_cpi),
	REAL("scaled_cpi", metric_scaled_cpi, scaled_cpi),
	REAL("thread_cpi", metric_thread_cpi, thread_cpi),
	REAL("busy_pct", metric_busy, busy_pct),
	COUNT("instructions", metric_instructions, instructions),
	COUNT("cycles", metric_cycles, cycles),
	COUNT("busy_cycles", metric_busy_cycles, busy_cycles),
	COUNT("thread_instructions", metric_thread_instructions, thread_instructions),
	COUNT("thread_cycles", metric_thread_cycles, thread_cycles),
	COUNT("elapsed_cycles", NULL, elapsed),
	COUNT("off_cpu_ns", NULL, off_cpu_ns),
	COUNT("on_cpu_ns", NULL, on_cpu_ns),
	COUNT("ctx_switches", NULL, ctx_switches),
	COUNT("migrations", NULL, migrations),
	COUNT("faults", NULL, faults),
	COUNT("unexplained_ns", NULL, unexplained_ns),
};

static const struct event_name *metric_find_event(
	const struct event_names *names, const char *name, uint32_t length)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->at[i].length == length &&
			(!length || memcmp(names->at[i].text, name, length) == 0))
			return &names->at[i];
	return NULL;
}

static const struct metric_column *metric_find_column(const struct formula_operand *o)
{
	for (size_t i = 0; i < sizeof metric_columns / sizeof *metric_columns && !o->is_event; i++)
		if (strlen(metric_columns[i].name) == o->length &&
			memcmp(metric_columns[i].name, o->name, o->length) == 0)
			return &metric_columns[i];
	return NULL;
}

/* An event by its name or as reports spell it. */
static const struct event_name *metric_find_operand(
	const struct event_names *names, const struct formula_operand *o)
{
	const uint32_t prefix = (uint32_t)strlen(VALUE_EVENT_PREFIX);
	const struct event_name *event = metric_find_event(names, o->name, o->length);

	if (!event && !o->is_event && o->length > prefix &&
		memcmp(o->name, VALUE_EVENT_PREFIX, prefix) == 0)
		event = metric_find_event(names, o->name + prefix, o->length - prefix);
	return event;
}

/* *unknown: the operand that is neither an event nor a column; NULL: none. 0 or CPIDECODE_ENOMEM.
 */
static int derived_resolve(struct derived *d, const struct formula *f,
	const struct event_names *names, const struct trace *t, struct intern *memory,
	const struct formula_operand **unknown)
{
	d->formula = f;
	*unknown = NULL;
	for (unsigned i = 0; i < f->noperands; i++) {
		const struct formula_operand *o = &f->operands[i];
		const struct event_name *event = metric_find_operand(names, o);

		d->operands[i].own = event ? NULL : metric_find_column(o);
		if (!event && !d->operands[i].own) {
			*unknown = o;
			return 0;
		}
		if (event) {
			d->operands[i].event.text =
				intern_bytes(memory, event->text, event->length);
			d->operands[i].event.length = event->length;
			if (!d->operands[i].event.text)
				return CPIDECODE_ENOMEM;
			d->operands[i].index =
				t ? trace_text_index(t, event->text, event->length) : TEXT_NONE;
		}
	}
	return 0;
}

static bool derived_is_taken(const struct derived_set *d, const char *name,
	const struct event_names *names, const char *const *taken, size_t ntaken)
{
	/* Arguments and events may be called so. */
	if (strncmp(name, "arg.", 4) == 0 ||
		strncmp(name, VALUE_EVENT_PREFIX, strlen(VALUE_EVENT_PREFIX)) == 0)
		return true;
	for (size_t i = 0; i < ntaken; i++)
		if (strcmp(taken[i], name) == 0)
			return true;
	for (size_t i = 0; i < d->count; i++)
		if (strcmp(d->at[i].name, name) == 0)
			return true;
	return metric_find_event(names, name, (uint32_t)strlen(name));
}

static int derived_add(struct derived_set *d, struct derived *new, const struct event_names *names,
	const char *const *taken, size_t ntaken, bool is_word)
{
	new->name = new->formula->name;
	if (is_word || derived_is_taken(d, new->name, names, taken, ntaken)) {
		char *name = arena_alloc(&d->memory, sizeof METRIC_PREFIX + strlen(new->name));

		if (!name)
			return CPIDECODE_ENOMEM;
		strcpy(name, METRIC_PREFIX);
		strcat(name, new->name);
		new->name = name;
	}
	d->at[d->count++] = *new;
	return 0;
}

static int derived_refuse(
	struct report *r, const struct formula *f, const struct formula_operand *o)
{
	report_note(r, "--metric %s: no interval here has an event, and none a column, named %.*s",
		f->text, (int)o->length, o->name);
	r->is_misused = true;
	return CPIDECODE_EINVAL;
}

int derived_make(struct derived_set *d, struct report *r, const struct event_names *names,
	const char *const *taken, size_t ntaken)
{
	const struct formula_operand *unknown;
	int rc = 0;

	d->at = calloc(r->nmetrics + BUILTIN, sizeof *d->at);
	d->builtin = calloc(BUILTIN, sizeof *d->builtin);
	if (!d->at || !d->builtin)
		return CPIDECODE_ENOMEM;
	/* A built-in one gives its name to the user's. */
	for (size_t i = 0; i < r->nmetrics && !rc; i++) {
		struct derived new = {0};

		rc = derived_resolve(&new, &r->metrics[i], names, r->trace, &d->memory, &unknown);
		/* In a span of the trace, no interval may have its events. */
		if (!rc && unknown && r->is_span)
			continue;
		if (!rc)
			rc = unknown ? derived_refuse(r, &r->metrics[i], unknown)
				     : derived_add(d, &new, names, taken, ntaken,
					       d->is_word && d->is_word(r->metrics[i].name));
	}
	for (size_t i = 0; i < BUILTIN && names->count && !rc; i++) {
		struct derived new = {0};

		formula_parse(builtin_formulas[i], &d->builtin[i]);
		rc = derived_resolve(&new, &d->builtin[i], names, r->trace, &d->memory, &unknown);
		/* The built-in cpi is nearly what the word means: its column keeps the name. */
		if (!rc && !unknown)
			rc = derived_add(d, &new, names, taken, ntaken, false);
	}
	return rc;
}

double derived_of_group(const struct derived *d, const struct tally_group *g)
{
	double values[FORMULA_OPERANDS];
	struct sums scratch;
	const struct sums *s = tally_sums(g, &scratch);

	for (unsigned i = 0; i < d->formula->noperands; i++) {
		const struct metric_operand *o = &d->operands[i];
		const struct tally_event *e =
			o->own ? NULL : tally_find_event(g, o->event.text, o->event.length);

		if (o->own)
			values[i] = o->own->of_group ? o->own->of_group(g, s) : NAN;
		else
			values[i] = e ? tally_event_mean(e) : NAN;
	}
	return formula_value(d->formula, values);
}

double derived_of_event(const struct interval *iv, uint32_t index)
{
	for (uint32_t i = 0; i < iv->num_values; i++) {
		const struct interval_value *v = &iv->values[i];

		if (v->kind == VALUE_EVENT && v->name == index)
			return v->type == INTERVAL_ARG_U64 ? (double)v->u : NAN;
	}
	return NAN;
}

static double metric_of_column(const struct interval *iv, const struct metric_column *c)
{
	const char *at = (const char *)iv + c->offset;

	if (c->is_real)
		return *(const double *)at;
	return *(const uint64_t *)at == NOT_MEASURED ? NAN : (double)*(const uint64_t *)at;
}

double derived_of_interval(const struct derived *d, const struct interval *iv)
{
	double values[FORMULA_OPERANDS];

	for (unsigned i = 0; i < d->formula->noperands; i++) {
		const struct metric_operand *o = &d->operands[i];

		values[i] = o->own ? metric_of_column(iv, o->own) : derived_of_event(iv, o->index);
	}
	return formula_value(d->formula, values);
}

const char *derived_column_name(const struct metric_operand *o)
{
	return o->own ? o->own->name : NULL;
}

bool derived_is_of_groups(const struct derived *d)
{
	for (unsigned i = 0; i < d->formula->noperands; i++)
		if (d->operands[i].own && !d->operands[i].own->of_group)
			return false;
	return true;
}

bool derived_may_be(const struct formula *formulas, size_t n, const char *name, size_t length)
{
	const size_t prefix = strlen(METRIC_PREFIX);
	const bool is_prefixed = length > prefix && memcmp(name, METRIC_PREFIX, prefix) == 0;
	const char *plain = name + (is_prefixed ? prefix : 0);
	const size_t left = length - (size_t)(plain - name);

	for (size_t i = 0; i < n; i++)
		if (text_is(plain, left, formulas[i].name) ||
			text_is(name, length, formulas[i].name))
			return true;
	for (size_t i = 0; i < BUILTIN; i++)
		if (strncmp(builtin_formulas[i], plain, left) == 0 &&
			builtin_formulas[i][left] == '=')
			return true;
	return false;
}

/* The kind of a part of a formula. */
enum metric_part { PART_NUMBER, PART_SUM, PART_OTHER };

static enum metric_part metric_part_of_operand(const struct metric_operand *o)
{
	return !o->own || !o->own->is_real || strcmp(o->own->name, "elapsed_ns") == 0 ? PART_SUM
										      : PART_OTHER;
}

static enum metric_part metric_part_of(
	enum formula_op op, enum metric_part left, enum metric_part right)
{
	switch (op) {
	case FORMULA_ADD:
	case FORMULA_SUBTRACT:
		return left == right ? left : PART_OTHER;
	case FORMULA_MULTIPLY:
		return left == PART_NUMBER ? right : right == PART_NUMBER ? left : PART_OTHER;
	default:
		return right == PART_NUMBER ? left : PART_OTHER;
	}
}

bool derived_is_additive(const struct derived *d)
{
	enum metric_part stack[FORMULA_STEPS];
	unsigned n = 0;

	for (unsigned i = 0; i < d->formula->nsteps; i++) {
		const struct formula_step *s = &d->formula->steps[i];

		if (s->op == FORMULA_NUMBER) {
			stack[n++] = PART_NUMBER;
		} else if (s->op == FORMULA_OPERAND) {
			stack[n++] = metric_part_of_operand(&d->operands[s->operand]);
		} else if (s->op != FORMULA_NEGATE) {
			n--;
			stack[n - 1] =
				metric_part_of((enum formula_op)s->op, stack[n - 1], stack[n]);
		}
	}
	return n == 1 && stack[0] == PART_SUM;
}

static bool metric_is_column(const struct column *c)
{
	return c && (c->name || c->heading);
}

size_t derived_list_names(const struct column *own, const char *taken[DERIVED_TAKEN])
{
	size_t n = 0;

	for (; metric_is_column(own) && n < DERIVED_TAKEN; own++)
		if (own->name)
			taken[n++] = own->name;
	return n;
}

struct column *derived_add_columns(
	const struct derived_set *d, const struct column *before, event_get_fn get, bool heading)
{
	size_t n = 0;

	while (metric_is_column(before ? &before[n] : NULL))
		n++;
	struct column *all = calloc(n + d->count + 1, sizeof *all);
	if (!all)
		return NULL;
	if (n)
		memcpy(all, before, n * sizeof *all);
	for (size_t i = 0; i < d->count; i++)
		all[n + i] = (struct column){.name = d->at[i].name,
			.heading = heading ? d->at[i].name : NULL,
			.source = COLUMN_GET_OF,
			.get_of = get,
			.of = &d->at[i],
			.place = 2,
			.spare = 1};
	return all;
}

void derived_free(struct derived_set *d)
{
	free(d->at);
	free(d->builtin);
	intern_free(&d->memory);
}
