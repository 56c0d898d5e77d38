#include "groups_kept.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/varint.h"
#include "../tallies.h"
#include "groups.h"

static int groups_kept_put(struct partial *p, bool has_cpi)
{
	const uint8_t answer = has_cpi;

	return partial_add_answer(p, PARTIAL_BY, &answer, 1);
}

int groups_kept_read(struct report *r, struct partial *p)
{
	/* Their counts tell why a figure is n/a. */
	struct groups g = {.tally.wanted = TALLY_WANT_VALUES};
	int rc = groups_read(r, &g);

	if (!rc)
		rc = groups_kept_put(p, g.has_cpi);
	if (!rc) {
		p->tally = g.tally;
		g.tally = (struct tally){0};
	}
	groups_free(&g);
	return rc;
}

/* Whether any part has an interval of CPI's major. */
static int groups_kept_get(const struct partial *p, bool *has_cpi)
{
	struct varint_in all = {p->answers.bytes, NULL, NULL};

	*has_cpi = false;
	if (p->answers.count)
		all.end = p->answers.bytes + p->answers.n;
	for (size_t i = 0; i < p->answers.count; i++) {
		uint32_t length;
		const uint8_t *bytes = varint_get_string(&all, &length);

		if (!bytes || length != 1 || *bytes > 1)
			return CPIDECODE_EINVAL;
		*has_cpi |= *bytes;
	}
	return 0;
}

int groups_kept_settle(struct partial *p)
{
	bool has_cpi;
	int rc = groups_kept_get(p, &has_cpi);

	if (rc || p->answers.count < 2)
		return rc;
	partial_clear_answers(p);
	return groups_kept_put(p, has_cpi);
}

static int groups_kept_print_histogram(struct report *r, const struct tally *t)
{
	struct tally sorted = *t;
	int rc = CPIDECODE_ENOMEM;

	sorted.groups = calloc(t->count + 1, sizeof *sorted.groups);
	if (sorted.groups) {
		if (t->count)
			memcpy(sorted.groups, t->groups, t->count * sizeof *sorted.groups);
		rc = groups_order(r, sorted.groups, sorted.count);
	}
	if (!rc)
		histogram_print(r, &sorted);
	free(sorted.groups);
	return rc;
}

int groups_kept_print(struct report *r, enum report_kind kind, const struct partial *p)
{
	struct groups g = {.nexact = 0};
	int rc = groups_kept_get(p, &g.has_cpi);

	for (size_t i = 0; i < p->tally.count && !rc; i++)
		if (!by_is_encoded(r->by, p->tally.groups[i]))
			rc = CPIDECODE_EINVAL;
	if (rc == CPIDECODE_EINVAL)
		report_note(r, "the groups of a partial result are damaged");
	if (rc)
		return rc;
	return kind == REPORT_SUMMARY ? summary_print(r, &p->tally, &g)
				      : groups_kept_print_histogram(r, &p->tally);
}
