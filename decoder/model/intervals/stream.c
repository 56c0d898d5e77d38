#include "stream.h"

#include <errno.h>
#include <stdlib.h>

#include "../../../include/cpidecode.h"
#include "../../base/exact.h"
#include "begin_hook.h"
#include "sorter.h"
#include "window.h"
#include "nested_cost.h"
#include "nesting.h"
#include "own_cost.h"
#include "record_key.h"
#include "../hooks/pass.h"
#include "../trace/clock/clock.h"

#define DEFAULT_BUDGET ((size_t)24 << 20)

/* With a window: the sorter's share of the budget. */
enum { LATE_SHARE = 4 };

/* The bits of a selection from here on have its name; the query has those below. */
enum { STREAM_NAME_SHIFT = 32 };

struct interval_stream {
	const struct trace *t;
	struct interval_sorter *sorter;
	struct interval_window *window;	  /* NULL: the sorter has all, else only those too late */
	const struct reading_in *reading; /* while the trace is read in */
	struct nesting nesting;
	struct nested_cost costs;
	bool nested;	/* the sorter's records hold their depths */
	bool has_costs; /* own_nested is known; of the first sorter from `costs` */
	bool skipped;	/* `costs` lacks some */
	bool compensate;
	bool unnested;
	bool is_named;			    /* selections have the numbers that `name` gave */
	int64_t from_ns, known_to_ns;	    /* known_to_ns: INT64_MAX if all is read */
	const struct interval_query *query; /* NULL: none, or it has selected */
	uint64_t count, with_cost;
	int64_t place;	    /* of the next one returned */
	int64_t kept;	    /* place of the next one that passes the filter */
	struct interval iv; /* the one returned */
};

/* Per-thread state of the pass. */
struct feeder {
	struct interval_builder *builder;
	uint64_t kept, with_cost; /* with_cost: of those kept */
	bool has_pairs;		  /* some interval, kept or not, has its cost */
};

struct reading_in {
	const struct interval_stream_options *options;
	struct feeder *feeders;
};

static enum interval_choice interval_stream_choose(
	void *ctx, unsigned thread, const struct interval *iv)
{
	struct interval_stream *s = ctx;
	const struct interval_stream_options *o = s->reading->options;
	struct feeder *f = &s->reading->feeders[thread];
	const bool has_pair = iv->own_pair != NOT_MEASURED;

	f->has_pairs |= has_pair;
	if (!o->filter || o->filter(o->ctx, iv)) {
		f->kept++;
		f->with_cost += has_pair;
		return INTERVAL_KEPT;
	}
	if ((o->near && !o->near(o->ctx, iv)) || (s->unnested && !o->query && !o->nested_cost))
		return INTERVAL_LEFT_OUT;
	return INTERVAL_KEY;
}

static int interval_stream_add_interval(
	struct interval_stream *s, unsigned thread, const struct interval *iv)
{
	const enum interval_choice choice = interval_stream_choose(s, thread, iv);
	const struct interval_stream_options *o = s->reading->options;
	uint64_t selection;

	if (choice == INTERVAL_LEFT_OUT)
		return 0;
	selection = o->query ? o->query->selection(o->query->ctx, iv) : 0;
	if (o->name)
		selection = (uint32_t)selection | (uint64_t)o->name(o->ctx, iv)
							  << STREAM_NAME_SHIFT;
	return interval_sorter_add(s->sorter, thread, iv, choice == INTERVAL_KEPT, selection);
}

static int interval_stream_read_slice(void *ctx, struct pass_slice *slice)
{
	struct interval_stream *s = ctx;
	unsigned thread = pass_thread(slice);
	struct interval_builder *b = s->reading->feeders[thread].builder;
	struct section_starts *noted = s->reading->options->noted;
	const struct interval *iv;
	uint64_t least = UINT64_MAX;
	int rc;

	while ((rc = interval_read(b, slice, &iv)) > 0) {
		if (iv->start_ticks < least)
			least = iv->start_ticks;
		if ((rc = interval_stream_add_interval(s, thread, iv)))
			break;
	}
	/* An ended interval may have begun anywhere. */
	if (!rc && noted)
		pass_note_starts(slice, noted, interval_builder_had_begins(b) ? 0 : least);
	return rc;
}

static bool has_machines(const struct trace *t)
{
	for (size_t i = 1; i < trace_nfiles(t); i++)
		if (trace_file(t, i)->machine != trace_file(t, 0)->machine)
			return true;
	return false;
}

static bool has_clock_set_back(const struct trace *t)
{
	for (size_t i = 0; i < trace_nfiles(t); i++)
		if (!clock_is_monotone(trace_file(t, i)->clock))
			return true;
	return false;
}

static void free_feeders(struct feeder *feeders, unsigned n)
{
	for (unsigned i = 0; feeders && i < n; i++)
		interval_builder_free(feeders[i].builder);
	free(feeders);
}

/* Open intervals, if they are wanted. */
static int interval_stream_add_open(struct interval_stream *s, struct findings *found)
{
	struct overwritten overwritten = {0};
	struct living living = {0};
	struct interval iv;
	int rc = 0;

	begins_settle(&found->begins, s->t);
	if (found->begins.count)
		rc = overwritten_find(&overwritten, s->t);
	if (found->begins.count && !rc)
		rc = living_find(&living, s->t);
	s->skipped |= found->begins.count > 0; /* the sorter has them */
	for (size_t i = 0; i < found->begins.count && !rc; i++) {
		begin_interval(&found->begins.at[i], s->t, &overwritten, &living, &iv);
		rc = interval_stream_add_interval(s, 0, &iv);
	}
	overwritten_free(&overwritten);
	living_free(&living);
	return rc;
}

/* Adds the next one's cost to its containers. */
static int sum_cost(struct interval_stream *s, const struct interval_record *r)
{
	const struct nest_key key =
		interval_record_nest_key(r, r->marks & RECORD_KEPT ? s->kept : -1);

	s->kept += key.place >= 0;
	return nested_cost_add(&s->costs, &key);
}

static int next_record(struct interval_stream *s, const struct interval_record **r)
{
	return s->window ? interval_window_next(s->window, r) : interval_sorter_next(s->sorter, r);
}

static int rewind_records(struct interval_stream *s)
{
	s->place = s->kept = 0;
	return s->window ? interval_window_rewind(s->window) : interval_sorter_rewind(s->sorter);
}

/* Walks a sorter by machine and ticks for the sums of nested costs. */
static int sum_costs(struct interval_stream *s)
{
	const struct interval_record *r;

	nested_cost_free(&s->costs);
	int rc = nested_cost_begin(&s->costs, s->count);
	while (!rc && (rc = next_record(s, &r)) > 0)
		rc = sum_cost(s, r);
	nested_cost_end(&s->costs);
	return rc ? rc : rewind_records(s);
}

/* Sums costs while the window is read in: that saves a walk. Most traces have all costs or none.
 */
static int interval_stream_emit(void *ctx, const struct interval_record *r)
{
	struct interval_stream *s = ctx;

	if (!s->reading->options->nested_cost || s->skipped)
		return 0;
	if (!s->has_costs && r->own_pair == RECORD_NO_PAIR) {
		s->skipped = true;
		return 0;
	}
	s->has_costs = true;
	int rc = nested_cost_begin(&s->costs, (uint64_t)s->kept + 1);
	return rc ? rc : sum_cost(s, r);
}

/* Reads the trace into a window; to_build: enum interval_want. */
static int read_in_window(struct interval_stream *s, const struct pass *pass,
	const struct interval_sorter_options *how, unsigned to_build, struct findings *found)
{
	const struct interval_window_options options = {.pass = *pass,
		.wants = how->wants,
		.to_build = to_build,
		.budget = how->budget - how->budget / LATE_SHARE,
		.late = s->sorter,
		.ctx = s,
		.choose = interval_stream_choose,
		.emit = interval_stream_emit,
		.noted = s->reading->options->noted};
	int rc = interval_window_open(&options, &s->window, found);

	if (!rc)
		s->skipped |= !interval_window_emitted_all(s->window);
	return rc;
}

/* Reads the trace into the sorter. */
static int read_in_sorter(
	struct interval_stream *s, struct pass *pass, unsigned to_build, struct findings *found)
{
	struct feeder *feeders = s->reading->feeders;
	const unsigned threads = pass_threads(pass);
	int rc = 0;

	pass->read = interval_stream_read_slice;
	pass->ctx = s;
	for (unsigned i = 0; i < threads && !rc; i++)
		rc = interval_builder_new(s->t, to_build, &feeders[i].builder);
	if (!rc)
		rc = pass_run(pass, found);
	for (unsigned i = 0; found && i < threads && !rc; i++)
		rc = interval_builder_tell(feeders[i].builder, found);
	return rc;
}

static int read_in(struct interval_stream *s, const struct interval_stream_options *o,
	const struct interval_sorter_options *how, struct findings *found)
{
	struct reading_in r = {.options = o};
	struct pass pass = {.trace = s->t,
		.from_ns = o->from_ns,
		.to_ns = INT64_MAX,
		.threads = o->threads,
		.spared = o->spared,
		.known = o->known,
		.known_to_ns = o->known_to_ns,
		.progress = o->progress,
		.progress_ctx = o->progress_ctx};
	struct interval_sorter_options sorter = *how;
	const bool has_window =
		o->windowed && !o->query && !o->name && interval_window_suits(s->t, how->budget);
	const bool untimed =
		o->filter_wants & WANT_UNTIMED || (!o->filter && !o->near && !o->query);
	/* The sorter finds the times of starts, in their order. */
	const unsigned to_build = (how->wants & ~(RECORD_SELECTION | WANT_START)) |
				  o->filter_wants | (o->query ? o->query->wants : 0) |
				  (untimed ? WANT_UNTIMED : 0);

	if (untimed && !(to_build & WANT_START))
		pass.spared |= HOOK_SPARE_TIME;
	sorter.threads = pass_threads(&pass);
	if (has_window)
		sorter.budget /= LATE_SHARE;
	s->reading = &r;
	r.feeders = calloc(sorter.threads, sizeof *r.feeders);
	int rc = r.feeders ? interval_sorter_new(&sorter, &s->sorter) : CPIDECODE_ENOMEM;
	if (!rc)
		rc = has_window ? read_in_window(s, &pass, how, to_build, found)
				: read_in_sorter(s, &pass, to_build, found);
	if (!rc && found && o->open)
		rc = interval_stream_add_open(s, found);
	for (unsigned i = 0; r.feeders && i < sorter.threads; i++) {
		s->count += r.feeders[i].kept;
		s->with_cost += r.feeders[i].with_cost;
		s->has_costs |= r.feeders[i].has_pairs && o->nested_cost;
	}
	free_feeders(r.feeders, sorter.threads);
	s->reading = NULL;
	return rc;
}

/* Intervals nested in one that began before from_ns, or ended after known_to_ns, may not have
 * been read. kept: its place among those that pass the filter. */
static void find_cost(struct interval_stream *s, struct interval *iv, int64_t kept)
{
	if (s->has_costs && iv->start_ns >= s->from_ns && iv->end_ns <= s->known_to_ns)
		iv->own_nested = nested_cost_get(&s->costs, kept);
}

/* The query's part. */
static uint64_t interval_stream_selection(
	const struct interval_stream *s, const struct interval_record *r)
{
	const uint64_t selection = interval_record_selection(r);

	return s->is_named ? (uint32_t)selection : selection;
}

/* Walks a sorter by machine and ticks, for the query to gather what it selects by. */
static int gather_query(struct interval_stream *s)
{
	const struct interval_query *q = s->query;
	const struct interval_record *r;
	int rc;

	while ((rc = next_record(s, &r)) > 0) {
		struct nest_key key = interval_record_nest_key(r, -1);

		rc = q->gather(q->ctx, &key, interval_record_widen(r).file,
			interval_stream_selection(s, r));
		if (rc)
			return rc;
	}
	q->end(q->ctx);
	return rc ? rc : rewind_records(s);
}

/* Converts the costs of an interval that is handed out, and subtracts them if asked. */
static void settle_cost(struct interval_stream *s, struct interval *iv)
{
	if (!s->has_costs)
		return;
	const struct trace_file *f = trace_file(s->t, iv->file);
	own_cost_flag(iv);
	if (iv->own_inside != NOT_MEASURED)
		iv->own_inside_ns = exact_round(trace_duration_ns(f, iv->own_inside));
	if (iv->own_nested != NOT_MEASURED)
		iv->own_nested_ns = exact_round(trace_duration_ns(f, iv->own_nested));
	if (s->compensate)
		own_cost_subtract(iv, s->t);
}

/* Selects a record, and nests it if it is, or all are: depths count every interval. */
static int nest_record(struct interval_stream *s, const struct interval_record *r, bool *selected,
	struct nest_found *found)
{
	struct nest_key key = interval_record_nest_key(r, -1);

	if (s->is_named)
		key.name = (uint32_t)(interval_record_selection(r) >> STREAM_NAME_SHIFT);
	if (s->query) {
		int rc = s->query->select(s->query->ctx, &key, interval_record_widen(r).file,
			interval_stream_selection(s, r), selected);

		if (rc < 0)
			return rc;
		*selected &= (r->marks & RECORD_KEPT) != 0;
	}
	if (*selected)
		key.place = s->place;
	return s->unnested ? 0 : nesting_add(&s->nesting, &key, found);
}

/* The next selected interval, with its depth, from a sorter by machine and ticks. */
static int next_nested(struct interval_stream *s)
{
	const struct interval_record *r;
	int rc;

	while ((rc = next_record(s, &r)) > 0) {
		const bool kept = r->marks & RECORD_KEPT;
		bool selected = kept;
		struct nest_found found = {.parent = -1};

		rc = s->unnested && !s->query ? 0 : nest_record(s, r, &selected, &found);
		if (rc < 0)
			return rc;
		s->kept += kept;
		if (!selected)
			continue;
		rc = interval_sorter_get(s->sorter, r, &s->iv);
		s->iv.depth = found.depth;
		s->iv.parent = found.parent;
		s->iv.parent_hook = found.hook;
		s->iv.parent_name = found.name;
		s->iv.place = s->place++;
		if (!rc)
			find_cost(s, &s->iv, s->kept - 1);
		return rc ? rc : 1;
	}
	return rc;
}

static int next_sorted(struct interval_stream *s)
{
	const struct interval_record *r;
	int rc = next_record(s, &r);

	if (rc <= 0)
		return rc;
	rc = interval_sorter_get(s->sorter, r, &s->iv);
	if (!rc)
		rc = nesting_renumber(&s->nesting, &s->iv, s->place++);
	return rc ? rc : 1;
}

/* Ticks of several machines are not comparable: nests by ticks, then sorts by time. */
static int sort_by_time(struct interval_stream *s, const struct interval_sorter_options *how)
{
	struct interval_sorter_options options = *how;
	struct interval_sorter *sorter;

	options.threads = 1;
	options.wants = (options.wants & ~RECORD_SELECTION) | RECORD_PLACES;
	int rc = interval_sorter_new(&options, &sorter);
	if (rc)
		return rc;
	while (!rc && (rc = next_nested(s)) > 0)
		rc = interval_sorter_add(sorter, 0, &s->iv, true, 0);
	if (rc) {
		int error = interval_sorter_error(sorter);

		interval_sorter_free(sorter);
		errno = error;
		return rc;
	}
	nesting_free(&s->nesting);
	nested_cost_free(&s->costs);
	interval_sorter_free(s->sorter);
	s->sorter = sorter;
	s->nested = true;
	s->nesting.keeps = has_clock_set_back(s->t);
	if (s->query)
		s->query->end(s->query->ctx);
	s->query = NULL;
	return rewind_records(s);
}

static int interval_stream_fill_sorter(
	struct interval_stream *s, const struct interval_stream_options *o, struct findings *found)
{
	bool by_time = !o->by_machine && has_machines(s->t);
	struct interval_sorter_options how = {.trace = s->t,
		.wants = o->wants | (by_time ? WANT_START : 0) |
			 (o->query || o->name ? RECORD_SELECTION : 0),
		.budget = o->budget ? o->budget : DEFAULT_BUDGET};

	if (by_time)
		how.budget /= 2;
	s->compensate = o->compensate;
	/* Nest all first: sorting by time may move an interval before one that contains it.
	 */
	s->unnested = o->unnested && !by_time;
	s->from_ns = o->from_ns;
	s->known_to_ns = o->known ? o->known_to_ns : INT64_MAX;
	s->query = o->query;
	s->is_named = o->name;
	int rc = read_in(s, o, &how, found);
	if (!rc)
		rc = rewind_records(s);
	if (!rc && s->has_costs && (!s->window || s->skipped))
		rc = sum_costs(s);
	else
		nested_cost_end(&s->costs);
	if (!rc && s->query && s->query->gathers)
		rc = gather_query(s);
	return !rc && by_time ? sort_by_time(s, &how) : rc;
}

int interval_stream_open(const struct trace *t, const struct interval_stream_options *o,
	struct interval_stream **result, struct findings *found)
{
	struct interval_stream *s = calloc(1, sizeof *s);

	*result = NULL;
	if (!s)
		return CPIDECODE_ENOMEM;
	s->t = t;
	s->iv = interval_blank;
	int rc = interval_stream_fill_sorter(s, o, found);
	if (rc) {
		int error = errno;

		if (s->sorter && interval_sorter_error(s->sorter))
			error = interval_sorter_error(s->sorter);
		interval_stream_close(s);
		errno = error;
		return rc;
	}
	*result = s;
	return 0;
}

int interval_stream_next(struct interval_stream *s, const struct interval **iv)
{
	int rc = s->nested ? next_sorted(s) : next_nested(s);

	if (rc > 0)
		settle_cost(s, &s->iv);
	if (rc == CPIDECODE_ESPOOL && interval_sorter_error(s->sorter))
		errno = interval_sorter_error(s->sorter);
	*iv = &s->iv;
	return rc;
}

int interval_stream_rewind(struct interval_stream *s)
{
	nesting_free(&s->nesting);
	if (s->query)
		s->query->end(s->query->ctx);
	int rc = rewind_records(s);
	if (rc == CPIDECODE_ESPOOL && interval_sorter_error(s->sorter))
		errno = interval_sorter_error(s->sorter);
	return rc;
}

uint64_t interval_stream_count(const struct interval_stream *s)
{
	return s->count;
}

uint64_t interval_stream_with_cost(const struct interval_stream *s)
{
	return s->with_cost;
}

void interval_stream_close(struct interval_stream *s)
{
	if (!s)
		return;
	nesting_free(&s->nesting);
	nested_cost_free(&s->costs);
	interval_window_free(s->window);
	interval_sorter_free(s->sorter);
	free(s);
}
