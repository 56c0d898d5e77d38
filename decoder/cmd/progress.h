/* The progress line of reading: on stderr, only on a terminal, after the first second. */
#ifndef SWT_DECODER_CMD_PROGRESS_H
#define SWT_DECODER_CMD_PROGRESS_H

#include <stdint.h>

void progress_start(void);
/* done of total; total 0: unknown. */
void progress_show(const char *what, uint64_t done, uint64_t total);
void progress_end(void);
/* From now on progress_show also stores the two numbers there, for another process. */
void progress_share(_Atomic uint64_t to[2]);

#endif
