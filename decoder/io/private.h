/* An open input, as file.c makes it and read.c reads it. */
#ifndef SWT_DECODER_IO_PRIVATE_H
#define SWT_DECODER_IO_PRIVATE_H

#include "input.h"

struct io_input {
	int fd; /* -1: memory */
	bool own_fd;
	uint64_t base; /* where the trace begins in the file */
	uint64_t size;
	const uint8_t *memory;
	bool imported;
	struct io_import import;
};

#endif
