/*
 * Arguments of intervals: copied when an interval begins, written into its hook when it ends
 * (formats/interval_hooks.h). Allocates nothing.
 *
 * libtrace/measure/scope owns light intervals (swtrace.h). It includes core, counters, ring and
 * session. Errors: data without room is dropped.
 */
#ifndef SWT_MEASURE_SCOPE_ARGS_H
#define SWT_MEASURE_SCOPE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../formats/interval_hooks.h"
#include "../../../include/swtrace.h"

_Static_assert(SWT_ARGS_MAX == INTERVAL_ARGS_MAX, "one limit");

/* A copy; names and texts follow it in the same memory, as the code that names them may be unloaded
 * before the interval ends. */
struct args {
	uint32_t count;
	bool is_cut; /* an argument, or the end of a text, is missing */
	SWT_ARG arg[];
};

/* Bytes of a text that are kept; 0 of a number. */
static inline uint32_t args_text_length(const SWT_ARG *a)
{
	if (a->type != INTERVAL_ARG_TEXT || !a->value.text)
		return 0;
	return a->length < SWT_TEXT_MAX ? a->length : SWT_TEXT_MAX;
}

/* Size of a copy of all, in bytes. */
size_t args_bytes(UINT32 count, const SWT_ARG *arg);
/* Copies as many as fit into `room` bytes, aligned to 8, at least those of struct args. Returns the
 * bytes used. */
size_t args_copy(struct args *to, size_t room, UINT32 count, const SWT_ARG *arg);

/* Arguments as a hook states them. */
struct args_shape {
	uint32_t name[SWT_ARGS_MAX]; /* numbers of labels, 0: the name is a string */
	uint32_t texts;		     /* strings */
	uint32_t string_bytes;
};

/* In the rings that the calling thread is attached to. */
void args_find_shape(const struct args *args, struct args_shape *shape);
/* Drops the names: in another session their numbers would name other labels. */
void args_forget_names(const struct args *args, struct args_shape *shape);
/* INTERVAL_ARG_WORDS words for each. Returns the next word's address. */
uint8_t *args_write_words(uint8_t *p, const struct args *args, const struct args_shape *shape);
/* Returns the address after the last string. */
uint8_t *args_write_strings(uint8_t *p, const struct args *args, const struct args_shape *shape);

#endif
