/*
 * The files that compress_bench compresses, read into memory.
 */
#ifndef SAMPLES_CORPUS_H
#define SAMPLES_CORPUS_H

#include <stddef.h>

enum { CORPUS_FILE_MAX = 64 << 20, CORPUS_LABEL_MAX = 48 };

struct corpus_file {
	char label[CORPUS_LABEL_MAX]; /* base name, possibly shortened */
	unsigned char *bytes;
	size_t size;
};

struct corpus {
	struct corpus_file *files;
	size_t n;
	int unreadable; /* files that could not be read; reported on stderr */
};

/* Returns 0, or -1 if out of memory. */
int corpus_read(struct corpus *c, char *const *paths, size_t n);

/* Reads the largest of this build's own sources and libraries. */
int corpus_read_default(struct corpus *c);

void corpus_free(struct corpus *c);

#endif
