#include "instances.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <check.h>

#include "../../libtrace/counters/machine/rate.h"
#include "double.h"

void use(const char *counters)
{
	setenv("SWTRACE_COUNTERS", counters, 1);
}

void use_script(const char *text)
{
	char value[128];

	snprintf(value, sizeof value, "scripted:%s", text_file(text));
	use(value);
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

void *init(UINT32 mode)
{
	void *h = NULL;

	ck_assert_int_eq(CpiInit(mode, &h), PU_SUCCESS);
	ck_assert_ptr_nonnull(h);
	return h;
}
