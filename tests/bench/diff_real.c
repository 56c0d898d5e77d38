/*
 * A program whose runs are compared: 200 intervals of about 50 us each.
 * usage: diff_real spin|walk|sort
 */
#include <perfutil.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { INTERVALS = 200, WARM = 20, SPINS = 40000, WORDS = 1 << 20, STEPS = 2000, SORTED = 1000 };

static volatile uint64_t kept;

static void spin(void)
{
	uint64_t x = 1;

	for (unsigned i = 0; i < SPINS; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	kept = x;
}

/* Jumps around in 4 MiB. */
static void walk(void)
{
	static uint32_t *next;
	uint32_t at = 0;

	if (!next) {
		next = malloc(WORDS * sizeof *next);
		if (!next)
			exit(1);
		for (uint32_t i = 0; i < WORDS; i++)
			next[i] = (i * 1664525 + 1013904223) % WORDS;
	}
	for (unsigned i = 0; i < STEPS; i++)
		at = next[at];
	kept = at;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void sort(void)
{
	static uint32_t x = 1;
	uint32_t *values = malloc(SORTED * sizeof *values);

	if (!values)
		exit(1);
	for (unsigned i = 0; i < SORTED; i++)
		values[i] = x = x * 1664525 + 1013904223;
	qsort(values, SORTED, sizeof *values, by_value);
	kept = values[0];
	free(values);
}

int main(int argc, char **argv)
{
	void (*work)(void) = argc < 2			    ? NULL
			     : strcmp(argv[1], "spin") == 0 ? spin
			     : strcmp(argv[1], "walk") == 0 ? walk
			     : strcmp(argv[1], "sort") == 0 ? sort
							    : NULL;
	void *handle;

	if (!work || CpiInit(CPI_TYPE_RAW | CPI_TYPE_TRACE_SUMMARY, &handle) != PU_SUCCESS)
		return 2;
	for (unsigned i = 0; i < WARM + INTERVALS; i++) {
		if (CpiStart(handle) != PU_SUCCESS)
			return 1;
		work();
		if (i >= WARM && CpiGetAndTrace(handle, 1, 0, "work", NULL) != PU_SUCCESS)
			return 1;
	}
	CpiTerminate(handle);
	return 0;
}
