/* Protects the contents of rings while a dump reads them: see "Keeping" in formats/session.md. */
#include <time.h>

#include "../../include/perfutil.h"
#include "reader.h"
#include "reader_control.h"

enum {
	KEEP_READS = 50,  /* reads of a ring that is written all the time, without a pause */
	KEEP_PAUSES = 50, /* waits of 100 us for an interrupted writer */
};

/*
 * True if no earlier prepared entry is in progress: a guest ring's lock is free, or a CPU ring's
 * head is past a section's first byte, where entries begin and end. An empty ring has none.
 */
static bool has_no_entry_begun(struct ring_reader *r, uint32_t ring)
{
	const struct shm_geometry *g = &r->geometry;
	struct shm_ring header;

	return ring_reader_header(r, ring, &header) != 0 || header.head == 0 ||
	       (ring < g->cpus ? (header.head & (g->section_size - 1)) != 0 : header.lock == 0);
}

/* A busy ring passes between two hooks. The pauses give an interrupted or preempted writer time to
 * continue. */
static void await_no_entry(struct ring_reader *r, uint32_t ring)
{
	const struct timespec pause = {.tv_nsec = 100000};

	for (int i = 0; i < KEEP_READS + KEEP_PAUSES && !has_no_entry_begun(r, ring); i++)
		if (i >= KEEP_READS)
			nanosleep(&pause, NULL);
}

/* The keep word for `position`, a multiple of 8. The low bits make the words of two dumps that keep
 * up to one position differ; no section begins between them. 0: nothing is kept. */
static uint64_t keep_word(uint64_t position, uint32_t number)
{
	return position ? position - 7 + number % 8 : 0;
}

static uint64_t keep_position(uint64_t word)
{
	return (word + 7) & ~(uint64_t)7;
}

/*
 * Replaces a ring's keep, unless another dump has taken ownership: it stores its own keep
 * afterwards, which makes our compare-and-swap fail. tests/model: F_KEEP_STORED
 */
static bool reader_store_keep(struct ring_reader *r, uint32_t ring, uint64_t position)
{
	uint64_t keep = keep_word(position & ~(uint64_t)7, r->keep->number);
	struct shm_ring_control *control = &r->keep->control[ring];
	uint64_t old = __atomic_load_n(&control->keep, __ATOMIC_RELAXED);

	do {
		/* Acquire: pairs with the release below in the dump that took ownership before it
		 * stored. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(r->keep->owner, __ATOMIC_RELAXED) != r->keep->number) {
			r->kept[ring] = 0;
			return false;
		}
	} while (!__atomic_compare_exchange_n(
		&control->keep, &old, keep, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	r->kept[ring] = keep;
	reader_tell_writers(control);
	/* Orders the reads of the ring after this. A writer that compared `changes` earlier may
	 * still enter. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return true;
}

int ring_reader_keep(struct ring_reader *r, uint32_t ring, const struct ring_keep *keep)
{
	struct shm_ring header;

	r->keep = keep;
	if (ring_reader_header(r, ring, &header) != 0)
		return PU_ERR_FILE_ERROR;
	if (!reader_store_keep(r, ring, header.head + r->geometry.ring_size / 2))
		return PU_ERROR_INCORRECT_STATE;
	await_no_entry(r, ring);
	return 0;
}

int ring_reader_keep_below(struct ring_reader *r, uint32_t ring, uint64_t cut)
{
	struct shm_ring header;
	uint64_t kept = keep_position(r->kept[ring]);

	if (!reader_store_keep(r, ring, cut))
		return PU_ERROR_INCORRECT_STATE;
	if (ring_reader_header(r, ring, &header) != 0)
		return PU_ERR_FILE_ERROR;
	return cut <= kept && header.head < cut + r->geometry.ring_size - r->geometry.section_size;
}

bool ring_reader_still_keeps(const struct ring_reader *r, uint32_t ring)
{
	return r->keep && r->kept[ring] &&
	       __atomic_load_n(&r->keep->control[ring].keep, __ATOMIC_RELAXED) == r->kept[ring];
}

void ring_reader_let_go(struct ring_reader *r)
{
	for (uint32_t i = 0; r->keep && i < ring_reader_rings(r); i++) {
		struct shm_ring_control *control = &r->keep->control[i];
		uint64_t kept = r->kept[i];

		/* Do not clear another dump's keep. */
		if (kept && __atomic_compare_exchange_n(&control->keep, &kept, 0, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			reader_tell_writers(control);
		r->kept[i] = 0;
	}
	r->keep = NULL;
}
