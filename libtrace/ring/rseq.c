#include "rseq.h"

#include <stdbool.h>

/* Sequences store their descriptor there, for nobody: so it is not constant. */
static struct rseq none = {.cpu_id_start = UINT32_MAX, .cpu_id = UINT32_MAX};

struct rseq *rseq_none(void)
{
	return &none;
}

#if RING_HAS_RSEQ

/* Weak: an older libc does not have them, and then nothing is registered. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static char *thread_pointer(void)
{
	char *p;

#if defined(__x86_64__)
	__asm__("movq %%fs:0, %0" : "=r"(p));
#else
	__asm__("mrs %0, tpidr_el0" : "=r"(p));
#endif
	return p;
}

struct rseq *rseq_lookup(void)
{
	struct rseq *rs;

	if (!&__rseq_size || __rseq_size == 0)
		return rseq_none();
	rs = (struct rseq *)(void *)(thread_pointer() + __rseq_offset);
	/* Negative: registration failed for this thread. */
	return (int32_t)__atomic_load_n(&rs->cpu_id, __ATOMIC_RELAXED) >= 0 ? rs : rseq_none();
}

#else

struct rseq *rseq_lookup(void)
{
	return rseq_none();
}

#endif
