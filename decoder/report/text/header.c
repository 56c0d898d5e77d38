#include "header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "../../../formats/base/utf8.h"
#include "../../model/stats/partial/threads.h"
#include "../../sink/escapes.h"
#include "../../sink/units.h"
#include "../losses.h"

enum { COMMAND_LEAST = 16 /* a command is cut to no less */ };

/* The hooks of a trace, or of rings that were dumped several times: several files may hold them. */
struct header_span {
	const uint8_t *trace_id;
	const uint8_t *rings_id; /* NULL: unknown */
	uint64_t first, last, ticks_per_second;
};

struct report_header {
	struct header_span *spans;
	size_t nspans, nfiles;
	const char *command;
	bool has_commands; /* different ones, or not of all files */
	uint64_t threads, lost, torn, overwritten;
};

struct header_file {
	struct header_span span;
	bool has_hooks;
	const char *command;
	uint64_t lost, torn, overwritten;
};

static bool header_has_same_rings(const struct header_span *a, const struct header_span *b)
{
	if (a->rings_id && b->rings_id)
		return memcmp(a->rings_id, b->rings_id, 16) == 0;
	return memcmp(a->trace_id, b->trace_id, 16) == 0;
}

static void header_add_file(struct report_header *h, const struct header_file *f)
{
	h->lost += f->lost;
	h->torn += f->torn;
	h->overwritten += f->overwritten;
	if (!h->nfiles++)
		h->command = f->command;
	else if (!h->command != !f->command || (h->command && strcmp(h->command, f->command) != 0))
		h->has_commands = true;
	for (size_t i = 0; f->has_hooks && i <= h->nspans; i++) {
		struct header_span *s = &h->spans[i];

		if (i == h->nspans) {
			*s = f->span;
			h->nspans++;
			return;
		}
		if (!header_has_same_rings(s, &f->span))
			continue;
		s->first = f->span.first < s->first ? f->span.first : s->first;
		s->last = f->span.last > s->last ? f->span.last : s->last;
		return;
	}
}

static void header_read_trace(struct report_header *h, const struct trace *t)
{
	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);
		const struct losses l = losses_of_file(f, NULL);
		const char *command = trace_meta_value(f, "command");

		header_add_file(
			h, &(struct header_file){.span = {f->header.trace_id, f->rings_id, f->first,
							 f->last, f->ticks_per_second},
				   .has_hooks = f->has_hooks,
				   .command = command && *command ? command : NULL,
				   .lost = losses_lost(&l),
				   .torn = l.torn,
				   .overwritten = l.overwritten});
	}
}

static void header_read_merged(struct report_header *h, const struct partial *p)
{
	for (size_t i = 0; i < p->nsources; i++) {
		const struct partial_source *s = &p->sources[i];
		struct header_file f = {.span = {s->trace_id, s->has_rings ? s->rings : NULL,
						s->first, s->last, s->ticks_per_second},
			.has_hooks = s->has_hooks,
			.command = s->command,
			.torn = s->counts[PARTIAL_TORN],
			.overwritten = s->counts[PARTIAL_OVERWRITTEN]};

		for (unsigned k = PARTIAL_FULL; k < PARTIAL_OVERWRITTEN; k++)
			f.lost += s->counts[k];
		header_add_file(h, &f);
	}
	for (size_t i = 0; i < p->nthreads; i++)
		h->threads += p->threads[i].count;
}

static void header_spell_duration(struct out *o, const struct report_header *h)
{
	double longest = 0;

	for (size_t i = 0; i < h->nspans; i++) {
		const struct header_span *s = &h->spans[i];
		double ns = s->ticks_per_second ? (double)(s->last - s->first) /
							  (double)s->ticks_per_second * 1e9
						: 0;

		longest = ns > longest ? ns : longest;
	}
	if (!h->nspans)
		out_str(o, "no hooks");
	else if (h->nspans > 1)
		out_str(o, "the longest ");
	if (h->nspans)
		units_duration(o, longest);
}

static void header_spell_counts(struct out *o, const struct report_header *h)
{
	const struct {
		uint64_t count;
		const char *what;
	} losses[] = {{h->lost, "lost"}, {h->torn, "torn"}, {h->overwritten, "overwritten"}};
	bool any = false;

	if (h->threads)
		out_printf(o, ", %" PRIu64 " thread%s", h->threads, text_plural(h->threads));
	for (unsigned i = 0; i < sizeof losses / sizeof *losses; i++) {
		if (!losses[i].count)
			continue;
		out_printf(o, ", %" PRIu64 " %s%s", losses[i].count,
			any		       ? ""
			: losses[i].count == 1 ? "hook "
					       : "hooks ",
			losses[i].what);
		any = true;
	}
	if (!any && h->nspans)
		out_str(o, ", no hooks lost");
}

/* Writes n bytes of a part of the line, and frees it. */
static void header_put(const struct report *r, struct out *part, size_t n)
{
	if (part->error && !r->out->error)
		r->out->error = part->error;
	out_bytes(r->out, part->buf, n);
	out_discard(part);
}

/* Cut to what the other parts leave of the line. */
static void header_spell_command(
	const struct report *r, const struct report_header *h, size_t others)
{
	const size_t left = r->width > others + COMMAND_LEAST ? r->width - others : COMMAND_LEAST;
	struct out text;

	if (h->has_commands)
		out_str(r->out, ", several commands");
	if (h->has_commands || !h->command)
		return;
	out_memory(&text);
	escape_text(&text, h->command, strlen(h->command));
	const bool is_cut = r->width && utf8_width(text.buf, text.len) > left;
	out_str(r->out, ", ");
	header_put(r, &text, is_cut ? utf8_fit(text.buf, text.len, left - 1) : text.len);
	if (is_cut)
		out_str(r->out, "\xe2\x80\xa6");
}

static void header_print(const struct report *r, const struct report_header *h)
{
	struct out duration, counts;

	out_memory(&duration);
	out_memory(&counts);
	header_spell_duration(&duration, h);
	header_spell_counts(&counts, h);
	const size_t others = duration.len + counts.len + sizeof "# , " - 1;
	out_str(r->out, "# ");
	header_put(r, &duration, duration.len);
	header_spell_command(r, h, others);
	header_put(r, &counts, counts.len);
	out_char(r->out, '\n');
}

void header_write(const struct report *r)
{
	const size_t files = r->trace	 ? trace_nfiles(r->trace)
			     : r->merged ? r->merged->nsources
					 : 0;
	struct report_header h = {.spans = calloc(files + 1, sizeof *h.spans)};
	struct partial names = {0};
	int rc = h.spans ? 0 : CPIDECODE_ENOMEM;

	if (!rc && r->trace) {
		header_read_trace(&h, r->trace);
		rc = partial_threads_gather(&names, r->trace);
		for (size_t i = 0; i < names.nthreads; i++)
			h.threads += names.threads[i].count;
	} else if (!rc && r->merged) {
		header_read_merged(&h, r->merged);
	}
	if (rc)
		r->out->error = ENOMEM;
	else if (files)
		header_print(r, &h);
	partial_threads_free(&names);
	free(h.spans);
}
