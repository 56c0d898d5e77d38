#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libtrace/perflib/sets/process/process.h"
#include "../../libtrace/perflib/sets/processor/parse.h"
#include "sets_tests.h"

/* A copy of exactly these bytes, so that a sanitizer sees a read beyond them. */
static char *copy_of(const char *text, size_t length)
{
	char *copy = malloc(length ? length : 1);

	memcpy(copy, text, length);
	return copy;
}

/* ------------------------------------------------------------------------ /proc/stat */

static bool stat_of(const char *text, size_t length, struct processor_ticks *cpu)
{
	char *copy = copy_of(text, length);
	bool good = processor_parse_stat(copy, length, cpu, 4);

	free(copy);
	return good;
}

START_TEST(stat_text)
{
	static const char text[] = "cpu  10 1 20 300 40 1 2 3 4 5\n"
				   "cpu0 5 1 10 100 20 6 7 8 9 10\n"
				   "cpu2 15 0 11 200 21 0 0\n"
				   "cpu3 15 0 11 200 21\n"
				   "intr 217803 0 0 0\ncpu1 1 1 1 1 1 1 1\n";
	struct processor_ticks cpu[4];

	ck_assert(stat_of(text, strlen(text), cpu));
	ck_assert(cpu[0].known && !cpu[1].known && cpu[2].known && cpu[3].known);
	ck_assert_uint_eq(cpu[0].user, 5);
	ck_assert_uint_eq(cpu[0].nice, 1);
	ck_assert_uint_eq(cpu[0].system, 10);
	ck_assert_uint_eq(cpu[0].irq, 6);
	ck_assert_uint_eq(cpu[0].softirq, 7);
	ck_assert_uint_eq(cpu[2].irq, 0);
	ck_assert_uint_eq(cpu[3].irq, NOT_MEASURED);
}
END_TEST

static const char *const not_stat[] = {
	"",
	"\n",
	"cpu  10 0 20 300 40 0 0\n",
	"cpu0",
	"cpu0\n",
	"cpu0 1 2 3 4\n",
	"cpu0 1 2 3 4 5 6 7",
	"cpu0 1 2 3 4x 5 6 7\n",
	"cpu0 1 2 -3 4 5 6 7\n",
	"cpu0 1 2 3 99999999999999999999 5 6 7\n",
	"cpu0 999999999999999999 2 3 4 5 6 7\n",
	"cpuX 1 2 3 4 5 6 7\n",
	"intr 1 2 3 4 5\n",
};

START_TEST(stat_bad)
{
	struct processor_ticks cpu[4];

	ck_assert(!stat_of(not_stat[_i], strlen(not_stat[_i]), cpu));
	for (int i = 0; i < 4; i++)
		ck_assert(!cpu[i].known);
}
END_TEST

START_TEST(stat_cut_off_anywhere)
{
	static const char text[] = "cpu  1 2 3 4 5 6 7\ncpu0 5 0 10 100 20 7 9\nintr 1 2\n";
	const size_t whole = (size_t)(strstr(text, "intr") - text);
	struct processor_ticks cpu[4];

	for (size_t n = 0; n < sizeof text; n++)
		ck_assert(stat_of(text, n, cpu) == (n >= whole));
}
END_TEST

/* ------------------------------------------------------------------- interrupts, softirqs */

static bool interrupts_of(const char *text, size_t length, struct processor_interrupts *cpu)
{
	char *copy = copy_of(text, length);
	bool good = processor_parse_interrupts(copy, length, cpu, 4);

	free(copy);
	return good;
}

static const char interrupts_text[] =
	"           CPU0       CPU2       \n"
	" 24:          1          0  IO-APIC   5-edge      ACPI:Ged\n"
	" 25:          2         20  PCI-MSIX-0000:00:01.0   0-edge  x\n"
	"NMI:          4          0   Non-maskable interrupts\n"
	"LOC:        100        200   Local timer interrupts\n"
	"RTR:       1000       1000   APIC ICR read retries\n"
	"TLB:       5000       5000   TLB shootdowns\n"
	"ERR:        999\n"
	"MIS:        999\n";

START_TEST(interrupts_are_summed_by_processor)
{
	struct processor_interrupts cpu[4];

	ck_assert(interrupts_of(interrupts_text, strlen(interrupts_text), cpu));
	ck_assert_uint_eq(cpu[0].all, 107);
	ck_assert_uint_eq(cpu[0].clock, 100);
	ck_assert_uint_eq(cpu[1].all, NOT_MEASURED);
	ck_assert_uint_eq(cpu[2].all, 220);
	ck_assert_uint_eq(cpu[2].clock, 200);
	ck_assert_uint_eq(cpu[3].clock, NOT_MEASURED);
}
END_TEST

START_TEST(interrupts_of_one_processor)
{
	static const char text[] = "           CPU0\n  1:  5  IO-APIC x\nERR: 7\nMIS: 8\n";
	struct processor_interrupts cpu[4];

	ck_assert(interrupts_of(text, strlen(text), cpu));
	ck_assert_uint_eq(cpu[0].all, 5);
	ck_assert_uint_eq(cpu[0].clock, NOT_MEASURED);
}
END_TEST

START_TEST(interrupts_of_arm)
{
	static const char text[] = "           CPU0       CPU1\n"
				   " 11:         70         80     GICv3  27 Level     arch_timer\n"
				   " 12:          1          2     GICv3  23 Level     arm-pmu\n"
				   "IPI0:         3          4       Rescheduling interrupts\n"
				   "Err:          9\n";
	struct processor_interrupts cpu[4];

	ck_assert(interrupts_of(text, strlen(text), cpu));
	ck_assert_uint_eq(cpu[0].all, 74);
	ck_assert_uint_eq(cpu[1].all, 86);
	ck_assert_uint_eq(cpu[1].clock, 80);
}
END_TEST

/* Each source's count wraps at 2^32, and so does their sum. */
START_TEST(interrupts_wrap)
{
	static const char text[] = "  CPU0\n1: 4294967295 a\n2: 4294967295 b\n3: 2 c\n";
	struct processor_interrupts cpu[4];

	ck_assert(interrupts_of(text, strlen(text), cpu));
	ck_assert_uint_eq(cpu[0].all, 0);
}
END_TEST

static const char *const not_interrupts[] = {
	"",
	"\n",
	"CPU0",
	"  CPU0\n",
	"  CPUx\n1: 1 a\n",
	"  CPU0 cpu1\n1: 1 2 a\n",
	"  CPU0 CPU1\n1: 1\n2: x y\n",
	"  CPU0\n1 5 a\n",
	"  CPU0\n1: 99999999999999999999 a\n",
	"1: 5 a\n",
};

START_TEST(interrupts_bad)
{
	struct processor_interrupts cpu[4];

	ck_assert(!interrupts_of(not_interrupts[_i], strlen(not_interrupts[_i]), cpu));
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(cpu[i].all, NOT_MEASURED);
}
END_TEST

START_TEST(interrupts_cut_off_anywhere)
{
	struct processor_interrupts cpu[4];

	for (size_t n = 0; n < sizeof interrupts_text; n++)
		if (interrupts_of(interrupts_text, n, cpu))
			ck_assert_uint_le(cpu[0].all, 107);
}
END_TEST

/* More columns than there may be processors, and a number beyond those requested. */
START_TEST(interrupts_of_too_many)
{
	struct processor_interrupts cpu[4];
	static char text[64 * 1024];
	size_t at = 0;

	for (int i = 0; i < 1025; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, " CPU%d", i);
	snprintf(text + at, sizeof text - at, "\n1: 1 a\n");
	ck_assert(!interrupts_of(text, strlen(text), cpu));
	ck_assert(interrupts_of(" CPU900 CPU1\n1: 3 4 a\n", 24 - 1, cpu));
	ck_assert_uint_eq(cpu[1].all, 4);
}
END_TEST

START_TEST(softirqs_are_summed_by_processor)
{
	static const char text[] = "                    CPU0       CPU1       CPU2\n"
				   "          HI:          1          2          3\n"
				   "       TIMER:         10         20 4294967295\n";
	uint64_t cpu[4];

	ck_assert(processor_parse_softirqs(text, strlen(text), cpu, 4));
	ck_assert_uint_eq(cpu[0], 11);
	ck_assert_uint_eq(cpu[1], 22);
	ck_assert_uint_eq(cpu[2], 2);
	ck_assert_uint_eq(cpu[3], NOT_MEASURED);
	ck_assert(!processor_parse_softirqs("CPU0\nHI: x\n", 11, cpu, 4));
	ck_assert_uint_eq(cpu[0], NOT_MEASURED);
}
END_TEST

/* ------------------------------------------------------------------ frequencies, states */

START_TEST(cpuinfo_gives_mhz_by_processor)
{
	static const char text[] = "processor\t: 0\ncpu MHz\t\t: 2596.120\nprocessor\t: 2\n"
				   "cpu MHz\t\t: 1200.500\nprocessor\t: x\ncpu MHz\t\t: 5\n"
				   "processor\t: 3\ncpu MHz\t\t: unknown\n"
				   "processor\t: 9\ncpu MHz\t\t: 9\n";
	uint64_t mhz[4];

	ck_assert(processor_parse_cpuinfo(text, strlen(text), mhz, 4));
	ck_assert_uint_eq(mhz[0], 2596);
	ck_assert_uint_eq(mhz[1], NOT_MEASURED);
	ck_assert_uint_eq(mhz[2], 1201);
	ck_assert_uint_eq(mhz[3], NOT_MEASURED);
	/* AArch64's has none. */
	ck_assert(!processor_parse_cpuinfo("processor\t: 0\nBogoMIPS\t: 50.00\n", 32, mhz, 4));
	ck_assert(!processor_parse_cpuinfo("cpu MHz\t\t: 2596.120\n", 20, mhz, 4));
}
END_TEST

START_TEST(feedback_counters_are_parsed_strictly)
{
	static const char *const bad[] = {"", "ref:1 del:2", "ref:1\n", "ref:1 del:\n",
		"ref: 1 del:2\n", "ref:1 del:2x\n", "del:1 ref:2\n",
		"ref:1 del:99999999999999999999\n"};
	uint64_t reference, delivered;

	ck_assert(processor_parse_feedback("ref:12 del:34\n", 14, &reference, &delivered));
	ck_assert_uint_eq(reference, 12);
	ck_assert_uint_eq(delivered, 34);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert(
			!processor_parse_feedback(bad[i], strlen(bad[i]), &reference, &delivered));
}
END_TEST

START_TEST(idle_states)
{
	static const struct {
		const char *name;
		unsigned class;
	} states[] = {{"POLL\n", 0}, {"C1\n", 1}, {"C1E\n", 1}, {"C1_ACPI\n", 1}, {"C2\n", 2},
		{"C2_ACPI\n", 2}, {"C3\n", 3}, {"C3_ACPI\n", 3}, {"C6\n", 3}, {"C7s\n", 3},
		{"C10\n", 3}, {"WFI\n", 1}, {"haltpoll idle\n", 1}, {"cpu-sleep-0\n", 0},
		{"C\n", 0}, {"C0\n", 0}, {"", 0}, {"CX\n", 0}, {"snooze\n", 0}};

	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		ck_assert_msg(processor_idle_class(states[i].name, strlen(states[i].name)) ==
				      states[i].class,
			"%s", states[i].name);
}
END_TEST

/* --------------------------------------------------------------------------- processes */

#define STAT_REST                                                                                  \
	" R 27200 27200 22705 0 -1 4194304 101 2 30 4 500 60 7 8 20 0 9 0 3471543 3133440 411 "    \
	"18446744073709551615 1\n"

static bool process_of(const char *text, size_t length, struct process_stat *s, char name[64])
{
	char *copy = copy_of(text, length);
	bool good = process_parse_stat(copy, length, s);

	if (good) {
		memcpy(name, s->name, s->name_bytes);
		name[s->name_bytes] = 0;
	}
	free(copy);
	return good;
}

START_TEST(process_text)
{
	static const char text[] = "27241 (cat)" STAT_REST;
	struct process_stat s;
	char name[64];

	ck_assert(process_of(text, strlen(text), &s, name));
	ck_assert_str_eq(name, "cat");
	ck_assert_uint_eq(s.minor_faults, 101);
	ck_assert_uint_eq(s.major_faults, 30);
	ck_assert_uint_eq(s.user, 500);
	ck_assert_uint_eq(s.system, 60);
	ck_assert_uint_eq(s.threads, 9);
	ck_assert_uint_eq(s.start, 3471543);
	ck_assert_uint_eq(s.virtual_bytes, 3133440);
	ck_assert_uint_eq(s.pages, 411);
}
END_TEST

static const struct {
	const char *text, *name;
} named[] = {
	{"1 ()" STAT_REST, ""},
	{"1 (a b)" STAT_REST, "a b"},
	{"1 (()" STAT_REST, "("},
	{"1 ())" STAT_REST, ")"},
	{"1 () R 1 2)" STAT_REST, ") R 1 2"},
	{"1 (a\nb) S 0)" STAT_REST, "a\nb) S 0"},
	{"1 (\xff\xfe\x01)" STAT_REST, "\xff\xfe\x01"},
};

START_TEST(process_names)
{
	struct process_stat s;
	char name[64];

	ck_assert(process_of(named[_i].text, strlen(named[_i].text), &s, name));
	ck_assert_str_eq(name, named[_i].name);
	ck_assert_uint_eq(s.start, 3471543);
}
END_TEST

static const char *const not_processes[] = {
	"",
	"\n",
	"1",
	"1 ",
	"1 (a",
	"1 (a\n",
	"1 (a)\n",
	"1 (a) R\n",
	"1 a R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21\n",
	") 1 (a" STAT_REST,
	"x (a)" STAT_REST,
	"1 (a) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n",
	"1 (a) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21",
	"1 (a) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 2x\n",
	"1 (a) R 1 2 3 4 5 6 7 8 9 10 x 12 13 14 15 16 17 18 19 20 21\n",
	"1 (a) R 1 2 3  5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21\n",
};

START_TEST(process_bad)
{
	struct process_stat s;
	char name[64];

	ck_assert(!process_of(not_processes[_i], strlen(not_processes[_i]), &s, name));
}
END_TEST

START_TEST(process_cut_off_anywhere)
{
	static const char text[] = "27241 (c) t)" STAT_REST;
	struct process_stat s;
	char name[64];

	for (size_t n = 0; n < strlen(text); n++)
		ck_assert(!process_of(text, n, &s, name));
}
END_TEST

START_TEST(both_kinds_of_switches_are_parsed)
{
	static const char text[] = "Name:\tvoluntary_ctxt_switches:\t9\n"
				   "Threads:\t1\nvoluntary_ctxt_switches:\t12\n"
				   "nonvoluntary_ctxt_switches:\t34\n";
	uint64_t v, n;

	ck_assert(process_parse_switches(text, strlen(text), &v, &n));
	ck_assert_uint_eq(v, 12);
	ck_assert_uint_eq(n, 34);
	ck_assert(!process_parse_switches(text, strlen(text) - 1, &v, &n));
	ck_assert(!process_parse_switches("", 0, &v, &n));
	ck_assert(!process_parse_switches("voluntary_ctxt_switches:\tx\n"
					  "nonvoluntary_ctxt_switches:\t1\n",
		58, &v, &n));
}
END_TEST

/* ----------------------------------------------------------------------------- any bytes */

static uint32_t state = 12345;

static uint32_t random_below(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

/* Bytes changed, runs of them left out or doubled. */
static size_t change_text(char *text, size_t length, size_t room)
{
	static const char bytes[] = "0 9:\n()-\0\xff\tC";
	size_t at, n;

	for (uint32_t k = random_below(4); k > 0; k--)
		text[random_below((uint32_t)length)] = bytes[random_below(sizeof bytes)];
	at = random_below((uint32_t)length);
	n = random_below((uint32_t)(length - at)) + 1;
	if (random_below(2) && length + n <= room) {
		memmove(text + at + n, text + at, length - at);
		return length + n;
	}
	if (n < length) {
		memmove(text + at, text + at + n, length - at - n);
		return length - n;
	}
	return length;
}

START_TEST(any_bytes)
{
	static const char *const texts[] = {"cpu  1 2 3 4 5 6 7\ncpu0 5 0 10 100 20 7 9\nintr 1\n",
		interrupts_text, "processor\t: 0\ncpu MHz\t\t: 2596.120\nprocessor\t: 2\n",
		"27241 (c) t)" STAT_REST,
		"voluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t34\n"};

	for (int round = 0; round < 20000; round++) {
		const char *text = texts[random_below(sizeof texts / sizeof *texts)];
		size_t length = strlen(text), room = 2 * length;
		struct processor_interrupts lines[4];
		struct processor_ticks ticks[4];
		uint64_t counts[4], more;
		struct process_stat s;
		char *copy, *spoilt = malloc(room);

		memcpy(spoilt, text, length);
		length = change_text(spoilt, length, room);
		copy = copy_of(spoilt, length);
		free(spoilt);
		processor_parse_stat(copy, length, ticks, 4);
		processor_parse_interrupts(copy, length, lines, 4);
		processor_parse_softirqs(copy, length, counts, 4);
		processor_parse_cpuinfo(copy, length, counts, 4);
		process_parse_switches(copy, length, &counts[0], &more);
		if (process_parse_stat(copy, length, &s))
			ck_assert(s.name >= copy && s.name + s.name_bytes < copy + length);
		processor_parse_feedback(copy, length, &counts[0], &more);
		ck_assert_uint_le(processor_idle_class(copy, length), 3);
		free(copy);
	}
}
END_TEST

Suite *sets_parse_suite(void)
{
	return SUITE("sets: texts", .timeout = 60,
		TESTS(stat_text, stat_cut_off_anywhere, interrupts_are_summed_by_processor,
			interrupts_of_one_processor, interrupts_of_arm, interrupts_wrap,
			interrupts_cut_off_anywhere, interrupts_of_too_many,
			softirqs_are_summed_by_processor, cpuinfo_gives_mhz_by_processor,
			feedback_counters_are_parsed_strictly, idle_states, process_text,
			process_cut_off_anywhere, both_kinds_of_switches_are_parsed, any_bytes),
		LOOPS({stat_bad, 0, sizeof not_stat / sizeof *not_stat},
			{interrupts_bad, 0, sizeof not_interrupts / sizeof *not_interrupts},
			{process_names, 0, sizeof named / sizeof *named},
			{process_bad, 0, sizeof not_processes / sizeof *not_processes}));
}
