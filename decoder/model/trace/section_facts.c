#include "section_facts.h"

#include "../hooks/record.h"

struct section_facts section_facts_of(const uint8_t *payload, uint32_t raw)
{
	struct section_facts f = {0};
	struct hook hook;
	uint32_t size = 0;

	for (uint32_t at = 0; at < raw && !f.broken; at += size) {
		enum record_kind kind = record_parse(payload + at, raw - at, &hook, &size);

		switch (kind) {
		case RECORD_HOOK:
			/* The hooks of a group share a stamp. */
			if (!f.hooks++ || hook.ticks != f.last || f.outer_last != f.last)
				section_facts_add_stamp(&f, hook.ticks);
			break;
		case RECORD_TORN:
			f.torn++;
			if (size >= REC_HEADER_SIZE)
				section_facts_add_torn(&f, get_le64(payload + at + REC_STAMP));
			break;
		case RECORD_BROKEN:
			f.broken = true;
			break;
		default:
			f.odd += kind != RECORD_PAD;
			break;
		}
	}
	return f;
}

static bool is_first(const struct section_facts *f, uint64_t stamp)
{
	return stamp == f->first || stamp == f->min || stamp == f->outer_first;
}

static bool is_last(const struct section_facts *f, uint64_t stamp)
{
	return stamp == f->last || stamp == f->max || stamp == f->outer_last;
}

const char *section_contradiction(const struct io_section *s, const struct section_facts *f)
{
	if (f->broken)
		return NULL;
	if (s->hooks < f->hooks || s->hooks - f->hooks > f->odd)
		return "its header counts other hooks than it holds";
	if (s->torn != f->torn)
		return "its header counts other torn records than it holds";
	if (f->hooks && !is_first(f, s->first))
		return "its header's first stamp is not that of its hooks";
	if (f->hooks && !is_last(f, s->last))
		return "its header's last stamp is not that of its hooks";
	return s->position % REC_ALIGN ? "its position is no multiple of 8" : NULL;
}

void section_correct(struct io_section *s, const struct section_facts *f)
{
	s->hooks = f->hooks;
	s->torn = f->torn;
	s->position &= ~(uint64_t)(REC_ALIGN - 1);
	if (f->hooks) {
		s->first = f->min;
		s->last = f->max;
	}
}
