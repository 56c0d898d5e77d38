/* A HOOKS payload: its records, their words and strings, their fields by the built-in schema. */
#include "../../decoder/model/hooks/record.h"
#include "../../decoder/model/hooks/schema.h"
#include "../../formats/record.h"
#include "fields.h"

static struct schema *cpi;

static void read_hook(struct hook *h, const uint8_t *record)
{
	const uint8_t *end = record + h->size, *strings = h->words + 4 * (size_t)h->nwords;

	PROMISE(h->words == record + REC_DATA && strings <= end, "words beyond the record");
	PROMISE(!h->nstrings || h->strings == strings, "strings apart from the words");
	for (unsigned i = 0; i < h->nstrings; i++) {
		uint32_t length;
		const char *s = hook_string(h, i, &length);

		PROMISE((const uint8_t *)s >= strings &&
				length <= (size_t)(end - (const uint8_t *)s),
			"string %u beyond the record", i);
	}
	h->schema = schema_find(cpi, h->major, h->minor);
	fields_read(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *p = exact_copy(data, size);
	size_t at = 0;

	if (!cpi)
		PROMISE(!schema_parse((const char *)cpidecode_schemas, cpidecode_schemas_size, &cpi,
				NULL),
			"the built-in schema");
	while (at < size) {
		struct hook h = {0};
		uint32_t step = 0;
		enum record_kind kind = record_parse(p + at, size - at, &h, &step);

		if (kind == RECORD_BROKEN)
			break;
		PROMISE(step >= REC_ALIGN && step % REC_ALIGN == 0 && step <= size - at,
			"a step of %u", step);
		if (kind == RECORD_HOOK)
			read_hook(&h, p + at);
		at += step;
	}
	free(p);
	return 0;
}
