/* Text in a picture: escaped to be readable, then for XML. */
#ifndef SWT_DECODER_SINK_SVG_TEXT_H
#define SWT_DECODER_SINK_SVG_TEXT_H

#include "../out.h"

#define SVG_ELLIPSIS "\xE2\x80\xA6"

/* Any bytes, so that control bytes show. */
void svg_text(struct out *o, const char *s, size_t n);
/* Writes as many of the bytes as fit into that many cells of a fixed-width font; an ellipsis
 * marks a cut.
 */
void svg_text_cut(struct out *o, const char *s, size_t n, size_t cells);
/* 1,234,567 */
void svg_grouped(struct out *o, uint64_t v);

#endif
