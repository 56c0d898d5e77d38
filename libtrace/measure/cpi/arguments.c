#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../session/attach.h"

struct arguments *arguments_new(void)
{
	struct arguments *a = malloc(sizeof *a + SWT_ARGS_MAX * sizeof *a->args.arg);

	if (!a)
		return NULL;
	a->text = NULL;
	a->room = 0;
	a->begin = 0;
	a->args.is_cut = false;
	arguments_clear(a);
	return a;
}

void arguments_free(struct arguments *a)
{
	if (!a)
		return;
	free(a->text);
	free(a);
}

static bool is_text(const SWT_ARG *a)
{
	return a->type == INTERVAL_ARG_TEXT;
}

/* Makes room for that many more bytes. Adjusts the pointers into the text if it moves. */
static bool arguments_reserve(struct arguments *a, size_t bytes)
{
	const uintptr_t old = (uintptr_t)a->text;

	if (!array_reserve(&a->text, &a->room, a->used + bytes, 1))
		return false;
	for (uint32_t i = 0; i < a->args.count && (uintptr_t)a->text != old; i++) {
		SWT_ARG *arg = &a->args.arg[i];

		a->name[i].text = a->text + ((uintptr_t)a->name[i].text - old);
		if (is_text(arg))
			arg->value.text = a->text + ((uintptr_t)arg->value.text - old);
	}
	return true;
}

static const char *arguments_copy(struct arguments *a, const void *bytes, size_t length)
{
	char *to = a->text + a->used;

	if (length)
		memcpy(to, bytes, length);
	a->used += length;
	return to;
}

static void arguments_append(struct arguments *a, const SWT_ARG *from)
{
	uint32_t i = a->args.count++;
	SWT_ARG *arg = &a->args.arg[i];

	/* Caches the number in the caller's name, for its next interval. */
	attach_find_label(from->name->text, from->name->length, &from->name->number);
	a->name[i] = *from->name;
	a->name[i].text = arguments_copy(a, from->name->text, from->name->length);
	*arg = *from;
	arg->name = &a->name[i];
	if (!is_text(from))
		return;
	arg->length = args_text_length(from);
	arg->value.text = arguments_copy(a, from->value.text, arg->length);
}

int arguments_add(struct arguments *a, UINT32 count, const SWT_ARG *arg)
{
	/* At least 1: empty strings need an address, too. */
	size_t bytes = 1;

	if (count > SWT_ARGS_MAX - a->args.count)
		return PU_ERROR_INVALID_PARAMETER;
	for (UINT32 i = 0; i < count; i++)
		bytes += arg[i].name->length + args_text_length(&arg[i]);
	if (!arguments_reserve(a, bytes))
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	for (UINT32 i = 0; i < count; i++)
		arguments_append(a, &arg[i]);
	return PU_SUCCESS;
}
