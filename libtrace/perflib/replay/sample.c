/*
 * Samples, assembled from their parts. Threads write theirs at the same time; of each thread one
 * sample at most is incomplete. If one never completes, only its complete countersets are returned,
 * and only if no later sample was.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "definition.h"
#include "fields.h"

/* A counterset of a sample. */
struct part_set {
	struct replay_set *set;
	struct rows rows;
	size_t bytes; /* of rows, as the replay counts them */
	uint64_t rows_said;
	uint32_t status;
	bool broken; /* a part of it is missing, or wrong */
};

struct pending {
	uint32_t file, tid;
	struct sample_time time;
	uint64_t parts, seen;
	uint64_t order; /* 0: incomplete; else its rank among the completed */
	struct part_set *set;
	size_t sets, set_room;
};

/* ------------------------------------------------------------------------ the list */

static void free_part_set(struct replay *r, struct part_set *s)
{
	r->bytes -= s->bytes;
	rows_free(&s->rows);
}

static void sample_drop_pending(struct replay *r, struct pending *p)
{
	for (uint32_t i = 0; i < p->sets; i++)
		free_part_set(r, &p->set[i]);
	free(p->set);
	*p = r->pending[--r->npending];
}

void replay_drop_samples(struct replay *r)
{
	while (r->npending)
		sample_drop_pending(r, &r->pending[0]);
	free(r->pending);
	r->pending = NULL;
}

/* No further part of it comes. */
static void replay_complete_pending(struct replay *r, struct pending *p)
{
	bool whole = p->seen == p->parts;

	if (!whole && r->stepped && p->time.ticks < r->last.ticks)
		sample_drop_pending(r, p);
	else
		p->order = ++r->order;
}

static struct pending *replay_find_oldest(struct replay *r, bool is_complete)
{
	struct pending *found = NULL;

	for (uint32_t i = 0; i < r->npending; i++) {
		struct pending *p = &r->pending[i];

		if ((p->order != 0) != is_complete)
			continue;
		if (!found ||
			(is_complete ? p->order < found->order : p->time.ticks < found->time.ticks))
			found = p;
	}
	return found;
}

void replay_end_samples(struct replay *r)
{
	struct pending *p;

	while ((p = replay_find_oldest(r, false)))
		replay_complete_pending(r, p);
}

/* -------------------------------------------------------------------------- parts */

/* A part's fields before its repeats. */
struct part {
	uint64_t high, low, hash;
	struct sample_time time;
	uint64_t parts, part, status, set_rows, first_row, columns, rows;
};

static void sample_read_head(struct part *p, const struct replay_value *v)
{
	switch (v->field) {
	case FIELD_SET_HIGH:
		p->high = v->u;
		break;
	case FIELD_SET_LOW:
		p->low = v->u;
		break;
	case FIELD_DEFINITION:
		p->hash = v->u;
		break;
	case FIELD_TIME_STAMP:
		p->time.ticks = (int64_t)v->u;
		break;
	case FIELD_FREQUENCY:
		p->time.frequency = (int64_t)v->u;
		break;
	case FIELD_TIME_100NS:
		p->time.time_100ns = (int64_t)v->u;
		break;
	case FIELD_NUM_PARTS:
		p->parts = v->u;
		break;
	case FIELD_PART:
		p->part = v->u;
		break;
	case FIELD_STATUS:
		p->status = v->u;
		break;
	case FIELD_SET_ROWS:
		p->set_rows = v->u;
		break;
	case FIELD_FIRST_ROW:
		p->first_row = v->u;
		break;
	case FIELD_NUM_COLUMNS:
		p->columns = v->u;
		break;
	case FIELD_NUM_ROWS:
		p->rows = v->u;
		break;
	default:
		break;
	}
}

static bool sample_part_is_sane(const struct part *p)
{
	return p->part < p->parts && p->time.frequency > 0 && p->columns <= COUNTERSET_COUNTERS &&
	       p->set_rows <= COUNTERSET_INSTANCES && p->first_row <= p->set_rows &&
	       p->rows <= p->set_rows - p->first_row;
}

static bool same_time(const struct sample_time *a, const struct sample_time *b)
{
	return a->ticks == b->ticks && a->frequency == b->frequency &&
	       a->time_100ns == b->time_100ns;
}

/* The sample that the part is of; a new one if it is the first of one. NULL: no memory. */
static struct pending *sample_of(struct replay *r, const struct part *part)
{
	const cpidecode_hook *h = r->at.hook;
	struct pending *p = NULL;

	for (uint32_t i = 0; i < r->npending && !p; i++)
		if (!r->pending[i].order && r->pending[i].file == h->file &&
			r->pending[i].tid == h->tid)
			p = &r->pending[i];
	if (p && same_time(&p->time, &part->time) && p->parts == part->parts &&
		part->part >= p->seen)
		return p;
	if (p)
		replay_complete_pending(r, p);
	else if (r->npending >= REPLAY_PENDING && (p = replay_find_oldest(r, false)))
		replay_complete_pending(r, p);
	if (!array_reserve(&r->pending, &r->pending_room, r->npending + 1, sizeof *r->pending))
		return NULL;
	p = &r->pending[r->npending++];
	*p = (struct pending){
		.file = h->file, .tid = h->tid, .time = part->time, .parts = part->parts};
	return p;
}

static struct replay_set *wanted_set(const struct replay *r, const struct part *part)
{
	GUID id = guid_of(part->high, part->low);
	struct replay_set *s = replay_find(r, &id);

	return s && s->whole && !s->derived && s->asked && s->hash == part->hash ? s : NULL;
}

/* NULL: no memory. */
static struct part_set *set_of(struct pending *p, struct replay_set *set, const struct part *part)
{
	struct part_set *added;

	for (uint32_t i = 0; i < p->sets; i++)
		if (p->set[i].set == set)
			return &p->set[i];
	if (!array_reserve(&p->set, &p->set_room, p->sets + 1, sizeof *p->set))
		return NULL;
	added = &p->set[p->sets++];
	*added = (struct part_set){.set = set, .rows_said = part->set_rows};
	rows_begin(&added->rows, set->definition.ncounters);
	return added;
}

/* Stores a part's values in rows as they are read. */
struct filling {
	struct replay *r;
	struct part_set *s;
	const struct part *part;
	int16_t column[COUNTERSET_COUNTERS]; /* by the part's own order; -1: unknown */
	uint32_t columns, base;		     /* base: the part's first row */
	uint32_t id;			     /* of the row whose name comes next */
	uint64_t values;
	bool failed; /* no memory */
};

/* Rows of a few instances use as much memory as rows of many. */
static size_t bytes_of(const struct rows *r)
{
	return r->row_room * sizeof *r->row + r->value_room * sizeof *r->value + r->known_room +
	       r->names_room;
}

static void sample_drop_set(struct replay *r, struct part_set *s)
{
	s->broken = true;
	r->bytes -= s->bytes;
	s->bytes = 0;
	rows_free(&s->rows);
}

static void sample_add_row(struct filling *f, const char *name, size_t length, uint32_t id)
{
	struct part_set *s = f->s;
	size_t bytes;

	if (s->broken)
		return;
	if (!rows_add(&s->rows, name, length, id)) {
		f->failed = s->rows.used < COUNTERSET_INSTANCES;
		s->broken = true;
		return;
	}
	bytes = bytes_of(&s->rows);
	f->r->bytes += bytes - s->bytes;
	s->bytes = bytes;
	if (f->r->bytes > REPLAY_BYTES) {
		sample_drop_set(f->r, s); /* more than any program has */
		return;
	}
	/* Unknown values are 0: this becomes known later. */
	memset(s->rows.value + (size_t)(s->rows.used - 1) * s->rows.columns, 0,
		s->rows.columns * sizeof *s->rows.value);
}

/* The position of value `turn` of the part; false: none. */
static bool cell_of(const struct filling *f, uint64_t turn, size_t *cell)
{
	uint64_t row = f->columns ? turn / f->columns : f->part->rows;

	if (row >= f->part->rows || f->base + row >= f->s->rows.used ||
		f->column[turn % f->columns] < 0)
		return false;
	*cell = (size_t)(f->base + row) * f->s->rows.columns + (size_t)f->column[turn % f->columns];
	return true;
}

static void sample_fill_field(struct filling *f, const struct replay_value *v)
{
	struct rows *rows = &f->s->rows;
	size_t cell;

	switch (v->field) {
	case FIELD_COUNTER:
		if (v->turn < f->part->columns) {
			f->column[v->turn] =
				(int16_t)counterset_column(&f->s->set->definition, (uint32_t)v->u);
			f->columns = v->turn + 1;
		}
		break;
	case FIELD_INSTANCE_ID:
		f->id = (uint32_t)v->u;
		break;
	case FIELD_INSTANCE:
		if (v->turn < f->part->rows)
			sample_add_row(f, v->string, v->length, f->id);
		break;
	case FIELD_VALUE:
		if (!f->s->broken && cell_of(f, v->turn, &cell))
			rows->value[cell] = v->u;
		f->values = v->turn + 1;
		break;
	case FIELD_KNOWN:
		for (uint32_t bit = 0; bit < 32 && !f->s->broken; bit++)
			if (v->u >> bit & 1 && 32 * (uint64_t)v->turn + bit < f->values &&
				cell_of(f, 32 * (uint64_t)v->turn + bit, &cell))
				rows->known[cell] = 1;
		break;
	default:
		break;
	}
}

/* A part that contradicts itself leaves its counterset broken. */
static uint32_t sample_read_rows(struct replay *r, struct part_set *s, const struct part *part,
	struct replay_reader *reader, struct replay_value *v)
{
	struct filling f = {.r = r, .s = s, .part = part, .base = s->rows.used};
	bool more = true;

	s->broken |= part->first_row != s->rows.used || s->rows_said != part->set_rows;
	s->status = (uint32_t)part->status;
	for (; more; more = replay_field_next(reader, v))
		sample_fill_field(&f, v);
	s->broken |= f.columns != part->columns || s->rows.used - f.base != part->rows ||
		     f.values != part->rows * part->columns;
	return f.failed ? ERROR_OUTOFMEMORY : ERROR_SUCCESS;
}

uint32_t replay_read_sample(struct replay *r)
{
	struct replay_reader reader = {.it = r->at.it};
	struct part part = {0};
	struct replay_value v;
	struct replay_set *set;
	struct part_set *s;
	struct pending *p;
	uint32_t status = ERROR_SUCCESS;
	bool more;

	while ((more = replay_field_next(&reader, &v)) && v.field < FIELD_ID)
		sample_read_head(&part, &v);
	if (!sample_part_is_sane(&part))
		return ERROR_SUCCESS;
	p = sample_of(r, &part);
	if (!p)
		return ERROR_OUTOFMEMORY;
	set = wanted_set(r, &part);
	if (set) {
		s = set_of(p, set, &part);
		if (!s)
			return ERROR_OUTOFMEMORY;
		if (!more)
			v.field = FIELD_OTHER;
		status = sample_read_rows(r, s, &part, &reader, &v);
	}
	/* Whose the parts in between were does not matter. */
	p->seen = part.part + 1;
	if (p->seen == p->parts)
		replay_complete_pending(r, p);
	return status;
}

/* -------------------------------------------------------------------------- ready */

static bool is_whole(const struct part_set *s)
{
	return !s->broken && s->rows.used == s->rows_said;
}

/* The rows are swapped, so that nothing is copied. */
static bool sample_swap_rows(struct replay *r, struct pending *p)
{
	bool any = false;

	for (uint32_t i = 0; i < p->sets; i++)
		any |= p->set[i].set->asked && is_whole(&p->set[i]);
	if (!any)
		return false;
	for (uint32_t i = 0; i < p->sets; i++) {
		struct part_set *from = &p->set[i];
		struct replay_set *to = from->set;
		struct rows rows = to->rows;

		r->bytes -= from->bytes;
		from->bytes = 0;
		to->status = is_whole(from) ? from->status : ERROR_INVALID_DATA;
		to->rows = from->rows;
		rows.used = 0;
		from->rows = rows;
	}
	return true;
}

bool replay_ready_sample(struct replay *r, struct sample_time *time)
{
	struct pending *p;
	bool ready = false;

	while (!ready && (p = replay_find_oldest(r, true))) {
		*time = p->time;
		ready = sample_swap_rows(r, p);
		sample_drop_pending(r, p);
	}
	return ready;
}
