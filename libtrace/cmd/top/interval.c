#include "interval.h"

#include "../../../formats/bytes.h"
#include "../../../formats/cpi_group.h"
#include "../../../formats/record.h"

/* Figures from the hooks of a group, before they are settled. */
struct raw_figures {
	uint64_t on_cpu_ns, switches;
	bool has_thread, has_system;
	uint64_t thread[2], system[2]; /* instructions, cycles */
};

/* Two words, if the hook has them. */
static uint64_t interval_read_long(const uint8_t *words, uint32_t nwords, uint64_t at)
{
	return at + 2 <= nwords ? get_hl64(words + 4 * at) : TOP_NOT_MEASURED;
}

static void interval_read_counts(
	uint64_t counts[2], bool *has, const uint8_t *words, uint32_t nwords, uint32_t at)
{
	counts[0] = interval_read_long(words, nwords, at);
	counts[1] = interval_read_long(words, nwords, at + 2);
	/* 0 is not measured. */
	*has = counts[0] && counts[1] && counts[1] != TOP_NOT_MEASURED;
}

/* The thread's time and switches follow each other if they are known. */
static void interval_read_times(struct raw_figures *f, const uint8_t *words, uint32_t nwords,
	uint64_t at, bool has_on_cpu, bool has_switches)
{
	if (has_on_cpu) {
		f->on_cpu_ns = interval_read_long(words, nwords, at);
		at += 2;
	}
	if (has_switches)
		f->switches = interval_read_long(words, nwords, at);
}

static void interval_read_quality(struct raw_figures *f, const uint8_t *words, uint32_t nwords)
{
	if (nwords < CPI_QUALITY_FIRST)
		return;
	uint32_t known = get_le32(words + 4 * CPI_QUALITY_KNOWN);
	uint64_t quantities = get_le32(words + 4 * CPI_QUALITY_QUANTITIES);

	interval_read_times(f, words, nwords, CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * quantities,
		known & CPI_KNOWN_ON_CPU, known & CPI_KNOWN_SWITCHES);
}

static void interval_read_scope(
	struct raw_figures *f, const uint8_t *words, uint32_t nwords, uint32_t first)
{
	if (nwords < first)
		return;
	uint32_t known = get_le32(words + 4 * SCOPE_WORD_KNOWN);

	if (known & SCOPE_KNOWN_NO_SWITCH)
		f->switches = 0;
	if (known & SCOPE_KNOWN_SWITCHES) {
		f->switches = interval_read_long(words, nwords, first);
		first += 2;
	}
	if (known & SCOPE_KNOWN_ON_CPU)
		f->on_cpu_ns = interval_read_long(words, nwords, first);
}

static void interval_read_hook(struct raw_figures *f, const uint8_t *record, uint32_t size)
{
	const uint8_t *words = record + REC_DATA;
	uint32_t nwords = get_le16(record + REC_NWORDS);

	if (REC_DATA + 4 * nwords > size)
		return;
	switch (group_part(record[REC_MAJOR], get_le32(record + REC_MINOR))) {
	case PART_THREAD:
		interval_read_counts(
			f->thread, &f->has_thread, words, nwords, CPI_THREAD_INSTRUCTIONS);
		break;
	case PART_SYSTEM:
		interval_read_counts(
			f->system, &f->has_system, words, nwords, CPI_SYSTEM_INSTRUCTIONS);
		break;
	case PART_QUALITY:
		interval_read_quality(f, words, nwords);
		break;
	case PART_TIME:
		if (nwords >= INTERVAL_TIME_WORD_FIRST) {
			uint32_t known = get_le32(words + 4 * INTERVAL_TIME_WORD_KNOWN);

			interval_read_times(f, words, nwords, INTERVAL_TIME_WORD_FIRST,
				known & INTERVAL_KNOWN_ON_CPU, known & INTERVAL_KNOWN_SWITCHES);
		}
		break;
	case PART_SCOPE:
		interval_read_scope(f, words, nwords, SCOPE_PLAIN_FIRST);
		break;
	case PART_SCOPE_ARGS:
		interval_read_scope(f, words, nwords, SCOPE_ARGS_FIRST);
		break;
	default:
		break;
	}
}

/* As the decoder settles them: a thread without a switch was on its processor all the time. */
static void settle_times(struct top_interval *iv, const struct raw_figures *f, double ns_per_tick)
{
	double elapsed = (double)iv->elapsed * ns_per_tick;

	iv->on_cpu_ns = f->on_cpu_ns;
	if (!(elapsed < 0x1p63)) {
		iv->on_cpu_ns = TOP_NOT_MEASURED;
		return;
	}
	uint64_t ns = (uint64_t)elapsed;
	if (f->switches == 0)
		iv->on_cpu_ns = ns;
	if (iv->on_cpu_ns != TOP_NOT_MEASURED)
		iv->off_cpu_ns = ns > iv->on_cpu_ns ? ns - iv->on_cpu_ns : 0;
}

void top_interval_read(struct top_interval *iv, const struct event *e, double ns_per_tick)
{
	struct raw_figures f = {.on_cpu_ns = TOP_NOT_MEASURED, .switches = TOP_NOT_MEASURED};

	for (uint32_t at = 0; at < e->bytes;) {
		uint32_t size = get_le32(e->record + at) & REC_SIZE_MASK;

		interval_read_hook(&f, e->record + at, size);
		at += size;
	}
	*iv = (struct top_interval){.elapsed = e->elapsed,
		.off_cpu_ns = TOP_NOT_MEASURED,
		.instructions = TOP_NOT_MEASURED,
		.cycles = TOP_NOT_MEASURED,
		.cpi = e->has_cpi ? (double)e->cpi / CPI_FRACTION : NAN};
	if (f.has_thread || f.has_system) {
		const uint64_t *counts = f.has_thread ? f.thread : f.system;

		iv->instructions = counts[0];
		iv->cycles = counts[1];
	}
	settle_times(iv, &f, ns_per_tick);
}
