/*
 * The threads of this process that write to a session's rings: their slots, and the process's
 * own with its proof of life. Called with attach.c's lock held and signals blocked. Nothing here
 * allocates from the heap.
 */
#ifndef SWT_SESSION_THREADS_H
#define SWT_SESSION_THREADS_H

#include "member.h"

/*
 * One slot of a thread. A thread has several while a hook of it that a handler interrupted still
 * writes under an older number (see member_join).
 *
 * Not in thread-local memory, which may go away unseen: `thread` may be followed only if the
 * thread's end is seen (`keyed`), or from the thread itself.
 */
struct thread_entry {
	struct thread_entry *next, *previous;
	struct thread_entry *older; /* of the same thread */
	struct ring_thread *thread;
	struct rseq *rseq;
	struct member *member; /* a reference of its own */
	uint32_t number, tid;
	bool keyed;
};

/* Call once in a process, before its first join: creates the key whose destructor sees threads
 * end, and registers for membarrier. Best from a constructor: both may be slow, or fail, later. */
void threads_prepare(void);

/* For a forked child: drops the entries, which are its parent's. */
void threads_forget(void);

/*
 * At exit, after ring_epoch was raised: gives back the slots of all threads that are in no hook.
 * The others' slots end when a sweep finds the process dead.
 */
void threads_end(void);

/* Gives back the process's own slot once no thread of it holds one. */
void threads_end_process(struct member *m);

/* Whether this thread was refused a slot and should not ask again yet. Needs no lock. */
bool threads_wait_for_slot(const struct ring_thread *self);

#endif
