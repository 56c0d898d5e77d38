/* Makes partial results from a trace, and reports from merged ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/varint.h"
#include "../../model/stats/partial/arguments.h"
#include "../../model/stats/partial/threads.h"
#include "../losses.h"
#include "../query/where.h"
#include "../tallies.h"
#include "groups_kept.h"

static void count_told(struct partial_source *s, const struct trace_file *f)
{
	struct losses l = losses_of_file(f, NULL);

	s->counts[PARTIAL_FULL] = l.full;
	s->counts[PARTIAL_BIG] = l.big;
	s->counts[PARTIAL_HELD] = l.held;
	s->counts[PARTIAL_NO_GUEST] = l.no_guest;
	s->counts[PARTIAL_UNEXPLAINED] = l.unexplained;
	s->counts[PARTIAL_NO_SLOT] = l.no_slot;
	s->counts[PARTIAL_NO_MEMORY] = l.no_memory;
	s->counts[PARTIAL_UNATTACHED] = l.unattached;
	s->counts[PARTIAL_UNWRITTEN] = l.unwritten;
	s->counts[PARTIAL_OVERWRITTEN] = l.overwritten;
	s->counts[PARTIAL_TORN] = l.torn;
	s->counts[PARTIAL_STRETCHES] = f->ndamage + f->damage_untold;
	s->counts[PARTIAL_DAMAGED_BYTES] = f->damaged_bytes;
	s->counts[PARTIAL_SCHEMAS] = f->nschema_problems;
	s->counts[PARTIAL_HEADER_DAMAGED] = f->header.damaged;
	s->counts[PARTIAL_CUT_OFF] = !f->has_end;
	s->counts[PARTIAL_CONTRADICTIONS] = f->ncontradictions + f->contradictions_untold;
	s->counts[PARTIAL_FINDINGS] = f->nclock_findings + f->clock_findings_untold;
}

static void count_found(
	struct partial_source *s, const struct trace_file *f, const struct findings *found)
{
	for (size_t i = 0; i < f->nrings; i++) {
		const struct hook_counts *c = findings_ring(found, f->index, i);

		if (!c)
			continue;
		s->counts[PARTIAL_FOUND_TORN] += c->torn;
		s->counts[PARTIAL_MALFORMED] += c->malformed;
		s->counts[PARTIAL_RESERVED] += c->reserved;
	}
}

/* The ranges that detect files with common hooks. An import has no real positions. */
static int add_rings(struct partial_source *s, const struct trace_file *f)
{
	int rc = 0;

	s->has_rings = f->rings_id;
	if (f->rings_id)
		memcpy(s->rings, f->rings_id, sizeof s->rings);
	s->rotation = trace_rotation(f);
	for (size_t i = 0; i < f->nrings && !f->import && !rc; i++) {
		const struct trace_ring *r = &f->rings[i];

		if (r->position_first < r->position_end)
			rc = partial_add_span(s, (struct partial_span){.ring = r->ring,
							 .from = r->position_first,
							 .to = r->position_end});
	}
	return rc;
}

/* An outer or nested interval may end in another slice. */
static bool partial_reads_all(enum report_kind kind)
{
	return kind == REPORT_FLAME || kind == REPORT_GAPS;
}

static int source_add_meta(const struct trace_file *f, const char *key, char **text)
{
	const char *value = trace_meta_value(f, key);

	if (value && *value && !(*text = strdup(value)))
		return CPIDECODE_ENOMEM;
	return 0;
}

static int source_add_owner(
	const struct trace *t, const struct trace_file *f, struct partial_source *s)
{
	const char *owner = trace_owner_cgroup(t, f->machine);

	return owner && !(s->cgroup = strdup(owner)) ? CPIDECODE_ENOMEM : 0;
}

static int add_source(struct partial *p, const struct report *r, const struct trace_file *f)
{
	struct partial_source *s = partial_add_source(p, f->path);

	if (!s)
		return CPIDECODE_ENOMEM;
	memcpy(s->trace_id, f->header.trace_id, sizeof s->trace_id);
	s->has_hooks = f->has_hooks;
	s->first = f->first;
	s->last = f->last > f->first ? f->last : f->first;
	s->ticks_per_second = f->ticks_per_second;
	s->scripted = f->header.flags & TF_FLAG_SCRIPTED;
	count_told(s, f);
	/* Slices that read the entire trace all find the same: count it in the first only. */
	if (!partial_reads_all(r->partial_of) || !r->slices || !r->slices[f->machine].first)
		count_found(s, f, r->found);
	s->fingerprint = f->fingerprint;
	const double error = trace_time_error(f);
	if (error >= 0 && error < 0x1p63)
		s->time_error_ns = (uint64_t)ceil(error);
	int rc = add_rings(s, f);
	if (!rc)
		rc = source_add_meta(f, "host", &s->host);
	if (!rc)
		rc = source_add_meta(f, "command", &s->command);
	if (!rc)
		rc = source_add_owner(r->trace, f, s);
	if (!rc)
		rc = partial_add_slice(s, r->slices ? r->slices[f->machine] : ALL_TICKS);
	for (size_t i = 0; i < f->nclock_findings && !rc; i++)
		rc = partial_add_finding(s, &f->clock_findings[i]);
	for (size_t i = 0; i < r->found->ndamage && !rc; i++) {
		const struct hook_damage *d = &r->found->damage[i];

		if (d->file == f->index)
			rc = partial_add_damage(
				s, (struct partial_damage){.offset = d->offset, .bytes = d->bytes});
	}
	return rc;
}

/* A file given twice is one source: its hooks were read once. */
static bool is_known(const struct partial *p, const struct trace_file *f)
{
	for (size_t i = 0; i < p->nsources; i++)
		if (p->sources[i].fingerprint == f->fingerprint &&
			memcmp(p->sources[i].trace_id, f->header.trace_id,
				sizeof f->header.trace_id) == 0)
			return true;
	return false;
}

static int partial_describe_filter(struct partial *p, const struct report *r)
{
	struct out text;

	out_memory(&text);
	filter_describe(r->filter, r->compensate, r->where ? r->where->text : NULL, &text);
	out_char(&text, '\0');
	p->filter = text.error ? NULL : strdup(text.buf);
	out_discard(&text);
	return p->filter ? 0 : CPIDECODE_ENOMEM;
}

static int write_partial(struct report *r, const struct partial *p)
{
	const struct report_host *host = r->of_host;
	struct buffer bytes = {0};

	partial_write(&bytes, p);
	if (!bytes.failed && host && !(host->is_first && !host->following))
		partial_set_following(bytes.p, bytes.n, host->following);
	if (!bytes.failed)
		out_bytes(r->out, bytes.p, bytes.n);
	free(bytes.p);
	return bytes.failed ? CPIDECODE_ENOMEM : 0;
}

/* Groups of --by have one, too. */
static bool partial_has_answer(enum report_kind kind)
{
	return kind == REPORT_FLAME || kind == REPORT_HEATMAP || kind == REPORT_SLOWEST ||
	       kind == REPORT_GAPS;
}

static int partial_read_trace(struct report *r, struct partial *p)
{
	switch (r->partial_of) {
	case REPORT_FLAME:
		p->answers.kind = PARTIAL_STACKS;
		return report_flame_partial(r, p);
	case REPORT_HEATMAP:
		p->answers.kind = PARTIAL_HEATMAP;
		return report_heatmap_partial(r, p);
	case REPORT_SLOWEST:
		p->answers.kind = PARTIAL_SLOWEST;
		return report_slowest_partial(r, p);
	case REPORT_GAPS:
		p->answers.kind = PARTIAL_GAPS;
		return report_gaps_partial(r, p);
	case REPORT_WHY:
		p->answers.kind = PARTIAL_WHY;
		return report_why_partial(r, p);
	default:
		return r->by || r->exact ? groups_kept_read(r, p) : tallies_read(r, &p->tally);
	}
}

int report_make_partial(struct report *r, struct partial *p)
{
	int rc = partial_read_trace(r, p);

	/* From here on the partial result says it, not the trace. */
	p->tally.wanted &= ~(unsigned)TALLY_WANT_OWNERS;
	if (!rc)
		rc = tally_set_owner(
			&p->tally, trace_owner_cgroup(r->trace, 0), trace_known_owner(r->trace));
	if (!rc)
		rc = partial_describe_filter(p, r);
	for (size_t i = 0; i < trace_nfiles(r->trace) && !rc; i++)
		if (!is_known(p, trace_file(r->trace, i)))
			rc = add_source(p, r, trace_file(r->trace, i));
	if (!rc)
		rc = partial_threads_gather(p, r->trace);
	if (!rc && r->arguments)
		rc = partial_arguments_copy(&p->arguments, r->arguments);
	partial_sort(p);
	return rc;
}

/* Whose names are not known show none, however many traces are merged. */
static unsigned partial_want_containers(const struct report *r)
{
	const bool is_told = trace_has_several_containers(r->trace) || trace_known_owner(r->trace);

	return is_told && !r->by && !partial_has_answer(r->partial_of)
		       ? TALLY_WANT_CONTAINERS | TALLY_WANT_OWNERS
		       : 0;
}

int report_partial(struct report *r)
{
	struct partial p = {.tally.wanted = PARTIAL_WANTED | partial_want_containers(r)};
	int rc = report_make_partial(r, &p);

	if (!rc)
		rc = write_partial(r, &p);
	partial_free(&p);
	return rc;
}

unsigned report_merged_wants(enum report_kind kind)
{
	switch (kind) {
	case REPORT_PARTIAL:
		return PARTIAL_WANTED | TALLY_WANT_CONTAINERS;
	case REPORT_CPUS:
		return TALLY_WANT_CPUS;
	case REPORT_SUMMARY:
	case REPORT_HISTOGRAM:
	case REPORT_WHY:
		return TALLY_WANT_CONTAINERS;
	default:
		return 0;
	}
}

int report_merged(struct report *r, enum report_kind kind, const struct partial *p)
{
	if ((r->by || r->exact) && (kind == REPORT_SUMMARY || kind == REPORT_HISTOGRAM))
		return groups_kept_print(r, kind, p);
	switch (kind) {
	case REPORT_SUMMARY:
		return summary_print(r, &p->tally, NULL);
	case REPORT_CPUS:
		tallies_tell_left_out(r, &p->tally);
		return cpus_print(r, &p->tally);
	case REPORT_HISTOGRAM:
		return histogram_print(r, &p->tally, NULL);
	case REPORT_FLAME:
		return report_flame_merged(r, p);
	case REPORT_HEATMAP:
		return report_heatmap_merged(r, p);
	case REPORT_SLOWEST:
		return report_slowest_merged(r, p);
	case REPORT_GAPS:
		return report_gaps_merged(r, p);
	case REPORT_WHY:
		return report_why_merged(r, p);
	case REPORT_PARTIAL:
		return write_partial(r, p);
	default:
		return CPIDECODE_EINVAL;
	}
}
