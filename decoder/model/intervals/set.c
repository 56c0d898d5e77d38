#include "set.h"

#include <stdlib.h>

#include "../../base/grow.h"
#include "keep.h"

int interval_set_read(struct interval_set *set, const struct trace *t,
	const struct interval_stream_options *options)
{
	struct interval_stream *s;
	const struct interval *iv;
	int rc = interval_stream_open(t, options, &s, NULL);

	if (rc)
		return rc;
	const size_t count = interval_stream_count(s);
	if (count && !array_resize(&set->at, count, sizeof *set->at))
		rc = CPIDECODE_ENOMEM;
	while (!rc && (rc = interval_stream_next(s, &iv)) > 0)
		rc = interval_keep(&set->memory, iv, true, &set->at[set->count++]);
	interval_stream_close(s);
	return rc;
}

void interval_set_free(struct interval_set *set)
{
	intern_free(&set->memory);
	free(set->at);
	*set = (struct interval_set){0};
}
