/*
 * Arrays of pages: what they hold stays, what is new is 0, and one that cannot grow is as it was.
 * The kernel's part is played by the functions below, which fail when they are told to.
 */
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../decoder/base/pages.h"
#include "../../include/cpidecode.h"
#include "../lib/suites.h"

enum { SMALL = 512 << 10, LARGE = 2 << 20 };

/* Which call fails, 1: the next one; 0: none. */
static unsigned mmap_fails, mremap_fails;

static bool fails(unsigned *when)
{
	return *when && !--*when;
}

static void *mapped(long address)
{
	return (void *)(uintptr_t)address;
}

void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	if (fails(&mmap_fails)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return mapped(syscall(SYS_mmap, at, bytes, prot, flags, fd, offset));
}

void *mremap(void *from, size_t before, size_t after, int flags, ...)
{
	if (fails(&mremap_fails)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return mapped(syscall(SYS_mremap, from, before, after, flags));
}

static bool is_mapped(void *page)
{
	unsigned char resident;

	return !mincore(page, 1, &resident);
}

/* Its words are their places, up to there; behind that all is 0. */
static void expect(const struct pages *p, size_t written)
{
	const uint32_t *words = p->at;

	for (size_t i = 0; i < p->bytes / sizeof *words; i++)
		if (words[i] != (i < written ? i + 1 : 0))
			ck_abort_msg("word %zu of %zu is %u", i, written, words[i]);
}

static size_t fill(struct pages *p)
{
	uint32_t *words = p->at;
	size_t n = p->bytes / sizeof *words;

	for (size_t i = 0; i < n; i++)
		words[i] = (uint32_t)i + 1;
	return n;
}

START_TEST(growth_keeps_the_contents)
{
	static const size_t sizes[] = {
		1, 70000, SMALL, SMALL + 1, LARGE, LARGE + 1, 3 * LARGE, 5 * LARGE};
	struct pages p = {0};
	size_t written = 0;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		ck_assert_int_eq(pages_grow(&p, sizes[i]), 0);
		ck_assert_uint_ge(p.bytes, sizes[i]);
		expect(&p, written);
		written = fill(&p);
	}
	void *at = p.at;
	ck_assert_int_eq(pages_grow(&p, 1), 0);
	ck_assert_ptr_eq(p.at, at);
	pages_free(&p);
	ck_assert_ptr_null(p.at);
	ck_assert(!is_mapped(at));
}
END_TEST

static void expect_no_growth(struct pages *p, size_t bytes)
{
	const struct pages before = *p;

	ck_assert_int_eq(pages_grow(p, bytes), CPIDECODE_ENOMEM);
	ck_assert_ptr_eq(p->at, before.at);
	ck_assert_uint_eq(p->bytes, before.bytes);
	expect(p, p->bytes / sizeof(uint32_t));
}

START_TEST(one_that_cannot_grow_is_as_it_was)
{
	static const size_t from[] = {0, 1, SMALL, LARGE}, to[] = {SMALL, LARGE, 2 * LARGE};

	for (size_t i = 0; i < sizeof from / sizeof *from; i++)
		for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
			struct pages p = {0};

			if (from[i] >= to[k])
				continue;
			ck_assert_int_eq(from[i] ? pages_grow(&p, from[i]) : 0, 0);
			fill(&p);
			mremap_fails = from[i] > 0;
			mmap_fails = !mremap_fails;
			expect_no_growth(&p, to[k]);
			ck_assert_uint_eq(mmap_fails + mremap_fails, 0);
			ck_assert_int_eq(pages_grow(&p, to[k]), 0);
			pages_free(&p);
		}
}
END_TEST

START_TEST(sizes_that_no_machine_has)
{
	struct pages p = {0};
	static const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 4 + 1, SIZE_MAX / 4};

	for (size_t from = 0; from <= LARGE; from += SMALL) {
		ck_assert_int_eq(from ? pages_grow(&p, from) : 0, 0);
		fill(&p);
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			expect_no_growth(&p, sizes[i]);
	}
	pages_free(&p);
}
END_TEST

START_TEST(room_doubles)
{
	struct pages p = {0};
	unsigned grown = 0;

	for (size_t i = 0; i < 1 << 15; i++) {
		const size_t before = p.bytes;

		ck_assert_int_eq(pages_room(&p, i, 256), 0);
		ck_assert_uint_ge(p.bytes, (i + 1) * 256);
		grown += p.bytes != before;
	}
	ck_assert_uint_le(grown, 8);
	pages_free(&p);
}
END_TEST

SUITE_MAIN("pages", growth_keeps_the_contents, one_that_cannot_grow_is_as_it_was,
	sizes_that_no_machine_has, room_doubles)
