#include "open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../include/cpidecode.h"
#include "../model/hooks/section_starts.h"

static int open_schema(struct trace *t, struct trace_opening *at)
{
	char *text = malloc(SCHEMA_MAX_TEXT + 1);
	FILE *file = fopen(at->path, "re");
	size_t n = 0;

	at->step = OPEN_SCHEMA_FILE;
	if (text && file)
		n = fread(text, 1, SCHEMA_MAX_TEXT + 1, file);
	int rc = !text		? CPIDECODE_ENOMEM
		 : !file	? CPIDECODE_EOPEN
		 : ferror(file) ? CPIDECODE_EREAD
				: 0;
	int error = errno;
	if (file)
		fclose(file);
	errno = error;
	if (!rc) {
		at->step = OPEN_SCHEMA;
		rc = trace_add_schema(t, text, n, &at->schema);
	}
	error = errno;
	free(text);
	errno = error;
	return rc;
}

int report_open(const struct trace_input *input, struct trace **t, struct trace_opening *at)
{
	*at = (struct trace_opening){.step = OPEN_NEW};
	*t = NULL;
	int rc = trace_new(t);
	if (rc)
		return rc;
	trace_set_progress(*t, input->progress, NULL);
	if (input->verify_all)
		trace_set_verify(*t, VERIFY_ALL);
	for (size_t i = 0; i < input->nschemas && !rc; i++) {
		at->path = input->schemas[i];
		rc = open_schema(*t, at);
	}
	if (!rc && input->read_arriving && input->nfiles == 1) {
		at->step = OPEN_NEW;
		rc = input->read_arriving(*t, input->wanted, input->threads);
	}
	for (size_t i = 0; i < input->nfiles && !rc; i++) {
		at->step = OPEN_FILE;
		at->path = input->files[i];
		rc = trace_add_path(*t, at->path);
	}
	if (rc)
		return rc;
	at->step = OPEN_TOGETHER;
	return trace_settle(*t);
}

void report_close(struct trace *t)
{
	trace_free(t);
}

struct section_starts *report_new_starts(const struct trace *t)
{
	return section_starts_new(t);
}

void report_free_starts(struct section_starts *s)
{
	section_starts_free(s);
}

bool report_has_hooks(const struct trace *t)
{
	for (size_t i = 0; i < trace_nfiles(t); i++)
		if (trace_file(t, i)->has_hooks)
			return true;
	return false;
}

const char *report_host_of(const struct trace *t, size_t file)
{
	return trace_meta_value(trace_file(t, file), "host");
}

int64_t report_start(const struct trace *t)
{
	int64_t first = 0, last;

	trace_span(t, &first, &last);
	return first;
}

/*
 * Slices divide a trace's ticks evenly, because times may go back; the outer slices are
 * unbounded. Traces with incomparable ticks are divided separately.
 */
struct tick_range *report_slice(const struct trace *t, unsigned slice, unsigned of)
{
	struct tick_range *slices = calloc(trace_nfiles(t) + 1, sizeof *slices);

	if (!slices)
		return NULL;
	for (size_t i = 0; i < trace_nfiles(t); i++)
		slices[i] = (struct tick_range){1, 0};
	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);
		struct tick_range *s = &slices[f->machine];

		if (!f->has_hooks)
			continue;
		bool none = s->first > s->last;
		s->first = none || f->first < s->first ? f->first : s->first;
		s->last = none || f->last > s->last ? f->last : s->last;
	}
	for (size_t i = 0; i < trace_nfiles(t); i++) {
		uint64_t first = slices[i].first;
		__int128 span = first > slices[i].last ? 0 : (__int128)slices[i].last - first + 1;
		__int128 from = first + span * (slice - 1) / of;
		__int128 to = first + span * slice / of - 1;

		slices[i].first = slice > 1 ? (uint64_t)from : 0;
		slices[i].last = slice < of ? (uint64_t)to : UINT64_MAX;
		if (to < 0 && slice < of)
			slices[i] = (struct tick_range){1, 0};
	}
	return slices;
}
