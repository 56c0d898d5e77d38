#include <stdlib.h>
#include <string.h>

#include "../../include/perfutil.h"
#include "../../libtrace/counters/script/script.h"
#include "suites.h"

static struct script *parsed(const char *text)
{
	struct script *s = NULL;
	const char *why;
	unsigned line;

	ck_assert_int_eq(script_parse(text, strlen(text), &s, &line, &why), 0);
	return s;
}

static struct counter_sample *sample(uint32_t cpus)
{
	struct counter_sample *s = calloc(1, counters_sample_size(cpus));

	s->room = s->cpus = cpus;
	s->thread = 1;
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		s->cpu[cpu].online = true;
	return s;
}

START_TEST(steps_give_the_counts_of_each_read)
{
	struct script *p = parsed("# two reads, then another for ever\n"
				  "step 2\n cycles 1000\n instructions 0 400 # not 1\n"
				  " busy all 25%\n thread cycles 50%\n thread cpi 2.5\n"
				  "step\n cycles 10\n cpi 0-1 0.5\n thread instructions 7\n");
	struct counter_sample *s = sample(3);
	static const struct {
		uint64_t cycles, i0, i1, b0, tc, ti;
	} want[] = {
		{1000, 400, 0, 250, 500, 200},
		{2000, 800, 0, 500, 1000, 400},
		{2010, 820, 20, 500, 1000, 407},
		{2020, 840, 40, 500, 1000, 414},
	};

	ck_assert_uint_eq(script_quantities(p), 15);
	for (int i = 0; i < 4; i++) {
		s->ticks += 5;
		script_read(p, s);
		ck_assert_uint_eq(s->cycles, want[i].cycles);
		ck_assert_uint_eq(s->cpu[0].instructions, want[i].i0);
		ck_assert_uint_eq(s->cpu[1].instructions, want[i].i1);
		ck_assert_uint_eq(s->cpu[2].instructions, NOT_MEASURED);
		ck_assert_uint_eq(s->cpu[0].busy, want[i].b0);
		ck_assert_uint_eq(s->cpu[2].busy, want[i].b0);
		ck_assert_uint_eq(s->thread_cycles, want[i].tc);
		ck_assert_uint_eq(s->thread_instructions, want[i].ti);
	}
	free(s);
	script_free(p);
}
END_TEST

START_TEST(none_makes_a_quantity_unknown)
{
	struct script *p = parsed("step\ninstructions all 5\nthread cycles 9\n"
				  "step\ninstructions 1 none\nthread cycles none\n"
				  "step\ninstructions all 5\n");
	struct counter_sample *s = sample(2);

	ck_assert_uint_eq(script_quantities(p),
		COUNTER_BIT(COUNTER_INSTRUCTIONS) | COUNTER_BIT(COUNTER_THREAD_CYCLES));
	script_read(p, s);
	ck_assert_uint_eq(s->cpu[1].instructions, 5);
	ck_assert_uint_eq(s->cpu[1].busy, NOT_MEASURED);
	ck_assert_uint_eq(s->thread_cycles, 9);
	ck_assert_uint_eq(s->thread_instructions, NOT_MEASURED);
	script_read(p, s);
	ck_assert_uint_eq(s->cpu[0].instructions, 5);
	ck_assert_uint_eq(s->cpu[1].instructions, NOT_MEASURED);
	ck_assert_uint_eq(s->thread_cycles, NOT_MEASURED);
	script_read(p, s);
	ck_assert_uint_eq(s->cpu[1].instructions, 10);
	free(s);
	script_free(p);
}
END_TEST

START_TEST(real_clock)
{
	struct script *p = parsed("cpi all 2\n");
	struct counter_sample *s = sample(1);

	s->ticks = 1000000;
	script_read(p, s);
	ck_assert_uint_eq(s->cycles, 0);
	s->ticks = 3000000;
	script_read(p, s);
	ck_assert_uint_gt(s->cycles, 0);
	ck_assert_uint_eq(s->cpu[0].instructions, s->cycles / 2);
	s->ticks = 2000000; /* another processor's clock, a little behind */
	uint64_t before = s->cycles;
	script_read(p, s);
	ck_assert_uint_eq(s->cycles, before);
	free(s);
	script_free(p);
}
END_TEST

START_TEST(counts_saturate_below_unknown)
{
	struct script *p = parsed("cycles 999999999999999999\ninstructions 0 999999999999999999\n"
				  "cpi 1 0.000000001\n");
	struct counter_sample *s = sample(2);

	for (int i = 0; i < 100; i++)
		script_read(p, s);
	ck_assert_uint_eq(s->cycles, NOT_MEASURED - 1);
	ck_assert_uint_eq(s->cpu[0].instructions, NOT_MEASURED - 1);
	ck_assert_uint_eq(s->cpu[1].instructions, NOT_MEASURED - 1);
	free(s);
	script_free(p);
}
END_TEST

START_TEST(odd_spelling)
{
	struct script *p = parsed("\r\n\t\n  # x\r\ncycles\t5#y\ninstructions 0,2-3 1\r\n"
				  "instructions 5000,0 1");
	struct counter_sample *s = sample(4);

	script_read(p, s);
	ck_assert_uint_eq(s->cycles, 5);
	ck_assert_uint_eq(s->cpu[0].instructions, 2);
	ck_assert_uint_eq(s->cpu[1].instructions, NOT_MEASURED);
	ck_assert_uint_eq(s->cpu[3].instructions, 1);
	free(s);
	script_free(p);
}
END_TEST

static const struct {
	const char *text;
	unsigned line;
} bad[] = {
	{"", 0},
	{"# nothing\n\n", 2},
	{"cpi\n", 1},
	{"cpi 0\n", 1},
	{"cpi 0 0\n", 1},
	{"cpi 0 -1\n", 1},
	{"cpi 0 1.\n", 1},
	{"cpi 0 .5\n", 1},
	{"cpi 0 1.5.5\n", 1},
	{"cpi 0 1e9\n", 1},
	{"cpi 0 1.0000000001\n", 1},
	{"cpi 0 50%\n", 1},
	{"cpi x 1\n", 1},
	{"cpi 3-1 1\n", 1},
	{"cpi 5000 1\n", 1},
	{"cpi 0 1 2\n", 1},
	{"cycles 1\nbusy 0 101%\n", 2},
	{"busy 0 %\n", 1},
	{"busy 0 -1\n", 1},
	{"busy 0 1.5\n", 1},
	{"instructions 0 10%\n", 1},
	{"instructions 0 1234567890123456789\n", 1},
	{"cycles\n", 1},
	{"cycles none\n", 1},
	{"cycles 1 1\n", 1},
	{"step 0\n", 1},
	{"step x\n", 1},
	{"step 1 1\n", 1},
	{"thread\n", 1},
	{"thread busy 1\n", 1},
	{"thread cycles\n", 1},
	{"thread cycles 0 1\n", 1},
	{"thread instructions 50%\n", 1},
	{"thread cpi 0\n", 1},
	{"Cycles 1\n", 1},
	{"step\n\n\nwhat 1\n", 4},
};

START_TEST(bad_scripts)
{
	struct script *s = NULL;
	const char *why = NULL;
	unsigned line = 99;

	ck_assert_int_eq(script_parse(bad[_i].text, strlen(bad[_i].text), &s, &line, &why),
		PU_ERROR_INVALID_PARAMETER);
	ck_assert_ptr_null(s);
	ck_assert_ptr_nonnull(why);
	ck_assert_uint_eq(line, bad[_i].line);
}
END_TEST

Suite *script_suite(void)
{
	return SUITE("script",
		TESTS(steps_give_the_counts_of_each_read, none_makes_a_quantity_unknown, real_clock,
			counts_saturate_below_unknown, odd_spelling),
		LOOPS({bad_scripts, 0, sizeof bad / sizeof *bad}));
}
