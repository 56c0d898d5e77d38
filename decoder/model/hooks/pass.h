/*
 * One pass over the hooks of a trace, cut into slices that several threads read at once.
 * How a trace is cut depends on the trace alone, never on the number of threads, and each
 * hook is in exactly one slice; hooks of one group (one stamp on one ring) are never in two. So
 * results of the slices are the same for any number of threads.
 *
 * An ordered pass cuts by time: slice i holds the hooks after those of slice i - 1, and
 * within a slice they come in the order of hook_iter. Where slices cannot be separated by
 * time (several files, of which one's clock went backwards) there is one slice. In a
 * pass that is not ordered a slice is some sections of one ring, in its order: nothing is
 * merged, so it is faster.
 *
 * decoder/model/hooks owns records, schemas and the passes over hooks. It includes base, clock,
 * intervals and trace. Errors as in trace/trace.h.
 */
#ifndef SWT_DECODER_MODEL_HOOKS_PASS_H
#define SWT_DECODER_MODEL_HOOKS_PASS_H

#include "../trace/findings.h"

struct pass_slice;
struct ring_cursor;
struct section_starts;

enum {
	PASS_MAX_THREADS = 1024,
	PASS_PROGRESS_HOOKS = 1 << 16, /* between two calls of progress */
	/*
	 * Pad per-thread state to two cache lines: avoids false sharing, and the adjacent-line
	 * prefetcher fetches pairs.
	 */
	PASS_APART = 128,
};

/* Allocates n zeroed elements, one per thread, of a size that is a multiple of PASS_APART. Free
 * with free(). */
void *pass_alloc(size_t n, size_t size);

struct pass {
	const struct trace *trace;
	int64_t from_ns, to_ns; /* only hooks in this range of time; INT64_MIN, INT64_MAX: all */
	const struct tick_range *slices; /* and in these ticks: hook_iter_slice; NULL: all */
	unsigned threads;		 /* 0: one for each processor that the process may use */
	bool ordered;
	/*
	 * Of a pass that is not ordered, and a trace of one machine: slices by their first stamps,
	 * not as they lie in the file.
	 */
	bool by_start;
	bool by_end;	 /* instead: by their last stamps, the last one first */
	unsigned spared; /* enum hook_spared: members that `read` does not use */
	/* Leaves out sections by section_starts_after; NULL: none. Not for an ordered pass.
	 */
	const struct section_starts *known;
	int64_t known_to_ns;
	uint64_t slice_bytes; /* least bytes of sections in a slice; 0: chosen by the trace */
	/*
	 * Reads a slice to its end with pass_next; 0, or another code, which ends the
	 * pass. Runs on any thread, for several slices at once.
	 */
	int (*read)(void *ctx, struct pass_slice *s);
	void *ctx; /* of `read` */
	/* Called on the calling thread now and then: stored bytes; false: CPIDECODE_ECANCELED.
	 * NULL: none. */
	bool (*progress)(void *progress_ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
};

/* 1 and a hook (valid until the next call), 0 at the slice's end, or a negative code. */
int pass_next(struct pass_slice *s, const struct hook **h);
/* hook_iter_lone of the slice's iterator; NULL in an ordered pass. */
struct ring_cursor *pass_lone(const struct pass_slice *s);
/* The calling thread's number, below pass_threads, for per-thread state. */
unsigned pass_thread(const struct pass_slice *s);
/* The end of the slice's range of stamps, in a pass by_end. No later slice's is greater. */
uint64_t pass_last_tick(const struct pass_slice *s);
/* Calls section_starts_note for the slice's sections. Not in an ordered pass. */
void pass_note_starts(const struct pass_slice *s, struct section_starts *starts, uint64_t ticks);
/*
 * Waits until all slices before this one have been read to their ends (their read has returned).
 * 0, or CPIDECODE_ECANCELED: the pass has failed elsewhere.
 */
int pass_turn(struct pass_slice *s);
/* Whether pass_turn would return without waiting. */
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
