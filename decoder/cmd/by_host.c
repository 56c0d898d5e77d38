#include "by_host.h"

#include <stdlib.h>
#include <string.h>

#include "../base/grow.h"
#include "../report/notes/notes.h"
#include "../report/open.h"
#include "../report/partial/merge.h"

static int by_host_no_memory(void)
{
	complain("no memory");
	return EXIT_FAILED;
}

static bool by_host_is(const struct host *h, const char *name)
{
	return h->name && name ? strcmp(h->name, name) == 0 : h->name == name;
}

static int by_host_add(struct hosts *h, const char *name, char *file)
{
	struct host *to;
	size_t i = 0;

	while (i < h->n && !by_host_is(&h->at[i], name))
		i++;
	if (i == h->n) {
		if (grow(&h->at, h->n, &h->cap, sizeof *h->at))
			return by_host_no_memory();
		h->at[h->n++] = (struct host){.name = name ? strdup(name) : NULL};
		if (name && !h->at[i].name)
			return by_host_no_memory();
	}
	to = &h->at[i];
	if (grow(&to->files, to->nfiles, &to->cap, sizeof *to->files))
		return by_host_no_memory();
	to->files[to->nfiles++] = file;
	return EXIT_FINE;
}

static int by_host_compare(const void *x, const void *y)
{
	const struct host *a = x, *b = y;

	if (!a->name || !b->name)
		return !a->name - !b->name;
	return strcmp(a->name, b->name);
}

static void by_host_sort(struct hosts *h)
{
	if (h->n)
		qsort(h->at, h->n, sizeof *h->at, by_host_compare);
}

int by_host_group_trace(struct hosts *h, const struct options *o, const struct trace *t)
{
	int code = EXIT_FINE;

	for (size_t i = 0; i < o->nfiles && !code; i++)
		code = by_host_add(h, report_host_of(t, i), o->files[i]);
	/* The files of several are opened again, host by host. */
	for (size_t i = 0; i < o->nfiles && !code && h->n > 1; i++)
		if (strcmp(o->files[i], "-") == 0) {
			complain(
				"--by host: standard input can be read only once: name the files of several hosts");
			code = EXIT_FAILED;
		}
	by_host_sort(h);
	return code;
}

/* Discards messages: merging all files reports the same errors. */
static void by_host_say_nothing(const char *format, ...)
{
	(void)format;
}

int by_host_check_one(const struct partial *p)
{
	const char *host;

	if (merge_find_host(p, &host))
		return EXIT_FINE;
	complain(
		"--partial: the partial results are of several hosts, which --by host could not tell apart later: make one of each host");
	return EXIT_FAILED;
}

static int by_host_add_partial(struct hosts *h, char *file)
{
	struct partial p = {.tally.is_brief = true};
	int code = EXIT_FINE;
	const char *host;

	if (!merge_add_file(&p, file, by_host_say_nothing)) {
		if (merge_find_host(&p, &host)) {
			code = by_host_add(h, host, file);
		} else {
			complain(
				"%s: is of several hosts, which --by host cannot tell apart: make one of each host",
				notes_name(file));
			code = EXIT_FAILED;
		}
	}
	merge_free(&p);
	return code;
}

int by_host_group_partials(struct hosts *h, const struct options *o)
{
	int code = EXIT_FINE;

	for (size_t i = 0; i < o->nfiles && !code; i++) {
		if (strcmp(o->files[i], "-") == 0) {
			complain(
				"merge --by host: standard input can be read only once: name a file");
			return EXIT_FAILED;
		}
		code = by_host_add_partial(h, o->files[i]);
	}
	by_host_sort(h);
	return code;
}

void by_host_free(struct hosts *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->at[i].name);
		free(h->at[i].files);
	}
	free(h->at);
}

int by_host_read_partials(const struct options *o, struct partial *p)
{
	int rc = 0;

	for (size_t i = 0; i < o->nfiles && rc >= 0; i++)
		rc = merge_add_file(p, o->files[i], by_host_say_nothing);
	return rc < 0 ? rc : merge_settle(p, by_host_say_nothing);
}
