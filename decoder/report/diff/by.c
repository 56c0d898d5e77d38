/* Names of a diff's rows: label and minor, or the keys of --by. */
#include <stdlib.h>
#include <string.h>

#include "../../sink/escapes.h"
#include "diff.h"
#include "../tallies.h"
#include "../values/columns.h"

static void diff_spell_key(struct out *o, const struct column *key, const struct tally_group *g)
{
	const struct cell cell = column_cell(key, &g);

	if (cell.kind == CELL_STRING)
		out_bytes(o, cell.s, cell.len);
	else if (cell.kind != CELL_NONE)
		value_spell(o, cell);
}

void diff_spell_name(struct out *o, const struct diff *d, const struct tally_group *g)
{
	if (!d->by) {
		tallies_text_name(o, g);
		return;
	}
	for (unsigned i = 0; i < d->by->count; i++) {
		struct out value;

		out_memory(&value);
		diff_spell_key(&value, &d->keys[i], g);
		out_printf(o, "%s%s ", i ? ", " : "", d->keys[i].name);
		escape_quoted(o, value.buf ? value.buf : "", value.len);
		out_discard(&value);
	}
}

bool diff_matches(const struct diff *d, const struct gate *gate, const struct diff_row *row)
{
	const struct tally_group *g = diff_name(row);
	bool matches = false;

	if (!d->by)
		return gate_matches(gate, g->has_label ? g->label : NULL, g->label_len);
	for (unsigned i = 0; i < d->by->count && !matches; i++) {
		struct out value;

		out_memory(&value);
		diff_spell_key(&value, &d->keys[i], g);
		matches = gate_matches(gate, value.buf ? value.buf : "", (uint32_t)value.len);
		out_discard(&value);
	}
	return matches;
}
