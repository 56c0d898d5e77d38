/* A schema's text up to the first zero byte, then words that its hooks decode. */
#include "../../decoder/model/hooks/record.h"
#include "../../decoder/model/hooks/schema.h"
#include "../../formats/schema_program.h"
#include "../lib/trace_build.h"
#include "fields.h"

/* The rest of the input as one record: its words, then up to 4 strings from the same bytes. */
static uint8_t *make_record(const uint8_t *p, size_t n, struct hook *h)
{
	unsigned nstrings = n ? p[0] % 5 : 0;
	size_t nwords = n / 4 > 1000 ? 1000 : n / 4;
	struct bytes b = {0}, strings = {0};
	struct made_record r = {.nstrings = (uint8_t)nstrings, .nwords = (uint16_t)nwords};
	uint32_t words[1000];

	for (size_t i = 0; i < nwords; i++)
		words[i] = get_le32(p + 4 * i);
	r.words = words;
	for (unsigned i = 0; i < nstrings; i++)
		put_string(&strings, "str", 3);
	put_record(&b, &r, &strings);
	uint8_t *record = exact_copy(b.p, b.n);
	size_t size = b.n;
	bytes_free(&b);
	bytes_free(&strings);
	uint32_t step;
	PROMISE(record_parse(record, size, h, &step) == RECORD_HOOK, "a record of words");
	return record;
}

static void check_error(const struct schema_error *error)
{
	PROMISE(memchr(error->reason, 0, sizeof error->reason) && error->reason[0], "no reason");
}

static void use_schema(const struct schema *s, const uint8_t *p, size_t n)
{
	struct hook h = {0};
	struct schema_set *set;
	uint8_t *record = make_record(p, n, &h);

	PROMISE(!schema_set_new(&set), "memory");
	schema_set_add(set, s);
	for (uint32_t m = 0; m < s->nmajors; m++) {
		const struct schema_major *major = &s->majors[m];

		PROMISE(s->by_code[major->code], "major %u", major->code);
		for (uint32_t i = 0; i < major->nhooks; i++) {
			const struct schema_hook *hook = &s->hooks[major->first_hook + i];
			unsigned count;
			const struct schema_field *f = schema_hook_fields(hook, &count);

			for (unsigned k = 0; k < count; k++)
				for (unsigned j = 0; j < k; j++)
					PROMISE(strcmp(f[j].name, f[k].name) != 0,
						"a field's name twice");
			PROMISE(schema_set_find(set, major->code, hook->minor) ==
					schema_find(s, major->code, hook->minor),
				"one schema, two answers");
			h.schema = hook;
			fields_read(&h);
		}
	}
	schema_set_free(set);
	free(record);
}

static void count_refused(void *arg, const struct schema_error *error)
{
	check_error(error);
	++*(unsigned *)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct schema_error error = {0};
	struct schema *s = NULL;
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t length = zero ? (size_t)(zero - data) : size;
	char *text = (char *)exact_copy(data, length);
	unsigned refused = 0;
	int rc = schema_parse(text, length, &s, &error);

	PROMISE(!rc || rc == SCHEMA_REFUSED, "code %d", rc);
	if (rc)
		check_error(&error);
	schema_free(s);
	int code = schema_salvage(text, length, &s, count_refused, &refused);
	PROMISE(!code || length > SCHEMA_MAX_TEXT, "code %d", code);
	PROMISE(rc || !refused, "a text that is fine has %u bad lines", refused);
	/* The schema owns the names it keeps. */
	free(text);
	if (!code)
		use_schema(s, data + length, size - length);
	schema_free(s);
	return 0;
}
