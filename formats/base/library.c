#include "library.h"

#include <dlfcn.h>
#include <string.h>

/* Weak: a static program has none, and must not be linked with one for this. */
extern __typeof__(dlopen) dlopen __attribute__((weak));
extern __typeof__(dlsym) dlsym __attribute__((weak));

bool library_load(const char *file, const struct library_call *calls, size_t count)
{
	void *library = dlopen && dlsym ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;

	for (size_t i = 0; library && i < count; i++) {
		void *call = dlsym(library, calls[i].symbol);

		if (!call)
			return false;
		memcpy(calls[i].to, &call, sizeof call);
	}
	return library != NULL;
}
