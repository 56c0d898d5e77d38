/* cpidecode.h: hooks in order. */
#include <stdlib.h>

#include "../intervals/api_private.h"
#include "../trace/nrm2_tail.h"

struct cpidecode_hooks {
	const struct trace *trace;
	struct hook_iter *it;
	cpidecode_hook hook;
	const struct hook *current; /* NULL: no hook */
	struct hook copy;	    /* of a hook of an NRM2 file, with its own stamp */
	uint64_t group_ticks;
	bool walking; /* the cursor walks its fields */
	struct field_cursor fields;
};

int cpidecode_hooks_open(const cpidecode_trace *t, cpidecode_hooks **it)
{
	*it = calloc(1, sizeof **it);
	if (*it)
		(*it)->trace = t->trace;
	int rc = *it ? hook_iter_open(t->trace, &(*it)->it) : CPIDECODE_ENOMEM;
	if (rc) {
		free(*it);
		*it = NULL;
	}
	return rc;
}

int cpidecode_hooks_next(cpidecode_hooks *it, const cpidecode_hook **hook)
{
	const struct hook *h;

	*hook = NULL;
	it->current = NULL;
	it->walking = false;
	int rc = hook_iter_next(it->it, &h);
	if (rc <= 0)
		return rc;
	it->current = h;
	it->group_ticks = h->ticks;
	h = hook_as_written(it->trace, h, &it->copy);
	it->hook = (cpidecode_hook){
		.ticks = h->ticks,
		.time_ns = h->time_ns,
		.ring = h->ring,
		.tid = h->tid,
		.pid = h->task ? h->task->pid : 0,
		.minor = h->minor,
		.major = h->major,
		.nstrings = h->nstrings,
		.nwords = h->nwords,
		.file = h->file,
		.position = h->position,
		.task = h->task ? h->task->name : NULL,
		.name = h->schema ? schema_hook_name(h->schema) : NULL,
		.words = h->words,
		.strings = h->strings,
	};
	*hook = &it->hook;
	return 1;
}

uint64_t cpidecode_hooks_group_ticks(const cpidecode_hooks *it)
{
	return it->current ? it->group_ticks : 0;
}

const char *cpidecode_hook_string(const cpidecode_hook *h, unsigned i, size_t *length)
{
	struct hook inner = {.strings = h->strings};
	uint32_t n = 0;

	*length = 0;
	if (i >= h->nstrings)
		return NULL;
	const char *s = hook_string(&inner, i, &n);
	*length = n;
	return s;
}

int cpidecode_hooks_seek(cpidecode_hooks *it, int64_t time_ns)
{
	it->current = NULL;
	return hook_iter_seek(it->it, time_ns);
}

static void fill_field(cpidecode_field *to, const struct field_value *v)
{
	*to = (cpidecode_field){.name = v->field->name,
		.turn = v->turn,
		.repeated = v->field->repeated,
		.not_measured = v->not_measured};
	switch (v->field->type) {
	case FIELD_U32:
	case FIELD_U64:
		to->type = CPIDECODE_FIELD_U64;
		to->u = v->u;
		break;
	case FIELD_I32:
	case FIELD_I64:
		to->type = CPIDECODE_FIELD_I64;
		to->i = v->i;
		break;
	case FIELD_FIX4:
		to->type = CPIDECODE_FIELD_FIX4;
		to->u = v->u;
		break;
	case FIELD_F64:
		to->type = CPIDECODE_FIELD_F64;
		to->f = v->f;
		break;
	case FIELD_STRING:
		to->type = CPIDECODE_FIELD_STRING;
		to->string = v->string;
		to->length = v->length;
		break;
	}
}

_Static_assert(
	(int)CPIDECODE_FIT_SHORT == (int)FIT_SHORT && (int)CPIDECODE_FIT_LONG == (int)FIT_LONG,
	"they are handed out as they are");

int cpidecode_hooks_field(cpidecode_hooks *it, cpidecode_field *field, unsigned *fit)
{
	struct field_value v;

	if (fit)
		*fit = 0;
	if (!it->current)
		return 0;
	if (!it->walking)
		field_start(&it->fields, it->current);
	it->walking = true;
	if (field_next(&it->fields, &v)) {
		fill_field(field, &v);
		return 1;
	}
	if (fit && it->current->schema)
		*fit = it->fields.fit;
	return 0;
}

int cpidecode_hooks_damage(
	const cpidecode_hooks *it, size_t i, size_t *file, cpidecode_damage_info *info)
{
	struct findings found = {0};
	int rc = findings_add(&found, it->trace, it->it);

	if (!rc && i >= found.ndamage)
		rc = CPIDECODE_EINVAL;
	if (!rc) {
		*file = found.damage[i].file;
		*info = (cpidecode_damage_info){.offset = found.damage[i].offset,
			.bytes = found.damage[i].bytes,
			.why = found.damage[i].why};
	}
	findings_free(&found);
	return rc;
}

void cpidecode_hooks_counts(const cpidecode_hooks *it, cpidecode_counts *counts)
{
	struct hook_counts c;

	hook_iter_counts(it->it, &c);
	*counts = (cpidecode_counts){.hooks = c.hooks,
		.torn = c.torn,
		.malformed = c.malformed,
		.damaged = c.bad_sections};
}

void cpidecode_hooks_close(cpidecode_hooks *it)
{
	if (!it)
		return;
	hook_iter_close(it->it);
	free(it);
}
