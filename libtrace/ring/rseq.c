/*
 * Finds a thread's rseq area. If libc registers none (glibc before 2.35 or by a tunable, musl), a
 * thread registers its own when it attaches.
 *
 * The kernel writes to a registered area for as long as the thread lives, and a thread cannot
 * unregister another's: an object that can be unloaded has no areas of its own.
 */
#include "rseq.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not const: sequences store their descriptor here, although the kernel never reads it. */
static struct rseq rseq_absent = {.cpu_id_start = UINT32_MAX, .cpu_id = UINT32_MAX};

struct rseq *rseq_none(void)
{
	return &rseq_absent;
}

#if RING_HAS_RSEQ

#ifndef SYS_rseq
#if defined(__x86_64__)
#define SYS_rseq 334
#else
#define SYS_rseq 293
#endif
#endif

/* The size that every kernel accepts; cpu_id is negative while nothing is registered. */
enum { AREA_BYTES = 32, UNREGISTER = 1 };

static __thread struct rseq own __attribute__((aligned(AREA_BYTES))) = {.cpu_id = UINT32_MAX};

/* Weak: an older libc lacks them, and then it registers nothing. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static bool is_registered(const struct rseq *rs)
{
	/* Negative: not registered yet, or registration failed for this thread. */
	return (int32_t)__atomic_load_n(&rs->cpu_id, __ATOMIC_RELAXED) >= 0;
}

static bool libc_registers(void)
{
	return &__rseq_size && __rseq_size != 0;
}

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

/* ----------------------------------------------------------- areas of our own */

/* Whether this object stays loaded for good. */
static bool is_pinned;

#if defined(__GLIBC__)

/* Weak: statically linked programs neither have nor need them. */
#pragma weak dladdr1
#pragma weak dlopen

static bool rseq_pin_library(void)
{
	struct link_map *map;
	Dl_info info;

	if (getauxval(AT_BASE) == 0)
		return true; /* no dynamic linker */
	if (!dladdr1 || !dlopen || !dladdr1(&rseq_absent, &info, (void **)&map, RTLD_DL_LINKMAP))
		return false;
	/* The main program's name is empty. */
	return !map->l_name[0] || dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

#else

/* musl: dlclose unloads nothing. */
static bool rseq_pin_library(void)
{
	return true;
}

#endif

/* Asks here: a hook cannot call the dynamic linker. */
__attribute__((constructor)) static void pin_for_areas(void)
{
	is_pinned = !libc_registers() && rseq_pin_library();
}

static struct rseq *own_area(void)
{
	/* EBUSY: another library registered an area unknown to us. */
	if (!is_registered(&own) &&
		(!is_pinned || syscall(SYS_rseq, &own, AREA_BYTES, 0, RSEQ_SIG) != 0))
		return rseq_none();
	return &own;
}

struct rseq *rseq_lookup(void)
{
	int saved_errno = errno;
	struct rseq *rs;

	if (secure_getenv("SWTRACE_TEST_GUEST"))
		return rseq_none();
	if (libc_registers()) {
		rs = (struct rseq *)(void *)(thread_pointer() + __rseq_offset);
		return is_registered(rs) ? rs : rseq_none();
	}
	rs = own_area();
	errno = saved_errno;
	return rs;
}

void rseq_release(void)
{
	int saved_errno = errno;

	if (is_registered(&own))
		syscall(SYS_rseq, &own, AREA_BYTES, UNREGISTER, RSEQ_SIG);
	errno = saved_errno;
}

/* The bounds of the section of the sequences' descriptors, defined by the linker. */
extern const char __start___rseq_cs[] __attribute__((visibility("hidden")));
extern const char __stop___rseq_cs[] __attribute__((visibility("hidden")));

void rseq_forget(struct rseq *rs)
{
	uint64_t *at = (uint64_t *)(void *)((char *)rs + offsetof(struct rseq, rseq_cs));
	uint64_t cs = __atomic_load_n(at, __ATOMIC_RELAXED);

	/* It may belong to another library, or the kernel may clear it meanwhile. */
	if (cs >= (uintptr_t)__start___rseq_cs && cs < (uintptr_t)__stop___rseq_cs)
		__atomic_compare_exchange_n(at, &cs, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#else

struct rseq *rseq_lookup(void)
{
	return rseq_none();
}

void rseq_release(void)
{
}

void rseq_forget(struct rseq *rs)
{
	(void)rs;
}

#endif
