#include "flame_log.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/cpuutil_hooks.h"
#include "../io/temp.h"
#include "../model/grow.h"
#include "../model/pass.h"

_Static_assert(sizeof(struct flame_writer) % PASS_APART == 0, "for pass_alloc");

enum {
	BUDGET = 24 << 20,
	FEW_NAMES = 1 << 10,
	MAX_OWNERS = 1 << 16,
	OWNER_PLACES = 4 * MAX_OWNERS,
};

/* Of a record, which is read from its end: what stands before its tail. */
enum {
	HAS_WEIGHT = 1,
	HAS_COUNTS = 2,
	HAS_VALUE = 4,
	IS_LONG = 8, /* ticks that the tail has no room for */
	KIND_SHIFT = 4,
	OWNER_SHIFT = 8,
};

struct tail {
	uint32_t after, elapsed;
	uint32_t flags; /* and the owner */
	uint32_t name;	/* put there later */
};

_Static_assert(sizeof(struct tail) == 16, "no gaps");

static int new_block(struct flame_writer *w)
{
	if (pages_room(&w->memory, w->nblocks, FLAME_BLOCK))
		return CPIDECODE_ENOMEM;
	w->block = (uint8_t *)w->memory.at + w->nblocks++ * FLAME_BLOCK;
	return 0;
}

/* Where the block lies in memory. */
static size_t block_offset(const struct flame_writer *w)
{
	return (w->nblocks - 1) * FLAME_BLOCK;
}

static int write_block(struct flame_writer *w)
{
	if (w->fd < 0 && (w->fd = io_temp_file()) < 0)
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
}

/* The records that still lack the numbers of their names get them. */
static int name_records(struct flame_writer *w)
{
	int rc = flame_names_add_all(&w->names, w->wanted, w->nwanted);
	for (unsigned i = 0; i < w->nwanted && !rc; i++)
		memcpy(w->block + w->unnamed[i] - sizeof(uint32_t), &w->wanted[i].number,
			sizeof(uint32_t));
	w->nwanted = w->text_used = 0;
	return rc;
}

static int next_block(const struct flame_log *log, struct flame_writer *w)
{
	end_segment(w);
	int rc = name_records(w);
	if (rc)
		return rc;
	rc = w->nblocks < log->blocks ? new_block(w) : write_block(w);
	w->used = w->begin = 0;
	w->unsealed = w->nsegments;
	return rc;
}

/* Room for a record, in a segment of that ring. */
static int make_room(const struct flame_log *log, struct flame_writer *w, const struct interval *iv,
	size_t slice)
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

void flame_util_name(struct out *o, const char *name, size_t n)
{
	out_bytes(o, name, n);
	out_str(o, " [CPU utilisation]");
}

static uint32_t util_name(struct flame_writer *w, const struct interval *iv)
{
	char minor[12];
	int n = snprintf(minor, sizeof minor, "minor 0x%02X", iv->mm);
	struct out told;
	out_memory(&told);
	if (iv->has_label)
		flame_util_name(&told, iv->label, iv->label_len);
	else
		flame_util_name(&told, minor, (size_t)n);
	uint32_t number = told.error ? 0 : flame_names_add(&w->names, told.buf, told.len);
	out_discard(&told);
	return number;
}

/* The name of the record that was put last. */
static int put_name(struct flame_writer *w, const struct interval *iv)
{
	uint32_t number;
	if (iv->major == CPUUTIL_MAJOR) {
		number = util_name(w, iv);
		memcpy(w->block + w->used - sizeof number, &number, sizeof number);
		return number ? 0 : CPIDECODE_ENOMEM;
	}
	/* Few names are at hand at once: gathering them would take longer. */
	if (iv->has_label && iv->label_len <= FLAME_TEXT && w->names.count > FEW_NAMES) {
		if (w->nwanted == FLAME_WANTED || iv->label_len > FLAME_TEXT - w->text_used) {
			int rc = name_records(w);
			if (rc)
				return rc;
		}
		char *text = w->text + w->text_used;
		memcpy(text, iv->label, iv->label_len);
		w->text_used += iv->label_len;
		w->unnamed[w->nwanted] = w->used;
		w->wanted[w->nwanted++] =
			(struct flame_wanted){.bytes = text, .len = iv->label_len};
		return 0;
	}
	number = iv->has_label ? flame_names_add(&w->names, iv->label, iv->label_len)
			       : minor_name(w, iv->mm);
	memcpy(w->block + w->used - sizeof number, &number, sizeof number);
	return number ? 0 : CPIDECODE_ENOMEM;
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
	if (w->nowners && owns(&w->owners[w->last_owner], iv))
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
			w->last_owner = *place - 1;
			return rc;
		}
	}
}

static uint8_t *put(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof v);
	return p + sizeof v;
}

static uint8_t *put_part(uint8_t *p, const struct flame_part *part, uint32_t *flags)
{
	*flags |= (uint32_t)part->kind << KIND_SHIFT;
	if (part->kind == FLAME_CPI_NONE)
		return p;
	if (part->above != NOT_MEASURED || part->below != NOT_MEASURED) {
		*flags |= HAS_COUNTS;
		p = put(put(p, part->above), part->below);
	}
	if (!isnan(part->value)) {
		*flags |= HAS_VALUE;
		memcpy(p, &part->value, sizeof part->value);
		p += sizeof part->value;
	}
	return p;
}

static void put_record(const struct flame_log *log, struct flame_writer *w,
	const struct interval *iv, uint64_t weight)
{
	/* The first of a segment comes after none. */
	uint64_t after = w->used > w->begin ? iv->end_ticks - w->last_end : 0;
	uint32_t flags = w->last_owner << OWNER_SHIFT;
	uint8_t *p = w->block + w->used;
	if (weight != iv->elapsed) {
		flags |= HAS_WEIGHT;
		p = put(p, weight);
	}
	if (log->r->format == FORMAT_SVG) {
		struct flame_part part = flame_part_of(iv);
		p = put_part(p, &part, &flags);
		w->start = iv->start_ns < w->start ? iv->start_ns : w->start;
		w->end = iv->end_ns > w->end ? iv->end_ns : w->end;
	}
	if ((after | iv->elapsed) > UINT32_MAX) {
		flags |= IS_LONG;
		p = put(put(p, after), iv->elapsed);
	}
	struct tail tail = {(uint32_t)after, (uint32_t)iv->elapsed, flags, 0};
	memcpy(p, &tail, sizeof tail);
	w->used = (uint32_t)(p + sizeof tail - w->block);
	w->last_end = iv->end_ticks;
}

static unsigned words_of(uint32_t flags)
{
	return (flags & HAS_WEIGHT) + (flags & HAS_COUNTS) + (flags & HAS_VALUE) / HAS_VALUE +
	       (flags & IS_LONG) / IS_LONG * 2;
}

static uint64_t get(const uint8_t **p)
{
	uint64_t v;
	memcpy(&v, *p, sizeof v);
	*p += sizeof v;
	return v;
}

const uint8_t *flame_log_back(const uint8_t *p, struct flame_record *r)
{
	struct tail tail;
	memcpy(&tail, p - sizeof tail, sizeof tail);
	const uint8_t *begin = p - sizeof tail - 8 * words_of(tail.flags), *next = begin;
	uint64_t weight = tail.flags & HAS_WEIGHT ? get(&next) : tail.elapsed;
	r->name = tail.name;
	r->owner = tail.flags >> OWNER_SHIFT;
	r->after = tail.after;
	r->elapsed = tail.elapsed;
	r->part = (struct flame_part){.kind = tail.flags >> KIND_SHIFT & 3,
		.above = NOT_MEASURED,
		.below = NOT_MEASURED,
		.value = NAN};
	if (tail.flags & HAS_COUNTS) {
		r->part.above = get(&next);
		r->part.below = get(&next);
	}
	if (tail.flags & HAS_VALUE) {
		memcpy(&r->part.value, next, sizeof r->part.value);
		next += sizeof r->part.value;
	}
	if (tail.flags & IS_LONG) {
		r->after = get(&next);
		r->elapsed = get(&next);
	}
	r->weight = tail.flags & HAS_WEIGHT ? weight : r->elapsed;
	r->part.elapsed = r->elapsed;
	return begin;
}

static int take_interval(
	struct flame_log *log, struct flame_writer *w, const struct interval *iv, size_t slice)
{
	uint64_t weight = flame_weight(log->r, iv);
	if (weight == NOT_MEASURED) {
		w->unfit = true;
		return CPIDECODE_ECANCELED;
	}
	int rc = find_owner(w, iv);
	if (!rc)
		rc = make_room(log, w, iv, slice);
	if (rc)
		return rc;
	if (iv->end_ticks < w->last_end) {
		w->unfit = true;
		return CPIDECODE_ECANCELED;
	}
	put_record(log, w, iv, weight);
	return put_name(w, iv);
}

static int read_slice(void *ctx, struct pass_slice *slice)
{
	struct flame_log *log = ctx;
	struct flame_writer *w = &log->writers[pass_thread(slice)];
	size_t index = pass_index(slice);
	const struct interval *iv;
	int rc;
	while ((rc = interval_read(w->builder, slice, &iv)) > 0)
		if ((rc = take_interval(log, w, iv, index)))
			break;
	return rc;
}

static bool show_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct report *r = ((struct flame_log *)ctx)->r;
	return r->progress(r->ctx, done, total);
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
		w->start = INT64_MAX;
		w->end = INT64_MIN;
	}
	int rc = 0;
	for (unsigned i = 0; i < log->count && !rc; i++)
		rc = interval_builder_new(log->r->trace, wants, &log->writers[i].builder);
	return rc;
}

int flame_log_write(struct flame_log *log, unsigned wants, struct findings *found)
{
	struct pass pass = {.trace = log->r->trace,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.threads = log->r->threads,
		.read = read_slice,
		.progress = log->r->progress ? show_progress : NULL,
		.ctx = log};
	log->count = pass_threads(&pass);
	int rc = open_writers(log, wants);
	if (!rc)
		rc = pass_run(&pass, found);
	bool unfit = false;
	for (unsigned i = 0; log->writers && i < log->count; i++) {
		end_segment(&log->writers[i]);
		if (!rc)
			rc = name_records(&log->writers[i]);
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
		pages_free(&w->memory);
		free(w->owners);
		free(w->owner_table);
		free(w->segments);
		if (w->fd >= 0)
			close(w->fd);
	}
	free(log->writers);
	log->writers = NULL;
}
