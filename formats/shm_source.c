#include "shm_source.h"

#include "base/text.h"
#include "cpi_hooks.h"

static const char *const quantity_name[COUNTER_QUANTITIES] = {
	[COUNTER_INSTRUCTIONS] = "instructions",
	[COUNTER_BUSY] = "busy",
	[COUNTER_THREAD_INSTRUCTIONS] = "thread instructions",
	[COUNTER_THREAD_CYCLES] = "thread cycles",
};

const char *counter_quantity_name(enum counter_quantity quantity)
{
	return quantity_name[quantity];
}

static const char *source_word(uint32_t source)
{
	switch (source) {
	case SHM_SOURCE_NONE:
		return "none";
	case SHM_SOURCE_SOFTWARE:
		return "software";
	case SHM_SOURCE_PERF:
		return "perf_event";
	case SHM_SOURCE_SCRIPTED:
		return "scripted";
	default:
		return "unknown";
	}
}

/* "": nothing to add. */
static const char *busy_word(uint32_t flags)
{
	switch ((flags & COUNTER_FLAG_BUSY_MASK) >> COUNTER_FLAG_BUSY_SHIFT) {
	case CPI_SOURCE_REF_CYCLES:
		return " from ref-cycles";
	case CPI_SOURCE_MPERF:
		return " from mperf";
	case CPI_SOURCE_CYCLES:
		return " from cycles";
	case CPI_SOURCE_TIMER_LIST:
		return " from /proc/timer_list";
	case CPI_SOURCE_PROC_STAT:
		return " from /proc/stat";
	default:
		return "";
	}
}

static const char *shm_source_detail(int q, uint32_t flags)
{
	if (q == COUNTER_BUSY)
		return busy_word(flags);
	if (COUNTER_BIT(q) & COUNTER_THREAD_BITS && flags & COUNTER_FLAG_USER_ONLY)
		return " in user mode";
	return "";
}

const char *shm_source_name(uint32_t source, uint32_t flags, char *text, size_t size)
{
	const char *between = " (";

	if (size == 0)
		return text;
	*text = 0;
	text_append(text, size, "%s", source_word(source));
	for (int q = 0; q < COUNTER_QUANTITIES; q++) {
		if (!(flags & COUNTER_BIT(q)))
			continue;
		text_append(text, size, "%s%s%s", between, quantity_name[q],
			shm_source_detail(q, flags));
		between = ", ";
	}
	if (*between == ',' && flags & COUNTER_FLAG_CORE_TYPES)
		text_append(text, size, "; several types of core");
	if (*between == ',')
		text_append(text, size, ")");
	return text;
}
