#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../formats/base/array.h"
#include "../../include/cpidecode.h"
#include "../../formats/base/temporary.h"

/* Allocates the space up front: a full disk is an error here, not a SIGBUS later. */
static int spill_extend_file(int fd, size_t bytes)
{
	int error;

	do {
		error = posix_fallocate(fd, 0, (off_t)bytes);
	} while (error == EINTR);
	errno = error;
	return error ? CPIDECODE_ESPOOL : 0;
}

static int move_to_file(struct spill *s, size_t cap)
{
	int fd = temporary_open_unnamed();

	if (fd < 0)
		return CPIDECODE_ESPOOL;
	int rc = spill_extend_file(fd, cap);
	void *p = rc ? MAP_FAILED : mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		int saved = errno;

		close(fd);
		errno = saved;
		return rc ? rc : CPIDECODE_ENOMEM;
	}
	if (s->cap)
		memcpy(p, s->p, s->cap);
	free(s->p);
	*s = (struct spill){.p = p, .cap = cap, .mapped = true, .fd = fd};
	return 0;
}

static int grow_file(struct spill *s, size_t cap)
{
	int rc = spill_extend_file(s->fd, cap);

	if (rc)
		return rc;
	void *p = mremap(s->p, s->cap, cap, MREMAP_MAYMOVE);
	if (p == MAP_FAILED)
		return CPIDECODE_ENOMEM;
	s->p = p;
	s->cap = cap;
	spill_drop(s);
	return 0;
}

int spill_reserve(struct spill *s, size_t bytes)
{
	if (bytes <= s->cap)
		return 0;
	if (bytes > SIZE_MAX / 4)
		return CPIDECODE_ENOMEM;
	const size_t cap = array_double_room(s->cap ? s->cap : 4096, bytes);
	if (s->mapped)
		return grow_file(s, cap);
	if (cap > SPILL_IN_MEMORY)
		return move_to_file(s, cap);
	return array_reserve(&s->p, &s->cap, cap, 1) ? 0 : CPIDECODE_ENOMEM;
}

void spill_drop(const struct spill *s)
{
	if (s->mapped)
		madvise(s->p, s->cap, MADV_DONTNEED);
}

void spill_free(struct spill *s)
{
	if (s->mapped) {
		munmap(s->p, s->cap);
		close(s->fd);
	} else {
		free(s->p);
	}
	*s = (struct spill){0};
}
