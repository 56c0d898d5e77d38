#include "interval_stream.h"

#include <stdlib.h>

#include "../../include/cpidecode.h"

struct interval_stream {
	struct interval_set *set;
	size_t at;
};

int interval_stream_open(const struct trace *t, const struct interval_stream_options *o,
	struct interval_stream **result, struct findings *found)
{
	struct interval_set_options how = {
		.filter = o->filter, .progress = o->progress, .ctx = o->ctx, .cpus = o->cpus};
	struct interval_stream *s = calloc(1, sizeof *s);
	*result = NULL;
	if (!s)
		return CPIDECODE_ENOMEM;
	int rc = interval_set_read(t, &how, &s->set);
	if (rc) {
		free(s);
		return rc;
	}
	if (found) {
		*found = s->set->found;
		s->set->found = (struct findings){0};
	}
	*result = s;
	return 0;
}

int interval_stream_next(struct interval_stream *s, const struct interval **iv)
{
	if (s->at == s->set->count)
		return 0;
	*iv = &s->set->at[s->at++];
	return 1;
}

int interval_stream_rewind(struct interval_stream *s)
{
	s->at = 0;
	return 0;
}

uint64_t interval_stream_count(const struct interval_stream *s)
{
	return s->set->count;
}

void interval_stream_close(struct interval_stream *s)
{
	if (!s)
		return;
	interval_set_free(s->set);
	free(s);
}
