/*
 * Intervals as slices of tracks, for formats whose tracks can only nest. Each thread has a first
 * lane; an interval that overlaps an open one without nesting in it begins on a further lane of its
 * thread, and its nested intervals follow it there. A lane's events come in order, a slice's end
 * before a begin at the same time, unless the later one is nested in it; the lanes of all threads
 * are interleaved.
 *
 * An interval ends at its end_ns. Where CLOCK_REALTIME was set back within it, so that this is
 * before its start, it ends at start plus elapsed.
 *
 * Threads without an open interval are dropped when there are many: one that is seen again then
 * begins again, with a first lane.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_LANES_H
#define SWT_DECODER_REPORT_EXPORT_LANES_H

#include "../../../formats/base/hash.h"
#include "../../../formats/base/hash_index.h"
#include "../../model/trace/model.h"

struct open_slice {
	int64_t start, end, place;
};

struct lane {
	struct open_slice *open;
	size_t count, room;
	int64_t last;	/* the time of its last event */
	unsigned index; /* 0: the thread's first one */
	bool is_due;	/* among the thread's due lanes */
	void *own;	/* the writer's; free() releases it unless the writer does before */
	void *slices;	/* the writer's data of each open slice */
	size_t slices_room;
};

/* A lane's hash. Threads of one id may have lanes of several names. */
static inline uint64_t lane_hash(
	uint32_t machine, uint32_t tid, uint32_t pid, uint32_t index, uint32_t name)
{
	uint64_t hash = hash_add_u64(hash_u64((uint64_t)machine << 32 | tid), pid);

	return hash_add_u64(hash, (uint64_t)index << 32 | name);
}

/* The end of an open slice, or a slice's place, and its lane. */
struct lane_mark {
	int64_t at;
	unsigned lane;
};

/*
 * The lanes of a thread, found without a search: a slice's end makes its lane due, and an empty
 * lane is free. Heaps; the lanes' are by index.
 */
struct lane_order {
	struct lane_mark *ends; /* of all open slices, the earliest first */
	size_t nends, ends_room;
	unsigned *due, *free;
	size_t ndue, due_room, nfree, free_room;
	struct lane_mark *places; /* by place: open slices, and some that have ended */
	size_t nplaces, places_room;
	size_t open; /* slices */
};

struct lane_thread {
	uint32_t machine, tid, file;
	const struct task *task; /* of its first interval; NULL: unknown */
	int64_t until;		 /* the last end */
	struct lane *lanes;
	size_t count, room;
	struct lane_order order;
	void *own; /* as a lane's */
};

/* Functions that return int return 0 or a CPIDECODE_E code. */
struct lane_writer {
	size_t slice_size; /* of lane->slices, which start zeroed; 0: none */
	int (*begin_thread)(void *ctx, struct lane_thread *t);		     /* NULL: nothing */
	int (*begin_lane)(void *ctx, struct lane_thread *t, struct lane *l); /* NULL: nothing */
	int (*begin_slice)(void *ctx, struct lane_thread *t, struct lane *l,
		const struct interval *iv, int64_t end);
	int (*end_slice)(void *ctx, struct lane_thread *t, struct lane *l, int64_t end);
	void (*free_lane)(void *ctx, struct lane *l);	       /* NULL: nothing */
	void (*free_thread)(void *ctx, struct lane_thread *t); /* NULL: nothing */
};

struct lanes {
	struct lane_thread **threads;
	size_t nthreads, room, limit;
	struct hash_index index; /* of threads */
	const struct lane_writer *writer;
	void *ctx;
	uint64_t overlaps; /* intervals that could not be nested where they belong */
	uint64_t set_back; /* intervals that end before they start */
};

void lanes_init(struct lanes *l, const struct lane_writer *writer, void *ctx);
/* The next interval of a stream that was not opened by_machine. */
int lanes_add(struct lanes *l, const struct interval *iv);
/* Ends all slices, and frees the rest. 0 or a code; to be called in any case. */
int lanes_end(struct lanes *l);

#endif
