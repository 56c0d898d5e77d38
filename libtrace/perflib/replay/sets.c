/*
 * The countersets of a trace.
 */
#include <stdlib.h>

#include "../guid.h"
#include "replay.h"

struct replay_set *replay_find(const struct replay *r, const GUID *id)
{
	for (uint32_t i = 0; i < r->sets; i++)
		if (guid_equal(&r->set[i]->definition.guid, id))
			return r->set[i];
	return NULL;
}

struct replay_set *replay_add(struct replay *r)
{
	struct replay_set *s = r->sets < REPLAY_SETS ? calloc(1, sizeof *s) : NULL;

	if (!s)
		return NULL;
	s->replay = r;
	s->set = (struct counterset){.definition = &s->definition, .context = s};
	r->set[r->sets++] = s;
	return s;
}
