/*
 * Work for libcpc's samples to measure: touches n pages for the first time.
 */
#ifndef SAMPLES_CPC_WORK_H
#define SAMPLES_CPC_WORK_H

#include <stdlib.h>
#include <sys/mman.h>

static inline void touch_new_pages(unsigned n)
{
	const size_t size = (size_t)n * 4096;
	volatile char *p =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	madvise((void *)p, size, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < n; i++)
		p[(size_t)i * 4096] = 1;
	munmap((void *)p, size);
}

#endif
