#include "section_facts.h"

#include "../hooks/record.h"

static void add_hook(struct section_facts *f, uint64_t stamp)
{
	if (!f->hooks++) {
		f->first = f->min = f->max = stamp;
	} else {
		f->min = stamp < f->min ? stamp : f->min;
		f->max = stamp > f->max ? stamp : f->max;
	}
	f->last = stamp;
}

struct section_facts section_facts_of(const uint8_t *payload, uint32_t raw)
{
	struct section_facts f = {0};
	struct hook hook;
	uint32_t size;
	bool any = false;

	for (uint32_t at = 0; at < raw; at += size) {
		uint64_t stamp = 0;
		bool has_stamp = true;
		enum record_kind kind = record_parse(payload + at, raw - at, &hook, &size);

		/* The hooks of a group share a stamp. */
		if (kind == RECORD_HOOK && f.hooks && hook.ticks == f.last &&
			f.outer_last == f.last) {
			f.hooks++;
			continue;
		}
		if (kind == RECORD_HOOK) {
			stamp = hook.ticks;
			add_hook(&f, stamp);
		} else if (kind == RECORD_TORN && size >= REC_HEADER_SIZE) {
			stamp = get_le64(payload + at + REC_STAMP);
		} else {
			has_stamp = false;
			f.broken |= kind == RECORD_BROKEN;
			f.odd += kind == RECORD_MALFORMED || kind == RECORD_RESERVED;
		}
		f.torn += kind == RECORD_TORN;
		if (f.broken)
			break;
		if (!has_stamp)
			continue;
		f.outer_first = any ? f.outer_first : stamp;
		f.outer_last = stamp;
		any = true;
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
