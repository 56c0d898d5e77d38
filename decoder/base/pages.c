#include "pages.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "../../include/cpidecode.h"

/*
 * LARGE: a large page of most machines; where they are of another size it is only a number.
 * Arrays that are not SMALL begin where one may: so they are moved by whole tables of pages.
 * Large pages themselves are for VERY_LARGE ones: to be used they are cleared as a whole, and a
 * host that takes back what its guest has freed has to find memory for all of it.
 */
enum { LEAST = 64 << 10, SMALL = 512 << 10, LARGE = 2 << 20, VERY_LARGE = 64 << 20 };

/* Address space that begins where a large page may. */
static char *pages_reserve_range(size_t bytes)
{
	char *p = mmap(NULL, bytes + LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return p;
	size_t before = -(uintptr_t)p & (LARGE - 1);
	if (before)
		munmap(p, before);
	munmap(p + before + bytes, LARGE - before);
	return p + before;
}

static void prefer_large(const struct pages *p, char *at, size_t bytes)
{
	if (p->large || bytes > VERY_LARGE)
		madvise(at, bytes, MADV_HUGEPAGE); /* a hint */
}

static char *map_small(const struct pages *p, size_t bytes)
{
	if (p->at)
		return mremap(p->at, p->bytes, bytes, MREMAP_MAYMOVE);
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The first one that is large; what there is of a small one is copied. */
static char *map_first(const struct pages *p, size_t bytes)
{
	char *at = pages_reserve_range(bytes);

	if (at == MAP_FAILED)
		return at;
	if (mprotect(at, bytes, PROT_READ | PROT_WRITE)) {
		munmap(at, bytes);
		return MAP_FAILED;
	}
	prefer_large(p, at, bytes);
	if (p->at) {
		memcpy(at, p->at, p->bytes);
		munmap(p->at, p->bytes);
	}
	return at;
}

/*
 * Moving pages onto the reserved space may fail when that has been given up already, and
 * another thread may have mapped something there since. So it is left as it is: if it was
 * not given up, it is nothing but addresses.
 */
static char *move_large(const struct pages *p, size_t bytes)
{
	char *to = pages_reserve_range(bytes);

	if (to == MAP_FAILED)
		return to;
	char *at = mremap(p->at, p->bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (at != MAP_FAILED)
		prefer_large(p, at, bytes);
	return at;
}

static char *map_large(const struct pages *p, size_t bytes)
{
	return p->bytes > SMALL ? move_large(p, bytes) : map_first(p, bytes);
}

int pages_grow(struct pages *p, size_t bytes)
{
	if (bytes <= p->bytes)
		return 0;
	if (bytes > SIZE_MAX / 4)
		return CPIDECODE_ENOMEM;
	size_t unit = bytes <= SMALL ? LEAST : LARGE;
	bytes = (bytes + unit - 1) & ~(unit - 1);
	char *at = bytes <= SMALL ? map_small(p, bytes) : map_large(p, bytes);
	if (at == MAP_FAILED)
		return CPIDECODE_ENOMEM;
	p->at = at;
	p->bytes = bytes;
	return 0;
}

void pages_touch(struct pages *p)
{
#ifdef MADV_POPULATE_WRITE
	/* A kernel that does not know it does it when they are used. */
	madvise(p->at, p->bytes, MADV_POPULATE_WRITE);
#else
	(void)p;
#endif
}

void pages_free(struct pages *p)
{
	if (p->at)
		munmap(p->at, p->bytes);
	*p = (struct pages){.large = p->large};
}
