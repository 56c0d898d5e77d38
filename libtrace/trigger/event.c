#include "event.h"

#include <string.h>

#include "../../formats/bytes.h"
#include "../../formats/cpi_hooks.h"
#include "../../formats/record.h"

/* Each kind's place within a group, and which of its words begin its figures. */
struct kind {
	uint32_t minor;
	uint32_t elapsed; /* word */
	uint32_t cpi;	  /* word; 0: none here */
};

static const struct kind kinds[EVENT_MINORS] = {{CPI_MINOR_LABEL_START, CPI_LABEL_ELAPSED, 0},
	{CPI_MINOR_SUMMARY, CPI_SUMMARY_ELAPSED, 0},
	{CPI_MINOR_SYSTEM, CPI_SYSTEM_ELAPSED, CPI_SYSTEM_CPI},
	{CPI_MINOR_PER_CPU, CPI_PER_CPU_ELAPSED, 0},
	{CPI_MINOR_THREAD, CPI_THREAD_ELAPSED, CPI_THREAD_CPI},
	{CPI_MINOR_QUALITY, CPI_QUALITY_ELAPSED, 0}, {CPI_MINOR_LABEL_END, CPI_LABEL_ELAPSED, 0}};

/* A record's fields, in bounds. */
struct fields {
	const uint8_t *words;
	uint32_t nwords, minor;
	int place;  /* within a CPI group; -1: no CPI hook */
	bool whole; /* it holds the words that it claims; else it carries nothing */
	bool has_elapsed;
	uint64_t elapsed;
};

static int event_index_of_minor(uint32_t minor)
{
	for (int i = 0; i < EVENT_MINORS; i++)
		if ((minor & CPI_MINOR_KIND) == kinds[i].minor)
			return i;
	return -1;
}

static uint32_t size_of(const uint8_t *record)
{
	return get_le32(record) & REC_SIZE_MASK;
}

static bool is_hook(const uint8_t *record, uint32_t room)
{
	return room >= REC_HEADER_SIZE && (get_le32(record) & REC_KIND_MASK) == REC_KIND_HOOK &&
	       size_of(record) >= REC_HEADER_SIZE && size_of(record) <= room;
}

static void read_fields(struct fields *f, const uint8_t *record)
{
	uint32_t words = get_le16(record + REC_NWORDS);

	f->words = record + REC_DATA;
	f->whole = REC_DATA + 4 * words <= size_of(record);
	f->nwords = f->whole ? words : 0;
	f->minor = get_le32(record + REC_MINOR);
	f->place = record[REC_MAJOR] == CPI_MAJOR ? event_index_of_minor(f->minor) : -1;
	f->has_elapsed = f->place >= 0 && kinds[f->place].elapsed + 2 <= f->nwords;
	f->elapsed = f->has_elapsed ? get_hl64(f->words + 4 * kinds[f->place].elapsed) : 0;
}

static void take_label(struct event *e, const struct fields *f, const uint8_t *record)
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
static void take_cpi(struct event *e, const uint8_t *words)
{
	uint64_t cpi = (uint64_t)get_le32(words) * CPI_FRACTION + get_le32(words + 4);

	if (cpi == 0)
		return;
	e->has_cpi = true;
	e->cpi = cpi;
}

/* The system's, then, if the group has one, the thread's. */
static void take_summary_cpi(struct event *e, const struct fields *f)
{
	bool whole = f->nwords >= CPI_SUMMARY_RAW;
	uint64_t cpus = whole ? get_le32(f->words + 4 * CPI_SUMMARY_CPUS) : 0;
	uint32_t types = whole ? get_le32(f->words + 4 * CPI_SUMMARY_TYPES) : 0;
	uint64_t at = CPI_SUMMARY_RAW + 2 * cpus;

	if (at + 2 > f->nwords)
		return;
	take_cpi(e, f->words + 4 * at);
	at += 2;
	if (types & CPI_HOOK_BUSY)
		at += CPI_SUMMARY_SCALED_WORDS * (cpus + 1);
	if ((types & CPI_HOOK_THREAD) && at + 2 <= f->nwords)
		take_cpi(e, f->words + 4 * at);
}

static void take_record(struct event *e, const struct fields *f, const uint8_t *record)
{
	e->minor[e->minors++] = f->minor;
	e->hooks++;
	e->bytes += size_of(record);
	if (f->place < 0)
		return;
	if (f->has_elapsed) {
		e->has_elapsed = true;
		e->elapsed = f->elapsed;
	}
	uint32_t kind = kinds[f->place].minor;
	if (kind == CPI_MINOR_LABEL_START || kind == CPI_MINOR_LABEL_END)
		take_label(e, f, record);
	else if (kind == CPI_MINOR_SUMMARY)
		take_summary_cpi(e, f);
	else if (kinds[f->place].cpi && kinds[f->place].cpi + 2 <= f->nwords)
		take_cpi(e, f->words + 4 * kinds[f->place].cpi);
}

/* Whether a record goes on with the group: the rule of trace-file.md, "Record". */
static bool same_group(const struct event *e, const struct fields *last, const struct fields *f,
	const uint8_t *record)
{
	return f->place > last->place && last->place >= 0 &&
	       get_le32(record + REC_TID) == e->number &&
	       get_le64(record + REC_STAMP) == e->stamp &&
	       (f->minor & CPI_MINOR_MM) == (last->minor & CPI_MINOR_MM) &&
	       f->has_elapsed == last->has_elapsed && f->elapsed == last->elapsed;
}

void event_take(struct event *e, const uint8_t *records, uint32_t bytes)
{
	struct fields last, next;

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
	read_fields(&last, records);
	take_record(e, &last, records);
	while (is_hook(records + e->bytes, bytes - e->bytes)) {
		const uint8_t *record = records + e->bytes;

		read_fields(&next, record);
		if (!same_group(e, &last, &next, record))
			return;
		take_record(e, &next, record);
		last = next;
	}
}
