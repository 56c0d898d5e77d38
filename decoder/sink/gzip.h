/* A stream that compresses into another one, as gzip does. */
#ifndef SWT_DECODER_SINK_GZIP_H
#define SWT_DECODER_SINK_GZIP_H

#include "out.h"

/* *o: a stream whose bytes reach `to`, compressed. 0 or -ENOMEM. */
int gzip_open(struct out *o, struct out *to);
/* Writes the rest, and frees the stream. Failures show in to->error. */
void gzip_close(struct out *o);

#endif
