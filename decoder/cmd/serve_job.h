/* cpidecode serve: makes the page of --format html and serves it (serve.h). */
#ifndef SWT_DECODER_CMD_SERVE_JOB_H
#define SWT_DECODER_CMD_SERVE_JOB_H

#include "options.h"

/*
 * Makes the page before serving it; for a large trace, or with --tiles, another process makes it
 * while the server shows an early page. Returns an exit code.
 */
int serve_job(struct options *o);

#endif
