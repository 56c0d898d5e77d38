#include "selection_walk.h"

#include <errno.h>

#include "select.h"

static bool selection_walk_filter(void *ctx, const struct interval *iv)
{
	return select_interval(ctx, iv);
}

static int selection_walk_open_selected(struct selection_walk *w, struct report *r)
{
	struct interval_stream_options how = {.filter = selection_walk_filter,
		.ctx = r,
		.from_ns = INT64_MIN,
		.threads = r->threads,
		.filter_wants = select_wants(r),
		.wants = WANT_START | (r->compensate ? WANT_OWN_COST : 0),
		.by_machine = true,
		.nested_cost = r->compensate,
		.compensate = r->compensate,
		.open = true};

	how.query = lineage_query(&w->lineage, r, &w->query);
	findings_free(&w->found);
	w->found = (struct findings){0};
	return interval_stream_open(r->trace, &how, &w->selected, &w->found);
}

static int selection_walk_step(struct selection_walk *w)
{
	int rc = w->selected ? interval_stream_next(w->selected, &w->next) : 0;

	if (rc <= 0)
		w->next = NULL;
	return rc < 0 ? rc : 0;
}

int selection_walk_open(
	struct selection_walk *w, struct report *r, unsigned wants, struct findings *found)
{
	const struct interval_stream_options how = {.from_ns = INT64_MIN,
		.progress = r->progress,
		.progress_ctx = r->ctx,
		.threads = r->threads,
		.wants = wants | WANT_START | (r->compensate ? WANT_OWN_COST : 0),
		.by_machine = true,
		.nested_cost = r->compensate,
		.compensate = r->compensate,
		.open = true};
	int rc = interval_stream_open(r->trace, &how, &w->all, found ? found : &w->found);

	if (!rc && !select_takes_all(r))
		rc = selection_walk_open_selected(w, r);
	if (!rc)
		rc = selection_walk_step(w);
	return rc;
}

int selection_walk_next(struct selection_walk *w, const struct interval **iv, bool *selected)
{
	int rc = interval_stream_next(w->all, iv);

	if (rc <= 0)
		return rc;
	*selected = !w->selected;
	if (!w->next || w->next->position != (*iv)->position || w->next->ring != (*iv)->ring ||
		w->next->file != (*iv)->file)
		return 1;
	*selected = true;
	rc = selection_walk_step(w);
	return rc ? rc : 1;
}

int selection_walk_rewind(struct selection_walk *w)
{
	int rc = interval_stream_rewind(w->all);

	if (!rc && w->selected)
		rc = interval_stream_rewind(w->selected);
	return rc ? rc : selection_walk_step(w);
}

void selection_walk_close(struct selection_walk *w)
{
	int error = errno;

	interval_stream_close(w->all);
	interval_stream_close(w->selected);
	lineage_free(&w->lineage);
	findings_free(&w->found);
	errno = error;
}
