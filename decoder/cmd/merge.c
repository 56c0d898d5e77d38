#include "merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../report/notes/notes.h"

enum { FIRST_READ = 64 << 10 };

/* What begins otherwise than a partial result is not read to its end. */
static int read_bytes(FILE *f, uint8_t **bytes, size_t *n)
{
	for (size_t room = FIRST_READ;; room *= 2) {
		uint8_t *more = realloc(*bytes, room);
		if (!more)
			return CPIDECODE_ENOMEM;
		*bytes = more;
		*n += fread(more + *n, 1, room - *n, f);
		if (*n < room)
			return ferror(f) ? CPIDECODE_EREAD : 0;
		if (memcmp(more, PARTIAL_MAGIC, 8))
			return 0;
	}
}

int merge_read_file(struct partial *p, const char *path)
{
	bool standard = !strcmp(path, "-");
	const char *name = notes_name(path), *why = NULL;
	FILE *f = standard ? stdin : fopen(path, "re");
	uint8_t *bytes = NULL;
	size_t n = 0;
	int rc = f ? read_bytes(f, &bytes, &n) : CPIDECODE_EOPEN;
	int error = errno;
	if (!rc)
		rc = partial_read(p, bytes, n, &why);
	if (rc > 0)
		complain("%s: %s", name, why);
	else if (rc)
		complain_code(name, rc, error);
	free(bytes);
	if (f && !standard)
		fclose(f);
	return rc ? EXIT_FAILED : EXIT_FINE;
}

static int add_file(struct partial *p, const char *path)
{
	struct partial one = {0};
	struct partial_clash clash = {0};
	/* The first is not put together with anything: as it is, it takes half the memory. */
	if (!p->filter)
		return merge_read_file(p, path);
	int code = merge_read_file(&one, path);
	int rc = code ? 0 : partial_merge(p, &one, &clash);
	if (rc == PARTIAL_TWICE) {
		complain(
			"%s: some of the trace %s is in an earlier partial result already: each part is merged once",
			path, one.sources[clash.came].path);
	} else if (rc == PARTIAL_SHARED) {
		const char *before = p->sources[clash.before].path;
		const char *came = one.sources[clash.came].path;
		complain(
			"%s: hooks of its %s are in %s of an earlier partial result, too, and would count twice: make one of both traces (cpidecode --partial FILE %s %s)",
			path, came, before, before, came);
	} else if (rc == PARTIAL_OTHER_FILTER) {
		complain(
			"%s: it was made with other filters than those before it: they cannot be merged",
			path);
	} else if (rc) {
		complain_code(path, rc, errno);
	}
	partial_free(&one);
	return rc ? EXIT_FAILED : code;
}

int merge_read(struct partial *p, const struct options *o)
{
	int code = EXIT_FINE;
	for (size_t i = 0; i < o->nfiles && !code; i++)
		code = add_file(p, o->files[i]);
	return code;
}

static bool merge_scripted(const struct partial *p)
{
	for (size_t i = 0; i < p->nsources; i++)
		if (p->sources[i].scripted)
			return true;
	return false;
}

static void merge_say_line(void *ctx, const char *line)
{
	(void)ctx;
	complain("%s", line);
}

int merge_report(const struct partial *p, const struct options *o, struct out *out, bool *bad)
{
	struct report r = {.out = out,
		.format = o->format,
		.filter = &o->filter,
		.scripted = merge_scripted(p),
		.note = merge_say_line};
	/* A partial result tells of all this once it is reported. */
	if (o->report != REPORT_PARTIAL) {
		if (r.scripted && o->format != FORMAT_TEXT)
			complain(REPORT_SCRIPTED);
		*bad = notes_partial(complain, p);
	}
	return report_merged(&r, o->report, p);
}

bool merge_is_partial(const char *path)
{
	char magic[8] = "";
	struct stat st;
	/* A pipe's bytes are gone once they were looked at: it holds a trace. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	size_t n = fread(magic, 1, sizeof magic, f);
	fclose(f);
	return n == sizeof magic && !memcmp(magic, PARTIAL_MAGIC, sizeof magic);
}

/* Past the times, which come first. */
static const char *without_times(const char *filter)
{
	static const char *const times[] = {"from ", "to "};
	for (unsigned i = 0; i < 2; i++)
		if (!strncmp(filter, times[i], strlen(times[i])) && strstr(filter, "; "))
			filter = strstr(filter, "; ") + 2;
	return filter;
}

int merge_comparable(const struct partial *first, const char *path, const struct partial *run)
{
	if (!strcmp(without_times(first->filter), without_times(run->filter)))
		return EXIT_FINE;
	complain(
		"%s cannot be compared with the runs before it: they were made with different filters",
		path);
	return EXIT_FAILED;
}

static bool runs_scripted(const struct diff_runs *side)
{
	for (size_t i = 0; i < side->n; i++)
		if (merge_scripted(&side->runs[i]))
			return true;
	return false;
}

int merge_diff(const struct diff_runs *before, const struct diff_runs *after,
	const struct options *o, struct out *out, size_t *gates_failed)
{
	struct report r = {.out = out,
		.format = o->format,
		.filter = &o->filter,
		.scripted = runs_scripted(before) || runs_scripted(after),
		.gates = o->gates,
		.ngates = o->ngates,
		.note = merge_say_line};
	if (r.scripted && o->format != FORMAT_TEXT)
		complain(REPORT_SCRIPTED);
	int rc = report_diff(&r, before, after, o->noise);
	*gates_failed = r.gates_failed;
	return rc;
}
