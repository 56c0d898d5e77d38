/* An array that spills to an unnamed file when it becomes large. */
#ifndef SWT_DECODER_BASE_SPILL_H
#define SWT_DECODER_BASE_SPILL_H

#include <stdbool.h>
#include <stddef.h>

/* Up to this many bytes stay in memory. */
enum { SPILL_IN_MEMORY = 4 << 20 };

/* Starts zeroed. */
struct spill {
	void *p; /* moves when it grows */
	size_t cap;
	bool mapped;
	int fd; /* if mapped */
};

/* Makes room for that many bytes. 0, CPIDECODE_ENOMEM, or ESPOOL with errno set. */
int spill_reserve(struct spill *s, size_t bytes);
/*
 * Drops the mapped pages from memory. A later access by any thread, also during the call, reads
 * them back.
 */
void spill_drop(const struct spill *s);
void spill_free(struct spill *s);

#endif
