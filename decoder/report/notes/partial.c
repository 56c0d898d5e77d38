/* Notes of the traces of a partial result. */
#include <inttypes.h>
#include <stdlib.h>

#include "../../../formats/base/text.h"
#include "notes.h"

static bool note_damage(notes_say say, const struct partial_source *s, const char *name)
{
	const uint64_t *c = s->counts;
	uint64_t stretches = c[PARTIAL_STRETCHES];

	if (c[PARTIAL_HEADER_DAMAGED])
		say("%s: the file header is damaged; its contents are doubtful", name);
	if (stretches)
		say("%s: %" PRIu64 " damaged stretch%s, %" PRIu64 " byte%s skipped", name,
			stretches, stretches == 1 ? "" : "es", c[PARTIAL_DAMAGED_BYTES],
			text_plural(c[PARTIAL_DAMAGED_BYTES]));
	if (c[PARTIAL_CONTRADICTIONS])
		say("%s: %" PRIu64 " section%s contradict%s itself or the ring's others", name,
			c[PARTIAL_CONTRADICTIONS], text_plural(c[PARTIAL_CONTRADICTIONS]),
			c[PARTIAL_CONTRADICTIONS] == 1 ? "s" : "");
	if (c[PARTIAL_CUT_OFF])
		say("%s: cut off: the file does not end with an END section", name);
	if (c[PARTIAL_SCHEMAS])
		say("%s: %" PRIu64 " schema%s refused", name, c[PARTIAL_SCHEMAS],
			text_plural(c[PARTIAL_SCHEMAS]));
	for (size_t i = 0; i < s->ndamage && i < 3; i++)
		say("%s: damage in the section at offset %" PRIu64 "; %" PRIu64
		    " byte%s of hooks skipped",
			name, s->damage[i].offset, s->damage[i].bytes,
			text_plural(s->damage[i].bytes));
	if (s->ndamage > 3)
		say("%s: %zu more sections are damaged inside", name, s->ndamage - 3);
	if (c[PARTIAL_MALFORMED])
		say("%s: %" PRIu64 " malformed record%s skipped", name, c[PARTIAL_MALFORMED],
			text_plural(c[PARTIAL_MALFORMED]));
	if (c[PARTIAL_RESERVED])
		say("%s: %" PRIu64 " record%s of an unknown kind skipped", name,
			c[PARTIAL_RESERVED], text_plural(c[PARTIAL_RESERVED]));
	return c[PARTIAL_HEADER_DAMAGED] || stretches || c[PARTIAL_CONTRADICTIONS] ||
	       c[PARTIAL_CUT_OFF] || s->ndamage || c[PARTIAL_MALFORMED];
}

static bool note_source(notes_say say, const struct partial_source *s)
{
	const uint64_t *c = s->counts;
	const char *name = notes_name(s->path);
	struct losses l = {.full = c[PARTIAL_FULL],
		.big = c[PARTIAL_BIG],
		.held = c[PARTIAL_HELD],
		.no_guest = c[PARTIAL_NO_GUEST],
		.unexplained = c[PARTIAL_UNEXPLAINED],
		.no_slot = c[PARTIAL_NO_SLOT],
		.no_memory = c[PARTIAL_NO_MEMORY],
		.unattached = c[PARTIAL_UNATTACHED],
		.unwritten = c[PARTIAL_UNWRITTEN]};
	bool bad = notes_lost(say, name, &l);
	/* Reading may have found more than the file recorded. */
	uint64_t torn =
		c[PARTIAL_TORN] > c[PARTIAL_FOUND_TORN] ? c[PARTIAL_TORN] : c[PARTIAL_FOUND_TORN];

	notes_torn(say, name, torn);
	if (c[PARTIAL_OVERWRITTEN])
		say("%s: %" PRIu64 " hook%s overwritten by newer ones (wrap mode)", name,
			c[PARTIAL_OVERWRITTEN], text_plural(c[PARTIAL_OVERWRITTEN]));
	bad |= note_damage(say, s, name);
	notes_findings(say, name, s->findings, s->nfindings, c[PARTIAL_FINDINGS]);
	if (!partial_whole(s)) {
		say("%s: slices are missing: this is a part of the trace", name);
		bad = true;
	}
	return bad || torn;
}

bool notes_partial(notes_say say, const struct partial *p)
{
	struct notes_part *parts = calloc(p->nsources + 1, sizeof *parts);
	bool bad = false;

	for (size_t i = 0; i < p->nsources; i++) {
		const struct partial_source *s = &p->sources[i];

		bad |= note_source(say, s);
		if (parts)
			parts[i] = (struct notes_part){s->path, s->trace_id, s->rotation};
	}
	notes_hosts(say, p);
	bad |= parts && notes_rotated(say, parts, p->nsources);
	free(parts);
	return bad;
}
