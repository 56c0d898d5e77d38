#include "meta.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../../sink/escapes.h"
#include "../../rows.h"

int parquet_close_with_meta(struct parquet_file *p, const struct trace *t)
{
	const struct trace_file *f = trace_file(t, 0);
	struct parquet_pair *pairs = calloc(f->nmeta + 1, sizeof *pairs);
	struct out texts;
	size_t at = 0;

	out_memory(&texts);
	for (size_t i = 0; pairs && i < f->nmeta; i++) {
		size_t begin = texts.len;

		escape_utf8(&texts, f->meta[i].key, f->meta[i].key_length);
		pairs[i].key_length = texts.len - begin;
		begin = texts.len;
		escape_utf8(&texts, f->meta[i].value, f->meta[i].value_length);
		pairs[i].value_length = texts.len - begin;
	}
	const bool failed = !pairs || texts.error;
	for (size_t i = 0; !failed && i < f->nmeta; i++) {
		pairs[i].key = texts.buf + at;
		at += pairs[i].key_length;
		pairs[i].value = texts.buf + at;
		at += pairs[i].value_length;
	}
	parquet_close(p, "cpidecode " SWTRACE_VERSION, pairs, failed ? 0 : f->nmeta);
	out_discard(&texts);
	free(pairs);
	return failed ? CPIDECODE_ENOMEM : 0;
}

int parquet_refuse_column(struct report *r, const struct parquet_column *columns, size_t n,
	const char *name, size_t length)
{
	char known[ROWS_LIST];
	size_t end = 0;

	for (size_t i = 0; i < n; i++) {
		if (end + columns[i].length + 8 > sizeof known) {
			end += (size_t)snprintf(known + end, sizeof known - end, ", ...");
			break;
		}
		end += (size_t)snprintf(known + end, sizeof known - end, "%s%.*s", end ? ", " : "",
			(int)columns[i].length, columns[i].name);
	}
	report_note(r, "--columns %s: the file has no column \"%.*s\"; it has %s", r->columns,
		(int)length, name, known);
	r->is_misused = true;
	return CPIDECODE_EINVAL;
}
