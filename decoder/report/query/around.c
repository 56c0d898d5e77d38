#include "around.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/grow.h"

/* An interval that may contain later ones. */
struct around_open {
	uint64_t end;
	const char *name;
	uint32_t length;
};

/* Its label, or the words for none, as reports have them. */
static int around_name(struct around *a, const struct interval *iv, struct around_open *to)
{
	char room[REPORT_NAME_ROOM];
	size_t length;
	const char *name = report_name(iv, room, &length);

	to->length = (uint32_t)length;
	to->name = intern_bytes(&a->names, name, to->length);
	return to->name ? 0 : CPIDECODE_ENOMEM;
}

/* A name in a stack: a ; in it would look like the next one. The outermost may be empty. */
static int around_add_name(struct around *a, const struct around_open *of, bool is_outermost)
{
	size_t from = a->stack.n + (is_outermost ? 0 : 1);
	int rc = is_outermost ? 0 : by_append(&a->stack, ";", 1);

	if (!rc)
		rc = by_append(&a->stack, of->name, of->length);
	for (size_t i = from; !rc && i < a->stack.n; i++)
		if (a->stack.p[i] == ';')
			a->stack.p[i] = '_';
	return rc;
}

static int around_spell_stack(struct around *a, const struct around_open *stack, size_t count,
	const struct around_open *own, struct by_around *found)
{
	size_t n = 0;
	int rc = 0;

	a->stack.n = 0;
	for (; n < count && n < AROUND_STACK && !rc && a->stack.n + stack[n].length < AROUND_BYTES;
		n++)
		rc = around_add_name(a, &stack[n], n == 0);
	if (!rc)
		rc = around_add_name(a, own, n == 0);
	if (rc)
		return rc;
	found->stack = a->stack.p ? (const char *)a->stack.p : "";
	found->stack_length = (uint32_t)a->stack.n;
	return 0;
}

int around_add(struct around *a, const struct interval *iv, struct by_around *found)
{
	struct thread_stack *t =
		thread_stacks_find(&a->threads, iv->machine, iv->tid, iv->start_ticks);
	struct around_open own = {.end = iv->end_ticks};

	*found = (struct by_around){.parent = NULL};
	if (!t || around_name(a, iv, &own))
		return CPIDECODE_ENOMEM;
	struct around_open *stack = t->at;
	while (t->count && stack[t->count - 1].end < own.end)
		t->count--;
	if (!t->count)
		t->until = own.end;
	if (t->count) {
		found->parent = stack[t->count - 1].name;
		found->parent_length = stack[t->count - 1].length;
	}
	found->root = t->count ? stack[0].name : own.name;
	found->root_length = t->count ? stack[0].length : own.length;
	if (a->wants_stack && around_spell_stack(a, stack, t->count, &own, found))
		return CPIDECODE_ENOMEM;
	if (array_grow(&t->at, t->count, &t->cap, sizeof own))
		return CPIDECODE_ENOMEM;
	((struct around_open *)t->at)[t->count++] = own;
	return 0;
}

void around_free(struct around *a)
{
	thread_stacks_free(&a->threads);
	intern_free(&a->names);
	free(a->stack.p);
}
