#include "by_host.h"

#include <errno.h>
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

/* 0 or CPIDECODE_ENOMEM. */
static int by_host_add(
	struct hosts *h, const char *name, char *file, const struct results_range *range)
{
	if (array_grow(&h->inputs, h->ninputs, &h->cap, sizeof *h->inputs))
		return CPIDECODE_ENOMEM;
	struct host_input *to = &h->inputs[h->ninputs];
	*to = (struct host_input){.file = file, .number = h->ninputs};
	if (range)
		to->range = *range;
	if (name && !(to->host = strdup(name)))
		return CPIDECODE_ENOMEM;
	h->ninputs++;
	return 0;
}

static int by_host_compare_names(const char *a, const char *b)
{
	return !a || !b ? !a - !b : strcmp(a, b);
}

static int by_host_compare(const void *x, const void *y)
{
	const struct host_input *a = x, *b = y;
	int order = by_host_compare_names(a->host, b->host);

	return order ? order : a->number < b->number ? -1 : 1;
}

/* Groups the inputs. Returns an exit code. */
static int by_host_group(struct hosts *h)
{
	if (h->ninputs)
		qsort(h->inputs, h->ninputs, sizeof *h->inputs, by_host_compare);
	h->at = calloc(h->ninputs + 1, sizeof *h->at);
	h->files = calloc(h->ninputs + 1, sizeof *h->files);
	if (!h->at || !h->files)
		return by_host_no_memory();
	for (size_t i = 0; i < h->ninputs; i++) {
		struct host_input *input = &h->inputs[i];

		h->files[i] = input->file;
		if (!i || by_host_compare_names(input[-1].host, input->host))
			h->at[h->n++] = (struct host){
				.name = input->host, .inputs = input, .files = &h->files[i]};
		h->at[h->n - 1].ninputs++;
	}
	return EXIT_FINE;
}

int by_host_group_trace(struct hosts *h, const struct options *o, const struct trace *t)
{
	int code = EXIT_FINE;

	for (size_t i = 0; i < o->nfiles && !code; i++)
		if (by_host_add(h, report_host_of(t, i), o->files[i], NULL))
			code = by_host_no_memory();
	if (!code)
		code = by_host_group(h);
	/* The files of several are opened again, host by host. */
	for (size_t i = 0; i < o->nfiles && !code && h->n > 1; i++)
		if (strcmp(o->files[i], "-") == 0) {
			complain(
				"--by host: standard input can be read only once: name the files of several hosts");
			code = EXIT_FAILED;
		}
	return code;
}

struct by_host_file {
	struct hosts *hosts;
	char *path;
};

static int by_host_add_result(void *ctx, const char *host, struct results_range range)
{
	const struct by_host_file *f = ctx;

	return by_host_add(f->hosts, host, f->path, &range);
}

static int by_host_add_partial(struct hosts *h, char *path)
{
	struct by_host_file f = {.hosts = h, .path = path};
	int rc = merge_each_host(path, by_host_add_result, &f);

	if (rc == CPIDECODE_ENOMEM)
		return by_host_no_memory();
	if (rc != MERGE_MIXED)
		return EXIT_FINE;
	complain(
		"%s: it is of several hosts, which --by host cannot tell apart: make it with --partial and --by host",
		notes_name(path));
	return EXIT_FAILED;
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
	return code ? code : by_host_group(h);
}

void by_host_free(struct hosts *h)
{
	for (size_t i = 0; i < h->ninputs; i++)
		free(h->inputs[i].host);
	free(h->inputs);
	free(h->files);
	free(h->at);
}

/* Discards messages: merging all files reports the same errors. */
static void by_host_say_nothing(const char *format, ...)
{
	(void)format;
}

int by_host_read_partials(const struct host *h, struct partial *p)
{
	int rc = 0;

	for (size_t i = 0; i < h->ninputs && !rc; i++)
		rc = merge_add_range(p, h->inputs[i].file, h->inputs[i].range, by_host_say_nothing);
	if (rc > 0) {
		errno = EIO;
		return CPIDECODE_EREAD;
	}
	return rc ? rc : merge_settle(p, by_host_say_nothing);
}
