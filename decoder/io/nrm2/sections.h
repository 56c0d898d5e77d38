/* All sections of the file, and the bytes between and after them. */
#ifndef SWT_DECODER_IO_NRM2_SECTIONS_H
#define SWT_DECODER_IO_NRM2_SECTIONS_H

#include "scan.h"

int nrm2_sections(struct nrm2_scan *s);

#endif
