/* cpidecode serve: makes the page of --format html and serves it (serve.h). */
#ifndef SWT_DECODER_CMD_SERVE_JOB_H
#define SWT_DECODER_CMD_SERVE_JOB_H

#include "options.h"

/*
 * Makes the page first, or, of a large trace and with --tiles, in another process while an early
 * page is shown. Returns an exit code.
 */
int serve_job(struct options *o);

#endif
