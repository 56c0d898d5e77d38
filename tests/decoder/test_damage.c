/*
 * Three small traces with every byte changed, and cut off everywhere: every other section is
 * read, and the damage is told to the byte, whether the file is verified first or later.
 */
#include <stdlib.h>

#include "../../include/cpidecode.h"
#include "open.h"
#include "../lib/suites.h"

enum { MOST_SECTIONS = 32, MOST_HOOKS = 128 };

/* A hook, as far as it tells where it came from. */
struct place {
	uint32_t ring, minor;
	uint64_t position, ticks;
};

struct reading {
	struct place hook[MOST_HOOKS];
	size_t nhooks;
	int64_t first, last;
	size_t ndamage, ninside;
	uint64_t offset, bytes; /* of the first damage */
};

/* An undamaged trace and where its sections are. */
struct whole {
	struct bytes b;
	size_t at[MOST_SECTIONS + 1];
	size_t end[MOST_SECTIONS]; /* of the payload, without the zeros after it */
	size_t sections;
	struct reading read;
};

static const enum trace_verify ways[] = {VERIFY_ALL, VERIFY_LATER};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

/* The first code that is not 0. Assertions of the test library cost too much in here. */
static int read_hooks_of(const struct trace *t, struct reading *r)
{
	struct hook_iter *it;
	const struct hook *h;
	const struct hook_damage *inside;
	int rc = hook_iter_open(t, &it);

	while (!rc && (rc = hook_iter_next(it, &h)) > 0 && r->nhooks < MOST_HOOKS) {
		r->hook[r->nhooks++] = (struct place){.ring = h->ring,
			.minor = h->minor,
			.position = h->position,
			.ticks = h->ticks};
		rc = 0;
	}
	inside = hook_iter_damage(it, &r->ninside);
	if (r->ninside && !r->ndamage)
		r->offset = inside->offset;
	hook_iter_close(it);
	if (r->nhooks)
		qsort(r->hook, r->nhooks, sizeof *r->hook, by_place);
	return rc;
}

/* 0, or why it cannot be opened or read. */
static int read_trace(const uint8_t *p, size_t n, enum trace_verify how, struct reading *r)
{
	struct trace *t;

	*r = (struct reading){0};
	int rc = trace_new(&t);
	if (rc)
		return rc;
	trace_set_verify(t, how);
	rc = trace_add_memory(t, p, n, "memory");
	if (!rc) {
		const struct trace_file *f = trace_file(t, 0);

		r->ndamage = f->ndamage;
		if (f->ndamage) {
			r->offset = f->damage[0].offset;
			r->bytes = f->damage[0].bytes;
		}
		r->first = (int64_t)f->first;
		r->last = (int64_t)f->last;
		rc = read_hooks_of(t, r);
	}
	trace_free(t);
	return rc;
}

static void build_whole(struct whole *w, uint8_t codec)
{
	*w = (struct whole){0};
	put_small_trace(&w->b, codec);
	size_t at = TF_HEADER_SIZE;
	while (at < w->b.n) {
		ck_assert_uint_lt(w->sections, MOST_SECTIONS);
		uint32_t stored = get_le32(w->b.p + at + TF_S_STORED);
		w->at[w->sections] = at;
		w->end[w->sections++] = at + TF_SECTION_SIZE + stored;
		at += TF_SECTION_SIZE + ((stored + 7) & ~7u);
	}
	w->at[w->sections] = at;
	ck_assert_int_eq(read_trace(w->b.p, w->b.n, VERIFY_ALL, &w->read), 0);
	ck_assert_uint_gt(w->read.nhooks, 40);
	ck_assert_uint_eq(w->read.ndamage + w->read.ninside, 0);
}

static bool is_hooks(const struct whole *w, size_t section)
{
	return get_le16(w->b.p + w->at[section] + TF_S_TYPE) == TF_TYPE_HOOKS;
}

/* Does a hook stand in one of these sections? Judged by the undamaged headers. */
static bool stands_in(const struct whole *w, const struct place *h, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const uint8_t *s = w->b.p + w->at[i];
		uint64_t position = get_le64(s + TF_S_POSITION);

		if (is_hooks(w, i) && get_le32(s + TF_S_RING) == h->ring &&
			h->position >= position && h->position < position + get_le32(s + TF_S_RAW))
			return true;
	}
	return false;
}

/* Are all hooks but those of the sections [from, to) there, and no others? */
static bool all_but(const struct whole *w, const struct reading *r, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = 0; i < w->read.nhooks; i++) {
		const struct place *h = &w->read.hook[i];

		if (stands_in(w, h, from, to))
			continue;
		if (n == r->nhooks || memcmp(&r->hook[n], h, sizeof *h))
			return false;
		n++;
	}
	return n == r->nhooks;
}

static size_t section_of(const struct whole *w, size_t byte)
{
	size_t i = 0;

	while (w->at[i + 1] <= byte)
		i++;
	return i;
}

/* The result required for a section that is wrong from `byte` on. */
static bool section_told(const struct whole *w, const struct reading *r, size_t byte)
{
	size_t k = section_of(w, byte);
	/* The zeros after a payload belong to no section's contents. */
	bool matters = byte < w->end[k];

	if (!all_but(w, r, k, matters ? k + 1 : k) || r->ndamage + r->ninside != matters)
		return false;
	/* The values of a damaged header are not used. */
	if (r->first < w->read.first || r->last > w->read.last)
		return false;
	if (!matters)
		return true;
	return r->offset == w->at[k] && (!r->ndamage || r->bytes == w->at[k + 1] - w->at[k]);
}

static bool header_told(const struct whole *w, const struct reading *r, int rc, size_t byte)
{
	/* Magic and version identify a trace. */
	if (byte < TF_H_VERSION_MINOR)
		return rc == (byte < 8 ? CPIDECODE_ENOTTRACE : CPIDECODE_EVERSION);
	return !rc && all_but(w, r, 0, 0) && r->ndamage == 1 && r->offset == 0 &&
	       r->bytes == TF_HEADER_SIZE;
}

static void check_change(const struct whole *w, size_t byte, uint8_t value)
{
	uint8_t was = w->b.p[byte];

	if (value == was)
		return;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct reading r;

		w->b.p[byte] = value;
		int rc = read_trace(w->b.p, w->b.n, ways[i], &r);
		w->b.p[byte] = was;
		bool right = byte < TF_HEADER_SIZE ? header_told(w, &r, rc, byte)
						   : !rc && section_told(w, &r, byte);
		if (!right)
			ck_abort_msg("byte %zu set to %u, way %u", byte, value, ways[i]);
	}
}

static void change_every_byte(uint8_t codec)
{
	struct whole w;

	build_whole(&w, codec);
	for (size_t i = 0; i < w.b.n; i++) {
		check_change(&w, i, w.b.p[i] ^ 0x01);
		check_change(&w, i, w.b.p[i] ^ 0x80);
		check_change(&w, i, 0x00);
		check_change(&w, i, 0xff);
	}
	bytes_free(&w.b);
}

START_TEST(every_byte_of_a_raw_trace)
{
	change_every_byte(TF_CODEC_NONE);
}
END_TEST

START_TEST(every_byte_of_an_lz4_trace)
{
	change_every_byte(TF_CODEC_LZ4);
}
END_TEST

START_TEST(every_byte_of_a_zlib_trace)
{
	change_every_byte(TF_CODEC_ZLIB);
}
END_TEST

static bool cut_told(const struct whole *w, const struct reading *r, size_t n)
{
	size_t k = section_of(w, n);
	bool cut = n < w->end[k], damage = cut && n > w->at[k];

	return all_but(w, r, cut ? k : k + 1, w->sections) && r->ndamage == damage && !r->ninside &&
	       (!damage || (r->offset == w->at[k] && r->bytes == n - w->at[k]));
}

static void cut_everywhere(uint8_t codec)
{
	struct whole w;

	build_whole(&w, codec);
	for (size_t n = 0; n < w.b.n; n++) {
		/* A copy of its own, so that a byte too far is seen. */
		uint8_t *copy = malloc(n ? n : 1);

		memcpy(copy, w.b.p, n);
		for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
			struct reading r;
			int rc = read_trace(copy, n, ways[i], &r);
			int refusal = n ? CPIDECODE_ETRUNCATED : CPIDECODE_EEMPTY;
			bool right =
				n < TF_HEADER_SIZE ? rc == refusal : !rc && cut_told(&w, &r, n);

			if (!right)
				ck_abort_msg("cut off at %zu, way %u", n, ways[i]);
		}
		free(copy);
	}
	bytes_free(&w.b);
}

START_TEST(every_truncation)
{
	cut_everywhere(TF_CODEC_NONE);
	cut_everywhere(TF_CODEC_LZ4);
	cut_everywhere(TF_CODEC_ZLIB);
}
END_TEST

/* Every byte of a section at once, with noise and with zeros. */
START_TEST(every_section_overwritten)
{
	for (uint8_t codec = 0; codec <= TF_CODEC_ZLIB; codec++) {
		for (unsigned noise = 0; noise < 2; noise++) {
			struct whole w;

			build_whole(&w, codec);
			for (size_t k = 0; k < w.sections; k++) {
				size_t n = w.at[k + 1] - w.at[k];
				uint8_t *was = malloc(n);

				memcpy(was, w.b.p + w.at[k], n);
				struct reading r[2];
				for (size_t i = 0; i < n; i++)
					w.b.p[w.at[k] + i] = noise ? (uint8_t)(i * 7919 >> 3) : 0;
				for (size_t i = 0; i < 2; i++)
					ck_assert_int_eq(
						read_trace(w.b.p, w.b.n, ways[i], &r[i]), 0);
				memcpy(w.b.p + w.at[k], was, n);
				for (size_t i = 0; i < 2; i++)
					ck_assert(section_told(&w, &r[i], w.at[k]));
				free(was);
			}
			bytes_free(&w.b);
		}
	}
}
END_TEST

SUITE_MAIN("damage", every_byte_of_a_raw_trace, every_byte_of_an_lz4_trace,
	every_byte_of_a_zlib_trace, every_truncation, every_section_overwritten)
