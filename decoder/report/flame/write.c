#include "write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../sink/escapes.h"
#include "../../sink/units.h"
#include "../losses.h"
#include "../merged.h"
#include "words.h"

static void flame_spell_range(struct out *o, const struct flame_about *about)
{
	out_memory(o);
	if (about->start > about->end) {
		out_str(o, "no intervals");
	} else {
		units_iso8601(o, about->start);
		out_str(o, " to ");
		units_iso8601(o, about->end);
		out_str(o, " (");
		units_duration(o, (double)((uint64_t)about->end - (uint64_t)about->start));
		out_char(o, ')');
	}
	out_char(o, '\0');
}

int flame_write_picture(
	const struct report *r, struct flame_tree *t, const struct flame_about *about)
{
	struct flame f = {.host = about->host,
		.scripted = r->scripted,
		.command = r->merged ? merged_find_command(r->merged) : r->command,
		.lost = r->merged ? merged_count_lost(r->merged)
				  : losses_count(r->trace, r->found)};
	struct out range, unit, weight;
	int rc = flame_picture(t, &f);

	if (rc)
		return rc;
	flame_spell_range(&range, about);
	flame_spell_word(&unit, flame_unit(r));
	flame_spell_word(&weight, flame_weight_name(r));
	f.range = range.buf;
	f.unit = unit.buf;
	f.weight = weight.buf;
	rc = range.error || unit.error || weight.error ? CPIDECODE_ENOMEM : 0;
	if (!rc)
		flame_svg(r->out, &f);
	out_discard(&range);
	out_discard(&unit);
	out_discard(&weight);
	free(f.frames);
	return rc;
}

int flame_write_lines(const struct report *r, struct flame_tree *t)
{
	struct pages frames = {0};
	uint64_t cut = 0;
	int rc = flame_lines(t, &frames);

	if (!rc && flame_folded(r->out, frames.at, &cut))
		rc = CPIDECODE_ENOMEM;
	if (cut)
		report_note(r,
			"%" PRIu64 " frame%s deeper than %d: counted in what they are nested in",
			cut, cut == 1 ? " is" : "s are", FOLDED_DEPTH);
	pages_free(&frames);
	return rc;
}

/* Lines hold names as they are, and a partial result is untrusted: checks that each is spelled as
 * those of a trace. 0, or a CPIDECODE_E code. */
static int flame_check_names(const struct flame_names *names)
{
	struct out text;
	int rc = 0;

	out_memory(&text);
	for (uint32_t k = 1; k < names->used && !rc; k = flame_names_next(names, k)) {
		const struct flame_name name = flame_names_get(names, k);

		text.len = 0;
		escape_frame(&text, name.at, name.len);
		if (text.error)
			rc = CPIDECODE_ENOMEM;
		else if (text.len != name.len ||
			 (name.len && memcmp(text.buf, name.at, name.len) != 0))
			rc = CPIDECODE_EINVAL;
	}
	out_discard(&text);
	return rc;
}

int report_flame_merged(struct report *r, const struct partial *p)
{
	struct flame_tree tree = {0};
	struct flame_about about = {0};
	int rc = flame_tree_begin(&tree, r->format == FORMAT_SVG);

	if (!rc)
		rc = flame_stacks_get(&tree, p, true, &about);
	if (!rc && r->format == FORMAT_FOLDED)
		rc = flame_check_names(&tree.names);
	if (!rc)
		rc = r->format == FORMAT_SVG ? flame_write_picture(r, &tree, &about)
					     : flame_write_lines(r, &tree);
	if (rc == CPIDECODE_EINVAL)
		report_note(r, "the stacks of a partial result are damaged");
	free((char *)about.host);
	flame_tree_free(&tree);
	return rc;
}
