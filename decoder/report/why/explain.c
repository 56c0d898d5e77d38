#include "explain.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/hash.h"
#include "../../../formats/interval_hooks.h"
#include "../../base/grow.h"
#include "../../model/intervals/elapsed.h"
#include "../../sink/escapes.h"
#include "../query/selection_walk.h"
#include "../values/columns.h"
#include "parents.h"

/* Properties that intervals share. */
struct why_key {
	uint64_t value; /* by kind: a place, a number, bits of a real, an interned text */
	uint32_t group, name;
	uint8_t by, type; /* enum why_by; of an argument its enum interval_arg_type */
	bool is_limit;	  /* counts the values of the kind and name */
};

struct why_cell {
	struct why_key key;
	uint64_t count, tail;
	exact_sum time, tail_time; /* in 1/EXACT_PER_NS ns */
	const struct task *task;
	uint64_t last;	 /* interval of the group that was counted, from 1 */
	uint32_t length; /* of a text */
	uint32_t explanation;
};

enum { WHY_NO_EXPLANATION = UINT32_MAX };

/* A group's intervals in the walk, and the values that are tested. */
struct why_total {
	uint64_t count, tail, tested;
	exact_sum time;
	size_t nexplanations;
};

struct why_explaining {
	struct report *r;
	const struct why_kept *kept; /* NULL: of r->trace */
	const struct why_group *groups;
	const struct tally *tally;
	struct why_explanations *found;
	size_t room; /* of found */
	struct why_total *totals;
	struct why_cell *cells;
	size_t count, cells_room;
	struct hash_index by_key;
	struct why_parents parents;
	int64_t first_ns;
	uint64_t part_ns; /* of the trace's time */
	bool is_second;	  /* the walk that collects the explanations' times */
};

/* ------------------------------------------------------------------------ chance */

static double why_log_choose(uint64_t n, uint64_t k)
{
	int sign;

	return lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) -
	       lgamma_r((double)(n - k) + 1, &sign);
}

double why_chance(uint64_t all, uint64_t tail, uint64_t n, uint64_t k)
{
	const uint64_t most = n < tail ? n : tail;
	const double whole = why_log_choose(all, tail);
	double sum = 0;

	/* With fewer of the tail than so, there would not be room for the others. */
	if (n > all - tail && k <= n - (all - tail))
		return 1;
	for (uint64_t i = k; i <= most; i++) {
		double term = exp(why_log_choose(n, i) + why_log_choose(all - n, tail - i) - whole);

		sum += term;
		if (term < sum * 0x1p-40 && (double)i > (double)n * (double)tail / (double)all)
			break;
	}
	return sum < 1 ? sum : 1;
}

/* ------------------------------------------------------------------------ cells */

static uint64_t why_hash_key(const struct why_key *k)
{
	const uint64_t kind = (uint64_t)(k->by * 2 + k->is_limit) << 8 | (uint8_t)k->type;
	const uint64_t names = (uint64_t)k->group << 32 | k->name;

	return hash_add_u64(hash_add_u64(hash_u64(k->value), names), kind);
}

static bool why_is_key(const struct why_key *a, const struct why_key *b)
{
	return a->value == b->value && a->group == b->group && a->name == b->name &&
	       a->by == b->by && a->type == b->type && a->is_limit == b->is_limit;
}

static struct why_cell *why_find_cell(const struct why_explaining *x, const struct why_key *k)
{
	uint64_t hash = why_hash_key(k);

	for (uint32_t at; (at = hash_index_next(&x->by_key, &hash));)
		if (why_is_key(&x->cells[at - 1].key, k))
			return &x->cells[at - 1];
	return NULL;
}

/* NULL: no memory. */
static struct why_cell *why_add_cell(struct why_explaining *x, const struct why_key *k)
{
	size_t i;

	if (x->count >= UINT32_MAX - 1 ||
		array_grow(&x->cells, x->count, &x->cells_room, sizeof *x->cells) ||
		!hash_index_grow(&x->by_key, x->count + 1, &i))
		return NULL;
	x->cells[x->count++] = (struct why_cell){.key = *k, .explanation = WHY_NO_EXPLANATION};
	for (; i < x->count; i++)
		hash_index_add(&x->by_key, why_hash_key(&x->cells[i].key), (uint32_t)i);
	return &x->cells[x->count - 1];
}

static struct why_key why_limit_key(const struct why_key *k)
{
	return (struct why_key){.group = k->group, .name = k->name, .by = k->by, .is_limit = true};
}

/*
 * The cell of a value; *cell NULL: there are too many values to distinguish. Values come in
 * the order of the walk, so that the first ones are always the same. 0 or CPIDECODE_ENOMEM.
 */
static int why_need_cell(struct why_explaining *x, const struct why_key *k, struct why_cell **cell)
{
	const struct why_key limit_key = why_limit_key(k);
	const uint64_t most = k->by == WHY_BY_ARGUMENT ? WHY_ARGUMENTS : WHY_VALUES;

	*cell = why_find_cell(x, k);
	if (*cell)
		return 0;
	struct why_cell *limit = why_find_cell(x, &limit_key);
	if (!limit)
		limit = why_add_cell(x, &limit_key);
	if (!limit)
		return CPIDECODE_ENOMEM;
	if (limit->count++ >= most)
		return 0;
	*cell = why_add_cell(x, k);
	return *cell ? 0 : CPIDECODE_ENOMEM;
}

/* Whether an argument has more values than are distinguished: then ranges replace them. */
static bool why_has_too_many(const struct why_explaining *x, const struct why_key *k)
{
	struct why_key key = *k;

	key.by = WHY_BY_ARGUMENT;
	key = why_limit_key(&key);
	const struct why_cell *limit = why_find_cell(x, &key);
	return limit && limit->count > WHY_ARGUMENTS;
}

/* ------------------------------------------------------------------------ the walks */

struct why_seen {
	const struct interval *iv;
	uint32_t group;
	bool is_tail;
	uint32_t explanations[WHY_EXPLANATIONS]; /* of the second walk */
	size_t count;
};

/* Once, though a partial result may give an interval an argument again and again. */
static void why_see_explanation(struct why_seen *seen, uint32_t explanation)
{
	for (size_t i = 0; i < seen->count; i++)
		if (seen->explanations[i] == explanation)
			return;
	seen->explanations[seen->count++] = explanation;
}

static int why_see_value(
	struct why_explaining *x, struct why_seen *seen, const struct why_key *key, uint32_t length)
{
	const uint64_t number = x->totals[seen->group].count;
	struct why_cell *cell;

	if (x->is_second) {
		cell = why_find_cell(x, key);
		if (cell && cell->explanation != WHY_NO_EXPLANATION)
			why_see_explanation(seen, cell->explanation);
		return 0;
	}
	int rc = why_need_cell(x, key, &cell);
	if (rc || !cell || cell->last == number)
		return rc;
	cell->last = number;
	const exact_sum time = elapsed_exact(seen->iv);
	cell->task = seen->iv->task;
	cell->length = length;
	cell->count++;
	exact_add(&cell->time, time);
	if (!seen->is_tail)
		return 0;
	cell->tail++;
	exact_add(&cell->tail_time, time);
	return 0;
}

/* The doubling of a number, so that numbers of one sign are in order. */
static bool why_find_range(const struct interval_value *v, uint64_t *range)
{
	const bool is_negative = v->type == INTERVAL_ARG_I64 && v->i < 0;
	const uint64_t size = is_negative ? 0 - v->u : v->u;

	if (v->type != INTERVAL_ARG_U64 && v->type != INTERVAL_ARG_I64)
		return false;
	*range = (size ? 64 - (unsigned)__builtin_clzll(size) : 0) | (is_negative ? 1u << 7 : 0);
	return true;
}

static int why_see_argument(
	struct why_explaining *x, struct why_seen *seen, const struct interval_value *v)
{
	struct why_key key = {.group = seen->group,
		.name = v->name,
		.by = WHY_BY_ARGUMENT,
		.type = v->type,
		.value = v->u};
	uint64_t range;

	if (v->type == INTERVAL_ARG_TEXT) {
		const char *text;

		if (why_has_too_many(x, &key))
			return 0;
		text = intern_bytes(&x->found->memory, seen->iv->value_texts + v->at, v->length);
		if (!text)
			return CPIDECODE_ENOMEM;
		key.value = (uint64_t)(uintptr_t)text;
	}
	int rc = why_see_value(x, seen, &key, v->length);
	if (rc || !why_find_range(v, &range))
		return rc;
	key.by = WHY_BY_RANGE;
	key.value = range;
	return why_see_value(x, seen, &key, 0);
}

static int why_see_interval(struct why_explaining *x, struct why_seen *seen, uint32_t parent)
{
	const struct interval *iv = seen->iv;
	struct why_key key = {.group = seen->group, .by = WHY_BY_PARENT, .value = parent};
	int rc = why_see_value(x, seen, &key, 0);

	key.by = WHY_BY_THREAD;
	key.value = (uint64_t)iv->machine << 32 | iv->tid;
	if (!rc)
		rc = why_see_value(x, seen, &key, 0);
	key.by = WHY_BY_PROCESSOR;
	key.value = (uint64_t)iv->machine << 32 | iv->ring;
	if (!rc && !(iv->ring & TF_GUEST_RING))
		rc = why_see_value(x, seen, &key, 0);
	key.by = WHY_BY_TIME;
	key.value = iv->start_ns > x->first_ns
			    ? ((uint64_t)iv->start_ns - (uint64_t)x->first_ns) / x->part_ns
			    : 0;
	if (key.value >= WHY_TIMES)
		key.value = WHY_TIMES - 1;
	if (!rc)
		rc = why_see_value(x, seen, &key, 0);
	for (uint32_t i = 0; i < iv->num_values && !rc; i++)
		if (iv->values[i].kind == VALUE_ARGUMENT && iv->values[i].is_whole)
			rc = why_see_argument(x, seen, &iv->values[i]);
	return rc;
}

/* Adds the time to the explanations of the group, in the second walk. */
static int why_add_times(struct why_explaining *x, const struct why_seen *seen)
{
	const uint64_t ns = elapsed_whole_ns(seen->iv);
	int rc = 0;

	for (size_t i = 0; i < x->found->count && !rc; i++) {
		struct why_explanation *e = &x->found->at[i];
		bool has = false;

		if (e->group != seen->group)
			continue;
		for (size_t k = 0; k < seen->count; k++)
			has |= seen->explanations[k] == i;
		rc = histogram_add(&e->times[!has], ns);
	}
	return rc;
}

/* A selected interval: whether its group has enough of them to be tested. */
static int why_visit_interval(struct why_explaining *x, const struct interval *iv, uint32_t parent)
{
	const struct tally_group *g =
		tally_find(x->tally, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);
	struct why_seen seen = {.iv = iv};

	if (!g || x->groups[g->index].sums[WHY_TAIL].count < WHY_LEAST_TAIL)
		return 0;
	const uint64_t ns = elapsed_whole_ns(iv);
	struct why_total *total = &x->totals[g->index];
	seen.group = g->index;
	seen.is_tail =
		ns >= x->groups[g->index].from[WHY_TAIL] && ns <= x->groups[g->index].to[WHY_TAIL];
	if (x->is_second && !total->nexplanations)
		return 0;
	if (!x->is_second) {
		total->count++;
		total->tail += seen.is_tail;
		exact_add(&total->time, elapsed_exact(iv));
	}
	int rc = why_see_interval(x, &seen, parent);
	return rc || !x->is_second ? rc : why_add_times(x, &seen);
}

static int why_walk(struct why_explaining *x, struct selection_walk *walk)
{
	const struct interval *iv;
	bool selected;
	int rc;

	while ((rc = selection_walk_next(walk, &iv, &selected)) > 0) {
		const struct tally_group *around;

		rc = why_parents_add(&x->parents, iv, &around);
		if (!rc && selected && !(iv->flags & IV_OPEN) && tallies_is_in_slice(x->r, iv))
			rc = why_visit_interval(x, iv, around ? around->index + 1 : 0);
		if (rc)
			return rc;
	}
	why_parents_end(&x->parents);
	return rc;
}

static int why_visit_kept(void *ctx, const struct interval *iv, uint32_t parent)
{
	return why_visit_interval(ctx, iv, parent);
}

/* ------------------------------------------------------------------------ the test */

/* Whether it is one of those that may be an explanation: not the values that ranges replace. */
static bool why_is_tested(const struct why_explaining *x, const struct why_cell *c)
{
	if (c->key.is_limit || c->tail < WHY_LEAST_TAIL ||
		c->count == x->totals[c->key.group].count)
		return false;
	if (c->key.by == WHY_BY_ARGUMENT)
		return !why_has_too_many(x, &c->key);
	return c->key.by != WHY_BY_RANGE || why_has_too_many(x, &c->key);
}

static double why_excess_share(const struct why_cell *c, const struct why_answer *a, uint64_t tail)
{
	const double middle = (double)a->mean[WHY_MIDDLE] / WHY_PER_NS;
	const double excess = (double)c->tail_time / EXACT_PER_NS - (double)c->tail * middle;

	return 100 * excess / ((double)tail * (double)a->difference / WHY_PER_NS);
}

static bool why_is_explanation(
	const struct why_explaining *x, const struct why_cell *c, double *share, double *excess_ns)
{
	const struct why_total *total = &x->totals[c->key.group];
	struct why_answer a;

	why_answer(x->groups[c->key.group].sums, &a);
	if (!total->tail || a.difference <= 0)
		return false;
	*share = why_excess_share(c, &a, total->tail);
	*excess_ns = *share / 100 * (double)a.difference / WHY_PER_NS;
	if (*share < WHY_LEAST_SHARE ||
		(double)c->tail * (double)(total->count - c->count) <
			WHY_LEAST_RATIO * (double)(total->tail - c->tail) * (double)c->count)
		return false;
	return why_chance(total->count, total->tail, c->count, c->tail) <=
	       WHY_CHANCE / (double)total->tested;
}

static void why_spell_range(struct out *o, uint64_t range)
{
	const bool is_negative = range & 1u << 7;
	const unsigned bits = range & 0x7F;
	const uint64_t low = bits ? UINT64_C(1) << (bits - 1) : 0;
	const uint64_t high = bits ? low + (low - 1) : 0;

	if (is_negative)
		out_printf(o, "-%" PRIu64 "..-%" PRIu64, high, low);
	else
		out_printf(o, "%" PRIu64 "..%" PRIu64, low, high);
}

static void why_spell_argument(
	struct out *o, const struct why_explaining *x, const struct why_cell *c)
{
	const struct trace_text name = why_kept_text(x->r, x->kept, c->key.name);
	const struct interval_value v = {.type = c->key.type, .u = c->key.value};

	out_bytes(o, name.at, name.length);
	out_char(o, '=');
	if (c->key.by == WHY_BY_RANGE)
		why_spell_range(o, c->key.value);
	else if (c->key.type == INTERVAL_ARG_TEXT)
		out_bytes(o, (const char *)(uintptr_t)c->key.value, c->length);
	else
		value_spell(o, value_cell(NULL, &v));
}

static void why_spell_value(struct out *o, const struct why_explaining *x, const struct why_cell *c)
{
	const struct tally *names = x->kept ? &x->kept->tables[WHY_NAMES] : &x->parents.names;
	const char *task = report_task_name(c->task);
	const uint32_t number = (uint32_t)c->key.value;
	const struct tally_group *g;

	switch ((enum why_by)c->key.by) {
	case WHY_BY_PARENT:
		g = number ? names->groups[number - 1] : NULL;
		if (!g)
			out_str(o, "none");
		else if (g->has_label)
			out_bytes(o, g->label, g->label_len);
		else
			out_printf(o, ESCAPE_MINOR, g->mm);
		break;
	case WHY_BY_TIME:
		out_char(o, '+');
		out_seconds(o, (int64_t)(c->key.value * x->part_ns));
		out_str(o, " to +");
		out_seconds(o, (int64_t)((c->key.value + 1) * x->part_ns));
		out_str(o, " s");
		break;
	case WHY_BY_ARGUMENT:
	case WHY_BY_RANGE:
		why_spell_argument(o, x, c);
		break;
	default:
		out_u64(o, number);
		if (c->key.by == WHY_BY_THREAD && task)
			out_printf(o, " (%s)", task);
	}
}

static int why_add_explanation(
	struct why_explaining *x, const struct why_cell *c, double share, double excess_ns)
{
	const struct why_total *total = &x->totals[c->key.group];
	struct out text;
	int rc = CPIDECODE_ENOMEM;

	out_memory(&text);
	why_spell_value(&text, x, c);
	const char *value = text.error ? NULL
				       : intern_bytes(&x->found->memory, text.len ? text.buf : "",
						 (uint32_t)text.len);
	if (value && !array_grow(&x->found->at, x->found->count, &x->room, sizeof *x->found->at)) {
		x->found->at[x->found->count++] = (struct why_explanation){.group = c->key.group,
			.cell = (uint32_t)(c - x->cells),
			.by = c->key.by,
			.value = value,
			.length = text.len,
			.count = c->count,
			.tail = c->tail,
			.share = share,
			.excess_ns = excess_ns,
			.mean = {(double)c->time / EXACT_PER_NS / (double)c->count,
				(double)(total->time - c->time) / EXACT_PER_NS /
					(double)(total->count - c->count)}};
		rc = 0;
	}
	out_discard(&text);
	return rc;
}

static int why_compare_explanations(const void *p, const void *q)
{
	const struct why_explanation *a = p, *b = q;
	size_t n = a->length < b->length ? a->length : b->length;
	int c = compare_u64(a->group, b->group);

	if (!c)
		c = (a->share < b->share) - (a->share > b->share);
	if (!c)
		c = (int)a->by - (int)b->by;
	if (!c && n)
		c = memcmp(a->value, b->value, n);
	return c ? c : compare_u64(a->length, b->length);
}

/* Keeps the first few of each group. */
static void why_sort_explanations(struct why_explaining *x)
{
	struct why_explanations *e = x->found;
	size_t kept = 0;

	if (e->count)
		qsort(e->at, e->count, sizeof *e->at, why_compare_explanations);
	for (size_t i = 0; i < e->count; i++)
		if (x->totals[e->at[i].group].nexplanations < WHY_EXPLANATIONS) {
			x->totals[e->at[i].group].nexplanations++;
			e->at[kept++] = e->at[i];
		}
	e->count = kept;
}

static int why_test(struct why_explaining *x)
{
	double share, excess_ns;
	int rc = 0;

	for (size_t i = 0; i < x->count; i++)
		x->totals[x->cells[i].key.group].tested += why_is_tested(x, &x->cells[i]);
	for (size_t i = 0; i < x->count && !rc; i++)
		if (why_is_tested(x, &x->cells[i]) &&
			why_is_explanation(x, &x->cells[i], &share, &excess_ns))
			rc = why_add_explanation(x, &x->cells[i], share, excess_ns);
	why_sort_explanations(x);
	for (size_t i = 0; i < x->found->count; i++)
		x->cells[x->found->at[i].cell].explanation = (uint32_t)i;
	return rc;
}

static void why_set_times(struct why_explaining *x)
{
	int64_t last = 0;

	if (x->kept) {
		x->first_ns = x->kept->first_ns;
		last = x->kept->last_ns;
	} else {
		trace_span(x->r->trace, &x->first_ns, &last);
	}
	x->part_ns =
		last > x->first_ns ? ((uint64_t)last - (uint64_t)x->first_ns) / WHY_TIMES + 1 : 1;
}

/* Once, or with the walk rewound again. */
static int why_read_intervals(struct why_explaining *x, struct selection_walk *walk)
{
	if (x->kept)
		return why_kept_each(x->kept, why_visit_kept, x);
	int rc = x->is_second ? selection_walk_rewind(walk)
			      : selection_walk_open(walk, x->r, WANT_VALUES, NULL);
	return rc ? rc : why_walk(x, walk);
}

static int why_read_explanations(struct why_explaining *x)
{
	struct selection_walk walk = {0};

	x->totals = calloc(x->tally->count + 1, sizeof *x->totals);
	if (!x->totals)
		return CPIDECODE_ENOMEM;
	why_set_times(x);
	int rc = why_read_intervals(x, &walk);
	if (!rc)
		rc = why_test(x);
	x->is_second = true;
	if (!rc && x->found->count)
		rc = why_read_intervals(x, &walk);
	for (size_t i = 0; i < x->found->count && !rc; i++)
		for (unsigned k = 0; k < 2 && !rc; k++)
			rc = histogram_settle(&x->found->at[i].times[k]);
	selection_walk_close(&walk);
	return rc;
}

int why_explain(struct report *r, const struct why_kept *kept, const struct why_group *groups,
	const struct tally *t, struct why_explanations *e)
{
	struct why_explaining x = {.r = r, .kept = kept, .groups = groups, .tally = t, .found = e};
	bool has_enough = false;

	for (size_t i = 0; i < t->count; i++)
		has_enough |= groups[i].sums[WHY_TAIL].count >= WHY_LEAST_TAIL;
	int rc = has_enough ? why_read_explanations(&x) : 0;
	int error = errno;
	why_parents_free(&x.parents);
	hash_index_free(&x.by_key);
	free(x.totals);
	free(x.cells);
	errno = error;
	return rc;
}

void why_explanations_free(struct why_explanations *e)
{
	for (size_t i = 0; i < e->count; i++) {
		histogram_free(&e->at[i].times[0]);
		histogram_free(&e->at[i].times[1]);
	}
	free(e->at);
	intern_free(&e->memory);
}
