#include "arrived.h"

#include <stdlib.h>

#include "../../model/hooks/pass.h"
#include "../../model/stats/tally/shared.h"
#include "../../model/trace/arrivals.h"
#include "../query/select.h"
#include "../tallies.h"

enum {
	/* Enough to make a pass worth its cost. */
	ARRIVED_BYTES = 1 << 20,
	/* Bytes for each of several threads: starting one costs as much as decoding 100 KiB. */
	ARRIVED_THREAD_BYTES = 2 << 20,
	ARRIVED_MOST = 64 << 20,
};

struct tallies_arrived {
	const struct trace *part;
	struct tally_shared *shared;
	struct interval_builder **builders; /* by thread; NULL: not needed so far */
	unsigned threads, wanted;
};

static int arrived_read_slice(void *ctx, struct pass_slice *slice)
{
	struct tallies_arrived *a = ctx;
	unsigned thread = pass_thread(slice);
	struct interval_builder **b = &a->builders[thread];
	const struct interval *iv;
	int rc = *b ? 0 : interval_builder_new(a->part, tallies_wants(a->wanted), b);

	if (rc)
		return rc;
	while ((rc = interval_read(*b, slice, &iv)) > 0)
		if ((rc = tally_shared_add(a->shared, thread, iv)))
			break;
	return rc;
}

static int arrived_read(void *ctx, const struct trace *part, bool parallel, struct findings *found)
{
	struct tallies_arrived *a = ctx;
	/* One thread keeps pace with most pipes. */
	const struct pass pass = {.trace = part,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = parallel ? a->threads : 1,
		.spared = HOOK_SPARE_TASK | HOOK_SPARE_TIME,
		.read = arrived_read_slice,
		.ctx = a};

	a->part = part;
	return pass_run(&pass, found);
}

static void arrived_drop(struct tallies_arrived *a)
{
	for (unsigned i = 0; a->builders && i < a->threads; i++)
		interval_builder_free(a->builders[i]);
	free(a->builders);
	a->builders = NULL;
	tally_shared_free(a->shared);
	a->shared = NULL;
}

static void arrived_free(void *ctx)
{
	arrived_drop(ctx);
	free(ctx);
}

int tallies_read_arriving(struct trace *t, unsigned wanted, unsigned threads)
{
	const struct pass pass = {.threads = threads};
	struct tallies_arrived *a = calloc(1, sizeof *a);

	if (!a)
		return CPIDECODE_ENOMEM;
	a->threads = pass_threads(&pass);
	a->wanted = wanted & ~(unsigned)TALLY_WANT_CONTAINERS;
	const uint64_t parallel = (uint64_t)a->threads * ARRIVED_THREAD_BYTES;
	const struct trace_arrivals how = {.read = arrived_read,
		.free = arrived_free,
		.ctx = a,
		.alone = ARRIVED_BYTES,
		.parallel = parallel < ARRIVED_MOST ? parallel : ARRIVED_MOST,
		.of_one_container = wanted & TALLY_WANT_CONTAINERS};
	a->builders = calloc(a->threads, sizeof(struct interval_builder *));
	int rc = a->builders ? tally_shared_new(a->threads, a->wanted, t,
				       tallies_own_groups(a->threads), &a->shared)
			     : CPIDECODE_ENOMEM;
	if (!rc)
		rc = trace_set_arrivals(t, &how);
	if (rc)
		arrived_free(a);
	return rc;
}

/* Names that were not known yet may be now. */
static bool arrived_is_final(const struct findings *found)
{
	return !found->unnamed.labels && !found->unnamed.names &&
	       !begins_lack_names(&found->begins);
}

/* Like tallies_use_arrived, if there is a tally to use. */
static int arrived_use(struct tallies_arrived *a, const struct report *r, struct tally *tally)
{
	struct findings found = {0};
	int rc = 0;

	if (!r->found || tally->wanted != a->wanted || r->slices || r->compensate ||
		!select_takes_all(r))
		return 0;
	for (unsigned i = 0; i < a->threads && !rc; i++)
		if (a->builders[i])
			rc = interval_builder_tell(a->builders[i], &found);
	const bool is_final = arrived_is_final(&found);
	r->found->has_other_hooks |= found.has_other_hooks;
	/* They are all there: had hooks about them been overwritten, this would not be final. */
	if (!rc && is_final)
		rc = begins_move(&r->found->begins, &found.begins);
	findings_free(&found);
	if (rc || !is_final)
		return rc;
	rc = trace_tell_arrived(r->trace, r->found);
	if (!rc)
		rc = tally_shared_collect(a->shared, tally);
	return rc ? rc : 1;
}

int tallies_use_arrived(const struct report *r, struct tally *tally)
{
	struct tallies_arrived *a = trace_arrived(r->trace);

	if (!a || !a->shared)
		return 0;
	int rc = arrived_use(a, r, tally);
	/* Frees it before the trace is read again. */
	arrived_drop(a);
	return rc;
}
