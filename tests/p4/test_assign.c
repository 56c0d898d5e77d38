/*
 * Assignments whose outcome is known: the rules, and the names of what competes.
 */
#include <stdio.h>
#include <string.h>

#include "../../include/perfutil.h"
#include "suites.h"

enum { EVENTS_MAX = 20 };

struct outcome {
	int rc;
	size_t count;
	struct p4_request request[EVENTS_MAX];
	struct p4_program program[P4_COUNTERS];
	char why[P4_WHY_MAX];
};

/* Events with blanks between them. */
static struct outcome assign(const char *text)
{
	struct outcome o = {.rc = 0};
	char copy[2048], *next = copy, *one;

	ck_assert_uint_lt(strlen(text), sizeof copy);
	strcpy(copy, text);
	while ((one = strsep(&next, " ")))
		o.request[o.count++] = request_of(one);
	o.rc = P4Assign(o.request, o.count, o.program, o.why);
	for (size_t i = 0; i < o.count && o.rc == PU_SUCCESS; i++) /* o is about to move */
		o.program[i].request = NULL;
	return o;
}

START_TEST(one_event_gets_one_counter)
{
	struct outcome o = assign("branch_retired:MMTP");

	ck_assert_int_eq(o.rc, PU_SUCCESS);
	ck_assert_uint_eq(o.program[0].escr, P4_CRU_ESCR2);
	ck_assert_uint_eq(o.program[0].counter, 12);
	ck_assert_uint_eq(o.program[0].escr_value, 0x0c00080c);
	ck_assert_uint_eq(o.program[0].cccr_value, 0x0003b000);
	ck_assert_int_eq(o.program[0].shares, -1);
	ck_assert(!o.program[0].upstream);
	ck_assert_int_eq(P4Assign(NULL, 0, NULL, o.why), PU_SUCCESS);
}
END_TEST

/* "the branch_retired event cannot be measured on counters 12 and 13 simultaneously because
 * both counters require the CRU_ESCR2 ESCR" */
START_TEST(branches_on_12_and_13)
{
	struct outcome o = assign("branch_retired:MMTP:ctr=12 branch_retired:MMTM:ctr=13");

	ck_assert_int_eq(o.rc, PU_ERROR_EVENT_ALL_ESCR_IN_USE);
	ck_assert_ptr_nonnull(strstr(o.why,
		"branch_retired:MMTP:ctr=12 and branch_retired:MMTM:ctr=13 compete for MSR_CRU_ESCR2,"));
	ck_assert_ptr_null(strstr(o.why, "MSR_CRU_ESCR3"));
	/* "use counters such that one counter uses CRU_ESCR2 and the other CRU_ESCR3" */
	o = assign("branch_retired:MMTP:ctr=12 branch_retired:MMTM:ctr=14");
	ck_assert_int_eq(o.rc, PU_SUCCESS);
	ck_assert_uint_eq(o.program[0].escr, P4_CRU_ESCR2);
	ck_assert_uint_eq(o.program[1].escr, P4_CRU_ESCR3);
	/* the same assignment as without a preference */
	o = assign("branch_retired:MMTP branch_retired:MMTM");
	ck_assert_int_eq(o.rc, PU_SUCCESS);
	ck_assert_uint_ne(o.program[0].escr, o.program[1].escr);
}
END_TEST

/* Two counters named for one event are two counts; anything less is one too many. */
START_TEST(one_event_on_two_counters)
{
	struct outcome o = assign("branch_retired:MMTP:ctr=12 branch_retired:MMTP:ctr=13");

	ck_assert_int_eq(o.rc, PU_SUCCESS);
	ck_assert_uint_eq(o.program[0].counter, 12);
	ck_assert_uint_eq(o.program[1].counter, 13);
	ck_assert_int_eq(o.program[1].shares, 0); /* both listen to MSR_CRU_ESCR2 only */
	o = assign("branch_retired:MMTP:ctr=12 branch_retired:MMTP:ctr=14");
	ck_assert_int_eq(o.rc, PU_SUCCESS);
	ck_assert_uint_eq(o.program[0].escr, P4_CRU_ESCR2);
	ck_assert_uint_eq(o.program[1].escr, P4_CRU_ESCR3);
	o = assign("branch_retired:MMTP:ctr=12 branch_retired:MMTP:ctr=12");
	ck_assert_int_eq(o.rc, PU_ERROR_DUPLICATE_METRICS);
	o = assign("branch_retired:MMTP:ctr=12 branch_retired:MMTP");
	ck_assert_int_eq(o.rc, PU_ERROR_DUPLICATE_METRICS);
	o = assign("branch_retired:MMTP branch_retired:MMTP");
	ck_assert_int_eq(o.rc, PU_ERROR_DUPLICATE_METRICS);
	/* Tagged uops: the ESCR that tags them serves both. */
	o = assign("replay_event:SP_LD_RET:ctr=12 replay_event:SP_LD_RET:ctr=14");
	ck_assert_int_eq(o.rc, PU_SUCCESS);
	ck_assert_uint_eq(o.program[0].upstream_escr, o.program[1].upstream_escr);
}
END_TEST

START_TEST(equal_selections_may_share_an_escr)
{
	/* The same selection, filtered differently: one ESCR can feed both counters, */
	struct outcome o = assign("branch_retired:MMTP:ctr=12 branch_retired:MMTP:c=1:ctr=13");

	ck_assert_int_eq(o.rc, PU_SUCCESS);
	ck_assert_int_eq(o.program[0].shares, -1);
	ck_assert_int_eq(o.program[1].shares, 0);
	/* but it need not, */
	o = assign("branch_retired:MMTP branch_retired:MMTP:c=1");
	ck_assert_int_eq(o.rc, PU_SUCCESS);
	ck_assert_int_eq(o.program[1].shares, -1);
	/* until there is no other way, */
	o = assign("branch_retired:MMTP branch_retired:MMTP:c=1 x87_assist:FPSU");
	ck_assert_int_eq(o.rc, PU_SUCCESS);
	ck_assert_int_eq(o.program[1].shares, 0);
	/* and not for another privilege level: that is another selection. */
	o = assign("branch_retired:MMTP:u:ctr=12 branch_retired:MMTP:k:ctr=13");
	ck_assert_int_eq(o.rc, PU_ERROR_EVENT_ALL_ESCR_IN_USE);
}
END_TEST

static const struct {
	const char *events;
	int rc;
	const char *why; /* how it begins */
} conflicts[] = {
	{"bnr:BIT0 instr_retired:NBOGUSNTAG bnr:BIT1 bnr:BIT2", PU_ERROR_EVENT_ALL_ESCR_IN_USE,
		"bnr:BIT0, bnr:BIT1 and bnr:BIT2 compete for MSR_FSB_ESCR0, MSR_FSB_ESCR1, and"},
	{"IOQ_active_entries:ALL_READ IOQ_active_entries:ALL_WRITE", PU_ERROR_EVENT_ALL_ESCR_IN_USE,
		"IOQ_active_entries:ALL_READ and IOQ_active_entries:ALL_WRITE compete for MSR_FSB_ESCR1, and"},
	{"BSQ_allocation:REQ_LEN0 BSQ_allocation:REQ_LEN0:c=1 BSQ_allocation:REQ_LEN0:c=2",
		PU_ERROR_ALL_COUNTERS_IN_USE,
		"BSQ_allocation:REQ_LEN0, BSQ_allocation:REQ_LEN0:c=1 and BSQ_allocation:REQ_LEN0:c=2 can use only counter 0, 1:"},
	{"tc_ms_xfer TC_misc TC_deliver_mode:DD retired_branch_type:CALL uop_queue_writes:FROM_ROM",
		PU_ERROR_ALL_COUNTERS_IN_USE, "tc_ms_xfer, TC_misc, "},
	{"uop_type:TAGLOADS:ctr=12 resource_stall:ctr=12", PU_ERROR_ALL_COUNTERS_IN_USE,
		"uop_type:TAGLOADS:ctr=12 and resource_stall:ctr=12 can use only counter 12:"},
	{"instr_retired:NBOGUSTAG:u x87_assist:FPSU instr_retired:NBOGUSTAG:u",
		PU_ERROR_DUPLICATE_METRICS, "instr_retired:NBOGUSTAG:u and "},
	/* Uops are tagged for the whole processor. */
	{"front_end_event:TAGLOADS front_end_event:TAGSTORES", PU_ERROR_INCOMPATIBLE_OPTIONS,
		"front_end_event:TAGLOADS and front_end_event:TAGSTORES tag"},
	{"front_end_event:TAGLOADS uop_type:TAGSTORES", PU_ERROR_INCOMPATIBLE_OPTIONS, ""},
	{"execution_event:X87_FP execution_event:PACKED_SP", PU_ERROR_INCOMPATIBLE_OPTIONS, ""},
	{"execution_event:X87_FP packed_SP_uop:TAG0", PU_ERROR_INCOMPATIBLE_OPTIONS, ""},
	{"replay_event:L1_LD_MISS replay_event:L2_LD_MISS", PU_ERROR_INCOMPATIBLE_OPTIONS, ""},
	/* The ESCR that tags is taken. */
	{"execution_event:X87_FP packed_SP_uop packed_DP_uop", PU_ERROR_EVENT_ALL_ESCR_IN_USE,
		"execution_event:X87_FP, packed_SP_uop and packed_DP_uop compete for MSR_FIRM_ESCR0, MSR_FIRM_ESCR1, and"},
	{"replay_event:SP_LD_RET memory_complete:LSC:ctr=10", PU_ERROR_EVENT_ALL_ESCR_IN_USE,
		"replay_event:SP_LD_RET and memory_complete:LSC:ctr=10 compete for MSR_SAAT_ESCR1, and"},
};

START_TEST(conflicts_are_refused_with_a_reason)
{
	struct outcome o = assign(conflicts[_i].events);

	ck_assert_msg(o.rc == conflicts[_i].rc, "%s: %s, %s", conflicts[_i].events,
		RcToString(o.rc), o.why);
	ck_assert_msg(
		strncmp(o.why, conflicts[_i].why, strlen(conflicts[_i].why)) == 0, "%s", o.why);
}
END_TEST

static const char *const fitting[] = {
	/* different tags, and the same uops tagged for two */
	"execution_event:NBOGUS0:X87_FP execution_event:NBOGUS1:PACKED_SP",
	"front_end_event:NBOGUS:TAGLOADS front_end_event:BOGUS:TAGLOADS",
	"front_end_event:TAGLOADS:u front_end_event:TAGLOADS:k",
	"replay_event:NBOGUS:SP_LD_RET replay_event:BOGUS:SP_LD_RET load_port_replay",
	"execution_event:X87_FP x87_FP_uop:TAG0 packed_DP_uop",
	"replay_event:SP_LD_RET memory_complete:LSC",
	/* counter 1 only where it has to be */
	"BSQ_allocation:REQ_LEN0 BSQ_allocation:REQ_LEN0:c=1",
};

START_TEST(fitting_events_are_assigned)
{
	struct outcome o = assign(fitting[_i]);

	ck_assert_msg(o.rc == PU_SUCCESS, "%s: %s", fitting[_i], o.why);
}
END_TEST

/* All 18 counters at once, and one more. */
START_TEST(all_counters_can_be_used_at_once)
{
	static const char all[] =
		"bnr:BIT0 bnr:BIT1 page_walk_type:DTMISS page_walk_type:ITMISS TC_misc TC_deliver_mode:DD tc_ms_xfer retired_branch_type:CALL memory_cancel:64K_CONF WC_Buffer:WCB_EVICTS x87_FP_uop memory_complete:LSC branch_retired:MMTP branch_retired:MMTM instr_retired:NBOGUSNTAG mispred_branch_retired resource_stall uop_type:TAGLOADS";
	char more[sizeof all + 32];
	struct outcome o = assign(all);
	uint32_t counters = 0;

	ck_assert_msg(o.rc == PU_SUCCESS, "%s", o.why);
	for (size_t i = 0; i < o.count; i++)
		counters |= 1u << o.program[i].counter;
	ck_assert_uint_eq(counters, (1u << P4_COUNTERS) - 1);
	snprintf(more, sizeof more, "%s %s", all, "uops_retired:BOGUS");
	o = assign(more);
	ck_assert_int_eq(o.rc, PU_ERROR_EVENT_MAXIMUM_EXCEEDED);
}
END_TEST

/* A long set of conflicts stays one line of bounded length. */
START_TEST(long_names)
{
	struct p4_request r[P4_COUNTERS];
	struct p4_program p[P4_COUNTERS];
	char why[P4_WHY_MAX];

	for (size_t i = 0; i < P4_COUNTERS; i++) {
		r[i] = request_of("resource_stall");
		memset(r[i].name, 'x', sizeof r[i].name - 1);
		r[i].compare = true;
		r[i].threshold = (uint8_t)(i % 16);
		r[i].complement = i >= 16;
	}
	ck_assert_int_eq(P4Assign(r, P4_COUNTERS, p, why), PU_ERROR_ALL_COUNTERS_IN_USE);
	ck_assert_uint_eq(strlen(why), P4_WHY_MAX - 1);
}
END_TEST

Suite *assign_suite(void)
{
	return SUITE("p4 assign",
		TESTS(one_event_gets_one_counter, branches_on_12_and_13, one_event_on_two_counters,
			equal_selections_may_share_an_escr, all_counters_can_be_used_at_once,
			long_names),
		LOOPS({conflicts_are_refused_with_a_reason, 0,
			      sizeof conflicts / sizeof *conflicts},
			{fitting_events_are_assigned, 0, sizeof fitting / sizeof *fitting}));
}
