/* The hooks of sections. */
#ifndef SWT_DECODER_IO_NRM2_DATA_H
#define SWT_DECODER_IO_NRM2_DATA_H

#include "part.h"

/* Reads the hooks of one section. Lowers part->end if the next section begins before it. */
int nrm2_data(struct nrm2_scan *s, struct nrm2_part *part);
/* Reports hooks whose remaining bytes are missing. */
int nrm2_data_end(struct nrm2_scan *s);

#endif
