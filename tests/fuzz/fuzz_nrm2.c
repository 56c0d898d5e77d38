/*
 * NRM2 files, read and written again. The first byte selects how the checksums are corrected, the
 * rest is the file.
 *
 * Invariants: the converted file is a complete trace.bin; reported damage lies within the file;
 * what is written from it reads back as the same hooks, without damage, and is written again
 * unchanged.
 */
#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#include "../../decoder/model/trace/trace.h"
#include "../../decoder/report/report.h"
#include "../../formats/nrm2.h"
#include "fuzz.h"

enum how {
	MENDED = 1,   /* checksums are corrected */
	ALL_OURS = 2, /* every little-endian section is marked as written by swtrace */
};

static void seal_headers(uint8_t *p, size_t n, unsigned how)
{
	for (size_t at = 0; at + NRM2_HEADER_SIZE <= n;) {
		uint8_t *h = p + at;
		bool big;

		if (!nrm2_magic(h, &big)) {
			at++;
			continue;
		}
		if (how & ALL_OURS && !big)
			memcpy(h + NRM2_X_MAGIC, NRM2_EXTENSION, 8);
		bool own = memcmp(h + NRM2_X_MAGIC, NRM2_EXTENSION, 8) == 0;
		uint64_t left = n - at - NRM2_HEADER_SIZE;
		uint64_t size = nrm2_get32(h + NRM2_H_DATA_SIZE, big);
		if (size > left)
			size = left;
		if (own)
			put_le64(h + NRM2_X_DATA_CHECKSUM,
				XXH3_64bits(h + NRM2_HEADER_SIZE, (size_t)size));
		if (own)
			put_le64(h + NRM2_X_CHECKSUM, XXH3_64bits(h, NRM2_X_CHECKSUM));
		at += NRM2_HEADER_SIZE + (size_t)size;
	}
}

/* NULL: refused. */
static struct trace *opened(const uint8_t *p, size_t n)
{
	struct trace *t;

	PROMISE(!trace_new(&t), "an empty trace");
	int rc = trace_add_memory(t, p, n, "nrm2");
	bool may = rc == CPIDECODE_ENOTTRACE || rc == CPIDECODE_ETRUNCATED ||
		   rc == CPIDECODE_EVERSION || rc == CPIDECODE_ECLOCK || rc == CPIDECODE_EEMPTY;
	PROMISE(!rc || may, "code %d", rc);
	if (!rc)
		return t;
	trace_free(t);
	return NULL;
}

static void say(const struct trace *t, enum report_format format, struct out *out)
{
	struct filter filter;
	struct findings found = {0};

	filter_init(&filter);
	out_memory(out);
	struct report r = {.out = out, .format = format, .filter = &filter, .found = &found};
	report_about(&r, t);
	int rc = report_run(&r, REPORT_HOOKS);
	PROMISE(!rc && !out->error, "code %d, error %d", rc, out->error);
	const struct hook_counts *c = &found.total;
	if (trace_file(t, 0)->import)
		PROMISE(!c->malformed && !c->bad_sections && !c->torn && !c->reserved,
			"the converted file is incomplete");
	findings_free(&found);
}

static bool in_order(const struct trace *t)
{
	const struct trace_file *f = trace_file(t, 0);
	uint64_t *last = calloc(f->nrings + 1, sizeof *last);
	struct hook_iter *it;
	const struct hook *h;
	bool ordered = true;

	PROMISE(last && !hook_iter_open(t, &it), "hooks");
	while (hook_iter_next(it, &h) > 0) {
		size_t i = 0;

		while (f->rings[i].ring != h->ring)
			i++;
		ordered &= h->ticks >= last[i];
		last[i] = h->ticks;
	}
	hook_iter_close(it);
	free(last);
	return ordered;
}

static bool equal(const struct out *a, const struct out *b)
{
	return a->len == b->len && (!a->len || memcmp(a->buf, b->buf, a->len) == 0);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines in order of their text. */
static void sort_lines(struct out *o)
{
	char *copy = (char *)exact_copy(o->buf, o->len);
	char **lines = calloc(o->len + 1, sizeof *lines);
	size_t n = 0;

	PROMISE(copy && lines, "memory");
	for (size_t at = 0; at < o->len; at += strlen(copy + at) + 1) {
		lines[n++] = copy + at;
		*strchr(copy + at, '\n') = '\0';
	}
	qsort(lines, n, sizeof *lines, by_text);
	o->len = 0;
	for (size_t i = 0; i < n; i++) {
		out_str(o, lines[i]);
		out_char(o, '\n');
	}
	free(copy);
	free(lines);
}

static void there_and_back(const struct trace *t)
{
	struct out hooks, file, again, same;

	say(t, FORMAT_JSON, &hooks);
	say(t, FORMAT_NRM2, &file);
	struct trace *back = opened((const uint8_t *)file.buf, file.len);
	PROMISE(back, "a written file is refused");
	PROMISE(!trace_file(back, 0)->ndamage, "a written file is damaged");
	say(back, FORMAT_JSON, &again);
	/* Where a ring's stamps step back, the order depends on how it is cut into sections. */
	bool ordered = in_order(t);
	if (!ordered && hooks.len && again.len) {
		sort_lines(&hooks);
		sort_lines(&again);
	}
	PROMISE(equal(&hooks, &again), "the hooks differ:\n%.*s\n%.*s", (int)hooks.len, hooks.buf,
		(int)again.len, again.buf);
	say(back, FORMAT_NRM2, &same);
	/* Guest rings are renumbered if an empty one was left out. */
	bool all_rings = trace_file(t, 0)->nrings == trace_file(back, 0)->nrings;
	PROMISE(!ordered || !all_rings || equal(&file, &same), "it is written differently");
	out_discard(&hooks);
	out_discard(&file);
	out_discard(&again);
	out_discard(&same);
	trace_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed in = {data, size};
	uint8_t how = feed_u8(&in);

	if (in.n < 8 || in.n > 1 << 20 || memcmp(in.p, NRM2_MAGIC, 4))
		return 0;
	uint8_t *file = exact_copy(in.p, in.n);
	if (how & MENDED)
		seal_headers(file, in.n, how);
	struct trace *t = opened(file, in.n);
	if (t) {
		const struct trace_file *f = trace_file(t, 0);

		PROMISE(f->bytes == in.n, "%llu bytes", (unsigned long long)f->bytes);
		PROMISE(f->hooks <= in.n / NRM2_HK_HEADER_SIZE, "more hooks than there can be");
		for (size_t i = 0; i < f->ndamage; i++)
			PROMISE(f->damage[i].offset + f->damage[i].bytes <= in.n,
				"damage beyond it");
		if (f->import)
			there_and_back(t);
	}
	trace_free(t);
	free(file);
	return 0;
}
