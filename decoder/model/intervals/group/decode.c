/* Reads the fields of a group's hooks into its interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../formats/base/array.h"
#include "../../../../formats/record.h"
#include "../../../../include/cpidecode.h"
#include "../../trace/labels.h"
#include "group.h"
#include "shape.h"

void group_free(struct group *g)
{
	if (!g)
		return;
	free(g->cpus);
	free(g->utils);
	free(g->label_text);
	free(g->values);
	free(g->value_texts);
	free(g);
}

/* A figure in two hooks of a group must agree; the later, more detailed one wins. */
static inline void set_ratio(struct interval *iv, void *to, uint64_t v)
{
	double *at = to, ratio = (double)v / CPI_FRACTION;

	if (!isnan(*at) && *at != ratio)
		iv->flags |= IV_INCONSISTENT;
	*at = ratio;
}

static inline void set_count(struct interval *iv, void *to, uint64_t v)
{
	uint64_t *at = to;

	if (*at != NOT_MEASURED && *at != v)
		iv->flags |= IV_INCONSISTENT;
	*at = v;
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

static inline int group_decode_label(struct group *g, const char *bytes, uint32_t length)
{
	struct interval *iv = &g->iv;

	if (iv->has_label) {
		if (iv->label_len != length || memcmp(g->label, bytes, length) != 0)
			iv->flags |= IV_INCONSISTENT;
		return 0;
	}
	/* One byte more: an empty label is not NULL. */
	if (g->label_room <= length &&
		!array_reserve(&g->label_text, &g->label_room, (size_t)length + 1, 1))
		return CPIDECODE_ENOMEM;
	memcpy(g->label_text, bytes, length);
	g->label = g->label_text;
	iv->label_len = length;
	iv->has_label = true;
	return 0;
}

static void group_decode_label_number(struct group *g, uint64_t number)
{
	const struct label *label =
		number <= UINT32_MAX ? trace_label(g->file, (uint32_t)number) : NULL;

	if (!label) {
		g->reader->unnamed.labels += number != 0;
		return;
	}
	g->label = label->text;
	g->iv.label_stays = true;
	g->iv.label_len = label->length;
	g->iv.has_label = true;
}

static void group_decode_types(struct group *g, uint64_t types)
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

static void group_decode_num_cpus(struct group *g, uint64_t n)
{
	if (g->num_cpus_word && g->num_cpus_word != n)
		g->iv.flags |= IV_INCONSISTENT;
	g->num_cpus_word = (uint32_t)n;
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
static inline int group_decode_ratio(
	struct interval *iv, void *of, size_t at, bool measured, uint64_t v)
{
	if (of && measured)
		set_ratio(iv, (char *)of + at, v);
	return of ? 0 : CPIDECODE_ENOMEM;
}

static inline int group_decode_count(
	struct interval *iv, void *of, size_t at, bool measured, uint64_t v)
{
	if (of && measured)
		set_count(iv, (char *)of + at, v);
	return of ? 0 : CPIDECODE_ENOMEM;
}

/* Stores any value but a string as the table of fields says. 0 or CPIDECODE_ENOMEM. */
static inline int group_decode_value(
	struct group *g, enum group_op op, size_t at, uint32_t turn, bool measured, uint64_t v)
{
	struct interval *iv = &g->iv;

	switch (op) {
	case DECODE_TYPES:
		group_decode_types(g, v);
		return 0;
	case DECODE_LABEL_NUMBER:
		group_decode_label_number(g, v);
		return 0;
	case DECODE_KNOWN:
		g->known = (uint32_t)v;
		return 0;
	case DECODE_NUM_CPUS:
		group_decode_num_cpus(g, v);
		return 0;
	case DECODE_QUALITY:
		iv->flags |= interval_quality_flags((uint32_t)v);
		return 0;
	case DECODE_COUNT:
		return group_decode_count(iv, iv, at, measured, v);
	case DECODE_RATIO:
		return group_decode_ratio(iv, iv, at, measured, v);
	case DECODE_CPU_COUNT:
		return group_decode_count(iv, cpu_of_turn(g, turn), at, measured, v);
	case DECODE_CPU_RATIO:
		return group_decode_ratio(iv, cpu_of_turn(g, turn), at, measured, v);
	case DECODE_UTIL_COUNT:
		return group_decode_count(iv, util_of_turn(g, turn), at, measured, v);
	case DECODE_UTIL_RATIO:
		return group_decode_ratio(iv, util_of_turn(g, turn), at, measured, v);
	default:
		return 0;
	}
}

/* Reads a field of a named value: only the cursor does. */
static int group_decode_named_value(struct group *g, enum group_op op, const struct field_value *v)
{
	switch (op) {
	case DECODE_ARG_NAME:
		return group_decode_value_name(g, v->turn, v->u, VALUE_ARGUMENT);
	case DECODE_EVENT_NAME:
		return group_decode_value_name(g, v->turn, v->u, VALUE_EVENT);
	case DECODE_EVENT_FLAGS:
		return group_decode_value_type(
			g, v->turn, v->u & INTERVAL_EVENT_KNOWN ? INTERVAL_ARG_U64 : 0);
	case DECODE_EVENT_ENABLED:
		g->event_enabled = v->u;
		return 0;
	case DECODE_EVENT_RUNNING:
		return group_decode_value_running(g, v->turn, v->u);
	case DECODE_VALUE_TYPE:
		return group_decode_value_type(g, v->turn, v->u);
	case DECODE_VALUE_BITS:
		return group_decode_value_bits(g, v->turn, v->u);
	default:
		return group_decode_value_text(g, v->string, v->length);
	}
}

int group_decode(struct group *g, const struct group_plan *plan, const struct hook *h)
{
	struct hook read_as = *h;
	struct field_cursor c;
	struct field_value v;
	const bool values = group_plan_has_values(plan);
	bool label_follows = false; /* as the next text */

	read_as.schema = plan->schema;
	g->first_value = g->text_value = g->iv.num_values;
	field_start(&c, &read_as);
	while (field_next(&c, &v)) {
		const struct group_field *f = plan->means[v.index];
		const enum group_op op = (enum group_op)f->op;
		int rc = 0;

		if (op == DECODE_KNOWN)
			label_follows = v.u & SCOPE_KNOWN_TEXT;
		if (op == DECODE_LABEL || (op == DECODE_TEXT && label_follows)) {
			rc = group_decode_label(g, v.string, v.length);
			label_follows &= op == DECODE_LABEL;
		} else if (op >= DECODE_ARG_NAME) {
			rc = values ? group_decode_named_value(g, op, &v) : 0;
		} else if (group_field_is_wanted(f, plan->wants)) {
			rc = group_decode_value(g, op, f->at, v.turn, !v.not_measured, v.u);
		}
		if (rc)
			return rc;
	}
	if (c.fit & FIT_SHORT)
		g->iv.flags |= IV_MALFORMED;
	return group_settle_values(g);
}

static inline uint64_t shape_value(const uint8_t *p, enum field_type type)
{
	switch (type) {
	case FIELD_U32:
		return get_le32(p);
	case FIELD_FIX4:
		return (uint64_t)get_le32(p) * CPI_FRACTION + get_le32(p + 4);
	default:
		return get_hl64(p);
	}
}

/* checks: the place may have a value by now, and the two must agree. */
static inline const struct shape_field *group_decode_ratios(struct interval *iv, void *of,
	const uint8_t *const *records, const struct shape_field *f, uint32_t n, bool checks)
{
	for (const struct shape_field *end = f + n; f < end; f++) {
		uint64_t v = shape_value(records[f->record] + f->at, FIELD_FIX4);
		void *to = (char *)of + f->to;

		if (!v && f->na0)
			continue;
		if (checks)
			set_ratio(iv, to, v);
		else
			*(double *)to = (double)v / CPI_FRACTION;
	}
	return f;
}

static inline const struct shape_field *group_decode_counts(struct interval *iv, void *of,
	const uint8_t *const *records, const struct shape_field *f, uint32_t n, bool checks)
{
	for (const struct shape_field *end = f + n; f < end; f++) {
		const uint8_t *p = records[f->record] + f->at;
		uint64_t v = f->type == FIELD_U32 ? get_le32(p) : get_hl64(p);
		void *to = (char *)of + f->to;

		if (!v && f->na0)
			continue;
		if (checks)
			set_count(iv, to, v);
		else
			*(uint64_t *)to = v;
	}
	return f;
}

/* An unmeasured value still counts the processor as present. */
static int group_need_cpus(struct group *g, uint32_t cpus, uint32_t utils)
{
	if (cpus > g->iv.num_cpus && group_need_cpu(g, cpus - 1))
		return CPIDECODE_ENOMEM;
	return utils > g->num_utils ? group_need_util(g, utils - 1) : 0;
}

static int group_decode_fields(struct group *g, const struct shape_found *found, bool checks)
{
	const struct group_shape *shape = found->shape;
	const uint8_t *const *records = found->at;
	const struct shape_field *f = shape->fields;
	const uint32_t *n = shape->n;
	struct interval *iv = &g->iv;
	int rc = 0;

	for (const struct shape_field *end = f + n[DECODE_NOTHING]; f < end; f++) {
		uint64_t v = shape_value(records[f->record] + f->at, (enum field_type)f->type);

		rc = group_decode_value(g, (enum group_op)f->op, f->to, 0, v || !f->na0, v);
		if (rc)
			return rc;
	}
	f = group_decode_counts(iv, iv, records, f, n[DECODE_COUNT], checks);
	f = group_decode_ratios(iv, iv, records, f, n[DECODE_RATIO], checks);
	if (!shape->cpus && !shape->utils)
		return 0;
	rc = group_need_cpus(g, shape->cpus, shape->utils);
	if (rc)
		return rc;
	f = group_decode_counts(iv, g->cpus, records, f, n[DECODE_CPU_COUNT], checks);
	f = group_decode_ratios(iv, g->cpus, records, f, n[DECODE_CPU_RATIO], checks);
	f = group_decode_counts(iv, g->utils, records, f, n[DECODE_UTIL_COUNT], checks);
	group_decode_ratios(iv, g->utils, records, f, n[DECODE_UTIL_RATIO], checks);
	return 0;
}

void group_settle_scope(struct group *g, bool own_cost)
{
	struct interval *iv = &g->iv;

	if (own_cost && g->known >> SCOPE_OWN_INSIDE_SHIFT) {
		iv->own_inside = scope_own_inside(g->known);
		iv->own_pair = g->known >> SCOPE_OWN_PAIR_SHIFT & SCOPE_OWN_PAIR_MAX;
	}

	if (g->known & SCOPE_KNOWN_NO_SWITCH)
		set_count(iv, &iv->ctx_switches, 0);
	if (g->known & SCOPE_KNOWN_ARGS_CUT)
		iv->flags |= IV_ARGS_CUT;
	iv->time_source = scope_time_source(iv->ctx_switches, iv->on_cpu_ns);
}

static int group_decode_shape_labels(struct group *g, const struct shape_found *found)
{
	const struct group_shape *shape = found->shape;
	int rc = 0;

	for (uint32_t i = 0; i < shape->count && !rc; i++) {
		const struct shape_record *r = &shape->records[i];
		const uint8_t *p = found->at[i];

		if (!r->has_label)
			continue;
		p += REC_DATA + 4 * (size_t)get_le16(p + REC_NWORDS);
		rc = group_decode_label(g, (const char *)p + 4, get_le32(p));
	}
	return rc;
}

int group_decode_shape(struct group *g, const struct shape_found *found, bool checks)
{
	int rc = group_decode_fields(g, found, checks);

	return rc ? rc : group_decode_shape_labels(g, found);
}

bool group_elapsed_by_cursor(const struct group_plan *plan, const struct hook *h, uint64_t *elapsed)
{
	struct hook read_as = *h;
	struct field_cursor c;
	struct field_value v;

	read_as.schema = plan->schema;
	field_start(&c, &read_as);
	while (field_next(&c, &v)) {
		if (plan->means[v.index]->op == DECODE_ELAPSED) {
			*elapsed = v.u;
			return true;
		}
	}
	return false;
}
