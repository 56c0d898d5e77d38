/*
 * Two reads, as in reader.c, from a position on: a reader that returns every few milliseconds
 * copies only new bytes, not the complete section.
 */
#include "follow.h"

#include <string.h>

#include "../../formats/bytes.h"
#include "../../formats/record.h"
#include "../../include/perfutil.h"
#include "layout.h"

/* The most copies that are discarded before the contents count as damaged. */
enum { FOLLOW_MAX_READS = 8 };

static bool follow_read_twice(struct ring_reader *r, uint32_t ring, uint64_t from, uint32_t bytes,
	uint8_t *buf, enum ring_news_state *state)
{
	const struct shm_geometry *g = &r->geometry;
	uint64_t at, section = section_start(g, from), entry, before;
	uint64_t entry_at = section_header_offset(g, ring, section_index(g, from)) +
			    offsetof(struct shm_section, entry);

	/* Tells the area. Head was seen behind `from`, so it is the entry word of its section or of
	 * a later lap. */
	if (!ring_read_at(r->fd, &before, sizeof before, entry_at))
		return false;
	at = ring_data_offset(g, ring) +
	     section_data_offset(g, from, section_entry_area(g, before));
	if (!ring_read_at(r->fd, r->first_read, bytes, at))
		return false;
	/* Acquire: pairs with the commits' release; contents are copied after we saw which
	 * records are committed. tests/litmus/look-twice.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (buf && !ring_read_at(r->fd, buf, bytes, at))
		return false;
	/* Acquire: pairs with the barrier after an entry word. If a byte of the copy was of
	 * the section's next lap, the entry word read now names that lap.
	 * tests/litmus/entry-guard.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ring_read_at(r->fd, &entry, sizeof entry, entry_at))
		return false;
	entry = section_entry_plain(entry);
	if (entry == section + 1)
		*state = NEWS_THERE;
	else if (entry > section + 1 && (entry - 1) % g->section_size == 0 &&
		 section_index(g, entry - 1) == section_index(g, from))
		*state = NEWS_GONE;
	else
		*state = NEWS_SKIPPED;
	return true;
}

/* False: the two reads are of different contents, see copy_accept_torn in copy.c. */
static bool follow_parse_records(const uint8_t *first, const uint8_t *copy, uint32_t bytes,
	bool last, struct ring_news *news)
{
	for (uint32_t at = 0; at < bytes;) {
		uint32_t was = get_le32(first + at), is = get_le32(copy + at);
		uint32_t size = rec_control_size(was);
		bool hook = rec_control_is_hook(was);

		news->bytes = at;
		if (size < (hook ? (uint32_t)REC_HEADER_SIZE : 8u) || size > bytes - at) {
			news->damaged = was == is;
			return was == is;
		}
		if (!(was & REC_COMMITTED)) {
			if (was != is && !last)
				return false;
			news->held = size;
			return true;
		}
		if (was != is)
			return false;
		at += size;
		news->hooks += hook;
	}
	news->bytes = bytes;
	return true;
}

int ring_reader_follow(struct ring_reader *r, uint32_t ring, uint64_t from, uint64_t head,
	uint8_t *buf, struct ring_news *news)
{
	uint64_t end = section_start(&r->geometry, from) + r->geometry.section_size;
	uint32_t bytes = (uint32_t)((head < end ? head : end) - from);

	for (int i = 0; i < FOLLOW_MAX_READS; i++) {
		memset(news, 0, sizeof *news);
		if (!follow_read_twice(r, ring, from, bytes, buf, &news->state))
			return PU_ERR_FILE_ERROR;
		if (news->state != NEWS_THERE ||
			follow_parse_records(r->first_read, buf ? buf : r->first_read, bytes,
				i == FOLLOW_MAX_READS - 1, news))
			return 0;
	}
	news->damaged = true;
	return 0;
}
