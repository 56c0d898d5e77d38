/* Reads the fields of a group's hooks into its interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
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
int group_need_cpu(struct group *g, uint32_t cpu)
{
	if (!array_reserve(&g->cpus, &g->cpus_room, (size_t)cpu + 1, sizeof *g->cpus))
		return CPIDECODE_ENOMEM;
	while (g->iv.num_cpus <= cpu)
		clear_cpu(&g->cpus[g->iv.num_cpus++]);
	return 0;
}

static int take_label(struct group *g, const char *bytes, uint32_t length)
{
	struct interval *iv = &g->iv;

	if (iv->has_label) {
		if (iv->label_len != length || memcmp(g->label, bytes, length))
			iv->flags |= IV_INCONSISTENT;
		return 0;
	}
	/* One byte more: an empty label is not NULL. */
	if (!array_reserve(&g->label, &g->label_room, (size_t)length + 1, 1))
		return CPIDECODE_ENOMEM;
	memcpy(g->label, bytes, length);
	iv->label_len = length;
	iv->has_label = true;
	return 0;
}

static void take_types(struct group *g, uint64_t types)
{
	/* The summary of CPU utilisation has fewer figures than the hook of the processors. */
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

/* The processor of this turn; NULL: no memory. */
static inline void *cpu_of_turn(struct group *g, uint32_t turn)
{
	return turn < g->iv.num_cpus || !group_need_cpu(g, turn) ? &g->cpus[turn] : NULL;
}

static inline void *util_of_turn(struct group *g, uint32_t turn)
{
	return turn < g->num_utils || !group_need_util(g, turn) ? &g->utils[turn] : NULL;
}

/* An unmeasured value still counts the processor as present. */
static inline int take_ratio(struct interval *iv, void *of, size_t at, bool measured, uint64_t v)
{
	if (of && measured)
		set_ratio(iv, (char *)of + at, v);
	return of ? 0 : CPIDECODE_ENOMEM;
}

static inline int take_count(struct interval *iv, void *of, size_t at, bool measured, uint64_t v)
{
	if (of && measured)
		set_count(iv, (char *)of + at, v);
	return of ? 0 : CPIDECODE_ENOMEM;
}

/* Stores any value but a string as the table of fields says. 0 or CPIDECODE_ENOMEM. */
static inline int take_value(
	struct group *g, enum group_op op, size_t at, uint32_t turn, bool measured, uint64_t v)
{
	struct interval *iv = &g->iv;

	switch (op) {
	case TAKE_TYPES:
		take_types(g, v);
		return 0;
	case TAKE_NUM_CPUS:
		take_num_cpus(g, v);
		return 0;
	case TAKE_TID:
		take_tid(iv, v);
		return 0;
	case TAKE_QUALITY:
		take_quality_flags(iv, v);
		return 0;
	case TAKE_COUNT:
		return take_count(iv, iv, at, measured, v);
	case TAKE_RATIO:
		return take_ratio(iv, iv, at, measured, v);
	case TAKE_CPU_COUNT:
		return take_count(iv, cpu_of_turn(g, turn), at, measured, v);
	case TAKE_CPU_RATIO:
		return take_ratio(iv, cpu_of_turn(g, turn), at, measured, v);
	case TAKE_UTIL_COUNT:
		return take_count(iv, util_of_turn(g, turn), at, measured, v);
	case TAKE_UTIL_RATIO:
		return take_ratio(iv, util_of_turn(g, turn), at, measured, v);
	default:
		return 0;
	}
}

static const struct flat_op *group_begin_repeat(
	struct walk *w, const struct group_plan *plan, const struct flat_op *op)
{
	w->turn = 0;
	w->turns = turns_of(w, op);
	w->turn_began = w->next;
	return w->turns ? op + 1 : plan->ops + op->jump;
}

/* A turn that read nothing ends the repeat. */
static const struct flat_op *group_end_turn(
	struct walk *w, const struct group_plan *plan, const struct flat_op *op)
{
	if (w->next == w->turn_began || ++w->turn >= w->turns)
		return op + 1;
	w->turn_began = w->next;
	return plan->ops + op->jump;
}

enum { TAKEN, TOO_SHORT };

/* TAKEN, TOO_SHORT (some fields may have been read), or a negative code. */
static int take_flat(struct group *g, const struct group_plan *plan, const struct hook *h)
{
	struct walk w;
	uint64_t v;
	int rc = 0;

	w.run = w.next = w.turn_began = h->words;
	w.left = h->nwords;
	w.turn = 0;
	w.turns = 0;
	for (unsigned i = 0; i < plan->nslots; i++)
		w.slot[i] = 0;
	for (const struct flat_op *op = plan->ops; !rc;) {
		switch ((enum group_op)op->kind) {
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
		case TAKE_LABEL:
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
		case FLAT_SLOT:
			w.slot[op->slot] = walk_value(&w, op);
			op++;
			break;
		default:
			v = walk_value(&w, op);
			rc = take_value(
				g, (enum group_op)op->kind, op->at, w.turn, v || !op->na0, v);
			op++;
			break;
		}
	}
	return rc;
}

static int take_by_cursor(struct group *g, const struct group_plan *plan, const struct hook *h)
{
	struct hook read_as = *h;
	struct field_cursor c;
	struct field_value v;

	read_as.schema = plan->schema;
	field_start(&c, &read_as);
	while (field_next(&c, &v)) {
		const struct group_field *f = plan->means[v.index];
		int rc = f->op == TAKE_LABEL ? take_label(g, v.string, v.length)
					     : take_value(g, (enum group_op)f->op, f->at, v.turn,
						       !v.not_measured, v.u);

		if (rc)
			return rc;
	}
	if (c.fit & FIT_SHORT)
		g->iv.flags |= IV_MALFORMED;
	return 0;
}

/* As the walk does, but without checking for contradictions. */
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
	/* Reading a value twice has the effect of reading it once. */
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
		if (plan->means[v.index]->op == TAKE_ELAPSED) {
			*elapsed = v.u;
			return true;
		}
	}
	return false;
}
