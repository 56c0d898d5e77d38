#include "merged.h"

#include <string.h>

uint64_t merged_count_lost(const struct partial *p)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < p->nsources; i++) {
		const uint64_t *c = p->sources[i].counts;

		for (unsigned k = PARTIAL_FULL; k < PARTIAL_OVERWRITTEN; k++)
			lost += c[k];
		lost += c[PARTIAL_TORN] > c[PARTIAL_FOUND_TORN] ? c[PARTIAL_TORN]
								: c[PARTIAL_FOUND_TORN];
	}
	return lost;
}

const char *merged_find_command(const struct partial *p)
{
	for (size_t i = 0; i < p->nsources; i++)
		if (!p->sources[i].command ||
			strcmp(p->sources[i].command, p->sources[0].command) != 0)
			return NULL;
	return p->nsources ? p->sources[0].command : NULL;
}

bool merged_has_from(const struct partial *p)
{
	return p->filter && strncmp(p->filter, "from ", 5) == 0;
}
