/*
 * The image of a group, and an inline fast path that writes it at the end of an interval. Errors:
 * as group_write.
 */
#ifndef SWT_MEASURE_CPI_IMAGE_H
#define SWT_MEASURE_CPI_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../../../formats/bytes.h"
#include "../../../formats/cpi_hooks.h"
#include "../../../include/perfutil.h"
#include "../../../formats/interval_hooks.h"
#include "../../counters/thread/activity.h"
#include "../../ring/reserve.h"
#include "events.h"
#include "figures.h"

/*
 * The bytes of an instance's last group for an interval without switches (counters_have_stayed: no
 * counts, no detailed hooks). For an interval in a loop the next group differs only in writer,
 * times and quality hook, so it is a patched copy.
 */
enum { IMAGE_LABEL_MOST = 48, IMAGE_HOOKS = 5 };

struct group_image {
	uint32_t key; /* image_key of its kind; 0: there is none yet */
	uint32_t hooks;
	uint32_t bytes;
	uint32_t first_control; /* as committed */
	uint32_t cpus, known, own_pair;
	/* Offsets. */
	struct {
		uint32_t record, elapsed;
	} place[IMAGE_HOOKS];
	uint32_t quality; /* the words of its hook; 0: there is none */
	uint32_t time;	  /* the same of the time hook */
	uint32_t cpi;	  /* of the thread, in the summary; 0: the first interval counted none */
	char label[IMAGE_LABEL_MOST + 1];
	_Alignas(8) uint8_t record[];
};

/* Never 0. */
static inline uint32_t image_key(uint32_t types, uint32_t mm, const char *label)
{
	return types | mm << 8 | (label ? 2u : 1u) << 16;
}
_Static_assert(CPI_MINOR_MM == 0xFF && (CPI_TYPE_TRACE_EVERYTHING | CPI_TYPE_TRACE_QUALITY) <= 0xFF,
	"apart in the key");

static inline uint32_t image_mm(const struct group_image *image)
{
	return image->key >> 8 & CPI_MINOR_MM;
}

/* True if the image is of such a group. own_pair: its own cost; 0: unknown. */
static inline bool group_image_is_for(const struct group_image *image, uint32_t types, uint32_t mm,
	uint32_t own_pair, const char *label)
{
	return image->key == image_key(types, mm, label) && image->own_pair == own_pair &&
	       (!label || strcmp(image->label, label) == 0);
}

/* True if the image has a word for every known value of the thread. */
static inline bool group_image_knows(
	const struct group_image *image, const struct counter_interval *i)
{
	return !image->quality ||
	       !(image->known & CPI_KNOWN_MIGRATIONS) == (i->activity.migrations == NOT_MEASURED);
}

/* Fills the reservation. Does not touch size, writer and stamp of the first record, which the
 * reservation stored: readers may read them at any moment. */
static inline void image_copy(
	const struct group_image *image, const struct hook_writer *w, uint64_t elapsed)
{
	const uint32_t number = w->number, hooks = image->hooks;
	const uint64_t stamp = w->stamp;
	uint8_t *first = w->first;

	put_le64(first + REC_MAJOR, get_le64(image->record + REC_MAJOR));
	memcpy(first + REC_DATA, image->record + REC_DATA, image->bytes - REC_DATA);
	put_hl64(first + image->place[0].elapsed, elapsed);
	for (uint32_t n = 1; n < hooks; n++) {
		/* Load it before the stores: for the compiler, they may alias the image. */
		uint8_t *record = first + image->place[n].record;
		uint8_t *at = first + image->place[n].elapsed;

		put_le32(record + REC_TID, number);
		put_le64(record + REC_STAMP, stamp);
		put_hl64(at, elapsed);
	}
}

/* Patches the words of the quality hook. Only the thread's cycles are counted here. */
static inline void image_put_quality(
	uint8_t *word, const struct counter_interval *i, uint32_t known)
{
	const struct counter_quality *cycles = &i->quality[COUNTER_THREAD_CYCLES];
	uint8_t *p = word + 4 * (CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * COUNTER_THREAD_CYCLES);

	put_le32(word + 4 * CPI_QUALITY_FLAGS, i->flags);
	put_le32(p, cycles->source);
	put_hl64(p + 4, cycles->enabled);
	put_hl64(p + 12, cycles->running);
	p += 4 * CPI_QUALITY_WORDS;
	if (known & CPI_KNOWN_ON_CPU)
		put_hl64(p, i->activity.on_cpu_ns);
	p += 8 * ((known & CPI_KNOWN_ON_CPU ? 1 : 0) + (known & CPI_KNOWN_SWITCHES ? 1 : 0) +
			 (known & CPI_KNOWN_MIGRATIONS ? 1 : 0));
	if (known & CPI_KNOWN_FAULTS)
		put_hl64(p, i->activity.faults);
}

/* Whether the figures of an interval without a switch hold for its group: see group.h. A later
 * stamp is the ring's, from another thread, or that of a hook that attached its thread. */
static inline bool image_activity_lasts(
	const struct counter_interval *i, const struct hook_time *at, const struct hook_writer *w)
{
	return at && w->stamp == at->ticks ? !hook_left_cpu(w, i->activity.cpu) : activity_stays(i);
}

/* Makes the figures unknown. */
static __attribute__((noinline, cold)) void image_forget_activity(
	const struct group_image *image, uint8_t *first)
{
	uint8_t *p = first + image->quality +
		     4 * (CPI_QUALITY_FIRST + CPI_QUALITY_WORDS * COUNTER_QUANTITIES);
	uint8_t *time = first + image->time;

	for (uint32_t bit = CPI_KNOWN_ON_CPU; image->quality && bit <= CPI_KNOWN_MIGRATIONS;
		bit <<= 1)
		if (image->known & bit) {
			put_hl64(p, NOT_MEASURED);
			p += 8;
		}
	if (!image->time)
		return;
	put_le32(time + 4 * INTERVAL_TIME_WORD_SOURCE, INTERVAL_TIME_NONE);
	if (get_le32(time + 4 * INTERVAL_TIME_WORD_KNOWN) & INTERVAL_KNOWN_SWITCHES)
		put_hl64(time + 4 * INTERVAL_TIME_WORD_FIRST, NOT_MEASURED);
}

/* Writes the group of the image. events: NULL, or read at both ends; the thread is
 * attached. Returns as group_write. */
static inline __attribute__((always_inline)) int group_write_image(const struct group_image *image,
	struct events *events, const struct counter_interval *i, uint64_t start_ticks,
	const struct hook_time *at, uint64_t *elapsed)
{
	const struct ring_map *map = ring_self.map;
	struct frame more = {.mm = image_mm(image)};
	struct hook_writer w;
	uint32_t cpi[2];
	uint64_t ticks;
	int rc;

	if (events)
		events_add(events, &more);
	if (unlikely(!hook_begin_fast_at(&w, CPI_MAJOR, image->bytes + more.bytes, at))) {
		struct hook_writer slow;

		rc = hook_begin_at(
			&slow, CPI_MAJOR, image->bytes + more.bytes, image->hooks + more.hooks, at);
		if (rc != HOOK_RESERVED)
			return rc;
		w = slow; /* no call has its address: it stays in registers */
	}
	ticks = w.stamp > start_ticks ? w.stamp - start_ticks : 0;
	image_copy(image, &w, ticks);
	if (__builtin_expect(image->cpi != 0, 0)) {
		figure_cpi_words(i->thread_cycles, i->thread_instructions, cpi);
		put_le32(w.first + image->cpi, cpi[0]);
		put_le32(w.first + image->cpi + 4, cpi[1]);
	}
	if (image->quality)
		image_put_quality(w.first + image->quality, i, image->known);
	if (unlikely(!image_activity_lasts(i, at, &w)))
		image_forget_activity(image, w.first);
	if (events) {
		more.w = w;
		more.w.at += image->bytes;
		more.elapsed = ticks;
		/* Stale if a signal handler attached the thread to other rings. */
		events_write(events, &more, ring_self.map != map);
	}
	w.first_control = image->first_control;
	hook_commit(&w);
	*elapsed = ticks;
	return PU_SUCCESS;
}

#endif
