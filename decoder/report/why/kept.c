#include "kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/interval_hooks.h"
#include "../../../formats/trace_file.h"
#include "../../base/grow.h"
#include "../../base/sorter/sorter.h"
#include "../../model/intervals/elapsed.h"
#include "../../model/intervals/intervals.h"
#include "../partial/machine_ids.h"
#include "../query/selection_walk.h"
#include "../tallies.h"
#include "kept_rows.h"
#include "parents.h"

#define KEPT_BUDGET ((size_t)16 << 20)

/* Values of a row of up to this many bytes stay in its record. */
enum { KEPT_INSIDE = 2048 };

/* ------------------------------------------------------------------------ joining */

/* A row, while it is sorted: by machine and start, longer first, then by its contents. */
struct kept_record {
	struct sorter_record sort;
	uint64_t number; /* from 0 */
	struct kept_row row;
	uint64_t at; /* where the sorter stores the values, if they do not follow */
	uint8_t values[];
};

static int kept_compare_u64s(const uint64_t *a, const uint64_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int kept_compare_records(const struct sorter_record *x, const struct sorter_record *y)
{
	const struct kept_record *r = (const void *)x, *s = (const void *)y;
	const struct kept_row *a = &r->row, *b = &s->row;
	const uint64_t of_a[] = {~a->end, a->elapsed, (uint64_t)a->start_ns, a->clock, a->name,
		a->parent, a->tid, a->ring, a->task, a->user_only, a->off_ns, a->instructions,
		a->cycles, a->nvalues, a->values_bytes};
	const uint64_t of_b[] = {~b->end, b->elapsed, (uint64_t)b->start_ns, b->clock, b->name,
		b->parent, b->tid, b->ring, b->task, b->user_only, b->off_ns, b->instructions,
		b->cycles, b->nvalues, b->values_bytes};
	int c = kept_compare_u64s(of_a, of_b, sizeof of_a / sizeof *of_a);

	if (!c && a->values_bytes && a->values_bytes <= KEPT_INSIDE)
		c = memcmp(r->values, s->values, a->values_bytes);
	return c ? c : compare_u64(r->number, s->number);
}

struct kept_join {
	struct tally tables[WHY_TABLES];
	struct tally_group **sorted[WHY_TABLES];
	uint32_t *machines; /* by clock */
	struct kept_head head;
	struct sorter *sorter;
	struct buffer values; /* of the row at hand */
};

/* A part, whose numbers are those of its own tables. */
struct kept_part {
	struct varint_in in;
	struct kept_head head;
	struct tally_group **groups[WHY_TABLES];
	size_t counts[WHY_TABLES];
};

static int kept_compare_groups(const void *x, const void *y)
{
	return tally_compare_names(
		*(const struct tally_group *const *)x, *(const struct tally_group *const *)y);
}

/* Numbers all names in their order, and the clocks' machines. */
static int kept_sort_tables(struct kept_join *j)
{
	for (enum why_table t = 0; t < WHY_TABLES; t++) {
		const size_t n = j->tables[t].count;

		j->sorted[t] = calloc(n + 1, sizeof *j->sorted[t]);
		if (!j->sorted[t])
			return CPIDECODE_ENOMEM;
		if (n) {
			memcpy(j->sorted[t], j->tables[t].groups, n * sizeof *j->sorted[t]);
			qsort(j->sorted[t], n, sizeof *j->sorted[t], kept_compare_groups);
		}
		for (size_t i = 0; i < n; i++)
			j->sorted[t][i]->index = (uint32_t)i;
	}
	const size_t clocks = j->tables[WHY_CLOCKS].count;
	j->machines = calloc(clocks + 1, sizeof *j->machines);
	if (!j->machines)
		return CPIDECODE_ENOMEM;
	for (size_t i = 1; i < clocks; i++)
		j->machines[i] = j->machines[i - 1] + (memcmp(j->sorted[WHY_CLOCKS][i]->label,
							       j->sorted[WHY_CLOCKS][i - 1]->label,
							       MACHINE_ID_BYTES) != 0);
	return 0;
}

static int kept_renumber_values(
	struct kept_join *j, const struct kept_part *p, const struct kept_row *row)
{
	struct varint_in in = {row->values, row->values + row->values_bytes, NULL};
	struct interval_value v;
	const char *text = "";
	int rc = 0;

	j->values.n = 0;
	for (uint32_t i = 0; i < row->nvalues && !rc; i++) {
		rc = kept_get_value(&in, p->counts[WHY_TEXTS], &v, &text);
		if (!rc)
			kept_put_value(&j->values, p->groups[WHY_TEXTS][v.name]->index, &v, text);
	}
	return !rc && j->values.failed ? CPIDECODE_ENOMEM : rc;
}

static int kept_add_row(struct kept_join *j, const struct kept_part *p, struct kept_row row)
{
	struct sorter_record *reserved;
	int rc = kept_renumber_values(j, p, &row);

	if (!rc)
		rc = sorter_reserve(j->sorter, 0, &reserved);
	if (rc)
		return rc;
	struct kept_record *r = (void *)reserved;
	const bool is_inside = j->values.n <= KEPT_INSIDE;
	row.clock = p->groups[WHY_CLOCKS][row.clock]->index;
	row.name = p->groups[WHY_NAMES][row.name]->index;
	if (row.parent)
		row.parent = p->groups[WHY_NAMES][row.parent - 1]->index + 1;
	if (row.task)
		row.task = p->groups[WHY_TASKS][row.task - 1]->index + 1;
	row.values = NULL;
	row.values_bytes = (uint32_t)j->values.n;
	const size_t size = sizeof *r + (is_inside ? j->values.n : 0);
	*r = (struct kept_record){.sort = {.key = row.start,
					  .group = j->machines[row.clock],
					  .size = (uint16_t)((size + 7) & ~(size_t)7)},
		.number = j->head.count++,
		.row = row};
	if (is_inside && j->values.n)
		memcpy(r->values, j->values.p, j->values.n);
	else if (!is_inside)
		rc = sorter_store(j->sorter, j->values.p, j->values.n, &r->at);
	if (!rc)
		sorter_add(j->sorter, 0);
	return rc;
}

static int kept_add_part(struct kept_join *j, struct kept_part *p)
{
	struct kept_before before = {0};
	struct kept_row row;
	int rc = 0;

	for (uint64_t i = 0; i < p->head.count && !rc; i++) {
		rc = kept_get_row(&p->in, &before, p->counts, &row);
		if (!rc)
			rc = kept_add_row(j, p, row);
	}
	return !rc && p->in.p != p->in.end ? CPIDECODE_EINVAL : rc;
}

static void kept_join_head(struct kept_join *j, const struct kept_head *head)
{
	j->head.seen |= head->seen;
	if (!head->has_span)
		return;
	if (!j->head.has_span || head->first_ns < j->head.first_ns)
		j->head.first_ns = head->first_ns;
	if (!j->head.has_span || head->last_ns > j->head.last_ns)
		j->head.last_ns = head->last_ns;
	j->head.has_span = true;
}

static int kept_write(struct kept_join *j, struct buffer *o)
{
	struct tally_group *const *sorted[WHY_TABLES];
	size_t counts[WHY_TABLES];
	struct kept_before before = {0};
	const struct sorter_record *next;
	int rc = sorter_rewind(j->sorter);

	for (enum why_table t = 0; t < WHY_TABLES; t++) {
		sorted[t] = j->sorted[t];
		counts[t] = j->tables[t].count;
	}
	kept_put_tables(o, &j->head, sorted, counts);
	j->values.n = 0;
	while (!rc && (rc = sorter_next(j->sorter, &next)) > 0) {
		const struct kept_record *r = (const void *)next;
		struct kept_row row = r->row;

		rc = 0;
		row.values = r->values;
		if (row.values_bytes > KEPT_INSIDE) {
			if (!buffer_reserve(&j->values, row.values_bytes))
				return CPIDECODE_ENOMEM;
			rc = sorter_load(j->sorter, j->values.p, row.values_bytes, r->at);
			row.values = j->values.p;
		}
		if (!rc)
			kept_put_row(o, &before, &row);
	}
	return !rc && o->failed ? CPIDECODE_ENOMEM : rc;
}

static int kept_join_parts(struct kept_join *j, struct kept_part *parts, size_t n)
{
	const struct sorter_options how = {.threads = 1,
		.budget = KEPT_BUDGET,
		.largest = sizeof(struct kept_record) + KEPT_INSIDE + 8,
		.compare = kept_compare_records};
	int rc = sorter_new(&how, &j->sorter);

	for (size_t i = 0; i < n && !rc; i++) {
		rc = kept_get_tables(
			&parts[i].in, &parts[i].head, j->tables, parts[i].groups, parts[i].counts);
		if (!rc)
			kept_join_head(j, &parts[i].head);
	}
	if (!rc)
		rc = kept_sort_tables(j);
	for (size_t i = 0; i < n && !rc; i++)
		rc = kept_add_part(j, &parts[i]);
	return rc;
}

/* Joins n parts, with `in` set alone, into one answer. */
static int kept_join(struct kept_part *parts, size_t n, struct buffer *o)
{
	struct kept_join j = {.head.count = 0};
	int rc = kept_join_parts(&j, parts, n);

	if (!rc)
		rc = kept_write(&j, o);
	int error = rc == CPIDECODE_ESPOOL ? sorter_error(j.sorter) : errno;
	for (enum why_table t = 0; t < WHY_TABLES; t++) {
		for (size_t i = 0; i < n; i++)
			free(parts[i].groups[t]);
		free(j.sorted[t]);
		tally_free(&j.tables[t]);
	}
	free(j.machines);
	free(j.values.p);
	sorter_free(j.sorter);
	errno = error;
	return rc;
}

int why_kept_settle(struct partial *p)
{
	struct varint_in all = {p->answers.bytes.p, p->answers.bytes.p + p->answers.bytes.n, NULL};
	struct kept_part *parts = calloc(p->answers.count, sizeof *parts);
	struct buffer o = {0};
	int rc = 0;

	if (!parts)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < p->answers.count && !rc; i++) {
		uint32_t length;
		const uint8_t *bytes = varint_get_string(&all, &length);

		parts[i].in = (struct varint_in){bytes, bytes ? bytes + length : NULL, NULL};
		rc = bytes ? 0 : CPIDECODE_EINVAL;
	}
	if (!rc)
		rc = kept_join(parts, p->answers.count, &o);
	free(parts);
	if (!rc) {
		partial_clear_answers(p);
		rc = partial_add_answer(p, PARTIAL_WHY, o.p, o.n);
	}
	free(o.p);
	return rc;
}

/* ------------------------------------------------------------------------ reading a trace */

struct kept_reading {
	struct report *r;
	struct tally tables[WHY_TABLES];
	struct why_parents parents;
	uint8_t (*machines)[MACHINE_ID_BYTES];
	struct kept_head head;
	struct kept_before before;
	struct buffer rows, values;
};

static struct tally_group *kept_number_clock(struct kept_reading *k, const struct interval *iv)
{
	const struct trace_file *f = trace_file(k->r->trace, iv->file);
	uint64_t rate = f->clock->rate;
	uint8_t clock[WHY_CLOCK_BYTES];

	memcpy(clock, k->machines[iv->machine], MACHINE_ID_BYTES);
	for (unsigned i = MACHINE_ID_BYTES + 8; i-- > MACHINE_ID_BYTES; rate >>= 8)
		clock[i] = (uint8_t)rate;
	clock[WHY_CLOCK_BYTES - 1] = why_knows_rate(f);
	return kept_number_text(&k->tables[WHY_CLOCKS], clock, sizeof clock);
}

/* The values that a why report needs. */
static bool kept_asks_value(const struct interval_value *v)
{
	return v->kind == VALUE_EVENT ? v->type == INTERVAL_ARG_U64 : v->is_whole && v->type;
}

static int kept_read_values(struct kept_reading *k, const struct interval *iv, struct kept_row *row)
{
	unsigned left = INTERVAL_EVENTS_MAX;

	k->values.n = 0;
	for (uint32_t i = 0; i < iv->num_values; i++) {
		const struct interval_value *v = &iv->values[i];

		if ((v->kind == VALUE_EVENT && !left) || !kept_asks_value(v))
			continue;
		left -= v->kind == VALUE_EVENT;
		const struct trace_text name = trace_text_at(k->r->trace, v->name);
		const struct tally_group *g =
			kept_number_text(&k->tables[WHY_TEXTS], name.at, name.length);
		if (!g)
			return CPIDECODE_ENOMEM;
		kept_put_value(&k->values, g->index, v,
			v->type == INTERVAL_ARG_TEXT ? iv->value_texts + v->at : NULL);
		row->nvalues++;
	}
	row->values = k->values.p;
	row->values_bytes = (uint32_t)k->values.n;
	return k->values.failed ? CPIDECODE_ENOMEM : 0;
}

static int kept_add_interval(
	struct kept_reading *k, const struct interval *iv, const struct tally_group *around)
{
	struct tally *tables = k->tables;
	const char *task = iv->task ? iv->task->name : "";
	const struct tally_group *clock = kept_number_clock(k, iv),
				 *name = kept_number_name(&tables[WHY_NAMES], iv->has_label,
					 iv->label, iv->label_len, iv->major, iv->mm),
				 *parent = around ? kept_number_name(&tables[WHY_NAMES],
							    around->has_label, around->label,
							    around->label_len, around->major,
							    around->mm)
						  : NULL,
				 *named = *task ? kept_number_text(&tables[WHY_TASKS], task,
							  (uint32_t)strlen(task))
						: NULL;
	struct kept_row row = {.start = iv->start_ticks,
		.end = iv->end_ticks,
		.start_ns = iv->start_ns,
		.elapsed = iv->elapsed,
		.off_ns = iv->off_cpu_ns,
		.instructions = iv->thread_instructions,
		.cycles = iv->thread_cycles,
		.tid = iv->tid,
		.ring = iv->ring,
		.user_only = (iv->flags & IV_USER_ONLY) != 0};

	if (!clock || !name || (around && !parent) || (*task && !named))
		return CPIDECODE_ENOMEM;
	row.clock = clock->index;
	row.name = name->index;
	row.parent = parent ? parent->index + 1 : 0;
	row.task = named ? named->index + 1 : 0;
	int rc = kept_read_values(k, iv, &row);
	if (rc)
		return rc;
	kept_put_row(&k->rows, &k->before, &row);
	k->head.count++;
	return k->rows.failed ? CPIDECODE_ENOMEM : 0;
}

static int kept_walk(struct kept_reading *k, struct selection_walk *walk)
{
	const struct interval *iv;
	bool selected;
	int rc;

	while ((rc = selection_walk_next(walk, &iv, &selected)) > 0) {
		const struct tally_group *around;

		rc = why_parents_add(&k->parents, iv, &around);
		if (!rc && selected && !(iv->flags & IV_OPEN) && tallies_is_in_slice(k->r, iv))
			rc = kept_add_interval(k, iv, around);
		if (rc)
			return rc;
	}
	return rc;
}

/* The tables and rows as they were found, for kept_join. */
static int kept_spell(struct kept_reading *k, struct buffer *o)
{
	struct tally_group *const *sorted[WHY_TABLES];
	size_t counts[WHY_TABLES];

	for (enum why_table t = 0; t < WHY_TABLES; t++) {
		sorted[t] = k->tables[t].groups;
		counts[t] = k->tables[t].count;
	}
	kept_put_tables(o, &k->head, sorted, counts);
	buffer_add(o, k->rows.p, k->rows.n);
	free(k->rows.p);
	k->rows = (struct buffer){0};
	return o->failed ? CPIDECODE_ENOMEM : 0;
}

int why_kept_read(struct report *r, struct partial *p, uint32_t seen)
{
	struct kept_reading k = {.r = r, .head.seen = seen};
	struct selection_walk walk = {0};
	struct buffer found = {0}, joined = {0};
	struct kept_part part = {.head.count = 0};

	k.machines = machine_ids_make(r->trace);
	k.head.has_span = trace_span(r->trace, &k.head.first_ns, &k.head.last_ns);
	int rc = k.machines ? selection_walk_open(
				      &walk, r, WANT_VALUES | WANT_THREAD | WANT_QUALITY, NULL)
			    : CPIDECODE_ENOMEM;
	if (!rc)
		rc = kept_walk(&k, &walk);
	selection_walk_close(&walk);
	if (!rc)
		rc = kept_spell(&k, &found);
	if (!rc) {
		part.in = (struct varint_in){found.p, found.p + found.n, NULL};
		rc = kept_join(&part, 1, &joined);
	}
	free(found.p);
	if (!rc)
		rc = partial_add_answer(p, PARTIAL_WHY, joined.p, joined.n);
	int error = errno;
	free(joined.p);
	free(k.rows.p);
	free(k.values.p);
	free(k.machines);
	why_parents_free(&k.parents);
	for (enum why_table t = 0; t < WHY_TABLES; t++)
		tally_free(&k.tables[t]);
	errno = error;
	return rc;
}

/* ------------------------------------------------------------------------ reading a result */

/* The clocks as files, whose machines have numbers in the order of ids. */
static int kept_make_files(struct why_kept *k)
{
	const struct tally *t = &k->tables[WHY_CLOCKS];

	k->files = calloc(t->count + 1, sizeof *k->files);
	k->clocks = calloc(t->count + 1, sizeof *k->clocks);
	if (!k->files || !k->clocks)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < t->count; i++) {
		const uint8_t *clock = (const uint8_t *)t->groups[i]->label;

		for (unsigned b = MACHINE_ID_BYTES; b < WHY_CLOCK_BYTES - 1; b++)
			k->clocks[i].rate = k->clocks[i].rate << 8 | clock[b];
		k->files[i] = (struct trace_file){.index = (uint32_t)i, .clock = &k->clocks[i]};
		k->files[i].header.damaged = !clock[WHY_CLOCK_BYTES - 1];
		k->files[i].header.clock = TF_CLOCK_TSC;
		if (i)
			k->files[i].machine =
				k->files[i - 1].machine +
				(memcmp(clock, t->groups[i - 1]->label, MACHINE_ID_BYTES) != 0);
	}
	return 0;
}

static int kept_make_tasks(struct why_kept *k)
{
	const struct tally *t = &k->tables[WHY_TASKS];

	k->tasks = calloc(t->count + 1, sizeof *k->tasks);
	if (!k->tasks)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < t->count; i++)
		memcpy(k->tasks[i].name, t->groups[i]->label, t->groups[i]->label_len);
	return 0;
}

int why_kept_open(struct why_kept *k, const struct partial *p)
{
	struct varint_in all = {p->answers.bytes.p, p->answers.bytes.p + p->answers.bytes.n, NULL};
	struct tally_group **groups[WHY_TABLES] = {NULL};
	size_t counts[WHY_TABLES] = {0};
	struct kept_head head;
	uint32_t length;
	const uint8_t *bytes = p->answers.count == 1 ? varint_get_string(&all, &length) : NULL;

	if (!bytes)
		return CPIDECODE_EINVAL;
	struct varint_in in = {bytes, bytes + length, NULL};
	int rc = kept_get_tables(&in, &head, k->tables, groups, counts);
	for (enum why_table t = 0; t < WHY_TABLES; t++) {
		free(groups[t]);
		/* Numbers are those of the table only if no entry is there twice. */
		if (!rc && counts[t] != k->tables[t].count)
			rc = CPIDECODE_EINVAL;
	}
	if (rc)
		return rc;
	k->seen = head.seen;
	k->has_span = head.has_span;
	k->first_ns = head.first_ns;
	k->last_ns = head.last_ns;
	k->count = head.count;
	k->rows = in.p;
	k->end = in.end;
	rc = kept_make_files(k);
	return rc ? rc : kept_make_tasks(k);
}

/* Sets the values of the row; *room: of `values`. */
static int kept_set_values(const struct why_kept *k, struct interval *iv,
	struct interval_value **values, size_t *room, const struct kept_row *row)
{
	struct varint_in in = {row->values, row->values + row->values_bytes, NULL};
	const char *text = NULL;
	int rc = 0;

	if (!array_reserve(values, room, row->nvalues + 1, sizeof **values))
		return CPIDECODE_ENOMEM;
	for (uint32_t i = 0; i < row->nvalues && !rc; i++) {
		struct interval_value *v = &(*values)[i];

		rc = kept_get_value(&in, k->tables[WHY_TEXTS].count, v, &text);
		if (!rc && v->type == INTERVAL_ARG_TEXT)
			v->at = (uint64_t)(text - (const char *)k->rows);
	}
	iv->values = *values;
	iv->value_texts = (const char *)k->rows;
	iv->num_values = row->nvalues;
	return rc;
}

static struct interval kept_make_interval(const struct why_kept *k, const struct kept_row *row)
{
	const struct tally_group *name = k->tables[WHY_NAMES].groups[row->name];
	const struct trace_file *f = &k->files[row->clock];
	struct interval iv = interval_blank;

	iv.file = row->clock;
	iv.machine = f->machine;
	iv.start_ticks = row->start;
	iv.end_ticks = row->end;
	iv.start_ns = row->start_ns;
	iv.elapsed = row->elapsed;
	elapsed_set_ns(&iv, f);
	iv.tid = row->tid;
	iv.ring = row->ring;
	iv.task = row->task ? &k->tasks[row->task - 1] : NULL;
	iv.has_label = name->has_label;
	iv.label = name->label;
	iv.label_len = name->label_len;
	iv.mm = name->mm;
	iv.major = name->major;
	iv.flags = row->user_only ? IV_USER_ONLY : 0;
	iv.off_cpu_ns = row->off_ns;
	iv.thread_instructions = row->instructions;
	iv.thread_cycles = row->cycles;
	return iv;
}

int why_kept_each(const struct why_kept *k, why_kept_fn *fn, void *ctx)
{
	const size_t counts[WHY_TABLES] = {k->tables[WHY_CLOCKS].count, k->tables[WHY_NAMES].count,
		k->tables[WHY_TEXTS].count, k->tables[WHY_TASKS].count};
	struct varint_in in = {k->rows, k->end, NULL};
	struct kept_before before = {0};
	struct interval_value *values = NULL;
	struct kept_row row;
	size_t room = 0;
	int rc = 0;

	for (uint64_t i = 0; i < k->count && !rc; i++) {
		rc = kept_get_row(&in, &before, counts, &row);
		if (rc)
			break;
		struct interval iv = kept_make_interval(k, &row);
		rc = kept_set_values(k, &iv, &values, &room, &row);
		if (!rc)
			rc = fn(ctx, &iv, row.parent);
	}
	free(values);
	return !rc && in.p != in.end ? CPIDECODE_EINVAL : rc;
}

void why_kept_free(struct why_kept *k)
{
	for (enum why_table t = 0; t < WHY_TABLES; t++)
		tally_free(&k->tables[t]);
	free(k->files);
	free(k->clocks);
	free(k->tasks);
}
