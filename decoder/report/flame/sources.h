/* The records of a log from the last one to the first. */
#ifndef SWT_DECODER_REPORT_FLAME_SOURCES_H
#define SWT_DECODER_REPORT_FLAME_SOURCES_H

#include "log.h"

/* A record, and how it stands among the others. */
struct flame_ended {
	struct flame_record record;
	const struct flame_segment *segment;
	uint64_t start, end;
	uint32_t place; /* among those of one end, as they came */
	bool early;
};

/* A ring. */
struct flame_source {
	const uint8_t *p, *begin; /* of its segment: what is left of it */
	const struct flame_segment *segments;
	size_t left; /* segments before */
	uint8_t *block;
	uint64_t end; /* of the record before p */
};

/* Starts zeroed, but for log and blocks. */
struct flame_sources {
	struct flame_log *log;
	struct blocks *blocks; /* where the log's are, and where they go once they were read */
	struct flame_segment *segments;
	size_t nsegments;
	struct flame_source *all, **heap; /* by their last ends */
	size_t nall, count;
	struct flame_ended *ended; /* those that were handed out */
	size_t nended, ended_cap;
};

/* 0, a negative code, or 1: they are too many. */
int flame_sources_open(struct flame_sources *s);
/* From the end of that machine's records, by ticks. 0 or a negative code. */
int flame_sources_start(struct flame_sources *s, uint32_t machine);
/*
 * Some more of the machine's in s->ended, those that hold others before them; none: at the
 * beginning. 0, a negative code (errno for CPIDECODE_ESPOOL), or 1: only sorting tells their
 * order.
 */
int flame_sources_next(struct flame_sources *s);
void flame_sources_close(struct flame_sources *s);

#endif
