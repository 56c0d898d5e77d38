/* What the fields of a group's hooks say goes into its interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/cpi_hooks.h"
#include "../../../formats/cpuutil_hooks.h"
#include "../../../include/cpidecode.h"
#include "group.h"
#include "group_line.h"
#include "group_walk.h"

void group_free(struct group *g)
{
	if (!g)
		return;
	free(g->cpus);
	free(g->utils);
	free(g->label);
	free(g);
}

static void clear_cpu(struct interval_cpu *c)
{
	c->raw_cpi = c->scaled_cpi = c->busy_pct = NAN;
	c->instructions = c->cycles = c->busy_cycles = NOT_MEASURED;
}

/* Room for processor `cpu`: a turn of a repeat, so a record's words bound it. */
static int need_cpu(struct group *g, uint32_t cpu)
{
	if (cpu >= g->cpus_cap) {
		uint32_t cap = cpu < 8 ? 16 : 2 * cpu;
		void *p = realloc(g->cpus, (size_t)cap * sizeof *g->cpus);
		if (!p)
			return CPIDECODE_ENOMEM;
		g->cpus = p;
		g->cpus_cap = cap;
	}
	while (g->iv.num_cpus <= cpu)
		clear_cpu(&g->cpus[g->iv.num_cpus++]);
	return 0;
}

int group_need_cpu(struct group *g, uint32_t cpu)
{
	return need_cpu(g, cpu);
}

static int take_label(struct group *g, const char *bytes, uint32_t length)
{
	struct interval *iv = &g->iv;
	if (iv->has_label) {
		if (iv->label_len != length || memcmp(g->label, bytes, length))
			iv->flags |= IV_INCONSISTENT;
		return 0;
	}
	if (!g->label || length > g->label_cap) {
		uint32_t cap = length < 64 ? 64 : length;
		void *p = realloc(g->label, cap);
		if (!p)
			return CPIDECODE_ENOMEM;
		g->label = p;
		g->label_cap = cap;
	}
	memcpy(g->label, bytes, length);
	iv->label_len = length;
	iv->has_label = true;
	return 0;
}

static void take_types(struct group *g, uint64_t types)
{
	/* The summary of CPU utilisation says less than the hook of the processors. */
	const unsigned common = g->iv.major == CPUUTIL_MAJOR
					? CPUUTIL_HOOK_BUSY | CPUUTIL_HOOK_INTR | CPUUTIL_HOOK_PERF
					: CPI_HOOK_RAW | CPI_HOOK_BUSY;
	if (g->has_types && (g->iv.types & common) != (types & common))
		g->iv.flags |= IV_INCONSISTENT;
	g->has_types = true;
	g->iv.types |= (uint8_t)types;
}

/* Ignores bits that are not defined yet. */
static void take_quality_flags(struct interval *iv, uint64_t flags)
{
	static const struct {
		uint32_t hook, interval;
	} means[] = {{CPI_QUALITY_MULTIPLEXED, IV_MULTIPLEXED},
		{CPI_QUALITY_CPUS_CHANGED, IV_CPUS_CHANGED},
		{CPI_QUALITY_CORE_TYPES, IV_CORE_TYPES}, {CPI_QUALITY_USER_ONLY, IV_USER_ONLY}};
	for (size_t i = 0; i < sizeof means / sizeof *means; i++)
		if (flags & means[i].hook)
			iv->flags |= means[i].interval;
}

static void take_num_cpus(struct group *g, uint64_t n)
{
	if (g->num_cpus_word && g->num_cpus_word != n)
		g->iv.flags |= IV_INCONSISTENT;
	g->num_cpus_word = (uint32_t)n;
}

static void take_tid(struct interval *iv, uint64_t tid)
{
	if (tid != iv->tid)
		iv->flags |= IV_INCONSISTENT;
}

/* The processor whose turn it is. */
static int group_find_cpu(struct walk *w, struct group *g)
{
	int rc = w->cpu ? 0 : need_cpu(g, w->turn);
	if (!rc)
		w->cpu = &g->cpus[w->turn];
	return rc;
}

static int take_field(struct walk *w, struct group *g, const struct flat_op *op)
{
	struct interval *iv = &g->iv;
	uint64_t v = value_at(w->run + 4 * (size_t)op->word, (enum field_type)op->type);
	bool measured = v || !op->na0;
	int rc;
	switch ((enum flat_kind)op->kind) {
	case FLAT_SLOT:
		w->slot[op->slot] = v;
		break;
	case FLAT_RATIO:
		if (measured)
			set_ratio(iv, (char *)iv + op->at, v);
		break;
	case FLAT_COUNT:
		if (measured)
			set_count(iv, (char *)iv + op->at, v);
		break;
	case FLAT_CPU_RATIO:
		rc = group_find_cpu(w, g);
		if (rc)
			return rc;
		if (measured)
			set_ratio(iv, (char *)w->cpu + op->at, v);
		break;
	case FLAT_CPU_COUNT:
		rc = group_find_cpu(w, g);
		if (rc)
			return rc;
		if (measured)
			set_count(iv, (char *)w->cpu + op->at, v);
		break;
	case FLAT_UTIL_RATIO:
	case FLAT_UTIL_COUNT:
		return group_take_util(
			g, w->turn, op->at, op->kind == FLAT_UTIL_RATIO, measured, v);
	case FLAT_TYPES:
		take_types(g, v);
		break;
	case FLAT_NUM_CPUS:
		take_num_cpus(g, v);
		break;
	case FLAT_TID:
		take_tid(iv, v);
		break;
	default:
		take_quality_flags(iv, v);
		break;
	}
	return 0;
}

static const struct flat_op *group_begin_repeat(
	struct walk *w, const struct group_plan *plan, const struct flat_op *op)
{
	w->turn = 0;
	w->turns = turns_of(w, op);
	w->turn_began = w->next;
	w->cpu = NULL;
	return w->turns ? op + 1 : plan->ops + op->jump;
}

/* A turn that took nothing was the last. */
static const struct flat_op *group_end_turn(
	struct walk *w, const struct group_plan *plan, const struct flat_op *op)
{
	if (w->next == w->turn_began || ++w->turn >= w->turns)
		return op + 1;
	w->turn_began = w->next;
	w->cpu = NULL;
	return plan->ops + op->jump;
}

enum { TAKEN, TOO_SHORT };

/* TAKEN, TOO_SHORT (some of it may have been taken), or a negative code. */
static int take_flat(struct group *g, const struct group_plan *plan, const struct hook *h)
{
	struct walk w;
	int rc = 0;
	w.run = w.next = w.turn_began = h->words;
	w.left = h->nwords;
	w.turn = 0;
	w.turns = 0;
	w.cpu = NULL;
	for (unsigned i = 0; i < plan->nslots; i++)
		w.slot[i] = 0;
	for (const struct flat_op *op = plan->ops; !rc;) {
		switch ((enum flat_kind)op->kind) {
		case FLAT_END:
			return TAKEN;
		case FLAT_RUN:
			if (w.left < op->words)
				return TOO_SHORT;
			w.run = w.next;
			w.next += 4 * (size_t)op->words;
			w.left -= op->words;
			op++;
			break;
		case FLAT_LABEL:
			if (!h->nstrings)
				return TOO_SHORT;
			rc = take_label(g, (const char *)h->strings + 4, get_le32(h->strings));
			op++;
			break;
		case FLAT_IF:
			op = w.slot[op->slot] & op->number ? op + 1 : plan->ops + op->jump;
			break;
		case FLAT_REPEAT:
			op = group_begin_repeat(&w, plan, op);
			break;
		case FLAT_AGAIN:
			op = group_end_turn(&w, plan, op);
			break;
		case FLAT_REPEAT_SKIP:
			if (!skip_repeat(&w, plan, op))
				return TOO_SHORT;
			op = plan->ops + op->jump;
			break;
		default:
			rc = take_field(&w, g, op++);
			break;
		}
	}
	return rc;
}

static int take_cpu_value(struct group *g, enum group_field means, const struct field_value *v)
{
	int rc = need_cpu(g, v->turn);
	if (rc)
		return rc;
	struct interval *iv = &g->iv;
	struct interval_cpu *c = &g->cpus[v->turn];
	if (v->not_measured)
		return 0;
	switch (means) {
	case GF_CPU_RAW_CPI:
		set_ratio(iv, &c->raw_cpi, v->u);
		break;
	case GF_CPU_SCALED_CPI:
		set_ratio(iv, &c->scaled_cpi, v->u);
		break;
	case GF_CPU_BUSY:
		set_ratio(iv, &c->busy_pct, v->u);
		break;
	case GF_CPU_INSTRUCTIONS:
		set_count(iv, &c->instructions, v->u);
		break;
	case GF_CPU_CYCLES:
		set_count(iv, &c->cycles, v->u);
		break;
	default:
		set_count(iv, &c->busy_cycles, v->u);
		break;
	}
	return 0;
}

static void take_measured(struct interval *iv, enum group_field means, uint64_t v)
{
	switch (means) {
	case GF_RAW_CPI:
		set_ratio(iv, &iv->raw_cpi, v);
		break;
	case GF_SCALED_CPI:
		set_ratio(iv, &iv->scaled_cpi, v);
		break;
	case GF_BUSY:
		set_ratio(iv, &iv->busy_pct, v);
		break;
	case GF_THREAD_CPI:
		set_ratio(iv, &iv->thread_cpi, v);
		break;
	case GF_INSTRUCTIONS:
		set_count(iv, &iv->instructions, v);
		break;
	case GF_CYCLES:
		set_count(iv, &iv->cycles, v);
		break;
	case GF_BUSY_CYCLES:
		set_count(iv, &iv->busy_cycles, v);
		break;
	case GF_THREAD_INSTRUCTIONS:
		set_count(iv, &iv->thread_instructions, v);
		break;
	case GF_THREAD_CYCLES:
		set_count(iv, &iv->thread_cycles, v);
		break;
	case GF_ON_CPU_NS:
		set_count(iv, &iv->on_cpu_ns, v);
		break;
	case GF_CTX_SWITCHES:
		set_count(iv, &iv->ctx_switches, v);
		break;
	case GF_MIGRATIONS:
		set_count(iv, &iv->migrations, v);
		break;
	case GF_FAULTS:
		set_count(iv, &iv->faults, v);
		break;
	case GF_IDLE:
		set_ratio(iv, &iv->idle_pct, v);
		break;
	case GF_INTR:
		set_ratio(iv, &iv->intr_pct, v);
		break;
	case GF_ACTUAL_PERF:
		set_ratio(iv, &iv->actual_perf_pct, v);
		break;
	case GF_METHOD:
		set_count(iv, &iv->method, v);
		break;
	default:
		break;
	}
}

static int take_value(struct group *g, enum group_field means, const struct field_value *v)
{
	switch (means) {
	case GF_TYPES:
		take_types(g, v->u);
		break;
	case GF_NUM_CPUS:
		take_num_cpus(g, v->u);
		break;
	case GF_LABEL:
		return take_label(g, v->string, v->length);
	case GF_TID:
		take_tid(&g->iv, v->u);
		break;
	case GF_QUALITY_FLAGS:
		take_quality_flags(&g->iv, v->u);
		break;
	default:
		if (group_field_is_cpu_util(means))
			return group_take_util_field(g, v->turn, means, !v->not_measured, v->u);
		if (group_field_is_cpu(means))
			return take_cpu_value(g, means, v);
		if (!v->not_measured)
			take_measured(&g->iv, means, v->u);
		break;
	}
	return 0;
}

static int take_by_cursor(struct group *g, const struct group_plan *plan, const struct hook *h)
{
	struct hook read_as = *h;
	struct field_cursor c;
	struct field_value v;
	read_as.schema = plan->schema;
	field_start(&c, &read_as);
	while (field_next(&c, &v)) {
		int rc = take_value(g, (enum group_field)plan->means[v.index], &v);
		if (rc)
			return rc;
	}
	if (c.fit & FIT_SHORT)
		g->iv.flags |= IV_MALFORMED;
	return 0;
}

/* As the walk does, without looking for contradictions. */
static void take_line(struct interval *iv, const struct group_line *line, const struct hook *h)
{
	const struct line_field *f = line->fields, *end = f + line->nratios;
	for (; f < end; f++) {
		uint64_t v = value_at(h->words + f->from, FIELD_FIX4);
		if (v || !f->na0)
			*(double *)((char *)iv + f->at) = (double)v / CPI_FRACTION;
	}
	for (end += line->ncounts; f < end; f++) {
		const uint8_t *p = h->words + f->from;
		uint64_t v = f->wide ? get_hl64(p) : get_le32(p);
		if (v || !f->na0)
			*(uint64_t *)((char *)iv + f->at) = v;
	}
	for (end += line->nflags; f < end; f++) {
		const uint8_t *p = h->words + f->from;
		take_quality_flags(iv, f->wide ? get_hl64(p) : get_le32(p));
	}
}

int group_take(struct group *g, const struct group_plan *plan, const struct hook *h)
{
	const struct group_line *line = plan->lines ? group_line_find(plan, h) : NULL;
	if (line) {
		take_line(&g->iv, line, h);
		return line->label
			       ? take_label(g, (const char *)h->strings + 4, get_le32(h->strings))
			       : 0;
	}
	int rc = plan->flat ? take_flat(g, plan, h) : TOO_SHORT;
	/* To take a value twice is to take it once. */
	return rc == TOO_SHORT ? take_by_cursor(g, plan, h) : rc;
}

bool group_elapsed_by_cursor(const struct group_plan *plan, const struct hook *h, uint64_t *elapsed)
{
	struct hook read_as = *h;
	struct field_cursor c;
	struct field_value v;
	read_as.schema = plan->schema;
	field_start(&c, &read_as);
	while (field_next(&c, &v)) {
		if (plan->means[v.index] == GF_ELAPSED) {
			*elapsed = v.u;
			return true;
		}
	}
	return false;
}
