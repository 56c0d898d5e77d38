/*
 * pthread_create for programs that link the static library with -Wl,--wrap=pthread_create. Without
 * that option __real_pthread_create is undefined and the link fails.
 */
#include "cpc.h"
#include "inherit.h"

extern create_fn __real_pthread_create;
CPC_API create_fn __wrap_pthread_create;

CPC_API int __wrap_pthread_create(
	pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
	return inherit_create(__real_pthread_create, thread, attr, start, argument);
}

bool inherit_possible(void)
{
	return true;
}
