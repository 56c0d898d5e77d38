/* From the layout's description alone, as mktrace.c is from trace-file.md. */
#include "mk_nrm2.h"

#include <stdlib.h>
#include <string.h>

static bool big, in_section;
static uint8_t header[NRM2_HEADER]; /* the part common to all sections */
static size_t section;		    /* where the current one begins */
static struct bytes carried;	    /* the end of its data, for the next one */
static uint64_t stamp;
static size_t places[256];
static unsigned nplaces;
static struct {
	size_t at, size;
} kernel[2]; /* kallsyms, modules */

static void put(uint8_t *p, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static void append(struct bytes *b, uint64_t v, unsigned size)
{
	uint8_t bytes[8];

	put(bytes, v, size);
	add(b, bytes, size);
}

/* Fields that a statement may name; of a section all, of the file the last four. */
static bool set_field(const struct token *t)
{
	static const struct {
		const char *key;
		unsigned at, size;
	} fields[] = {{"header", 12, 4}, {"size", 16, 4}, {"cpu", 24, 4}, {"start", 36, 8},
		{"stop", 44, 8}, {"flag", 56, 4}, {"unpacked", 64, 4}, {"lost", 112, 4},
		{"type", 116, 4}, {"mode", 32, 4}, {"cpus", 60, 4}, {"word", 68, 4}};

	for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (strcmp(t->key, fields[i].key))
			continue;
		put(header + fields[i].at, number(t->text), fields[i].size);
		return true;
	}
	return false;
}

void nrm2_begin(struct line *l)
{
	struct token *order = next_token(l), *t;

	if (!order || (strcmp(order->text, "little") && strcmp(order->text, "big")))
		fail("nrm2 little or nrm2 big");
	big = strcmp(order->text, "big") == 0;
	memcpy(header, "NRM2", 4);
	put(header + 4, 0x04030201, 4);
	header[8] = 0x0A;
	put(header + 12, NRM2_HEADER, 4);
	put(header + 60, 1, 4);
	put(header + 68, 0x64, 4);
	memcpy(header + 248, "Linux  ", 8);
	while ((t = next_token(l))) {
		if (strcmp(t->key, "os") == 0 && t->length <= 8) {
			memset(header + 248, 0, 8);
			memcpy(header + 248, t->text, t->length);
		} else if (!set_field(t)) {
			fail("nrm2 has no %s", t->key);
		}
	}
}

static void close_section(struct bytes *file)
{
	if (!in_section)
		return;
	in_section = false;
	/* A size that was given is a lie on purpose. */
	uint8_t *size = file->p + section + 16;
	if (memcmp(size, "\0\0\0\0", 4) == 0)
		put(size, file->n - section - NRM2_HEADER, 4);
}

static void open_section(struct line *l, struct bytes *file)
{
	uint8_t common[NRM2_HEADER];
	struct token *type = next_token(l), *t;

	if (!type || nplaces == sizeof places / sizeof *places)
		fail("a section's type is missing, or there are too many sections");
	close_section(file);
	memcpy(common, header, sizeof common);
	put(header + 116,
		strcmp(type->text, "table") == 0   ? 1
		: strcmp(type->text, "trace") == 0 ? 2
		: strcmp(type->text, "final") == 0 ? 4
						   : number(type->text),
		4);
	while ((t = next_token(l)))
		if (!set_field(t))
			fail("a section has no %s", t->key);
	section = places[nplaces++] = file->n;
	in_section = true;
	add(file, header, NRM2_HEADER);
	memcpy(header, common, sizeof header);
	add(file, carried.p, carried.n);
	carried.n = 0;
}

/* hook MAJOR MINOR [at=N] [length=N] [type=N] [count=N] INTEGERS... STRINGS... */
static void hook(struct line *l, struct bytes *file)
{
	uint64_t major = next_number(l), minor = next_number(l), length = 0, type = 4, count = 0;
	struct bytes integers = {0}, strings = {0};
	struct token *t;
	bool counted = false;

	while ((t = next_token(l))) {
		if (strcmp(t->key, "at") == 0) {
			stamp = number(t->text);
		} else if (strcmp(t->key, "length") == 0) {
			length = number(t->text);
		} else if (strcmp(t->key, "type") == 0) {
			type = number(t->text);
		} else if (strcmp(t->key, "count") == 0) {
			count = number(t->text);
			counted = true;
		} else if (t->quoted) {
			append(&strings, t->length, 8);
			add(&strings, t->text, t->length);
			add_align(&strings, 8);
		} else {
			append(&integers, number(t->text), 8);
		}
	}
	if (type == 4)
		type = strings.n ? 2 : 0;
	if (!length)
		length = 16 + (type == 2 ? 8 : 0) + integers.n + strings.n;
	append(file, length | type, 2);
	append(file, major, 2);
	append(file, minor, 4);
	append(file, stamp, 8);
	if (type == 2)
		append(file, counted ? count : integers.n / 8, 8);
	add(file, integers.p, integers.n);
	add(file, strings.p, strings.n);
	free(integers.p);
	free(strings.p);
}

bool nrm2_statement(const char *what, struct line *l, struct bytes *file, bool *opened)
{
	*opened = strcmp(what, "section") == 0;
	if (*opened) {
		open_section(l, file);
		return true;
	}
	if (strcmp(what, "kallsyms") == 0 || strcmp(what, "modules") == 0) {
		unsigned i = *what == 'm';

		close_section(file);
		kernel[i].at = file->n;
		next_bytes(l, file);
		kernel[i].size = file->n - kernel[i].at;
		return true;
	}
	if (strcmp(what, "garbage") == 0) {
		close_section(file);
		next_bytes(l, file);
		return true;
	}
	if (!in_section)
		return false;
	if (strcmp(what, "hook") == 0) {
		hook(l, file);
	} else if (strcmp(what, "carry") == 0) {
		size_t n = next_number(l);

		if (n > file->n - section - NRM2_HEADER)
			fail("the section has not so many bytes");
		add(&carried, file->p + file->n - n, n);
		file->n -= n;
	} else if (strcmp(what, "bytes") == 0) {
		next_bytes(l, file);
	} else if (strcmp(what, "zeros") == 0) {
		add_zeros(file, next_number(l));
	} else {
		return false;
	}
	return true;
}

void nrm2_finish(struct bytes *file)
{
	close_section(file);
	for (unsigned i = 0; i < nplaces; i++) {
		for (unsigned k = 0; k < 2; k++) {
			put(file->p + places[i] + 80 + 16 * k, kernel[k].at, 8);
			put(file->p + places[i] + 88 + 16 * k, kernel[k].size, 8);
		}
	}
}
