#include "tallies.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/text.h"
#include "../model/hooks/pass.h"
#include "../model/intervals/backward.h"
#include "../model/intervals/stream.h"
#include "../model/stats/tally/shared.h"
#include "../sink/escapes.h"
#include "query/lineage.h"
#include "query/select.h"
#include "stream/arrived.h"

enum {
	KEPT_BYTES = 24 << 20, /* for all threads together, unless one thread needs more */
	TYPICAL_GROUPS = 64,
	OWN_GROUPS = 512, /* per thread, independent of their number */
};

/* Passes every interval that the filter and the slice select to a function. */
struct reader {
	struct report *r;
	unsigned wants;	 /* enum interval_want */
	unsigned unkept; /* of these: the visitor needs flags and on_cpu_ns alone */
	struct interval_builder **builders; /* one per thread, created on first use */
	tallies_visit_fn visit;
	void *ctx;
	int (*again)(void *ctx); /* forgets what it visited; NULL: cannot */
	bool all;		 /* the filter selects every interval */
	unsigned spared;	 /* enum hook_spared */
};

static int tallies_visit_interval(struct reader *reader, unsigned thread, const struct interval *iv)
{
	if (!reader->all && !select_interval(reader->r, iv))
		return 0;
	return reader->visit(reader->ctx, thread, iv);
}

static int read_slice(void *ctx, struct pass_slice *slice)
{
	struct reader *reader = ctx;
	unsigned thread = pass_thread(slice);
	struct interval_builder **b = &reader->builders[thread];
	const struct interval *iv;
	int rc = *b ? 0 : interval_builder_new(reader->r->trace, reader->wants, b);

	if (rc)
		return rc;
	while ((rc = interval_read(*b, slice, &iv)) > 0)
		if ((rc = tallies_visit_interval(reader, thread, iv)))
			break;
	return rc;
}

/* Hooks are written at an interval's end: one that overlaps the range may have hooks after `to`,
 * never before `from`. */
static struct pass make_pass(struct reader *reader, unsigned threads)
{
	struct pass pass = report_pass(reader->r, read_slice, reader);

	pass.to_ns = INT64_MAX;
	pass.slices = reader->r->slices;
	pass.threads = threads;
	pass.spared = reader->spared;
	return pass;
}

unsigned tallies_threads(const struct report *r, uint64_t bytes)
{
	struct pass pass = {.threads = r->threads};
	unsigned threads = pass_threads(&pass);
	uint64_t most = bytes ? KEPT_BYTES / bytes : threads;

	return most >= threads ? threads : most ? (unsigned)most : 1;
}

/* Each interval as it comes, on several threads. */
static int read_unsorted(struct reader *reader, unsigned threads, struct findings *found)
{
	struct pass pass = make_pass(reader, threads);

	reader->wants |= select_wants(reader->r);
	reader->builders = calloc(threads, sizeof(struct interval_builder *));
	if (!reader->builders)
		return CPIDECODE_ENOMEM;
	int rc = pass_run(&pass, found);
	for (unsigned i = 0; i < threads; i++) {
		if (!rc && found && reader->builders[i])
			rc = interval_builder_tell(reader->builders[i], found);
		interval_builder_free(reader->builders[i]);
	}
	free(reader->builders);
	return rc;
}

bool tallies_is_in_slice(const struct report *r, const struct interval *iv)
{
	const struct tick_range *slice = r->slices ? &r->slices[iv->machine] : NULL;

	return !slice || (iv->end_ticks >= slice->first && iv->end_ticks <= slice->last);
}

static bool tallies_filter_interval(void *ctx, const struct interval *iv)
{
	const struct reader *reader = ctx;

	return tallies_is_in_slice(reader->r, iv) &&
	       (reader->all || select_interval(reader->r, iv));
}

static int tallies_ignore_interval(void *ctx, unsigned thread, const struct interval *iv)
{
	(void)ctx;
	(void)thread;
	(void)iv;
	return 0;
}

int tallies_find_in_slice(struct report *r, unsigned wants, struct findings *found)
{
	struct reader reader = {
		.r = r, .wants = wants, .visit = tallies_ignore_interval, .all = true};

	return read_unsorted(&reader, tallies_threads(r, 0), found);
}

/* Reads intervals that are selected by others, or whose costs are subtracted. */
static struct interval_stream_options tallies_sorted_options(struct reader *reader)
{
	const struct report *r = reader->r;

	return (struct interval_stream_options){.filter = tallies_filter_interval,
		.ctx = reader,
		.progress = r->progress,
		.progress_ctx = r->ctx,
		.from_ns = INT64_MIN,
		.threads = r->threads,
		.wants = (reader->wants & ~reader->unkept) |
			 (r->compensate ? WANT_START | WANT_OWN_COST : 0) |
			 (reader->spared & HOOK_SPARE_TIME ? 0 : WANT_START),
		.spared = reader->spared,
		.filter_wants = select_wants(r) | reader->unkept,
		.by_machine = true,
		/* A reader of unsorted intervals has no depths either. */
		.unnested = true,
		.nested_cost = r->compensate,
		.compensate = r->compensate};
}

/* Intervals nested in one, or around it, are known only once all are sorted; then one thread reads
 * them. Of a slice, too: those nested in its intervals may have ended before it. */
static int read_sorted(
	struct reader *reader, const struct interval_stream_options *how, struct findings *found)
{
	const struct report *r = reader->r;
	struct interval_stream *s;
	const struct interval *iv;
	int rc = interval_stream_open(r->trace, how, &s, r->slices ? NULL : found);

	if (rc)
		return rc;
	if (r->slices && found)
		rc = tallies_find_in_slice(reader->r, reader->wants, found);
	/* Reports that read twice say it once. */
	if (found)
		report_note_compensated(r, interval_stream_with_cost(s), interval_stream_count(s));
	while (!rc && (rc = interval_stream_next(s, &iv)) > 0)
		rc = reader->visit(reader->ctx, 0, iv);
	int error = errno;
	interval_stream_close(s);
	errno = error;
	return rc;
}

static int tallies_visit_selected(void *ctx, const struct interval *iv)
{
	const struct reader *reader = ctx;

	return reader->visit(reader->ctx, 0, iv);
}

/* Without sorting all intervals, where that is possible and the visitor can begin again. */
static int tallies_read_nested(struct reader *reader, struct findings *found)
{
	const struct report *r = reader->r;
	struct interval_stream_options how = tallies_sorted_options(reader);
	struct lineage lineage = {0};
	struct interval_query query;
	int rc = INTERVAL_BACKWARD_UNSUITED;

	how.query = lineage_query(&lineage, r, &query);
	if (reader->again && how.query && !r->compensate && !r->slices &&
		interval_backward_suits(r->trace, how.query)) {
		rc = interval_backward_each(r->trace, &how, tallies_visit_selected, reader, found);
		if (rc == INTERVAL_BACKWARD_UNSUITED) {
			if (found)
				findings_free(found);
			const int failed = reader->again(reader->ctx);
			rc = failed ? failed : rc;
		}
	}
	if (rc == INTERVAL_BACKWARD_UNSUITED)
		rc = read_sorted(reader, &how, found);
	int error = errno;
	lineage_free(&lineage);
	errno = error;
	return rc;
}

static int read_all(struct reader *reader, unsigned threads, struct findings *found)
{
	if (reader->r->compensate || select_nests(reader->r))
		return tallies_read_nested(reader, found);
	return read_unsorted(reader, threads, found);
}

int tallies_each(struct report *r, unsigned threads, unsigned wants, struct findings *found,
	tallies_visit_fn fn, void *ctx)
{
	struct reader reader = {
		.r = r, .wants = wants, .visit = fn, .ctx = ctx, .all = select_takes_all(r)};

	return read_all(&reader, threads, found);
}

/* What the intervals go to, and how it begins. */
struct tallying {
	struct tally_shared *shared;
	const struct trace *trace;
	unsigned threads, wanted;
};

static int add_to_tally(void *ctx, unsigned thread, const struct interval *iv)
{
	const struct tallying *t = ctx;

	return tally_shared_add(t->shared, thread, iv);
}

static int tallies_begin(void *ctx)
{
	struct tallying *t = ctx;

	tally_shared_free(t->shared);
	return tally_shared_new(
		t->threads, t->wanted, t->trace, tallies_own_groups(t->threads), &t->shared);
}

/* The most memory of a thread's columns: only the processors are known before reading. */
static uint64_t columns_bytes(const struct report *r, const struct tally *t)
{
	uint64_t cpus = 0;

	if (!(t->wanted & TALLY_WANT_CPUS))
		return 0;
	for (size_t i = 0; i < trace_nfiles(r->trace); i++)
		if (trace_file(r->trace, i)->header.cpus > cpus)
			cpus = trace_file(r->trace, i)->header.cpus;
	return TYPICAL_GROUPS * cpus * COLUMN_CPI_RATIOS * sizeof(struct ratio);
}

size_t tallies_own_groups(unsigned threads)
{
	size_t own = KEPT_BYTES / TALLY_SHARED_GROUP / threads;

	if (threads == 1)
		return SIZE_MAX;
	return own > OWN_GROUPS ? own : OWN_GROUPS;
}

unsigned tallies_wants(unsigned wanted)
{
	return WANT_SYSTEM | WANT_THREAD | WANT_QUALITY | WANT_EVENTS |
	       (wanted & TALLY_WANT_CPUS ? WANT_CPUS : 0) |
	       (wanted & TALLY_WANT_TYPES ? WANT_TYPES : 0);
}

/* Reads into *t, which is not settled yet. */
static int read_shared(struct report *r, struct tally *t, unsigned threads)
{
	struct tallying to = {.trace = r->trace, .threads = threads, .wanted = t->wanted};
	struct reader reader = {.r = r,
		.wants = tallies_wants(t->wanted),
		.unkept = WANT_QUALITY,
		.visit = add_to_tally,
		.again = tallies_begin,
		.ctx = &to,
		.all = select_takes_all(r)};

	/* A tally seldom needs a thread or a time: only the selection reads them. */
	if (!select_asks_task(r) && !(t->wanted & TALLY_WANT_CONTAINERS))
		reader.spared = HOOK_SPARE_TASK;
	if (!select_asks_time(r) && !(t->wanted & TALLY_WANT_ORDER))
		reader.spared |= HOOK_SPARE_TIME;
	int rc = tallies_begin(&to);
	if (!rc)
		rc = read_all(&reader, threads, r->found);
	if (!rc)
		rc = tally_shared_collect(to.shared, t);
	tally_shared_free(to.shared);
	return rc;
}

int tallies_read(struct report *r, struct tally *t)
{
	int rc = tallies_use_arrived(r, t);

	if (!rc)
		rc = read_shared(r, t, tallies_threads(r, columns_bytes(r, t)));
	if (rc < 0)
		return rc;
	tallies_tell_left_out(r, t);
	if (!t->count && !t->cpus_left_out)
		report_note_no_intervals(r);
	rc = tally_settle(t);
	/* A partial result keeps more of them than are shown. */
	if (rc || !(t->wanted & TALLY_WANT_CONTAINERS) || t->wanted & TALLY_WANT_OWNERS)
		return rc;
	return tally_show_containers(t, NULL);
}

void tallies_note_children_lost(
	const struct report *r, const struct tally *t, const char *consequence)
{
	uint64_t count = 0;
	exact_sum total = 0;

	for (size_t i = 0; i < t->count; i++) {
		count += t->groups[i]->time.count;
		exact_add(&total, t->groups[i]->total);
	}
	report_note_counted_lost(r,
		&(struct report_children_lost){
			t->children_lost, count, t->children_lost_time, total},
		consequence);
}

void tallies_tell_left_out(const struct report *r, const struct tally *t)
{
	if (t->cpus_left_out)
		report_note(r,
			"%" PRIu64 " interval%s with processors beyond %d: those are left out",
			t->cpus_left_out, text_plural(t->cpus_left_out), TALLY_CPUS);
}

unsigned tallies_has(const struct tally_group *g)
{
	return (tally_is_util(g) ? TALLIES_HAS_UTIL : 0) |
	       (g->major != CPI_MAJOR ? TALLIES_HAS_MAJOR : 0) |
	       (tally_extra(g)->shows_container ? TALLIES_HAS_CONTAINER : 0);
}

unsigned tallies_have(const struct tally *t)
{
	unsigned has = 0;

	for (size_t i = 0; i < t->count; i++)
		has |= tallies_has(t->groups[i]);
	return has;
}

static const struct tally_group *tallies_row_group(const void *row)
{
	return *(const struct tally_group *const *)row;
}

struct cell tallies_get_label(const void *row)
{
	const struct tally_group *g = tallies_row_group(row);

	return cell_string(g->label, g->label_len, g->has_label);
}

struct cell tallies_get_minor(const void *row)
{
	return cell_u64(tallies_row_group(row)->mm, true);
}

struct cell tallies_get_major(const void *row)
{
	return cell_u64(tallies_row_group(row)->major, true);
}

struct cell tallies_get_count(const void *row)
{
	return cell_u64(tallies_row_group(row)->time.count, true);
}

struct cell tallies_get_methods(const void *row)
{
	return cell_methods(tally_extra(tallies_row_group(row))->methods);
}

struct cell tallies_get_container(const void *row)
{
	const char *name = tally_extra(tallies_row_group(row))->container;

	return cell_string(name, name ? strlen(name) : 0, name != NULL);
}

unsigned tallies_want_containers(const struct report *r)
{
	return trace_has_several_containers(r->trace) ? TALLY_WANT_CONTAINERS : 0;
}

void tallies_spell_label(struct out *o, const void *row)
{
	const struct tally_group *g = tallies_row_group(row);

	escape_label(o, g->has_label ? g->label : NULL, g->label_len, g->mm);
}

void tallies_spell_code(struct out *o, const void *row)
{
	const struct tally_group *g = tallies_row_group(row);

	report_code(o, g->major, g->mm);
}

bool tallies_pass(struct rows *rows, const struct report *r, size_t groups)
{
	if (groups || r->format != FORMAT_TEXT)
		return rows_pass(rows);
	out_str(r->out, "no intervals\n");
	return false;
}

void tallies_text_name(struct out *o, const struct tally_group *g)
{
	if (g->has_label) {
		escape_quoted(o, g->label, g->label_len);
		out_str(o, ", ");
	}
	out_printf(o, ESCAPE_MINOR, g->mm);
	if (g->major != CPI_MAJOR)
		out_printf(o, " of major 0x%02X", g->major);
}

void tallies_text_heading(struct out *o, const struct tally_group *g, bool with_containers)
{
	tallies_text_name(o, g);
	if (tally_is_util(g)) {
		out_str(o, ", method ");
		report_methods_text(o, tally_extra(g)->methods);
	}
	if (with_containers && tally_extra(g)->container) {
		out_str(o, ", container ");
		escape_text(o, tally_extra(g)->container, strlen(tally_extra(g)->container));
	}
	out_printf(o, ", %" PRIu64 " interval%s", g->time.count, text_plural(g->time.count));
}

void tallies_flagged_line(const struct report *r, const struct tally *t)
{
	uint64_t taken = 0, flagged = 0, by_flag[SUMS_FLAGS] = {0};
	const char *between = ": ";

	for (size_t i = 0; i < t->count; i++) {
		const struct tally_group *g = t->groups[i];
		struct sums scratch;
		const struct sums *s = tally_sums(g, &scratch);

		taken += g->time.count;
		flagged += s->flagged;
		for (unsigned f = 0; f < SUMS_FLAGS; f++)
			by_flag[f] += s->by_flag[f];
	}
	if (!flagged)
		return;
	out_printf(r->out, "# %" PRIu64 " of %" PRIu64 " intervals flagged", flagged, taken);
	for (unsigned f = 0; f < SUMS_FLAGS; f++) {
		if (!by_flag[f])
			continue;
		out_str(r->out, between);
		report_flags(r->out, IV_MULTIPLEXED << f);
		out_printf(r->out, " %" PRIu64, by_flag[f]);
		between = ", ";
	}
	out_char(r->out, '\n');
}
