#include "machine_ids.h"

#include <stdlib.h>
#include <string.h>

uint8_t (*machine_ids_make(const struct trace *t))[MACHINE_ID_BYTES]
{
	const size_t n = trace_nfiles(t);
	uint8_t(*ids)[MACHINE_ID_BYTES] = calloc(n + 1, sizeof *ids);
	bool *seen = calloc(n + 1, sizeof *seen);

	for (size_t i = 0; i < n && ids && seen; i++) {
		const struct trace_file *f = trace_file(t, i);
		uint8_t *least = ids[f->machine], id[MACHINE_ID_BYTES];

		trace_file_id(f, id);
		if (!seen[f->machine] || memcmp(id, least, MACHINE_ID_BYTES) < 0)
			memcpy(least, id, MACHINE_ID_BYTES);
		seen[f->machine] = true;
	}
	if (!seen) {
		free(ids);
		ids = NULL;
	}
	free(seen);
	return ids;
}
