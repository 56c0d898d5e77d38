/* Header and sections: nothing is believed before its checksum holds. */
#define XXH_STATIC_LINKING_ONLY
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../../formats/bytes.h"
#include "../../formats/trace_file.h"
#include "../../include/cpidecode.h"
#include "codec.h"
#include "input.h"

enum {
	WINDOW = 1 << 20,
	/* False starts may cost this many times the file's size, and at least SEARCH_MIN. */
	SEARCH_FACTOR = 8,
	SEARCH_MIN = 64 << 20,
	PROGRESS_STEP = 4 << 20,
	MAX_HEADER = 1 << 20,
};

struct scan {
	const struct io_input *in;
	const struct io_header *header;
	const struct io_scan_events *events;
	io_progress_fn progress;
	void *progress_ctx;
	uint64_t size;	      /* of the file; lowered when it turns out shorter */
	uint64_t told;	      /* progress was last called here */
	uint64_t search_left; /* bytes that may still be hashed in vain */
	XXH3_state_t *hash;
	uint8_t *window;
	uint64_t window_at;
	size_t window_len;
};

/* What stands at an offset. */
enum verdict {
	IS_SECTION,
	NO_HEADER,
	BAD_CHECKSUM,
	CUT_OFF,
};

static const char *const why_not[] = {
	[NO_HEADER] = "no section header here",
	[BAD_CHECKSUM] = "a section's checksum does not hold",
	[CUT_OFF] = "cut off within a section",
};

int io_read_header(const struct io_input *in, struct io_header *h)
{
	uint8_t b[TF_HEADER_SIZE];
	size_t got;
	int rc = io_read(in, 0, b, sizeof b, &got);
	if (rc)
		return rc;
	memset(h, 0, sizeof *h);
	if (memcmp(b, TF_MAGIC, got < 8 ? got : 8))
		return CPIDECODE_ENOTTRACE;
	if (got < sizeof b)
		return CPIDECODE_ETRUNCATED;
	h->version_major = get_le16(b + TF_H_VERSION_MAJOR);
	h->version_minor = get_le16(b + TF_H_VERSION_MINOR);
	if (h->version_major != TF_VERSION_MAJOR)
		return CPIDECODE_EVERSION;
	memcpy(h->trace_id, b + TF_H_TRACE_ID, sizeof h->trace_id);
	h->cpus = get_le32(b + TF_H_CPUS);
	h->max_raw = get_le32(b + TF_H_MAX_RAW);
	h->clock = get_le32(b + TF_H_CLOCK);
	h->flags = get_le32(b + TF_H_FLAGS);
	h->ticks_per_second = get_le64(b + TF_H_TICKS_PER_SECOND);
	h->sync_ticks = get_le64(b + TF_H_SYNC + TF_SYNC_TICKS);
	h->sync_realtime = (int64_t)get_le64(b + TF_H_SYNC + TF_SYNC_REALTIME);
	h->sync_monotonic = get_le64(b + TF_H_SYNC + TF_SYNC_MONOTONIC);
	h->damaged = XXH3_64bits(b, TF_H_CHECKSUM) != get_le64(b + TF_H_CHECKSUM);
	/* A later minor version may have a longer header. */
	uint32_t size = get_le32(b + TF_H_HEADER_SIZE);
	bool sane = size >= TF_HEADER_SIZE && size <= MAX_HEADER && size % TF_ALIGN == 0;
	h->size = sane && !h->damaged ? size : TF_HEADER_SIZE;
	return 0;
}

/* Makes [at, at + n) readable at *p, n <= WINDOW; *got is less at the end of the file. */
static int look(struct scan *s, uint64_t at, size_t n, const uint8_t **p, size_t *got)
{
	if (at < s->window_at || at + n > s->window_at + s->window_len) {
		int rc = io_read(s->in, at, s->window, WINDOW, &s->window_len);
		if (rc)
			return rc;
		s->window_at = at;
		if (s->window_len < WINDOW && at + s->window_len < s->size)
			s->size = at + s->window_len;
	}
	uint64_t there = s->window_at + s->window_len - at;
	*p = s->window + (at - s->window_at);
	*got = there < n ? (size_t)there : n;
	return 0;
}

static void parse_section(struct io_section *sec, const uint8_t *b, uint64_t offset)
{
	sec->offset = offset;
	sec->type = get_le16(b + TF_S_TYPE);
	sec->codec = b[TF_S_CODEC];
	sec->stored = get_le32(b + TF_S_STORED);
	sec->raw = get_le32(b + TF_S_RAW);
	sec->ring = get_le32(b + TF_S_RING);
	sec->hooks = get_le32(b + TF_S_HOOKS);
	sec->position = get_le64(b + TF_S_POSITION);
	sec->first = get_le64(b + TF_S_FIRST);
	sec->last = get_le64(b + TF_S_LAST);
	sec->lost = get_le32(b + TF_S_LOST);
	sec->torn = get_le32(b + TF_S_TORN);
}

/* Hashes [at, at + n) after what the state has. *got < n: the file ends before. */
static int hash_payload(struct scan *s, uint64_t at, uint64_t n, uint64_t *got)
{
	for (*got = 0; *got < n;) {
		const uint8_t *p;
		size_t part = n - *got < WINDOW ? (size_t)(n - *got) : WINDOW, there;
		int rc = look(s, at + *got, part, &p, &there);
		if (rc)
			return rc;
		XXH3_64bits_update(s->hash, p, there);
		*got += there;
		if (there < part)
			break;
	}
	return 0;
}

static int judge(struct scan *s, uint64_t at, struct io_section *sec, enum verdict *verdict)
{
	const uint8_t *b;
	size_t got;
	int rc = look(s, at, TF_SECTION_SIZE, &b, &got);
	if (rc)
		return rc;
	*verdict = NO_HEADER;
	if (got < 4 || get_le32(b) != TF_SECTION_MAGIC)
		return 0;
	*verdict = CUT_OFF;
	if (got < TF_SECTION_SIZE)
		return 0;
	parse_section(sec, b, at);
	if (sec->stored > s->size - at - TF_SECTION_SIZE)
		return 0;
	*verdict = BAD_CHECKSUM;
	uint64_t sum = get_le64(b + TF_S_CHECKSUM), hashed;
	XXH3_64bits_reset(s->hash);
	XXH3_64bits_update(s->hash, b, TF_S_CHECKSUM);
	rc = hash_payload(s, at + TF_SECTION_SIZE, sec->stored, &hashed);
	if (rc)
		return rc;
	if (hashed == sec->stored && XXH3_64bits_digest(s->hash) == sum)
		*verdict = IS_SECTION;
	return 0;
}

static uint64_t section_end(const struct io_section *sec)
{
	return sec->offset + TF_SECTION_SIZE + (((uint64_t)sec->stored + 7) & ~UINT64_C(7));
}

static int progress(struct scan *s, uint64_t at)
{
	if (!s->progress || at < s->told + PROGRESS_STEP)
		return 0;
	s->told = at;
	return s->progress(s->progress_ctx, at, s->size) ? 0 : CPIDECODE_ECANCELED;
}

static int tell_damage(struct scan *s, uint64_t from, uint64_t to, const char *why)
{
	struct io_damage d = {.offset = from, .bytes = to - from, .why = why};
	return to > from ? s->events->damage(s->events->ctx, &d) : 0;
}

/* The next multiple of 8 from `at` on where the magic stands, or the file's end. */
static int find_magic(struct scan *s, uint64_t *at)
{
	while (*at < s->size) {
		const uint8_t *p;
		size_t got;
		int rc = progress(s, *at);
		if (!rc)
			rc = look(s, *at, 8, &p, &got);
		if (rc)
			return rc;
		/* As far as the window goes, in one go. */
		uint64_t there = s->window_at + s->window_len - *at;
		size_t i = 0;
		for (; i + 4 <= there; i += TF_ALIGN)
			if (get_le32(p + i) == TF_SECTION_MAGIC)
				break;
		*at += i;
		if (i + 4 <= there)
			return 0;
		if (there < 8)
			break;
	}
	*at = s->size;
	return 0;
}

/*
 * After a bad start at `from`: finds the next section that holds and tells what was
 * skipped. *at is that section, or the file's end.
 */
static int resync(struct scan *s, uint64_t from, const char *why, uint64_t *at)
{
	uint64_t to = from;
	for (;;) {
		struct io_section sec;
		enum verdict verdict;
		to = (to + TF_ALIGN) & ~UINT64_C(7);
		int rc = find_magic(s, &to);
		if (rc)
			return rc;
		if (to >= s->size)
			break;
		rc = judge(s, to, &sec, &verdict);
		if (rc)
			return rc;
		if (verdict == IS_SECTION)
			break;
		/* Without this bound a file full of false headers costs its size squared. */
		uint64_t cost = TF_SECTION_SIZE;
		if (verdict == BAD_CHECKSUM)
			cost += sec.stored;
		if (cost > s->search_left) {
			to = s->size;
			why = "too many false section headers: not searched further";
			break;
		}
		s->search_left -= cost;
	}
	*at = to;
	return tell_damage(s, from, to, why);
}

static int scan_sections(struct scan *s, bool *ended)
{
	uint64_t at = s->header->size;
	while (at < s->size) {
		struct io_section sec;
		enum verdict verdict;
		int rc = progress(s, at);
		if (!rc)
			rc = judge(s, at, &sec, &verdict);
		if (!rc && verdict != IS_SECTION) {
			rc = resync(s, at, why_not[verdict], &at);
			if (!rc)
				continue;
		}
		if (rc)
			return rc;
		const char *why = codec_check(&sec);
		rc = why ? tell_damage(s, at, section_end(&sec), why)
			 : s->events->section(s->events->ctx, &sec);
		if (rc)
			return rc;
		at = section_end(&sec);
		if (sec.type == TF_TYPE_END && !why) {
			*ended = true;
			return tell_damage(
				s, at, s->size > at ? s->size : at, "bytes after the END section");
		}
	}
	return 0;
}

int io_scan(const struct io_input *in, const struct io_header *header,
	const struct io_scan_events *events, io_progress_fn fn, void *ctx, bool *ended)
{
	struct scan s = {
		.in = in,
		.header = header,
		.events = events,
		.progress = fn,
		.progress_ctx = ctx,
		.size = io_size(in),
		.window = malloc(WINDOW),
		.hash = XXH3_createState(),
	};
	*ended = false;
	int rc = CPIDECODE_ENOMEM;
	if (s.window && s.hash) {
		s.search_left = SEARCH_MIN;
		if (s.size < UINT64_MAX / SEARCH_FACTOR - SEARCH_MIN)
			s.search_left += s.size * SEARCH_FACTOR;
		rc = scan_sections(&s, ended);
	}
	free(s.window);
	XXH3_freeState(s.hash);
	return rc;
}
