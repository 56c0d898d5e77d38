/*
 * The shared library's pthread_create, which interposes the C library's.
 */
#include <dlfcn.h>
#include <errno.h>

#include "cpc.h"
#include "inherit.h"

static int inherit_interpose_create(
	pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
	static _Atomic(create_fn *) next;
	create_fn *create = atomic_load(&next);

	if (!create) {
		void *symbol = dlsym(RTLD_NEXT, "pthread_create");

		if (!symbol)
			return ENOSYS;
		create = (create_fn *)(uintptr_t)symbol;
		atomic_store(&next, create);
	}
	return inherit_create(create, thread, attr, start, argument);
}

CPC_API int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
	void *argument) __attribute__((alias("inherit_interpose_create")));

/* False if the program resolves pthread_create past libcpc (dlopen came too late), or under
 * ThreadSanitizer: its wrapper precedes this one, and its threads must start in its own code. */
bool inherit_possible(void)
{
	return !dlsym(RTLD_DEFAULT, "__tsan_init") &&
	       dlsym(RTLD_DEFAULT, "pthread_create") != dlsym(RTLD_NEXT, "pthread_create");
}
