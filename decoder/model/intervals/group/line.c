#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "../../../../formats/schema_program.h"
#include "../intervals.h"

/* Conditions test bits, repeats use the number. */
static uint64_t lines_find_mask(const struct schema_hook *s, int16_t slot)
{
	uint64_t mask = 0;

	for (uint32_t pc = 0; pc < s->nops; pc++) {
		if (s->ops[pc].kind == OP_IF && s->ops[pc].slot == slot)
			mask |= s->ops[pc].number;
		if (s->ops[pc].kind == OP_REPEAT && s->ops[pc].slot == slot)
			mask = UINT64_MAX;
	}
	return mask;
}

/* Finds the slots and the label. False: hooks of this schema need the cursor. */
static bool lines_scan_schema(struct group_lines *lines, const struct group_plan *plan)
{
	const struct schema_hook *s = plan->schema;
	bool fixed = true; /* no field so far is optional */
	bool has_text = false;
	uint32_t word = 0;

	for (uint32_t pc = 0; pc < s->nops; pc++) {
		if (s->ops[pc].kind != OP_FIELD) {
			fixed = false;
			continue;
		}
		const struct schema_field *f = &s->fields[s->ops[pc].field];
		if (plan->means[s->ops[pc].field]->op >= DECODE_ARG_NAME &&
			group_plan_has_values(plan))
			return false;
		if (f->type == FIELD_STRING && plan->means[s->ops[pc].field]->op == DECODE_TEXT) {
			has_text = true;
			continue;
		}
		if (f->type == FIELD_STRING) {
			if (plan->means[s->ops[pc].field]->op != DECODE_LABEL || lines->label ||
				!fixed)
				return false;
			lines->label = true;
			continue;
		}
		if (f->slot >= 0) {
			if (!fixed || lines->nslots == LINE_SLOTS)
				return false;
			if (plan->means[s->ops[pc].field]->op == DECODE_KNOWN)
				lines->known = (int)lines->nslots;
			lines->slots[lines->nslots].mask = lines_find_mask(s, f->slot);
			lines->slots[lines->nslots].word = (uint16_t)word;
			lines->slots[lines->nslots++].type = (uint8_t)f->type;
			lines->slot_words = word + schema_type_words(f->type);
		}
		word += schema_type_words(f->type);
	}
	/* Of a light interval the text may be the label. */
	return !has_text || lines->known >= 0 ||
	       group_class((enum group_part)plan->part) != GROUP_SCOPE;
}

bool group_lines_make(struct group_plan *plan, unsigned wants)
{
	struct group_lines *lines = calloc(1, sizeof *lines);

	if (!lines)
		return false;
	lines->wants = wants;
	lines->known = -1;
	if (lines_scan_schema(lines, plan))
		plan->lines = lines;
	else
		free(lines);
	return true;
}

void group_lines_free(struct group_lines *lines)
{
	if (!lines)
		return;
	for (uint32_t i = 0; i < lines->count; i++)
		free(lines->at[i]);
	free(lines);
}

static enum line_kind line_kind_of(const struct group_field *means)
{
	switch ((enum group_op)means->op) {
	case DECODE_RATIO:
		return LINE_RATIO;
	case DECODE_COUNT:
		return LINE_COUNT;
	case DECODE_CPU_RATIO:
		return LINE_CPU_RATIO;
	case DECODE_CPU_COUNT:
		return LINE_CPU_COUNT;
	case DECODE_UTIL_RATIO:
		return LINE_UTIL_RATIO;
	case DECODE_UTIL_COUNT:
		return LINE_UTIL_COUNT;
	default:
		return LINE_OTHER;
	}
}

static inline bool line_kind_is_of_cpu(enum line_kind kind)
{
	return kind == LINE_CPU_RATIO || kind == LINE_CPU_COUNT;
}

static inline bool line_kind_is_of_util(enum line_kind kind)
{
	return kind == LINE_UTIL_RATIO || kind == LINE_UTIL_COUNT;
}

/* In the array of processors, or in struct interval. */
static uint32_t line_field_offset(enum line_kind kind, uint32_t turn, uint32_t at)
{
	if (line_kind_is_of_cpu(kind))
		return at + turn * (uint32_t)sizeof(struct interval_cpu);
	return line_kind_is_of_util(kind) ? at + turn * (uint32_t)sizeof(struct interval_util) : at;
}

/*
 * Follows the schema through a hook. fields: where the next field of each kind goes; NULL: they are
 * only counted in `line`. Returns the words up to the last wanted field (with WANT_FLAGS all of the
 * schema's), or UINT32_MAX if the hook is shorter than its
 * schema.
 */
static uint32_t line_follow_schema(const struct group_plan *plan, const struct hook *h,
	struct line_field *fields[LINE_KINDS], struct group_line *line)
{
	const unsigned wants = plan->lines->wants;
	struct hook read_as = *h;
	struct field_cursor c;
	struct field_value v;
	uint32_t words = 0;

	read_as.schema = plan->schema;
	field_start(&c, &read_as);
	while (field_next(&c, &v)) {
		const struct group_field *means = plan->means[v.index];

		if (v.field->type == FIELD_STRING || !group_field_is_wanted(means, wants))
			continue;
		enum line_kind kind = line_kind_of(means);
		if (fields)
			*fields[kind]++ = (struct line_field){
				.at = 4 * (c.words_used - schema_type_words(v.field->type)),
				.op = means->op,
				.type = (uint8_t)v.field->type,
				.na0 = v.field->attributes & FIELD_NA0,
				.again = wants & WANT_FLAGS,
				.to = line_field_offset(kind, v.turn, means->at)};
		else
			line->form.n[kind]++;
		if (line_kind_is_of_cpu(kind) && v.turn >= line->form.cpus)
			line->form.cpus = v.turn + 1;
		if (line_kind_is_of_util(kind) && v.turn >= line->form.utils)
			line->form.utils = v.turn + 1;
		words = c.words_used;
	}
	if (c.fit & FIT_SHORT)
		return UINT32_MAX;
	return wants & WANT_FLAGS ? c.words_used : words;
}

static struct group_line *line_new(
	const struct group_plan *plan, const struct hook *h, const uint64_t *slot)
{
	struct group_line counted = {0}, *line;
	struct line_field *fields[LINE_KINDS];
	uint32_t total = 0;

	counted.words = line_follow_schema(plan, h, NULL, &counted);
	if (counted.words == UINT32_MAX)
		return NULL;
	memcpy(counted.slot, slot, sizeof counted.slot);
	for (int kind = 0; kind < LINE_KINDS; kind++)
		total += counted.form.n[kind];
	line = malloc(sizeof *line + total * sizeof *line->fields);
	if (!line)
		return NULL;
	*line = counted;
	fields[0] = line->fields;
	for (int kind = 1; kind < LINE_KINDS; kind++)
		fields[kind] = fields[kind - 1] + line->form.n[kind - 1];
	line_follow_schema(plan, h, fields, line);
	return line;
}

static bool same_slots(const struct group_lines *lines, const uint64_t *a, const uint64_t *b)
{
	for (uint32_t i = 0; i < lines->nslots; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* The line for hooks with these slots, made if there is none. NULL: too many lines, a hook shorter
 * than its schema, or out of memory, which only costs speed. */
static const struct group_line *group_lines_find_line(
	const struct group_plan *plan, const struct hook *h, const uint64_t *slot)
{
	struct group_lines *lines = plan->lines;
	struct group_line *line;

	for (uint32_t i = 0; i < lines->count; i++)
		if (same_slots(lines, lines->at[i]->slot, slot))
			return lines->at[i];
	if (lines->count == LINES_MAX)
		return NULL;
	line = line_new(plan, h, slot);
	if (line)
		lines->at[lines->count++] = line;
	return line;
}

const struct group_line *group_line_search(const struct group_plan *plan, const struct hook *h)
{
	struct group_lines *lines = plan->lines;
	const struct group_line *line = lines->last;
	uint64_t slot[LINE_SLOTS] = {0};

	if (h->nwords < lines->slot_words || (lines->label && !h->nstrings))
		return NULL;
	for (uint32_t i = 0; i < lines->nslots; i++) {
		const uint64_t v = line_value(h->words + 4 * (size_t)lines->slots[i].word,
			(enum field_type)lines->slots[i].type);

		if ((int)i == lines->known && v & SCOPE_KNOWN_TEXT)
			return NULL;
		slot[i] = v & lines->slots[i].mask;
		if (line && line->slot[i] != slot[i])
			line = NULL;
	}
	if (!line) {
		line = group_lines_find_line(plan, h, slot);
		if (line)
			lines->last = line;
	}
	return line && h->nwords >= line->words ? line : NULL;
}
