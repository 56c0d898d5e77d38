#include "log.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../formats/cpuutil_hooks.h"
#include "../../../formats/base/temporary.h"
#include "../../model/trace/clock.h"
#include "../../base/grow.h"
#include "../../model/hooks/pass.h"
#include "../../model/stats/tally.h"

_Static_assert(sizeof(struct flame_writer) % PASS_APART == 0, "for pass_alloc");

enum {
	BUDGET = 24 << 20,
	FEW_NAMES = 1 << 10,
	SAMPLE = 1 << 15,    /* names that tell whether others will come again */
	APPENDED = 36 << 20, /* bytes for those that are not looked up, of all writers together */
	APPENDED_EACH = 12, /* of them for each beside its bytes: length, gap, room for its frame */
	MAX_OWNERS = 1 << 16,
	OWNER_PLACES = 4 * MAX_OWNERS,
};

static int new_block(struct flame_writer *w)
{
	if (block_array_room(&w->memory, &w->blocks, w->memory.count, FLAME_BLOCK))
		return CPIDECODE_ENOMEM;
	w->block = w->memory.blocks[w->memory.count - 1];
	return 0;
}

/* Where the block lies in memory. */
static size_t block_offset(const struct flame_writer *w)
{
	return (w->memory.count - 1) * FLAME_BLOCK;
}

static int write_block(struct flame_writer *w)
{
	if (w->fd < 0 && (w->fd = temporary_open_unnamed()) < 0)
		return CPIDECODE_ESPOOL;
	for (uint32_t done = 0; done < w->used;) {
		ssize_t n =
			pwrite(w->fd, w->block + done, w->used - done, (off_t)(w->stored + done));

		if (n < 0 && errno != EINTR)
			return CPIDECODE_ESPOOL;
		if (n == 0) {
			errno = ENOSPC;
			return CPIDECODE_ESPOOL;
		}
		done += n > 0 ? (uint32_t)n : 0;
	}
	for (size_t i = w->unsealed; i < w->nsegments; i++) {
		struct flame_segment *s = &w->segments[i];

		s->offset += w->stored - block_offset(w);
		s->stored = true;
	}
	w->stored += w->used;
	return 0;
}

static void end_segment(struct flame_writer *w)
{
	if (w->nsegments == w->unsealed)
		return;
	struct flame_segment *last = &w->segments[w->nsegments - 1];
	last->bytes = w->used - w->begin;
	last->end = w->last_end;
	last->start = w->first_start;
}

/* The records that still lack the numbers of their names get them. */
static int name_records(struct flame_writer *w)
{
	if (!w->nwanted)
		return 0;
	int rc = flame_names_add_all(&w->names, w->wanted, w->nwanted);
	for (unsigned i = 0; i < w->nwanted && !rc; i++)
		memcpy(w->block + w->unnamed[i] - FLAME_NAME_FROM_END, &w->wanted[i].number,
			sizeof(uint32_t));
	w->looked_up += w->nwanted;
	w->nwanted = w->text_used = 0;
	/* Nearly all of them were new: looking up another one takes long, and finds nothing. */
	if (w->looked_up >= SAMPLE && !w->appending && w->names.count >= w->looked_up / 8 * 7)
		w->appending = w->may_append;
	return rc;
}

static int next_block(const struct flame_log *log, struct flame_writer *w)
{
	end_segment(w);
	int rc = name_records(w);
	if (rc)
		return rc;
	rc = w->memory.count < log->blocks ? new_block(w) : write_block(w);
	w->used = w->begin = 0;
	w->unsealed = w->nsegments;
	return rc;
}

/* Room for a record, in a segment of that ring. */
static int flame_log_reserve_record(const struct flame_log *log, struct flame_writer *w,
	const struct interval *iv, size_t slice)
{
	int rc = 0;

	if (!w->block)
		rc = new_block(w);
	else if (w->used + FLAME_MAX_RECORD > FLAME_BLOCK)
		rc = next_block(log, w);
	if (rc)
		return rc;
	const struct flame_segment *last = w->nsegments ? &w->segments[w->nsegments - 1] : NULL;
	bool same =
		last && last->slice == slice && last->ring == iv->ring && last->file == iv->file;
	if (same && w->nsegments > w->unsealed)
		return 0;
	end_segment(w);
	if (grow(&w->segments, w->nsegments, &w->segments_cap, sizeof *w->segments))
		return CPIDECODE_ENOMEM;
	w->begin = w->used;
	w->last_end = 0;
	w->first_start = UINT64_MAX;
	w->segments[w->nsegments] = (struct flame_segment){.file = iv->file,
		.ring = iv->ring,
		.slice = slice,
		.order = w->nsegments,
		.offset = block_offset(w) + w->used,
		.writer = (uint16_t)(w - log->writers)};
	w->nsegments++;
	return 0;
}

static uint32_t minor_name(struct flame_writer *w, uint8_t mm)
{
	if (!w->minors[mm]) {
		char text[12];
		int n = snprintf(text, sizeof text, "minor 0x%02X", mm);

		w->minors[mm] = flame_names_add(&w->names, text, (size_t)n);
	}
	return w->minors[mm];
}

void flame_util_name(struct out *o, const char *name, size_t n, uint64_t method)
{
	uint32_t methods = tally_method(method);

	out_bytes(o, name, n);
	out_str(o, " [CPU utilisation");
	if (methods) {
		out_str(o, ", ");
		report_methods(o, methods);
	}
	out_char(o, ']');
}

static uint32_t util_name(struct flame_writer *w, const struct interval *iv)
{
	char minor[12];
	int n = snprintf(minor, sizeof minor, "minor 0x%02X", iv->mm);
	struct out told;

	out_memory(&told);
	if (iv->has_label)
		flame_util_name(&told, iv->label, iv->label_len, iv->method);
	else
		flame_util_name(&told, minor, (size_t)n, iv->method);
	uint32_t number = told.error ? 0 : flame_names_add(&w->names, told.buf, told.len);
	out_discard(&told);
	return number;
}

/*
 * The name of a record that is about to be put; *wait: it comes with others, as finding it may mean
 * waiting for memory.
 */
static int find_name(
	struct flame_writer *w, const struct interval *iv, uint32_t *number, bool *wait)
{
	*wait = false;
	if (iv->major == CPUUTIL_MAJOR) {
		*number = util_name(w, iv);
	} else if (!iv->has_label) {
		*number = minor_name(w, iv->mm);
	} else if (w->appending > 0) {
		*number = flame_names_append(&w->names, iv->label, iv->label_len);
		w->appending -= APPENDED_EACH + (int64_t)iv->label_len;
		if (w->appending <= 0)
			w->appending = -1;
	} else if (iv->label_len <= FLAME_TEXT && w->names.count > FEW_NAMES) {
		/* Few names are at hand at once: gathering them would take longer. */
		*wait = true;
		*number = FLAME_NO_NAME;
		return w->nwanted == FLAME_WANTED || iv->label_len > FLAME_TEXT - w->text_used
			       ? name_records(w)
			       : 0;
	} else {
		*number = flame_names_add(&w->names, iv->label, iv->label_len);
	}
	return *number ? 0 : CPIDECODE_ENOMEM;
}

/* Of the record that was put last. */
static void name_later(struct flame_writer *w, const struct interval *iv)
{
	char *text = w->text + w->text_used;

	memcpy(text, iv->label, iv->label_len);
	w->text_used += iv->label_len;
	w->unnamed[w->nwanted] = w->used;
	w->wanted[w->nwanted++] = (struct flame_wanted){.bytes = text, .len = iv->label_len};
}

static bool owns(const struct flame_owner *o, const struct interval *iv)
{
	return o->tid == iv->tid && o->task == iv->task && o->machine == iv->machine;
}

static int add_owner(struct flame_writer *w, const struct interval *iv)
{
	const char *name = report_task_name(iv->task);
	char text[24];

	if (!name) {
		snprintf(text, sizeof text, "tid %u", iv->tid);
		name = text;
	}
	if (w->nowners == MAX_OWNERS) {
		w->unfit = true;
		return CPIDECODE_ECANCELED;
	}
	if (grow(&w->owners, w->nowners, &w->owners_cap, sizeof *w->owners))
		return CPIDECODE_ENOMEM;
	struct flame_owner own = {
		iv->machine, iv->tid, iv->task, flame_names_add(&w->names, name, strlen(name))};
	w->owners[w->nowners++] = own;
	return own.name ? 0 : CPIDECODE_ENOMEM;
}

static int find_owner(struct flame_writer *w, const struct interval *iv)
{
	uint32_t *recent = &w->recent_owners[iv->tid % FLAME_RECENT];

	w->last_owner = *recent;
	if (w->nowners && owns(&w->owners[*recent], iv))
		return 0;
	if (!w->owner_table && !(w->owner_table = calloc(OWNER_PLACES, sizeof(uint32_t))))
		return CPIDECODE_ENOMEM;
	uint64_t key = (uintptr_t)iv->task + ((uint64_t)iv->machine << 32 | iv->tid);
	size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	int rc = 0;
	for (;; at++) {
		uint32_t *place = &w->owner_table[at & (OWNER_PLACES - 1)];

		if (!*place) {
			rc = add_owner(w, iv);
			*place = (uint32_t)w->nowners;
		}
		if (rc || owns(&w->owners[*place - 1], iv)) {
			w->last_owner = *recent = *place - 1;
			return rc;
		}
	}
}

static void widen_span(struct flame_writer *w, int64_t start, int64_t end)
{
	w->start = start < w->start ? start : w->start;
	w->end = end > w->end ? end : w->end;
}

/* One of which ticks are not enough: a clock that goes back, or a start before tick 0. */
static void take_span(
	const struct flame_log *log, struct flame_writer *w, const struct interval *iv)
{
	const struct clock *clock = trace_file(log->r->trace, iv->file)->clock;

	if (log->by_ticks)
		widen_span(w, clock_time_before(clock, iv->end_ticks, iv->elapsed),
			clock_time(clock, iv->end_ticks));
	else
		widen_span(w, iv->start_ns, iv->end_ns);
}

static void put_record(const struct flame_log *log, struct flame_writer *w,
	const struct interval *iv, uint64_t weight, uint32_t name)
{
	struct flame_record record = {.elapsed = iv->elapsed,
		.weight = weight,
		/* The first of a segment comes after none. */
		.after = w->used > w->begin ? iv->end_ticks - w->last_end : 0,
		.name = name,
		.owner = w->last_owner};

	if (log->r->format == FORMAT_SVG)
		record.part = flame_part_of(iv);
	w->used = (uint32_t)(flame_record_put(w->block + w->used, &record) - w->block);
	w->last_end = iv->end_ticks;
	uint64_t start = iv->end_ticks - iv->elapsed;
	if (!log->by_ticks || iv->elapsed > iv->end_ticks)
		take_span(log, w, iv);
	else if (start < w->first_start)
		w->first_start = start;
}

static int flame_log_append_interval(
	struct flame_log *log, struct flame_writer *w, const struct interval *iv, size_t slice)
{
	uint64_t weight = flame_weight(log->r->weight, iv);

	if (weight == NOT_MEASURED) {
		w->unfit = true;
		return CPIDECODE_ECANCELED;
	}
	uint32_t name;
	bool wait;
	int rc = find_owner(w, iv);
	if (!rc)
		rc = flame_log_reserve_record(log, w, iv, slice);
	if (!rc)
		rc = find_name(w, iv, &name, &wait);
	if (rc)
		return rc;
	if (iv->end_ticks < w->last_end) {
		w->unfit = true;
		return CPIDECODE_ECANCELED;
	}
	put_record(log, w, iv, weight, name);
	if (wait)
		name_later(w, iv);
	return 0;
}

static int flame_log_read_slice(void *ctx, struct pass_slice *slice)
{
	struct flame_log *log = ctx;
	struct flame_writer *w = &log->writers[pass_thread(slice)];
	size_t index = pass_index(slice);
	const struct interval *iv;
	int rc;

	while ((rc = interval_read(w->builder, slice, &iv)) > 0)
		if ((rc = flame_log_append_interval(log, w, iv, index)))
			break;
	return rc;
}

static int open_writers(struct flame_log *log, unsigned wants)
{
	log->writers = pass_alloc(log->count, sizeof *log->writers);
	if (!log->writers)
		return CPIDECODE_ENOMEM;
	log->blocks = (log->budget ? log->budget : BUDGET) / FLAME_BLOCK / log->count + 1;
	for (unsigned i = 0; i < log->count; i++) {
		struct flame_writer *w = &log->writers[i];

		w->fd = -1;
		w->may_append = APPENDED / log->count;
		w->start = INT64_MAX;
		w->end = INT64_MIN;
	}
	int rc = 0;
	for (unsigned i = 0; i < log->count && !rc; i++)
		rc = interval_builder_new(log->r->trace, wants, &log->writers[i].builder);
	return rc;
}

/* Where clocks do not go back, the first tick is the first moment. */
static void span_segments(const struct flame_log *log, struct flame_writer *w)
{
	for (size_t i = 0; i < w->nsegments; i++) {
		const struct flame_segment *s = &w->segments[i];
		const struct clock *clock = trace_file(log->r->trace, s->file)->clock;

		if (s->start != UINT64_MAX)
			widen_span(w, clock_time(clock, s->start), clock_time(clock, s->end));
	}
}

static bool all_monotone(const struct trace *t)
{
	for (size_t i = 0; i < trace_nfiles(t); i++)
		if (!clock_is_monotone(trace_file(t, i)->clock))
			return false;
	return true;
}

static int count_unread(struct flame_writer *w)
{
	w->unread = calloc(w->memory.count + 1, sizeof *w->unread);
	if (!w->unread)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < w->nsegments; i++)
		if (!w->segments[i].stored)
			w->unread[w->segments[i].offset / FLAME_BLOCK]++;
	return 0;
}

const uint8_t *flame_log_at(const struct flame_log *log, const struct flame_segment *segment)
{
	const struct flame_writer *w = &log->writers[segment->writer];

	return block_array_at(&w->memory, segment->offset, 1);
}

void flame_log_drop(
	struct flame_log *log, const struct flame_segment *segment, struct blocks *blocks)
{
	struct flame_writer *w = &log->writers[segment->writer];
	size_t block = segment->offset / FLAME_BLOCK;

	if (!segment->stored && --w->unread[block] == 0)
		blocks_put(blocks, w->memory.blocks[block]);
}

int flame_log_write(struct flame_log *log, unsigned wants, struct findings *found)
{
	log->by_ticks = log->r->format != FORMAT_SVG || all_monotone(log->r->trace);
	if (log->by_ticks)
		wants &= ~(unsigned)WANT_START;
	struct pass pass = {.trace = log->r->trace,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = log->r->threads,
		.spared = log->by_ticks ? HOOK_SPARE_TIME : 0,
		.read = flame_log_read_slice,
		.ctx = log,
		.progress = log->r->progress,
		.progress_ctx = log->r->ctx};
	log->count = pass_threads(&pass);
	int rc = open_writers(log, wants);
	if (!rc)
		rc = pass_run(&pass, found);
	bool unfit = false;
	for (unsigned i = 0; log->writers && i < log->count; i++) {
		end_segment(&log->writers[i]);
		if (!rc)
			rc = name_records(&log->writers[i]);
		if (!rc)
			rc = count_unread(&log->writers[i]);
		if (log->by_ticks)
			span_segments(log, &log->writers[i]);
		unfit |= log->writers[i].unfit;
	}
	return unfit || rc == CPIDECODE_ESPOOL ? 1 : rc;
}

void flame_log_free(struct flame_log *log)
{
	for (unsigned i = 0; log->writers && i < log->count; i++) {
		struct flame_writer *w = &log->writers[i];

		interval_builder_free(w->builder);
		flame_names_free(&w->names);
		block_array_free(&w->memory);
		blocks_free(&w->blocks);
		free(w->owners);
		free(w->owner_table);
		free(w->segments);
		free(w->unread);
		if (w->fd >= 0)
			close(w->fd);
	}
	free(log->writers);
	log->writers = NULL;
}
