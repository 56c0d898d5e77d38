#include "spool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "../../../formats/bytes.h"
#include "../../../formats/section_check.h"
#include "../../../formats/trace_file.h"
#include "../../../include/cpidecode.h"
#include "../../../formats/base/temporary.h"
#include "../../base/whole_io.h"

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
	struct buffer *all[] = {
		&s->records, &s->tasks, &s->syncs, &s->losses, &s->meta, &s->schema, &s->labels};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]->p);
}

void nrm2_buffer_clear(struct buffer *b)
{
	b->n = 0;
	if (b->cap <= KEPT)
		return;
	free(b->p);
	*b = (struct buffer){0};
}

int nrm2_write_at(int fd, uint64_t at, const uint8_t *p, size_t n)
{
	return whole_write(fd, p, n, at) ? CPIDECODE_ESPOOL : 0;
}

/* The head's sizes are those of b. */
static int nrm2_spool_write_section(
	struct nrm2_spool *s, struct tf_section_header head, struct buffer *b)
{
	uint8_t header[TF_SECTION_SIZE];
	XXH3_state_t *hash = buffer_reserve(b, TF_ALIGN) ? XXH3_createState() : NULL;

	if (!hash)
		return CPIDECODE_ENOMEM;
	size_t padded = (b->n + TF_ALIGN - 1) & ~(size_t)(TF_ALIGN - 1);
	memset(b->p + b->n, 0, padded - b->n);
	head.stored = head.raw = (uint32_t)b->n;
	tf_section_fill(header, &head);
	put_le64(header + TF_S_CHECKSUM, tf_section_checksum(hash, header, b->p, b->n));
	XXH3_freeState(hash);
	int rc = nrm2_write_at(s->fd, s->at, header, TF_SECTION_SIZE);
	if (!rc)
		rc = nrm2_write_at(s->fd, s->at + TF_SECTION_SIZE, b->p, padded);
	s->at += TF_SECTION_SIZE + padded;
	b->n = 0;
	return rc;
}

static int write_plain(struct nrm2_spool *s, enum tf_type type, struct buffer *b)
{
	return nrm2_spool_write_section(s, (struct tf_section_header){.type = type}, b);
}

int nrm2_spool_hooks(struct nrm2_spool *s)
{
	struct tf_section_header head = s->of_records;

	if (!s->records.n && !head.lost)
		return 0;
	head.type = TF_TYPE_HOOKS;
	s->of_records = (struct tf_section_header){
		.ring = head.ring, .position = head.position + s->records.n};
	return nrm2_spool_write_section(s, head, &s->records);
}

int nrm2_spool_room(struct nrm2_spool *s, size_t n, uint8_t **to)
{
	int rc = s->records.n > SECTION ? nrm2_spool_hooks(s) : 0;

	if (rc)
		return rc;
	if (!buffer_reserve(&s->records, n))
		return CPIDECODE_ENOMEM;
	*to = s->records.p + s->records.n;
	return 0;
}

void nrm2_spool_took(struct nrm2_spool *s, size_t n, uint64_t stamp)
{
	struct tf_section_header *head = &s->of_records;

	if (!head->hooks || stamp < head->first)
		head->first = stamp;
	if (!head->hooks || stamp > head->last)
		head->last = stamp;
	head->hooks++;
	s->records.n += n;
}

/* An entry of n bytes at the end of b, zeroed; b is written as a section when it is long. */
static int spool_add_entry(
	struct nrm2_spool *s, enum tf_type type, struct buffer *b, size_t n, uint8_t **to)
{
	int rc = b->n > PLAIN ? write_plain(s, type, b) : 0;

	if (rc)
		return rc;
	if (!buffer_reserve(b, n))
		return CPIDECODE_ENOMEM;
	*to = memset(b->p + b->n, 0, n);
	b->n += n;
	return 0;
}

int nrm2_spool_task(struct nrm2_spool *s, uint32_t tid, uint32_t pid, uint64_t first,
	const char *name, size_t n)
{
	uint8_t *p;
	int rc = spool_add_entry(s, TF_TYPE_TASKS, &s->tasks, TF_TASK_SIZE, &p);

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
	int rc = spool_add_entry(s, TF_TYPE_CLOCK, &s->syncs, TF_SYNC_SIZE, &p);

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
	int rc = spool_add_entry(s, TF_TYPE_LOSS, &s->losses, TF_LOSS_SIZE, &p);

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
	int rc = spool_add_entry(s, TF_TYPE_META, &s->meta, n + 1, &p);

	if (rc)
		return rc;
	memcpy(p, line, n);
	p[n] = '\n';
	return 0;
}

int nrm2_spool_schema(struct nrm2_spool *s, bool begins, const char *text, size_t n)
{
	int rc = 0;
	/* No reader accepts one so long; it does not have to be kept. */
	bool full = s->schema.n > SCHEMA_MOST;

	if (s->schema.n && (begins || full))
		rc = write_plain(s, TF_TYPE_SCHEMA, &s->schema);
	if (!rc)
		buffer_add(&s->schema, text, n);
	return !rc && s->schema.failed ? CPIDECODE_ENOMEM : rc;
}

static int spool_write_labels(struct nrm2_spool *s)
{
	const struct tf_section_header head = {
		.type = TF_TYPE_LABELS, .position = s->labels_position};

	return s->labels.n ? nrm2_spool_write_section(s, head, &s->labels) : 0;
}

/* Begins an entry, in the section at hand if it follows the last one there. */
static int spool_begin_label(struct nrm2_spool *s, uint32_t number)
{
	uint64_t position = ((uint64_t)number - 1) * TF_ALIGN;
	size_t aligned = (s->labels.n + TF_ALIGN - 1) & ~(size_t)(TF_ALIGN - 1);
	int rc = 0;

	if (position != s->labels_position + aligned || aligned > PLAIN)
		rc = spool_write_labels(s);
	if (rc)
		return rc;
	if (!buffer_reserve(&s->labels, TF_ALIGN + TF_LABEL_TEXT))
		return CPIDECODE_ENOMEM;
	if (!s->labels.n)
		s->labels_position = position;
	memset(s->labels.p + s->labels.n, 0, TF_ALIGN + TF_LABEL_TEXT);
	s->labels.n = position - s->labels_position;
	s->label_at = s->labels.n;
	s->labels.n += TF_LABEL_TEXT;
	return 0;
}

int nrm2_spool_label(struct nrm2_spool *s, uint32_t number, const char *text, size_t n)
{
	int rc = number ? spool_begin_label(s, number) : 0;
	size_t length = s->labels.n - s->label_at;

	/* No reader would accept it. */
	if (rc || !s->labels.n || length + n > TF_LABEL_TEXT + TF_LABEL_MAX)
		return rc;
	buffer_add(&s->labels, text, n);
	if (s->labels.failed)
		return CPIDECODE_ENOMEM;
	put_le32(s->labels.p + s->label_at + TF_LABEL_LENGTH,
		(uint32_t)(length + n - TF_LABEL_TEXT));
	return 0;
}

int nrm2_spool_finish(struct nrm2_spool *s, const struct nrm2_spool_head *head)
{
	struct {
		enum tf_type type;
		struct buffer *b;
	} rest[] = {{TF_TYPE_META, &s->meta}, {TF_TYPE_SCHEMA, &s->schema},
		{TF_TYPE_TASKS, &s->tasks}, {TF_TYPE_CLOCK, &s->syncs}, {TF_TYPE_LOSS, &s->losses}};
	uint8_t h[TF_HEADER_SIZE] = {0};
	int rc = nrm2_spool_hooks(s);

	if (!rc)
		rc = spool_write_labels(s);
	for (size_t i = 0; i < sizeof rest / sizeof *rest && !rc; i++)
		if (rest[i].b->n)
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
