/*
 * Following a ring: records committed behind a position. For the watch.
 */
#ifndef SWT_RING_FOLLOW_H
#define SWT_RING_FOLLOW_H

#include "reader.h"

enum ring_news_state {
	NEWS_THERE,
	NEWS_SKIPPED, /* no writer entered the section at that position, nor will */
	NEWS_GONE,    /* writers lapped it: it belongs to a later lap by now */
};

struct ring_news {
	enum ring_news_state state;
	uint32_t bytes; /* complete committed records, at the buffer's start */
	uint32_t hooks; /* among them */
	uint32_t held;	/* then comes one that is not committed yet, so long; 0: none */
	bool damaged;	/* the rest of the section makes no sense */
};

/*
 * Copies the records from `from` on, where one begins, up to `head`, the section's end, or the
 * first that is not committed. from < head, which ring_reader_header gave. buf has room for
 * geometry.section_size bytes. 0 or PU_ERR_FILE_ERROR.
 *
 * buf NULL: one read, half the cost. The records are then in r->first_read until the next call, and
 * only their headers are valid: a record may have been committed after its words were copied.
 */
int ring_reader_follow(struct ring_reader *r, uint32_t ring, uint64_t from, uint64_t head,
	uint8_t *buf, struct ring_news *news);

#endif
