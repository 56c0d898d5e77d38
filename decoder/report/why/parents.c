#include "parents.h"

#include "../../../include/cpidecode.h"
#include "../../base/grow.h"

/* The number of the interval's name, from 0; UINT32_MAX: no memory. */
static uint32_t why_parents_name(struct why_parents *p, const struct interval *iv)
{
	const size_t before = p->names.count;
	struct tally_group *g = tally_group_of(
		&p->names, iv->has_label, iv->label, iv->label_len, iv->major, iv->mm);

	if (g && p->names.count > before)
		g->index = (uint32_t)before;
	return g ? g->index : UINT32_MAX;
}

/* The innermost interval around it is the last one of the depth before, of the thread. */
int why_parents_add(
	struct why_parents *p, const struct interval *iv, const struct tally_group **around)
{
	struct thread_stack *t =
		thread_stacks_find(&p->threads, iv->machine, iv->tid, iv->start_ticks);
	const uint32_t name = why_parents_name(p, iv);

	if (!t || name == UINT32_MAX || array_grow(&t->at, iv->depth, &t->cap, sizeof(uint32_t)))
		return CPIDECODE_ENOMEM;
	if (iv->end_ticks > t->until)
		t->until = iv->end_ticks;
	uint32_t *names = t->at;
	names[iv->depth] = name;
	*around = iv->depth ? p->names.groups[names[iv->depth - 1]] : NULL;
	return 0;
}

void why_parents_end(struct why_parents *p)
{
	thread_stacks_free(&p->threads);
}

void why_parents_free(struct why_parents *p)
{
	thread_stacks_free(&p->threads);
	tally_free(&p->names);
}
