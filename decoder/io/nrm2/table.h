/* Hooks about the trace itself. */
#ifndef SWT_DECODER_IO_NRM2_TABLE_H
#define SWT_DECODER_IO_NRM2_TABLE_H

#include "part.h"

/* 0 or a code. */
int nrm2_own_table(struct nrm2_scan *s, const struct nrm2_hook *h);
int nrm2_learn(struct nrm2_scan *s, const struct nrm2_part *part, const struct nrm2_hook *h);

#endif
