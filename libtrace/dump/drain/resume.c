/*
 * Going on with a file: one that a drain was killed over, or that was closed in order.
 *
 * The headers lead from section to section. An incomplete section at the end is cut off, and so
 * is END. The file says how far each ring was taken: a section that was written but not
 * released when its drain was killed is not written again.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "../../../formats/bytes.h"
#include "../../../formats/section_check.h"
#include "../../../include/perfutil.h"
#include "../../session/own_schemas.h"
#include "private.h"
#include "../../session/fail.h"

struct scan {
	struct drain *d;
	struct drain_file *f;
	uint64_t size, at;
	uint8_t header[TF_SECTION_SIZE]; /* at `at` */
	uint8_t *payload;		 /* max_raw + 1 bytes */
	uint64_t schemas;		 /* bytes of SCHEMA sections */
};

bool drain_has_id(int fd, const uint8_t id[TRACE_ID_SIZE], uint8_t header[TF_HEADER_SIZE])
{
	return ring_read_at(fd, header, TF_HEADER_SIZE, 0) &&
	       memcmp(header + TF_H_MAGIC, TF_MAGIC, 8) == 0 &&
	       get_le64(header + TF_H_CHECKSUM) == tf_header_checksum(header) &&
	       memcmp(header + TF_H_TRACE_ID, id, TRACE_ID_SIZE) == 0;
}

static uint64_t section_bytes(const struct scan *s)
{
	uint64_t stored = get_le32(s->header + TF_S_STORED);

	return TF_SECTION_SIZE + ((stored + TF_ALIGN - 1) & ~(uint64_t)(TF_ALIGN - 1));
}

/* Whether the section's header is valid and the section complete. */
static bool resume_has_complete_section(struct scan *s)
{
	return s->size - s->at >= TF_SECTION_SIZE &&
	       ring_read_at(s->f->out.fd, s->header, sizeof s->header, s->at) &&
	       get_le32(s->header + TF_S_MAGIC) == TF_SECTION_MAGIC &&
	       get_le32(s->header + TF_S_STORED) <= s->f->max_raw &&
	       get_le32(s->header + TF_S_RAW) <= s->f->max_raw &&
	       section_bytes(s) <= s->size - s->at;
}

/* Reads the stored payload; whether the checksum holds. */
static bool resume_verify_section(struct scan *s)
{
	uint32_t stored = get_le32(s->header + TF_S_STORED);
	XXH3_state_t *hash = XXH3_createState();
	bool holds = hash &&
		     ring_read_at(s->f->out.fd, s->payload, stored, s->at + TF_SECTION_SIZE) &&
		     tf_section_checksum(hash, s->header, s->payload, stored) ==
			     get_le64(s->header + TF_S_CHECKSUM);

	XXH3_freeState(hash);
	return holds;
}

/* The index of the drain's ring for a file's ring, or d->rings. */
static uint32_t ring_by_id(const struct drain *d, uint32_t id)
{
	for (uint32_t i = 0; i < d->rings; i++)
		if (ring_reader_id(&d->reader, i) == id)
			return i;
	return d->rings;
}

static void note_hooks(struct scan *s)
{
	struct drain *d = s->d;
	const uint8_t *h = s->header;
	uint32_t ring = ring_by_id(d, get_le32(h + TF_S_RING));
	uint64_t end = get_le64(h + TF_S_POSITION) + get_le32(h + TF_S_RAW);

	if (ring == d->rings)
		return;
	struct drain_ring *r = &d->ring[ring];
	s->f->tail[s->f->hooked++ % DRAIN_TAIL] = (struct drain_section){.offset = s->at,
		.ring = ring,
		.hooks = get_le32(h + TF_S_HOOKS),
		.torn = get_le32(h + TF_S_TORN)};
	r->here.hooks += get_le32(h + TF_S_HOOKS);
	r->here.torn += get_le32(h + TF_S_TORN);
	r->recorded_lost += get_le32(h + TF_S_LOST);
	if (end > r->queued && end <= drain_limit(d, ring))
		drain_start_at(d, ring, end);
}

static void note_losses(struct scan *s)
{
	struct drain *d = s->d;
	uint32_t raw = get_le32(s->header + TF_S_RAW);

	if (s->header[TF_S_CODEC] != TF_CODEC_NONE || !resume_verify_section(s))
		return;
	for (uint32_t at = 0; at + TF_LOSS_SIZE <= raw; at += TF_LOSS_SIZE) {
		uint32_t ring = ring_by_id(d, get_le32(s->payload + at + TF_LOSS_RING));

		s->f->losses++;
		if (ring == d->rings)
			continue;
		struct drain_ring *r = &d->ring[ring];
		uint64_t torn = get_le64(s->payload + at + TF_LOSS_TORN);
		r->here.torn += torn - r->here.loose_torn;
		r->here.loose_torn = torn;
	}
}

static void note_meta(struct scan *s)
{
	if (s->header[TF_S_CODEC] != TF_CODEC_NONE || !resume_verify_section(s))
		return;
	s->payload[get_le32(s->header + TF_S_STORED)] = 0;
	drain_state_parse_meta(s->d, (char *)s->payload);
	for (uint32_t i = 0; i < s->d->rings; i++)
		for (int k = SHM_LOST_FULL; k < SHM_SKIPPED; k++)
			s->d->ring[i].recorded_lost += s->d->ring[i].lost0[k];
}

static void note_section(struct scan *s)
{
	switch (get_le16(s->header + TF_S_TYPE)) {
	case TF_TYPE_HOOKS:
		note_hooks(s);
		break;
	case TF_TYPE_META:
		note_meta(s);
		break;
	case TF_TYPE_SCHEMA:
		s->schemas += get_le32(s->header + TF_S_RAW);
		break;
	case TF_TYPE_LOSS:
		note_losses(s);
		break;
	default:
		break;
	}
}

/* ------------------------------------------------------------------------ scan */

static int resume_fail_damaged(const struct scan *s, struct session_error *error)
{
	return session_fail(error, PU_ERR_FILE_ERROR,
		"%s is damaged at byte %llu, and cannot be gone on with; move it away",
		s->f->out.path, (unsigned long long)s->at);
}

/* Records the section at `at`, whose header was valid. */
static bool resume_note_if_complete(struct scan *s, uint64_t at, bool last)
{
	s->at = at;
	/* A crash of the machine may leave a header without its payload. */
	if (!resume_has_complete_section(s) || (last && !resume_verify_section(s)))
		return false;
	note_section(s);
	return true;
}

/*
 * Leaves s->at where the file is to be cut off: behind the last complete section, or before END. A
 * section is noted once it is known whether another one follows it.
 */
static int resume_scan_file(struct scan *s, struct session_error *error)
{
	uint64_t before = 0;
	bool more = true;

	s->at = TF_HEADER_SIZE;
	while (more) {
		uint64_t here = s->at;
		uint64_t next = here;

		more = resume_has_complete_section(s) &&
		       get_le16(s->header + TF_S_TYPE) != TF_TYPE_END;
		if (more)
			next += section_bytes(s);
		if (before && !resume_note_if_complete(s, before, !more))
			break;
		before = here;
		s->at = next;
	}
	/* A kill leaves an incomplete section and at most one altered section before it. More is
	 * damage. */
	if (s->size - s->at > 2 * (TF_SECTION_SIZE + (uint64_t)s->f->max_raw))
		return resume_fail_damaged(s, error);
	return 0;
}

static void resume_reset_drain(struct drain *d)
{
	d->bytes_before = d->rotations = 0;
	for (uint32_t i = 0; i < d->rings; i++) {
		struct drain_ring *r = &d->ring[i];

		r->before = (struct drain_share){0};
		r->here = (struct drain_share){.unwritten = d->state_known ? r->here.unwritten : 0};
		memset(r->lost0, 0, sizeof r->lost0);
		r->recorded_lost = 0;
	}
}

static int resume_reopen_writer(struct scan *s, struct session_error *error)
{
	struct drain_file *f = s->f;

	f->regular = true;
	int rc = drain_file_cut(f, s->at, error);
	if (rc == 0)
		rc = section_writer_open(&f->writer, &f->out, f->max_raw, 0, error);
	memcpy(f->writer.trace_id, s->d->id, sizeof f->writer.trace_id);
	if (s->schemas > swtrace_own_schemas_size)
		f->registered = s->schemas - swtrace_own_schemas_size;
	return rc ? rc : 1;
}

int drain_resume(struct drain *d, struct session_error *error)
{
	struct scan s = {.d = d, .f = &d->file};
	uint8_t header[TF_HEADER_SIZE];
	struct stat st;

	if (fstat(s.f->out.fd, &st) != 0 || !S_ISREG(st.st_mode) ||
		!drain_has_id(s.f->out.fd, d->id, header))
		return 0;
	s.size = (uint64_t)st.st_size;
	s.f->max_raw = get_le32(header + TF_H_MAX_RAW);
	s.f->scripted = get_le32(header + TF_H_FLAGS) & TF_FLAG_SCRIPTED;
	s.payload = malloc((size_t)s.f->max_raw + 1);
	if (!s.payload)
		return session_fail(error, PU_ERROR_NOT_ENOUGH_MEMORY,
			"%s: not enough memory to go on with it", s.f->out.path);
	resume_reset_drain(d);
	int rc = resume_scan_file(&s, error);
	if (rc == 0)
		rc = resume_reopen_writer(&s, error);
	free(s.payload);
	return rc;
}
