/*
 * Threads that inherit their maker's set. pthread_create is wrapped: by a function of the
 * same name in the shared library, by the linker (--wrap) for the static one. The new thread
 * binds its copy before its own function runs.
 */
#ifndef SWT_CPC_INHERIT_H
#define SWT_CPC_INHERIT_H

#include <pthread.h>

typedef int create_fn(
	pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument);

int inherit_create(create_fn *create, pthread_t *thread, const pthread_attr_t *attr,
	void *(*start)(void *), void *argument);

#endif
