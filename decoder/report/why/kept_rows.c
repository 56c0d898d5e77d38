#include "kept_rows.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/interval_hooks.h"

enum { KEPT_TASK_NAME = 16, ID_BYTES = 16, RATE_BYTES = 8 };

struct tally_group *kept_number_name(struct tally *t, bool has_label, const char *label,
	uint32_t length, uint8_t major, uint8_t mm)
{
	const size_t before = t->count;
	struct tally_group *g = tally_group_of(t, has_label, label, length, major, mm);

	if (g && t->count > before)
		g->index = (uint32_t)before;
	return g;
}

struct tally_group *kept_number_text(struct tally *t, const void *text, uint32_t length)
{
	return kept_number_name(t, true, length ? text : "", length, 0, 0);
}

/* ------------------------------------------------------------------------ tables */

static uint64_t kept_clock_rate(const uint8_t *clock)
{
	uint64_t rate = 0;

	for (unsigned i = 0; i < RATE_BYTES; i++)
		rate = rate << 8 | clock[ID_BYTES + i];
	return rate;
}

static void kept_put_entry(struct buffer *o, enum why_table table, const struct tally_group *g)
{
	const uint8_t *clock = (const uint8_t *)g->label;

	switch (table) {
	case WHY_CLOCKS:
		buffer_add(o, clock, ID_BYTES);
		varint_put(o, kept_clock_rate(clock));
		varint_put(o, clock[WHY_CLOCK_BYTES - 1]);
		break;
	case WHY_NAMES:
		varint_put(o, g->has_label);
		varint_put_string(o, g->label, g->label_len);
		varint_put(o, g->mm);
		varint_put(o, g->major);
		break;
	default:
		varint_put_string(o, g->label, g->label_len);
	}
}

void kept_put_tables(struct buffer *o, const struct kept_head *head,
	struct tally_group *const *const sorted[WHY_TABLES], const size_t counts[WHY_TABLES])
{
	varint_put(o, head->seen);
	varint_put(o, head->has_span);
	if (head->has_span) {
		varint_put_signed(o, head->first_ns);
		varint_put_signed(o, head->last_ns);
	}
	for (enum why_table t = 0; t < WHY_TABLES; t++) {
		varint_put(o, counts[t]);
		for (size_t i = 0; i < counts[t]; i++)
			kept_put_entry(o, t, sorted[t][i]);
	}
	varint_put(o, head->count);
}

static struct tally_group *kept_get_clock(struct varint_in *in, struct tally *t)
{
	uint8_t clock[WHY_CLOCK_BYTES];
	const uint8_t *id = varint_get_raw(in, ID_BYTES);
	uint64_t rate = varint_get_max(in, CLOCK_MAX_RATE);

	if (!in->why && !rate)
		varint_fail(in, "a clock without a rate");
	if (!id || in->why)
		return NULL;
	memcpy(clock, id, ID_BYTES);
	for (unsigned i = RATE_BYTES; i--; rate >>= 8)
		clock[ID_BYTES + i] = (uint8_t)rate;
	clock[WHY_CLOCK_BYTES - 1] = (uint8_t)varint_get_max(in, 1);
	return in->why ? NULL : kept_number_text(t, clock, sizeof clock);
}

static struct tally_group *kept_get_entry(
	struct varint_in *in, enum why_table table, struct tally *t)
{
	uint32_t length;

	if (table == WHY_CLOCKS)
		return kept_get_clock(in, t);
	const bool has_label = table != WHY_NAMES || varint_get_max(in, 1);
	const uint8_t *text = varint_get_string(in, &length);
	const uint8_t mm = (uint8_t)(table == WHY_NAMES ? varint_get_max(in, UINT8_MAX) : 0);
	const uint8_t major = (uint8_t)(table == WHY_NAMES ? varint_get_max(in, UINT8_MAX) : 0);

	if (!has_label && length)
		varint_fail(in, "an invalid label");
	if (table == WHY_TASKS && (length > KEPT_TASK_NAME || (length && memchr(text, 0, length))))
		varint_fail(in, "an invalid thread's name");
	if (in->why)
		return NULL;
	return kept_number_name(t, has_label, length ? (const char *)text : "", length, major, mm);
}

static int kept_get_table(struct varint_in *in, enum why_table table, struct tally *t,
	struct tally_group ***groups, size_t *count)
{
	*count = (size_t)varint_get_max(in, (uint64_t)(in->end - in->p));
	*groups = calloc(*count + 1, sizeof **groups);
	if (!*groups)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < *count; i++) {
		(*groups)[i] = kept_get_entry(in, table, t);
		if (!(*groups)[i])
			return in->why ? CPIDECODE_EINVAL : CPIDECODE_ENOMEM;
	}
	return in->why ? CPIDECODE_EINVAL : 0;
}

int kept_get_tables(struct varint_in *in, struct kept_head *head, struct tally tables[WHY_TABLES],
	struct tally_group **groups[WHY_TABLES], size_t counts[WHY_TABLES])
{
	int rc = 0;

	*head = (struct kept_head){.seen = (uint32_t)varint_get_max(in, UINT32_MAX)};
	head->has_span = varint_get_max(in, 1);
	if (head->has_span) {
		head->first_ns = varint_get_signed(in);
		head->last_ns = varint_get_signed(in);
	}
	for (enum why_table t = 0; t < WHY_TABLES && !rc; t++)
		rc = kept_get_table(in, t, &tables[t], &groups[t], &counts[t]);
	head->count = rc ? 0 : varint_get_max(in, UINT64_MAX);
	return !rc && in->why ? CPIDECODE_EINVAL : rc;
}

/* ------------------------------------------------------------------------ rows */

void kept_put_value(
	struct buffer *o, uint32_t name, const struct interval_value *v, const char *text)
{
	varint_put(o, name);
	varint_put(o, v->kind);
	varint_put(o, v->type);
	if (v->type == INTERVAL_ARG_TEXT)
		varint_put_string(o, text, v->length);
	else
		varint_put(o, v->u);
}

int kept_get_value(struct varint_in *in, size_t texts, struct interval_value *v, const char **text)
{
	*v = (struct interval_value){.is_whole = true};
	v->name = (uint32_t)varint_get_max(in, UINT32_MAX);
	v->kind = (uint8_t)varint_get_max(in, VALUE_KINDS - 1);
	v->type = (uint8_t)varint_get_max(in, INTERVAL_ARG_TEXT);
	if (v->type == INTERVAL_ARG_TEXT)
		*text = (const char *)varint_get_string(in, &v->length);
	else
		v->u = varint_get_max(in, UINT64_MAX);
	return in->why || v->name >= texts || !v->type ? CPIDECODE_EINVAL : 0;
}

/* NOT_MEASURED becomes 0. */
static void kept_put_count(struct buffer *o, uint64_t count)
{
	varint_put(o, count + 1);
}

static uint64_t kept_get_count(struct varint_in *in)
{
	return varint_get_max(in, UINT64_MAX) - 1;
}

void kept_put_row(struct buffer *o, struct kept_before *before, const struct kept_row *row)
{
	const uint64_t ticks = row->end - row->start;

	varint_put(o, row->clock);
	varint_put_signed(o, (int64_t)(row->start - before->start));
	varint_put(o, ticks);
	varint_put_signed(o, (int64_t)(row->elapsed - ticks));
	varint_put_signed(o, (int64_t)((uint64_t)row->start_ns - (uint64_t)before->start_ns));
	varint_put(o, row->name);
	varint_put(o, row->parent);
	varint_put(o, row->tid);
	varint_put(o, row->ring);
	varint_put(o, row->task);
	varint_put(o, row->user_only);
	kept_put_count(o, row->off_ns);
	kept_put_count(o, row->instructions);
	kept_put_count(o, row->cycles);
	varint_put(o, row->nvalues);
	buffer_add(o, row->values, row->values_bytes);
	*before = (struct kept_before){row->start, row->start_ns};
}

int kept_get_row(struct varint_in *in, struct kept_before *before, const size_t counts[WHY_TABLES],
	struct kept_row *row)
{
	struct interval_value v;
	const char *text;
	int rc = 0;

	*row = (struct kept_row){.clock = (uint32_t)varint_get_max(in, UINT32_MAX)};
	row->start = before->start + (uint64_t)varint_get_signed(in);
	const uint64_t ticks = varint_get_max(in, UINT64_MAX);
	row->end = row->start + ticks;
	row->elapsed = ticks + (uint64_t)varint_get_signed(in);
	row->start_ns = (int64_t)((uint64_t)before->start_ns + (uint64_t)varint_get_signed(in));
	row->name = (uint32_t)varint_get_max(in, UINT32_MAX);
	row->parent = (uint32_t)varint_get_max(in, UINT32_MAX);
	row->tid = (uint32_t)varint_get_max(in, UINT32_MAX);
	row->ring = (uint32_t)varint_get_max(in, UINT32_MAX);
	row->task = (uint32_t)varint_get_max(in, UINT32_MAX);
	row->user_only = (uint32_t)varint_get_max(in, 1);
	row->off_ns = kept_get_count(in);
	row->instructions = kept_get_count(in);
	row->cycles = kept_get_count(in);
	row->nvalues = (uint32_t)varint_get_max(in, UINT32_MAX);
	row->values = in->p;
	for (uint32_t i = 0; i < row->nvalues && !rc; i++)
		rc = kept_get_value(in, counts[WHY_TEXTS], &v, &text);
	if (rc || in->why || row->clock >= counts[WHY_CLOCKS] || row->name >= counts[WHY_NAMES] ||
		row->parent > counts[WHY_NAMES] || row->task > counts[WHY_TASKS] ||
		in->p - row->values > UINT32_MAX)
		return CPIDECODE_EINVAL;
	row->values_bytes = (uint32_t)(in->p - row->values);
	*before = (struct kept_before){row->start, row->start_ns};
	return 0;
}
