/* Scans header and sections. Trusts nothing before its checksum matches. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../../formats/bytes.h"
#include "../../formats/section_check.h"
#include "../../formats/trace_file.h"
#include "../../include/cpidecode.h"
#include "codec.h"
#include "input.h"

enum {
	WINDOW = 1 << 20,
	/* The read-ahead of a scan of headers only: the next header behind a large section,
	 * several behind small ones (up to SMALL). */
	AHEAD_ONE = TF_SECTION_SIZE,
	AHEAD_SEVERAL = 64 << 10,
	SMALL = 8 << 10,
	/* Bounds the bytes hashed for false starts to a multiple of the file's size (SEARCH_MIN
	 * for small files). Starts with the check byte are rare and may cost more. */
	SEARCH_FACTOR = 8,
	SEARCH_FACTOR_CHECKED = 64,
	SEARCH_MIN = 8 << 20,
	PROGRESS_STEP = 4 << 20,
	MAX_HEADER = 1 << 20,
};

struct scan {
	const struct io_input *in;
	struct io_input *arriving; /* the same; NULL: all of it has arrived */
	const struct io_scan_events *events;
	bool lazy;
	io_progress_fn progress;
	void *progress_ctx;
	uint64_t size;	      /* the file's size; lowered if the file turns out shorter; while it is
				 arriving INT64_MAX */
	uint64_t reported;    /* position of the last progress call */
	uint64_t search_left; /* budget of bytes hashed in vain */
	uint64_t astray_left; /* part of the budget for starts that lead to no other section */
	struct io_header header;
	bool checks; /* section headers have a check byte */
	XXH3_state_t *hash;
	uint8_t *window;
	size_t window_size;
	uint64_t window_at;
	size_t window_len;
	size_t ahead; /* least bytes per read */
};

/* The result at an offset. */
enum verdict {
	IS_SECTION,
	NO_HEADER,
	BAD_CHECKSUM,
	CUT_OFF,
};

static const char *const why_not[] = {
	[NO_HEADER] = "no section header here",
	[BAD_CHECKSUM] = io_bad_checksum,
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
	if (got == 0)
		return CPIDECODE_EEMPTY;
	if (memcmp(b, TF_MAGIC, got < 8 ? got : 8) != 0)
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
	h->damaged = tf_header_checksum(b) != get_le64(b + TF_H_CHECKSUM);
	/* A later minor version may have a longer header. */
	uint32_t size = get_le32(b + TF_H_HEADER_SIZE);
	bool sane = size >= TF_HEADER_SIZE && size <= MAX_HEADER && size % TF_ALIGN == 0;
	h->size = sane && !h->damaged ? size : TF_HEADER_SIZE;
	return 0;
}

static void scan_set_budget(struct scan *s, uint64_t bytes)
{
	uint64_t factor = s->checks ? SEARCH_FACTOR_CHECKED : SEARCH_FACTOR;

	s->search_left = UINT64_MAX;
	if (bytes < UINT64_MAX / factor)
		s->search_left = bytes * factor;
	s->astray_left = s->search_left / 4;
}

static uint64_t scan_searched_bytes(uint64_t size)
{
	return size > SEARCH_MIN ? size : SEARCH_MIN;
}

/* The bytes before end have arrived, or the size is known. */
static int scan_await(struct scan *s, uint64_t end)
{
	if (!s->arriving)
		return 0;
	int rc = io_await(s->arriving, end);
	if (!rc && !io_is_arriving(s->arriving)) {
		s->arriving = NULL;
		s->size = io_size(s->in);
		scan_set_budget(s, scan_searched_bytes(s->size));
	}
	return rc;
}

/* Makes [at, at + n) readable at *p, n <= window_size; *got is less at the end of the file. */
static int scan_peek(struct scan *s, uint64_t at, size_t n, const uint8_t **p, size_t *got)
{
	if (at < s->window_at || at + n > s->window_at + s->window_len) {
		size_t most = s->ahead < s->window_size ? s->ahead : s->window_size;

		most = most > n ? most : n;
		int rc = scan_await(s, at + most);
		if (!rc)
			rc = io_read(s->in, at, s->window, most, &s->window_len);
		if (rc)
			return rc;
		s->window_at = at;
		if (s->window_len < most && at + s->window_len < s->size)
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
	sec->checked = false;
}

/* Adds [at, at + n) to the hash. *got < n: the file ends early. */
static int hash_payload(struct scan *s, uint64_t at, uint64_t n, uint64_t *got)
{
	for (*got = 0; *got < n;) {
		const uint8_t *p;
		size_t part = n - *got < s->window_size ? (size_t)(n - *got) : s->window_size,
		       there;
		int rc = scan_peek(s, at + *got, part, &p, &there);

		if (rc)
			return rc;
		XXH3_64bits_update(s->hash, p, there);
		*got += there;
		if (there < part)
			break;
	}
	return 0;
}

static int scan_classify_section(
	struct scan *s, uint64_t at, struct io_section *sec, enum verdict *verdict)
{
	const uint8_t *b;
	size_t got;
	int rc = scan_peek(s, at, TF_SECTION_SIZE, &b, &got);

	if (rc)
		return rc;
	*verdict = NO_HEADER;
	if (got < 4 || get_le32(b) != TF_SECTION_MAGIC)
		return 0;
	*verdict = CUT_OFF;
	if (got < TF_SECTION_SIZE)
		return 0;
	parse_section(sec, b, at);
	rc = scan_await(s, at + TF_SECTION_SIZE + sec->stored);
	if (rc || sec->stored > s->size - at - TF_SECTION_SIZE)
		return rc;
	*verdict = BAD_CHECKSUM;
	uint64_t sum = get_le64(b + TF_S_CHECKSUM), hashed;
	XXH3_64bits_reset(s->hash);
	XXH3_64bits_update(s->hash, b, TF_S_CHECKSUM);
	rc = hash_payload(s, at + TF_SECTION_SIZE, sec->stored, &hashed);
	if (rc)
		return rc;
	sec->checked = hashed == sec->stored && XXH3_64bits_digest(s->hash) == sum;
	if (sec->checked)
		*verdict = IS_SECTION;
	return 0;
}

uint64_t io_section_end(const struct io_section *sec)
{
	return sec->offset + TF_SECTION_SIZE + (((uint64_t)sec->stored + 7) & ~UINT64_C(7));
}

static int scan_report_progress(struct scan *s, uint64_t at)
{
	/* The copy of an arriving input reports progress itself. */
	if (!s->progress || s->arriving || at < s->reported + PROGRESS_STEP)
		return 0;
	s->reported = at;
	return s->progress(s->progress_ctx, at, s->size) ? 0 : CPIDECODE_ECANCELED;
}

static int tell_damage(struct scan *s, uint64_t from, uint64_t to, const char *why)
{
	int rc = scan_await(s, to);

	if (rc)
		return rc;
	/* The last section's padding may be cut off. */
	if (to > s->size)
		to = s->size;
	struct io_damage d = {.offset = from, .bytes = to - from, .why = why};
	return to > from ? s->events->damage(s->events->ctx, &d) : 0;
}

/* The next multiple of 8 at or after `at` that holds the magic, or the file's end. */
static int find_magic(struct scan *s, uint64_t *at)
{
	while (*at < s->size) {
		const uint8_t *p;
		size_t got;
		int rc = scan_report_progress(s, *at);

		if (!rc)
			rc = scan_peek(s, *at, 8, &p, &got);
		if (rc)
			return rc;
		/* Searches all of the window in one pass. */
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

/* Whether another section, or the file's end, follows this one. */
static int leads_on(struct scan *s, const struct io_section *sec, bool *leads)
{
	uint8_t b[4];
	size_t got;
	uint64_t end = io_section_end(sec);

	*leads = end >= s->size;
	if (*leads)
		return 0;
	/* Bypasses the window, which stays at the search position. */
	int rc = io_read(s->in, end, b, sizeof b, &got);
	*leads = !rc && got == sizeof b && get_le32(b) == TF_SECTION_MAGIC;
	return rc;
}

/*
 * Judges a candidate after damage, before its payload is hashed. Strings in hooks may look like
 * headers: reject those without the file's check byte, and give those that lead to no section a
 * quarter of the budget.
 */
static int scan_consider_candidate(struct scan *s, uint64_t at, bool *worth)
{
	struct io_section sec;
	const uint8_t *b;
	size_t got;
	bool leads;

	*worth = true;
	int rc = scan_peek(s, at, TF_SECTION_SIZE, &b, &got);
	if (rc || got < TF_SECTION_SIZE)
		return rc;
	parse_section(&sec, b, at);
	*worth = sec.stored <= s->size - at - TF_SECTION_SIZE &&
		 (!s->checks || (b[TF_S_CHECK] == tf_section_check(s->header.trace_id, b) &&
					sec.raw <= s->header.max_raw));
	if (!*worth)
		return 0;
	rc = leads_on(s, &sec, &leads);
	if (rc || leads)
		return rc;
	*worth = sec.stored <= s->astray_left;
	s->astray_left -= *worth ? sec.stored : 0;
	return 0;
}

/* Without this bound a file full of false headers costs quadratic time. */
static bool scan_can_afford(struct scan *s, enum verdict verdict, const struct io_section *sec)
{
	uint64_t cost = TF_SECTION_SIZE;

	if (verdict == BAD_CHECKSUM)
		cost += sec->stored;
	bool enough = cost <= s->search_left;
	s->search_left -= enough ? cost : s->search_left;
	return enough;
}

/*
 * After a bad start at `from`: finds the next intact section and reports the skipped bytes. Sets
 * *at to that section, or to the file's end.
 */
static int scan_find_next_section(struct scan *s, uint64_t from, enum verdict verdict,
	const struct io_section *start, uint64_t *at)
{
	struct io_section sec = *start;
	const char *why = why_not[verdict];
	uint64_t to = from;
	bool worth = true;

	s->ahead = WINDOW;
	/* The budget depends on the size. */
	int rc = scan_await(s, UINT64_MAX);
	if (rc)
		return rc;
	for (;;) {
		if (worth && !scan_can_afford(s, verdict, &sec)) {
			to = s->size;
			why = "too many false section headers: not searched further";
			break;
		}
		to = (to + TF_ALIGN) & ~UINT64_C(7);
		rc = find_magic(s, &to);
		if (rc)
			return rc;
		if (to >= s->size)
			break;
		rc = scan_consider_candidate(s, to, &worth);
		if (!rc && !worth)
			continue;
		if (!rc)
			rc = scan_classify_section(s, to, &sec, &verdict);
		if (rc)
			return rc;
		if (verdict == IS_SECTION)
			break;
	}
	*at = to;
	return tell_damage(s, from, to, why);
}

/* Whether a plausible header is here. */
static int scan_peek_section(struct scan *s, uint64_t at, struct io_section *sec, bool *possible)
{
	const uint8_t *b;
	size_t got;
	int rc = scan_peek(s, at, TF_SECTION_SIZE, &b, &got);

	*possible = false;
	if (rc || got < TF_SECTION_SIZE || get_le32(b) != TF_SECTION_MAGIC)
		return rc;
	parse_section(sec, b, at);
	/* Else a section that is cut off were possible while its stream is arriving. */
	rc = scan_await(s, at + TF_SECTION_SIZE + sec->stored);
	*possible = !rc && sec->stored <= s->size - at - TF_SECTION_SIZE && !codec_check(sec);
	return rc;
}

/* Reports the section at *at without reading its payload and steps over it, or does nothing. */
static int step_lightly(struct scan *s, uint64_t *at, bool *stepped)
{
	struct io_section sec, next;
	bool possible;

	*stepped = false;
	int rc = scan_peek_section(s, *at, &sec, &possible);
	if (rc || !possible || sec.type != TF_TYPE_HOOKS)
		return rc;
	uint64_t end = io_section_end(&sec);
	s->ahead = end - *at > SMALL ? AHEAD_ONE : AHEAD_SEVERAL;
	rc = end < s->size ? scan_peek_section(s, end, &next, &possible) : 0;
	if (rc || end >= s->size || !possible)
		return rc;
	rc = s->events->section(s->events->ctx, &sec);
	if (rc == IO_DOUBT)
		return 0;
	*at = end;
	*stepped = true;
	return rc;
}

/* Reports the section at *at, or the damage there, and steps over it. */
static int step_surely(struct scan *s, uint64_t *at, bool *ended)
{
	struct io_section sec = {0};
	enum verdict verdict;
	int rc = scan_classify_section(s, *at, &sec, &verdict);

	if (rc)
		return rc;
	if (verdict != IS_SECTION)
		return scan_find_next_section(s, *at, verdict, &sec, at);
	const char *why = codec_check(&sec);
	*at = io_section_end(&sec);
	*ended = sec.type == TF_TYPE_END && !why;
	return why ? tell_damage(s, sec.offset, *at, why)
		   : s->events->section(s->events->ctx, &sec);
}

static int scan_sections(struct scan *s, uint64_t at, bool *ended)
{
	int rc = 0;

	while (!rc && !*ended) {
		bool stepped = false;

		rc = scan_await(s, at + 1);
		if (rc || at >= s->size)
			break;
		rc = scan_report_progress(s, at);
		if (!rc && s->lazy)
			rc = step_lightly(s, &at, &stepped);
		if (!rc && !stepped)
			rc = step_surely(s, &at, ended);
	}
	if (!rc)
		rc = scan_await(s, UINT64_MAX);
	if (!rc && *ended && s->size > at)
		rc = tell_damage(s, at, s->size, "bytes after the END section");
	return rc;
}

static int scan_begin(struct scan *s, uint64_t bytes)
{
	s->window_size = WINDOW;
	if (io_size(s->in) < WINDOW - TF_SECTION_SIZE)
		s->window_size = (size_t)io_size(s->in) + TF_SECTION_SIZE;
	s->window = malloc(s->window_size);
	s->hash = XXH3_createState();
	s->ahead = WINDOW;
	s->checks = !io_read_header(s->in, &s->header) && !s->header.damaged &&
		    s->header.flags & TF_FLAG_CHECKS;
	scan_set_budget(s, bytes);
	return s->window && s->hash ? 0 : CPIDECODE_ENOMEM;
}

static void scan_end(struct scan *s)
{
	free(s->window);
	XXH3_freeState(s->hash);
}

int io_scan(struct io_input *in, const struct io_header *header, bool lazy,
	const struct io_scan_events *events, io_progress_fn fn, void *ctx, bool *ended)
{
	struct scan s = {
		.in = in,
		.arriving = io_is_arriving(in) ? in : NULL,
		.lazy = lazy,
		.events = events,
		.progress = fn,
		.progress_ctx = ctx,
		.size = io_is_arriving(in) ? INT64_MAX : io_size(in),
	};

	*ended = false;
	int rc = scan_begin(&s, scan_searched_bytes(s.size));
	io_expect_jumps(in, lazy);
	if (!rc)
		rc = scan_sections(&s, header->size, ended);
	io_expect_jumps(in, false);
	scan_end(&s);
	return rc;
}

int io_rescue(const struct io_input *in, const struct io_section *sec,
	const struct io_scan_events *events, bool *ended)
{
	struct scan s = {.in = in, .events = events, .size = io_section_end(sec)};

	*ended = false;
	if (s.size > io_size(in))
		s.size = io_size(in);
	int rc = scan_begin(&s, s.size > sec->offset ? s.size - sec->offset : 0);
	if (!rc)
		rc = scan_sections(&s, sec->offset, ended);
	scan_end(&s);
	return rc;
}

int io_check(const struct io_input *in, const struct io_section *sec, bool *holds)
{
	struct scan s = {.in = in, .size = io_size(in)};
	struct io_section again;
	enum verdict verdict = NO_HEADER;
	int rc = scan_begin(&s, 0);

	s.ahead = 0;
	if (!rc)
		rc = scan_classify_section(&s, sec->offset, &again, &verdict);
	*holds = verdict == IS_SECTION;
	scan_end(&s);
	return rc;
}
