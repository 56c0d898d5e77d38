/* Exports the hooks, and the trace's other facts as far as NRM2 can hold them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/compare.h"
#include "../../formats/base/search.h"
#include "../../formats/base/text.h"
#include "../../formats/base/time_ns.h"
#include "../io/input.h"
#include "../model/trace/labels.h"
#include "../model/trace/clock/clock.h"
#include "../model/trace/nrm2_tail.h"
#include "../model/hooks/pass.h"
#include "../sink/nrm2.h"
#include "hooks/where.h"
#include "report.h"

/* Facts that NRM2 cannot hold. */
struct left_out {
	uint64_t major_0, too_long, guests, cut;
};

struct export
{
	struct report *r;
	struct nrm2_file file;
	struct nrm2_out out;
	struct left_out left;
	uint32_t first_guest; /* the processor number of the first guest ring */
};

static bool same_clock(const struct trace_file *a, const struct trace_file *b)
{
	return a->machine == b->machine && a->header.clock == b->header.clock &&
	       a->ticks_per_second == b->ticks_per_second;
}

static bool nrm2_fits_trace(const struct trace *t)
{
	for (size_t i = 1; i < trace_nfiles(t); i++)
		if (!same_clock(trace_file(t, 0), trace_file(t, i)))
			return false;
	return true;
}

/* ------------------------------------------------------------- rings and header */

static int nrm2_compare_rings(const void *a, const void *b)
{
	const struct nrm2_ring *x = a, *y = b;

	return compare_u64(x->section.ring, y->section.ring);
}

/* The rings of all files, each once, in order. */
static struct nrm2_ring *list_rings(const struct trace *t, size_t *n)
{
	size_t all = 0, last = 0;

	for (size_t i = 0; i < trace_nfiles(t); i++)
		all += trace_file(t, i)->nrings;
	struct nrm2_ring *rings = calloc(all + 1, sizeof *rings);
	*n = 0;
	if (!rings)
		return NULL;
	for (size_t i = 0; i < trace_nfiles(t); i++)
		for (size_t j = 0; j < trace_file(t, i)->nrings; j++)
			rings[(*n)++].section.ring = trace_file(t, i)->rings[j].ring;
	qsort(rings, *n, sizeof *rings, nrm2_compare_rings);
	for (size_t i = 1; i < *n; i++)
		if (rings[i].section.ring != rings[last].section.ring)
			rings[++last] = rings[i];
	*n = *n ? last + 1 : 0;
	return rings;
}

/* A guest ring becomes a processor that the machine does not have. */
static void number_rings(struct export *e, struct nrm2_ring *rings, size_t n)
{
	uint32_t guests = 0;

	for (size_t i = 0; i < n; i++)
		if (!(rings[i].section.ring & TF_GUEST_RING) &&
			rings[i].section.ring >= e->file.cpus)
			e->file.cpus = rings[i].section.ring + 1;
	e->first_guest = e->file.cpus;
	for (size_t i = 0; i < n; i++) {
		struct nrm2_section *s = &rings[i].section;

		s->cpu = s->ring & TF_GUEST_RING ? e->first_guest + guests++ : s->ring;
	}
}

static uint32_t mode_of(const struct trace_file *f)
{
	const char *mode = trace_meta_value(f, "mode");

	if (mode && strcmp(mode, "wrap") == 0)
		return NRM2_MODE_WRAP;
	return mode && strcmp(mode, "continuous") == 0 ? NRM2_MODE_CONTINUOUS : NRM2_MODE_NORMAL;
}

static void describe_file(struct export *e)
{
	const struct trace *t = e->r->trace;
	const struct trace_file *f = trace_file(t, 0);
	const struct clock *c = f->clock;
	struct nrm2_file *to = &e->file;

	to->mode = mode_of(f);
	to->clock = f->header.clock;
	to->ticks_per_second = f->ticks_per_second;
	to->flags = trace_scripted(t) ? NRM2_X_SCRIPTED : 0;
	if (f->import)
		to->flags |= (f->import->foreign ? NRM2_X_FOREIGN : 0) |
			     (f->import->no_rate ? NRM2_X_NO_RATE : 0) |
			     (f->import->no_time ? NRM2_X_NO_TIME : 0);
	to->sync[0] = c->base_ticks;
	to->sync[1] = (uint64_t)c->base_real;
	for (size_t i = 0; i < c->nsyncs; i++)
		if (c->sync[i].ticks == c->base_ticks)
			to->sync[2] = c->sync[i].monotonic;
	memcpy(to->trace_id, f->header.trace_id, sizeof to->trace_id);
	for (size_t i = 0; i < trace_nfiles(t); i++)
		if (trace_file(t, i)->header.cpus > to->cpus)
			to->cpus = trace_file(t, i)->header.cpus;
}

/* ----------------------------------------------------------------------- tables */

static void put_sync(struct export *e, const struct clock_sync *s, uint64_t apart)
{
	uint64_t sync[] = {(uint64_t)s->realtime + apart, s->monotonic + apart};

	nrm2_out_table(&e->out, NRM2_SYSINFO, NRM2_SYNC, s->ticks, sync, 2, NULL, 0);
}

static void put_clock(struct export *e)
{
	const struct nrm2_file *f = &e->file;
	int64_t real = (int64_t)f->sync[1];
	uint64_t speed[4] = {(f->ticks_per_second + 500000) / 1000000, 0, 0,
		real > 0 ? (uint64_t)real / TIME_SECOND_NS : 0};

	if (!(f->flags & NRM2_X_NO_RATE)) {
		nrm2_out_table(
			&e->out, NRM2_SYSINFO, NRM2_CPU_SPEED, f->sync[0], speed, 4, NULL, 0);
		nrm2_out_table(&e->out, NRM2_SYSINFO, NRM2_TIME_BASE, f->sync[0],
			&f->ticks_per_second, 1, NULL, 0);
	}
	/* All files of a trace share one clock. */
	const struct clock *c = trace_file(e->r->trace, 0)->clock;
	for (size_t i = 0; i < c->nsyncs; i++) {
		put_sync(e, &c->sync[i], 0);
		if (c->sync[i].disputed)
			put_sync(e, &c->sync[i], (uint64_t)c->sync[i].disputed);
	}
}

static int put_meta(struct export *e)
{
	const struct trace_file *f = trace_file(e->r->trace, 0);

	for (size_t i = 0; i < f->nmeta; i++) {
		const struct trace_meta *m = &f->meta[i];
		struct out line;

		out_memory(&line);
		out_bytes(&line, m->key, m->key_length);
		out_str(&line, ": ");
		out_bytes(&line, m->value, m->value_length);
		bool failed = line.error;
		/* The longest string of a table's hook; longer ones are cut, with a note. */
		e->left.cut += line.len > NRM2_HK_MAX / 2;
		if (!failed)
			nrm2_out_table(&e->out, NRM2_SYSINFO, NRM2_META, 0, NULL, 0, line.buf,
				line.len > NRM2_HK_MAX / 2 ? NRM2_HK_MAX / 2 : (uint32_t)line.len);
		out_discard(&line);
		if (failed)
			return CPIDECODE_ENOMEM;
	}
	return 0;
}

static void put_schemas(struct export *e)
{
	const struct trace *t = e->r->trace;

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);

		for (size_t j = 0; j < f->nschema_texts; j++)
			nrm2_out_text(&e->out, NRM2_SCHEMA, 1, f->schema_texts[j],
				strlen(f->schema_texts[j]));
	}
}

/* Rotated files repeat the table of labels. */
static void put_labels(struct export *e)
{
	const struct trace *t = e->r->trace;

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct labels *labels = trace_file(t, i)->labels;

		for (size_t k = 0; k < labels->count; k++) {
			const struct label *label = &labels->at[k];

			if (!i || !trace_label(trace_file(t, i - 1), label->number))
				nrm2_out_text(&e->out, NRM2_LABEL, label->number, label->text,
					label->length);
		}
	}
}

static void put_tasks(struct export *e)
{
	const struct trace *t = e->r->trace;
	const struct task *task;
	uint32_t machine = trace_file(t, 0)->machine;

	for (size_t i = 0; (task = trace_task_at(t, machine, i)); i++) {
		uint64_t ids[] = {task->tid, task->pid};

		nrm2_out_table(&e->out, NRM2_MODULE_TABLE, NRM2_PID_NAME, task->first, ids,
			task->tid == task->pid ? 1 : 2, task->name, (uint32_t)strlen(task->name));
	}
}

/* ------------------------------------------------------------------------ hooks */

static size_t ring_index(const struct export *e, uint32_t ring)
{
	struct search s = {1, e->out.nrings};

	while (s.low < s.high)
		search_narrow(&s, e->out.rings[search_middle(&s)].section.ring <= ring);
	return s.low - 1;
}

static int put_hook(struct export *e, const struct hook *h)
{
	struct nrm2_hook_data d = {.major = h->major,
		.minor = h->minor,
		.nwords = h->nwords,
		.nstrings = h->nstrings,
		.stamp = h->ticks,
		.words = h->words,
		.strings = h->strings};
	struct nrm2_tail tail;

	if (trace_file(e->r->trace, h->file)->import && nrm2_tail(h, &tail)) {
		d.stamp = tail.stamp;
		d.wide = tail.wide;
		d.nwide = tail.nwide;
	}
	uint32_t size = nrm2_hook_bytes(&d);
	if (!size) {
		*(h->major ? &e->left.too_long : &e->left.major_0) += 1;
		return 0;
	}
	e->left.guests += !hook_on_cpu(h);
	return nrm2_out_hook(&e->out, ring_index(e, h->ring), &d, size, h->tid, h->ticks);
}

static int nrm2_export_slice(void *ctx, struct pass_slice *slice)
{
	struct export *e = ctx;
	struct filter_group group = {.trace = e->r->trace};
	const struct hook *h;
	int rc;

	while ((rc = pass_next(slice, &h)) > 0 && !e->r->out->error) {
		int failed = hooks_select(e->r, h, &group) ? put_hook(e, h) : 0;

		if (failed)
			return failed;
	}
	return rc < 0 ? rc : 0;
}

/* ----------------------------------------------------------------------- losses */

/* Losses by section headers, or by LOSS, which a truncated trace lacks. */
static uint64_t lost_on(const struct trace_ring *r)
{
	uint64_t stated = r->loss_full + r->loss_big + r->loss_held + r->loss_no_guest +
			  r->no_slot + r->no_memory + r->unattached;

	return (r->lost > stated ? r->lost : stated) + r->unwritten;
}

static void put_losses(struct export *e)
{
	const struct trace *t = e->r->trace;

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);

		for (size_t j = 0; j < f->nrings; j++) {
			const struct trace_ring *r = &f->rings[j];
			uint64_t torn = r->torn > r->loss_torn ? r->torn : r->loss_torn;
			uint64_t loss[7] = {r->loss_full, r->loss_big, r->loss_held,
				r->loss_no_guest, r->overwritten, torn, r->skipped};
			uint64_t lost = lost_on(r), any = lost;

			for (int k = 0; k < 7; k++)
				any |= loss[k];
			for (int k = 0; k < NRM2_LOSS_SECTIONS && lost > UINT32_MAX; k++) {
				nrm2_out_loss(
					&e->out, ring_index(e, r->ring), UINT32_MAX, false, NULL);
				lost -= UINT32_MAX;
			}
			if (lost || any)
				nrm2_out_loss(&e->out, ring_index(e, r->ring),
					lost > UINT32_MAX ? UINT32_MAX : (uint32_t)lost,
					r->loss_full > 0, any ? loss : NULL);
		}
	}
}

/* Copies the kernel files from the first input that has them. */
static int put_kernel(struct export *e)
{
	const struct io_import *from = NULL;
	uint8_t buf[4096];
	size_t got;

	for (size_t i = 0; i < trace_nfiles(e->r->trace) && !from; i++) {
		from = trace_file(e->r->trace, i)->import;
		if (from && from->kernel_fd < 0)
			from = NULL;
	}
	if (!from)
		return 0;
	nrm2_out_kernel(&e->out, (uint64_t[]){from->kernel[0].size, from->kernel[1].size});
	for (unsigned which = 0; which < 2; which++) {
		for (uint64_t at = 0; at < from->kernel[which].size; at += got) {
			int rc = io_import_kernel(from, which, at, buf, sizeof buf, &got);

			if (rc || !got)
				return rc ? rc : CPIDECODE_EREAD;
			out_bytes(e->r->out, buf, got);
		}
	}
	return 0;
}

/* ------------------------------------------------------------------ omissions */

static void tell_left_out(const struct export *e)
{
	const struct left_out *l = &e->left;
	char line[512];
	size_t n = 0;
	const struct {
		uint64_t n;
		const char *noun, *rest;
	} counts[] = {
		{l->too_long, "hook", " longer than 65532 bytes"},
		{l->major_0, "hook", " of major 0"},
		{l->cut, "end", " of long META lines"},
	};

	for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
		if (counts[i].n)
			n += (size_t)snprintf(line + n, sizeof line - n, "%s%" PRIu64 " %s%s%s",
				n ? ", " : "", counts[i].n, counts[i].noun,
				text_plural(counts[i].n), counts[i].rest);
	if (n)
		report_note(e->r, "NRM2 cannot hold, and lacks: %s", line);
	if (l->guests)
		report_note(e->r,
			"NRM2 has no guest rings: their %" PRIu64
			" hook%s %s written as processors %" PRIu32 " and up",
			l->guests, text_plural(l->guests), l->guests == 1 ? "is" : "are",
			e->first_guest);
}

int report_nrm2(struct report *r)
{
	struct export e = {.r = r};
	struct pass pass = report_pass(r, nrm2_export_slice, &e);
	size_t nrings;

	pass.threads = 1;
	pass.ordered = true;
	if (!nrm2_fits_trace(r->trace)) {
		report_note(r,
			"--format nrm2: the files are of several machines or clocks, an NRM2 file has one: write one for each");
		return CPIDECODE_EINVAL;
	}
	struct nrm2_ring *rings = list_rings(r->trace, &nrings);
	if (!rings)
		return CPIDECODE_ENOMEM;
	describe_file(&e);
	number_rings(&e, rings, nrings);
	int rc = nrm2_out_open(&e.out, r->out, &e.file, rings, nrings);
	if (!rc) {
		put_clock(&e);
		rc = put_meta(&e);
	}
	if (!rc) {
		put_schemas(&e);
		put_labels(&e);
		put_tasks(&e);
		nrm2_out_table_end(&e.out);
		rc = pass_run(&pass, r->found);
	}
	if (!rc) {
		nrm2_out_end(&e.out);
		put_losses(&e);
		rc = put_kernel(&e);
		tell_left_out(&e);
	}
	nrm2_out_close(&e.out);
	return rc;
}
