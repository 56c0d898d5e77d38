/* Rotated files of a continuous trace that were not given. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "tell.h"

/* A file of a drain: META says how many it had written before. */
struct part {
	const struct trace_file *file;
	uint64_t number;
};

static int by_trace(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int order = memcmp(x->file->header.trace_id, y->file->header.trace_id,
		sizeof x->file->header.trace_id);
	if (order)
		return order;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool number_of(const struct trace_file *f, uint64_t *number)
{
	const char *text = f->header.damaged ? NULL : trace_meta_value(f, "files before");
	char *end;
	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end;
}

/* Files from..to - 1 of the trace are not there; what follows them is. */
static void tell_missing(const struct part *next, uint64_t from, uint64_t to)
{
	if (to - from == 1)
		complain("%s: file %" PRIu64 " of its trace is missing before it",
			told_name(next->file->path), from + 1);
	else
		complain("%s: files %" PRIu64 " to %" PRIu64 " of its trace are missing before it",
			told_name(next->file->path), from + 1, to);
}

/* Those before the oldest. Returns whether that is a loss. */
static bool tell_oldest(const struct part *oldest)
{
	const char *keep = trace_meta_value(oldest->file, "keep");
	if (!oldest->number)
		return false;
	if (!keep) {
		tell_missing(oldest, 0, oldest->number);
		return true;
	}
	complain("%s: the %" PRIu64 " file%s before it %s not here: the writer kept %s (--keep)",
		told_name(oldest->file->path), oldest->number, plural(oldest->number),
		oldest->number == 1 ? "is" : "are", keep);
	return false;
}

bool tell_rotated(const struct trace *t)
{
	size_t n = 0;
	bool bad = false;
	struct part *parts = calloc(trace_nfiles(t) + 1, sizeof *parts);
	for (size_t i = 0; i < trace_nfiles(t) && parts; i++) {
		parts[n].file = trace_file(t, i);
		n += number_of(parts[n].file, &parts[n].number);
	}
	if (n)
		qsort(parts, n, sizeof *parts, by_trace);
	for (size_t i = 0; i < n; i++) {
		const struct part *p = &parts[i], *before = i ? p - 1 : NULL;
		if (!before || memcmp(before->file->header.trace_id, p->file->header.trace_id,
				       sizeof p->file->header.trace_id)) {
			bad |= tell_oldest(p);
		} else if (p->number > before->number + 1) {
			tell_missing(p, before->number + 1, p->number);
			bad = true;
		}
	}
	free(parts);
	return bad;
}
