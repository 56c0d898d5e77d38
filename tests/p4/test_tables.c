/*
 * The tables against themselves and against facts of the manual that they are not built from.
 */
#include <string.h>
#include <strings.h>

#include "suites.h"

START_TEST(registers_and_counters_match)
{
	unsigned listeners[P4_COUNTERS] = {0};

	for (uint32_t c = 0; c < P4_COUNTERS; c++) {
		ck_assert_uint_eq(p4_counters[c].msr, 0x300 + c);
		ck_assert_uint_eq(p4_counters[c].cccr_msr, 0x360 + c);
	}
	for (size_t e = 0; e < P4_ESCRS; e++) {
		const struct p4_escr *escr = &p4_escrs[e];

		ck_assert_ptr_nonnull(escr->name);
		ck_assert(e == 0 || escr->msr > p4_escrs[e - 1].msr);
		for (unsigned c = 0; c < P4_COUNTERS; c++)
			listeners[c] += escr->counters >> c & 1;
		/* No other ESCR of these counters has the same number. */
		for (size_t f = 0; f < e; f++)
			ck_assert(!(p4_escrs[f].counters & escr->counters) ||
				  p4_escrs[f].select != escr->select);
	}
	/* Each counter has as many as the manual's table has lines for it. */
	for (unsigned c = 0; c < P4_COUNTERS; c++)
		ck_assert_uint_eq(listeners[c], c < 4				? 8
						: c < 8				? 3
						: c < 12			? 5
						: c == 12 || c == 13 || c == 16 ? 7
										: 6);
}
END_TEST

static const struct {
	const char *name;
	uint32_t msr;
} addresses[] = {
	{"MSR_BSU_ESCR0", 0x3a0},
	{"MSR_FSB_ESCR1", 0x3a3},
	{"MSR_SAAT_ESCR1", 0x3af},
	{"MSR_ITLB_ESCR1", 0x3b7},
	{"MSR_CRU_ESCR0", 0x3b8},
	{"MSR_SSU_ESCR0", 0x3be},
	{"MSR_MS_ESCR0", 0x3c0},
	{"MSR_TC_ESCR1", 0x3c5},
	{"MSR_IX_ESCR0", 0x3c8},
	{"MSR_ALF_ESCR1", 0x3cb},
	{"MSR_CRU_ESCR2", 0x3cc},
	{"MSR_CRU_ESCR3", 0x3cd},
	{"MSR_CRU_ESCR5", 0x3e1},
};

START_TEST(escr_addresses)
{
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		size_t e = 0;

		while (e < P4_ESCRS && strcmp(p4_escrs[e].name, addresses[i].name) != 0)
			e++;
		ck_assert_uint_lt(e, P4_ESCRS);
		ck_assert_uint_eq(p4_escrs[e].msr, addresses[i].msr);
	}
}
END_TEST

START_TEST(every_event_is_found_and_consistent)
{
	unsigned odd = 0;

	for (size_t i = 0; i < P4_EVENTS; i++) {
		const struct p4_event *e = &p4_events[i];
		uint32_t bits = 0;

		ck_assert_ptr_eq(P4FindEvent(e->name), e);
		ck_assert_uint_lt(e->select, 64);
		ck_assert_uint_ge(e->mask_count, 1);
		for (size_t m = 0; m < e->mask_count; m++) {
			ck_assert_uint_lt(e->masks[m].bit, P4_TAG_BIT + 4);
			ck_assert(!(bits >> e->masks[m].bit & 1));
			bits |= 1u << e->masks[m].bit;
			ck_assert_ptr_eq(P4FindMask(e, e->masks[m].name), &e->masks[m]);
		}
		/* Four of the bus events have a select that is not their ESCRs' number. */
		for (size_t k = 0; k < 2; k++)
			odd += p4_escrs[e->escr[k]].select != e->cccr_select;
		/* No two events are the same selection. */
		for (size_t k = 0; k < i; k++)
			ck_assert(p4_events[k].select != e->select ||
				  (p4_events[k].escr[0] != e->escr[0] &&
					  p4_events[k].escr[1] != e->escr[1]) ||
				  p4_events[k].cccr_select != e->cccr_select);
	}
	ck_assert_uint_eq(odd, 8);
}
END_TEST

START_TEST(metrics_name_valid_events)
{
	for (size_t i = 0; i < P4_METRICS; i++) {
		const struct p4_metric *m = &p4_metrics[i];
		const struct p4_event *e = m->event ? P4FindEvent(m->event) : NULL;

		ck_assert_int_ne(m->tagging, P4_NO_TAGGING);
		ck_assert_int_eq(m->tagging == P4_REPLAY, m->pebs_enable != 0);
		ck_assert_int_eq(m->tagging == P4_REPLAY, m->matrix_vert != 0);
		ck_assert(e || m->tagging == P4_REPLAY);
		for (unsigned bit = 0; e && bit < 16; bit++) {
			bool known = false;

			for (size_t k = 0; k < e->mask_count; k++)
				known = known || e->masks[k].bit == bit;
			ck_assert(known || !(m->masks >> bit & 1));
		}
		for (size_t k = 0; k < P4_EVENTS; k++)
			ck_assert_ptr_eq(P4FindMetric(&p4_events[k], m->name),
				p4_events[k].tagging == m->tagging ? m : NULL);
	}
}
END_TEST

/* A name of the command line means one thing. */
START_TEST(modifiers_are_no_masks)
{
	static const char *const modifiers[] = {
		"i", "e", "u", "k", "uk", "ku", "t0", "t1", "int", "force", "cascade"};

	for (size_t i = 0; i < P4_EVENTS; i++)
		for (size_t k = 0; k < sizeof modifiers / sizeof *modifiers; k++) {
			ck_assert_ptr_null(P4FindMask(&p4_events[i], modifiers[k]));
			ck_assert_ptr_null(P4FindMetric(&p4_events[i], modifiers[k]));
		}
}
END_TEST

Suite *tables_suite(void)
{
	return SUITE("p4 tables", TESTS(registers_and_counters_match, escr_addresses,
					  every_event_is_found_and_consistent,
					  metrics_name_valid_events, modifiers_are_no_masks));
}
