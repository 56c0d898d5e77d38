/*
 * An input that cannot be read at any offset (a pipe, a terminal, a socket) is copied to an
 * unlinked temporary file as it arrives, so memory stays bounded.
 */
#ifndef SWT_DECODER_IO_STREAM_H
#define SWT_DECODER_IO_STREAM_H

#include "private.h"

/* The file becomes the input's; io_await copies to it. 0, CPIDECODE_ENOMEM, or ESPOOL. */
int stream_begin(struct io_input *in, int from, io_progress_fn progress, void *ctx);
/* Stops reading it. Does nothing without a stream. */
void stream_end(struct io_input *in);

#endif
