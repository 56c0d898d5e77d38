/* The hooks of sections. */
#ifndef SWT_DECODER_IO_NRM2_DATA_H
#define SWT_DECODER_IO_NRM2_DATA_H

#include "part.h"

/* Of one section. part->end is lowered when the next section stands before it. */
int nrm2_data(struct nrm2_scan *s, struct nrm2_part *part);
/* Hooks whose rest never came. */
int nrm2_data_end(struct nrm2_scan *s);

#endif
