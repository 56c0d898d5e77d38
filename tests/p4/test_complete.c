/*
 * An assignment is found whenever there is one: against a search that knows no groups, no order
 * and no preference, on all pairs and triples of events and on random sets. What is found
 * is checked as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/perfutil.h"
#include "suites.h"

/* The registers that a request occupies. */
struct place {
	uint8_t counter;
	size_t escrs;
	uint8_t escr[2];
	uint32_t value[2];
};

/* escrs_too: false asks for the counters alone. */
static bool places_collide(const struct place *a, const struct place *b, bool escrs_too)
{
	if (a->counter == b->counter)
		return true;
	for (size_t i = 0; escrs_too && i < a->escrs; i++)
		for (size_t k = 0; k < b->escrs; k++)
			if (a->escr[i] == b->escr[k] && a->value[i] != b->value[k])
				return true;
	return false;
}

static bool place_next(const struct p4_request *r, size_t count, struct place *places, size_t done,
	bool escrs_too);

static bool try_place(
	const struct p4_request *r, size_t count, struct place *places, size_t done, bool escrs_too)
{
	for (size_t i = 0; i < done; i++)
		if (places_collide(&places[i], &places[done], escrs_too))
			return false;
	return place_next(r, count, places, done + 1, escrs_too);
}

/* The ESCR that tags, if there must be one. */
static bool try_upstreams(
	const struct p4_request *r, size_t count, struct place *places, size_t done, bool escrs_too)
{
	const struct p4_metric *metric = r[done].metric;
	struct place *place = &places[done];

	if (!metric || !metric->event) {
		place->escrs = 1;
		return try_place(r, count, places, done, escrs_too);
	}
	for (int k = 0; k < 2; k++) {
		place->escrs = 2;
		place->escr[1] = P4FindEvent(metric->event)->escr[k];
		place->value[1] = p4_upstream_value(&r[done]);
		if ((metric->only < 0 || metric->only == k) &&
			try_place(r, count, places, done, escrs_too))
			return true;
	}
	return false;
}

static bool place_next(
	const struct p4_request *r, size_t count, struct place *places, size_t done, bool escrs_too)
{
	if (done == count)
		return true;
	for (uint8_t c = 0; c < P4_COUNTERS; c++)
		for (int k = 0; k < 2; k++) {
			uint8_t escr = r[done].event->escr[k];

			if (!(p4_escrs[escr].counters >> c & 1) ||
				(r[done].counter >= 0 && r[done].counter != c) ||
				(r[done].cascade && c >= 16))
				continue;
			places[done] = (struct place){
				.counter = c, .escr = {escr}, .value = {p4_escr_value(&r[done])}};
			if (try_upstreams(r, count, places, done, escrs_too))
				return true;
		}
	return false;
}

static bool is_possible(const struct p4_request *r, size_t count, bool escrs_too)
{
	struct place places[P4_COUNTERS];

	return place_next(r, count, places, 0, escrs_too);
}

/* That the result keeps the rules. */
static void check_programs(
	const struct p4_request *r, size_t count, const struct p4_program *programs)
{
	struct place places[P4_COUNTERS];

	for (size_t i = 0; i < count; i++) {
		const struct p4_program *p = &programs[i];
		const struct p4_event *event = r[i].event;
		const struct p4_metric *metric = r[i].metric;

		ck_assert_ptr_eq(p->request, &r[i]);
		ck_assert(p->escr == event->escr[0] || p->escr == event->escr[1]);
		ck_assert(p4_escrs[p->escr].counters >> p->counter & 1);
		ck_assert(r[i].counter < 0 || r[i].counter == p->counter);
		ck_assert(!r[i].cascade || p->counter < 16);
		ck_assert_uint_eq(p->escr_value, p4_escr_value(&r[i]));
		ck_assert_uint_eq(p->cccr_value, p4_cccr_value(&r[i]));
		ck_assert_int_eq(p->upstream, metric && metric->event);
		places[i] = (struct place){p->counter, 1 + p->upstream, {p->escr, p->upstream_escr},
			{p->escr_value, p->upstream_value}};
		if (p->upstream) {
			const uint8_t *escr = P4FindEvent(metric->event)->escr;

			ck_assert(p->upstream_escr == escr[0] || p->upstream_escr == escr[1]);
			ck_assert(metric->only < 0 || p->upstream_escr == escr[metric->only]);
		}
		for (size_t k = 0; k < i; k++)
			ck_assert(!places_collide(&places[k], &places[i], true));
	}
}

/* Compares both; combinations that the rules for pairs refuse are not compared. */
static void compare(const struct p4_request *r, size_t count, unsigned seen[3])
{
	struct p4_program programs[P4_COUNTERS];
	char why[P4_WHY_MAX] = "";
	int rc = P4Assign(r, count, programs, why);

	if (rc == PU_ERROR_DUPLICATE_METRICS || rc == PU_ERROR_INCOMPATIBLE_OPTIONS) {
		seen[2]++;
		return;
	}
	ck_assert_msg(is_possible(r, count, true) == (rc == PU_SUCCESS), "%s", why);
	seen[rc != PU_SUCCESS]++;
	if (rc == PU_SUCCESS)
		check_programs(r, count, programs);
	else if (rc == PU_ERROR_ALL_COUNTERS_IN_USE)
		ck_assert_msg(!is_possible(r, count, false), "%s", why);
	else
		ck_assert_msg(rc == PU_ERROR_EVENT_ALL_ESCR_IN_USE, "%s", why);
}

static struct p4_request first_mask_of(size_t event)
{
	struct p4_request r = {.event = &p4_events[event],
		.masks = 1u << p4_events[event].masks[0].bit,
		.user = true,
		.threads = P4_THREAD_0,
		.counter = -1};

	strcpy(r.name, r.event->name);
	return r;
}

START_TEST(pairs_and_triples)
{
	struct p4_request r[3];
	unsigned seen[3] = {0};

	for (size_t a = 0; a < P4_EVENTS; a++)
		for (size_t b = a + 1; b < P4_EVENTS; b++) {
			r[0] = first_mask_of(a);
			r[1] = first_mask_of(b);
			compare(r, 2, seen);
			for (size_t c = b + 1; c < P4_EVENTS; c++) {
				r[2] = first_mask_of(c);
				compare(r, 3, seen);
			}
		}
	ck_assert_uint_eq(seen[0] + seen[1], 46 * 45 / 2 + 46 * 45 * 44 / 6);
	ck_assert_uint_gt(seen[1], 0);
	printf("p4: all %u pairs and triples of events: %u fit, %u do not\n", seen[0] + seen[1],
		seen[0], seen[1]);
}
END_TEST

static unsigned random_below(unsigned n)
{
	return (unsigned)(random() % n);
}

static struct p4_request random_request(bool wishes)
{
	struct p4_request r = first_mask_of(random_below(P4_EVENTS));
	uint8_t counters[P4_COUNTERS];
	size_t n;

	r.masks = 1u << r.event->masks[random_below((unsigned)r.event->mask_count)].bit;
	if (!(r.masks & 0xffff))
		r.masks |= 1u << r.event->masks[0].bit;
	r.compare = random_below(3) == 0;
	r.threshold = r.compare ? (uint8_t)random_below(16) : 0;
	r.kernel = random_below(4) == 0;
	r.cascade = random_below(8) == 0;
	if (r.event->tagging && random_below(2))
		do
			r.metric = &p4_metrics[random_below(P4_METRICS)];
		while (r.metric->tagging != r.event->tagging);
	n = p4_counters_of(&r, r.event->escr[random_below(2)], counters);
	if (wishes && n && random_below(3) == 0)
		r.counter = counters[random_below((unsigned)n)];
	return r;
}

/* Sets of one to ten requests; every other one from few events, so that they get in each
 * other's way. */
START_TEST(random_sets)
{
	enum { SETS = 6000, MOST = 10 };
	unsigned seen[3] = {0};

	srandom(4);
	for (unsigned set = 0; set < SETS; set++) {
		struct p4_request r[MOST];
		size_t count = 1 + random_below(MOST);

		for (size_t i = 0; i < count; i++)
			do
				r[i] = random_request(set & 1);
			while (set & 2 && i && r[i].event->escr[0] != r[0].event->escr[0] &&
				!r[i].event->tagging);
		compare(r, count, seen);
	}
	ck_assert_uint_eq(seen[0] + seen[1] + seen[2], SETS);
	ck_assert_uint_gt(seen[0], SETS / 10);
	ck_assert_uint_gt(seen[1], SETS / 10);
	printf("p4: %d random sets: %u fit, %u do not, %u refused by pairs\n", SETS, seen[0],
		seen[1], seen[2]);
}
END_TEST

/* The set that is named as a conflict is one, and a smallest: without any of its members the
 * rest fits. Names stand for single letters here. */
START_TEST(smallest_conflict)
{
	enum { SETS = 1000, MOST = 8 };
	unsigned conflicts = 0;

	srandom(5);
	for (unsigned set = 0; set < SETS; set++) {
		struct p4_request r[MOST], named[MOST];
		struct p4_program programs[P4_COUNTERS];
		char why[P4_WHY_MAX] = "", name[8];
		size_t n = 0;
		int rc;

		for (size_t i = 0; i < MOST; i++) {
			r[i] = random_request(true);
			snprintf(r[i].name, sizeof r[i].name, "<%zu>", i);
		}
		rc = P4Assign(r, MOST, programs, why);
		if (rc != PU_ERROR_ALL_COUNTERS_IN_USE && rc != PU_ERROR_EVENT_ALL_ESCR_IN_USE)
			continue;
		conflicts++;
		for (size_t i = 0; i < MOST; i++) {
			snprintf(name, sizeof name, "<%zu>", i);
			if (strstr(why, name))
				named[n++] = r[i];
		}
		ck_assert_uint_ge(n, 2);
		ck_assert(!is_possible(named, n, true));
		ck_assert_int_eq(rc == PU_ERROR_ALL_COUNTERS_IN_USE, !is_possible(named, n, false));
		for (size_t i = 0; i < n; i++) {
			struct p4_request left = named[i];

			named[i] = named[n - 1];
			ck_assert(is_possible(named, n - 1, true));
			named[i] = left;
		}
	}
	ck_assert_uint_gt(conflicts, SETS / 20);
}
END_TEST

Suite *complete_suite(void)
{
	return SUITE("p4 complete", .timeout = 120,
		TESTS(pairs_and_triples, random_sets, smallest_conflict));
}
