/*
 * event_find: what names mean on which machine, and what is no name.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../libtrace/events/encoding.h"
#include "test_event.h"
#include "tree.h"

enum { BOTH, USER, KERNEL, GIVEN_BOTH };

struct good {
	enum tree tree;
	const char *name, *pmu;
	uint32_t type;
	uint64_t config, config1;
	int modes;
};

#define HW PERF_TYPE_HARDWARE
#define SW PERF_TYPE_SOFTWARE
#define CACHE PERF_TYPE_HW_CACHE
#define RAW PERF_TYPE_RAW

static const struct good good[] = {
	/* generic */
	{TREE_INTEL, "cycles", "cpu", HW, 0, 0, BOTH},
	{TREE_INTEL, "cpu-cycles", "cpu", HW, 0, 0, BOTH},
	{TREE_INTEL, "instructions", "cpu", HW, 1, 0, BOTH},
	{TREE_INTEL, "cache-references", "cpu", HW, 2, 0, BOTH},
	{TREE_INTEL, "cache-misses", "cpu", HW, 3, 0, BOTH},
	{TREE_INTEL, "branches", "cpu", HW, 4, 0, BOTH},
	{TREE_INTEL, "branch-instructions", "cpu", HW, 4, 0, BOTH},
	{TREE_INTEL, "branch-misses", "cpu", HW, 5, 0, BOTH},
	{TREE_INTEL, "bus-cycles", "cpu", HW, 6, 0, BOTH},
	{TREE_INTEL, "stalled-cycles-frontend", "cpu", HW, 7, 0, BOTH},
	{TREE_INTEL, "idle-cycles-frontend", "cpu", HW, 7, 0, BOTH},
	{TREE_INTEL, "stalled-cycles-backend", "cpu", HW, 8, 0, BOTH},
	{TREE_INTEL, "ref-cycles", "cpu", HW, 9, 0, BOTH},
	{TREE_NONE, "cycles", "", HW, 0, 0, BOTH},
	{TREE_ARM, "cycles", "armv8_pmuv3_0", HW, 0, 0, BOTH},
	{TREE_HYBRID, "cycles", "cpu_core", HW, 0, 0, BOTH},
	{TREE_NONE, "cpu-clock", "software", SW, 0, 0, BOTH},
	{TREE_NONE, "task-clock", "software", SW, 1, 0, BOTH},
	{TREE_NONE, "page-faults", "software", SW, 2, 0, BOTH},
	{TREE_NONE, "faults", "software", SW, 2, 0, BOTH},
	{TREE_NONE, "context-switches", "software", SW, 3, 0, BOTH},
	{TREE_NONE, "cs", "software", SW, 3, 0, BOTH},
	{TREE_NONE, "cpu-migrations", "software", SW, 4, 0, BOTH},
	{TREE_NONE, "migrations", "software", SW, 4, 0, BOTH},
	{TREE_NONE, "minor-faults", "software", SW, 5, 0, BOTH},
	{TREE_NONE, "major-faults", "software", SW, 6, 0, BOTH},
	{TREE_NONE, "alignment-faults", "software", SW, 7, 0, BOTH},
	{TREE_NONE, "emulation-faults", "software", SW, 8, 0, BOTH},
	{TREE_INTEL, "L1-dcache-loads", "cpu", CACHE, 0, 0, BOTH},
	{TREE_INTEL, "L1-dcache-load-misses", "cpu", CACHE, 0x10000, 0, BOTH},
	{TREE_INTEL, "L1-icache-load-misses", "cpu", CACHE, 0x10001, 0, BOTH},
	{TREE_INTEL, "LLC-stores", "cpu", CACHE, 0x102, 0, BOTH},
	{TREE_INTEL, "dTLB-prefetch-misses", "cpu", CACHE, 0x10203, 0, BOTH},
	{TREE_INTEL, "iTLB-load-misses", "cpu", CACHE, 0x10004, 0, BOTH},
	{TREE_INTEL, "branch-loads", "cpu", CACHE, 5, 0, BOTH},
	{TREE_INTEL, "node-store-misses", "cpu", CACHE, 0x10106, 0, BOTH},
	/* modifiers */
	{TREE_INTEL, "cycles:u", "cpu", HW, 0, 0, USER},
	{TREE_INTEL, "cycles:k", "cpu", HW, 0, 0, KERNEL},
	{TREE_INTEL, "cycles:uk", "cpu", HW, 0, 0, GIVEN_BOTH},
	{TREE_INTEL, "cycles:ku", "cpu", HW, 0, 0, GIVEN_BOTH},
	{TREE_INTEL, "L1-dcache-loads:u", "cpu", CACHE, 0, 0, USER},
	{TREE_NONE, "faults:k", "software", SW, 2, 0, KERNEL},
	{TREE_INTEL, "r3c:k", "cpu", RAW, 0x3c, 0, KERNEL},
	{TREE_INTEL, "cpu/event=1/u", "cpu", RAW, 1, 0, USER},
	{TREE_INTEL, "cpu/event=1/:u", "cpu", RAW, 1, 0, USER},
	{TREE_INTEL, "cpu/event=1/uk", "cpu", RAW, 1, 0, GIVEN_BOTH},
	/* raw */
	{TREE_INTEL, "r0", "cpu", RAW, 0, 0, BOTH},
	{TREE_INTEL, "r01c2", "cpu", RAW, 0x1c2, 0, BOTH},
	{TREE_INTEL, "rABCdef", "cpu", RAW, 0xabcdef, 0, BOTH},
	{TREE_INTEL, "rffffffffffffffff", "cpu", RAW, UINT64_MAX, 0, BOTH},
	{TREE_NONE, "r11", "", RAW, 0x11, 0, BOTH},
	/* terms */
	{TREE_INTEL, "cpu/event=0x3c,umask=0,cmask=1,inv,edge/", "cpu", RAW, 0x184003c, 0, BOTH},
	{TREE_INTEL, "cpu/event=60/", "cpu", RAW, 0x3c, 0, BOTH},
	{TREE_INTEL, "cpu/umask=0xff,event=0xff/", "cpu", RAW, 0xffff, 0, BOTH},
	{TREE_INTEL, "cpu/event/", "cpu", RAW, 1, 0, BOTH},
	{TREE_INTEL, "cpu/event=0,inv=0/", "cpu", RAW, 0, 0, BOTH},
	{TREE_INTEL, "cpu/event=0xb7,umask=1,offcore_rsp=0xffffffffffffffff/", "cpu", RAW, 0x1b7,
		UINT64_MAX, BOTH},
	{TREE_INTEL, "cpu/config=0x1234,config1=5/", "cpu", RAW, 0x1234, 5, BOTH},
	{TREE_INTEL, "cpu/r01c2/", "cpu", RAW, 0x1c2, 0, BOTH},
	{TREE_INTEL, "cpu/cache-misses/", "cpu", RAW, 0x412e, 0, BOTH},
	{TREE_INTEL, "cpu/cache-misses,cmask=2/", "cpu", RAW, 0x200412e, 0, BOTH},
	{TREE_INTEL, "cpu/cmask=2,cache-misses/", "cpu", RAW, 0x200412e, 0, BOTH},
	{TREE_INTEL, "cpu/mem-loads/", "cpu", RAW, 0x1cd, 3, BOTH},
	{TREE_INTEL, "cpu/mem-loads,ldlat=30/", "cpu", RAW, 0x1cd, 30, BOTH},
	{TREE_INTEL, "cpu/ldlat=30,mem-loads/k", "cpu", RAW, 0x1cd, 30, KERNEL},
	{TREE_INTEL, "cpu/cycles/", "cpu", RAW, 0x3c, 0, BOTH},
	{TREE_INTEL, "cpu/ref-cycles/", "cpu", RAW, 0x300, 0, BOTH},
	{TREE_INTEL, "cpu/branch-misses/", "cpu", HW, 5, 0, BOTH},
	{TREE_INTEL, "cpu/L1-dcache-loads/u", "cpu", CACHE, 0, 0, USER},
	{TREE_INTEL, "msr/tsc/", "msr", 9, 0, 0, BOTH},
	{TREE_INTEL, "msr/event=0xffffffffffffffff/", "msr", 9, UINT64_MAX, 0, BOTH},
	{TREE_INTEL, "uncore_imc/event=1,chip=3/", "uncore_imc", 13, 1, 0, BOTH},
	{TREE_INTEL, "software/config=2/", "software", SW, 2, 0, BOTH},
	{TREE_AMD, "cpu/event=0x1ff/", "cpu", RAW, 0x1000000ff, 0, BOTH},
	{TREE_AMD, "cpu/event=0xfff,umask=1/", "cpu", RAW, 0xf000001ff, 0, BOTH},
	{TREE_AMD, "cpu/branches/", "cpu", RAW, 0xc2, 0, BOTH},
	{TREE_ARM, "armv8_pmuv3_0/inst_retired/", "armv8_pmuv3_0", 8, 8, 0, BOTH},
	{TREE_ARM, "armv8_pmuv3_0/event=0xffff,long,threshold=0xfff/", "armv8_pmuv3_0", 8, 0xffff,
		0x3ffd, BOTH},
	{TREE_ARM, "armv8_pmuv3_0/cycles/", "armv8_pmuv3_0", HW, 0x800000000, 0, BOTH},
	{TREE_HYBRID, "cpu_core/instructions/", "cpu_core", RAW, 0xc0, 0, BOTH},
	{TREE_HYBRID, "cpu_atom/instructions/", "cpu_atom", 10, 0xc0, 0, BOTH},
	{TREE_HYBRID, "cpu_core/cycles/", "cpu_core", HW, 0x400000000, 0, BOTH},
	{TREE_HYBRID, "cpu_atom/cycles/u", "cpu_atom", HW, 0xa00000000, 0, USER},
	{TREE_HYBRID, "cpu_atom/LLC-loads/", "cpu_atom", CACHE, 0xa00000002, 0, BOTH},
	{TREE_ODD, "cpu/event=3/", "cpu", RAW, 3, 0, BOTH},
};

START_TEST(names_encode_as_the_kernel_expects)
{
	const struct good *g = &good[_i];
	struct cpc_event e;
	char why[EVENT_WHY_MAX];

	tree_use(g->tree);
	ck_assert_msg(event_find(g->name, &e, why) == 0, "%s: %s", g->name, why);
	ck_assert_str_eq(e.name, g->name);
	ck_assert_str_eq(e.pmu, g->pmu);
	ck_assert_msg(e.type == g->type, "%s: type %u", g->name, e.type);
	ck_assert_msg(
		e.config == g->config, "%s: config %#llx", g->name, (unsigned long long)e.config);
	ck_assert_msg(e.config1 == g->config1, "%s: config1 %#llx", g->name,
		(unsigned long long)e.config1);
	ck_assert(e.user == (g->modes != KERNEL));
	ck_assert(e.kernel == (g->modes != USER));
	ck_assert(e.modes_given == (g->modes != BOTH));
	ck_assert(e.software == (g->type == SW));
	ck_assert_str_eq(why, "");
}
END_TEST

/* ------------------------------------------------------------------------ invalid names */

static const struct {
	enum tree tree;
	const char *name;
	int rc;
	const char *says;
} bad[] = {
	/* names */
	{TREE_INTEL, "", -EINVAL, "empty"},
	{TREE_INTEL, ":u", -EINVAL, "no event"},
	{TREE_INTEL, ":", -EINVAL, "\":\""},
	{TREE_INTEL, "u", -EINVAL, "\"u\""},
	{TREE_INTEL, "nosuch", -EINVAL, "\"nosuch\""},
	{TREE_INTEL, "Cycles-", -EINVAL, "Cycles-"},
	{TREE_INTEL, " cycles", -EINVAL, "cycles"},
	{TREE_INTEL, "cycles ", -EINVAL, "cycles"},
	{TREE_INTEL, "cycles,instructions", -EINVAL, "cycles,instructions"},
	{TREE_INTEL, "bpf-output", -EINVAL, "bpf-output"},
	{TREE_INTEL, "dummy", -EINVAL, "dummy"},
	{TREE_INTEL, "L1-icache-stores", -EINVAL, "L1-icache-stores"},
	{TREE_INTEL, "iTLB-stores", -EINVAL, "iTLB-stores"},
	{TREE_INTEL, "iTLB-prefetches", -EINVAL, "iTLB-prefetches"},
	{TREE_INTEL, "branch-stores", -EINVAL, "branch-stores"},
	{TREE_INTEL, "L1-dcache", -EINVAL, "L1-dcache"},
	{TREE_INTEL, "L1-dcache-load", -EINVAL, "L1-dcache-load"},
	{TREE_INTEL, "L2-loads", -EINVAL, "L2-loads"},
	/* modifiers */
	{TREE_INTEL, "page-faults:x", -EINVAL, ""},
	{TREE_INTEL, "page-faults:", -EINVAL, ""},
	{TREE_INTEL, "page-faults:uu", -EINVAL, ""},
	{TREE_INTEL, "page-faults:u:k", -EINVAL, ""},
	{TREE_INTEL, "page-faults:U", -EINVAL, ""},
	{TREE_INTEL, "page-faults:ukk", -EINVAL, ""},
	{TREE_INTEL, "page-faults:p", -EINVAL, ""},
	{TREE_INTEL, "page-faultsu", -EINVAL, ""},
	{TREE_INTEL, "cpu/event=1/x", -EINVAL, "\"x\""},
	{TREE_INTEL, "cpu/event=1/u:k", -EINVAL, "\"u\""},
	{TREE_INTEL, "cpu/event=1/:", -EINVAL, "\":\""},
	{TREE_INTEL, "cpu/event=1/uuk", -EINVAL, "\"uuk\""},
	/* raw */
	{TREE_INTEL, "r", -EINVAL, "\"r\""},
	{TREE_INTEL, "rxyz", -EINVAL, "rxyz"},
	{TREE_INTEL, "r12g", -EINVAL, "r12g"},
	{TREE_INTEL, "r0x12", -EINVAL, "r0x12"},
	{TREE_INTEL, "r-1", -EINVAL, "r-1"},
	{TREE_INTEL, "R12", -EINVAL, "R12"},
	{TREE_INTEL, "r10000000000000000", -EINVAL, "64 bits"},
	{TREE_INTEL, "rfffffffffffffffff", -EINVAL, "64 bits"},
	/* slashes */
	{TREE_INTEL, "/", -EINVAL, "second /"},
	{TREE_INTEL, "//", -EINVAL, "invalid PMU name"},
	{TREE_INTEL, "///", -EINVAL, "/ among"},
	{TREE_INTEL, "cpu/", -EINVAL, "second /"},
	{TREE_INTEL, "cpu/event=1", -EINVAL, "second /"},
	{TREE_INTEL, "/event=1/", -EINVAL, "invalid PMU name"},
	{TREE_INTEL, "cpu//", -EINVAL, "no event"},
	{TREE_INTEL, "cpu/event=1//", -EINVAL, "/ among"},
	{TREE_INTEL, "cpu/cpu/event=1//", -EINVAL, "/ among"},
	{TREE_INTEL, "cpu/a/b/", -EINVAL, "/ among"},
	{TREE_INTEL, "cpu/../../outside/", -EINVAL, "/ among"},
	{TREE_INTEL, "../event=1/", -EINVAL, "invalid PMU name"},
	{TREE_INTEL, "./event=1/", -EINVAL, "invalid PMU name"},
	{TREE_INTEL, ".hidden/event=1/", -EINVAL, "invalid PMU name"},
	{TREE_INTEL, "c pu/event=1/", -EINVAL, "invalid PMU name"},
	{TREE_INTEL, "cpu\n/event=1/", -EINVAL, "invalid PMU name"},
	{TREE_INTEL, "p1234567890123456789012345678901234567890123456789012345678901234/e/",
		-EINVAL, "invalid PMU name"},
	/* PMUs */
	{TREE_INTEL, "gpu/event=1/", -ENOTSUP, "\"gpu\""},
	{TREE_INTEL, "cpu_core/event=1/", -ENOTSUP, "\"cpu_core\""},
	{TREE_NONE, "cpu/event=1/", -ENOTSUP, "\"cpu\""},
	{TREE_NONE, "CPU/event=1/", -ENOTSUP, "\"CPU\""},
	{TREE_ARM, "cpu/event=1/", -ENOTSUP, "\"cpu\""},
	{TREE_ARM, "armv8_pmuv3/event=1/", -ENOTSUP, "armv8_pmuv3"},
	{TREE_ODD, "empty/event=1/", -ENOTSUP, "\"empty\""},
	{TREE_ODD, "letters/event=1/", -ENOTSUP, "\"letters\""},
	{TREE_ODD, "large/event=1/", -ENOTSUP, "\"large\""},
	{TREE_ODD, "minus/event=1/", -ENOTSUP, "\"minus\""},
	{TREE_ODD, "folder/event=1/", -ENOTSUP, "\"folder\""},
	/* terms */
	{TREE_INTEL, "cpu/nosuch/", -EINVAL, "no event and no term \"nosuch\""},
	{TREE_INTEL, "cpu/nosuch=1/", -EINVAL, "no term \"nosuch\""},
	{TREE_INTEL, "cpu/event=1,nosuch=1/", -EINVAL, "no term \"nosuch\""},
	{TREE_INTEL, "cpu/Event=1/", -EINVAL, "\"Event\""},
	{TREE_INTEL, "cpu/ event=1/", -EINVAL, "\" event\""},
	{TREE_INTEL, "cpu/event =1/", -EINVAL, "\"event \""},
	{TREE_INTEL, "cpu/,/", -EINVAL, "missing"},
	{TREE_INTEL, "cpu/event=1,/", -EINVAL, "missing"},
	{TREE_INTEL, "cpu/,event=1/", -EINVAL, "missing"},
	{TREE_INTEL, "cpu/event=1,,inv/", -EINVAL, "missing"},
	{TREE_INTEL, "cpu/=1/", -EINVAL, "missing"},
	{TREE_INTEL, "cpu/=/", -EINVAL, "missing"},
	{TREE_INTEL, "cpu/..=1/", -EINVAL, "\"..\""},
	{TREE_INTEL, "cpu/./", -EINVAL, "\".\""},
	{TREE_INTEL, "cpu/../", -EINVAL, "\"..\""},
	{TREE_INTEL, "cpu/chip=1/", -EINVAL, "\"chip\""},
	{TREE_INTEL, "cpu/config3=1/", -EINVAL, "\"config3\""},
	{TREE_INTEL, "cpu/config/", -EINVAL, "\"config\""},
	{TREE_INTEL, "cpu/name=x/", -EINVAL, "name=x"},
	{TREE_INTEL, "cpu/page-faults/", -EINVAL, "page-faults"},
	{TREE_INTEL, "cpu/cycles:u/", -EINVAL, "cycles:u"},
	{TREE_INTEL, "cpu/rxyz/", -EINVAL, "rxyz"},
	{TREE_INTEL, "cpu/r10000000000000000/", -EINVAL, "r1000"},
	{TREE_INTEL, "software/page-faults/", -EINVAL, "page-faults"},
	{TREE_INTEL, "msr/cycles/", -EINVAL, "cycles"},
	{TREE_INTEL, "cpu/t1234567890123456789012345678901234567890123456789012345678901234/",
		-EINVAL, "too long"},
	/* values */
	{TREE_INTEL, "cpu/event=/", -EINVAL, "event="},
	{TREE_INTEL, "cpu/event==1/", -EINVAL, "event==1"},
	{TREE_INTEL, "cpu/event=-1/", -EINVAL, "event=-1"},
	{TREE_INTEL, "cpu/event=+1/", -EINVAL, "event=+1"},
	{TREE_INTEL, "cpu/event= 1/", -EINVAL, "event= 1"},
	{TREE_INTEL, "cpu/event=1 /", -EINVAL, "event=1 "},
	{TREE_INTEL, "cpu/event=0x/", -EINVAL, "event=0x"},
	{TREE_INTEL, "cpu/event=x3c/", -EINVAL, "event=x3c"},
	{TREE_INTEL, "cpu/event=3c/", -EINVAL, "event=3c"},
	{TREE_INTEL, "cpu/event=0x3g/", -EINVAL, "event=0x3g"},
	{TREE_INTEL, "cpu/event=010/", -EINVAL, "event=010"},
	{TREE_INTEL, "cpu/event=1.5/", -EINVAL, "event=1.5"},
	{TREE_INTEL, "cpu/event=1e3/", -EINVAL, "event=1e3"},
	{TREE_INTEL, "cpu/event=0x10000000000000000/", -EINVAL, "64 bits"},
	{TREE_INTEL, "cpu/event=18446744073709551616/", -EINVAL, "64 bits"},
	{TREE_INTEL, "cpu/event=99999999999999999999999999999999/", -EINVAL, "64 bits"},
	{TREE_INTEL, "cpu/event=0x0000000000000000000000000000ff/", -EINVAL, "64 bits"},
	{TREE_INTEL, "cpu/event=0x100/", -EINVAL, "0 to 0xff"},
	{TREE_INTEL, "cpu/event=256/", -EINVAL, "0 to 0xff"},
	{TREE_INTEL, "cpu/event=1,umask=0x1ff/", -EINVAL, "0 to 0xff"},
	{TREE_INTEL, "cpu/event=1,cmask=256/", -EINVAL, "0 to 0xff"},
	{TREE_INTEL, "cpu/event=1,inv=2/", -EINVAL, "0 to 0x1"},
	{TREE_INTEL, "cpu/event=1,ldlat=0x10000/", -EINVAL, "0 to 0xffff"},
	{TREE_INTEL, "uncore_imc/event=1,chip=16/", -EINVAL, "0 to 0xf"},
	{TREE_AMD, "cpu/event=0x1000/", -EINVAL, "0 to 0xfff"},
	{TREE_AMD, "cpu/event=1,any/", -EINVAL, "\"any\""},
	{TREE_ARM, "armv8_pmuv3_0/event=0x10000/", -EINVAL, "0 to 0xffff"},
	{TREE_ARM, "armv8_pmuv3_0/event=1,umask=1/", -EINVAL, "\"umask\""},
	{TREE_ARM, "armv8_pmuv3_0/event=1,threshold=0x1000/", -EINVAL, "0 to 0xfff"},
	{TREE_HYBRID, "cpu/cycles/", -ENOTSUP, "\"cpu\""},
	{TREE_HYBRID, "cpu_atom/task-clock/", -EINVAL, "task-clock"},
	{TREE_HYBRID, "cpu_atom/cycles,cmask=1/", -EINVAL, "cycles"},
	/* twice */
	{TREE_INTEL, "cpu/event=1,event=1/", -EINVAL, "earlier"},
	{TREE_INTEL, "cpu/event=1,config=1/", -EINVAL, "earlier"},
	{TREE_INTEL, "cpu/ldlat=1,frontend=1/", -EINVAL, "earlier"},
	{TREE_INTEL, "cpu/cycles,instructions/", -EINVAL, "second event"},
	{TREE_INTEL, "cpu/cycles,cycles/", -EINVAL, "second event"},
	{TREE_INTEL, "uncore_imc/reads/", -EINVAL, "needs values"},
	/* files that no kernel writes */
	{TREE_ODD, "cpu/event=1,same=1/", -EINVAL, "earlier"},
	{TREE_ODD, "cpu/backwards=1/", -EINVAL, "backwards"},
	{TREE_ODD, "cpu/word=1/", -EINVAL, "word"},
	{TREE_ODD, "cpu/wide=1/", -EINVAL, "wide"},
	{TREE_ODD, "cpu/empty=1/", -EINVAL, "empty"},
	{TREE_ODD, "cpu/text=1/", -EINVAL, "text"},
	{TREE_ODD, "cpu/folder=1/", -EINVAL, "folder"},
	{TREE_ODD, "cpu/folder/", -EINVAL, "folder"},
	{TREE_ODD, "cpu/unknown/", -EINVAL, "nosuch"},
	{TREE_ODD, "cpu/big/", -EINVAL, "0 to 0xff"},
	{TREE_ODD, "cpu/hollow/", -EINVAL, "missing"},
	{TREE_ODD, "cpu/itself/", -EINVAL, "itself"},
	{TREE_ODD, "cpu/other/", -EINVAL, "unknown"},
	{TREE_ODD, "cpu/split/", -EINVAL, "event=1"},
};

START_TEST(other_names_are_refused_and_why)
{
	struct cpc_event e;
	char why[EVENT_WHY_MAX] = "nothing";
	int rc;

	tree_use(bad[_i].tree);
	rc = event_find(bad[_i].name, &e, why);
	ck_assert_msg(rc == bad[_i].rc, "%s: %d (%s)", bad[_i].name, rc, why);
	ck_assert_msg(strstr(why, bad[_i].says), "%s: \"%s\" does not say \"%s\"", bad[_i].name,
		why, bad[_i].says);
	ck_assert_msg(strlen(why) > 10, "%s: \"%s\"", bad[_i].name, why);
}
END_TEST

/* ------------------------------------------------------------------------------ length */

START_TEST(overlong_names_are_refused)
{
	struct cpc_event e;
	char why[EVENT_WHY_MAX], name[70000];

	tree_use(TREE_INTEL);
	for (size_t n = EVENT_NAME_MAX - 2; n < sizeof name; n += n < 130 ? 1 : n / 2) {
		memset(name, 'a', n);
		name[n] = 0;
		ck_assert_int_eq(event_find(name, &e, why), -EINVAL);
		ck_assert((strstr(why, "longer than 127 bytes") != NULL) == (n > 127));
		memcpy(name, "cpu/event=", 10);
		name[n - 1] = '/';
		ck_assert_int_eq(event_find(name, &e, why), -EINVAL);
		memset(name, 'f', n);
		name[0] = 'r';
		ck_assert_int_eq(event_find(name, &e, why), -EINVAL);
	}
}
END_TEST

void add_find(Suite *suite)
{
	TCase *c = tcase_create("find");

	tcase_add_unchecked_fixture(c, trees_make, trees_remove);
	tcase_add_loop_test(
		c, names_encode_as_the_kernel_expects, 0, (int)(sizeof good / sizeof *good));
	tcase_add_loop_test(c, other_names_are_refused_and_why, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_test(c, overlong_names_are_refused);
	suite_add_tcase(suite, c);
}
