#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../report/clock_text.h"
#include "../report/losses.h"
#include "../sink/escape.h"
#include "options.h"
#include "tell.h"

enum { STRETCHES_TOLD = 3 };

const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

const char *told_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

bool tell_lost(const char *path, const struct losses *l)
{
	const struct {
		uint64_t n;
		const char *why;
	} causes[] = {{l->full, "ring full"}, {l->big, "too big"}, {l->held, "sections held"},
		{l->no_guest, "no guest ring"}, {l->unexplained, "cause not told"},
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
	complain("%s: %" PRIu64 " hook%s lost (%s)", path, lost, plural(lost), list);
	return true;
}

static void tell_stretches(const struct trace_file *f)
{
	for (size_t i = 0; i < f->ndamage && i < STRETCHES_TOLD; i++)
		complain("%s: damaged at offset %" PRIu64 ": %s; %" PRIu64 " byte%s skipped",
			told_name(f->path), f->damage[i].offset, f->damage[i].why,
			f->damage[i].bytes, plural(f->damage[i].bytes));
	uint64_t all = f->ndamage + f->damage_untold;
	if (all > STRETCHES_TOLD)
		complain("%s: %" PRIu64 " more damaged stretches, %" PRIu64
			 " bytes in all (--report info lists them)",
			told_name(f->path), all - STRETCHES_TOLD, f->damaged_bytes);
}

static void tell_contradictions(const struct trace_file *f)
{
	uint64_t all = f->ncontradictions + f->contradictions_untold;
	for (size_t i = 0; i < f->ncontradictions && i < STRETCHES_TOLD; i++)
		complain("%s: the section at offset %" PRIu64 " contradicts itself: %s",
			told_name(f->path), f->contradictions[i].offset, f->contradictions[i].why);
	if (all > STRETCHES_TOLD)
		complain("%s: %" PRIu64 " more such contradictions", told_name(f->path),
			all - STRETCHES_TOLD);
}

static void tell_schemas(const struct trace_file *f)
{
	for (size_t i = 0; i < f->nschema_problems; i++) {
		const struct trace_schema_problem *p = &f->schema_problems[i];
		complain("%s: the schema at offset %" PRIu64
			 " is refused from line %u to its next major: %s",
			told_name(f->path), p->offset, p->error.line, p->error.reason);
	}
}

void tell_findings(const char *name, const struct clock_finding *findings, size_t n, uint64_t all)
{
	for (size_t i = 0; i < n && i < STRETCHES_TOLD; i++) {
		struct out text;
		out_memory(&text);
		clock_text_finding(&text, &findings[i]);
		out_char(&text, '\0');
		complain("%s: %s", name, text.error ? "" : text.buf);
		out_discard(&text);
	}
	if (all > STRETCHES_TOLD)
		complain("%s: %" PRIu64
			 " more such finding%s about its clocks (--report info lists them)",
			name, all - STRETCHES_TOLD, plural(all - STRETCHES_TOLD));
}

static void tell_alignment(const struct trace *t)
{
	struct trace_alignment a = trace_alignment(t);
	struct out text;
	if (a.traces < 2)
		return;
	out_memory(&text);
	clock_text_alignment(&text, &a);
	out_char(&text, '\0');
	complain("%s", text.error ? "" : text.buf);
	out_discard(&text);
}

void tell_torn(const char *where, uint64_t n)
{
	if (n)
		complain("%s: %" PRIu64 " torn record%s (never committed)", where, n, plural(n));
}

/* What an NRM2 file leaves open is assumed, so it has to be said. */
static void tell_import(const struct trace_file *f)
{
	const struct io_import *import = f->import;
	if (import && import->no_rate)
		complain("%s: the file does not tell its clock's rate: a tick is shown as 1 ns",
			told_name(f->path));
	if (import && import->no_time)
		complain("%s: the file does not tell the time of day: times count from tick 0",
			told_name(f->path));
}

/* What a ring that is full loses in normal mode are the last hooks. */
static void tell_filled(const struct trace_file *f, const struct losses *l)
{
	const char *mode = trace_meta_value(f, "mode");
	uint64_t kept = f->hooks;
	if (!l->full || !mode || strcmp(mode, "normal"))
		return;
	for (size_t i = 0; i < f->nrings; i++)
		kept += f->rings[i].twice;
	complain("%s: the buffers filled: kept the first %" PRIu64 " hook%s, lost %" PRIu64
		 ": swtrace record streams all hooks to a file, -t wrap keeps the newest, -s MB "
		 "makes more room",
		told_name(f->path), kept, plural(kept), l->full);
}

static bool tell_file(const struct trace_file *f, const struct findings *found, uint64_t *torn)
{
	struct losses l = losses_of_file(f, found);
	bool bad = tell_lost(told_name(f->path), &l);
	tell_filled(f, &l);
	*torn += l.torn;
	tell_torn(told_name(f->path), l.torn);
	if (l.overwritten)
		complain("%s: %" PRIu64 " hook%s overwritten by newer ones (wrap mode)",
			told_name(f->path), l.overwritten, plural(l.overwritten));
	if (f->header.damaged)
		complain("%s: the file header is damaged; what it says is doubtful",
			told_name(f->path));
	tell_import(f);
	tell_stretches(f);
	tell_contradictions(f);
	if (!f->has_end)
		complain("%s: cut off: the file does not end with an END section",
			told_name(f->path));
	tell_schemas(f);
	tell_findings(told_name(f->path), f->clock_findings, f->nclock_findings,
		f->nclock_findings + f->clock_findings_untold);
	return bad || l.torn || f->header.damaged || f->ndamage || f->damage_untold ||
	       f->ncontradictions || !f->has_end;
}

static bool tell_reading(const struct trace *t, const struct findings *found)
{
	const struct hook_counts *c = &found->total;
	for (size_t i = 0; i < found->ndamage && i < STRETCHES_TOLD; i++) {
		const struct hook_damage *d = &found->damage[i];
		const char *name = told_name(trace_file(t, d->file)->path);
		if (!d->bytes)
			complain("%s: the section at offset %" PRIu64 " contradicts itself: %s",
				name, d->offset, d->why);
		else
			complain("%s: damage in the section at offset %" PRIu64 ": %s; %" PRIu64
				 " byte%s of hooks skipped",
				name, d->offset, d->why, d->bytes, plural(d->bytes));
	}
	if (c->bad_sections > STRETCHES_TOLD)
		complain("%" PRIu64 " more sections are damaged inside (--report info lists them)",
			c->bad_sections - STRETCHES_TOLD);
	if (c->malformed)
		complain("%" PRIu64 " malformed record%s skipped", c->malformed,
			plural(c->malformed));
	if (c->reserved)
		complain("%" PRIu64 " record%s of an unknown kind skipped", c->reserved,
			plural(c->reserved));
	return c->bad_sections || c->malformed || found->ndamage;
}

bool tell_unreadable(const struct trace *t, const struct findings *found, int error)
{
	for (size_t i = 0; i < found->ndamage; i++) {
		const struct hook_damage *d = &found->damage[i];
		if (d->why != hook_unreadable)
			continue;
		complain("%s: the section at offset %" PRIu64 " cannot be read: %s",
			told_name(trace_file(t, d->file)->path), d->offset, strerror(error));
		return true;
	}
	return false;
}

static void tell_twice(const struct trace *t, const struct findings *found)
{
	uint64_t n = found->total.twice;
	for (size_t i = 0; i < trace_nfiles(t); i++)
		for (size_t k = 0; k < trace_file(t, i)->nrings; k++)
			n += trace_file(t, i)->rings[k].twice;
	if (n)
		complain("%" PRIu64 " hook%s in several files, or twice in one: read once", n,
			n == 1 ? " stands" : "s stand");
}

static bool tell_rotated_files(const struct trace *t)
{
	size_t n = trace_nfiles(t);
	struct told_part *parts = calloc(n + 1, sizeof *parts);
	for (size_t i = 0; i < n && parts; i++) {
		const struct trace_file *f = trace_file(t, i);
		parts[i] = (struct told_part){f->path, f->header.trace_id, trace_rotation(f)};
	}
	bool bad = parts && tell_rotated(parts, n);
	free(parts);
	return bad;
}

bool tell_losses(const struct trace *t, const struct findings *found)
{
	bool bad = false;
	uint64_t torn = 0;
	for (size_t i = 0; i < trace_nfiles(t); i++)
		bad |= tell_file(trace_file(t, i), found, &torn);
	/* Found by reading, although no header or ledger told of them. */
	if (found->total.torn > torn) {
		tell_torn(trace_nfiles(t) == 1 ? told_name(trace_file(t, 0)->path) : "in all files",
			found->total.torn - torn);
		bad = true;
	}
	bad |= tell_reading(t, found);
	bad |= tell_rotated_files(t);
	tell_twice(t, found);
	tell_alignment(t);
	return bad;
}

/* Milliseconds; progress is about this process alone, so it is the process's own state. */
static struct {
	bool watched, shown;
	int64_t start, last;
} line;

static int64_t now_ms(void)
{
	return (int64_t)(time_ns_monotonic() / 1000000);
}

void progress_start(void)
{
	line.watched = isatty(STDERR_FILENO);
	line.start = line.last = now_ms();
}

void progress_show(const char *what, uint64_t done, uint64_t total)
{
	if (!line.watched)
		return;
	int64_t now = now_ms();
	if (now - line.start < 1000 || (line.shown && now - line.last < 100))
		return;
	line.last = now;
	line.shown = true;
	struct out name;
	out_memory(&name);
	escape_text(&name, what, strnlen(what, 60));
	fprintf(stderr, "\rcpidecode: %.*s", (int)name.len, name.buf ? name.buf : "");
	out_discard(&name);
	if (total)
		fprintf(stderr, " %3.0f%%  ",
			100 * (double)(done < total ? done : total) / (double)total);
	else
		fprintf(stderr, " %" PRIu64 " MiB  ", done >> 20);
}

void progress_end(void)
{
	if (line.shown)
		fprintf(stderr, "\r%80s\r", "");
	line.shown = false;
}
