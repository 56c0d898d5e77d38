/*
 * NRM2, the original toolkit's trace file, made a trace.bin: one pass over the file, in
 * bounded memory, into a file without a name. Nothing in it is trusted.
 *
 * decoder/io/nrm2 owns reading NRM2. It includes io and base. Errors as in input.h.
 */
#ifndef SWT_DECODER_IO_NRM2_CONVERT_H
#define SWT_DECODER_IO_NRM2_CONVERT_H

#include "../../../formats/nrm2.h"
#include "../input.h"

/*
 * *fd is a trace.bin of *size bytes, owned by the caller, and import what else is known;
 * release that with nrm2_import_free, also after an error (then *fd is -1).
 * 0, CPIDECODE_ENOMEM, EREAD, ESPOOL, ECANCELED.
 */
int nrm2_convert(const struct io_input *in, io_progress_fn progress, void *ctx,
	struct io_import *import, int *fd, uint64_t *size);
void nrm2_import_free(struct io_import *import);

#endif
