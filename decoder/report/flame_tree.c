#include "flame_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../model/grow.h"

static uint32_t hash_of(uint32_t parent, uint32_t name)
{
	uint64_t hash = ((uint64_t)parent << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 32);
}

/* Its slot, or the free one where it belongs. */
static struct flame_slot *slot_of(
	const struct flame_tree *t, uint32_t hash, uint32_t parent, uint32_t name)
{
	for (uint32_t at = hash;; at++) {
		struct flame_slot *slot = &t->table[at & t->mask];
		if (!slot->frame)
			return slot;
		if (slot->hash != hash)
			continue;
		const struct flame_frame *f = &t->flame.frames[slot->frame];
		if (f->parent == parent && f->next == name)
			return slot;
	}
}

static int more_slots(struct flame_tree *t, uint32_t room)
{
	struct flame_slot *table = calloc(2 * (size_t)room, sizeof *table);
	uint32_t mask = 2 * room - 1;
	if (!table)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; t->table && i <= t->mask; i++) {
		uint32_t at = t->table[i].hash;
		if (!t->table[i].frame)
			continue;
		while (table[at & mask].frame)
			at++;
		table[at & mask] = t->table[i];
	}
	free(t->table);
	t->table = table;
	t->mask = mask;
	return 0;
}

static int more_room(struct flame_tree *t)
{
	uint32_t room = t->allocated ? 2 * t->allocated : 256;
	if (room > UINT32_MAX / 4)
		return CPIDECODE_ENOMEM;
	struct flame_frame *frames = realloc(t->flame.frames, room * sizeof *frames);
	if (!frames)
		return CPIDECODE_ENOMEM;
	t->flame.frames = frames;
	if (t->measures) {
		struct flame_measures *measures = realloc(t->measures, room * sizeof *measures);
		if (!measures)
			return CPIDECODE_ENOMEM;
		t->measures = measures;
	}
	t->allocated = room;
	return more_slots(t, room);
}

int flame_tree_begin(struct flame_tree *t, bool measures)
{
	if (measures && !(t->measures = calloc(1, sizeof *t->measures)))
		return CPIDECODE_ENOMEM;
	int rc = more_room(t);
	if (rc)
		return rc;
	t->flame.frames[0] = (struct flame_frame){.name = "all", .name_len = 3, .cpi = NAN};
	t->flame.count = 1;
	return 0;
}

uint32_t flame_tree_add(struct flame_tree *t, uint32_t parent, enum flame_kind kind, uint32_t name)
{
	uint32_t hash = hash_of(parent, name), frame = t->flame.count;
	if (frame == t->allocated && more_room(t) < 0)
		return 0;
	struct flame_slot *slot = slot_of(t, hash, parent, name);
	if (slot->frame)
		return slot->frame;
	*slot = (struct flame_slot){frame, hash};
	t->flame.count++;
	t->flame.frames[frame] = (struct flame_frame){.name = t->names.at[name].at,
		.name_len = t->names.at[name].len,
		.parent = parent,
		.next = name,
		.kind = kind,
		.depth = t->flame.frames[parent].depth + 1,
		.cpi = NAN};
	return frame;
}

void flame_tree_ask(const struct flame_tree *t, uint32_t parent, uint32_t name)
{
	__builtin_prefetch(&t->table[hash_of(parent, name) & t->mask], 1);
	__builtin_prefetch(&t->names.at[name]);
}

void flame_tree_ask_frame(const struct flame_tree *t, uint32_t parent, uint32_t name)
{
	const struct flame_slot *slot = &t->table[hash_of(parent, name) & t->mask];
	if (slot->frame)
		__builtin_prefetch(&t->flame.frames[slot->frame], 1);
}

static bool is_measured(uint64_t above, uint64_t below, double value)
{
	return !isnan(value) || (above != NOT_MEASURED && below != NOT_MEASURED && below != 0);
}

struct flame_part flame_part_of(const struct interval *iv)
{
	struct flame_part part = {
		FLAME_CPI_NONE, NOT_MEASURED, NOT_MEASURED, NAN, iv->elapsed, iv->elapsed_ns};
	if (is_measured(iv->thread_cycles, iv->thread_instructions, iv->thread_cpi)) {
		part.kind = FLAME_CPI_THREAD;
		part.above = iv->thread_cycles;
		part.below = iv->thread_instructions;
		part.value = iv->thread_cpi;
	} else if (is_measured(iv->busy_cycles, iv->instructions, iv->scaled_cpi)) {
		part.kind = FLAME_CPI_SCALED;
		part.above = iv->busy_cycles;
		part.below = iv->instructions;
		part.value = iv->scaled_cpi;
	} else if (is_measured(iv->cycles, iv->instructions, iv->raw_cpi)) {
		part.kind = FLAME_CPI_RAW;
		part.above = iv->cycles;
		part.below = iv->instructions;
		part.value = iv->raw_cpi;
	}
	return part;
}

/* A frame has the first kind that any of its intervals has; the others then do not count. */
static void add_part(struct flame_frame *f, struct flame_sums *sums, const struct flame_part *part)
{
	exact_add(&sums->elapsed, exact_time(part->elapsed_ns));
	if (part->kind == FLAME_CPI_NONE ||
		(f->cpi_kind != FLAME_CPI_NONE && f->cpi_kind < part->kind))
		return;
	if (f->cpi_kind != part->kind)
		sums->cpi = (struct ratio){0};
	f->cpi_kind = part->kind;
	ratio_add(&sums->cpi, part->above, part->below, part->value, part->elapsed);
}

static int begin_sums(struct flame_tree *t, struct flame_frame *f, struct flame_measures *m)
{
	/* The first one stands for none. */
	size_t number = t->nsums ? t->nsums : 1;
	if (number == UINT32_MAX || grow(&t->sums, number, &t->sums_cap, sizeof *t->sums))
		return CPIDECODE_ENOMEM;
	t->sums[number] = (struct flame_sums){0};
	m->sums = (uint32_t)number;
	t->nsums = number + 1;
	add_part(f, &t->sums[number], &m->first);
	return 0;
}

int flame_tree_count(struct flame_tree *t, uint32_t frame, const struct flame_part *part)
{
	struct flame_frame *f = &t->flame.frames[frame];
	f->has_value = true;
	f->count++;
	if (!t->measures)
		return 0;
	struct flame_measures *m = &t->measures[frame];
	if (f->count == 1) {
		*m = (struct flame_measures){.first = *part};
		return 0;
	}
	int rc = m->sums ? 0 : begin_sums(t, f, m);
	if (!rc)
		add_part(f, &t->sums[m->sums], part);
	return rc;
}

/* A frame among its siblings, by what follows the beginning that all their names share. */
struct sibling {
	uint64_t key; /* the next bytes; where they end; how many, as an end is before a 0 */
	uint32_t frame;
};

enum { KEY_BYTES = 7, VERY_FEW = 12, FEW = 48, SOON = 32 };

static size_t common_length(const struct flame_frame *frames, const struct sibling *s, size_t n)
{
	const struct flame_frame *first = &frames[s[0].frame];
	size_t common = first->name_len;
	for (size_t i = 1; i < n && common; i++) {
		const struct flame_frame *f = &frames[s[i].frame];
		if (common > f->name_len)
			common = f->name_len;
		for (size_t k = 0; k < common; k++)
			if (f->name[k] != first->name[k])
				common = k;
	}
	return common;
}

static uint64_t key_of(const struct flame_frame *f, size_t from)
{
	size_t n = f->name_len - from;
	uint64_t key = 0;
	n = n < KEY_BYTES ? n : KEY_BYTES;
	for (size_t i = 0; i < KEY_BYTES; i++)
		key = key << 8 | (i < n ? (unsigned char)f->name[from + i] : 0);
	return key << 8 | n;
}

static int compare(const void *x, const void *y, void *frames)
{
	const struct sibling *s = x, *t = y;
	if (s->key != t->key)
		return s->key < t->key ? -1 : 1;
	const struct flame_frame *a = (struct flame_frame *)frames + s->frame;
	const struct flame_frame *b = (struct flame_frame *)frames + t->frame;
	size_t common = a->name_len < b->name_len ? a->name_len : b->name_len;
	int order = common ? memcmp(a->name, b->name, common) : 0;
	if (order)
		return order;
	return (a->name_len > b->name_len) - (a->name_len < b->name_len);
}

/* By their keys, a byte after the other from the last; bytes in which all agree are skipped. */
static void sort_keys(struct sibling *s, size_t n, struct sibling *scratch)
{
	struct sibling *from = s, *to = scratch;
	for (unsigned shift = 0; shift < 64; shift += 8) {
		uint32_t place[256] = {0}, at = 0;
		for (size_t i = 0; i < n; i++)
			place[from[i].key >> shift & 255]++;
		if (place[from[0].key >> shift & 255] == n)
			continue;
		for (unsigned b = 0; b < 256; b++) {
			uint32_t count = place[b];
			place[b] = at;
			at += count;
		}
		for (size_t i = 0; i < n; i++)
			to[place[from[i].key >> shift & 255]++] = from[i];
		struct sibling *swap = from;
		from = to;
		to = swap;
	}
	if (from != s)
		memcpy(s, from, n * sizeof *s);
}

static void insert_each(struct flame_frame *frames, struct sibling *s, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sibling own = s[i];
		size_t at = i;
		for (; at && compare(&own, &s[at - 1], frames) < 0; at--)
			s[at] = s[at - 1];
		s[at] = own;
	}
}

static void sort_siblings(
	struct flame_frame *frames, struct sibling *s, size_t n, struct sibling *scratch)
{
	size_t common = common_length(frames, s, n);
	for (size_t i = 0; i < n; i++)
		s[i].key = key_of(&frames[s[i].frame], common);
	if (n <= VERY_FEW) {
		insert_each(frames, s, n);
		return;
	}
	if (n <= FEW) {
		qsort_r(s, n, sizeof *s, compare, frames);
		return;
	}
	sort_keys(s, n, scratch);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && s[end].key == s[i].key; end++)
			;
		if (end - i > 1)
			qsort_r(s + i, end - i, sizeof *s, compare, frames);
	}
}

/* Frames lie anywhere in memory: those that come soon are asked for early. */
static void ask_early(const struct flame_frame *frames, const struct sibling *s, uint32_t left)
{
	if (left > SOON)
		__builtin_prefetch(&frames[s[SOON].frame], 1);
	if (left > SOON / 2)
		__builtin_prefetch(frames[s[SOON / 2].frame].name);
}

/* Where each one's children begin among all; returns how many the most are. */
static uint32_t count_children(const struct flame *f, uint32_t *first)
{
	uint32_t most = 0;
	for (uint32_t i = 1; i < f->count; i++)
		first[f->frames[i].parent + 1]++;
	for (uint32_t i = 1; i <= f->count; i++) {
		most = first[i] > most ? first[i] : most;
		first[i] += first[i - 1];
	}
	return most;
}

/* siblings has room for all, scratch for the most that have one parent. */
static void sort_children(
	struct flame *f, struct sibling *siblings, struct sibling *scratch, uint32_t *first)
{
	for (uint32_t i = 1; i < f->count; i++)
		siblings[first[f->frames[i].parent]++].frame = i;
	/* Each is now where the next one's begin. */
	for (uint32_t i = 0, begin = 0; i < f->count; begin = first[i++]) {
		uint32_t n = first[i] - begin;
		for (uint32_t k = 0; k < n; k++)
			ask_early(f->frames, siblings + begin + k, f->count - 1 - begin - k);
		if (n > 1)
			sort_siblings(f->frames, siblings + begin, n, scratch);
		for (uint32_t k = n; k-- > 0;) {
			uint32_t child = siblings[begin + k].frame;
			f->frames[child].next = f->frames[i].first_child;
			f->frames[i].first_child = child;
		}
	}
}

static void measure(
	const struct flame_tree *t, struct flame_frame *f, const struct flame_measures *m)
{
	struct flame_sums one = {0};
	const struct flame_sums *sums = &one;
	if (m->sums)
		sums = &t->sums[m->sums];
	else
		add_part(f, &one, &m->first);
	f->elapsed_ns = (double)sums->elapsed / EXACT_PER_NS;
	if (f->cpi_kind != FLAME_CPI_NONE)
		f->cpi = ratio_value(&sums->cpi);
}

/* From the innermost frame outwards. */
static void add_up(struct flame_tree *t)
{
	struct flame_frame *frames = t->flame.frames;
	for (uint32_t i = t->flame.count; i-- > 0;) {
		struct flame_frame *f = &frames[i];
		if (i > SOON)
			__builtin_prefetch(&frames[frames[i - SOON].parent], 1);
		f->total += f->self;
		f->within += f->count;
		if (t->measures && f->count)
			measure(t, f, &t->measures[i]);
		if (i) {
			frames[f->parent].total += f->total;
			frames[f->parent].within += f->within;
		}
	}
}

int flame_tree_finish(struct flame_tree *t)
{
	struct flame *f = &t->flame;
	struct sibling *siblings = malloc(f->count * sizeof *siblings);
	uint32_t *first = calloc((size_t)f->count + 1, sizeof *first);
	uint32_t most = first ? count_children(f, first) : 0;
	struct sibling *scratch = malloc(((size_t)most + 1) * sizeof *scratch);
	bool room = siblings && scratch && first;
	free(t->table);
	t->table = NULL;
	if (room) {
		sort_children(f, siblings, scratch, first);
		add_up(t);
	}
	free(siblings);
	free(scratch);
	free(first);
	return room ? 0 : CPIDECODE_ENOMEM;
}

void flame_tree_free(struct flame_tree *t)
{
	flame_names_free(&t->names);
	free(t->flame.frames);
	free(t->measures);
	free(t->sums);
	free(t->table);
	*t = (struct flame_tree){0};
}
