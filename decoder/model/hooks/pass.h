/*
 * One pass over the hooks of a trace, cut into slices that several threads read at once.
 * How a trace is cut depends on the trace alone, never on the number of threads, and each
 * hook stands in exactly one slice; hooks of one group (one stamp on one ring) never stand
 * in two. So what is made of the slices is the same for any number of threads.
 *
 * An ordered pass cuts by time: slice i holds the hooks after those of slice i - 1, and
 * within a slice they come in the order of hook_iter. Where slices cannot be told apart by
 * time (several files, of which one's clock went backwards) there is one slice. In a
 * pass that is not ordered a slice is some sections of one ring, in its order: nothing is
 * merged, so it is faster.
 */
#ifndef SWT_DECODER_MODEL_HOOKS_PASS_H
#define SWT_DECODER_MODEL_HOOKS_PASS_H

#include "../trace/findings.h"

struct pass_slice;
struct ring_cursor;

enum {
	PASS_MAX_THREADS = 1024,
	/*
	 * What a thread writes for every hook lies so far from what another one does: a cache line
	 * that both write goes to and fro (two, as processors fetch them in pairs).
	 */
	PASS_APART = 128,
};

/* n zeroed elements for as many threads; of a size that is a multiple of PASS_APART. free. */
void *pass_alloc(size_t n, size_t size);

struct pass {
	const struct trace *trace;
	int64_t from_ns, to_ns;		 /* hooks of that time only; INT64_MIN, INT64_MAX: all */
	const struct tick_range *slices; /* and of these: hook_iter_slice; NULL: all */
	unsigned threads;		 /* 0: one for each processor that the process may use */
	bool ordered;
	unsigned spared;      /* enum hook_spared: what read does not look at */
	uint64_t slice_bytes; /* of sections, at least, in a slice; 0: as suits the trace */
	/*
	 * Reads a slice to its end with pass_next; 0, or a negative code, which ends the
	 * pass. Runs on any thread, for several slices at once.
	 */
	int (*read)(void *ctx, struct pass_slice *s);
	void *ctx; /* of read */
	/* On the calling thread, now and then: stored bytes; false: CPIDECODE_ECANCELED. NULL:
	 * none. */
	bool (*progress)(void *progress_ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
};

/* 1 and a hook (valid until the next call), 0 at the slice's end, or a negative code. */
int pass_next(struct pass_slice *s, const struct hook **h);
/* hook_iter_lone of the slice's iterator: NULL in a pass that is ordered. */
struct ring_cursor *pass_lone(const struct pass_slice *s);
/* Which of the threads is at work: below pass_threads. For state of one's own. */
unsigned pass_thread(const struct pass_slice *s);
/* From 0, in order. */
size_t pass_index(const struct pass_slice *s);
/*
 * Of an ordered pass: waits until all slices before this one have been read to their ends
 * (their read has returned). 0, or CPIDECODE_ECANCELED: the pass has failed elsewhere.
 */
int pass_turn(struct pass_slice *s);
/* They have been: pass_turn would not wait. */
bool pass_has_turn(const struct pass_slice *s);

/*
 * How many threads pass_run would use at most. It uses fewer if there are fewer slices, if no
 * more can be made, and where they would together hold more than 24 MiB of sections: each
 * of them holds one, in an ordered pass one of every ring.
 */
unsigned pass_threads(const struct pass *p);
/*
 * Runs the pass; *found, unless NULL, starts zeroed and gets what reading found. 0, or the
 * code that ended it, with errno as read left it on whichever thread.
 */
int pass_run(const struct pass *p, struct findings *found);

#endif
