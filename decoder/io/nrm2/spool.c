#include "spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "../../../formats/base/array.h"
#include "../../../formats/bytes.h"
#include "../../../formats/section_check.h"
#include "../../../formats/trace_file.h"
#include "../../../include/cpidecode.h"
#include "../../../formats/base/temporary.h"

enum {
	/* Records are written as a section beyond this. */
	SECTION = 256 << 10,
	/* So are tasks, syncs, losses and META lines. */
	PLAIN = 64 << 10,
	SCHEMA_MOST = 4 << 20,
	/* There may be as many buffers as processors. */
	KEPT = 2048,
};

int nrm2_spool_open(struct nrm2_spool *s)
{
	*s = (struct nrm2_spool){.fd = temporary_open_unnamed(), .at = TF_HEADER_SIZE};
	return s->fd < 0 ? CPIDECODE_ESPOOL : 0;
}

void nrm2_spool_close(struct nrm2_spool *s)
{
	struct nrm2_bytes *all[] = {
		&s->records, &s->tasks, &s->syncs, &s->losses, &s->meta, &s->schema, &s->labels};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]->p);
}

int nrm2_bytes_room(struct nrm2_bytes *b, size_t n, uint8_t **to)
{
	if (!array_reserve(&b->p, &b->cap, b->used + n, 1))
		return CPIDECODE_ENOMEM;
	*to = b->p + b->used;
	return 0;
}

void nrm2_bytes_clear(struct nrm2_bytes *b)
{
	b->used = 0;
	if (b->cap <= KEPT)
		return;
	free(b->p);
	*b = (struct nrm2_bytes){0};
}

int nrm2_write_at(int fd, uint64_t at, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t put = pwrite(fd, p, n, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return CPIDECODE_ESPOOL;
		p += put;
		at += (uint64_t)put;
		n -= (size_t)put;
	}
	return 0;
}

/* The head's sizes are those of b. */
static int nrm2_spool_write_section(
	struct nrm2_spool *s, struct tf_section_header head, struct nrm2_bytes *b)
{
	uint8_t header[TF_SECTION_SIZE], *zeros;
	int rc = nrm2_bytes_room(b, TF_ALIGN, &zeros);
	XXH3_state_t *hash = rc ? NULL : XXH3_createState();

	if (!hash)
		return CPIDECODE_ENOMEM;
	size_t padded = (b->used + TF_ALIGN - 1) & ~(size_t)(TF_ALIGN - 1);
	memset(zeros, 0, padded - b->used);
	head.stored = head.raw = (uint32_t)b->used;
	tf_section_fill(header, &head);
	put_le64(header + TF_S_CHECKSUM, tf_section_checksum(hash, header, b->p, b->used));
	XXH3_freeState(hash);
	rc = nrm2_write_at(s->fd, s->at, header, TF_SECTION_SIZE);
	if (!rc)
		rc = nrm2_write_at(s->fd, s->at + TF_SECTION_SIZE, b->p, padded);
	s->at += TF_SECTION_SIZE + padded;
	b->used = 0;
	return rc;
}

static int write_plain(struct nrm2_spool *s, enum tf_type type, struct nrm2_bytes *b)
{
	return nrm2_spool_write_section(s, (struct tf_section_header){.type = type}, b);
}

int nrm2_spool_hooks(struct nrm2_spool *s)
{
	struct tf_section_header head = s->of_records;

	if (!s->records.used && !head.lost)
		return 0;
	head.type = TF_TYPE_HOOKS;
	s->of_records = (struct tf_section_header){
		.ring = head.ring, .position = head.position + s->records.used};
	return nrm2_spool_write_section(s, head, &s->records);
}

int nrm2_spool_room(struct nrm2_spool *s, size_t n, uint8_t **to)
{
	int rc = s->records.used > SECTION ? nrm2_spool_hooks(s) : 0;

	return rc ? rc : nrm2_bytes_room(&s->records, n, to);
}

void nrm2_spool_took(struct nrm2_spool *s, size_t n, uint64_t stamp)
{
	struct tf_section_header *head = &s->of_records;

	if (!head->hooks || stamp < head->first)
		head->first = stamp;
	if (!head->hooks || stamp > head->last)
		head->last = stamp;
	head->hooks++;
	s->records.used += n;
}

/* An entry of n bytes at the end of b, zeroed; b is written as a section when it is long. */
static int entry(
	struct nrm2_spool *s, enum tf_type type, struct nrm2_bytes *b, size_t n, uint8_t **to)
{
	int rc = b->used > PLAIN ? write_plain(s, type, b) : 0;

	if (!rc)
		rc = nrm2_bytes_room(b, n, to);
	if (rc)
		return rc;
	memset(*to, 0, n);
	b->used += n;
	return 0;
}

int nrm2_spool_task(struct nrm2_spool *s, uint32_t tid, uint32_t pid, uint64_t first,
	const char *name, size_t n)
{
	uint8_t *p;
	int rc = entry(s, TF_TYPE_TASKS, &s->tasks, TF_TASK_SIZE, &p);

	if (rc)
		return rc;
	put_le32(p + TF_TASK_TID, tid);
	put_le32(p + TF_TASK_PID, pid);
	put_le64(p + TF_TASK_FIRST, first);
	memcpy(p + TF_TASK_NAME, name, n < TF_TASK_NAME_SIZE ? n : TF_TASK_NAME_SIZE);
	return 0;
}

int nrm2_spool_sync(struct nrm2_spool *s, uint64_t ticks, uint64_t realtime, uint64_t monotonic)
{
	uint8_t *p;
	int rc = entry(s, TF_TYPE_CLOCK, &s->syncs, TF_SYNC_SIZE, &p);

	if (rc)
		return rc;
	put_le64(p + TF_SYNC_TICKS, ticks);
	put_le64(p + TF_SYNC_REALTIME, realtime);
	put_le64(p + TF_SYNC_MONOTONIC, monotonic);
	return 0;
}

int nrm2_spool_loss(struct nrm2_spool *s, uint32_t ring, const uint64_t counts[7])
{
	uint8_t *p;
	int rc = entry(s, TF_TYPE_LOSS, &s->losses, TF_LOSS_SIZE, &p);

	if (rc)
		return rc;
	put_le32(p + TF_LOSS_RING, ring);
	for (int i = 0; i < 7; i++)
		put_le64(p + TF_LOSS_FULL + 8 * i, counts[i]);
	return 0;
}

int nrm2_spool_meta(struct nrm2_spool *s, const char *line, size_t n)
{
	uint8_t *p;
	int rc = entry(s, TF_TYPE_META, &s->meta, n + 1, &p);

	if (rc)
		return rc;
	memcpy(p, line, n);
	p[n] = '\n';
	return 0;
}

int nrm2_spool_schema(struct nrm2_spool *s, bool begins, const char *text, size_t n)
{
	uint8_t *p;
	int rc = 0;
	/* No reader accepts one so long; it does not have to be kept. */
	bool full = s->schema.used > SCHEMA_MOST;

	if (s->schema.used && (begins || full))
		rc = write_plain(s, TF_TYPE_SCHEMA, &s->schema);
	if (!rc)
		rc = nrm2_bytes_room(&s->schema, n + 1, &p);
	if (rc)
		return rc;
	memcpy(p, text, n);
	s->schema.used += n;
	return 0;
}

static int spool_write_labels(struct nrm2_spool *s)
{
	const struct tf_section_header head = {
		.type = TF_TYPE_LABELS, .position = s->labels_position};

	return s->labels.used ? nrm2_spool_write_section(s, head, &s->labels) : 0;
}

/* Begins an entry, in the section at hand if it follows the last one there. */
static int spool_begin_label(struct nrm2_spool *s, uint32_t number)
{
	uint64_t position = ((uint64_t)number - 1) * TF_ALIGN;
	size_t aligned = (s->labels.used + TF_ALIGN - 1) & ~(size_t)(TF_ALIGN - 1);
	uint8_t *p;
	int rc = 0;

	if (position != s->labels_position + aligned || aligned > PLAIN)
		rc = spool_write_labels(s);
	if (!rc)
		rc = nrm2_bytes_room(&s->labels, TF_ALIGN + TF_LABEL_TEXT, &p);
	if (rc)
		return rc;
	if (!s->labels.used)
		s->labels_position = position;
	memset(p, 0, TF_ALIGN + TF_LABEL_TEXT);
	s->labels.used = position - s->labels_position;
	s->label_at = s->labels.used;
	s->labels.used += TF_LABEL_TEXT;
	return 0;
}

int nrm2_spool_label(struct nrm2_spool *s, uint32_t number, const char *text, size_t n)
{
	uint8_t *p;
	int rc = number ? spool_begin_label(s, number) : 0;
	size_t length = s->labels.used - s->label_at;

	/* No reader would accept it. */
	if (rc || !s->labels.used || length + n > TF_LABEL_TEXT + TF_LABEL_MAX)
		return rc;
	rc = nrm2_bytes_room(&s->labels, n, &p);
	if (rc)
		return rc;
	memcpy(p, text, n);
	s->labels.used += n;
	put_le32(s->labels.p + s->label_at + TF_LABEL_LENGTH,
		(uint32_t)(length + n - TF_LABEL_TEXT));
	return 0;
}

int nrm2_spool_finish(struct nrm2_spool *s, const struct nrm2_spool_head *head)
{
	struct {
		enum tf_type type;
		struct nrm2_bytes *b;
	} rest[] = {{TF_TYPE_META, &s->meta}, {TF_TYPE_SCHEMA, &s->schema},
		{TF_TYPE_TASKS, &s->tasks}, {TF_TYPE_CLOCK, &s->syncs}, {TF_TYPE_LOSS, &s->losses}};
	uint8_t h[TF_HEADER_SIZE] = {0};
	int rc = nrm2_spool_hooks(s);

	if (!rc)
		rc = spool_write_labels(s);
	for (size_t i = 0; i < sizeof rest / sizeof *rest && !rc; i++)
		if (rest[i].b->used)
			rc = write_plain(s, rest[i].type, rest[i].b);
	if (!rc)
		rc = write_plain(s, TF_TYPE_END, &s->records);
	memcpy(h + TF_H_MAGIC, TF_MAGIC, 8);
	put_le16(h + TF_H_VERSION_MAJOR, TF_VERSION_MAJOR);
	put_le16(h + TF_H_VERSION_MINOR, 0);
	put_le32(h + TF_H_HEADER_SIZE, TF_HEADER_SIZE);
	memcpy(h + TF_H_TRACE_ID, head->trace_id, sizeof head->trace_id);
	put_le32(h + TF_H_CPUS, head->cpus);
	put_le32(h + TF_H_CLOCK, head->clock);
	put_le32(h + TF_H_FLAGS, head->flags);
	put_le64(h + TF_H_TICKS_PER_SECOND, head->ticks_per_second);
	for (int i = 0; i < 3; i++)
		put_le64(h + TF_H_SYNC + 8 * i, head->sync[i]);
	put_le64(h + TF_H_CHECKSUM, tf_header_checksum(h));
	return rc ? rc : nrm2_write_at(s->fd, 0, h, sizeof h);
}
