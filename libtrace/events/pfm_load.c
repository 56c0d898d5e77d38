/* Loads libpfm4. */
#include "private.h"

#ifdef SWTRACE_LIBPFM4
#include <pthread.h>

#include "../../formats/base/library.h"
#include "pfm.h"

struct event_pfm_calls pfm_calls;

static bool usable;

static void pfm_load(void)
{
	static const struct library_call all[] = {
#define PFM_NAMED(name) {"pfm_" #name, &pfm_calls.name},
		PFM_CALLS(PFM_NAMED)
#undef PFM_NAMED
	};

	usable = library_load("libpfm.so.4", all, sizeof all / sizeof *all) &&
		 pfm_calls.initialize() == PFM_SUCCESS;
}

bool event_pfm_usable(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	return pthread_once(&once, pfm_load) == 0 && usable;
}

bool event_has_libpfm4(void)
{
	return event_pfm_usable();
}

#else

bool event_has_libpfm4(void)
{
	return false;
}

#endif
