/*
 * The ids of the intervals of a block of `more`: of each the ring, then in the order of the rings,
 * and of the intervals' ends in each, the positions. An interval is written when it ends, so
 * neighbours are near each other: an id takes some 0.3 bytes, in the order of the starts 1.5.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_HTML_IDS_H
#define SWT_DECODER_REPORT_EXPORT_HTML_IDS_H

#include "../../../../formats/base/hash_index.h"
#include "../../../base/varint.h"
#include "../../../model/trace/model.h"
#include "../../../sink/json.h"

/* Starts zeroed. Functions that return int return 0 or CPIDECODE_ENOMEM. */
struct ids {
	struct ids_ring {
		uint32_t machine, ring;
	} * rings; /* of the trace, in order of appearance */
	size_t nrings, ring_room;
	struct hash_index by_ring;
	struct ids_row {
		uint64_t end, position;
		uint32_t ring, row; /* ring: of rings */
	} * rows;		    /* of the block */
	size_t nrows, row_room;
};

/* The next interval. end: of the page. */
int ids_add(struct ids *ids, const struct interval *iv, uint64_t end);
/* Appends the block's ids, and begins the next one. */
void ids_write(struct ids *ids, struct buffer *to);
/* The beginnings of ids by ring, a list: "r0.". */
void ids_write_rings(const struct ids *ids, struct json *j);
void ids_free(struct ids *ids);

#endif
