#include "groups_kept.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/varint.h"
#include "../open.h"
#include "../query/groups_more.h"
#include "../tallies.h"

/* Begin an answer. */
enum groups_kept {
	GROUPS_HAS_CPI = 1, /* some interval has CPI's major */
	GROUPS_HAS_VALUES = 2,
	GROUPS_HAS_FLIGHTS = 4,
	GROUPS_KEPT = 8,
};

/* The flags that the report's answer has. */
static unsigned groups_kept_flags(const struct report *r)
{
	return (r->exact ? GROUPS_HAS_VALUES : 0u) |
	       (r->by && r->by->asks_time ? GROUPS_HAS_FLIGHTS : 0u);
}

static int groups_kept_add(
	struct partial *p, enum partial_answer kind, unsigned flags, const struct buffer *points)
{
	struct buffer o = {0};

	varint_put(&o, flags);
	buffer_add(&o, points->p, points->n);
	int rc = o.failed || points->failed ? CPIDECODE_ENOMEM
					    : partial_add_answer(p, kind, o.p, o.n);
	free(o.p);
	return rc;
}

int groups_kept_read(struct report *r, struct partial *p)
{
	struct buffer points = {0};
	/* A diff needs the order; values show why a figure is n/a. Groups by keys show no
	 * containers. */
	const unsigned kept = !r->by		 ? TALLY_WANT_CONTAINERS | TALLY_WANT_OWNERS
			      : r->by->asks_time ? 0u
						 : TALLY_WANT_ORDER;
	struct groups g = {
		.tally.wanted = TALLY_WANT_VALUES | (p->tally.wanted & kept), .kept = &points};
	if (r->by)
		r->by->names_owners = true;
	int rc = groups_read(r, &g);

	if (r->by && r->by->asks_time) {
		/* A trace without hooks merges with any origin. */
		p->answers.has_origin = r->filter->from != INT64_MIN || report_has_hooks(r->trace);
		p->answers.origin = p->answers.has_origin ? r->by->origin_ns : 0;
	}
	if (!rc)
		rc = groups_kept_add(p, r->by ? PARTIAL_BY : PARTIAL_EXACT,
			groups_kept_flags(r) | (g.has_cpi ? GROUPS_HAS_CPI : 0u), &points);
	if (!rc) {
		p->tally = g.tally;
		g.tally = (struct tally){0};
	}
	free(points.p);
	groups_free(&g);
	return rc;
}

/* The next answer, and its flags. */
static int groups_kept_next(struct varint_in *all, struct varint_in *answer, unsigned *flags)
{
	uint32_t length;
	const uint8_t *bytes = varint_get_string(all, &length);

	*answer = (struct varint_in){bytes, bytes ? bytes + length : NULL, NULL};
	*flags = bytes ? (unsigned)varint_get_max(answer, GROUPS_KEPT - 1) : 0;
	return !bytes || answer->why ? CPIDECODE_EINVAL : 0;
}

static struct varint_in groups_kept_all(const struct partial *p)
{
	return (struct varint_in){p->answers.bytes.p,
		p->answers.count ? p->answers.bytes.p + p->answers.bytes.n : NULL, NULL};
}

/* Joins all answers: flags, and points with the values first. */
static int groups_kept_join(const struct partial *p, unsigned *flags, struct buffer *points)
{
	struct varint_in all = groups_kept_all(p), answer;
	struct points_merge values = {.added = 0}, flights = {.added = 0};
	unsigned own, first = 0;
	int rc = 0;

	*flags = 0;
	for (size_t i = 0; i < p->answers.count && !rc; i++) {
		rc = groups_kept_next(&all, &answer, &own);
		first = i ? first : own;
		/* All have values, or none; the same for starts and ends. */
		if (!rc && (own ^ first) & ~(unsigned)GROUPS_HAS_CPI)
			rc = CPIDECODE_EINVAL;
		*flags |= own;
		if (!rc && own & GROUPS_HAS_VALUES)
			rc = points_merge_add(&values, &answer);
		if (!rc && own & GROUPS_HAS_FLIGHTS)
			rc = points_merge_add(&flights, &answer);
		if (!rc && answer.p != answer.end)
			rc = CPIDECODE_EINVAL;
	}
	if (!rc && values.sorter)
		rc = points_merge_put(&values, points);
	if (!rc && flights.sorter)
		rc = points_merge_put(&flights, points);
	points_merge_free(&values);
	points_merge_free(&flights);
	return rc;
}

int groups_kept_settle(struct partial *p)
{
	struct buffer points = {0};
	unsigned flags;
	int rc = groups_kept_join(p, &flags, &points);

	if (!rc) {
		partial_clear_answers(p);
		rc = groups_kept_add(p, p->answers.kind, flags, &points);
	}
	free(points.p);
	return rc;
}

static int groups_kept_skip_name(
	void *ctx, bool has_label, const char *label, uint32_t length, uint8_t major, uint8_t mm)
{
	(void)ctx, (void)has_label, (void)label, (void)length, (void)major, (void)mm;
	return 0;
}

static int groups_kept_skip_point(void *ctx, uint64_t key, int64_t amount)
{
	(void)ctx, (void)key, (void)amount;
	return 0;
}

/* Values that the report does not ask for. */
static const struct points_reader groups_kept_skip = {
	.begin = groups_kept_skip_name, .point = groups_kept_skip_point};

/* --------------------------------------------------------------- owners that are not shown */

/* Output state and its source. */
struct groups_kept_shown {
	const struct tally *tally;
	struct varint_in answer; /* after its flags */
	unsigned flags;
	/* The traces' one owner; its name means no container. */
	const char *owner;
	uint32_t index; /* of the key */
	struct buffer label;
	struct tally renamed;
	struct buffer points;
};

static int groups_kept_rename(void *ctx, const char **label, uint32_t *length)
{
	struct groups_kept_shown *s = ctx;
	int rc = by_hide_owner(*label, *length, s->index, s->owner, &s->label);

	if (rc)
		return rc;
	*label = (const char *)s->label.p;
	*length = (uint32_t)s->label.n;
	return 0;
}

static int groups_kept_rename_groups(struct groups_kept_shown *s)
{
	const struct tally *from = s->tally;
	int rc = 0;

	s->renamed.wanted = from->wanted;
	for (size_t i = 0; i < from->count && !rc; i++) {
		const char *label = from->groups[i]->label;
		uint32_t length = from->groups[i]->label_len;

		rc = groups_kept_rename(s, &label, &length);
		if (!rc)
			rc = tally_merge_group_as(&s->renamed, from->groups[i], label, length);
	}
	tally_merge_facts(&s->renamed, from);
	if (!rc)
		rc = tally_settle(&s->renamed);
	s->tally = &s->renamed;
	return rc;
}

/* Adds the points of groups that have one name now. */
static int groups_kept_rename_points(struct groups_kept_shown *s)
{
	struct points_merge points = {.label = groups_kept_rename, .ctx = s};
	int rc = points_merge_add(&points, &s->answer);

	if (!rc)
		rc = points_merge_put(&points, &s->points);
	points_merge_free(&points);
	return rc;
}

/* Groups as of the traces themselves. */
static int groups_kept_hide_owner(struct groups_kept_shown *s)
{
	int rc = groups_kept_rename_groups(s);

	if (!rc && s->flags & GROUPS_HAS_VALUES)
		rc = groups_kept_rename_points(s);
	if (!rc && s->flags & GROUPS_HAS_FLIGHTS)
		rc = groups_kept_rename_points(s);
	if (!rc && s->answer.p != s->answer.end)
		rc = CPIDECODE_EINVAL;
	s->answer = (struct varint_in){
		s->points.p, s->points.p ? s->points.p + s->points.n : NULL, NULL};
	return rc;
}

static int groups_kept_open(
	const struct report *r, const struct partial *p, struct groups_kept_shown *s)
{
	struct varint_in all = groups_kept_all(p);
	bool differ;
	int rc = p->answers.count > 1 ? CPIDECODE_EINVAL : 0;

	s->tally = &p->tally;
	s->index = r->by ? by_container_index(r->by) : UINT32_MAX;
	s->owner = partial_owner(p, &differ);
	if (!rc && p->answers.count)
		rc = groups_kept_next(&all, &s->answer, &s->flags);
	return rc || differ || !s->owner || s->index == UINT32_MAX ? rc : groups_kept_hide_owner(s);
}

static void groups_kept_close(struct groups_kept_shown *s)
{
	free(s->label.p);
	free(s->points.p);
	tally_free(&s->renamed);
}

/* ------------------------------------------------------------------------------- printing */

/* Reads the answer into *g; by time, with the groups. */
static int groups_kept_get(
	struct report *r, const struct partial *p, struct groups_kept_shown *s, struct groups *g)
{
	const unsigned asked = groups_kept_flags(r);
	int rc = 0;

	g->has_cpi = s->flags & GROUPS_HAS_CPI;
	if (!asked)
		return 0;
	if ((s->flags & asked) != asked)
		return CPIDECODE_EINVAL;
	if (r->by) {
		r->by->origin_ns = p->answers.origin;
		r->by->times = r->times;
	}
	/* Values come first. */
	if (s->flags & ~asked & GROUPS_HAS_VALUES)
		rc = points_get(&s->answer, &groups_kept_skip);
	if (!rc)
		rc = groups_get_more(r, g, s->tally, &s->answer);
	return !rc && s->answer.p != s->answer.end ? CPIDECODE_EINVAL : rc;
}

int groups_kept_print(struct report *r, enum report_kind kind, const struct partial *p)
{
	struct groups g = {.nexact = 0};
	struct groups_kept_shown s = {.flags = 0};
	int rc = groups_kept_open(r, p, &s);

	if (!rc)
		rc = groups_kept_get(r, p, &s, &g);
	const struct tally *t = groups_kept_flags(r) & GROUPS_HAS_FLIGHTS ? &g.tally : s.tally;

	for (size_t i = 0; r->by && i < t->count && !rc; i++)
		if (!by_is_encoded(r->by, t->groups[i]))
			rc = CPIDECODE_EINVAL;
	if (rc == CPIDECODE_EINVAL && !in_flight_settle(&g.in_flight))
		report_note(r, "the groups of a partial result are damaged");
	if (!rc)
		rc = kind == REPORT_SUMMARY ? summary_print(r, t, &g) : histogram_print(r, t, &g);
	groups_free(&g);
	groups_kept_close(&s);
	return rc;
}
