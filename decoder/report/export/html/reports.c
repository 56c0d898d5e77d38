#include "reports.h"

#include <string.h>

/* Of a report's text: a page's block stays small however many labels the trace has. */
enum { REPORTS_MOST_BYTES = 256 << 10 };

struct reports_text {
	struct out kept;
	uint64_t cut; /* lines left out */
};

static uint64_t reports_count_lines(const char *text, size_t n)
{
	uint64_t lines = 0;

	for (const char *end; (end = memchr(text, '\n', n)); text = end + 1) {
		n -= (size_t)(end + 1 - text);
		lines++;
	}
	return lines;
}

/* A write function of an out. */
static int reports_keep(void *ctx, const void *bytes, size_t n)
{
	struct reports_text *t = ctx;
	size_t room = REPORTS_MOST_BYTES - t->kept.len, kept = n < room ? n : room;

	out_bytes(&t->kept, bytes, kept);
	t->cut += reports_count_lines((const char *)bytes + kept, n - kept);
	return t->kept.error;
}

/* The length of the text's complete lines. */
static size_t reports_length(const struct reports_text *t)
{
	size_t n = t->kept.len;

	while (t->cut && n && t->kept.buf[n - 1] != '\n')
		n--;
	return n;
}

static int reports_put(
	const struct report *like, struct json *j, const char *name, int (*run)(struct report *r))
{
	struct reports_text text = {.cut = 0};
	struct findings found = {0};
	struct report r = *like;
	struct out out;

	if (out_function(&out, reports_keep, &text))
		return CPIDECODE_ENOMEM;
	out_memory(&text.kept);
	r.out = &out;
	r.format = FORMAT_TEXT;
	r.found = &found;
	r.note = NULL; /* the export has said it */
	r.width = 0;
	int rc = run(&r);
	if (out_close(&out) && !rc)
		rc = CPIDECODE_ENOMEM;
	if (!rc) {
		json_open(j, '{');
		json_member_text(j, "name", name);
		json_key(j, "text");
		json_string(j, text.kept.buf, reports_length(&text));
		json_member_u64(j, "cut", text.cut);
		json_close(j, '}');
	}
	findings_free(&found);
	out_discard(&out);
	out_discard(&text.kept);
	return rc;
}

int reports_write(const struct report *r, struct json *j)
{
	json_open(j, '[');
	int rc = reports_put(r, j, "why", report_why);
	if (!rc)
		rc = reports_put(r, j, "info", report_info);
	json_close(j, ']');
	return rc;
}
