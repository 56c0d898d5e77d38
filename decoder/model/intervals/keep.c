#include "keep.h"

#include <string.h>

#include "../../../include/cpidecode.h"

static int interval_keep_values(
	struct intern *memory, const struct interval *iv, struct interval *to)
{
	size_t bytes = iv->num_values * sizeof *iv->values;

	to->values = NULL;
	if (!bytes)
		return 0;
	struct interval_value *values = arena_alloc(memory, bytes + iv->values_bytes);
	if (!values)
		return CPIDECODE_ENOMEM;
	memcpy(values, iv->values, bytes);
	memcpy((char *)values + bytes, iv->value_texts, iv->values_bytes);
	to->values = values;
	to->value_texts = (char *)values + bytes;
	return 0;
}

/* A copy of an array; NULL: no memory. */
static void *interval_keep_array(struct intern *memory, const void *array, size_t bytes)
{
	void *to = arena_alloc(memory, bytes);

	return to ? memcpy(to, array, bytes) : NULL;
}

int interval_keep(struct intern *memory, const struct interval *iv, bool cpus, struct interval *to)
{
	*to = *iv;
	to->cpus = NULL;
	to->utils = NULL;
	if (iv->has_label) {
		to->label = intern_bytes(memory, iv->label, iv->label_len);
		if (!to->label)
			return CPIDECODE_ENOMEM;
	}
	if (iv->cpus && cpus) {
		to->cpus = interval_keep_array(memory, iv->cpus, iv->num_cpus * sizeof *iv->cpus);
		if (!to->cpus)
			return CPIDECODE_ENOMEM;
	}
	if (iv->utils && cpus) {
		to->utils =
			interval_keep_array(memory, iv->utils, iv->num_cpus * sizeof *iv->utils);
		if (!to->utils)
			return CPIDECODE_ENOMEM;
	}
	return interval_keep_values(memory, iv, to);
}
