/* An open input, as file.c makes it and read.c reads it. */
#ifndef SWT_DECODER_IO_PRIVATE_H
#define SWT_DECODER_IO_PRIVATE_H

#include "input.h"

struct stream_copier;

/* A stream that is copied to the input's file as it arrives (stream.c). */
struct io_stream {
	int from, to;
	bool own_from;
	bool has_ended;
	uint64_t copied;
	uint8_t *buf;
	struct stream_copier *copier; /* copies on a thread, which then has all but own_from */
	bool has_tried_copier;
	io_progress_fn progress;
	void *progress_ctx;
};

struct io_input {
	int fd; /* -1: memory */
	bool own_fd;
	bool arriving; /* the stream may have more; size: of the arrived part */
	struct io_stream stream;
	uint64_t base; /* where the trace begins in the file */
	uint64_t size;
	const uint8_t *memory;
	bool imported;
	struct io_import import;
};

#endif
