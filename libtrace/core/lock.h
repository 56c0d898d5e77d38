/*
 * Locks that are held across system calls which pthread_cancel(3) may end, as reading a file is:
 * a thread that was cancelled there would keep the lock for ever.
 */
#ifndef SWT_CORE_LOCK_H
#define SWT_CORE_LOCK_H

#include <pthread.h>

/* Returns what lock_release needs. */
static inline int lock_hold(pthread_mutex_t *lock)
{
	int cancellation;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
	pthread_mutex_lock(lock);
	return cancellation;
}

static inline void lock_release(pthread_mutex_t *lock, int cancellation)
{
	pthread_mutex_unlock(lock);
	pthread_setcancelstate(cancellation, NULL);
}

#endif
