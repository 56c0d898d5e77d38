/*
 * Sorted records in an unlinked temporary file, written and read in sequence: the sorter's runs,
 * but only one. Bounds a large file's share of the page cache, where new pages may cost more than
 * the disk (in virtual machines), and push out others' files.
 */
#ifndef SWT_DECODER_BASE_RUN_FILE_H
#define SWT_DECODER_BASE_RUN_FILE_H

#include "sorter/pack.h"

/* Starts zeroed. Codes are 0, CPIDECODE_ENOMEM or CPIDECODE_ESPOOL, with errno set. */
struct run_file {
	int fd;		 /* if there is a stage */
	uint8_t *stage;	 /* packed; NULL: nothing was written yet */
	size_t used;	 /* of the stage: bytes to be written, or read */
	size_t at;	 /* of the next record to be returned */
	uint64_t offset; /* in the file, after the stage */
	uint64_t bytes;	 /* of the file, once it is written */
	struct packer packer;
	struct unpacker unpacker;
};

int run_file_add(struct run_file *f, const struct sorter_record *r);
/* Call after the last one was added, and to rewind: the next one returned is the first. */
int run_file_rewind(struct run_file *f);
/* Returns 1 and the next record (valid until the next call), 0 at the end, or a negative code. */
int run_file_next(struct run_file *f, const struct sorter_record **r);
void run_file_free(struct run_file *f);

#endif
