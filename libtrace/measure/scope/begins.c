#include "begins.h"

#include "../../../formats/scope_hooks.h"

/* Counts this process's begin hooks. Unique in the session together with the writer's number. */
static uint32_t begins_count;

uint64_t begins_write(const struct begin_hook *what)
{
	const struct shm_control *control = ring_gate_page();
	const struct ring_map *map = ring_self.map;
	uint32_t closings = (uint32_t)__atomic_load_n(&control->closings, __ATOMIC_ACQUIRE);
	uint32_t period = (uint32_t)__atomic_load_n(&control->period, __ATOMIC_RELAXED);
	uint32_t texts = what->length ? 1 : 0, number = what->number;
	uint32_t string_bytes = texts ? rec_string_bytes(what->length) : 0;
	struct hook_writer w;
	uint64_t begin;
	uint8_t *p;

	/* The gate is being closed: the interval will not be recorded. */
	if (period != closings ||
		hook_begin_at(&w, what->gate, rec_size(INTERVAL_BEGIN_WORDS, string_bytes), 1,
			NULL) != HOOK_RESERVED)
		return 0;
	/* A signal handler attached the thread to other rings. */
	if (ring_self.map != map && number)
		number = INTERVAL_LABEL_UNKNOWN;
	begin = (uint64_t)w.number << 32 | __atomic_add_fetch(&begins_count, 1, __ATOMIC_RELAXED);
	p = hook_record(&w, what->major, INTERVAL_MINOR_BEGIN | what->mm, INTERVAL_BEGIN_WORDS,
		texts, string_bytes);
	put_le32(p + 4 * INTERVAL_BEGIN_KNOWN, texts ? SCOPE_KNOWN_TEXT : 0);
	put_le32(p + 4 * INTERVAL_BEGIN_LABEL, number);
	put_hl64(p + 4 * INTERVAL_BEGIN_ID, begin);
	put_le32(p + 4 * INTERVAL_BEGIN_PERIOD, period);
	put_le32(p + 4 * INTERVAL_BEGIN_TEXTS, texts);
	if (texts)
		hook_string(p + 4 * INTERVAL_BEGIN_WORDS, what->text, what->length);
	hook_commit(&w);
	return begin;
}

void begins_put_over(struct hook_writer *w, uint8_t major, uint32_t mm, uint64_t begin)
{
	uint8_t *p = hook_record(w, major, INTERVAL_MINOR_OVER | mm, INTERVAL_OVER_WORDS, 0, 0);

	put_le32(p + 4 * INTERVAL_BEGIN_KNOWN, 0);
	put_le32(p + 4 * INTERVAL_BEGIN_LABEL, 0);
	put_hl64(p + 4 * INTERVAL_BEGIN_ID, begin);
}

void begins_write_over(uint8_t major, uint8_t gate, uint32_t mm, uint64_t begin)
{
	struct hook_writer w;

	if (hook_begin_at(&w, gate, begins_over_bytes(), 1, NULL) != HOOK_RESERVED)
		return;
	begins_put_over(&w, major, mm, begin);
	hook_commit(&w);
}
