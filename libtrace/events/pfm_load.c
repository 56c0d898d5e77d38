/* Loads libpfm4. */
#include "private.h"

#ifdef SWTRACE_LIBPFM4
#include <dlfcn.h>
#include <pthread.h>

#include "pfm.h"

/* Weak: a static program has none, and must not be linked with one for this. */
extern __typeof__(dlopen) dlopen __attribute__((weak));
extern __typeof__(dlsym) dlsym __attribute__((weak));

struct event_pfm_calls pfm_calls;

static bool usable;

static bool pfm_find_calls(void *library)
{
	bool all = true;

#define PFM_FIND(name)                                                                             \
	*(void **)&pfm_calls.name = dlsym(library, "pfm_" #name);                                  \
	all = all && pfm_calls.name;
	PFM_CALLS(PFM_FIND)
#undef PFM_FIND
	return all;
}

static void pfm_load(void)
{
	void *library = dlopen && dlsym ? dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL) : NULL;

	usable = library && pfm_find_calls(library) && pfm_calls.initialize() == PFM_SUCCESS;
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
