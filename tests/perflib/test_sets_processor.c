/*
 * Processor Information, of machines that are made up and of this one.
 */
#include <stdio.h>
#include <string.h>

#include "../../libtrace/counters/machine/idle.h"
#include "../../libtrace/perflib/sets/processor/processor.h"
#include "../../libtrace/perflib/sets/sets.h"
#include "sets_tests.h"

#define SECOND INT64_C(10000000) /* of 100 ns */
enum { TICK = 100000 };		 /* of USER_HZ 100 */

static struct processor_machine machine;
static const struct counterset made_up = {&processor_definition, &processor_operations, &machine};

static char proc[96], sys[96];

static void begin(const char *online)
{
	snprintf(proc, sizeof proc, "%s/proc", made_up_root());
	snprintf(sys, sizeof sys, "%s/sys", made_up_root());
	machine = (struct processor_machine){.proc = proc, .sys = sys};
	write_file("sys/devices/system/cpu/online", "%s\n", online);
}

static void put_node(unsigned node, unsigned from, unsigned to)
{
	char name[96];

	for (unsigned cpu = from; cpu <= to; cpu++) {
		snprintf(name, sizeof name, "sys/devices/system/node/node%u/cpu%u/x", node, cpu);
		write_file(name, "%s", "");
	}
}

/* -------------------------------------------------------------------------- definition */

/* The document's names and types, as they stand there. */
static const struct {
	uint32_t id;
	const char *name;
	uint32_t type;
} document[] = {
	{0, "% Processor Time", PERF_100NSEC_TIMER_INV},
	{1, "% User Time", PERF_100NSEC_TIMER},
	{2, "% Privileged Time", PERF_100NSEC_TIMER},
	{3, "Interrupts / sec", PERF_COUNTER_COUNTER},
	{4, "% DPC Time", PERF_100NSEC_TIMER},
	{5, "% Interrupt Time", PERF_100NSEC_TIMER},
	{6, "DPCs Queued / sec", PERF_COUNTER_COUNTER},
	{7, "DPC Rate", PERF_COUNTER_RAWCOUNT},
	{8, "% Idle Time", PERF_100NSEC_TIMER},
	{9, "% C1 Time", PERF_100NSEC_TIMER},
	{10, "% C2 Time", PERF_100NSEC_TIMER},
	{11, "% C3 Time", PERF_100NSEC_TIMER},
	{12, "C1 Transitions / sec", PERF_COUNTER_BULK_COUNT},
	{13, "C2 Transitions / sec", PERF_COUNTER_BULK_COUNT},
	{14, "C3 Transitions / sec", PERF_COUNTER_BULK_COUNT},
	{15, "% Priority Time", PERF_100NSEC_TIMER_INV},
	{16, "Parking Status", PERF_COUNTER_RAWCOUNT},
	{17, "Processor Frequency", PERF_COUNTER_RAWCOUNT},
	{18, "% of Maximum Frequency", PERF_COUNTER_RAWCOUNT},
	{19, "Processor State Flags", PERF_COUNTER_RAWCOUNT},
	{20, "Clock Interrupts / sec", PERF_COUNTER_COUNTER},
	{21, "Average Idle Time", PERF_PRECISION_100NS_TIMER},
	{22, "Average Idle Time Base", PERF_PRECISION_TIMESTAMP},
	{23, "Idle Break Events / sec", PERF_COUNTER_BULK_COUNT},
	{24, "% Processor Performance", PERF_AVERAGE_BULK},
	{25, "% Processor Performance Base", PERF_AVERAGE_BASE},
	{26, "% Processor Utility", PERF_AVERAGE_BULK},
	{27, "% Utility Base", PERF_AVERAGE_BASE},
	{28, "% Privileged Utility", PERF_AVERAGE_BULK},
	{30, "% Performance Limit", PERF_COUNTER_RAWCOUNT},
	{31, "Performance Limit Flags", PERF_COUNTER_RAWCOUNT},
};

START_TEST(the_processor_sets_definition_is_that_of_the_document)
{
	const struct counterset_definition *d = processor_set.definition;

	check_definition(d);
	ck_assert_str_eq(d->name, "Processor Information");
	ck_assert_uint_eq(d->guid.Data1, 0xb4fc721a);
	ck_assert_uint_eq(d->guid.Data4[7], 0x36);
	ck_assert_uint_eq(d->ncounters, sizeof document / sizeof *document);
	for (uint32_t i = 0; i < d->ncounters; i++) {
		ck_assert_uint_eq(d->counter[i].id, document[i].id);
		ck_assert_str_eq(d->counter[i].name, document[i].name);
		ck_assert_uint_eq(d->counter[i].type, document[i].type);
	}
	ck_assert_uint_eq(d->counter[PROCESSOR_PERFORMANCE].base, 25);
	ck_assert_uint_eq(d->counter[PROCESSOR_UTILITY].base, 27);
	ck_assert_uint_eq(d->counter[PROCESSOR_PRIVILEGED_UTILITY].base, 27);
	ck_assert_uint_eq(d->counter[PROCESSOR_AVERAGE_IDLE].base, 22);
}
END_TEST

/* ------------------------------------------------------------------------------ values */

START_TEST(times_are_those_of_proc_stat)
{
	begin("0-1");
	write_file("proc/stat",
		"cpu 0 0 0 0 0 0 0\n"
		"cpu0 100 20 30 400 50 6 7 800 0 0\ncpu1 200 0 50 600 0 0 1 0 0 0\nintr 0\n");
	ask_open(&made_up);
	read_rows(SECOND);
	ck_assert_uint_eq(asked.rows.used, 4);
	ck_assert_str_eq(name_of(0), "_Total");
	ck_assert_str_eq(name_of(1), "0,_Total");
	ck_assert_str_eq(name_of(2), "0,0");
	ck_assert_str_eq(name_of(3), "0,1");
	ck_assert_uint_eq(asked.rows.row[0].id, INSTANCE_ALL);
	ck_assert_uint_eq(asked.rows.row[1].id, INSTANCE_GROUP);
	ck_assert_uint_eq(asked.rows.row[3].id, 1);
	/* Rounded down by the kernel: half a tick more is right on average. */
	ck_assert_uint_eq(value("0,0", PROCESSOR_TIME), 450 * TICK + TICK / 2);
	ck_assert_uint_eq(value("0,0", PROCESSOR_IDLE), 450 * TICK + TICK / 2);
	ck_assert_uint_eq(value("0,0", PROCESSOR_USER), 120 * TICK);
	ck_assert_uint_eq(value("0,0", PROCESSOR_PRIVILEGED), 43 * TICK);
	ck_assert_uint_eq(value("0,0", PROCESSOR_INTERRUPT_TIME), 6 * TICK);
	ck_assert_uint_eq(value("0,0", PROCESSOR_DPC_TIME), 7 * TICK);
	ck_assert_uint_eq(value("0,0", PROCESSOR_PRIORITY_TIME), 470 * TICK + TICK / 2);
	ck_assert_uint_eq(value("_Total", PROCESSOR_USER), 160 * TICK);
	ck_assert_uint_eq(value("0,_Total", PROCESSOR_PRIVILEGED), 47 * TICK);
}
END_TEST

/* A value that the machine lacks is unavailable for every instance. */
START_TEST(missing_values_are_unavailable_everywhere)
{
	static const int never[] = {PROCESSOR_DPC_RATE, PROCESSOR_PARKING, PROCESSOR_STATE_FLAGS,
		PROCESSOR_AVERAGE_IDLE, PROCESSOR_AVERAGE_IDLE_BASE, PROCESSOR_PERFORMANCE,
		PROCESSOR_PERFORMANCE_BASE, PROCESSOR_UTILITY, PROCESSOR_UTILITY_BASE,
		PROCESSOR_PRIVILEGED_UTILITY, PROCESSOR_LIMIT_FLAGS};

	begin("0");
	ask_open(&made_up);
	read_rows(SECOND);
	ck_assert_uint_eq(asked.rows.used, 3);
	for (int i = 0; i < PROCESSOR_COLUMNS; i++)
		ck_assert(!is_known("0,0", (uint32_t)i) && !is_known("_Total", (uint32_t)i));
	write_file("proc/stat", "cpu0 1 1 1 1 1\n");
	write_file("proc/interrupts", " CPU0\n1: 3 x\n");
	write_file("proc/softirqs", "nonsense\n");
	write_file("proc/cpuinfo", "processor : 0\n");
	read_rows(2 * SECOND);
	ck_assert_uint_eq(value("_Total", PROCESSOR_PRIVILEGED), TICK);
	ck_assert_uint_eq(value("_Total", PROCESSOR_INTERRUPTS), 3);
	ck_assert(!is_known("_Total", PROCESSOR_DPC_TIME));
	ck_assert(!is_known("_Total", PROCESSOR_INTERRUPT_TIME));
	ck_assert(!is_known("_Total", PROCESSOR_CLOCK_INTERRUPTS));
	ck_assert(!is_known("_Total", PROCESSOR_DPCS));
	ck_assert(!is_known("_Total", PROCESSOR_FREQUENCY));
	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		ck_assert(!is_known("_Total", (uint32_t)never[i]));
}
END_TEST

/* Only requested files are read. */
START_TEST(only_requested_files_are_read)
{
	begin("0");
	write_file("proc/stat", "cpu0 1 1 1 1 1 1 1\n");
	write_file("proc/interrupts", " CPU0\n1: 3 x\n");
	ask_open(&made_up);
	asked.wanted[0] = PROCESSOR_BIT(PROCESSOR_USER);
	read_rows(SECOND);
	ck_assert(is_known("0,0", PROCESSOR_USER));
	ck_assert(!is_known("0,0", PROCESSOR_PRIVILEGED));
	ck_assert(!is_known("0,0", PROCESSOR_INTERRUPTS));
	ck_assert(!is_known("_Total", PROCESSOR_INTERRUPTS));
}
END_TEST

static void put_state(unsigned cpu, unsigned state, const char *name, unsigned us, unsigned usage)
{
	char path[96];

	snprintf(
		path, sizeof path, "sys/devices/system/cpu/cpu%u/cpuidle/state%u/name", cpu, state);
	write_file(path, "%s\n", name);
	snprintf(
		path, sizeof path, "sys/devices/system/cpu/cpu%u/cpuidle/state%u/time", cpu, state);
	write_file(path, "%u\n", us);
	snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpuidle/state%u/usage", cpu,
		state);
	write_file(path, "%u\n", usage);
}

START_TEST(idle_states)
{
	begin("0-1");
	put_state(0, 0, "POLL", 1000, 1);
	put_state(0, 1, "C1", 10, 20);
	put_state(0, 2, "C1E", 30, 40);
	put_state(0, 3, "C6", 500, 6);
	put_state(0, 4, "C10", 70, 8);
	put_state(1, 0, "WFI", 100, 2);
	put_state(1, 1, "cpu-sleep-0", 900, 3);
	ask_open(&made_up);
	read_rows(SECOND);
	ck_assert_uint_eq(value("0,0", PROCESSOR_C1_TIME), 400);
	ck_assert_uint_eq(value("0,0", PROCESSOR_C1), 60);
	ck_assert(!is_known("0,0", PROCESSOR_C2_TIME));
	ck_assert_uint_eq(value("0,0", PROCESSOR_C3_TIME), 5700);
	ck_assert_uint_eq(value("0,0", PROCESSOR_C3), 14);
	ck_assert_uint_eq(value("0,0", PROCESSOR_IDLE_BREAKS), 75);
	ck_assert_uint_eq(value("0,1", PROCESSOR_C1_TIME), 1000);
	ck_assert(!is_known("0,1", PROCESSOR_C3));
	ck_assert_uint_eq(value("0,1", PROCESSOR_IDLE_BREAKS), 5);
	/* The average of those that have it; the sum. */
	ck_assert_uint_eq(value("_Total", PROCESSOR_C1_TIME), 700);
	ck_assert_uint_eq(value("_Total", PROCESSOR_C3_TIME), 5700);
	ck_assert_uint_eq(value("_Total", PROCESSOR_C1), 62);
	ck_assert(!is_known("_Total", PROCESSOR_C2));
	/* Half a set of states says nothing. */
	write_file("sys/devices/system/cpu/cpu0/cpuidle/state1/usage", "x\n");
	read_rows(2 * SECOND);
	ck_assert(!is_known("0,0", PROCESSOR_C1_TIME));
	ck_assert(!is_known("0,0", PROCESSOR_IDLE_BREAKS));
}
END_TEST

START_TEST(frequencies_come_from_cpufreq_or_cpuinfo)
{
	begin("0-1");
	write_file("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1200499\n");
	write_file("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "2400000\n");
	write_file("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "1800000\n");
	write_file("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "<unknown>\n");
	write_file("sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "0\n");
	write_file("proc/cpuinfo",
		"processor\t: 0\ncpu MHz\t: 5.0\n\nprocessor\t: 1\ncpu MHz\t: 800.4\n");
	ask_open(&made_up);
	read_rows(SECOND);
	ck_assert_uint_eq(value("0,0", PROCESSOR_FREQUENCY), 1200);
	ck_assert_uint_eq(value("0,0", PROCESSOR_OF_MAXIMUM), 50);
	ck_assert_uint_eq(value("0,0", PROCESSOR_LIMIT), 75);
	ck_assert_uint_eq(value("0,1", PROCESSOR_FREQUENCY), 800);
	ck_assert(!is_known("0,1", PROCESSOR_OF_MAXIMUM));
	ck_assert(!is_known("0,1", PROCESSOR_LIMIT));
	ck_assert_uint_eq(value("_Total", PROCESSOR_FREQUENCY), 1000);
	ck_assert_uint_eq(value("_Total", PROCESSOR_LIMIT), 75);
}
END_TEST

static void put_feedback(unsigned cpu, unsigned long reference, unsigned long delivered)
{
	char path[96];

	snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/acpi_cppc/feedback_ctrs", cpu);
	write_file(path, "ref:%lu del:%lu\n", reference, delivered);
	snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/acpi_cppc/reference_perf", cpu);
	write_file(path, "100\n");
	snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/acpi_cppc/nominal_perf", cpu);
	write_file(path, "200\n");
}

/* Firmware counts what was delivered: three times the reference's clock, which is half of the
 * nominal one. */
START_TEST(performance_of_firmware)
{
	uint64_t n, b;

	begin("0-1");
	put_feedback(0, 4096000, 8192000);
	put_feedback(1, 0, 0);
	ask_open(&made_up);
	read_rows(SECOND);
	n = value("0,0", PROCESSOR_PERFORMANCE);
	b = value("0,0", PROCESSOR_PERFORMANCE_BASE);
	ck_assert(!is_known("0,0", PROCESSOR_UTILITY));
	put_feedback(0, 4096000 + 409600, 8192000 + 3 * 409600);
	put_feedback(1, 409600, 409600);
	read_rows(2 * SECOND);
	ck_assert_uint_eq(value("0,0", PROCESSOR_PERFORMANCE) - n, 150 * 100);
	ck_assert_uint_eq(value("0,0", PROCESSOR_PERFORMANCE_BASE) - b, 100);
	ck_assert_uint_eq(value("_Total", PROCESSOR_PERFORMANCE) - n, 200 * 100);
	ck_assert_uint_eq(value("_Total", PROCESSOR_PERFORMANCE_BASE) - b, 200);
	/* One that begins anew leaves the total alone. */
	put_feedback(0, 4096, 4096);
	read_rows(3 * SECOND);
	ck_assert_uint_eq(value("0,0", PROCESSOR_PERFORMANCE_BASE), 1);
	ck_assert_uint_eq(value("_Total", PROCESSOR_PERFORMANCE_BASE) - b, 200);
	/* Implausible values count as unknown. */
	write_file("sys/devices/system/cpu/cpu1/acpi_cppc/nominal_perf", "0\n");
	read_rows(4 * SECOND);
	ck_assert(!is_known("0,1", PROCESSOR_PERFORMANCE));
}
END_TEST

/* ---------------------------------------------------------------------------- topology */

/* 256 processors, of two nodes in turns; one is offline, and keeps its index. */
START_TEST(large_machine)
{
	static char text[64 * 1024];
	size_t at = 0;

	begin("0-4,6-255");
	for (unsigned cpu = 0; cpu < 256; cpu++) {
		put_node(cpu / 64 % 2 ? 4 : 1, cpu, cpu);
		if (cpu != 5)
			at += (size_t)snprintf(
				text + at, sizeof text - at, "cpu%u %u 0 0 0 0 0 0\n", cpu, cpu);
	}
	put_bytes("proc/stat", text, at);
	write_file("sys/devices/system/node/node2/memory", "no processors\n");
	ask_open(&made_up);
	read_rows(SECOND);
	ck_assert_uint_eq(asked.rows.used, 1 + 2 + 255);
	ck_assert_str_eq(name_of(1), "1,_Total");
	ck_assert_str_eq(name_of(2), "1,0");
	ck_assert_uint_eq(asked.rows.row[1].id, INSTANCE_GROUP + 1);
	ck_assert(!has_row("1,5"));
	ck_assert(!has_row("2,_Total"));
	ck_assert_uint_eq(value("1,6", PROCESSOR_USER), 6 * TICK);
	ck_assert_uint_eq(value("1,127", PROCESSOR_USER), 191 * TICK);
	ck_assert_uint_eq(value("4,0", PROCESSOR_USER), 64 * TICK);
	ck_assert_uint_eq(asked.rows.row[row_of("4,127")].id, 255);
	ck_assert_uint_eq(value("4,_Total", PROCESSOR_USER), (uint64_t)(159.5 * TICK));
	ck_assert_uint_eq(value("_Total", PROCESSOR_USER), (uint64_t)(32635.0 / 255 * TICK));
}
END_TEST

START_TEST(instances_are_those_of_a_sample)
{
	struct rows rows = {0};

	begin("0,2");
	put_node(0, 0, 1);
	ask_open(&made_up);
	read_rows(SECOND);
	rows_begin(&rows, PROCESSOR_COLUMNS);
	ck_assert_uint_eq(made_up.operations->instances(&made_up, &rows), ERROR_SUCCESS);
	/* Processors of no node belong to node 0. */
	ck_assert_uint_eq(rows.used, 4);
	ck_assert_str_eq(name_of(3), "0,2");
	ck_assert_uint_eq(rows.used, asked.rows.used);
	for (uint32_t i = 0; i < rows.used; i++) {
		ck_assert_str_eq(rows.names + rows.row[i].name, name_of(i));
		ck_assert_uint_eq(rows.row[i].id, asked.rows.row[i].id);
	}
	for (uint32_t i = 0; i < rows.used * PROCESSOR_COLUMNS; i++)
		ck_assert(!rows.known[i]);
	rows_free(&rows);
}
END_TEST

/* -------------------------------------------------------------- from sample to sample */

static void put_user(const char *online, unsigned cpu0, unsigned cpu1, unsigned cpu2)
{
	char one[64] = "";

	if (strchr(online, '1'))
		snprintf(one, sizeof one, "cpu1 %u 0 0 0 0 0 0\n", cpu1);
	write_file("sys/devices/system/cpu/online", "%s\n", online);
	write_file("proc/stat", "cpu0 %u 0 0 0 0 0 0\n%scpu2 %u 0 0 0 0 0 0\n", cpu0, one, cpu2);
}

/* The total grows by the gains of processors that were online throughout. */
START_TEST(processors_go_and_come)
{
	begin("0-2");
	ask_open(&made_up);
	put_user("0,1,2", 100, 9000, 200);
	read_rows(1 * SECOND);
	ck_assert_uint_eq(value("_Total", PROCESSOR_USER), 3100 * TICK);
	put_user("0,2", 110, 0, 220);
	read_rows(2 * SECOND);
	ck_assert(!has_row("0,1"));
	ck_assert_uint_eq(value("_Total", PROCESSOR_USER), 3115 * TICK);
	put_user("0,1,2", 120, 9050, 240);
	read_rows(3 * SECOND);
	ck_assert_uint_eq(value("_Total", PROCESSOR_USER), 3130 * TICK);
	put_user("0,1,2", 150, 9080, 270);
	read_rows(4 * SECOND);
	ck_assert_uint_eq(value("_Total", PROCESSOR_USER), 3160 * TICK);
	/* It began anew meanwhile. */
	put_user("0,1,2", 160, 5, 280);
	read_rows(5 * SECOND);
	ck_assert_uint_eq(value("0,1", PROCESSOR_USER), 5 * TICK);
	ck_assert_uint_eq(value("_Total", PROCESSOR_USER), 3160 * TICK + 20 * TICK / 3);
}
END_TEST

START_TEST(counts_of_32_bits_wrap)
{
	begin("0-1");
	ask_open(&made_up);
	write_file("proc/interrupts", " CPU0 CPU1\n1: 4294967290 10 x\n");
	read_rows(1 * SECOND);
	ck_assert_uint_eq(value("_Total", PROCESSOR_INTERRUPTS), 4);
	write_file("proc/interrupts", " CPU0 CPU1\n1: 4 15 x\n");
	read_rows(2 * SECOND);
	ck_assert_uint_eq(value("0,0", PROCESSOR_INTERRUPTS), 4);
	ck_assert_uint_eq(value("_Total", PROCESSOR_INTERRUPTS), 19);
}
END_TEST

/* A tick more than the interval is long belongs to the next one; more than that is no error
 * of reading and stays. */
START_TEST(no_time_runs_faster_than_time)
{
	begin("0");
	ask_open(&made_up);
	write_file("proc/stat", "cpu0 100 0 0 0 0 0 0\n");
	read_rows(SECOND);
	write_file("proc/stat", "cpu0 102 0 0 0 0 0 0\n");
	read_rows(SECOND + TICK);
	ck_assert_uint_eq(value("0,0", PROCESSOR_USER), 101 * TICK);
	write_file("proc/stat", "cpu0 102 0 0 0 0 0 0\n");
	read_rows(SECOND + 2 * TICK);
	ck_assert_uint_eq(value("0,0", PROCESSOR_USER), 102 * TICK);
	write_file("proc/stat", "cpu0 101 0 0 0 0 0 0\n");
	read_rows(SECOND + 3 * TICK);
	ck_assert_uint_eq(value("0,0", PROCESSOR_USER), 102 * TICK);
	write_file("proc/stat", "cpu0 200 0 0 0 0 0 0\n");
	read_rows(SECOND + 4 * TICK);
	ck_assert_uint_eq(value("0,0", PROCESSOR_USER), 198 * TICK);
	write_file("proc/stat", "cpu0 20 0 0 0 0 0 0\n");
	read_rows(SECOND + 5 * TICK);
	ck_assert_uint_eq(value("0,0", PROCESSOR_USER), 20 * TICK);
	/* Time that went back, or stood still, says nothing. */
	write_file("proc/stat", "cpu0 29 0 0 0 0 0 0\n");
	read_rows(SECOND);
	ck_assert_uint_eq(value("0,0", PROCESSOR_USER), 29 * TICK);
}
END_TEST

/* -------------------------------------------------------------------------- this machine */

/* Idle time is the difference of the idle accounting. */
START_TEST(agrees_with_the_idle_accounting)
{
	struct idle_cpu before[ONLINE_MAX], after[ONLINE_MAX];
	unsigned seen = 0;
	uint64_t at;

	ck_assert_int_ne(idle_kind(), IDLE_NOTHING);
	ask_open(&processor_set);
	asked.wanted[0] = PROCESSOR_BIT(PROCESSOR_TIME);
	for (int i = 1; i <= 3; i++) {
		ck_assert(idle_read(before, ONLINE_MAX, &at));
		read_rows(i * SECOND);
		ck_assert(idle_read(after, ONLINE_MAX, &at));
		for (uint32_t row = 0; row < asked.rows.used; row++) {
			uint32_t cpu = asked.rows.row[row].id;
			uint64_t idle, slack;

			if (cpu >= ONLINE_MAX || before[cpu].ns == IDLE_UNKNOWN ||
				after[cpu].ns == IDLE_UNKNOWN)
				continue;
			slack = before[cpu].slack + after[cpu].slack + 2 * idle_resolution();
			idle = value(name_of(row), PROCESSOR_TIME) * 100;
			ck_assert_uint_ge(idle + slack, before[cpu].ns);
			ck_assert_uint_le(idle, after[cpu].ns + slack);
			seen++;
		}
	}
	ck_assert_uint_gt(seen, 0);
}
END_TEST

START_TEST(bounds_of_this_machine)
{
	ask_open(&processor_set);
	read_rows(SECOND);
	for (uint32_t row = 0; row < asked.rows.used; row++) {
		const char *name = name_of(row);

		ck_assert(is_known(name, PROCESSOR_TIME));
		ck_assert(is_known(name, PROCESSOR_USER));
		ck_assert(is_known(name, PROCESSOR_INTERRUPTS));
		ck_assert(!is_known(name, PROCESSOR_PARKING));
		if (is_known(name, PROCESSOR_OF_MAXIMUM))
			ck_assert_uint_le(value(name, PROCESSOR_OF_MAXIMUM), 1000);
		ck_assert_uint_le(value(name, PROCESSOR_INTERRUPTS), UINT32_MAX);
	}
}
END_TEST

Suite *sets_processor_suite(void)
{
	return SUITE("sets: Processor Information", .tear_down = ask_close, .timeout = 60,
		TESTS(the_processor_sets_definition_is_that_of_the_document,
			times_are_those_of_proc_stat, missing_values_are_unavailable_everywhere,
			only_requested_files_are_read, idle_states,
			frequencies_come_from_cpufreq_or_cpuinfo, performance_of_firmware,
			large_machine, instances_are_those_of_a_sample, processors_go_and_come,
			counts_of_32_bits_wrap, no_time_runs_faster_than_time,
			agrees_with_the_idle_accounting, bounds_of_this_machine));
}
