/*
 * Keeping what the rings hold while a dump reads it: the owner's right, one dump at a time.
 */
#ifndef SWT_SESSION_KEEP_H
#define SWT_SESSION_KEEP_H

#include "session.h"

struct session_keep {
	struct shm_ring_control *control; /* writable, per ring; NULL: nothing may be kept */
	struct session own;		  /* open if s is not writable */
	int lock;			  /* a descriptor of the lock file, or -1 */
};

/*
 * Waits for another dump that keeps these rings, for some seconds. control is NULL after it where
 * writers have nowhere else to go (no second area), for who is not the owner, and if the other dump
 * goes on. The rings themselves are kept by ring_reader_keep; who dies keeps them until the next
 * dump, which costs nothing but memory.
 */
void session_keep_begin(struct session_keep *k, const struct session *s);
void session_keep_end(struct session_keep *k);

#endif
