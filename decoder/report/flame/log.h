/*
 * Intervals written down in the order of their rings, to be read again from the last one
 * to the first: so whatever holds another one comes before it, and nothing has to be sorted.
 * What does not fit into memory waits in unlinked temporary files.
 */
#ifndef SWT_DECODER_REPORT_FLAME_LOG_H
#define SWT_DECODER_REPORT_FLAME_LOG_H

#include "names.h"
#include "record.h"
#include "tree.h"
#include "../report.h"

/* A thread under one of its names. */
struct flame_owner {
	uint32_t machine, tid;
	const struct task *task;
	uint32_t name; /* of the thread that wrote it */
};

/* Records of one ring, one after the other. */
struct flame_segment {
	uint32_t file, ring;
	size_t slice, order; /* order: within the slice */
	uint64_t offset;     /* in the writer's memory or file */
	uint64_t end;	     /* of its last record */
	uint64_t start;	     /* the first one from tick 0 on; UINT64_MAX: none */
	uint32_t bytes;
	uint16_t writer;
	bool stored; /* in the file */
};

enum {
	FLAME_BLOCK = BLOCK_BYTES, /* no segment is longer */
	FLAME_RECENT = 64,
	FLAME_TEXT = 4096, /* bytes of the names that are found at once */
};

/* What one thread of the pass writes. */
struct flame_writer {
	_Alignas(128) struct interval_builder *builder;
	struct flame_names names;
	uint32_t minors[256]; /* their names; 0: none yet */
	struct flame_owner *owners;
	size_t nowners, owners_cap;
	uint32_t *owner_table;				  /* open hash: number + 1 */
	uint32_t last_owner, recent_owners[FLAME_RECENT]; /* by tid */
	struct flame_segment *segments;
	size_t nsegments, segments_cap;
	size_t unsealed;			  /* the first segment of the block */
	struct blocks blocks;			  /* its own until they are the tree's */
	struct block_array memory;		  /* the last block is being written */
	uint32_t *unread;			  /* of each: segments */
	uint8_t *block;				  /* the last one */
	uint32_t used, begin;			  /* of the block; where its last segment begins */
	uint64_t last_end, first_start;		  /* in that segment */
	struct flame_wanted wanted[FLAME_WANTED]; /* names of its last records */
	uint32_t unnamed[FLAME_WANTED];		  /* where those records end */
	unsigned nwanted, text_used;
	uint64_t looked_up; /* names */
	int64_t may_append; /* once, so many bytes of them */
	int64_t appending;  /* so many bytes of names, not looked up; negative: no more */
	char text[FLAME_TEXT];
	int fd;
	uint64_t stored; /* in the file */
	int64_t start, end;
	bool unfit; /* something that only sorting gets right */
};

struct flame_log {
	const struct report *r;
	size_t budget; /* bytes in memory before files are used; 0: 24 MiB */
	struct flame_writer *writers;
	unsigned count;
	size_t blocks; /* that each writer keeps in memory */
	bool by_ticks; /* only they are read, not times */
};

/*
 * Reads the trace. 0; a negative code; or 1: the log cannot stand for the intervals of
 * this trace (stamps that go back, weights that are not known, too many threads), and *found is of
 * no use.
 */
int flame_log_write(struct flame_log *log, unsigned wants, struct findings *found);
/* Where a segment that is not stored lies. */
const uint8_t *flame_log_at(const struct flame_log *log, const struct flame_segment *segment);
/* A segment was read, and will not be again: its block may go to where now all of the log's are. */
void flame_log_drop(
	struct flame_log *log, const struct flame_segment *segment, struct blocks *blocks);
void flame_log_free(struct flame_log *log);

/* The frame's name of an interval of CPU utilisation: none of CPI's, whatever the label. The
 * method, where it is known, stands in it. */
void flame_util_name(struct out *o, const char *name, size_t n, uint64_t method);

#endif
