#include "words.h"

#include <string.h>

#include "../../sink/escapes.h"

/* An event's unit is its name. */
static const char *const weight_units[WEIGHT_NAMES] = {[WEIGHT_CYCLES] = "cycles",
	[WEIGHT_NS] = "ns",
	[WEIGHT_INSTRUCTIONS] = "instructions",
	[WEIGHT_THREAD_CYCLES] = "thread cycles"};

const char *flame_unit(const struct report *r)
{
	return r->weight == WEIGHT_EVENT ? r->weight_event : weight_units[r->weight];
}

const char *flame_weight_name(const struct report *r)
{
	if (r->compensate)
		return r->weight == WEIGHT_CYCLES ? "elapsed cycles less the library's own cost"
						  : "ns less the library's own cost";
	return r->weight == WEIGHT_CYCLES ? "elapsed cycles" : flame_unit(r);
}

void flame_spell_word(struct out *o, const char *word)
{
	out_memory(o);
	escape_xml(o, word, strlen(word));
	out_char(o, '\0');
}
