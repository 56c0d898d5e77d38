/*
 * Register values that were computed by hand from the manual's figures of ESCR and CCCR.
 */
#include <string.h>

#include "../../include/perfutil.h"
#include "suites.h"

static const struct {
	const char *text;
	uint32_t escr, cccr;
} encodings[] = {
	/* select 13H << 25, mask 1 << 9, OS and USR; CCCR select 6 << 13, 3 << 16, enable */
	{"global_power_events", 0x2600020c, 0x0003d000},
	{"global_power_events:RUNNING:u", 0x26000204, 0x0003d000},
	{"global_power_events:k", 0x26000208, 0x0003d000},
	{"global_power_events:uk:t1", 0x26000203, 0x0003d000},
	{"global_power_events:t0:t1", 0x2600020f, 0x0003d000},
	{"branch_retired:MMTP", 0x0c00080c, 0x0003b000},
	{"BRANCH_RETIRED:mmtp:MMTM:u", 0x0c001804, 0x0003b000},
	{"uop_queue_writes:FROM_TC_BUILD:FROM_TC_DELIVER:FROM_ROM", 0x12000e0c, 0x00031000},
	{"resource_stall", 0x0200400c, 0x00033000},
	{"b2b_cycles:BIT6", 0x2c00800c, 0x00037000},
	{"machine_clear:SMCLEAR:k", 0x04008008, 0x0003b000},
	{"SSE_input_assist:ALL", 0x6900000c, 0x00033000},
	{"BSQ_cache_reference:RD_2ndL_MISS:RD_3rdL_MISS", 0x1806000c, 0x0003f000},
	{"instr_completed:NBOGUS", 0x0e00020c, 0x00039000},
	/* the tag value 1 << 5 with its enable flag; the mask ALL is there unasked */
	{"x87_FP_uop:ALL:TAG0", 0x0900003c, 0x00033000},
	{"x87_FP_uop:TAG0", 0x0900003c, 0x00033000},
	{"packed_SP_uop:TAG1:TAG3:u", 0x11000154, 0x00033000},
	/* filters: compare 1 << 18, complement 1 << 19, threshold << 20, edge 1 << 24 */
	{"FSB_data_activity:DRDY_DRV:DRDY_OWN:e", 0x2e00060c, 0x0107d000},
	{"uops_retired:NBOGUS:c=2:i:u", 0x02000204, 0x002f9000},
	{"uops_retired:NBOGUS:c=0", 0x0200020c, 0x00079000},
	{"uops_retired:NBOGUS:c=15:i:e", 0x0200020c, 0x01ff9000},
	/* overflow: interrupt 1 << 26 and 1 << 27, forced 1 << 25 */
	{"ITLB_reference:MISS:int", 0x3000040c, 0x04037000},
	{"ITLB_reference:MISS:int:t1", 0x30000403, 0x08037000},
	{"ITLB_reference:MISS:int:t0:t1", 0x3000040f, 0x0c037000},
	{"ITLB_reference:MISS:int:force", 0x3000040c, 0x06037000},
	/* cascade 1 << 30, without the enable flag */
	{"page_walk_type:DTMISS:cascade", 0x0200020c, 0x40038000},
	{"page_walk_type:ITMISS:cascade:int", 0x0200040c, 0x44038000},
};

START_TEST(events_have_their_register_values)
{
	struct p4_request r = request_of(encodings[_i].text);

	ck_assert_msg(p4_escr_value(&r) == encodings[_i].escr, "%s: ESCR %#x, not %#x",
		encodings[_i].text, p4_escr_value(&r), encodings[_i].escr);
	ck_assert_msg(p4_cccr_value(&r) == encodings[_i].cccr, "%s: CCCR %#x, not %#x",
		encodings[_i].text, p4_cccr_value(&r), encodings[_i].cccr);
}
END_TEST

/* The values of the manual's own scenario (extended cascading, whose bit 11 is not ours):
 * instructions retired on one logical processor and on the other. */
START_TEST(the_manuals_scenario_has_its_values)
{
	struct p4_request one = request_of("instr_retired:NBOGUSNTAG:NBOGUSTAG:t1:int"),
			  zero = request_of("instr_retired:NBOGUSNTAG:NBOGUSTAG:t0:int");

	ck_assert_uint_eq(p4_escr_value(&one), 0x04000603);
	ck_assert_uint_eq(p4_escr_value(&zero), 0x0400060c);
	ck_assert_uint_eq(p4_cccr_value(&zero) & ~P4_CCCR_ENABLE, 0x04038800 & ~0x800);
}
END_TEST

static struct p4_program program_of(const struct p4_request *r)
{
	struct p4_program p;
	char why[P4_WHY_MAX] = "";

	ck_assert_msg(P4Assign(r, 1, &p, why) == PU_SUCCESS, "%s: %s", r->name, why);
	return p;
}

START_TEST(six_steps)
{
	struct p4_request r = request_of("branch_retired:MMTP:c=3:ctr=14");
	struct p4_program p = program_of(&r);
	struct p4_step s[P4_STEPS_MAX];

	ck_assert_uint_eq(P4Steps(&p, s), 6);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_uint_eq(s[i].number, i + 1);
		ck_assert_int_eq(s[i].write, i >= 4);
	}
	ck_assert_str_eq(
		s[0].text, "event branch_retired: event select 06H, event mask 0004H (MMTP)");
	ck_assert_str_eq(s[1].text, "ESCR MSR_CRU_ESCR3");
	ck_assert_str_eq(s[2].text, "counter number 14");
	ck_assert_str_eq(s[3].text,
		"addresses: counter MSR_IQ_COUNTER2 30EH, CCCR MSR_IQ_CCCR2 36EH, ESCR MSR_CRU_ESCR3 3CDH");
	ck_assert_uint_eq(s[4].msr, 0x3cd);
	ck_assert_uint_eq(s[4].value, 0x0c00080c);
	ck_assert_uint_eq(s[5].msr, 0x36e);
	ck_assert_uint_eq(s[5].value, 0x0037b000);
}
END_TEST

/* The tagging ESCR is written before the ESCR that counts tagged uops. */
START_TEST(tagging_steps)
{
	static const struct {
		const char *text;
		uint32_t msr[3], value[3]; /* 0: no more */
		uint32_t escr;
	} cases[] = {
		{"front_end_event:TAGLOADS", {0x3bc}, {0x0400040c}, 0x1000020c},
		{"front_end_event:BOGUS:TAGSTORES:k", {0x3bc}, {0x04000808}, 0x10000408},
		{"execution_event:X87_FP", {0x3a4}, {0x0900003c}, 0x1800020c},
		{"execution_event:NBOGUS2:BOGUS2:PACKED_DP", {0x3a4}, {0x1900009c}, 0x1800880c},
		{"execution_event:BOGUS1:PACKED_SP", {0x3a4}, {0x1100005c}, 0x1800400c},
		{"execution_event:SCALAR_SP", {0x3a4}, {0x1500003c}, 0x1800020c},
		{"execution_event:SCALAR_DP", {0x3a4}, {0x1d00003c}, 0x1800020c},
		{"execution_event:MMX_64BIT", {0x3a4}, {0x0500003c}, 0x1800020c},
		{"execution_event:MMX_128BIT", {0x3a4}, {0x3500003c}, 0x1800020c},
		{"replay_event:L2_LD_MISS", {0x3f1, 0x3f2}, {0x03000002, 1}, 0x1200020c},
		{"replay_event:DTLB_LD_MISS", {0x3f1, 0x3f2}, {0x03000004, 1}, 0x1200020c},
		{"replay_event:DTLB_ST_MISS", {0x3f1, 0x3f2}, {0x03000004, 2}, 0x1200020c},
		{"replay_event:L1_LD_MISS", {0x3f1, 0x3f2}, {0x03000001, 1}, 0x1200020c},
		{"replay_event:DTLB_ALL_MISS", {0x3f1, 0x3f2}, {0x03000004, 3}, 0x1200020c},
		{"replay_event:BR_MSP:u", {0x3f1, 0x3f2}, {0x03018000, 0x10}, 0x12000204},
		{"replay_event:MOB_LD_REPLAY", {0x3aa, 0x3f1, 0x3f2}, {0x0600600c, 0x03000200, 1},
			0x1200020c},
		/* the manual names the one ESCR that tags these */
		{"replay_event:SP_LD_RET", {0x3af, 0x3f1, 0x3f2}, {0x0800040c, 0x03000400, 1},
			0x1200020c},
		{"replay_event:SP_ST_RET", {0x3ae, 0x3f1, 0x3f2}, {0x0a00040c, 0x03000400, 2},
			0x1200020c},
	};
	struct p4_request r = request_of(cases[_i].text);
	struct p4_program p = program_of(&r);
	struct p4_step s[P4_STEPS_MAX];
	size_t n = P4Steps(&p, s), tags = 0;

	while (tags < 3 && cases[_i].msr[tags])
		tags++;
	ck_assert_uint_eq(n, 6 + tags);
	for (size_t i = 0; i < tags; i++) {
		ck_assert_uint_eq(s[4 + i].number, 5);
		ck_assert(s[4 + i].write);
		ck_assert_uint_eq(s[4 + i].msr, cases[_i].msr[i]);
		ck_assert_uint_eq(s[4 + i].value, cases[_i].value[i]);
	}
	ck_assert_uint_eq(s[4 + tags].value, cases[_i].escr);
	ck_assert_uint_eq(s[4 + tags].msr, 0x3cc);
	ck_assert_uint_eq(s[5 + tags].msr, 0x36c);
}
END_TEST
enum { TAGGING_CASES = 18 };

START_TEST(perf_configs_are_those_of_linux)
{
	static const struct {
		const char *text;
		uint64_t config; /* 0: Linux cannot */
	} cases[] = {
		/* event 24 of the kernel, and its own choice for unhalted cycles */
		{"global_power_events:u", 0x3000020000030000},
		{"instr_retired:NBOGUSNTAG:BOGUSNTAG", 0x4c000a0000030000},
		{"branch_retired:MMTP:c=2:i:e", 0x52000800012f0000},
		{"x87_FP_uop:TAG0:k", 0x2d00003000030000},
		{"replay_event:DTLB_ST_MISS", 0x4a00020000030004},
		{"front_end_event:TAGLOADS", 0},
		{"replay_event:SP_LD_RET", 0},
		{"TC_deliver_mode:IB", 0},
		{"TC_deliver_mode:ID", 0x0000800000030000},
		{"bnr:BIT0", 0},
		{"machine_clear:SMCLEAR", 0},
		{"ITLB_reference:MISS:cascade", 0},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct p4_request r = request_of(cases[i].text);
		const char *lacking;
		uint64_t config = P4PerfConfig(&r, &lacking);

		ck_assert_msg((cases[i].config == 0) == (lacking != NULL), "%s", cases[i].text);
		ck_assert_msg(lacking || config == cases[i].config, "%s: %#llx", cases[i].text,
			(unsigned long long)config);
	}
}
END_TEST

Suite *encode_suite(void)
{
	return SUITE("p4 encode",
		TESTS(the_manuals_scenario_has_its_values, six_steps,
			perf_configs_are_those_of_linux),
		LOOPS({events_have_their_register_values, 0, sizeof encodings / sizeof *encodings},
			{tagging_steps, 0, TAGGING_CASES}));
}
