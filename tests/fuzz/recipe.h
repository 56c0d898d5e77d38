/*
 * Turns a fuzzer's bytes into a trace with valid checksums, so that mutations get past them. A
 * trace file is its own recipe and stays unchanged. In a recipe
 *
 * - a section begins wherever its magic stands and ends where the next begins, so bytes may
 *   be put in and taken out anywhere; its sizes are filled in and its payload is padded;
 * - the file header's magic, version, size and checksum are put right, unless the first
 *   reserved byte of the header is 1;
 * - a section header's reserved byte says what is left wrong or made in full (enum shape).
 */
#ifndef SWT_TESTS_FUZZ_RECIPE_H
#define SWT_TESTS_FUZZ_RECIPE_H

#include "fuzz.h"

enum shape {
	SHAPE_LIES = 1,	  /* stored and raw size stay as written, whatever the payload's are */
	SHAPE_WRONG = 2,  /* so does the checksum */
	SHAPE_PACKED = 4, /* the payload is packed by the section's codec */
	SHAPE_SHORT = 8,  /* the payload is hooks in short form (short_form.h) */
};

void recipe_build(const uint8_t *p, size_t n, struct bytes *file);
/*
 * One whose section headers do not lie about the hooks in them, whatever the recipe says, and
 * whose rings are in order: positions and stamps go on.
 */
void recipe_build_honest(const uint8_t *p, size_t n, struct bytes *file);

/* Puts right the checksums of the file header and of all sections that can be walked. */
void recipe_fix(uint8_t *p, size_t n);

#endif
