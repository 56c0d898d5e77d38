#include "event.h"

#include <string.h>

#include "../../formats/bytes.h"
#include "../../formats/cpi_group.h"
#include "../../formats/record.h"
#include "../../formats/scope_hooks.h"

/* A record's fields, in bounds. */
struct fields {
	const uint8_t *words;
	uint32_t nwords, minor;
	bool whole;		     /* it holds all its words; else it has no fields */
	struct group_identity group; /* PART_NONE: no hook of an interval */
};

static uint32_t size_of(const uint8_t *record)
{
	return rec_control_size(get_le32(record));
}

static bool is_hook(const uint8_t *record, uint32_t room)
{
	return room >= REC_HEADER_SIZE && rec_control_is_hook(get_le32(record)) &&
	       size_of(record) >= REC_HEADER_SIZE && size_of(record) <= room;
}

static void read_fields(struct fields *f, const uint8_t *record)
{
	uint32_t words = get_le16(record + REC_NWORDS);

	f->words = record + REC_DATA;
	f->whole = REC_DATA + 4 * words <= size_of(record);
	f->nwords = f->whole ? words : 0;
	f->minor = get_le32(record + REC_MINOR);
	enum group_part part = group_part(record[REC_MAJOR], f->minor);
	uint32_t at = group_kinds[part].elapsed;
	bool has_elapsed = part != PART_NONE && at + 2 <= f->nwords;
	f->group = group_identify(
		part, f->minor, has_elapsed, has_elapsed ? get_hl64(f->words + 4 * at) : 0);
}

static void event_read_label(struct event *e, const struct fields *f, const uint8_t *record)
{
	uint32_t at = REC_DATA + 4 * f->nwords, size = size_of(record);

	if (e->has_label || !f->whole || record[REC_NSTRINGS] == 0 || size - at < 4 ||
		get_le32(record + at) > size - at - 4)
		return;
	e->has_label = true;
	e->label = record + at + 4;
	e->label_length = get_le32(record + at);
}

/* 0 is not measured. */
static void event_read_cpi(struct event *e, const struct fields *f, uint64_t at)
{
	if (at + 2 > f->nwords)
		return;
	const uint8_t *words = f->words + 4 * at;
	uint64_t cpi = (uint64_t)get_le32(words) * CPI_FRACTION + get_le32(words + 4);

	if (cpi == 0)
		return;
	e->has_cpi = true;
	e->cpi = cpi;
}

/* The system's CPI, then the thread's if the group has one. */
static void event_read_summary_cpi(struct event *e, const struct fields *f)
{
	if (f->nwords < CPI_SUMMARY_RAW)
		return;
	uint64_t cpus = get_le32(f->words + 4 * CPI_SUMMARY_CPUS);
	uint32_t types = get_le32(f->words + 4 * CPI_SUMMARY_TYPES);

	event_read_cpi(e, f, CPI_SUMMARY_RAW + 2 * cpus);
	if (types & CPI_HOOK_THREAD)
		event_read_cpi(e, f, CPI_SUMMARY_RAW + cpi_summary_ratio_words(types, cpus));
}

static void event_read_args(struct event *e, const struct fields *f, const uint8_t *record,
	uint32_t count_at, uint32_t first)
{
	if (first > f->nwords)
		return;
	uint32_t count = get_le32(f->words + 4 * count_at);
	if (count > (f->nwords - first) / INTERVAL_ARG_WORDS)
		return;
	e->args = f->words + 4 * first;
	e->nargs = count;
	e->strings = f->words + 4 * f->nwords;
	e->strings_end = record + size_of(record);
}

static void event_read_events(struct event *e, const struct fields *f, const uint8_t *record)
{
	const uint32_t first = INTERVAL_EVENTS_WORD_FIRST;

	if (first > f->nwords)
		return;
	uint32_t count = get_le32(f->words + 4 * INTERVAL_EVENTS_WORD_COUNT);
	if (count > (f->nwords - first) / INTERVAL_EVENT_WORDS)
		return;
	e->events = f->words + 4 * first;
	e->nevents = count;
	e->event_names = f->words + 4 * f->nwords;
	e->event_names_end = record + size_of(record);
}

static void event_read_scope(struct event *e, const struct fields *f, const uint8_t *record)
{
	uint32_t first = group_kinds[f->group.part].first;

	if (f->nwords < first)
		return;
	uint32_t known = get_le32(f->words + 4 * SCOPE_WORD_KNOWN);
	e->label_number = get_le32(f->words + 4 * SCOPE_WORD_LABEL);
	e->has_label = e->label_number != 0;
	if (f->group.part != PART_SCOPE_ARGS)
		return;
	event_read_args(e, f, record, SCOPE_WORD_ARGUMENTS, first + scope_known_words(known));
	if (known & SCOPE_KNOWN_TEXT) {
		e->has_label = false;
		event_read_label(e, f, record);
		if (e->has_label && e->strings)
			e->strings = e->label - 4 + rec_string_bytes(e->label_length);
	}
}

static void event_read_record(struct event *e, const struct fields *f, const uint8_t *record)
{
	uint32_t cpi = group_kinds[f->group.part].cpi;

	if (record[REC_MAJOR] == e->major)
		e->minor[e->minors++] = f->minor;
	e->hooks++;
	e->bytes += size_of(record);
	if (f->group.has_elapsed) {
		e->has_elapsed = true;
		e->elapsed = f->group.elapsed;
	}
	switch ((enum group_part)f->group.part) {
	case PART_LABEL_START:
	case PART_LABEL_END:
	case PART_UTIL_LABEL_START:
	case PART_UTIL_LABEL_END:
		event_read_label(e, f, record);
		break;
	case PART_SUMMARY:
		event_read_summary_cpi(e, f);
		break;
	case PART_SCOPE:
	case PART_SCOPE_ARGS:
		event_read_scope(e, f, record);
		break;
	case PART_EVENTS:
		event_read_events(e, f, record);
		break;
	case PART_ARGS:
		event_read_args(e, f, record, INTERVAL_ARGS_WORD_COUNT, INTERVAL_ARGS_WORD_FIRST);
		break;
	default:
		if (cpi)
			event_read_cpi(e, f, cpi);
		break;
	}
}

/* Whether a record has the thread and stamp of the group. */
static bool event_is_sibling(const struct event *e, const uint8_t *record)
{
	return get_le32(record + REC_TID) == e->number && get_le64(record + REC_STAMP) == e->stamp;
}

void event_read(struct event *e, const uint8_t *records, uint32_t bytes)
{
	struct fields f;
	struct group_identity group;

	memset(e, 0, sizeof *e);
	if (!is_hook(records, bytes)) {
		e->bytes = size_of(records) >= 8 && size_of(records) <= bytes ? size_of(records)
									      : bytes;
		return;
	}
	e->record = records;
	e->major = records[REC_MAJOR];
	e->number = get_le32(records + REC_TID);
	e->stamp = get_le64(records + REC_STAMP);
	read_fields(&f, records);
	event_read_record(e, &f, records);
	group = f.group;
	for (uint32_t at = e->bytes, others = 0; is_hook(records + at, bytes - at);) {
		const uint8_t *record = records + at;

		read_fields(&f, record);
		at += size_of(record);
		if (!event_is_sibling(e, record))
			return;
		if (group_goes_on(&group, &f.group)) {
			group_go_on(&group, &f.group);
			event_read_record(e, &f, record);
			e->hooks += others;
			e->bytes = at;
			others = 0;
		} else if (group_is_companion(record[REC_MAJOR], (enum group_part)f.group.part)) {
			/* The group's if more of it follows. */
			others++;
		} else {
			return;
		}
	}
}

/* --------------------------------------------------------------------------------- figures */

/* Two words, if the hook has them. */
static uint64_t fields_read_long(const struct fields *f, uint64_t at)
{
	return at + 2 <= f->nwords ? get_hl64(f->words + 4 * at) : NOT_MEASURED;
}

/* 0 is not measured. */
static void figures_read_counts(struct event_figures *to, const struct fields *f, uint32_t at)
{
	const uint64_t instructions = fields_read_long(f, at), cycles = fields_read_long(f, at + 2);

	if (!instructions || !cycles || cycles == NOT_MEASURED)
		return;
	to->instructions = instructions;
	to->cycles = cycles;
}

/* The figures that the word `known` lists. */
static void figures_read_known(
	struct event_figures *to, const struct fields *f, const struct group_kind *kind)
{
	const uint32_t known = get_le32(f->words + 4 * kind->known);
	const uint32_t both = known & (kind->on_cpu | kind->switches);
	uint64_t at = kind->first;

	if (kind->major == SCOPE_MAJOR && known & SCOPE_KNOWN_NO_SWITCH)
		to->ctx_switches = 0;
	if (kind->turns)
		at += CPI_QUALITY_WORDS * (uint64_t)get_le32(f->words + 4 * kind->turns);
	/* Behind the figure of a lower bit. */
	if (both & kind->on_cpu)
		to->on_cpu_ns = fields_read_long(f, at + (both & (kind->on_cpu - 1u) ? 2 : 0));
	if (both & kind->switches)
		to->ctx_switches = fields_read_long(f, at + (both & (kind->switches - 1u) ? 2 : 0));
}

void event_read_figures(const struct event *e, struct event_figures *to)
{
	uint32_t at = 0, control;

	*to = (struct event_figures){NOT_MEASURED, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED};
	for (; rec_read_control(e->record, at, e->bytes, &control);
		at += rec_control_size(control)) {
		struct fields f;

		read_fields(&f, e->record + at);
		const struct group_kind *kind = &group_kinds[f.group.part];
		if (kind->counts)
			figures_read_counts(to, &f, kind->counts);
		if (kind->first && kind->first <= f.nwords)
			figures_read_known(to, &f, kind);
	}
}

/* ------------------------------------------------------------------------- labels, arguments */

bool event_find_label(const struct event *e, const uint8_t **text, uint32_t *length)
{
	if (e->has_label && !e->label)
		return e->labels && label_copy_find(e->labels, e->label_number, text, length);
	*text = e->label;
	*length = e->label_length;
	return e->has_label;
}

/* The next string, if it lies within the hook. */
static bool event_next_string(
	const uint8_t **at, const uint8_t *end, const uint8_t **text, uint32_t *length)
{
	uint64_t room = *at <= end ? (uint64_t)(end - *at) : 0;

	if (room < 4 || get_le32(*at) > room - 4)
		return false;
	*length = get_le32(*at);
	*text = *at + 4;
	*at += rec_string_bytes(*length);
	return true;
}

/* Whether a value has that name: by its number, or, of 0, by the next string. */
static bool event_is_named(const struct event *e, uint32_t number, const uint8_t **strings,
	const uint8_t *end, const char *name)
{
	const uint8_t *text;
	uint32_t length;
	bool is_known = number ? e->labels && label_copy_find(e->labels, number, &text, &length)
			       : event_next_string(strings, end, &text, &length);

	return is_known && length == strlen(name) && memcmp(text, name, length) == 0;
}

uint64_t event_find_count(const struct event *e, const char *name)
{
	const uint8_t *strings = e->event_names;
	uint64_t count = NOT_MEASURED;

	for (uint32_t i = 0; i < e->nevents; i++) {
		const uint8_t *words = e->events + 4 * INTERVAL_EVENT_WORDS * i;

		if (!event_is_named(e, get_le32(words + 4 * INTERVAL_EVENT_NAME), &strings,
			    e->event_names_end, name))
			continue;
		count = get_le32(words + 4 * INTERVAL_EVENT_FLAGS) & INTERVAL_EVENT_KNOWN
				? get_hl64(words + 4 * INTERVAL_EVENT_VALUE)
				: NOT_MEASURED;
	}
	return count;
}

bool event_has_scaled_counts(const struct event *e)
{
	for (uint32_t i = 0; i < e->nevents; i++) {
		const uint8_t *words = e->events + 4 * INTERVAL_EVENT_WORDS * i;

		if (get_le32(words + 4 * INTERVAL_EVENT_FLAGS) & INTERVAL_EVENT_KNOWN &&
			get_hl64(words + 4 * INTERVAL_EVENT_RUNNING) <
				get_hl64(words + 4 * INTERVAL_EVENT_ENABLED))
			return true;
	}
	return false;
}

bool event_find_arg(const struct event *e, const char *name, struct event_arg *arg)
{
	const uint8_t *strings = e->strings;
	bool found = false;

	for (uint32_t i = 0; i < e->nargs; i++) {
		const uint8_t *words = e->args + 4 * INTERVAL_ARG_WORDS * i;
		struct event_arg next = {.type = get_le32(words + 4 * INTERVAL_ARG_TYPE),
			.value = get_hl64(words + 4 * INTERVAL_ARG_VALUE)};
		const bool is_named = event_is_named(
			e, get_le32(words + 4 * INTERVAL_ARG_NAME), &strings, e->strings_end, name);

		if (next.type == INTERVAL_ARG_TEXT &&
			!event_next_string(&strings, e->strings_end, &next.text, &next.length))
			break;
		if (is_named) {
			*arg = next;
			found = true;
		}
	}
	return found;
}
