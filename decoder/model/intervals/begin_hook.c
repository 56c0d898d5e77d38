#include "begin_hook.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/number.h"
#include "../../../formats/schema_program.h"
#include "../../../formats/trace_file.h"
#include "../../../include/cpidecode.h"
#include "../../base/grow.h"
#include "../hooks/schema.h"
#include "../trace/clock/clock.h"
#include "../trace/labels.h"
#include "../trace/trace_private.h"
#include "intervals.h"

/* Copies a label in the hook. */
static bool begin_copy_text(struct begun *to, const struct field_value *v)
{
	if (to->text)
		return true;
	to->text = malloc((size_t)v->length + 1);
	if (!to->text)
		return false;
	memcpy(to->text, v->string, v->length);
	to->label = to->text;
	to->label_len = v->length;
	return true;
}

static void begin_name(struct begun *to, const struct trace *t, uint64_t number)
{
	const struct label *label = number <= UINT32_MAX
					    ? trace_label(trace_file(t, to->file), (uint32_t)number)
					    : NULL;

	to->unnamed = number && !label;
	if (!label)
		return;
	to->label = label->text;
	to->label_len = label->length;
}

static int begin_read(struct begun *to, const struct trace *t, const struct hook *h)
{
	struct hook read_as = *h;
	struct field_cursor c;
	struct field_value v;
	bool has_text = false;

	if (!h->schema || strcmp(h->schema->name, to->over ? "over" : "begin") != 0)
		read_as.schema = schema_find(t->builtin, h->major, h->minor);
	field_start(&c, &read_as);
	while (field_next(&c, &v)) {
		const char *name = v.field->name;

		if (v.field->type == FIELD_STRING) {
			if (has_text && !begin_copy_text(to, &v))
				return CPIDECODE_ENOMEM;
		} else if (strcmp(name, "known") == 0) {
			has_text = v.u & SCOPE_KNOWN_TEXT;
		} else if (strcmp(name, "label_number") == 0) {
			begin_name(to, t, v.u);
		} else if (strcmp(name, "begin") == 0) {
			to->id = v.u;
		} else if (strcmp(name, "period") == 0) {
			to->period = (uint32_t)v.u;
		}
	}
	return 0;
}

int begin_decode(struct begins *b, const struct trace *t, const struct hook *h)
{
	struct begun begun = {.over = (h->minor & INTERVAL_MINOR_KIND) == INTERVAL_MINOR_OVER,
		.ticks = h->ticks,
		.position = h->position,
		.task = h->task,
		.ring = h->ring,
		.tid = h->tid,
		.file = h->file,
		.machine = h->machine,
		.major = h->major == INTERVAL_MAJOR ? CPI_MAJOR : h->major,
		.mm = (uint8_t)(h->minor & CPI_MINOR_MM)};
	int rc = begin_read(&begun, t, h);

	if (!rc && begun.id)
		rc = begins_add(b, &begun);
	free(begun.text);
	return rc;
}

static int living_compare_threads(const void *a, const void *b)
{
	const struct living_thread *x = a, *y = b;

	return compare_u64_pair(x->machine, y->machine, x->tid, y->tid);
}

static int living_compare(const void *a, const void *b)
{
	const struct living_thread *x = a, *y = b;
	int c = living_compare_threads(a, b);

	return c ? c : compare_u64(x->ticks, y->ticks);
}

/* A line's value: TICK TID TID ... */
static int living_add_line(struct living *l, uint32_t machine, const char *p, const char *end)
{
	uint64_t ticks, tid;

	if (!number_scan(&p, end, 10, UINT64_MAX, &ticks))
		return 0;
	while (p < end && *p++ == ' ' && number_scan(&p, end, 10, UINT32_MAX, &tid)) {
		if (array_grow(&l->at, l->count, &l->room, sizeof *l->at))
			return CPIDECODE_ENOMEM;
		l->at[l->count++] = (struct living_thread){machine, (uint32_t)tid, ticks};
	}
	return 0;
}

int living_find(struct living *l, const struct trace *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);

		for (size_t k = 0; k < f->nmeta; k++) {
			const struct trace_meta *m = &f->meta[k];

			if (strcmp(m->key, TF_META_ALIVE) == 0 &&
				living_add_line(
					l, f->machine, m->value, m->value + m->value_length))
				return CPIDECODE_ENOMEM;
		}
	}
	if (l->count)
		qsort(l->at, l->count, sizeof *l->at, living_compare);
	/* The latest of each thread id: a file may have any number of them. */
	for (size_t i = 0; i < l->count; i++) {
		kept -= kept && living_compare_threads(&l->at[kept - 1], &l->at[i]) == 0;
		l->at[kept++] = l->at[i];
	}
	l->count = kept;
	return 0;
}

void living_free(struct living *l)
{
	free(l->at);
	*l = (struct living){0};
}

/* 0: not known to have lived past its last hook. */
static uint64_t living_last(
	const struct living *l, const struct trace *t, const struct begun *begun)
{
	const struct living_thread key = {begun->machine, begun->tid, 0}, *found = NULL;

	if (l->count)
		found = bsearch(&key, l->at, l->count, sizeof key, living_compare_threads);
	/* The id may be another thread's by then. */
	return found && trace_task(t, key.machine, key.tid, found->ticks) == begun->task
		       ? found->ticks
		       : 0;
}

void begin_interval(const struct begun *begun, const struct trace *t,
	const struct overwritten *overwritten, const struct living *living, struct interval *iv)
{
	const struct trace_file *file = trace_file(t, begun->file);

	*iv = interval_blank;
	iv->end_ticks = living_last(living, t, begun);
	if (iv->end_ticks < begun->ticks)
		iv->end_ticks = begun->ticks;
	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);

		if (f->machine == begun->machine && f->has_hooks && f->last > iv->end_ticks)
			iv->end_ticks = f->last;
	}
	iv->start_ticks = begun->ticks;
	iv->elapsed = iv->end_ticks - begun->ticks;
	iv->start_ns = clock_time(file->clock, iv->start_ticks);
	iv->end_ns = clock_time(file->clock, iv->end_ticks);
	iv->elapsed_ns = trace_duration_ns(file, iv->elapsed);
	iv->long_ns = trace_long_ns(file, iv->elapsed, iv->elapsed_ns);
	iv->ring = begun->ring;
	iv->start_cpu = begun->ring;
	iv->tid = begun->tid;
	iv->file = begun->file;
	iv->machine = begun->machine;
	iv->position = begun->position;
	iv->mm = begun->mm;
	iv->major = begun->major;
	iv->task = begun->task;
	iv->has_label = begun->label != NULL;
	iv->label = begun->label;
	iv->label_len = begun->label_len;
	iv->flags = IV_OPEN | (begin_may_have_ended(begun, overwritten) ? IV_NO_END : 0) |
		    (file->header.flags & TF_FLAG_SCRIPTED ? IV_SCRIPTED : 0);
}
