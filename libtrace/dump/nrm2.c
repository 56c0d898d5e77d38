#include "nrm2.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "../../formats/bytes.h"
#include "../../formats/nrm2_encode.h"
#include "../../include/perfutil.h"
#include "../session/fail.h"

struct writer {
	const struct nrm2_dump *d;
	struct nrm2_file file;
	struct nrm2_section section;
	uint64_t *told; /* hooks lost, by ring, that its sections have told */
};

static int write_section(struct writer *w)
{
	uint8_t header[NRM2_HEADER_SIZE];
	struct iovec parts[] = {{.iov_base = header, .iov_len = sizeof header},
		{.iov_base = w->section.data, .iov_len = w->section.used}};

	nrm2_put_header(header, &w->file, &w->section);
	nrm2_section_emptied(&w->section);
	return output_writev(w->d->out, parts, 2, w->d->error);
}

/* ---------------------------------------------------------------------- tables */

static int add_table(struct writer *w, uint16_t major, uint32_t minor, uint64_t stamp,
	const uint64_t *integers, unsigned n, const char *string, size_t length)
{
	int rc = 0;

	if (!nrm2_has_room(&w->section, nrm2_table_bytes(n, string, (uint32_t)length)))
		rc = write_section(w);
	if (rc == 0)
		nrm2_add_table(
			&w->section, major, minor, stamp, integers, n, string, (uint32_t)length);
	return rc;
}

static int add_sync(struct writer *w, const uint64_t sync[3])
{
	return add_table(w, NRM2_SYSINFO, NRM2_SYNC, sync[0], sync + 1, 2, NULL, 0);
}

static int put_clock(struct writer *w)
{
	const struct nrm2_file *f = &w->file;
	const uint64_t *init = w->d->session->control->sync;
	uint64_t speed[4] = {
		(f->ticks_per_second + 500000) / 1000000, 0, 0, f->sync[1] / 1000000000};
	int rc = add_table(w, NRM2_SYSINFO, NRM2_CPU_SPEED, f->sync[0], speed, 4, NULL, 0);

	if (rc == 0)
		rc = add_table(w, NRM2_SYSINFO, NRM2_TIME_BASE, f->sync[0], &f->ticks_per_second, 1,
			NULL, 0);
	if (rc == 0 && head_has_first_sync(w->d->session, f->sync))
		rc = add_sync(w, init);
	return rc ? rc : add_sync(w, f->sync);
}

static int put_meta(struct writer *w, const struct text *meta)
{
	int rc = 0;

	for (size_t at = 0; at < meta->length && rc == 0;) {
		const char *line = meta->bytes + at, *end = memchr(line, '\n', meta->length - at);
		size_t n = end ? (size_t)(end - line) : meta->length - at;

		at += n + 1;
		if (n > NRM2_TEXT_PIECE)
			n = NRM2_TEXT_PIECE;
		rc = add_table(w, NRM2_SYSINFO, NRM2_META, 0, NULL, 0, line, n);
	}
	return rc;
}

static int put_schema(struct writer *w, const struct text *schema)
{
	int rc = 0;

	for (size_t at = 0; at < schema->length && rc == 0; at += NRM2_TEXT_PIECE) {
		uint64_t first = at == 0;
		size_t n = schema->length - at;

		rc = add_table(w, NRM2_SYSINFO, NRM2_SCHEMA, 0, &first, 1, schema->bytes + at,
			n < NRM2_TEXT_PIECE ? n : NRM2_TEXT_PIECE);
	}
	return rc;
}

static int put_tasks(struct writer *w, const struct tasks *tasks)
{
	int rc = 0;

	for (uint32_t i = 0; i < tasks->count && rc == 0; i++) {
		const struct task_identity *t = &tasks->task[i].task;
		uint64_t ids[] = {t->tid, t->pid};

		rc = add_table(w, NRM2_MODULE_TABLE, NRM2_PID_NAME, t->first, ids,
			t->tid == t->pid ? 1 : 2, t->name, strnlen(t->name, TF_TASK_NAME_SIZE));
	}
	return rc;
}

static int put_tables(struct writer *w)
{
	const struct file_head *head = w->d->head;
	w->section.type = NRM2_TYPE_TABLE;
	int rc = put_clock(w);
	if (rc == 0)
		rc = put_meta(w, &head->meta);
	if (rc == 0)
		rc = put_schema(w, &head->schema);
	if (rc == 0)
		rc = put_tasks(w, head->known);
	return rc ? rc : write_section(w);
}

/* ----------------------------------------------------------------------- hooks */

static void name_ring(struct writer *w, uint32_t ring)
{
	w->section.type = NRM2_TYPE_TRACE;
	w->section.ring = ring;
	w->section.cpu = ring & TF_GUEST_RING
				 ? w->d->session->geometry.cpus + (ring & ~TF_GUEST_RING)
				 : ring;
}

static int add_hook(struct writer *w, const uint8_t *record, uint32_t ring)
{
	struct dump_result *result = w->d->result;
	struct nrm2_hook_data h = {.major = record[REC_MAJOR],
		.minor = get_le32(record + REC_MINOR),
		.nwords = get_le16(record + REC_NWORDS),
		.nstrings = record[REC_NSTRINGS],
		.stamp = get_le64(record + REC_STAMP),
		.words = record + REC_DATA};
	int rc = 0;

	h.strings = h.words + 4 * h.nwords;
	uint32_t size = nrm2_hook_bytes(&h);
	if (size == 0) {
		result->left_out++;
		return 0;
	}
	if (!nrm2_has_room(&w->section, size))
		rc = write_section(w);
	if (rc)
		return rc;
	nrm2_add(&w->section, &h, size, get_le32(record + REC_TID), h.stamp);
	result->hooks++;
	result->guests += ring & TF_GUEST_RING ? 1 : 0;
	return 0;
}

/* The copy is well-formed down to its records' sizes; what is in them is the writers'. */
static bool fits(const uint8_t *record, uint32_t size)
{
	uint64_t at = REC_DATA + 4 * (uint64_t)get_le16(record + REC_NWORDS);

	for (unsigned i = 0; i < record[REC_NSTRINGS] && at <= size; i++) {
		if (size - at < 4)
			return false;
		at += 4 + (((uint64_t)get_le32(record + at) + 3) & ~UINT64_C(3));
	}
	return at <= size;
}

static int add_section(struct writer *w, const struct rings_section *from)
{
	name_ring(w, from->id);
	w->section.lost = from->lost > UINT32_MAX ? UINT32_MAX : (uint32_t)from->lost;
	w->told[w->section.cpu] += w->section.lost;
	for (uint32_t at = 0; at + REC_ALIGN <= from->span.bytes;) {
		const uint8_t *record = from->bytes + at;
		uint32_t control = get_le32(record), size = control & REC_SIZE_MASK;
		bool hook = (control & REC_KIND_MASK) == REC_KIND_HOOK && (control & REC_COMMITTED);

		if (size == 0 || size > from->span.bytes - at)
			break;
		at += size;
		if (!hook)
			continue;
		if (size < REC_HEADER_SIZE || !fits(record, size)) {
			w->d->result->left_out++;
			continue;
		}
		int rc = add_hook(w, record, from->id);
		if (rc)
			return rc;
	}
	w->d->result->torn += from->span.torn;
	w->d->result->sections++;
	return w->section.used || w->section.lost ? write_section(w) : 0;
}

static int put_hooks(struct writer *w)
{
	const struct nrm2_dump *d = w->d;
	struct rings_section from;
	int rc;

	while ((rc = rings_next(d->rings, &from, d->error)) == 1) {
		rc = add_section(w, &from);
		if (rc)
			return rc;
		if (!d->section_done(d->arg))
			return session_fail(d->error, PU_FAILURE, "%s: interrupted", d->out->path);
	}
	return rc;
}

/* ---------------------------------------------------------------------- losses */

/* A section without hooks for each ring that has lost some. */
static int put_losses(struct writer *w)
{
	const struct nrm2_dump *d = w->d;

	for (uint32_t i = 0; i < d->rings->rings; i++) {
		struct rings_ledger l;
		uint64_t any = 0;
		int rc = rings_settle(d->rings, i, &l, d->error);

		if (rc)
			return rc;
		dump_add_ledger(d->result, &l);
		const uint64_t loss[7] = {l.loss[SHM_LOST_FULL], l.loss[SHM_LOST_BIG],
			l.loss[SHM_LOST_HELD], l.loss[SHM_LOST_NO_GUEST], l.overwritten, l.torn,
			l.loss[SHM_SKIPPED]};
		uint64_t lost = 0;
		for (int cause = 0; cause < SHM_SKIPPED; cause++)
			lost += l.loss[cause];
		any = lost;
		for (int k = 0; k < 7; k++)
			any |= loss[k];
		if (!any)
			continue;
		name_ring(w, l.id);
		lost = lost > w->told[w->section.cpu] ? lost - w->told[w->section.cpu] : 0;
		for (int k = 0; k < NRM2_LOSS_SECTIONS && lost > UINT32_MAX; k++) {
			w->section.lost = UINT32_MAX;
			lost -= UINT32_MAX;
			rc = write_section(w);
			if (rc)
				return rc;
		}
		w->section.lost = lost > UINT32_MAX ? UINT32_MAX : (uint32_t)lost;
		memcpy(w->section.loss, loss, sizeof loss);
		w->section.has_loss = true;
		w->section.full = l.loss[SHM_LOST_FULL] > 0;
		rc = write_section(w);
		if (rc)
			return rc;
	}
	return 0;
}

/* The last sync, so that what the clock drifted is known. */
static int put_end(struct writer *w)
{
	uint64_t sync[3];

	head_sync_now(w->d->session, sync);
	w->section.type = NRM2_TYPE_FINAL_TABLE;
	w->section.cpu = w->section.ring = 0;
	int rc = add_sync(w, sync);
	return rc ? rc : write_section(w);
}

static int describe(struct writer *w)
{
	const struct shm_geometry *g = &w->d->session->geometry;
	const struct file_head *head = w->d->head;

	w->file = (struct nrm2_file){.mode = g->mode == SHM_MODE_WRAP	      ? NRM2_MODE_WRAP
					     : g->mode == SHM_MODE_CONTINUOUS ? NRM2_MODE_CONTINUOUS
									      : NRM2_MODE_NORMAL,
		.cpus = g->cpus,
		.clock = g->clock,
		.flags = head->scripted ? NRM2_X_SCRIPTED : 0,
		.ticks_per_second = g->ticks_per_second};
	memcpy(w->file.sync, head->started, sizeof w->file.sync);
	return head_trace_id(w->file.trace_id, w->d->error);
}

int nrm2_dump_write(const struct nrm2_dump *d)
{
	struct writer w = {.d = d, .section = {.data = malloc(NRM2_SECTION_ROOM)}};
	int rc = w.section.data ? describe(&w)
				: session_fail(d->error, PU_ERROR_NOT_ENOUGH_MEMORY,
					  "no memory for a dump");

	w.told = calloc(d->rings->rings + 1, sizeof *w.told);
	if (rc == 0 && !w.told)
		rc = session_fail(d->error, PU_ERROR_NOT_ENOUGH_MEMORY, "no memory for a dump");
	if (rc == 0)
		rc = put_tables(&w);
	if (rc == 0)
		rc = put_hooks(&w);
	if (rc == 0)
		rc = put_losses(&w);
	if (rc == 0)
		rc = put_end(&w);
	free(w.section.data);
	free(w.told);
	return rc;
}
