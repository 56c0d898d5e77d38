#include "page.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/clock.h"

/* The kernel changes a page when the thread is switched or a counter overflows: after this many
 * changes in a row, a system call is faster. */
enum { TRIES = 16 };

#if defined(__x86_64__)
static uint64_t read_register(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1) : "memory");
	return (uint64_t)high << 32 | low;
}

static perf_register *real_counter(uint32_t index)
{
	(void)index;
	return read_register;
}
#elif defined(__aarch64__)
#define READ(name)                                                                                 \
	static uint64_t read_##name(uint32_t index)                                                \
	{                                                                                          \
		uint64_t value;                                                                    \
                                                                                                   \
		(void)index;                                                                       \
		__asm__ volatile("mrs %0, " #name "_el0" : "=r"(value)::"memory");                 \
		return value;                                                                      \
	}

READ(pmevcntr0)
READ(pmevcntr1)
READ(pmevcntr2)
READ(pmevcntr3)
READ(pmevcntr4)
READ(pmevcntr5)
READ(pmevcntr6)
READ(pmevcntr7)
READ(pmevcntr8)
READ(pmevcntr9)
READ(pmevcntr10)
READ(pmevcntr11)
READ(pmevcntr12)
READ(pmevcntr13)
READ(pmevcntr14)
READ(pmevcntr15)
READ(pmevcntr16)
READ(pmevcntr17)
READ(pmevcntr18)
READ(pmevcntr19)
READ(pmevcntr20)
READ(pmevcntr21)
READ(pmevcntr22)
READ(pmevcntr23)
READ(pmevcntr24)
READ(pmevcntr25)
READ(pmevcntr26)
READ(pmevcntr27)
READ(pmevcntr28)
READ(pmevcntr29)
READ(pmevcntr30)
READ(pmccntr)
#undef READ

/* Index 32 is the cycle counter, n the event counter n - 1. */
static perf_register *real_counter(uint32_t index)
{
	static perf_register *const of[32] = {read_pmevcntr0, read_pmevcntr1, read_pmevcntr2,
		read_pmevcntr3, read_pmevcntr4, read_pmevcntr5, read_pmevcntr6, read_pmevcntr7,
		read_pmevcntr8, read_pmevcntr9, read_pmevcntr10, read_pmevcntr11, read_pmevcntr12,
		read_pmevcntr13, read_pmevcntr14, read_pmevcntr15, read_pmevcntr16, read_pmevcntr17,
		read_pmevcntr18, read_pmevcntr19, read_pmevcntr20, read_pmevcntr21, read_pmevcntr22,
		read_pmevcntr23, read_pmevcntr24, read_pmevcntr25, read_pmevcntr26, read_pmevcntr27,
		read_pmevcntr28, read_pmevcntr29, read_pmevcntr30, read_pmccntr};

	return index - 1 < 32 ? of[index - 1] : NULL;
}
#else
static perf_register *real_counter(uint32_t index)
{
	(void)index;
	return NULL;
}
#endif

struct perf_registers perf_registers = {real_counter, clock_instruction};

static bool usable;
static pthread_once_t perf_page_once = PTHREAD_ONCE_INIT;

static void perf_page_check_preload(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	const char *preload = getenv("LD_PRELOAD");

	usable = !preload || !strstr(preload, "vgpreload_");
#endif
}

bool perf_registers_usable(void)
{
	pthread_once(&perf_page_once, perf_page_check_preload);
	return usable;
}

/* The page has the capabilities as bits of a word; the word is read once. */
struct page_capabilities {
	bool counter, time, time_short;
};

static inline struct page_capabilities perf_page_capabilities(const struct perf_event_mmap_page *p)
{
	struct perf_event_mmap_page copy;

	copy.capabilities = PERF_PAGE_LOAD(p->capabilities);
	return (struct page_capabilities){
		.counter = copy.cap_user_rdpmc,
		.time = copy.cap_user_time,
		.time_short = copy.cap_user_time_short,
	};
}

/* ns from the page's last change until now. */
static bool time_since(const struct perf_event_mmap_page *p, bool is_short, uint64_t *ns)
{
	uint64_t ticks = perf_registers.ticks(), offset = PERF_PAGE_LOAD(p->time_offset);
	uint32_t mult = PERF_PAGE_LOAD(p->time_mult), shift = PERF_PAGE_LOAD(p->time_shift);

	if (is_short) {
		uint64_t base = PERF_PAGE_LOAD(p->time_cycles);

		ticks = base + ((ticks - base) & PERF_PAGE_LOAD(p->time_mask));
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
	struct page_capabilities can = perf_page_capabilities(p);
	uint64_t since;

	if (!can.time || !time_since(p, can.time_short, &since))
		return false;
	r->enabled = PERF_PAGE_LOAD(p->time_enabled) + since;
	r->running = PERF_PAGE_LOAD(p->time_running) + (PERF_PAGE_LOAD(p->index) ? since : 0);
	return true;
}

static inline enum perf_page_state read_count(
	const struct perf_event_mmap_page *p, uint64_t *count, struct perf_snapshot *snapshot)
{
	uint32_t index = PERF_PAGE_LOAD(p->index), width = PERF_PAGE_LOAD(p->pmc_width);

	*count = (uint64_t)PERF_PAGE_LOAD(p->offset);
	if (!perf_page_capabilities(p).counter)
		return PERF_PAGE_UNKNOWN;
	if (index == 0) {
		snapshot->page = NULL;
		return PERF_PAGE_RESTING;
	}
	snapshot->read = perf_registers.counter(index);
	if (width == 0 || width > 64 || !snapshot->read)
		return PERF_PAGE_UNKNOWN;
	snapshot->page = p;
	snapshot->index = index;
	snapshot->unused = 64 - width;
	snapshot->value = snapshot->read(index);
	/* A register of fewer than 64 bits continues from the sign that the kernel set. */
	*count += (uint64_t)((int64_t)(snapshot->value << snapshot->unused) >> snapshot->unused);
	return PERF_PAGE_COUNTING;
}

static inline enum perf_page_state perf_page_read_members(
	const struct perf_member *member, unsigned count, struct perf_group_reading *r)
{
	enum perf_page_state state = PERF_PAGE_UNKNOWN;

	if (!perf_page_read_times(member[0].page, r))
		return PERF_PAGE_UNKNOWN;
	for (unsigned i = 0; i < count; i++) {
		enum perf_page_state one =
			read_count(member[i].page, &r->count[i], &r->snapshot[i]);

		/* A group is scheduled as a whole or not at all. */
		if (one == PERF_PAGE_UNKNOWN || (i > 0 && one != state))
			return PERF_PAGE_UNKNOWN;
		state = one;
	}
	return state;
}

static bool perf_page_changed(
	const struct perf_member *member, unsigned count, const struct perf_snapshot *snapshot)
{
	for (unsigned i = 0; i < count; i++)
		if (PERF_PAGE_LOAD(member[i].page->lock) != snapshot[i].lock)
			return true;
	return false;
}

enum perf_page_state perf_pages_read(
	const struct perf_member *member, unsigned count, struct perf_group_reading *r)
{
	for (int try = 0; try < TRIES; try++) {
		enum perf_page_state state;
		uint32_t odd = 0;

		for (unsigned i = 0; i < count; i++) {
			r->snapshot[i].lock = PERF_PAGE_LOAD(member[i].page->lock);
			odd |= r->snapshot[i].lock & 1;
		}
		if (odd)
			continue;
		perf_page_barrier();
		state = perf_page_read_members(member, count, r);
		if (state == PERF_PAGE_COUNTING && member[0].counts_instructions &&
			perf_snapshot_count(&r->snapshot[0]) > count * PERF_READ_INSTRUCTIONS)
			continue;
		perf_page_barrier();
		if (!perf_page_changed(member, count, r->snapshot)) {
			r->in_user_mode = true;
			return state;
		}
	}
	return PERF_PAGE_UNKNOWN;
}
