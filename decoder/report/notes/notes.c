#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "../../sink/out.h"
#include "../clock_text.h"
#include "notes.h"

enum { STRETCHES_TOLD = 3 };

const char *notes_name(const char *path)
{
	return strcmp(path, "-") != 0 ? path : "standard input";
}

bool notes_lost(notes_say say, const char *path, const struct losses *l)
{
	const struct {
		uint64_t n;
		const char *why;
	} causes[] = {{l->full, "ring full"}, {l->big, "too big"}, {l->held, "sections held"},
		{l->no_guest, "no guest ring"}, {l->unexplained, "cause unknown"},
		{l->no_slot, "no task slot"}, {l->no_memory, "no memory"},
		{l->unattached, "not attached"}, {l->unwritten, "unwritten"}};
	uint64_t lost = losses_lost(l);
	char list[512] = "";
	size_t used = 0;

	if (!lost)
		return false;
	for (unsigned i = 0; i < sizeof causes / sizeof *causes; i++)
		if (causes[i].n)
			used += (size_t)snprintf(list + used, sizeof list - used,
				"%s%" PRIu64 " %s", used ? ", " : "", causes[i].n, causes[i].why);
	say("%s: %" PRIu64 " hook%s lost (%s)", path, lost, text_plural(lost), list);
	return true;
}

static void note_stretches(notes_say say, const struct trace_file *f)
{
	for (size_t i = 0; i < f->ndamage && i < STRETCHES_TOLD; i++)
		say("%s: damaged at offset %" PRIu64 ": %s; %" PRIu64 " byte%s skipped",
			notes_name(f->path), f->damage[i].offset, f->damage[i].why,
			f->damage[i].bytes, text_plural(f->damage[i].bytes));
	uint64_t all = f->ndamage + f->damage_untold;
	if (all > STRETCHES_TOLD)
		say("%s: %" PRIu64 " more damaged stretches, %" PRIu64
		    " bytes in all (--report info lists them)",
			notes_name(f->path), all - STRETCHES_TOLD, f->damaged_bytes);
}

static void note_contradictions(notes_say say, const struct trace_file *f)
{
	uint64_t all = f->ncontradictions + f->contradictions_untold;

	for (size_t i = 0; i < f->ncontradictions && i < STRETCHES_TOLD; i++)
		say("%s: the section at offset %" PRIu64 " contradicts itself: %s",
			notes_name(f->path), f->contradictions[i].offset, f->contradictions[i].why);
	if (all > STRETCHES_TOLD)
		say("%s: %" PRIu64 " more such contradictions", notes_name(f->path),
			all - STRETCHES_TOLD);
}

static void note_schemas(notes_say say, const struct trace_file *f)
{
	for (size_t i = 0; i < f->nschema_problems; i++) {
		const struct trace_schema_problem *p = &f->schema_problems[i];

		say("%s: the schema at offset %" PRIu64
		    " is refused from line %u to its next major: %s",
			notes_name(f->path), p->offset, p->error.line, p->error.reason);
	}
}

void notes_findings(notes_say say, const char *name, const struct clock_finding *findings, size_t n,
	uint64_t all)
{
	for (size_t i = 0; i < n && i < STRETCHES_TOLD; i++) {
		struct out text;

		out_memory(&text);
		clock_text_finding(&text, &findings[i]);
		out_char(&text, '\0');
		say("%s: %s", name, text.error ? "" : text.buf);
		out_discard(&text);
	}
	if (all > STRETCHES_TOLD)
		say("%s: %" PRIu64
		    " more such finding%s about its clocks (--report info lists them)",
			name, all - STRETCHES_TOLD, text_plural(all - STRETCHES_TOLD));
}

static void note_alignment(notes_say say, const struct trace *t)
{
	struct trace_alignment a = trace_alignment(t);
	struct out text;

	if (a.traces < 2)
		return;
	out_memory(&text);
	clock_text_alignment(&text, &a);
	out_char(&text, '\0');
	say("%s", text.error ? "" : text.buf);
	out_discard(&text);
}

void notes_torn(notes_say say, const char *where, uint64_t n)
{
	if (n)
		say("%s: %" PRIu64 " torn record%s (never committed)", where, n, text_plural(n));
}

/* Notes the assumptions about facts that an NRM2 file lacks. */
static void note_import(notes_say say, const struct trace_file *f)
{
	const struct io_import *import = f->import;

	if (import && import->no_rate)
		say("%s: the clock's rate is unknown: a tick is shown as 1 ns",
			notes_name(f->path));
	if (import && import->no_time)
		say("%s: the time of day is unknown: times start at tick 0", notes_name(f->path));
}

/* In normal mode a full ring loses the newest hooks. */
static void note_filled(notes_say say, const struct trace_file *f, const struct losses *l)
{
	const char *mode = trace_meta_value(f, "mode");
	uint64_t kept = f->hooks;

	if (!l->full || !mode || strcmp(mode, "normal") != 0)
		return;
	for (size_t i = 0; i < f->nrings; i++)
		kept += f->rings[i].twice;
	say("%s: the buffers filled: kept the first %" PRIu64 " hook%s, lost %" PRIu64
	    ": swtrace record streams all hooks to a file, -t wrap keeps the newest, -s MB makes more room",
		notes_name(f->path), kept, text_plural(kept), l->full);
}

static bool note_file(
	notes_say say, const struct trace_file *f, const struct findings *found, uint64_t *torn)
{
	struct losses l = losses_of_file(f, found);
	bool bad = notes_lost(say, notes_name(f->path), &l);

	note_filled(say, f, &l);
	*torn += l.torn;
	notes_torn(say, notes_name(f->path), l.torn);
	if (l.overwritten)
		say("%s: %" PRIu64 " hook%s overwritten by newer ones (wrap mode)",
			notes_name(f->path), l.overwritten, text_plural(l.overwritten));
	if (f->header.damaged)
		say("%s: the file header is damaged; its contents are doubtful",
			notes_name(f->path));
	note_import(say, f);
	note_stretches(say, f);
	note_contradictions(say, f);
	if (!f->has_end)
		say("%s: cut off: the file does not end with an END section", notes_name(f->path));
	note_schemas(say, f);
	notes_findings(say, notes_name(f->path), f->clock_findings, f->nclock_findings,
		f->nclock_findings + f->clock_findings_untold);
	return bad || l.torn || f->header.damaged || f->ndamage || f->damage_untold ||
	       f->ncontradictions || !f->has_end;
}

static bool note_reading(notes_say say, const struct trace *t, const struct findings *found)
{
	const struct hook_counts *c = &found->total;

	for (size_t i = 0; i < found->ndamage && i < STRETCHES_TOLD; i++) {
		const struct hook_damage *d = &found->damage[i];
		const char *name = notes_name(trace_file(t, d->file)->path);

		if (!d->bytes)
			say("%s: the section at offset %" PRIu64 " contradicts itself: %s", name,
				d->offset, d->why);
		else
			say("%s: damage in the section at offset %" PRIu64 ": %s; %" PRIu64
			    " byte%s of hooks skipped",
				name, d->offset, d->why, d->bytes, text_plural(d->bytes));
	}
	if (c->bad_sections > STRETCHES_TOLD)
		say("%" PRIu64 " more sections are damaged inside (--report info lists them)",
			c->bad_sections - STRETCHES_TOLD);
	if (c->malformed)
		say("%" PRIu64 " malformed record%s skipped", c->malformed,
			text_plural(c->malformed));
	if (c->reserved)
		say("%" PRIu64 " record%s of an unknown kind skipped", c->reserved,
			text_plural(c->reserved));
	return c->bad_sections || c->malformed || found->ndamage;
}

/* Numbers without a text: part of the table of labels is missing. */
static void note_unnamed(notes_say say, const struct unnamed *u)
{
	if (u->labels)
		say("%" PRIu64
		    " interval%s without a label: the table of labels in the file lacks %s",
			u->labels, text_plural(u->labels),
			u->labels == 1 ? "its entry" : "their entries");
	if (u->names)
		say("%" PRIu64
		    " value%s of intervals left out: the table of labels in the file lacks "
		    "%s",
			u->names, text_plural(u->names),
			u->names == 1 ? "its name" : "their names");
}

bool notes_unreadable(notes_say say, const struct trace *t, const struct findings *found, int error)
{
	for (size_t i = 0; i < found->ndamage; i++) {
		const struct hook_damage *d = &found->damage[i];

		if (d->why != hook_unreadable)
			continue;
		say("%s: the section at offset %" PRIu64 " cannot be read: %s",
			notes_name(trace_file(t, d->file)->path), d->offset, strerror(error));
		return true;
	}
	return false;
}

static void note_twice(notes_say say, const struct trace *t, const struct findings *found)
{
	uint64_t n = found->total.twice;

	for (size_t i = 0; i < trace_nfiles(t); i++)
		for (size_t k = 0; k < trace_file(t, i)->nrings; k++)
			n += trace_file(t, i)->rings[k].twice;
	if (n)
		say("%" PRIu64 " hook%s in several files, or twice in one: read once", n,
			n == 1 ? " is" : "s are");
}

static bool note_rotated_files(notes_say say, const struct trace *t)
{
	size_t n = trace_nfiles(t);
	struct notes_part *parts = calloc(n + 1, sizeof *parts);

	for (size_t i = 0; i < n && parts; i++) {
		const struct trace_file *f = trace_file(t, i);

		parts[i] = (struct notes_part){f->path, f->header.trace_id, trace_rotation(f)};
	}
	bool bad = parts && notes_rotated(say, parts, n);
	free(parts);
	return bad;
}

bool notes_trace(notes_say say, const struct trace *t, const struct findings *found)
{
	bool bad = false;
	uint64_t torn = 0;

	for (size_t i = 0; i < trace_nfiles(t); i++)
		bad |= note_file(say, trace_file(t, i), found, &torn);
	/* Found by reading, in no header or ledger. */
	if (found->total.torn > torn) {
		notes_torn(say,
			trace_nfiles(t) == 1 ? notes_name(trace_file(t, 0)->path) : "in all files",
			found->total.torn - torn);
		bad = true;
	}
	bad |= note_reading(say, t, found);
	bad |= note_rotated_files(say, t);
	note_unnamed(say, &found->unnamed);
	note_twice(say, t, found);
	note_alignment(say, t);
	return bad;
}
