#include "partition.h"

#include <stdio.h>

#include <string.h>

#include "../../../formats/base/number.h"
#include "../../../formats/base/text.h"
#include "../../sink/escapes.h"
#include "../../sink/units.h"

enum { DATE_LENGTH = 10 };

/* Hive's name for a null partition value. */
#define PARTITION_NULL "__HIVE_DEFAULT_PARTITION__"

static bool partition_parse_name(struct partition_key *key, char expected[PARTITION_EXPECTED])
{
	size_t n = 0;

	while (n < key->name_length &&
		(text_is_word_letter(key->name[n]) || (n && number_digit(key->name[n], 10) >= 0)))
		n++;
	if (n && n == key->name_length && key->value_length)
		return true;
	snprintf(expected, PARTITION_EXPECTED, "host, date or KEY=VALUE, with commas between");
	return false;
}

static bool partition_parse_key(struct partition_key *key, const char *text, size_t length,
	char expected[PARTITION_EXPECTED])
{
	const char *equals = memchr(text, '=', length);

	*key = (struct partition_key){.kind = PARTITION_GIVEN, .name = text, .name_length = length};
	if (equals) {
		key->name_length = (size_t)(equals - text);
		key->value = equals + 1;
		key->value_length = length - key->name_length - 1;
	}
	if (length == 4 && memcmp(text, "host", length) == 0)
		key->kind = PARTITION_HOST;
	else if (length == 4 && memcmp(text, "date", length) == 0)
		key->kind = PARTITION_DATE;
	else
		return partition_parse_name(key, expected);
	return true;
}

static bool partition_has_name(const struct partition *p, const struct partition_key *key)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->keys[i].name_length == key->name_length &&
			memcmp(p->keys[i].name, key->name, key->name_length) == 0)
			return true;
	return false;
}

bool partition_parse(
	struct partition *p, const char *text, size_t *at, char expected[PARTITION_EXPECTED])
{
	*p = (struct partition){.count = 0};
	for (*at = 0;; (*at)++) {
		struct partition_key key;
		size_t length = strcspn(text + *at, ",");

		if (!partition_parse_key(&key, text + *at, length, expected))
			return false;
		if (partition_has_name(p, &key)) {
			snprintf(expected, PARTITION_EXPECTED, "each key once");
			return false;
		}
		if (p->count == PARTITION_KEYS) {
			snprintf(expected, PARTITION_EXPECTED, "up to %d keys", PARTITION_KEYS);
			return false;
		}
		p->keys[p->count++] = key;
		*at += length;
		if (!text[*at])
			return true;
	}
}

bool partition_is_host(const struct partition_key *key)
{
	return key->name_length == 4 && memcmp(key->name, "host", 4) == 0;
}

bool partition_has_host(const struct partition *p)
{
	for (unsigned i = 0; i < p->count; i++)
		if (partition_is_host(&p->keys[i]))
			return true;
	return false;
}

/* Escapes as Hive does: other bytes become %XX. */
static void partition_escape(struct out *o, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (number_digit(s[i], 10) >= 0 || text_is_word_letter(s[i]) || s[i] == '-' ||
			s[i] == '.') {
			out_char(o, s[i]);
		} else {
			out_char(o, '%');
			out_hex(o, (uint8_t)s[i], 2);
		}
	}
}

/* Readers expect UTF-8. */
static void partition_write_text(struct out *o, const char *s, size_t n)
{
	struct out text;

	out_memory(&text);
	escape_utf8(&text, s, n);
	if (text.len)
		partition_escape(o, text.buf, text.len);
	if (text.error && !o->error)
		o->error = text.error;
	out_discard(&text);
}

static void partition_write_date(struct out *o, const struct trace *t)
{
	struct out text;
	int64_t first, last;

	if (!trace_span(t, &first, &last)) {
		out_str(o, PARTITION_NULL);
		return;
	}
	out_memory(&text);
	units_iso8601(&text, first);
	if (!text.error && text.len > DATE_LENGTH && text.buf[DATE_LENGTH] == 'T')
		out_bytes(o, text.buf, DATE_LENGTH);
	else
		out_str(o, PARTITION_NULL);
	if (text.error && !o->error)
		o->error = text.error;
	out_discard(&text);
}

static void partition_write_value(
	struct out *o, const struct partition_key *key, const struct trace *t)
{
	const char *host;

	switch (key->kind) {
	case PARTITION_DATE:
		partition_write_date(o, t);
		break;
	case PARTITION_HOST:
		host = trace_meta_value(trace_file(t, 0), "host");
		if (host && *host)
			partition_write_text(o, host, strlen(host));
		else
			out_str(o, PARTITION_NULL);
		break;
	default:
		partition_write_text(o, key->value, key->value_length);
	}
}

/* Readers skip names that begin with . or _. */
static void partition_write_name(struct out *o, const char *name)
{
	if (*name == '.' || *name == '_') {
		out_char(o, '%');
		out_hex(o, (uint8_t)*name++, 2);
	}
	partition_escape(o, name, strlen(name));
}

/* A file that was imported has no id. */
static void partition_write_id(struct out *o, const struct trace_file *f)
{
	if (f->import)
		return;
	out_char(o, '.');
	for (unsigned i = 0; i < sizeof f->header.trace_id; i++)
		out_hex(o, f->header.trace_id[i], 2);
}

void partition_write_path(struct out *o, const struct partition *p, const struct trace *t,
	const char *folder, const char *name)
{
	const char *slash = strrchr(name, '/');

	out_str(o, folder);
	for (unsigned i = 0; i < p->count; i++) {
		out_char(o, '/');
		out_bytes(o, p->keys[i].name, p->keys[i].name_length);
		out_char(o, '=');
		partition_write_value(o, &p->keys[i], t);
	}
	name = slash ? slash + 1 : strcmp(name, "-") == 0 ? "stdin" : name;
	out_char(o, '/');
	partition_write_name(o, name);
	partition_write_id(o, trace_file(t, 0));
	out_str(o, ".parquet");
	out_char(o, '\0');
}
