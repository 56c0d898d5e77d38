#include "merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../include/cpidecode.h"
#include "../../base/file_head.h"
#include "../../model/stats/partial/arguments.h"
#include "../../sink/out.h"
#include "../flame/stacks.h"
#include "../heatmap/cells.h"
#include "../query/by.h"
#include "../query/gaps/tables.h"
#include "../slowest/kept.h"
#include "../why/kept.h"
#include "groups_kept.h"

enum { UNSETTLED_BYTES = 4 << 20 /* of answers, before they are joined */ };

bool merge_is_partial(const char *path)
{
	char magic[8];

	return file_head_read(path, magic, sizeof magic) == sizeof magic &&
	       memcmp(magic, PARTIAL_MAGIC, sizeof magic) == 0;
}

/* The purpose of a partial result. */
static void merge_spell_report(struct out *o, const struct partial_arguments *a)
{
	out_memory(o);
	for (size_t i = 0; i < a->count; i++) {
		out_str(o, i ? " " : "");
		out_str(o, a->at[i]);
	}
	if (!a->count)
		out_str(o, "any report");
	out_char(o, '\0');
}

static void merge_say_reports(
	const struct partial *p, const struct partial *one, const char *path, notes_say say)
{
	struct out before, came;

	merge_spell_report(&before, &p->arguments);
	merge_spell_report(&came, &one->arguments);
	if (!before.error && !came.error)
		say("%s: it was made for %s, those before it for %s: they cannot be merged", path,
			came.buf, before.buf);
	out_discard(&before);
	out_discard(&came);
}

int merge_peek_arguments(const char *path, struct partial_arguments *a)
{
	uint8_t bytes[PARTIAL_HEADER_SIZE + 2 * PARTIAL_ARGUMENTS_BYTES];

	return partial_arguments_peek(a, bytes, file_head_read(path, bytes, sizeof bytes));
}

int merge_add_argument(struct partial_arguments *a, const char *text)
{
	return partial_arguments_add(a, text, strlen(text));
}

void merge_free_arguments(struct partial_arguments *a)
{
	partial_arguments_free(a);
}

static void merge_say_again(
	const struct partial *one, bool is_of_several, const char *path, notes_say say)
{
	const char *host = NULL;

	if (is_of_several && merge_find_host(one, &host) && host)
		say("%s: earlier partial results have all of its host %s: it is counted once", path,
			host);
	else
		say("%s: earlier partial results have all of it: it is counted once", path);
}

static int merge_add_partial(struct partial *p, const struct partial *one, bool is_of_several,
	const char *path, notes_say say)
{
	struct partial_clash clash = {0};
	int rc = partial_merge(p, one, &clash);

	if (rc == PARTIAL_AGAIN) {
		merge_say_again(one, is_of_several, path, say);
		return 0;
	}
	if (rc == PARTIAL_TWICE) {
		say("%s: some of the trace %s, but not all, is in an earlier partial result already: each part is merged once",
			path, one->sources[clash.came].path);
	} else if (rc == PARTIAL_SHARED) {
		const char *before = p->sources[clash.before].path;
		const char *came = one->sources[clash.came].path;

		say("%s: hooks of its %s are in %s of an earlier partial result, too, and would count twice: make one of both traces (cpidecode --partial FILE %s %s)",
			path, came, before, before, came);
	} else if (rc == PARTIAL_OTHER_FILTER) {
		say("%s: it was made with other filters than those before it: they cannot be merged",
			path);
	} else if (rc == PARTIAL_OTHER_ORIGIN) {
		say("%s: its times count from another origin than those before it, so its %s do not match: make all with the same --from, in seconds since 1970%s",
			path, p->answers.kind == PARTIAL_BY ? "buckets" : "columns",
			p->answers.kind == PARTIAL_BY ? "" : ", or with --time unix");
	} else if (rc == PARTIAL_OTHER_REPORT) {
		merge_say_reports(p, one, path, say);
	}
	return rc > 0 ? CPIDECODE_EINVAL : rc;
}

/* Joins the merged answers into one. */
static int merge_settle_answers(struct partial *p, notes_say say)
{
	static const struct {
		const char *name;
		int (*settle)(struct partial *p); /* of several answers */
	} kinds[PARTIAL_ANSWERS] = {[PARTIAL_STACKS] = {"stacks", flame_stacks_settle},
		[PARTIAL_HEATMAP] = {"cells", heatmap_cells_settle},
		[PARTIAL_SLOWEST] = {"intervals", slowest_kept_settle},
		[PARTIAL_GAPS] = {"gaps", gaps_settle},
		[PARTIAL_BY] = {"groups", groups_kept_settle},
		[PARTIAL_EXACT] = {"values", groups_kept_settle},
		[PARTIAL_WHY] = {"intervals", why_kept_settle}};
	int rc = p->answers.count > 1 ? kinds[p->answers.kind].settle(p) : 0;

	if (rc == CPIDECODE_EINVAL)
		say("the %s of a partial result are damaged", kinds[p->answers.kind].name);
	p->answers.settled = p->answers.bytes.n;
	return rc;
}

/* A file's results, which are read one by one. */
struct merge_file {
	struct partial *p;
	const char *name; /* in messages */
	const uint8_t *bytes;
	size_t results;
	notes_say say;
	merge_host_fn *tell;
	void *ctx;
	bool has_before;
	struct partial before; /* the result before */
};

/* Reads one result. 0, CPIDECODE_ENOMEM, or MERGE_UNREADABLE, which is said. */
static int merge_read_result(struct merge_file *f, struct results_range range, struct partial *one)
{
	const char *why = NULL;
	int rc = partial_read(one, f->bytes + range.at, range.bytes, &why);

	if (rc <= 0)
		return rc;
	f->say("%s: %s", f->name, why);
	return MERGE_UNREADABLE;
}

static int merge_put_result(void *ctx, struct results_range range)
{
	struct merge_file *f = ctx;
	struct partial *p = f->p;
	/* Uses the first result as it is: merging it would need twice the memory. */
	struct partial one = {.tally = {.wanted = p->tally.wanted, .is_brief = p->filter != NULL}};
	int rc = merge_read_result(f, range, &one);

	if (!rc && !p->filter) {
		*p = one;
		return 0;
	}
	if (!rc)
		rc = merge_add_partial(p, &one, f->results > 1, f->name, f->say);
	if (!rc && p->answers.bytes.n > 2 * p->answers.settled + UNSETTLED_BYTES)
		rc = merge_settle_answers(p, f->say);
	int error = errno;
	partial_free(&one);
	errno = error;
	return rc;
}

/* Results are of one host each, in order of their names, the unknown one last. */
static bool merge_is_next_host(const struct merge_file *f, const struct partial *one)
{
	const char *host, *before;

	if (!merge_find_host(one, &host))
		return false;
	if (!f->has_before)
		return true;
	merge_find_host(&f->before, &before);
	return before && (!host || strcmp(before, host) < 0);
}

static int merge_check_result(void *ctx, struct results_range range)
{
	struct merge_file *f = ctx;
	struct partial one = {.tally.is_brief = true};
	int rc = merge_read_result(f, range, &one);

	if (!rc && !merge_is_next_host(f, &one)) {
		f->say("%s: damaged: its results are not of one host each, in order", f->name);
		rc = MERGE_UNREADABLE;
	}
	partial_free(&f->before);
	f->before = one;
	f->has_before = true;
	return rc;
}

static int merge_count_result(void *ctx, struct results_range range)
{
	struct merge_file *f = ctx;

	(void)range;
	f->results++;
	return 0;
}

int merge_add_bytes(
	struct partial *p, const char *path, const uint8_t *bytes, size_t n, notes_say say)
{
	struct merge_file f = {.p = p, .name = notes_name(path), .bytes = bytes, .say = say};
	const char *why;
	int rc = results_each(bytes, n, merge_count_result, &f, &why);

	if (rc) {
		say("%s: %s", f.name, why);
		return MERGE_UNREADABLE;
	}
	/* All are read before the first is merged, so that a damaged file changes nothing. */
	if (f.results > 1)
		rc = results_each(bytes, n, merge_check_result, &f, &why);
	partial_free(&f.before);
	return rc ? rc : results_each(bytes, n, merge_put_result, &f, &why);
}

int merge_add_file(struct partial *p, const char *path, notes_say say)
{
	uint8_t *bytes;
	size_t n;
	int rc = results_read_file(path, &bytes, &n);

	if (!rc)
		rc = merge_add_bytes(p, path, bytes, n, say);
	int error = errno;
	free(bytes);
	errno = error;
	return rc;
}

static int merge_tell_host(void *ctx, struct results_range range)
{
	struct merge_file *f = ctx;
	struct partial one = {.tally.is_brief = true};
	const char *why = NULL, *host;
	int rc = partial_read(&one, f->bytes + range.at, range.bytes, &why);

	if (!rc)
		rc = merge_find_host(&one, &host) ? f->tell(f->ctx, host, range) : MERGE_MIXED;
	partial_free(&one);
	return rc;
}

int merge_each_host(const char *path, merge_host_fn *tell, void *ctx)
{
	struct merge_file f = {.tell = tell, .ctx = ctx};
	uint8_t *bytes;
	const char *why;
	size_t n;
	int rc = results_read_file(path, &bytes, &n);

	f.bytes = bytes;
	if (!rc)
		rc = results_each(bytes, n, merge_tell_host, &f, &why);
	free(bytes);
	return rc;
}

int merge_add_range(struct partial *p, const char *path, struct results_range range, notes_say say)
{
	struct merge_file f = {.p = p, .name = notes_name(path), .say = say};
	uint8_t *bytes;
	int rc = results_read_range(path, range, &bytes);

	f.bytes = bytes;
	if (!rc)
		rc = merge_put_result(&f, (struct results_range){0, range.bytes});
	int error = errno;
	free(bytes);
	errno = error;
	return rc;
}

int merge_settle(struct partial *p, notes_say say)
{
	int rc = partial_settle(p);

	return rc ? rc : merge_settle_answers(p, say);
}

static int merge_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int merge_find_missing(
	const struct partial *p, char *const *names, size_t n, size_t *missing, size_t *n_missing)
{
	char **known = calloc(2 * p->nsources + 1, sizeof *known);
	size_t n_known = 0;

	*n_missing = 0;
	if (!known)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < p->nsources; i++) {
		char *path = p->sources[i].path, *slash = strrchr(path, '/');

		if (!partial_whole(&p->sources[i]))
			continue;
		known[n_known++] = path;
		if (slash)
			known[n_known++] = slash + 1;
	}
	qsort(known, n_known, sizeof *known, merge_compare_names);
	for (size_t i = 0; i < n; i++)
		if (!bsearch(&names[i], known, n_known, sizeof *known, merge_compare_names))
			missing[(*n_missing)++] = i;
	free(known);
	return 0;
}

/* Skips the times, which come first. *has: whether there is a start, and an end; or NULL. */
static const char *merge_skip_times(const char *filter, bool has[2])
{
	static const char *const times[] = {"from ", "to "};

	for (unsigned i = 0; i < 2; i++) {
		bool is = strncmp(filter, times[i], strlen(times[i])) == 0 && strstr(filter, "; ");

		if (is)
			filter = strstr(filter, "; ") + 2;
		if (has)
			has[i] = is;
	}
	return filter;
}

static const char *without_times(const char *filter)
{
	return merge_skip_times(filter, NULL);
}

int merge_is_filtered(const struct partial *p, const struct merge_filter *f, bool *is)
{
	struct filter any_time = *f->filter;
	bool has[2];
	const char *filter = merge_skip_times(p->filter, has);
	struct out text;

	any_time.from = INT64_MIN;
	any_time.to = INT64_MAX;
	out_memory(&text);
	filter_describe(&any_time, merge_is_compensated(p), f->where, &text);
	out_char(&text, '\0');
	*is = has[0] == f->has_from && has[1] == f->has_to && !text.error &&
	      strcmp(filter, text.buf) == 0;
	int rc = text.error ? CPIDECODE_ENOMEM : 0;
	out_discard(&text);
	return rc;
}

bool merge_is_comparable(const struct partial *first, const struct partial *run)
{
	return strcmp(without_times(first->filter), without_times(run->filter)) == 0;
}

size_t merge_count_traces(const struct partial *p)
{
	size_t n = p->nsources > 0;

	for (size_t i = 1; i < p->nsources; i++)
		n += memcmp(p->sources[i].trace_id, p->sources[i - 1].trace_id,
			     sizeof p->sources[i].trace_id) != 0;
	return n;
}

bool merge_is_scripted(const struct partial *p)
{
	for (size_t i = 0; i < p->nsources; i++)
		if (p->sources[i].scripted)
			return true;
	return false;
}

bool merge_is_compensated(const struct partial *p)
{
	return p->filter && strncmp(without_times(p->filter), FILTER_COMPENSATED,
				    strlen(FILTER_COMPENSATED)) == 0;
}

bool merge_find_host(const struct partial *p, const char **host)
{
	*host = partial_host(p);
	for (size_t i = 0; i < p->nsources && !*host; i++)
		if (p->sources[i].host)
			return false;
	return true;
}

void merge_free(struct partial *p)
{
	partial_free(p);
}

bool merge_has_groups(const struct partial *p, const struct by *by)
{
	for (size_t i = 0; i < p->tally.count; i++)
		if (!by_is_encoded(by, p->tally.groups[i]))
			return false;
	return true;
}
