/* NRM2 files: their own sections and hooks. */
#ifndef MK_NRM2_H
#define MK_NRM2_H

#include "mk_text.h"

enum { NRM2_HEADER = 512 };

/* The rest of `nrm2 little|big [mode=N] [cpus=N] [os="..."] [word=N]`. */
void nrm2_begin(struct line *l);
/* Takes the statement if it is one of a section; *opened: it began one, at the file's end before.
 */
bool nrm2_statement(const char *what, struct line *l, struct bytes *file, bool *opened);
/* The sizes of the last section, and where the kernel's files stand. */
void nrm2_finish(struct bytes *file);

#endif
