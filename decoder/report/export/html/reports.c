#include "reports.h"

#include <string.h>

#include "../../info/info.h"

/* Limits of a report's text, and of the summary's rows: they bound the page's block for traces with
 * many labels. */
enum { REPORTS_MOST_BYTES = 256 << 10, REPORTS_MOST_SUMMARY = 1 << 20 };

struct reports_text {
	struct out kept;
	size_t most;
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
	size_t room = t->most - t->kept.len, kept = n < room ? n : room;

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

static int reports_open(struct reports_text *t, size_t most, struct out *out)
{
	t->most = most;
	if (out_function(out, reports_keep, t))
		return CPIDECODE_ENOMEM;
	out_memory(&t->kept);
	return 0;
}

static void reports_put_text(struct json *j, const char *key, const struct reports_text *t)
{
	json_key(j, key);
	json_string(j, t->kept.buf ? t->kept.buf : "", reports_length(t));
}

/* With has_answers: its lines of JSON too. found: of like, which lack the costs, or empty ones. */
static int reports_put(const struct report *like, struct json *j, const char *name,
	int (*run)(struct report *r), struct findings *found, bool has_answers)
{
	struct reports_text text = {.cut = 0}, lines = {.cut = 0};
	struct out out = {0}, answers = {0};
	struct report r = *like, twin = *like;
	int rc = reports_open(&text, REPORTS_MOST_BYTES, &out);

	if (!rc)
		rc = reports_open(&lines, REPORTS_MOST_BYTES, &answers);
	r.out = &out;
	r.format = FORMAT_TEXT;
	r.found = found;
	r.note = NULL; /* the export has said it */
	r.width = 0;
	r.twin = has_answers ? &twin : NULL;
	twin.out = &answers;
	twin.format = FORMAT_JSON;
	twin.note = NULL;
	if (!rc)
		rc = run(&r);
	if (!rc && (out_close(&out) || out_close(&answers)))
		rc = CPIDECODE_ENOMEM;
	if (!rc) {
		json_open(j, '{');
		json_member_text(j, "name", name);
		reports_put_text(j, "text", &text);
		json_member_u64(j, "cut", text.cut);
		json_member_bool(j, "without_costs", found == like->found);
		if (has_answers)
			reports_put_text(j, "answers", &lines);
		json_close(j, '}');
	}
	out_discard(&out);
	out_discard(&answers);
	out_discard(&text.kept);
	out_discard(&lines.kept);
	return rc;
}

/* The rows of the summary, as lines of JSON. */
static int reports_put_summary(const struct report *like, struct json *j, struct findings *found)
{
	struct reports_text lines = {.cut = 0};
	struct out out = {0};
	struct report r = *like;
	int rc = reports_open(&lines, REPORTS_MOST_SUMMARY, &out);

	r.out = &out;
	r.format = FORMAT_JSON;
	r.found = found;
	r.note = NULL;
	if (!rc)
		rc = report_summary(&r);
	if (!rc && out_close(&out))
		rc = CPIDECODE_ENOMEM;
	if (!rc) {
		json_open(j, '{');
		json_member_text(j, "name", "summary");
		reports_put_text(j, "rows", &lines);
		json_member_u64(j, "cut", lines.cut);
		json_close(j, '}');
	}
	out_discard(&out);
	out_discard(&lines.kept);
	return rc;
}

int reports_write(const struct report *r, uint64_t intervals, struct json *j)
{
	struct findings why = {0}, info = {0}, summary = {0};
	/* A filter leaves parts of the trace unread. */
	const bool is_known =
		intervals > REPORTS_MOST_INFO && !r->where && filter_takes_all(r->filter);
	int rc = 0;

	json_open(j, '[');
	if (intervals <= REPORTS_MOST_WHY) {
		rc = reports_put(r, j, "why", report_why, &why, true);
		if (!rc)
			rc = reports_put_summary(r, j, &summary);
	}
	if (!rc)
		rc = reports_put(r, j, "info", is_known ? info_write_known : report_info,
			is_known ? r->found : &info, false);
	json_close(j, ']');
	findings_free(&why);
	findings_free(&info);
	findings_free(&summary);
	return rc;
}
