/* Orders all frames of a tree for lines: children by name. */
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../include/cpidecode.h"
#include "tree.h"

/* A frame among its siblings, keyed by its name after their common prefix. */
struct sibling {
	uint64_t key; /* the next 7 bytes and how many there are: the end sorts before a NUL */
	uint32_t frame;
};

enum { KEY_BYTES = 7, VERY_FEW = 12, FEW = 48, LINES_AHEAD = 32 };

static size_t common_length(const struct flame_stack *frames, const struct sibling *s, size_t n)
{
	const struct flame_stack *first = &frames[s[0].frame];
	size_t common = first->name_len;

	for (size_t i = 1; i < n && common; i++) {
		const struct flame_stack *f = &frames[s[i].frame];

		if (common > f->name_len)
			common = f->name_len;
		for (size_t k = 0; k < common; k++)
			if (f->name[k] != first->name[k])
				common = k;
	}
	return common;
}

static uint64_t lines_make_key(const struct flame_stack *f, size_t from)
{
	size_t n = f->name_len - from;
	uint64_t key = 0;

	n = n < KEY_BYTES ? n : KEY_BYTES;
	for (size_t i = 0; i < KEY_BYTES; i++)
		key = key << 8 | (i < n ? (unsigned char)f->name[from + i] : 0);
	return key << 8 | n;
}

static int lines_compare_siblings(const void *x, const void *y, void *frames)
{
	const struct sibling *s = x, *t = y;

	if (s->key != t->key)
		return s->key < t->key ? -1 : 1;
	const struct flame_stack *a = (struct flame_stack *)frames + s->frame;
	const struct flame_stack *b = (struct flame_stack *)frames + t->frame;
	size_t common = a->name_len < b->name_len ? a->name_len : b->name_len;
	int order = common ? memcmp(a->name, b->name, common) : 0;
	if (order)
		return order;
	return compare_u64(a->name_len, b->name_len);
}

/* Radix sort by key, least significant byte first; skips bytes that are the same in all. */
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

static void insert_each(struct flame_stack *frames, struct sibling *s, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sibling own = s[i];
		size_t at = i;

		for (; at && lines_compare_siblings(&own, &s[at - 1], frames) < 0; at--)
			s[at] = s[at - 1];
		s[at] = own;
	}
}

static void sort_siblings(
	struct flame_stack *frames, struct sibling *s, size_t n, struct sibling *scratch)
{
	size_t common = common_length(frames, s, n);

	for (size_t i = 0; i < n; i++)
		s[i].key = lines_make_key(&frames[s[i].frame], common);
	if (n <= VERY_FEW) {
		insert_each(frames, s, n);
		return;
	}
	if (n <= FEW) {
		qsort_r(s, n, sizeof *s, lines_compare_siblings, frames);
		return;
	}
	sort_keys(s, n, scratch);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && s[end].key == s[i].key; end++)
			;
		if (end - i > 1)
			qsort_r(s + i, end - i, sizeof *s, lines_compare_siblings, frames);
	}
}

/* Frames are scattered in memory: prefetches the next ones. */
static void ask_early(const struct flame_stack *frames, const struct sibling *s, uint32_t left)
{
	if (left > LINES_AHEAD)
		__builtin_prefetch(&frames[s[LINES_AHEAD].frame], 1);
	if (left > LINES_AHEAD / 2)
		__builtin_prefetch(frames[s[LINES_AHEAD / 2].frame].name);
}

struct flame_lines {
	const struct flame_tree *tree;
	struct flame_stack *frames;
	struct sibling *siblings, *scratch;
	uint32_t *first; /* index in siblings of each frame's first child */
};

/* Frames in which no interval was selected and measured have no lines. */
static bool is_counted(const struct flame_node *node)
{
	return node->count || node->has_counted;
}

/* Returns the largest number of children. */
static uint32_t count_children(struct flame_lines *l)
{
	uint32_t most = 0, *first = l->first;

	for (uint32_t i = l->tree->count; i-- > 1;) {
		const struct flame_node *node = flame_tree_node(l->tree, i);

		if (is_counted(node)) {
			flame_tree_node(l->tree, node->parent)->has_counted = true;
			first[node->parent + 1]++;
		}
	}
	for (uint32_t i = 1; i <= l->tree->count; i++) {
		most = first[i] > most ? first[i] : most;
		first[i] += first[i - 1];
	}
	return most;
}

static void copy_frames(struct flame_lines *l)
{
	for (uint32_t i = 1; i < l->tree->count; i++) {
		const struct flame_node *node = flame_tree_node(l->tree, i);
		if (!is_counted(node))
			continue;
		struct flame_name name = flame_names_get(&l->tree->names, node->name);

		l->frames[i] = (struct flame_stack){.name = name.at,
			.name_len = name.len,
			.self = node->self,
			.has_value = node->count > 0};
		l->siblings[l->first[node->parent]++].frame = i;
	}
}

static void sort_children(struct flame_lines *l)
{
	struct flame_stack *frames = l->frames;
	uint32_t count = l->tree->count;

	/* copy_frames has moved each to the next one's begin. */
	for (uint32_t i = 0, begin = 0; i < count; begin = l->first[i++]) {
		struct sibling *siblings = l->siblings + begin;
		uint32_t n = l->first[i] - begin;

		for (uint32_t k = 0; k < n; k++)
			ask_early(frames, siblings + k, l->first[count - 1] - begin - k);
		if (n > 1)
			sort_siblings(frames, siblings, n, l->scratch);
		uint32_t *link = &frames[i].first_child;
		for (uint32_t k = 0; k < n; k++) {
			*link = siblings[k].frame;
			link = &frames[*link].next;
		}
	}
}

int flame_lines(const struct flame_tree *t, struct pages *frames)
{
	struct pages siblings = {0}, scratch = {0}, first = {0};
	int rc = pages_grow(frames, t->count * sizeof(struct flame_stack));

	if (!rc)
		rc = pages_grow(&siblings, t->count * sizeof(struct sibling));
	if (!rc)
		rc = pages_grow(&first, ((size_t)t->count + 1) * sizeof(uint32_t));
	struct flame_lines l = {t, frames->at, siblings.at, NULL, first.at};
	if (!rc)
		rc = pages_grow(&scratch, (count_children(&l) + 1) * sizeof(struct sibling));
	l.scratch = scratch.at;
	if (!rc) {
		copy_frames(&l);
		sort_children(&l);
	}
	pages_free(&siblings);
	pages_free(&scratch);
	pages_free(&first);
	return rc;
}
