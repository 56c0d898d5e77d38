#include "record_part.h"

#include <string.h>

static size_t part_string_length(const char *text, size_t most)
{
	return text ? strnlen(text, most) : 0;
}

void record_string(struct record_part *p, const char *text, size_t most)
{
	p->string[p->strings++] = (TRACE_STRING){
		.bytes = text ? text : "", .length = (UINT32)part_string_length(text, most)};
}

size_t record_string_bytes(const char *text, size_t most)
{
	return rec_any_string_bytes(part_string_length(text, most));
}

void record_write(struct record_part *p, uint32_t minor)
{
	int rc = TraceHookData(COUNTERS_MAJOR, minor, p->words, p->word, p->strings, p->string);

	if (rc)
		p->lost = rc;
	p->words = p->strings = 0;
}
