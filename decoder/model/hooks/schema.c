/* Lookup in compiled schemas. */
#include "schema.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/schema_program.h"

struct schema_set {
	const struct schema *by_major[256];
	bool brought[256];
};

int schema_set_new(struct schema_set **set)
{
	*set = calloc(1, sizeof **set);
	return *set ? 0 : CPIDECODE_ENOMEM;
}

int schema_set_add(struct schema_set *set, const struct schema *s)
{
	for (unsigned i = 0; i < 256; i++)
		if (!set->by_major[i] && s->by_code[i]) {
			set->by_major[i] = s;
			set->brought[i] = true;
		}
	return 0;
}

void schema_set_add_builtin(struct schema_set *set, const struct schema *s)
{
	for (unsigned i = 0; i < 256; i++)
		if (!set->by_major[i])
			set->by_major[i] = s->by_code[i] ? s : NULL;
}

bool schema_set_brought(const struct schema_set *set, uint8_t major)
{
	return set->brought[major];
}

void schema_set_free(struct schema_set *set)
{
	free(set);
}

const struct schema_hook *schema_set_find(
	const struct schema_set *set, uint8_t major, uint32_t minor)
{
	const struct schema *s = set->by_major[major];

	return s ? schema_find(s, major, minor) : NULL;
}

const char *schema_set_major_name(const struct schema_set *set, uint8_t major, const char **title)
{
	const struct schema *s = set->by_major[major];
	const struct schema_major *m = s ? s->by_code[major] : NULL;

	if (title)
		*title = m ? m->title : NULL;
	return m ? m->name : NULL;
}

static bool schema_hook_has_field(const struct schema_hook *h, const char *name, size_t length)
{
	for (unsigned i = 0; i < h->nfields; i++)
		if (strncmp(h->fields[i].name, name, length) == 0 && !h->fields[i].name[length])
			return true;
	return false;
}

bool schema_set_has_field(const struct schema_set *set, const char *name, size_t length)
{
	for (unsigned major = 0; major < 256; major++) {
		const struct schema *s = set->by_major[major];
		const struct schema_major *m = s ? s->by_code[major] : NULL;

		for (uint32_t i = 0; m && i < m->nhooks; i++)
			if (schema_hook_has_field(&s->hooks[m->first_hook + i], name, length))
				return true;
	}
	return false;
}

const char *schema_hook_name(const struct schema_hook *h)
{
	return h->name;
}

const struct schema_field *schema_hook_fields(const struct schema_hook *h, unsigned *count)
{
	*count = h->nfields;
	return h->fields;
}

bool schema_hook_straight(const struct schema_hook *h)
{
	return h->straight;
}
