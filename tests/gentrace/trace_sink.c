/* trace.bin: rings cut into sections, written as they fill up. */
#include "gentrace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libtrace/dump/pack.h"
#include "../lib/trace_build.h"

/* A section that is being filled, or is full and waits for its turn. */
struct filling {
	uint8_t *bytes; /* header, payload, zeros */
	uint32_t size;	/* of the payload */
	struct section head;
};

struct trace_sink {
	struct options o;
	int fd, only;
	bool seekable;
	uint64_t written, last;
	uint32_t max_raw;	 /* of a HOOKS section, then of all */
	struct filling *open;	 /* one a ring */
	struct filling *waiting; /* full ones, a heap by first stamp */
	size_t nwaiting, waiting_room;
	uint8_t *index;
	size_t nindex, index_room;
	struct packer packer;
	uint8_t header[TF_HEADER_SIZE];
};

static void put_bytes(struct trace_sink *s, const void *bytes, size_t n)
{
	for (const uint8_t *p = bytes; n;) {
		ssize_t wrote = write(s->fd, p, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			die("cannot write %s: %s", s->o.output, strerror(errno));
		p += wrote;
		n -= (size_t)wrote;
		s->written += (uint64_t)wrote;
	}
}

static void index_section(struct trace_sink *s, const uint8_t *header)
{
	if (!s->o.index)
		return;
	if (s->nindex == s->index_room) {
		s->index_room = s->index_room ? 2 * s->index_room : 1024;
		s->index = need_memory(realloc(s->index, s->index_room * TF_INDEX_SIZE));
	}
	uint8_t *entry = s->index + s->nindex++ * TF_INDEX_SIZE;

	put_le64(entry + TF_INDEX_OFFSET, s->written);
	memcpy(entry + TF_INDEX_HEADER, header + TF_INDEX_HEADER_FROM, TF_INDEX_HEADER_BYTES);
}

/* Packs into the packer's bytes, LZ4 as `swtrace record` does. 0: it would not get smaller. */
static uint32_t pack_section(
	struct trace_sink *s, unsigned codec, const uint8_t *payload, uint32_t raw)
{
	if (codec == TF_CODEC_NONE || raw < 2)
		return 0;
	if (codec == TF_CODEC_LZ4)
		return packer_pack(&s->packer, codec, true, payload, raw);
	return (uint32_t)pack_payload(
		(uint8_t)codec, s->o.level, payload, raw, s->packer.bytes, raw - 1);
}

/* Packs the payload if that makes it smaller. bytes has room for the header and the zeros at the
 * end. */
static void write_section(struct trace_sink *s, struct filling *section, unsigned codec)
{
	uint8_t *h = section->bytes, *payload = h + TF_SECTION_SIZE;
	uint32_t raw = section->size, stored = raw;
	uint32_t packed = pack_section(s, codec, payload, raw);

	if (packed) {
		memcpy(payload, s->packer.bytes, packed);
		section->head.codec = (uint8_t)codec;
		stored = packed;
	}
	fill_section(h, &section->head, stored, raw);
	seal_section(h, payload, stored);
	if (section->head.type == TF_TYPE_HOOKS)
		index_section(s, h);
	memset(payload + stored, 0, TF_ALIGN);
	put_bytes(s, h, section_step(h));
}

static uint8_t *section_room(uint32_t payload)
{
	return need_memory(malloc(TF_SECTION_SIZE + (size_t)payload + TF_ALIGN));
}

/* A section of something other than hooks. */
static void write_other(struct trace_sink *s, enum tf_type type, const void *payload, size_t n)
{
	struct filling other = {.bytes = section_room((uint32_t)n),
		.size = (uint32_t)n,
		.head.type = (uint16_t)type};

	if (n)
		memcpy(other.bytes + TF_SECTION_SIZE, payload, n);
	if (n > s->max_raw)
		s->max_raw = (uint32_t)n;
	write_section(s, &other, TF_CODEC_NONE);
	free(other.bytes);
}

static void sync_at(const struct trace_sink *s, uint64_t ticks, uint8_t sync[TF_SYNC_SIZE])
{
	uint64_t passed = ticks - GEN_START;
	uint64_t ns = passed / GEN_HZ * 1000000000 + passed % GEN_HZ * 1000000000 / GEN_HZ;
	int64_t drifted = (int64_t)ns + (int64_t)(ns / 1000000) * s->o.drift;

	put_le64(sync + TF_SYNC_TICKS, ticks);
	put_le64(sync + TF_SYNC_REALTIME, (uint64_t)(GEN_REALTIME_S * 1000000000 + drifted));
	put_le64(sync + TF_SYNC_MONOTONIC, GEN_MONOTONIC + (uint64_t)drifted);
}

static void write_sync(struct trace_sink *s, uint64_t ticks)
{
	uint8_t sync[TF_SYNC_SIZE];

	sync_at(s, ticks, sync);
	write_other(s, TF_TYPE_CLOCK, sync, sizeof sync);
}

static void make_header(struct trace_sink *s)
{
	uint64_t id = s->o.seed ^ UINT64_C(0x6765); /* the same seed is the same trace */
	uint8_t *h = s->header;

	fill_header(h, s->o.cpus, s->max_raw, GEN_HZ);
	put_le16(h + TF_H_VERSION_MINOR, TF_VERSION_MINOR);
	put_le64(h + TF_H_TRACE_ID, random_next(&id));
	put_le64(h + TF_H_TRACE_ID + 8, random_next(&id));
	sync_at(s, GEN_START, h + TF_H_SYNC);
	seal_header(h);
}

static void write_meta(struct trace_sink *s)
{
	static const char meta[] = "host: generated\nkernel: none\nwriter version: gentrace\n"
				   "mode: continuous\n";

	write_other(s, TF_TYPE_META, meta, sizeof meta - 1);
}

/* The hooks' fields, so that reports know their names. */
static void write_schema(struct trace_sink *s)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = need_memory(open_memstream(&text, &n));

	fprintf(f, "major 0x10 bench \"Generated hooks\"\nhook 0x0/0x0 \"sample\"\n");
	for (unsigned i = 0; i < s->o.words; i++)
		fprintf(f, "  u32 w%u hex\n", i);
	fclose(f);
	write_other(s, TF_TYPE_SCHEMA, text, n);
	free(text);
}

static void write_tasks(struct trace_sink *s)
{
	uint8_t *tasks = need_memory(calloc(s->o.threads, TF_TASK_SIZE));

	for (unsigned i = 0; i < s->o.threads; i++) {
		uint8_t *t = tasks + (size_t)i * TF_TASK_SIZE;

		put_le32(t + TF_TASK_TID, thread_tid(&s->o, i));
		put_le32(t + TF_TASK_PID, thread_pid(&s->o, i));
		put_le64(t + TF_TASK_FIRST, GEN_START);
		thread_name(i, (char *)t + TF_TASK_NAME);
	}
	write_other(s, TF_TYPE_TASKS, tasks, (size_t)s->o.threads * TF_TASK_SIZE);
	free(tasks);
}

struct trace_sink *trace_sink_open(const struct options *o)
{
	int fd = STDOUT_FILENO;

	if (strcmp(o->output, "-"))
		fd = open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		die("cannot create %s: %s", o->output, strerror(errno));
	struct trace_sink *s = need_memory(calloc(1, sizeof *s));

	s->o = *o;
	s->only = -1;
	s->fd = fd;
	s->seekable = lseek(s->fd, 0, SEEK_CUR) == 0;
	/* How long the index will be is not known yet, and a pipe's header cannot be mended. */
	s->o.index = o->index && s->seekable;
	s->max_raw = o->section;
	if (!packer_open(&s->packer, o->section))
		die("out of memory");
	s->open = need_memory(calloc(o->cpus, sizeof *s->open));
	for (unsigned i = 0; i < o->cpus; i++) {
		s->open[i].head = (struct section){.type = TF_TYPE_HOOKS, .ring = i};
		s->open[i].bytes = section_room(o->section);
	}
	if (!s->seekable && s->max_raw < o->threads * TF_TASK_SIZE)
		s->max_raw = o->threads * TF_TASK_SIZE;
	if (!s->seekable && s->max_raw < o->cpus * TF_LOSS_SIZE)
		s->max_raw = o->cpus * TF_LOSS_SIZE;
	make_header(s);
	put_bytes(s, s->header, sizeof s->header);
	write_meta(s);
	if (o->schema)
		write_schema(s);
	write_sync(s, GEN_START);
	write_tasks(s);
	return s;
}

static void swap(struct filling *a, struct filling *b)
{
	struct filling t = *a;

	*a = *b;
	*b = t;
}

static void wait_push(struct trace_sink *s, const struct filling *section)
{
	size_t at = s->nwaiting++;

	if (s->nwaiting > s->waiting_room) {
		s->waiting_room = 2 * s->nwaiting;
		s->waiting = need_memory(realloc(s->waiting, s->waiting_room * sizeof *s->waiting));
	}
	s->waiting[at] = *section;
	for (; at && s->waiting[at].head.first < s->waiting[(at - 1) / 2].head.first;
		at = (at - 1) / 2)
		swap(&s->waiting[at], &s->waiting[(at - 1) / 2]);
}

static struct filling wait_pop(struct trace_sink *s)
{
	struct filling top = s->waiting[0];
	size_t at = 0, child;

	s->waiting[0] = s->waiting[--s->nwaiting];
	while ((child = 2 * at + 1) < s->nwaiting) {
		if (child + 1 < s->nwaiting &&
			s->waiting[child + 1].head.first < s->waiting[child].head.first)
			child++;
		if (s->waiting[at].head.first <= s->waiting[child].head.first)
			break;
		swap(&s->waiting[at], &s->waiting[child]);
		at = child;
	}
	return top;
}

/* Writes full sections that precede all those still being filled. */
static void write_waiting(struct trace_sink *s)
{
	uint64_t oldest = UINT64_MAX;

	for (unsigned i = 0; i < s->o.cpus; i++)
		if (s->open[i].size && s->open[i].head.first < oldest)
			oldest = s->open[i].head.first;
	while (s->nwaiting && (s->waiting[0].head.first <= oldest || s->o.order != ORDER_FIRST)) {
		struct filling section = wait_pop(s);

		write_section(s, &section, s->o.codec);
		free(section.bytes);
	}
}

static void section_full(struct trace_sink *s, struct filling *open)
{
	if (!open->size)
		return;
	struct filling full = *open;

	/* A ring's sections begin on multiples of their size. */
	*open = (struct filling){.bytes = section_room(s->o.section),
		.head = {.type = TF_TYPE_HOOKS,
			.ring = full.head.ring,
			.position = full.head.position + s->o.section}};
	wait_push(s, &full);
	write_waiting(s);
}

static uint32_t record_size(const struct hook *h)
{
	return rec_size(h->nwords, h->string ? rec_string_bytes(h->length) : 0);
}

static void write_record(uint8_t *p, uint32_t size, const struct unit *u, const struct hook *h)
{
	struct made_record r = {.major = h->major,
		.nstrings = h->string != NULL,
		.nwords = (uint16_t)h->nwords,
		.minor = h->minor,
		.tid = u->tid,
		.stamp = u->stamp,
		.words = h->words};
	uint8_t *at = record_begin(p, size, &r);

	if (h->string)
		record_string(at, h->string, h->length);
}

void trace_sink_pass(struct trace_sink *s, int only)
{
	s->only = only;
}

void trace_sink_put(struct trace_sink *s, const struct unit *u)
{
	struct filling *open = &s->open[u->cpu];
	uint32_t size = 0;

	s->last = u->stamp;
	if (s->only >= 0 && (unsigned)s->only != u->cpu)
		return;
	for (unsigned i = 0; i < u->nhooks; i++)
		size += record_size(&u->hook[i]);
	if (size > s->o.section)
		die("a group of %u bytes does not fit into a section of %u: give a larger --section",
			size, s->o.section);
	if (open->size + size > s->o.section)
		section_full(s, open);
	if (!open->size)
		open->head.first = u->stamp;
	open->head.last = u->stamp;
	open->head.hooks += u->nhooks;
	for (unsigned i = 0; i < u->nhooks; i++) {
		uint32_t one = record_size(&u->hook[i]);

		write_record(open->bytes + TF_SECTION_SIZE + open->size, one, u, &u->hook[i]);
		open->size += one;
	}
}

static void write_losses(struct trace_sink *s)
{
	uint8_t *losses = need_memory(calloc(s->o.cpus, TF_LOSS_SIZE));

	for (unsigned i = 0; i < s->o.cpus; i++)
		put_le32(losses + (size_t)i * TF_LOSS_SIZE + TF_LOSS_RING, i);
	write_other(s, TF_TYPE_LOSS, losses, (size_t)s->o.cpus * TF_LOSS_SIZE);
	free(losses);
}

/* The header again, now that the largest section is known. */
static void mend_header(struct trace_sink *s)
{
	make_header(s);
	if (pwrite(s->fd, s->header, sizeof s->header, 0) != (ssize_t)sizeof s->header)
		die("cannot write %s: %s", s->o.output, strerror(errno));
}

void trace_sink_close(struct trace_sink *s)
{
	for (unsigned i = 0; i < s->o.cpus; i++)
		section_full(s, &s->open[i]);
	write_losses(s);
	write_sync(s, s->last ? s->last : GEN_START);
	if (s->nindex)
		write_other(s, TF_TYPE_INDEX, s->index, s->nindex * TF_INDEX_SIZE);
	if (s->o.end)
		write_other(s, TF_TYPE_END, "", 0);
	if (s->seekable)
		mend_header(s);
	if (s->fd != STDOUT_FILENO && close(s->fd) != 0)
		die("cannot write %s: %s", s->o.output, strerror(errno));
	for (unsigned i = 0; i < s->o.cpus; i++)
		free(s->open[i].bytes);
	free(s->open);
	free(s->waiting);
	free(s->index);
	packer_close(&s->packer);
	free(s);
}
