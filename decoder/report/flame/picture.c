/*
 * Selects the frames of a tree that a picture shows. Most frames may be too narrow; their weight
 * still offsets the frames next to them, and their CPI counts in the scale of colours.
 */
#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/search.h"
#include "../../../include/cpidecode.h"
#include "../../base/grow.h"
#include "tree.h"

enum { PICTURE_AHEAD = 32, PICTURE_BATCH = 64 };

/* A shown frame among the shown children of its parent. */
struct picture_place {
	uint32_t frame;
	uint64_t key;	 /* the first 8 bytes of its name, which mostly decide */
	uint64_t before; /* weight of hidden frames between the previous one and this one */
};

struct picture {
	struct flame_tree *tree;
	struct flame *flame;
	size_t cap;		      /* of the frames */
	struct picture_place *places; /* by parent, then name */
	uint32_t *first;	      /* index in places of each frame's first child */
	uint32_t uncounted;	      /* nodes in which no interval was selected and measured */
	uint8_t *shown; /* a bit for each node; if set, the node's name is its frame's index */
	uint32_t batch[PICTURE_BATCH]; /* hidden nodes whose parents are shown */
	unsigned nbatch;
};

static void picture_survey_cpi(struct flame_cpis *cpis, enum flame_cpi kind, double cpi)
{
	cpis->kinds |= 1u << kind;
	cpis->unmeasured |= isnan(cpi);
	if (cpi > 0 && kind != FLAME_OFF_CPU) {
		cpis->low = cpi < cpis->low ? cpi : cpis->low;
		cpis->high = cpi > cpis->high ? cpi : cpis->high;
	}
}

/* Adds self and count of each frame to its parent's, innermost first. */
static void add_up(struct picture *p, struct flame_cpis *cpis)
{
	struct flame_tree *t = p->tree;

	*cpis = (struct flame_cpis){.low = INFINITY};
	for (uint32_t i = t->count; i-- > 1;) {
		const struct flame_node *node = flame_tree_node(t, i);

		if (i > PICTURE_AHEAD)
			__builtin_prefetch(flame_tree_node(t, node[-PICTURE_AHEAD].parent), 1);
		if (!node->count)
			p->uncounted++;
		else if (!node->is_task)
			picture_survey_cpi(cpis, node->state.kind,
				flame_measures_cpi(&t->measures, i, node->state));
		struct flame_node *parent = flame_tree_node(t, node->parent);
		parent->self += node->self;
		parent->count += node->count;
	}
}

static bool is_shown(const struct picture *p, uint32_t node)
{
	return p->shown[node / 8] >> node % 8 & 1;
}

static int picture_show_node(struct picture *p, uint32_t number)
{
	struct flame *f = p->flame;
	struct flame_node *node = flame_tree_node(p->tree, number);

	if (array_grow(&f->frames, f->count, &p->cap, sizeof *f->frames))
		return CPIDECODE_ENOMEM;
	struct flame_name name = {"all", 3};
	struct flame_frame frame = {.total = node->self,
		.self = node->self,
		.within = node->count,
		.count = node->count,
		.before = p->tree->before ? p->tree->before[number] : 0,
		.cpi_kind = node->state.kind,
		.cpi = flame_measures_cpi(&p->tree->measures, number, node->state),
		.elapsed_ns = flame_measures_ns(&p->tree->measures, number, node->state)};
	if (number) {
		name = flame_names_get(&p->tree->names, node->name);
		frame.parent = flame_tree_node(p->tree, node->parent)->name;
		frame.depth = f->frames[frame.parent].depth + 1;
		frame.kind = node->is_process ? FLAME_PROCESS
			     : node->is_task  ? FLAME_TASK
					      : FLAME_INTERVAL;
	}
	frame.name = name.at;
	frame.name_len = name.len;
	node->name = f->count;
	f->frames[f->count++] = frame;
	p->shown[number / 8] |= (uint8_t)(1u << number % 8);
	return 0;
}

static int picture_choose_nodes(struct picture *p)
{
	const struct flame_tree *t = p->tree;
	uint64_t least = flame_least(flame_tree_node(t, 0)->self);
	int rc = picture_show_node(p, 0);

	for (uint32_t i = 1; i < t->count && !rc; i++) {
		const struct flame_node *node = flame_tree_node(t, i);

		if (node->count && node->self >= least && is_shown(p, node->parent) &&
			p->flame->frames[flame_tree_node(t, node->parent)->name].depth + 1 <
				FLAME_MAX_ROWS)
			rc = picture_show_node(p, i);
	}
	p->flame->left_out = t->count - p->uncounted - p->flame->count;
	return rc;
}

static int compare_names(const char *a, uint32_t a_len, const char *b, uint32_t b_len)
{
	uint32_t common = a_len < b_len ? a_len : b_len;
	int c = common ? memcmp(a, b, common) : 0;

	return c ? c : compare_u64(a_len, b_len);
}

static uint64_t picture_make_key(const char *name, uint32_t len)
{
	uint64_t key = 0;

	memcpy(&key, name, len < sizeof key ? len : sizeof key);
	return be64toh(key);
}

static int picture_compare_names(const void *x, const void *y, void *frames)
{
	const struct flame_frame *a =
		(struct flame_frame *)frames + ((struct picture_place *)x)->frame;
	const struct flame_frame *b =
		(struct flame_frame *)frames + ((struct picture_place *)y)->frame;

	return compare_names(a->name, a->name_len, b->name, b->name_len);
}

static int order_children(struct picture *p)
{
	const struct flame *f = p->flame;

	p->first = calloc((size_t)f->count + 2, sizeof *p->first);
	p->places = calloc(f->count, sizeof *p->places);
	if (!p->first || !p->places)
		return CPIDECODE_ENOMEM;
	/* Counted two slots ahead: after the prefix sums first[i + 1] is where the next child of i
	 * goes, and in the end where its children begin. */
	for (uint32_t i = 1; i < f->count; i++)
		p->first[f->frames[i].parent + 2]++;
	for (uint32_t i = 2; i <= f->count; i++)
		p->first[i] += p->first[i - 1];
	for (uint32_t i = 1; i < f->count; i++)
		p->places[p->first[f->frames[i].parent + 1]++] = (struct picture_place){.frame = i,
			.key = picture_make_key(f->frames[i].name, f->frames[i].name_len)};
	for (uint32_t i = 0; i < f->count; i++)
		qsort_r(p->places + p->first[i], p->first[i + 1] - p->first[i], sizeof *p->places,
			picture_compare_names, f->frames);
	return 0;
}

/* Adds a hidden frame's weight in front of the next shown sibling. */
static void picture_add_before(struct picture *p, const struct flame_node *node)
{
	struct flame_name name = flame_names_get(&p->tree->names, node->name);
	uint64_t key = picture_make_key(name.at, name.len);
	uint32_t on = flame_tree_node(p->tree, node->parent)->name;
	struct search s = {p->first[on], p->first[on + 1]};

	while (s.low < s.high) {
		const struct picture_place *place = &p->places[search_middle(&s)];
		const struct flame_frame *f = &p->flame->frames[place->frame];

		search_narrow(&s, place->key < key ||
					  (place->key == key && compare_names(f->name, f->name_len,
									name.at, name.len) < 0));
	}
	if (s.low < p->first[on + 1])
		p->places[s.low].before += node->self;
}

/* Names are scattered in memory: prefetches those of a batch. */
static void picture_add_batch(struct picture *p)
{
	for (unsigned i = 0; i < p->nbatch; i++)
		flame_names_ask(&p->tree->names, flame_tree_node(p->tree, p->batch[i])->name);
	for (unsigned i = 0; i < p->nbatch; i++)
		picture_add_before(p, flame_tree_node(p->tree, p->batch[i]));
	p->nbatch = 0;
}

/* Subtracts the children's totals from shown frames again, and accounts for hidden children. */
static void picture_subtract_children(struct picture *p)
{
	for (uint32_t i = 1; i < p->tree->count; i++) {
		const struct flame_node *node = flame_tree_node(p->tree, i);

		if (!is_shown(p, node->parent))
			continue;
		uint32_t on = flame_tree_node(p->tree, node->parent)->name;
		p->flame->frames[on].self -= node->self;
		p->flame->frames[on].count -= node->count;
		if (is_shown(p, i) || p->first[on] == p->first[on + 1])
			continue;
		p->batch[p->nbatch++] = i;
		if (p->nbatch == PICTURE_BATCH)
			picture_add_batch(p);
	}
	picture_add_batch(p);
}

/* Links siblings and computes their offsets. */
static void lay_out(struct picture *p)
{
	struct flame_frame *frames = p->flame->frames;

	for (uint32_t i = 0; i < p->flame->count; i++) {
		uint32_t *link = &frames[i].first_child;
		uint64_t left = frames[i].left;

		for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++) {
			const struct picture_place *place = &p->places[k];

			left += place->before;
			frames[place->frame].left = left;
			left += frames[place->frame].total;
			*link = place->frame;
			link = &frames[place->frame].next;
		}
	}
}

int flame_picture(struct flame_tree *t, struct flame *f)
{
	struct picture p = {.tree = t, .flame = f};

	flame_slots_free(&t->slots);
	add_up(&p, &f->cpis);
	p.shown = calloc(t->count / 8 + 1, 1);
	int rc = p.shown ? picture_choose_nodes(&p) : CPIDECODE_ENOMEM;
	if (!rc)
		rc = order_children(&p);
	if (!rc) {
		picture_subtract_children(&p);
		lay_out(&p);
	}
	free(p.shown);
	free(p.first);
	free(p.places);
	if (rc)
		free(f->frames);
	return rc;
}
