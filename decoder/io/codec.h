/* Codecs of section payloads. */
#ifndef SWT_DECODER_CODEC_H
#define SWT_DECODER_CODEC_H

#include "input.h"

/*
 * NULL if the sizes in a section's header are plausible, else the reason. Keeps a hostile header
 * from requesting memory out of proportion. Sections that are not read pass.
 */
const char *codec_check(const struct io_section *s);

extern const char io_bad_checksum[];

#endif
