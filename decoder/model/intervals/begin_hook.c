#include "begin_hook.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/number.h"
#include "../../../formats/schema_program.h"
#include "../../../formats/trace_file.h"
#include "../../../include/cpidecode.h"
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

/* The tick at which a dump found the thread alive; 0: none did. META: `alive: TICK TID TID ...` */
static uint64_t begin_seen_alive(
	const struct begun *begun, const struct trace *t, const struct trace_file *f)
{
	uint64_t last = 0, ticks, tid;

	for (size_t i = 0; i < f->nmeta; i++) {
		const char *p = f->meta[i].value, *end = p + f->meta[i].value_length;

		if (strcmp(f->meta[i].key, TF_META_ALIVE) != 0 ||
			!number_scan(&p, end, 10, UINT64_MAX, &ticks) || ticks <= last)
			continue;
		while (p < end && *p++ == ' ' && number_scan(&p, end, 10, UINT32_MAX, &tid))
			if (tid == begun->tid &&
				trace_task(t, f->machine, begun->tid, ticks) == begun->task)
				last = ticks;
	}
	return last;
}

void begin_interval(const struct begun *begun, const struct trace *t,
	const struct overwritten *overwritten, struct interval *iv)
{
	const struct trace_file *file = trace_file(t, begun->file);

	*iv = interval_blank;
	iv->end_ticks = begun->ticks;
	for (size_t i = 0; i < trace_nfiles(t); i++) {
		const struct trace_file *f = trace_file(t, i);
		uint64_t last = f->has_hooks ? f->last : 0, seen;

		if (f->machine != begun->machine)
			continue;
		seen = begin_seen_alive(begun, t, f);
		last = last > seen ? last : seen;
		iv->end_ticks = last > iv->end_ticks ? last : iv->end_ticks;
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
