/* Notes rotated files of a continuous trace that are missing among the inputs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/text.h"
#include "notes.h"

#include "../../../formats/base/compare.h"

enum { TRACE_ID = 16 };

static int rotated_compare_trace(const void *a, const void *b)
{
	const struct notes_part *x = a, *y = b;
	int order = memcmp(x->trace_id, y->trace_id, TRACE_ID);

	if (order)
		return order;
	return compare_u64(x->rotation.number, y->rotation.number);
}

/* Files from..to are missing; later ones are present. */
static void note_missing(notes_say say, const struct notes_part *next, uint64_t from, uint64_t to)
{
	if (from == to)
		say("%s: file %" PRIu64 " of its trace is missing before it",
			notes_name(next->path), from);
	else
		say("%s: files %" PRIu64 " to %" PRIu64 " of its trace are missing before it",
			notes_name(next->path), from, to);
}

/* Notes the files before the oldest one. Returns whether that is a loss. */
static bool note_oldest(notes_say say, const struct notes_part *oldest)
{
	uint64_t before = oldest->rotation.number - 1, keep = oldest->rotation.keep;

	if (!before)
		return false;
	if (!keep) {
		note_missing(say, oldest, 1, before);
		return true;
	}
	say("%s: the %" PRIu64 " file%s before it %s not here: the writer kept %" PRIu64
	    " (--keep)",
		notes_name(oldest->path), before, text_plural(before), before == 1 ? "is" : "are",
		keep);
	return false;
}

bool notes_rotated(notes_say say, struct notes_part *parts, size_t n)
{
	const struct notes_part *before = NULL;
	bool bad = false;

	if (n)
		qsort(parts, n, sizeof *parts, rotated_compare_trace);
	for (size_t i = 0; i < n; i++) {
		const struct notes_part *p = &parts[i];

		if (!p->rotation.number)
			continue;
		if (!before || memcmp(before->trace_id, p->trace_id, TRACE_ID) != 0) {
			bad |= note_oldest(say, p);
		} else if (p->rotation.number > before->rotation.number + 1) {
			note_missing(say, p, before->rotation.number + 1, p->rotation.number - 1);
			bad = true;
		}
		before = p;
	}
	return bad;
}
