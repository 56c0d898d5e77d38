#include "group_line.h"

#include <stdlib.h>
#include <string.h>

#include "group_walk.h"

/* A slot outside of the first run may be absent. */
static bool note_slot(struct group_lines *lines, const struct flat_op *op, bool first_run)
{
	if (!first_run || lines->nslots == LINE_SLOTS)
		return false;
	uint32_t n = lines->nslots++;
	lines->slots[n].word = op->word;
	lines->slots[n].type = op->type;
	lines->slots[n].slot = (uint8_t)op->slot;
	return true;
}

static bool note_ops(struct group_lines *lines, const struct group_plan *plan)
{
	bool first_run = true;

	if (plan->ops[0].kind == FLAT_RUN)
		lines->slot_words = plan->ops[0].words;
	for (uint32_t i = 0; i < plan->nops; i++) {
		const struct flat_op *op = &plan->ops[i];

		switch ((enum group_op)op->kind) {
		case FLAT_SLOT:
			if (!note_slot(lines, op, first_run))
				return false;
			break;
		case FLAT_RUN:
			first_run = i == 0;
			break;
		case FLAT_IF:
		case FLAT_REPEAT_SKIP:
			first_run = false;
			break;
		case FLAT_AGAIN: /* inside a skipped repeat */
		case FLAT_END:
		case TAKE_LABEL:
		case TAKE_RATIO:
		case TAKE_COUNT:
		case TAKE_QUALITY:
			break;
		default:
			return false;
		}
	}
	return true;
}

bool group_lines_make(struct group_plan *plan)
{
	if (plan->nops == 1) /* nothing is read */
		return true;
	struct group_lines *lines = calloc(1, sizeof *lines);
	if (!lines)
		return false;
	if (note_ops(lines, plan))
		plan->lines = lines;
	else
		free(lines);
	return true;
}

void group_lines_free(struct group_lines *lines)
{
	if (!lines)
		return;
	for (unsigned i = 0; i < LINE_PLACES; i++)
		free(lines->at[i]);
	free(lines);
}

static void add_field(struct group_line *line, const struct walk *w, const struct hook *h,
	const struct flat_op *op)
{
	uint32_t end = line->nratios;

	if (op->kind == TAKE_RATIO)
		line->nratios++;
	else if (op->kind == TAKE_COUNT)
		end += line->ncounts++;
	else
		end += line->ncounts + line->nflags++;
	struct line_field *to = &line->fields[end];
	uint32_t n = (uint32_t)line->nratios + line->ncounts + line->nflags - 1;
	memmove(to + 1, to, (n - end) * sizeof *to);
	*to = (struct line_field){.from = (uint32_t)(w->run - h->words) + 4u * op->word,
		.at = op->at,
		.na0 = op->na0,
		.wide = op->type != FIELD_U32};
}

/* Follows the program through a hook. False if the hook is too short. */
static bool group_line_follow_plan(struct group_line *line, const struct group_plan *plan,
	const struct hook *h, struct walk *w)
{
	for (const struct flat_op *op = plan->ops;;) {
		switch ((enum group_op)op->kind) {
		case FLAT_END:
			line->words = h->nwords - w->left;
			return true;
		case FLAT_RUN:
			if (w->left < op->words)
				return false;
			w->run = w->next;
			w->next += 4 * (size_t)op->words;
			w->left -= op->words;
			break;
		case FLAT_SLOT:
			break;
		case TAKE_LABEL:
			line->label = true;
			break;
		case FLAT_IF:
			if (!(w->slot[op->slot] & op->number)) {
				op = plan->ops + op->jump;
				continue;
			}
			break;
		case FLAT_REPEAT_SKIP:
			if (!skip_repeat(w, plan, op))
				return false;
			op = plan->ops + op->jump;
			continue;
		default:
			add_field(line, w, h, op);
			break;
		}
		op++;
	}
}

static struct group_line *new_line(
	const struct group_plan *plan, const struct hook *h, const uint64_t *slot)
{
	const struct group_lines *lines = plan->lines;
	struct group_line *line =
		calloc(1, sizeof *line + (size_t)plan->nops * sizeof *line->fields);
	struct walk w;

	if (!line)
		return NULL;
	w.run = w.next = h->words;
	w.left = h->nwords;
	memset(w.slot, 0, plan->nslots * sizeof *w.slot);
	for (uint32_t i = 0; i < lines->nslots; i++)
		w.slot[lines->slots[i].slot] = line->slot[i] = slot[i];
	if (group_line_follow_plan(line, plan, h, &w))
		return line;
	free(line);
	return NULL;
}

static struct group_line **group_lines_find_bucket(struct group_lines *lines, const uint64_t *slot)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < lines->nslots; i++)
		sum = sum * 7 + slot[i];
	return &lines->at[(sum ^ sum >> 8) % LINE_PLACES];
}

static bool same_slots(const struct group_lines *lines, const uint64_t *a, const uint64_t *b)
{
	for (uint32_t i = 0; i < lines->nslots; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* The line for hooks with these slots; NULL: not worth one, or no memory. */
static const struct group_line *group_lines_find_line(
	const struct group_plan *plan, const struct hook *h, const uint64_t *slot)
{
	struct group_lines *lines = plan->lines;
	struct group_line **at = group_lines_find_bucket(lines, slot);

	if (*at && same_slots(lines, (*at)->slot, slot))
		return *at;
	if (lines->made == LINES_MADE)
		return NULL;
	lines->made++;
	struct group_line *line = new_line(plan, h, slot);
	if (!line) /* an allocation failure only costs speed */
		return NULL;
	if (lines->last == *at)
		lines->last = NULL;
	free(*at);
	return *at = line;
}

const struct group_line *group_line_find(const struct group_plan *plan, const struct hook *h)
{
	struct group_lines *lines = plan->lines;
	const struct group_line *line = lines->last;
	uint64_t slot[LINE_SLOTS];

	if (h->nwords < lines->slot_words)
		return NULL;
	for (uint32_t i = 0; i < lines->nslots; i++) {
		slot[i] = value_at(h->words + 4 * (size_t)lines->slots[i].word,
			(enum field_type)lines->slots[i].type);
		if (line && line->slot[i] != slot[i])
			line = NULL;
	}
	if (!line)
		lines->last = line = group_lines_find_line(plan, h, slot);
	if (!line || h->nwords < line->words || (line->label && !h->nstrings))
		return NULL;
	return line;
}
