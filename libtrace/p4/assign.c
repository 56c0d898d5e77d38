/*
 * Assigns a counter and an ESCR to each request.
 *
 * The counters form four groups (BPU, MS, FLAME, IQ), and each ESCR belongs to one group, so the
 * groups are searched separately, each exhaustively. Only an ESCR that tags uops may be in another
 * group than its request's counter. There are few of those: an outer loop tries all choices for
 * them.
 */
#include <stdio.h>
#include <string.h>

#include "../../formats/base/text.h"
#include "../../include/perfutil.h"
#include "p4.h"

enum rule {
	UNSHARED, /* each ESCR serves one request */
	SHARED,	  /* requests with the same value may share an ESCR */
	NO_ESCRS, /* ignores ESCRs: checks whether the counters suffice */
};

struct search {
	const struct p4_request *requests;
	size_t count;
	uint32_t set; /* the requests considered, one bit each */
	enum rule rule;
	uint32_t counters;	 /* in use */
	uint8_t users[P4_ESCRS]; /* of each ESCR */
	uint32_t value[P4_ESCRS];
	struct p4_program *programs;
	/* The distinct selections that tag uops, and the ESCR of each. */
	size_t upstreams;
	uint32_t upstream[P4_COUNTERS];
	uint8_t upstream_escr[P4_COUNTERS];
	const struct p4_metric *metric[P4_COUNTERS];
};

static bool in_set(const struct search *s, size_t i)
{
	return s->set >> i & 1;
}

/* Each group's first counter. */
static const uint8_t group_start[] = {0, 4, 8, 12, P4_COUNTERS};
enum { GROUPS = 4 };

static bool in_group(const struct p4_request *r, unsigned group)
{
	uint32_t counters = p4_escrs[r->event->escr[0]].counters;

	return counters >> group_start[group] &
	       ((1u << (group_start[group + 1] - group_start[group])) - 1);
}

static bool assign_use_escr(struct search *s, uint8_t escr, uint32_t value)
{
	if (s->rule != NO_ESCRS && s->users[escr] &&
		(s->rule == UNSHARED || s->value[escr] != value))
		return false;
	s->value[escr] = value;
	s->users[escr]++;
	return true;
}

static bool search_group(struct search *s, unsigned group, size_t i);

/* Tries one of the event's ESCRs with each of its counters. */
static bool try_escr(struct search *s, unsigned group, size_t i, uint8_t escr)
{
	const struct p4_request *r = &s->requests[i];
	uint8_t counters[P4_COUNTERS];
	size_t n = p4_counters_of(r, escr, counters);

	if (!assign_use_escr(s, escr, p4_escr_value(r)))
		return false;
	for (size_t c = 0; c < n; c++) {
		uint32_t bit = 1u << counters[c];

		if (s->counters & bit)
			continue;
		s->counters |= bit;
		s->programs[i].escr = escr;
		s->programs[i].counter = counters[c];
		if (search_group(s, group, i + 1))
			return true;
		s->counters &= ~bit;
	}
	s->users[escr]--;
	return false;
}

static bool search_group(struct search *s, unsigned group, size_t i)
{
	const struct p4_event *event;

	while (i < s->count && !(in_set(s, i) && in_group(&s->requests[i], group)))
		i++;
	if (i == s->count)
		return true;
	event = s->requests[i].event;
	if (try_escr(s, group, i, event->escr[0]))
		return true;
	return event->escr[1] != event->escr[0] && try_escr(s, group, i, event->escr[1]);
}

static bool group_has_room(const struct search *s, unsigned group)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		n += in_set(s, i) && in_group(&s->requests[i], group);
	return n <= (size_t)group_start[group + 1] - group_start[group];
}

static bool search_groups(struct search *s)
{
	for (unsigned group = 0; group < GROUPS; group++)
		if (!search_group(s, group, 0))
			return false;
	return true;
}

/* Tries every choice of ESCRs that tag uops. */
static bool search_upstream(struct search *s, size_t u)
{
	const struct p4_metric *metric = s->metric[u];
	struct search saved;
	const uint8_t *escr;

	if (u == s->upstreams)
		return search_groups(s);
	escr = P4FindEvent(metric->event)->escr;
	saved = *s;
	for (int8_t k = 0; k < 2; k++) {
		*s = saved;
		if (metric->only >= 0 && metric->only != k)
			continue;
		s->upstream_escr[u] = escr[k];
		if (assign_use_escr(s, escr[k], s->upstream[u]) && search_upstream(s, u + 1))
			return true;
	}
	return false;
}

static void find_upstreams(struct search *s)
{
	for (size_t i = 0; i < s->count; i++) {
		uint32_t value = p4_upstream_value(&s->requests[i]);
		size_t u = 0;

		if (!in_set(s, i) || !value)
			continue;
		while (u < s->upstreams && s->upstream[u] != value)
			u++;
		if (u < s->upstreams)
			continue;
		s->upstream[u] = value;
		s->metric[u] = s->requests[i].metric;
		s->upstreams++;
	}
}

static bool p4_rule_fits(struct search *s, enum rule rule, uint32_t set)
{
	*s = (struct search){.requests = s->requests,
		.count = s->count,
		.programs = s->programs,
		.set = set,
		.rule = rule};
	for (unsigned group = 0; group < GROUPS; group++)
		if (!group_has_room(s, group))
			return false;
	find_upstreams(s);
	return search_upstream(s, 0);
}

static void write_programs(const struct search *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct p4_request *r = &s->requests[i];
		struct p4_program *p = &s->programs[i];

		p->request = r;
		p->escr_value = p4_escr_value(r);
		p->cccr_value = p4_cccr_value(r);
		p->shares = -1;
		for (size_t k = 0; k < i && p->shares < 0; k++)
			if (s->programs[k].escr == p->escr)
				p->shares = (int)k;
		p->upstream_value = p4_upstream_value(r);
		p->upstream = p->upstream_value != 0;
		p->upstream_escr = 0;
		for (size_t u = 0; p->upstream && u < s->upstreams; u++)
			if (s->upstream[u] == p->upstream_value)
				p->upstream_escr = s->upstream_escr[u];
	}
}

/* ------------------------------------------------------------------ conflicts */

/* " a, b and c" of a set. */
static void assign_write_set(const struct search *s, uint32_t set, char why[P4_WHY_MAX])
{
	*why = 0;
	for (size_t i = 0; i < s->count; i++) {
		uint32_t rest = set >> i;
		const char *join = rest == 1 && set != rest << i ? " and " : ", ";

		if (rest & 1)
			text_append(why, P4_WHY_MAX, "%s%s", set & ((1u << i) - 1) ? join : "",
				s->requests[i].name);
	}
}

static uint64_t escrs_of(const struct p4_request *r)
{
	uint8_t counters[P4_COUNTERS];
	uint64_t set = 0;

	for (size_t k = 0; k < 2; k++)
		if (p4_counters_of(r, r->event->escr[k], counters))
			set |= 1ull << r->event->escr[k];
	for (int8_t k = 0; r->metric && r->metric->event && k < 2; k++)
		if (r->metric->only < 0 || r->metric->only == k)
			set |= 1ull << P4FindEvent(r->metric->event)->escr[k];
	return set;
}

static uint32_t counters_of(const struct p4_request *r)
{
	uint8_t counters[P4_COUNTERS];
	uint32_t set = 0;

	for (size_t k = 0; k < 2; k++)
		for (size_t n = p4_counters_of(r, r->event->escr[k], counters); n > 0; n--)
			set |= 1u << counters[n - 1];
	return set;
}

static int escr_conflict(const struct search *s, uint32_t set, char why[P4_WHY_MAX])
{
	uint64_t escrs = 0, wanted = 0; /* by more than one request, by any */
	const char *before = " compete for ";

	assign_write_set(s, set, why);
	for (size_t i = 0; i < s->count; i++)
		if (set >> i & 1) {
			escrs |= wanted & escrs_of(&s->requests[i]);
			wanted |= escrs_of(&s->requests[i]);
		}
	for (size_t e = 0; e < P4_ESCRS; e++)
		if (escrs >> e & 1) {
			text_append(why, P4_WHY_MAX, "%s%s", before, p4_escrs[e].name);
			before = ", ";
		}
	text_append(why, P4_WHY_MAX,
		", and an ESCR holds one event selection at a time: count them in turn");
	return PU_ERROR_EVENT_ALL_ESCR_IN_USE;
}

static int counter_conflict(const struct search *s, uint32_t set, char why[P4_WHY_MAX])
{
	uint32_t counters = 0;
	const char *before = " can use only counter ";

	assign_write_set(s, set, why);
	for (size_t i = 0; i < s->count; i++)
		if (set >> i & 1)
			counters |= counters_of(&s->requests[i]);
	for (unsigned c = 0; c < P4_COUNTERS; c++)
		if (counters >> c & 1) {
			text_append(why, P4_WHY_MAX, "%s%u", before, c);
			before = ", ";
		}
	text_append(why, P4_WHY_MAX, ": count them in turn");
	return PU_ERROR_ALL_COUNTERS_IN_USE;
}

/* Finds a minimal conflict: a set of requests that fits without any one of them. */
static int name_conflict(struct search *s, char why[P4_WHY_MAX])
{
	uint32_t set = s->set;

	for (size_t i = 0; i < s->count; i++)
		if (!p4_rule_fits(s, SHARED, set & ~(1u << i)))
			set &= ~(1u << i);
	return p4_rule_fits(s, NO_ESCRS, set) ? escr_conflict(s, set, why)
					      : counter_conflict(s, set, why);
}

/* ---------------------------------------------------------- rules for pairs */

static bool p4_requests_are_same(const struct p4_request *a, const struct p4_request *b)
{
	return p4_escr_value(a) == p4_escr_value(b) && p4_cccr_value(a) == p4_cccr_value(b) &&
	       a->event == b->event && a->metric == b->metric;
}

/* Two requests that name different counters are no duplicates: a user may compare the two counts or
 * preset them differently. */
static bool p4_is_duplicate(const struct p4_request *a, const struct p4_request *b)
{
	return p4_requests_are_same(a, b) &&
	       (a->counter < 0 || b->counter < 0 || a->counter == b->counter);
}

/* The tags that a request sets or counts. Bits 0 to 3: tag bits of execution_event; bit 4:
 * front_end_event; bit 5: replay_event. */
static uint32_t tags_of(const struct p4_request *r)
{
	uint32_t tags = r->masks >> P4_TAG_BIT;

	if (strcmp(r->event->name, "uop_type") == 0)
		tags |= 1u << 4;
	if (!r->metric)
		return tags;
	if (r->metric->tagging == P4_REPLAY)
		return 1u << 5;
	return r->metric->tagging == P4_FRONT_END ? 1u << 4 : (r->masks | r->masks >> 4) & 0xf;
}

/* The event and mask whose uops get the tag. */
static uint32_t p4_tagging_event(const struct p4_request *r)
{
	return (r->metric ? p4_upstream_value(r) : p4_escr_value(r)) >> P4_ESCR_MASK_SHIFT;
}

/* Tags are global to the processor: a request that counts a tag counts all uops that carry it. */
static bool tags_mix(const struct p4_request *a, const struct p4_request *b)
{
	if (!(tags_of(a) & tags_of(b)) || !(a->metric || b->metric))
		return false;
	return p4_tagging_event(a) != p4_tagging_event(b) ||
	       (a->metric && b->metric && a->metric != b->metric);
}

static int check_pair(const struct p4_request *a, const struct p4_request *b, char why[P4_WHY_MAX])
{
	if (p4_is_duplicate(a, b)) {
		snprintf(why, P4_WHY_MAX,
			"%s and %s are the same: one counter would do (or name one for each, ctr=N)",
			a->name, b->name);
		return PU_ERROR_DUPLICATE_METRICS;
	}
	if (tags_mix(a, b)) {
		snprintf(why, P4_WHY_MAX,
			"%s and %s tag different uops with the same tag, and each would count both: count them in turn",
			a->name, b->name);
		return PU_ERROR_INCOMPATIBLE_OPTIONS;
	}
	return PU_SUCCESS;
}

static int check_all(const struct p4_request *requests, size_t count, char why[P4_WHY_MAX])
{
	int rc = PU_SUCCESS;

	if (count > P4_COUNTERS) {
		snprintf(why, P4_WHY_MAX, "%zu events are more than the %d counters", count,
			P4_COUNTERS);
		return PU_ERROR_EVENT_MAXIMUM_EXCEEDED;
	}
	for (size_t i = 0; i < count && rc == PU_SUCCESS; i++)
		rc = P4Check(&requests[i], P4_ANY_MODEL, why);
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count && rc == PU_SUCCESS; k++)
			rc = check_pair(&requests[i], &requests[k], why);
	return rc;
}

int P4Assign(
	const struct p4_request *requests, size_t count, struct p4_program *programs, char *why)
{
	struct search s = {.requests = requests, .count = count, .programs = programs};
	uint32_t all = count < 32 ? (1u << count) - 1 : 0;
	char unwanted[P4_WHY_MAX];
	int rc;

	why = why ? why : unwanted;
	*why = 0;
	if (count > 0 && (!requests || !programs)) {
		snprintf(why, P4_WHY_MAX, requests ? "no programs to fill in" : "no requests");
		return PU_ERR_NULL_PTR;
	}
	rc = check_all(requests, count, why);
	if (rc)
		return rc;
	if (!p4_rule_fits(&s, UNSHARED, all) && !p4_rule_fits(&s, SHARED, all))
		return name_conflict(&s, why);
	write_programs(&s);
	return PU_SUCCESS;
}
