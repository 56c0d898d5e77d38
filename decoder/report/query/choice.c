#include "choice.h"

#include <stdlib.h>

#include "../../../formats/base/compare.h"
#include "../../base/intern.h"
#include "having.h"

/* An element and what it is sorted by. */
struct choice_key {
	size_t element; /* its place among all */
	struct cell cell;
	bool falling;
};

static double choice_number(const struct cell *c)
{
	switch (c->kind) {
	case CELL_U64:
	case CELL_BOOL:
		return (double)c->u;
	case CELL_I64:
		return (double)c->i;
	case CELL_WHOLE:
	case CELL_REAL:
	case CELL_DOUBLE:
		return c->real;
	default:
		return NAN;
	}
}

static bool choice_is_whole(const struct cell *c)
{
	return c->kind == CELL_U64 || c->kind == CELL_BOOL || c->kind == CELL_I64;
}

/* Times since 1970 have more digits than a double. */
static int choice_compare_whole(const struct cell *a, const struct cell *b)
{
	const bool is_below_a = a->kind == CELL_I64 && a->i < 0;
	const bool is_below_b = b->kind == CELL_I64 && b->i < 0;

	if (is_below_a != is_below_b)
		return is_below_a ? -1 : 1;
	/* Numbers of one sign are in the order of their bits. */
	return compare_u64(a->u, b->u);
}

static int choice_compare_numbers(const struct cell *a, const struct cell *b)
{
	const double m = choice_number(a), n = choice_number(b);

	if (choice_is_whole(a) && choice_is_whole(b))
		return choice_compare_whole(a, b);
	if (m != n || a->kind != CELL_WHOLE || b->kind != CELL_WHOLE)
		return (m > n) - (m < n);
	return compare_u64(a->u, b->u);
}

/* Numbers by value, then texts by their bytes, n/a last. */
static int choice_compare_keys(const void *x, const void *y)
{
	const struct choice_key *a = x, *b = y;
	const bool texts = a->cell.kind == CELL_STRING && b->cell.kind == CELL_STRING;
	bool known_a = a->cell.kind == CELL_STRING || !isnan(choice_number(&a->cell));
	bool known_b = b->cell.kind == CELL_STRING || !isnan(choice_number(&b->cell));
	int c = 0;

	if (known_a != known_b)
		return known_a ? -1 : 1;
	/* One argument may have both. */
	if (known_a && a->cell.kind != b->cell.kind &&
		(a->cell.kind == CELL_STRING || b->cell.kind == CELL_STRING))
		return a->cell.kind == CELL_STRING ? 1 : -1;
	if (texts) {
		size_t least = a->cell.len < b->cell.len ? a->cell.len : b->cell.len;

		c = least ? memcmp(a->cell.s, b->cell.s, least) : 0;
		if (!c)
			c = compare_u64(a->cell.len, b->cell.len);
	} else if (known_a) {
		c = choice_compare_numbers(&a->cell, &b->cell);
	}
	if (!c)
		return compare_u64(a->element, b->element);
	return a->falling ? -c : c;
}

/* Words are compared as texts; none are n/a. */
static int choice_keep_words(struct intern *texts, struct cell *cell)
{
	struct out spelled;

	if (cell->kind != CELL_WORDS)
		return 0;
	out_memory(&spelled);
	cell->words(&spelled, (uint32_t)cell->u);
	const char *kept = spelled.error ? NULL
					 : intern_bytes(texts, spelled.len ? spelled.buf : "",
						   (uint32_t)spelled.len);
	*cell = cell_string(kept, spelled.len, spelled.len);
	out_discard(&spelled);
	return kept ? 0 : CPIDECODE_ENOMEM;
}

static int choice_sort(
	struct report *r, const struct choice *c, char *elements, size_t n, size_t size)
{
	const char *sort = r->sort ? r->sort : r->top ? c->otherwise : NULL;
	const struct column *by;
	bool falling;
	int rc = 0;

	if (!sort)
		return 0;
	by = rows_find_sort(r, c->columns, c->more, sort, &falling);
	if (!by)
		return CPIDECODE_EINVAL;
	if (!n)
		return 0;
	struct choice_key *keys = calloc(n, sizeof *keys);
	struct intern texts = {0};
	char *copy = malloc(n * size);
	if (!keys || !copy)
		rc = CPIDECODE_ENOMEM;
	else
		memcpy(copy, elements, n * size);
	for (size_t i = 0; i < n && !rc; i++) {
		keys[i] = (struct choice_key){.element = i,
			.cell = column_cell(by, c->row(c->ctx, copy + i * size)),
			.falling = falling};
		rc = choice_keep_words(&texts, &keys[i].cell);
	}
	if (!rc) {
		qsort(keys, n, sizeof *keys, choice_compare_keys);
		for (size_t i = 0; i < n; i++)
			memcpy(elements + i * size, copy + keys[i].element * size, size);
	}
	intern_free(&texts);
	free(keys);
	free(copy);
	return rc;
}

/* Leaves those for which r->having holds. */
static int choice_filter(
	struct report *r, const struct choice *c, char *elements, size_t *n, size_t size)
{
	struct having *having = malloc(sizeof *having);
	struct expression_error error;
	size_t kept = 0;

	if (!having)
		return CPIDECODE_ENOMEM;
	if (!having_parse(having, r->having, c->columns, c->more, c->what, &error)) {
		having_note(r, having, &error);
		free(having);
		r->is_misused = true;
		return CPIDECODE_EINVAL;
	}
	for (size_t i = 0; i < *n; i++)
		if (having_holds(having, c->row(c->ctx, elements + i * size)))
			memmove(elements + kept++ * size, elements + i * size, size);
	*n = kept;
	free(having);
	return 0;
}

int choice_make(struct report *r, const struct choice *c, void *elements, size_t *n, size_t size)
{
	int rc = r->having ? choice_filter(r, c, elements, n, size) : 0;

	if (!rc)
		rc = choice_sort(r, c, elements, *n, size);
	if (!rc && r->top && r->top < *n)
		*n = r->top;
	return rc;
}

int choice_copy(struct report *r, const struct choice *c, const void *elements, size_t *n,
	size_t size, void **chosen)
{
	*chosen = NULL;
	if (!choice_is_asked(r))
		return 0;
	*chosen = malloc(*n * size + 1);
	if (!*chosen)
		return CPIDECODE_ENOMEM;
	if (*n)
		memcpy(*chosen, elements, *n * size);
	return choice_make(r, c, *chosen, n, size);
}
