/*
 * Checks of output, written from the formats' own specifications. Each returns NULL, or what is
 * wrong; *at is then where.
 */
#ifndef SWT_TESTS_LIB_WELLFORMED_H
#define SWT_TESTS_LIB_WELLFORMED_H

#include <stddef.h>

/* UTF-8 (RFC 3629) without control characters but those in allowed. */
const char *wrong_text(const char *p, size_t n, const char *allowed, size_t *at);
/* ... and no characters that reverse the text's direction or end a line unseen. */
const char *wrong_for_people(const char *p, size_t n, size_t *at);
/* One object a line (RFC 8259), no key twice in an object, 64 levels at most. */
const char *wrong_json_lines(const char *p, size_t n, size_t *at);
/* One value, on as many lines as it likes. */
const char *wrong_json(const char *p, size_t n, size_t *at);
/* RFC 4180: CRLF, quotes, as many cells in each record as in the first one. */
const char *wrong_csv(const char *p, size_t n, size_t *at);
/* `frame;frame;... count` a line. */
const char *wrong_folded(const char *p, size_t n, size_t *at);
/*
 * An SVG as flame_svg writes it: well-formed XML whose elements and attributes are all of
 * the few that the sink itself uses, with one script.
 */
const char *wrong_svg(const char *p, size_t n, size_t *at);
/* The same without a script. */
const char *wrong_picture(const char *p, size_t n, size_t *at);

#endif
