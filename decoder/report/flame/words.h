/* The unit of a flame graph, in words. */
#ifndef SWT_DECODER_REPORT_FLAME_WORDS_H
#define SWT_DECODER_REPORT_FLAME_WORDS_H

#include "../report.h"

/* The unit of values: of an event its name, any bytes. */
const char *flame_unit(const struct report *r);
/* The meaning of widths, in words. */
const char *flame_weight_name(const struct report *r);
/* The word as a picture may hold it, and a zero byte. */
void flame_spell_word(struct out *o, const char *word);

#endif
