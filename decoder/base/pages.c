#include "pages.h"

#include <stdint.h>
#include <sys/mman.h>

#include "../../include/cpidecode.h"

enum { LEAST = 64 << 10 };

int pages_grow(struct pages *p, size_t bytes)
{
	if (bytes <= p->bytes)
		return 0;
	if (bytes > SIZE_MAX / 4)
		return CPIDECODE_ENOMEM;
	bytes = (bytes + LEAST - 1) & ~(size_t)(LEAST - 1);
	void *at = p->at ? mremap(p->at, p->bytes, bytes, MREMAP_MAYMOVE)
			 : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
	if (at == MAP_FAILED)
		return CPIDECODE_ENOMEM;
	p->at = at;
	p->bytes = bytes;
	return 0;
}

void pages_free(struct pages *p)
{
	if (p->at)
		munmap(p->at, p->bytes);
	*p = (struct pages){0};
}
