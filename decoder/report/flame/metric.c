#include "metric.h"

#include <math.h>
#include <string.h>

#include "../tallies.h"

/* Uses a silent report: the graph's own pass prints the notes. */
static int flame_metric_gather_events(struct flame_metric *m, const struct report *r)
{
	struct report silent = *r;
	struct tally t = {0};

	silent.found = NULL;
	silent.note = NULL;
	silent.compensate = false;
	int rc = tallies_read(&silent, &t);
	if (!rc)
		rc = event_names_gather(&m->names, &t);
	event_names_sort(&m->names);
	tally_free(&t);
	return rc;
}

static int flame_metric_refuse(struct report *r, const struct derived *d)
{
	report_note(r,
		"--weight %s: %s cannot be added up: use sums and differences of counts and times, or their multiples",
		r->weight_event, d->formula->text);
	r->is_misused = true;
	return CPIDECODE_EINVAL;
}

int flame_metric_find(struct flame_metric *m, struct report *r)
{
	const char *name = r->weight_event;

	if (r->weight != WEIGHT_EVENT ||
		!derived_may_be(r->metrics, r->nmetrics, name, strlen(name)))
		return 0;
	int rc = flame_metric_gather_events(m, r);
	if (!rc)
		rc = derived_make(&m->derived, r, &m->names, NULL, 0);
	for (size_t i = 0; i < m->derived.count && !rc; i++)
		if (strcmp(m->derived.at[i].name, name) == 0)
			m->weight = &m->derived.at[i];
	if (!rc && m->weight && !derived_is_additive(m->weight))
		rc = flame_metric_refuse(r, m->weight);
	return rc;
}

uint64_t flame_metric_of(const struct derived *d, const struct interval *iv)
{
	const double value = derived_of_interval(d, iv);

	if (isnan(value))
		return NOT_MEASURED;
	/* Far above any sum that a graph can hold. */
	return value <= 0 ? 0 : value >= 0x1p62 ? UINT64_C(1) << 62 : (uint64_t)llround(value);
}

void flame_metric_free(struct flame_metric *m)
{
	derived_free(&m->derived);
	event_names_free(&m->names);
}
