/*
 * decoder_peer calls|faults N: the workload that the other tracers record for their readers.
 * calls: sorts and looks up in small functions, compiled with -pg, for uftrace. faults: touches
 * N new pages, a page fault each, for perf.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { KEYS = 1000 };
static uint32_t keys[KEYS];
static volatile uint32_t found;

static NOINLINE uint32_t next_random(uint32_t *state)
{
	return *state = *state * 1664525u + 1013904223u;
}

static NOINLINE int before(uint32_t a, uint32_t b)
{
	return a < b;
}

static NOINLINE void exchange(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

static NOINLINE unsigned partition(uint32_t *v, unsigned n)
{
	unsigned at = 0;

	for (unsigned i = 0; i + 1 < n; i++)
		if (before(v[i], v[n - 1]))
			exchange(&v[i], &v[at++]);
	exchange(&v[at], &v[n - 1]);
	return at;
}

static NOINLINE void sort(uint32_t *v, unsigned n)
{
	if (n < 2)
		return;
	unsigned at = partition(v, n);

	sort(v, at);
	sort(v + at + 1, n - at - 1);
}

static NOINLINE int look_up(const uint32_t *v, unsigned n, uint32_t key)
{
	if (n < 2)
		return n && v[0] == key;
	return before(key, v[n / 2]) ? look_up(v, n / 2, key) : look_up(v + n / 2, n - n / 2, key);
}

static NOINLINE void round_of_calls(uint32_t *state)
{
	for (unsigned i = 0; i < KEYS; i++)
		keys[i] = next_random(state);
	sort(keys, KEYS);
	for (unsigned i = 0; i < KEYS; i++)
		found += (uint32_t)look_up(keys, KEYS, next_random(state));
}

static int fault(long n)
{
	enum { PAGES = 1024 };
	long page = sysconf(_SC_PAGESIZE);

	for (; n > 0; n -= PAGES) {
		char *p = mmap(NULL, (size_t)(PAGES * page), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return 1;
		madvise(p, (size_t)(PAGES * page), MADV_NOHUGEPAGE);
		for (long i = 0; i < PAGES && i < n; i++)
			p[i * page] = 1;
		munmap(p, (size_t)(PAGES * page));
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint32_t state = 1;

	if (argc != 3)
		return 2;
	if (strcmp(argv[1], "faults") == 0)
		return fault(atol(argv[2]));
	for (long i = 0; i < atol(argv[2]); i++)
		round_of_calls(&state);
	return 0;
}
