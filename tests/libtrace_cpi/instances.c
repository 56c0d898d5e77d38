#include "instances.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <check.h>

#include "../../libtrace/counters/machine/rate.h"
#include "double.h"

void use_counters(const char *counters)
{
	setenv("SWTRACE_COUNTERS", counters, 1);
}

void use_script(const char *text)
{
	char value[128];

	snprintf(value, sizeof value, "scripted:%s", text_file(text));
	use_counters(value);
}

void sleep_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) != 0)
		;
}

unsigned time_hooks(UINT32 mode)
{
	return mode & CPI_TYPE_ONTHREAD && rate_hz() != 0;
}

void touch_fresh_pages(unsigned pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(
		NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(p != MAP_FAILED);
	madvise(p, pages * page, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < pages; i++)
		*(volatile char *)(p + i * page) = 1;
	munmap(p, pages * page);
}

void *init(UINT32 mode)
{
	void *h = NULL;

	ck_assert_int_eq(CpiInit(mode, &h), PU_SUCCESS);
	ck_assert_ptr_nonnull(h);
	return h;
}
