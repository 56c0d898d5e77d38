/*
 * Derived metrics as candidates of explanation: each side has its own tally; a metric is computed
 * as in the summary.
 */
#include "metrics.h"

#include "../../../formats/interval_hooks.h"
#include "../tallies.h"

enum { OWN_GROUPS = 512 /* per thread */ };

/* The names of a why report's own quantities, in CSV. */
static size_t why_list_taken(const char *taken[DERIVED_TAKEN])
{
	size_t n = 0;

	while (n < WHY_QUANTITIES) {
		taken[n] = why_quantities[n];
		n++;
	}
	return n;
}

int why_metrics_begin(
	struct why_metrics *m, struct report *r, const struct why_kept *kept, const struct tally *t)
{
	const char *taken[DERIVED_TAKEN];
	int rc = event_names_gather(&m->names, t);

	m->kept = kept;
	if (rc)
		return rc;
	event_names_sort(&m->names);
	return derived_make(&m->derived, r, &m->names, taken, why_list_taken(taken));
}

unsigned why_metrics_wants(const struct why_metrics *m)
{
	return m->derived.count ? WANT_SYSTEM : 0;
}

int why_metrics_start(struct why_metrics *m, struct report *r, unsigned threads)
{
	int rc = 0;

	for (unsigned side = 0; side < WHY_SIDES && m->derived.count && !m->kept && !rc; side++)
		rc = tally_shared_new(threads, 0, r->trace, OWN_GROUPS, &m->shared[side]);
	return rc;
}

/* An interval of a partial result has no other figures. */
static int why_metrics_add_events(
	const struct why_metrics *m, struct tally *t, const struct interval *iv)
{
	struct tally_group *g =
		tally_group_of(t, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);
	int rc = g ? 0 : CPIDECODE_ENOMEM;

	for (uint32_t i = 0; i < iv->num_values && !rc; i++) {
		const struct interval_value *v = &iv->values[i];
		const struct tally_event e = {.sum = v->u, .known = 1};

		if (v->kind != VALUE_EVENT || v->type != INTERVAL_ARG_U64)
			continue;
		const struct trace_text name = why_kept_text(NULL, m->kept, v->name);
		rc = tally_merge_event(t, g, &e, name.at, name.length);
	}
	return rc;
}

int why_metrics_add(
	struct why_metrics *m, enum why_side side, unsigned thread, const struct interval *iv)
{
	if (m->kept && m->derived.count)
		return why_metrics_add_events(m, &m->sides[side], iv);
	return m->shared[side] ? tally_shared_add(m->shared[side], thread, iv) : 0;
}

int why_metrics_end(struct why_metrics *m)
{
	int rc = 0;

	for (unsigned side = 0; side < WHY_SIDES && m->shared[side] && !rc; side++) {
		rc = tally_shared_collect(m->shared[side], &m->sides[side]);
		if (!rc)
			rc = tally_settle(&m->sides[side]);
	}
	return rc;
}

struct why_metric why_metrics_get(
	const struct why_metrics *m, size_t metric, const struct tally_group *g)
{
	struct why_metric value = {.name = m->derived.at[metric].name};

	for (unsigned side = 0; side < WHY_SIDES; side++) {
		const struct tally_group *found = tally_find(
			&m->sides[side], g->has_label, g->label, g->label_len, g->major, g->mm);

		value.value[side] = found ? derived_of_group(&m->derived.at[metric], found) : NAN;
	}
	value.change = why_change(value.value);
	return value;
}

bool why_metrics_has(const struct why_metrics *m, size_t metric, const struct tally_group *g)
{
	const struct why_metric value = why_metrics_get(m, metric, g);

	/* As in a summary, a label that counts nothing has no lines of n/a. */
	return tally_extra(g)->events || !isnan(value.value[WHY_MIDDLE]) ||
	       !isnan(value.value[WHY_TAIL]);
}

void why_metrics_free(struct why_metrics *m)
{
	for (unsigned side = 0; side < WHY_SIDES; side++) {
		tally_shared_free(m->shared[side]);
		tally_free(&m->sides[side]);
	}
	derived_free(&m->derived);
	event_names_free(&m->names);
}
