/*
 * Types of core: what sysfs says, and groups on a hybrid machine.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/perfutil.h"
#include "../../libtrace/counters/choice.h"
#include "../../libtrace/counters/describe.h"
#include "../../libtrace/counters/source.h"
#include "../../libtrace/core/clock.h"
#include "../../libtrace/counters/thread/thread.h"
#include "double.h"
#include "fake_pmu.h"
#include "made_up_sysfs.h"
#include "suites.h"

static struct perf_counters c;
static struct perf_reading r;

static void set_up(void)
{
	fake_pmu_use();
	fake_pmu.types = 2;
	fake_pmu.cpus_of[0] = 0x0F;
	fake_pmu.cpus_of[1] = 0xF0;
}

static void use_hybrid(void)
{
	sysfs_put_hybrid("0-3\n", "4-7\n");
	sysfs_use();
}

START_TEST(core_types_are_read_from_sysfs)
{
	const struct core_types *t = core_types();

	/* The order is that of the processors, not of the names. */
	sysfs_put_hybrid("4-7\n", "0-3,9\n");
	sysfs_put("software/type", "1\n");
	sysfs_put("uncore_imc/type", "17\n");
	sysfs_put("uncore_imc/cpumask", "0\n");
	sysfs_put_msr();
	sysfs_use();
	ck_assert_uint_eq(t->count, 2);
	ck_assert_str_eq(t->type[0].name, "cpu_atom");
	ck_assert_uint_eq(t->type[0].pmu, 41);
	ck_assert_str_eq(t->type[1].name, "cpu_core");
	ck_assert_uint_eq(core_type_of(9), 0);
	ck_assert_uint_eq(core_type_of(5), 1);
	ck_assert_uint_eq(core_type_of(8), 0); /* in no type's list */
	ck_assert_uint_eq(core_type_of(UINT32_MAX), 0);
	ck_assert(t->has_mperf);
	ck_assert_uint_eq(t->mperf_pmu, 60);
	ck_assert_uint_eq(t->mperf_config, 2);
}
END_TEST

static const struct {
	const char *name, *text;
} bad_files[] = {
	{"cpu_atom/cpus", ""},
	{"cpu_atom/cpus", "x\n"},
	{"cpu_atom/cpus", "4-\n"},
	{"cpu_atom/type", ""},
	{"cpu_atom/type", "\n"},
	{"cpu_atom/type", "forty\n"},
	{"cpu_atom/type", "41 or so\n"},
	{"cpu_atom/type", "-1\n"},
	{"cpu_atom/type", "4294967296\n"},
};

START_TEST(bad_type)
{
	sysfs_put_hybrid("0-3\n", "4-7\n");
	sysfs_put(bad_files[_i].name, bad_files[_i].text);
	sysfs_use();
	ck_assert_uint_eq(core_types()->count, 1);
	ck_assert_str_eq(core_types()->type[0].name, "cpu_core");
}
END_TEST

static const struct {
	const char *name, *text;
} bad_msr[] = {
	{"msr/events/mperf", ""},
	{"msr/events/mperf", "2\n"},
	{"msr/events/mperf", "event=\n"},
	{"msr/events/mperf", "event=0x02,umask=1\n"},
	{"msr/type", "x\n"},
};

START_TEST(bad_mperf)
{
	sysfs_put_msr();
	sysfs_put(bad_msr[_i].name, bad_msr[_i].text);
	sysfs_use();
	ck_assert(!core_types()->has_mperf && !core_types()->has_aperf);
}
END_TEST

START_TEST(aperf_needs_a_valid_event)
{
	sysfs_put_msr();
	sysfs_use();
	ck_assert(!core_types()->has_aperf);
	sysfs_put("msr/events/aperf", "event=0x01\n");
	sysfs_use();
	ck_assert(core_types()->has_mperf && core_types()->has_aperf);
	ck_assert_uint_eq(core_types()->aperf_config, 1);
	sysfs_put("msr/events/aperf", "1\n");
	sysfs_use();
	ck_assert(core_types()->has_mperf && !core_types()->has_aperf);
}
END_TEST

START_TEST(too_many)
{
	char name[64];

	for (int i = 0; i < 9; i++) {
		snprintf(name, sizeof name, "armv8_%d/type", i);
		sysfs_put(name, "7\n");
		snprintf(name, sizeof name, "armv8_%d/cpus", i);
		sysfs_put(name, "0\n");
	}
	sysfs_put("a_name_that_is_longer_than_any_pmu_has/type", "7\n");
	sysfs_put("a_name_that_is_longer_than_any_pmu_has/cpus", "7\n");
	sysfs_use();
	ck_assert_uint_eq(core_types()->count, CORE_TYPES_MAX);
}
END_TEST

START_TEST(nothing_there)
{
	core_types();
	core_types_read("/nonexistent");
	ck_assert_uint_eq(core_types()->count, 0);
	ck_assert(!core_types()->has_mperf);
	ck_assert_uint_eq(core_type_of(3), 0);
}
END_TEST

/* -------------------------------------------------------------------------- groups */

START_TEST(each_has_its_own_pmu)
{
	use_hybrid();
	ck_assert_int_eq(perf_open_cpu(&c, 2), PERF_OPEN);
	ck_assert_uint_eq(c.core_type, 0);
	ck_assert(perf_has(&c, PERF_REF_CYCLES));
	perf_close_counters(&c, false);
	ck_assert_int_eq(perf_open_cpu(&c, 6), PERF_OPEN);
	ck_assert_uint_eq(c.core_type, 1);
	ck_assert(perf_read_counters(&c, &r, NULL));
	ck_assert_uint_eq(r.count[PERF_INSTRUCTIONS], 1000);
}
END_TEST

/* The processor's own PMU is found without a name, too. */
START_TEST(kernel_without_extended_types)
{
	use_hybrid();
	fake_pmu.no_extended_types = true;
	ck_assert_int_eq(perf_open_cpu(&c, 2), PERF_OPEN);
	perf_close_counters(&c, false);
	ck_assert_int_eq(perf_open_cpu(&c, 6), PERF_OPEN);
	ck_assert(perf_has(&c, PERF_INSTRUCTIONS));
	perf_close_counters(&c, false);
	/* A thread's group would have the counts of one type only. */
	ck_assert_int_eq(perf_open_thread(&c, 0), PERF_UNAVAILABLE);
	ck_assert_uint_eq(fake_pmu.open, 0);
}
END_TEST

START_TEST(refused_for_rights)
{
	use_hybrid();
	fake_pmu.cpu_errno = EACCES;
	ck_assert_int_eq(perf_open_cpu(&c, 2), PERF_UNAVAILABLE);
	ck_assert_int_eq(c.error, EACCES);
	ck_assert_uint_eq(fake_pmu.opens, 1);
}
END_TEST

START_TEST(thread_counts_add)
{
	struct thread_reading t;
	struct thread_self *self = thread_self();

	use_hybrid();
	fake_pmu.user_read = true; /* nevertheless */
	ck_assert_int_eq(thread_open_group(self), PERF_OPEN);
	ck_assert_uint_eq(self->group->count, 2);
	ck_assert(thread_read_group(self, &t));
	ck_assert_uint_eq(t.instructions, 1000);
	ck_assert(!t.in_user_mode);
	fake_pmu.thread_on = 1;
	ck_assert(thread_read_group(self, &t));
	ck_assert_uint_eq(t.instructions, 2000);
	ck_assert_uint_eq(t.cycles, 1000);
	ck_assert_uint_eq(t.enabled, 200);
	ck_assert_uint_eq(t.running, 200);
	ck_assert_uint_eq(t.running_on[0], 100);
	ck_assert_uint_eq(t.running_on[1], 100);
	fake_pmu.read_fails = true;
	ck_assert(!thread_read_group(self, &t));
}
END_TEST

START_TEST(thread_out_of_descriptors)
{
	use_hybrid();
	fake_pmu.limit = (unsigned)_i;
	ck_assert_int_eq(thread_open_group(thread_self()), PERF_NO_DESCRIPTORS);
	ck_assert_uint_eq(fake_pmu.open, 0);
	fake_pmu.limit = 4;
	ck_assert_int_eq(thread_open_group(thread_self()), PERF_OPEN);
}
END_TEST

/* ------------------------------------------------------------------- the whole facility */

START_TEST(a_hybrid_machine_flags_its_source)
{
	struct counters_description d;
	struct counter_sample *from, *to;
	struct counter_interval *out;
	const CPI_DATA *data;
	void *h;

	use_hybrid();
	ck_assert_int_eq(CpiInit(CPI_TYPE_ONTHREAD, &h), PU_SUCCESS);
	ck_assert(ring_double.source_flags & COUNTER_FLAG_CORE_TYPES);
	counters_describe(&d);
	ck_assert_ptr_nonnull(strstr(d.line, "several types of core"));
	ck_assert_ptr_nonnull(strstr(d.quantity[COUNTER_THREAD_CYCLES].how, "of 2 types of core"));

	from = calloc(1, counters_sample_size(counters_room()));
	to = calloc(1, counters_sample_size(counters_room()));
	out = calloc(1, counters_interval_size(counters_room()));
	from->room = to->room = counters_room();
	counters_read(from, COUNTER_THREAD_BITS, COUNTER_START);
	counters_read(to, COUNTER_THREAD_BITS, COUNTER_GET);
	counters_difference(from, to, out);
	ck_assert_uint_eq(out->flags & CPI_QUALITY_CORE_TYPES, 0);
	fake_pmu.thread_on = 1;
	counters_read(from, COUNTER_THREAD_BITS, COUNTER_GET);
	counters_difference(to, from, out);
	ck_assert_uint_eq(out->flags & CPI_QUALITY_CORE_TYPES, 0); /* all on the other */
	fake_pmu.thread_on = 0;
	counters_read(from, COUNTER_THREAD_BITS, COUNTER_GET);
	counters_difference(to, from, out);
	ck_assert_uint_eq(out->flags, CPI_QUALITY_CORE_TYPES);
	ck_assert_uint_eq(out->thread_instructions, 2000);
	ck_assert_int_eq(CpiStart(h), PU_SUCCESS);
	ck_assert_int_eq(CpiGet(h, &data), PU_SUCCESS);
	ck_assert(data->thread_cpi == 0.5);
	free(from);
	free(to);
	free(out);
	CpiTerminate(h);
}
END_TEST

Suite *core_types_suite(void)
{
	return SUITE("core_types", .set_up = set_up,
		TESTS(core_types_are_read_from_sysfs, aperf_needs_a_valid_event, too_many,
			nothing_there, each_has_its_own_pmu, kernel_without_extended_types,
			refused_for_rights, thread_counts_add, a_hybrid_machine_flags_its_source),
		LOOPS({bad_type, 0, sizeof bad_files / sizeof *bad_files},
			{bad_mperf, 0, sizeof bad_msr / sizeof *bad_msr},
			{thread_out_of_descriptors, 0, 4}));
}
