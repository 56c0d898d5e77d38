#include "page.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/clock.h"

/* The kernel changes a page when the thread is switched or a counter overflows: who is met
 * by that so often in a row is better off with a system call. */
enum { TRIES = 16 };

#if defined(__x86_64__)
static bool real_counter(uint32_t index, uint64_t *value)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1) : "memory");
	*value = (uint64_t)high << 32 | low;
	return true;
}
#elif defined(__aarch64__)
/* Index 32 is the cycle counter, n the event counter n - 1. */
#define READ(n)                                                                                    \
	case n + 1:                                                                                \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(*value)::"memory");           \
		return true;

static bool real_counter(uint32_t index, uint64_t *value)
{
	switch (index) {
		READ(0)
		READ(1)
		READ(2)
		READ(3)
		READ(4)
		READ(5)
		READ(6)
		READ(7)
		READ(8)
		READ(9)
		READ(10)
		READ(11)
		READ(12)
		READ(13)
		READ(14)
		READ(15)
		READ(16)
		READ(17)
		READ(18)
		READ(19)
		READ(20)
		READ(21)
		READ(22)
		READ(23)
		READ(24)
		READ(25)
		READ(26)
		READ(27)
		READ(28)
		READ(29)
		READ(30)
	case 32:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(*value)::"memory");
		return true;
	default:
		return false;
	}
}
#undef READ
#else
static bool real_counter(uint32_t index, uint64_t *value)
{
	(void)index, (void)value;
	return false;
}
#endif

struct perf_registers perf_registers = {real_counter, clock_instruction};

static bool usable;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void perf_page_check_preload(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	const char *preload = getenv("LD_PRELOAD");

	usable = !preload || !strstr(preload, "vgpreload_");
#endif
}

bool perf_registers_usable(void)
{
	pthread_once(&once, perf_page_check_preload);
	return usable;
}

/*
 * Relaxed loads between compiler barriers, as in linux/perf_event.h. No fence is needed: the kernel
 * writes a page on the processor of the thread that reads it, or while that thread is off the
 * processors, and an interrupt is precise.
 */
#define LOAD(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static void page_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The page has the capabilities as bits of a word; the word is read once. */
struct page_capabilities {
	bool counter, time, time_short;
};

static inline struct page_capabilities capabilities(const struct perf_event_mmap_page *p)
{
	struct perf_event_mmap_page copy;

	copy.capabilities = LOAD(p->capabilities);
	return (struct page_capabilities){
		.counter = copy.cap_user_rdpmc,
		.time = copy.cap_user_time,
		.time_short = copy.cap_user_time_short,
	};
}

/* ns from the page's last change until now. */
static bool time_since(const struct perf_event_mmap_page *p, bool is_short, uint64_t *ns)
{
	uint64_t ticks = perf_registers.ticks(), offset = LOAD(p->time_offset);
	uint32_t mult = LOAD(p->time_mult), shift = LOAD(p->time_shift);

	if (is_short) {
		uint64_t base = LOAD(p->time_cycles);

		ticks = base + ((ticks - base) & LOAD(p->time_mask));
	}
	if (shift >= 64)
		return false;
	*ns = offset + (ticks >> shift) * mult +
	      ((ticks & (((uint64_t)1 << shift) - 1)) * mult >> shift);
	return true;
}

/* The leader's times are the group's, as in a read by system call. */
static bool perf_page_read_times(const struct perf_event_mmap_page *p, struct perf_group_reading *r)
{
	struct page_capabilities can = capabilities(p);
	uint64_t since;

	if (!can.time || !time_since(p, can.time_short, &since))
		return false;
	r->enabled = LOAD(p->time_enabled) + since;
	r->running = LOAD(p->time_running) + (LOAD(p->index) ? since : 0);
	return true;
}

static inline enum perf_page_state read_count(
	const struct perf_event_mmap_page *p, uint64_t *count, struct perf_mark *mark)
{
	uint32_t index = LOAD(p->index), width = LOAD(p->pmc_width);
	uint64_t value;

	*count = (uint64_t)LOAD(p->offset);
	if (!capabilities(p).counter)
		return PERF_PAGE_UNKNOWN;
	if (index == 0) {
		mark->page = NULL;
		return PERF_PAGE_RESTING;
	}
	if (width == 0 || width > 64 || !perf_registers.counter(index, &value))
		return PERF_PAGE_UNKNOWN;
	/* A register of fewer than 64 bits continues from the sign that the kernel set. */
	*count += (uint64_t)((int64_t)(value << (64 - width)) >> (64 - width));
	mark->page = p;
	mark->index = index;
	mark->width = width;
	mark->value = value;
	return PERF_PAGE_COUNTING;
}

static inline enum perf_page_state perf_page_read_members(
	const struct perf_member *member, unsigned count, struct perf_group_reading *r)
{
	enum perf_page_state state = PERF_PAGE_UNKNOWN;

	if (!perf_page_read_times(member[0].page, r))
		return PERF_PAGE_UNKNOWN;
	for (unsigned i = 0; i < count; i++) {
		enum perf_page_state one = read_count(member[i].page, &r->count[i], &r->mark[i]);

		/* A group is scheduled as a whole or not at all. */
		if (one == PERF_PAGE_UNKNOWN || (i > 0 && one != state))
			return PERF_PAGE_UNKNOWN;
		state = one;
	}
	return state;
}

static bool changed(const struct perf_member *member, unsigned count, const struct perf_mark *mark)
{
	for (unsigned i = 0; i < count; i++)
		if (LOAD(member[i].page->lock) != mark[i].lock)
			return true;
	return false;
}

/*
 * An interrupt between two registers touches no page where it does not switch the thread: its
 * instructions and cycles, thousands of each, would be in the counts read after it and not in those
 * read before. Reading takes at most so many instructions for a register.
 */
enum { INSTRUCTIONS_OF_READ = 64 };

/* value: what the register of the mark, which counts instructions, said before the others were
 * read. */
static inline bool was_interrupted(const struct perf_mark *mark, uint64_t value, unsigned registers)
{
	const unsigned unused = 64 - mark->width;
	uint64_t now;

	return !perf_registers.counter(mark->index, &now) ||
	       (now - value) << unused >> unused > registers * INSTRUCTIONS_OF_READ;
}

enum perf_page_state perf_pages_read(
	const struct perf_member *member, unsigned count, struct perf_group_reading *r)
{
	for (int try = 0; try < TRIES; try++) {
		enum perf_page_state state;
		uint32_t odd = 0;

		for (unsigned i = 0; i < count; i++) {
			r->mark[i].lock = LOAD(member[i].page->lock);
			odd |= r->mark[i].lock & 1;
		}
		if (odd)
			continue;
		page_barrier();
		state = perf_page_read_members(member, count, r);
		if (state == PERF_PAGE_COUNTING && member[0].counts_instructions &&
			was_interrupted(&r->mark[0], r->mark[0].value, count))
			continue;
		page_barrier();
		if (!changed(member, count, r->mark)) {
			r->in_user_mode = true;
			return state;
		}
	}
	return PERF_PAGE_UNKNOWN;
}

bool perf_marks_count(const struct perf_mark *mark, unsigned marks, uint64_t *count)
{
	for (unsigned i = 0; i < marks; i++)
		if (LOAD(mark[i].page->lock) != mark[i].lock)
			return false;
	page_barrier();
	for (unsigned i = 0; i < marks; i++) {
		const unsigned unused = 64 - mark[i].width;
		uint64_t value;

		if (!perf_registers.counter(mark[i].index, &value))
			return false;
		count[i] = (value - mark[i].value) << unused >> unused;
	}
	if (was_interrupted(&mark[0], mark[0].value + count[0], marks))
		return false;
	page_barrier();
	for (unsigned i = 0; i < marks; i++)
		if (LOAD(mark[i].page->lock) != mark[i].lock)
			return false;
	return true;
}
