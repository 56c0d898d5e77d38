/*
 * Every hook, one a line. Threads spell slices of time, each into a buffer of its own, and
 * write them in turn; the thread that has the turn writes as it goes.
 */
#include <stdlib.h>

#include "../../model/hooks/pass.h"
#include "../../model/trace/nrm2_tail.h"
#include "where.h"
#include "writer.h"
#include "../query/hook_counts.h"
#include "../report.h"

enum {
	CHUNK = 256 << 10,  /* written at once */
	BUFFERS = 24 << 20, /* all threads' together, at most */
};

struct worker {
	_Alignas(PASS_APART) bool is_open; /* it has had a slice */
	struct hook_writer lines;
	struct out buffer;
};

struct hooks_report {
	struct report *r;
	struct worker *workers;
	unsigned count;
	size_t chunk; /* a buffer of this size is written, if it has the turn */
	size_t most;  /* or else waits for the turn at this size */
	bool filtered;
	bool imported; /* some file was an NRM2 file */
};

/* At this slice's turn. */
static int write_buffer(struct hooks_report *s, struct worker *w)
{
	out_bytes(s->r->out, w->buffer.buf, w->buffer.len);
	w->buffer.len = 0;
	return s->r->out->error ? CPIDECODE_ECANCELED : 0;
}

/* The buffer has something to write, if it is time; or it is full, and it has to be. */
static int let_go(struct hooks_report *s, struct worker *w, struct pass_slice *slice)
{
	if (w->buffer.error)
		return CPIDECODE_ENOMEM;
	if (w->buffer.len < s->most && !pass_has_turn(slice))
		return 0;
	int rc = pass_turn(slice);
	return rc ? rc : write_buffer(s, w);
}

static int hooks_open_writer(const struct hooks_report *s, struct worker *w)
{
	if (w->is_open)
		return 0;
	w->is_open = true;
	return hook_writer_init(&w->lines, s->r);
}

static int hooks_write_slice(void *ctx, struct pass_slice *slice)
{
	struct hooks_report *s = ctx;
	struct worker *w = &s->workers[pass_thread(slice)];
	struct filter_group group = {.trace = s->r->trace};
	const struct hook *h;
	struct hook copy;
	int rc;

	w->buffer.len = 0;
	rc = hooks_open_writer(s, w);
	if (rc)
		return rc;
	while ((rc = pass_next(slice, &h)) > 0) {
		if (s->filtered && !hooks_select(s->r, h, &group))
			continue;
		if (s->imported)
			h = hook_as_written(s->r->trace, h, &copy);
		rc = hook_writer_write(&w->lines, &w->buffer, h);
		if (!rc && (w->buffer.len >= s->chunk || w->buffer.error))
			rc = let_go(s, w, slice);
		if (rc)
			return rc;
	}
	if (!rc && w->buffer.len)
		rc = pass_turn(slice);
	return rc || !w->buffer.len ? rc : write_buffer(s, w);
}

static int open_workers(struct hooks_report *s, unsigned n)
{
	s->workers = pass_alloc(n, sizeof *s->workers);
	if (!s->workers)
		return CPIDECODE_ENOMEM;
	for (; s->count < n; s->count++) {
		out_memory(&s->workers[s->count].buffer);
		s->workers[s->count].buffer.csv_safe = s->r->out->csv_safe;
	}
	s->most = BUFFERS / n;
	s->chunk = s->most < CHUNK ? s->most : CHUNK;
	return hooks_open_writer(s, &s->workers[0]);
}

static void close_workers(struct hooks_report *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (s->workers[i].is_open)
			hook_writer_free(&s->workers[i].lines);
		out_discard(&s->workers[i].buffer);
	}
	free(s->workers);
}

int report_hooks(struct report *r)
{
	if (r->format == FORMAT_NRM2)
		return report_nrm2(r);
	if (r->format == FORMAT_CTF)
		return report_ctf(r);
	if (r->format == FORMAT_PARQUET)
		return report_parquet_hooks(r);
	if (r->by_list)
		return hook_counts_report(r);
	struct hooks_report s = {.r = r, .filtered = !hooks_take_all(r)};
	struct pass pass = report_pass(r, hooks_write_slice, &s);
	pass.ordered = true;
	for (size_t i = 0; i < trace_nfiles(r->trace); i++)
		s.imported |= trace_file(r->trace, i)->import != NULL;
	int rc = open_workers(&s, pass_threads(&pass));
	if (!rc) {
		if (r->format == FORMAT_TEXT)
			report_head_lines(r);
		hook_writer_header(&s.workers[0].lines, r->out);
		rc = pass_run(&pass, r->found);
	}
	close_workers(&s);
	return rc;
}
