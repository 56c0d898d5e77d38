/*
 * Reads numeric directories such as /proc with getdents64, which allocates nothing per read.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../../formats/base/array.h"
#include "../../../../formats/base/compare.h"
#include "process.h"

enum { ANSWER_BYTES = 32 * 1024 };

/* struct linux_dirent64 of getdents64. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static bool numbers_append(struct numbers *n, uint32_t number)
{
	if (n->used == COUNTERSET_INSTANCES)
		return true;
	if (!array_reserve(&n->number, &n->room, n->used + 1, sizeof *n->number))
		return false;
	n->number[n->used++] = number;
	return true;
}

static bool add_answer(struct numbers *n, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		const struct entry *e = (const void *)(n->bytes + at);
		struct scan name = scan_of(e->name, strlen(e->name));
		uint64_t number;

		if (scan_number(&name, &number) && name.at == name.end && number > 0 &&
			number <= INT32_MAX && !numbers_append(n, (uint32_t)number))
			return false;
		at += e->bytes;
	}
	return true;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return compare_u64(*x, *y);
}

/* Sort: the kernel returns entries in order, but does not guarantee it. */
static void numbers_sort(struct numbers *n)
{
	for (uint32_t i = 1; i < n->used; i++)
		if (n->number[i - 1] > n->number[i]) {
			qsort(n->number, n->used, sizeof *n->number, by_number);
			return;
		}
}

bool numbers_read(struct numbers *n, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = fd >= 0;
	long bytes = 0;

	n->used = 0;
	if (good && !n->bytes)
		n->bytes = malloc(ANSWER_BYTES);
	good = good && n->bytes;
	while (good && (bytes = syscall(SYS_getdents64, fd, n->bytes, ANSWER_BYTES)) > 0)
		good = add_answer(n, (size_t)bytes);
	if (fd >= 0)
		close(fd);
	numbers_sort(n);
	return good && bytes == 0;
}

void numbers_free(struct numbers *n)
{
	free(n->number);
	free(n->bytes);
	*n = (struct numbers){0};
}
