/*
 * Requests that must be refused.
 */
#include <string.h>

#include "../../include/perfutil.h"
#include "suites.h"

static const struct {
	const char *text;
	int rc;
} wrong[] = {
	{"", PU_ERROR_INVALID_EVENT},
	{":", PU_ERROR_INVALID_EVENT},
	{":MMTP", PU_ERROR_INVALID_EVENT},
	{"branch", PU_ERROR_INVALID_EVENT},
	{" branch_retired:MMTP", PU_ERROR_INVALID_EVENT},
	{"branch_retired", PU_ERROR_INVALID_METRIC},
	{"branch_retired:", PU_ERROR_INVALID_METRIC},
	{"branch_retired::MMTP", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMT", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTPX", PU_ERROR_INVALID_METRIC},
	{"branch_retired:RUNNING", PU_ERROR_INVALID_METRIC},
	{"branch_retired:TAGLOADS", PU_ERROR_INVALID_METRIC},
	{"branch_retired:TAG0", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c=", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c=16", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c=-1", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c=+1", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c= 1", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c=1x", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c=0x1", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c=18446744073709551617", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c=257", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:c=4294967297", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:ctr=4294967308", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:e=1", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:U", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:t2", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:ctr=18", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:ctr=-1", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:ctr=", PU_ERROR_INVALID_METRIC},
	{"branch_retired:MMTP:ctr=0", PU_ERROR_INCOMPATIBLE_OPTIONS},
	{"branch_retired:MMTP:ctr=11", PU_ERROR_INCOMPATIBLE_OPTIONS},
	{"branch_retired:MMTP:cascade:ctr=16", PU_ERROR_INCOMPATIBLE_OPTIONS},
	{"BSQ_allocation:REQ_DEM_TYPE:ctr=2", PU_ERROR_INCOMPATIBLE_OPTIONS},
	{"front_end_event:TAGLOADS:TAGSTORES", PU_ERROR_TOO_MANY_METRICS},
	{"execution_event:X87_FP:PACKED_SP", PU_ERROR_TOO_MANY_METRICS},
	{"replay_event:TAGLOADS", PU_ERROR_INVALID_METRIC},
	{"front_end_event", PU_ERROR_INVALID_METRIC},
};

START_TEST(misspelt_events_are_refused_with_a_reason)
{
	struct p4_request r;
	char why[P4_WHY_MAX] = "";
	int rc = P4Parse(wrong[_i].text, P4_ANY_MODEL, &r, why);

	ck_assert_msg(rc == wrong[_i].rc, "\"%s\": %s, %s", wrong[_i].text, RcToString(rc), why);
	ck_assert_msg(*why && !strchr(why, '\n'), "\"%s\"", wrong[_i].text);
}
END_TEST

START_TEST(too_long)
{
	char text[4096], why[P4_WHY_MAX] = "";
	struct p4_request r;

	strcpy(text, "branch_retired");
	while (strlen(text) + 6 < sizeof text)
		strcat(text, ":MMTP");
	ck_assert_int_eq(P4Parse(text, P4_ANY_MODEL, &r, why), PU_ERROR_INVALID_EVENT);
	ck_assert(*why);
	/* The longest that may be. */
	text[P4_NAME_MAX - P4_NAME_MAX % 5 - 1] = 0;
	r = request_of(text);
	ck_assert_uint_eq(r.masks, 4);
}
END_TEST

START_TEST(events_of_other_models_are_refused)
{
	struct p4_request r;
	char why[P4_WHY_MAX];
	const char *text = "instr_completed:NBOGUS";

	ck_assert_int_eq(P4Parse(text, P4_ANY_MODEL, &r, why), PU_SUCCESS);
	ck_assert_int_eq(P4Parse(text, P4_MODELS_3_TO_6, &r, why), PU_SUCCESS);
	ck_assert_int_eq(P4Parse(text, P4_MODELS_0_TO_2, &r, why), PU_ERROR_EVENT_NOT_SUPPORTED);
}
END_TEST

/* Tries with every event each bit that is no mask, each counter that cannot, and no mask at all. */
START_TEST(every_event)
{
	const struct p4_event *event = &p4_events[_i];
	struct p4_request good = {.name = "x", .event = event, .counter = -1, .user = true};
	uint32_t known = 0, can = 0;
	char why[P4_WHY_MAX];

	for (size_t i = 0; i < event->mask_count; i++)
		known |= 1u << event->masks[i].bit;
	good.masks = 1u << event->masks[0].bit;
	good.threads = P4_THREAD_0;
	ck_assert_int_eq(P4Check(&good, P4_ANY_MODEL, why), PU_SUCCESS);
	for (unsigned bit = 0; bit < 32; bit++) {
		struct p4_request r = good;

		r.masks |= 1u << bit;
		ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why),
			known >> bit & 1 ? PU_SUCCESS : PU_ERROR_INVALID_METRIC);
	}
	for (size_t k = 0; k < 2; k++)
		can |= p4_escrs[event->escr[k]].counters;
	for (int c = -3; c < P4_COUNTERS + 3; c++) {
		struct p4_request r = good;
		int rc = PU_ERROR_INCOMPATIBLE_OPTIONS;

		r.counter = c;
		if (c < -1 || c >= P4_COUNTERS)
			rc = PU_ERROR_INVALID_METRIC;
		else if (c == -1 || can >> c & 1)
			rc = PU_SUCCESS;
		ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why), rc);
	}
	good.masks &= ~0xffffu;
	ck_assert_int_eq(P4Check(&good, P4_ANY_MODEL, why), PU_ERROR_INVALID_METRIC);
}
END_TEST

START_TEST(values_out_of_range_are_refused)
{
	struct p4_request good = request_of("uops_retired:NBOGUS:u"), r;
	char why[P4_WHY_MAX];

	for (unsigned t = 0; t < 256; t++) {
		r = good;
		r.compare = true;
		r.threshold = (uint8_t)t;
		ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why),
			t < 16 ? PU_SUCCESS : PU_ERROR_INVALID_METRIC);
		r = good;
		r.threads = (uint8_t)t;
		ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why),
			t >= 1 && t <= 3 ? PU_SUCCESS : PU_ERROR_INVALID_PRIVILEGE_LEVEL);
	}
	r = good;
	r.user = false;
	ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why), PU_ERROR_INVALID_PRIVILEGE_LEVEL);
	r = good;
	r.edge = true;
	ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why), PU_ERROR_INCOMPATIBLE_OPTIONS);
	r = good;
	r.complement = true;
	ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why), PU_ERROR_INCOMPATIBLE_OPTIONS);
	r = good;
	r.threshold = 1;
	ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why), PU_ERROR_INCOMPATIBLE_OPTIONS);
	r = good;
	r.metric = &p4_metrics[0];
	ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why), PU_ERROR_INVALID_METRIC);
	r = good;
	r.event = NULL;
	ck_assert_int_eq(P4Check(&r, P4_ANY_MODEL, why), PU_ERROR_INVALID_EVENT);
}
END_TEST

Suite *reject_suite(void)
{
	return SUITE("p4 reject",
		TESTS(too_long, events_of_other_models_are_refused,
			values_out_of_range_are_refused),
		LOOPS({misspelt_events_are_refused_with_a_reason, 0, sizeof wrong / sizeof *wrong},
			{every_event, 0, P4_EVENTS}));
}
