/*
 * Register writes, by hand from the manuals.
 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "../../libtrace/cmd/event/registers.h"
#include "test_event.h"
#include "tree.h"

struct row {
	const char *cpu; /* NULL: this tree's */
	enum tree tree;
	const char *name;
	int counter;
	const char *select_name;
	uint32_t select_address;
	uint64_t select;
	const char *count_name;
	uint32_t count_address;
	uint64_t enable; /* 0: no such register */
};

static const struct row rows[] = {
	{"intel", 0, "cycles", 0, "IA32_PERFEVTSEL0", 0x186, 0x43003c, "IA32_PMC0", 0xc1, 1},
	{"intel", 0, "cycles:u", 1, "IA32_PERFEVTSEL1", 0x187, 0x41003c, "IA32_PMC1", 0xc2, 2},
	{"intel", 0, "instructions:k", 3, "IA32_PERFEVTSEL3", 0x189, 0x4200c0, "IA32_PMC3", 0xc4,
		8},
	{"intel", 0, "cache-misses", 0, "IA32_PERFEVTSEL0", 0x186, 0x43412e, "IA32_PMC0", 0xc1, 1},
	{"intel", 0, "cache-references", 0, "IA32_PERFEVTSEL0", 0x186, 0x434f2e, "IA32_PMC0", 0xc1,
		1},
	{"intel", 0, "cpu/event=0x3c,cmask=1,inv,edge/", 0, "IA32_PERFEVTSEL0", 0x186, 0x1c7003c,
		"IA32_PMC0", 0xc1, 1},
	{"intel", 0, "cpu/event=0x3c,umask=0,any/", 0, "IA32_PERFEVTSEL0", 0x186, 0x63003c,
		"IA32_PMC0", 0xc1, 1},
	/* Bits that are not the event's to say. */
	{"intel", 0, "rff53003c:u", 0, "IA32_PERFEVTSEL0", 0x186, 0xff41003c, "IA32_PMC0", 0xc1, 1},
	{"intel", 0, "ref-cycles", 0, "IA32_FIXED_CTR_CTRL", 0x38d, 0x300, "IA32_FIXED_CTR2", 0x30b,
		UINT64_C(1) << 34},
	{"intel", 0, "ref-cycles:u", 0, "IA32_FIXED_CTR_CTRL", 0x38d, 0x200, "IA32_FIXED_CTR2",
		0x30b, UINT64_C(1) << 34},
	{"intel", 0, "cpu/event=0,umask=1/k", 0, "IA32_FIXED_CTR_CTRL", 0x38d, 0x1,
		"IA32_FIXED_CTR0", 0x309, UINT64_C(1) << 32},
	{"intel", 0, "cpu/event=0,umask=4/", 0, "IA32_FIXED_CTR_CTRL", 0x38d, 0x3000,
		"IA32_FIXED_CTR3", 0x30c, UINT64_C(1) << 35},
	{NULL, TREE_INTEL, "cpu/cache-misses/", 0, "IA32_PERFEVTSEL0", 0x186, 0x43412e, "IA32_PMC0",
		0xc1, 1},
	{NULL, TREE_INTEL, "ref-cycles", 0, "IA32_FIXED_CTR_CTRL", 0x38d, 0x300, "IA32_FIXED_CTR2",
		0x30b, UINT64_C(1) << 34},
	{NULL, TREE_HYBRID, "instructions", 0, "IA32_PERFEVTSEL0", 0x186, 0x4300c0, "IA32_PMC0",
		0xc1, 1},
	{"amd", 0, "cycles", 0, "PERF_CTL0", 0xc0010200, 0x430076, "PERF_CTR0", 0xc0010201, 0},
	{"amd", 0, "instructions:u", 5, "PERF_CTL5", 0xc001020a, 0x4100c0, "PERF_CTR5", 0xc001020b,
		0},
	{"amd", 0, "cpu/event=0x1ff,umask=3,inv,cmask=2,edge/", 1, "PERF_CTL1", 0xc0010202,
		0x102c703ff, "PERF_CTR1", 0xc0010203, 0},
	{NULL, TREE_AMD, "branches", 0, "PERF_CTL0", 0xc0010200, 0x4300c2, "PERF_CTR0", 0xc0010201,
		0},
	{"arm", 0, "cycles", 0, "PMEVTYPER0_EL0", 0, 0x11, "PMEVCNTR0_EL0", 0, 1},
	{"arm", 0, "instructions:u", 2, "PMEVTYPER2_EL0", 0, 0x80000008, "PMEVCNTR2_EL0", 0, 4},
	{"arm", 0, "instructions:k", 30, "PMEVTYPER30_EL0", 0, 0x40000008, "PMEVCNTR30_EL0", 0,
		1 << 30},
	{"arm", 0, "armv8_pmuv3/event=8,threshold=3,threshold_compare=2,threshold_count/", 0,
		"PMEVTYPER0_EL0", 0, 0xa000000300000008, "PMEVCNTR0_EL0", 0, 1},
	{NULL, TREE_ARM, "armv8_pmuv3_0/inst_retired/", 0, "PMEVTYPER0_EL0", 0, 8, "PMEVCNTR0_EL0",
		0, 1},
};

static void find_cpu(const char *name, enum tree tree, struct event_cpu *cpu)
{
	char why[EVENT_WHY_MAX];

	tree_use(tree);
	ck_assert_int_eq(event_cpu_find(name, cpu, why), 0);
}

START_TEST(registers_are_those_of_the_manual)
{
	const struct row *r = &rows[_i];
	struct cpc_event e, own;
	struct event_programme p;
	struct event_cpu cpu;
	char why[EVENT_WHY_MAX];

	find_cpu(r->cpu, r->tree, &cpu);
	ck_assert_msg(event_cpu_event(&cpu, r->name, &e, why) == 0, "%s: %s", r->name, why);
	ck_assert(event_cpu_config(&cpu, &e, &own));
	ck_assert_int_eq(event_programme(&cpu, &own, r->counter, &p, why), 0);
	ck_assert_str_eq(p.select.name, r->select_name);
	ck_assert_uint_eq(p.select.address, r->select_address);
	ck_assert_uint_eq(p.select.value, r->select);
	ck_assert_str_eq(p.count.name, r->count_name);
	ck_assert_uint_eq(p.count.address, r->count_address);
	ck_assert_uint_eq(p.enable.name[0] ? p.enable.value : 0, r->enable);
	ck_assert_str_eq(p.extra.name, "");
}
END_TEST

static const struct {
	const char *name, *extra;
	uint32_t address;
	uint64_t value;
} extras[] = {
	{"cpu/event=0xb7,umask=1,offcore_rsp=0x10001/", "MSR_OFFCORE_RSP_0", 0x1a6, 0x10001},
	{"cpu/event=0xbb,umask=1,offcore_rsp=0x10001/", "MSR_OFFCORE_RSP_1", 0x1a7, 0x10001},
	{"cpu/event=0x2a,umask=1,offcore_rsp=7/", "MSR_OFFCORE_RSP_0", 0x1a6, 7},
	{"cpu/event=0xcd,umask=1,ldlat=3/", "MSR_PEBS_LD_LAT", 0x3f6, 3},
	{"cpu/event=0xc6,umask=1,frontend=0x11/", "MSR_PEBS_FRONTEND", 0x3f7, 0x11},
};

START_TEST(extra_bits_have_a_register_of_their_own)
{
	struct event_programme p;
	struct cpc_event e;
	struct event_cpu cpu;
	char why[EVENT_WHY_MAX];

	find_cpu("intel", TREE_NONE, &cpu);
	ck_assert_int_eq(event_cpu_event(&cpu, extras[_i].name, &e, why), 0);
	ck_assert_int_eq(event_programme(&cpu, &e, 0, &p, why), 0);
	ck_assert_str_eq(p.extra.name, extras[_i].extra);
	ck_assert_uint_eq(p.extra.address, extras[_i].address);
	ck_assert_uint_eq(p.extra.value, extras[_i].value);
}
END_TEST

static const struct {
	const char *cpu, *name;
} no_registers[] = {
	{"intel", "cpu/event=0x3c,config1=1/"},
	{"intel", "cpu/event=0x3c,config2=1/"},
	{"intel", "cpu/event=0,umask=3,inv/"},
	{"intel", "cpu/event=0,umask=3,cmask=1/"},
	{"intel", "cpu/event=0,umask=1,edge/"},
	{"amd", "cpu/event=0x76,config1=1/"},
	{"amd", "cpu/event=0x76,config2=1/"},
	{"arm", "r10000"},
	{"arm", "armv8_pmuv3/event=1,config2=1/"},
};

START_TEST(events_without_a_register_are_refused)
{
	struct event_programme p;
	struct cpc_event e;
	struct event_cpu cpu;
	char why[EVENT_WHY_MAX] = "";

	find_cpu(no_registers[_i].cpu, TREE_NONE, &cpu);
	ck_assert_int_eq(event_cpu_event(&cpu, no_registers[_i].name, &e, why), 0);
	ck_assert_int_eq(event_programme(&cpu, &e, 0, &p, why), -ENOTSUP);
	ck_assert_int_gt((int)strlen(why), 10);
}
END_TEST

static const struct {
	const char *cpu, *name;
} no_code[] = {{"intel", "page-faults"}, {"intel", "stalled-cycles-frontend"},
	{"intel", "L1-dcache-loads"}, {"amd", "ref-cycles"}, {"amd", "bus-cycles"},
	{"amd", "task-clock"}, {"arm", "ref-cycles"}, {"arm", "LLC-loads"}};

START_TEST(events_without_a_code_are_reported)
{
	struct cpc_event e, own;
	struct event_cpu cpu;
	char why[EVENT_WHY_MAX];

	find_cpu(no_code[_i].cpu, TREE_NONE, &cpu);
	ck_assert_int_eq(event_cpu_event(&cpu, no_code[_i].name, &e, why), 0);
	ck_assert(!event_cpu_config(&cpu, &e, &own));
}
END_TEST

START_TEST(processors_that_are_not_known_are_refused)
{
	static const char *const names[] = {"", "x", "INTEL", "intel ", "8086", "cpu", "../amd"};
	struct event_cpu cpu;
	char why[EVENT_WHY_MAX];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		ck_assert_int_eq(event_cpu_find(names[i], &cpu, why), -EINVAL);
		ck_assert_ptr_nonnull(strstr(why, "intel, amd, arm"));
	}
	find_cpu(NULL, TREE_NONE, &cpu);
	ck_assert_int_eq(cpu.kind, EVENT_CPU_OTHER);
	ck_assert_int_eq(event_counters(&cpu), 0);
}
END_TEST

#define LAST(table) ((int)(sizeof table / sizeof *table))

void add_registers(Suite *suite)
{
	TCase *c = tcase_create("registers");

	tcase_add_unchecked_fixture(c, trees_make, trees_remove);
	tcase_add_loop_test(c, registers_are_those_of_the_manual, 0, LAST(rows));
	tcase_add_loop_test(c, extra_bits_have_a_register_of_their_own, 0, LAST(extras));
	tcase_add_loop_test(c, events_without_a_register_are_refused, 0, LAST(no_registers));
	tcase_add_loop_test(c, events_without_a_code_are_reported, 0, LAST(no_code));
	tcase_add_test(c, processors_that_are_not_known_are_refused);
	suite_add_tcase(suite, c);
}
