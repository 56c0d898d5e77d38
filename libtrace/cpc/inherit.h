/*
 * Threads that inherit their creator's set. libcpc wraps pthread_create: the shared library
 * interposes it, the static one relies on the linker's --wrap. The new thread binds its copy before
 * its start function runs.
 */
#ifndef SWT_CPC_INHERIT_H
#define SWT_CPC_INHERIT_H

#include <pthread.h>

typedef int create_fn(
	pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument);

int inherit_create(create_fn *create, pthread_t *thread, const pthread_attr_t *attr,
	void *(*start)(void *), void *argument);

#endif
