#include "args.h"

#include <string.h>

#include "../../../formats/bytes.h"
#include "../../ring/hook.h"
#include "../../session/attach.h"

static uint32_t args_kept(UINT32 count)
{
	return count < SWT_ARGS_MAX ? count : SWT_ARGS_MAX;
}

enum { ARGS_EACH_BYTES = sizeof(SWT_ARG) + sizeof(swtrace_label_) };

size_t args_bytes(UINT32 count, const SWT_ARG *arg)
{
	uint32_t kept = args_kept(count);
	size_t bytes = sizeof(struct args) + kept * ARGS_EACH_BYTES;

	for (uint32_t i = 0; i < kept; i++)
		bytes += (size_t)arg[i].name->length + args_text_length(&arg[i]);
	return (bytes + 7) & ~(size_t)7;
}

static void args_copy_name(swtrace_label_ *to, char *text, const swtrace_label_ *from)
{
	memcpy(text, from->text, from->length);
	to->text = text;
	to->length = from->length;
	/* Other threads may find it meanwhile. */
	to->number = __atomic_load_n(&from->number, __ATOMIC_RELAXED);
}

size_t args_copy(struct args *to, size_t room, UINT32 count, const SWT_ARG *arg)
{
	uint32_t kept = args_kept(count), i;
	swtrace_label_ *names;
	size_t at;

	if (kept > (room - sizeof *to) / ARGS_EACH_BYTES)
		kept = (uint32_t)((room - sizeof *to) / ARGS_EACH_BYTES);
	names = (swtrace_label_ *)(void *)&to->arg[kept];
	at = sizeof *to + kept * ARGS_EACH_BYTES;
	to->is_cut = false;
	for (i = 0; i < kept && arg[i].name->length <= room - at; i++) {
		SWT_ARG *a = &to->arg[i];
		uint32_t length = args_text_length(&arg[i]);

		*a = arg[i];
		args_copy_name(&names[i], (char *)to + at, arg[i].name);
		a->name = &names[i];
		at += a->name->length;
		if (a->type != INTERVAL_ARG_TEXT)
			continue;
		if (length > room - at)
			length = (uint32_t)(room - at);
		to->is_cut |= arg[i].value.text && length < arg[i].length;
		a->value.text = (uint8_t *)to + at;
		a->length = length;
		if (length)
			memcpy((uint8_t *)to + at, arg[i].value.text, length);
		at += length;
	}
	to->count = i;
	to->is_cut |= i < count;
	return (at + 7) & ~(size_t)7;
}

void args_find_shape(const struct args *args, struct args_shape *shape)
{
	shape->texts = shape->string_bytes = 0;
	for (uint32_t i = 0; i < args->count; i++) {
		const SWT_ARG *a = &args->arg[i];

		shape->name[i] =
			attach_find_label(a->name->text, a->name->length, &a->name->number);
		if (shape->name[i] == 0) {
			shape->texts++;
			shape->string_bytes += rec_string_bytes(a->name->length);
		}
		if (a->type == INTERVAL_ARG_TEXT) {
			shape->texts++;
			shape->string_bytes += rec_string_bytes(a->length);
		}
	}
}

void args_forget_names(const struct args *args, struct args_shape *shape)
{
	for (uint32_t i = 0; i < args->count; i++)
		if (shape->name[i])
			shape->name[i] = INTERVAL_LABEL_UNKNOWN;
}

uint8_t *args_write_words(uint8_t *p, const struct args *args, const struct args_shape *shape)
{
	for (uint32_t i = 0; i < args->count; i++, p += 4 * INTERVAL_ARG_WORDS) {
		const SWT_ARG *a = &args->arg[i];

		put_le32(p + 4 * INTERVAL_ARG_NAME, shape->name[i]);
		put_le32(p + 4 * INTERVAL_ARG_TYPE, a->type);
		put_hl64(p + 4 * INTERVAL_ARG_VALUE, a->type == INTERVAL_ARG_TEXT ? 0 : a->value.u);
	}
	return p;
}

uint8_t *args_write_strings(uint8_t *p, const struct args *args, const struct args_shape *shape)
{
	for (uint32_t i = 0; i < args->count; i++) {
		const SWT_ARG *a = &args->arg[i];

		if (shape->name[i] == 0)
			p = hook_string(p, a->name->text, a->name->length);
		if (a->type == INTERVAL_ARG_TEXT)
			p = hook_string(p, a->value.text, a->length);
	}
	return p;
}
