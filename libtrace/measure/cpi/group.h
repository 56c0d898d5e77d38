/*
 * One measured interval as a hook group: label, summary, the three detailed hooks, quality,
 * label, time, events, arguments, in one reservation. Layouts: formats/trace-file.md, "CPI hooks"
 * and "Interval hooks".
 *
 * libtrace/measure owns live intervals of CPI and utilisation: instances, arithmetic, hook groups.
 * It includes session, ring, counters and core. Errors: negative PU_ codes.
 */
#ifndef SWT_MEASURE_CPI_GROUP_H
#define SWT_MEASURE_CPI_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../../formats/cpi_hooks.h"
#include "../../counters/source.h"
#include "../../ring/hook.h"
#include "../scope/args.h"
#include "events.h"
#include "own_cost.h"

/* What follows the time hook. */
struct group_more {
	struct events *events;	 /* NULL: none */
	const struct args *args; /* NULL: none */
	uint64_t begin;		 /* of its begin hook; 0: it has none */
};

struct group_spec {
	uint32_t types;	   /* CPI_TYPE_TRACE_SUMMARY, _DETAILED, _QUALITY: which hooks */
	uint32_t mode;	   /* CPI_TYPE_SCALED, _ONTHREAD: asked for */
	uint32_t mm;	   /* the program's minor code, 0x00 to 0xFF */
	uint32_t tid;	   /* the thread of the thread figures */
	const char *label; /* NULL: none */
	const struct group_more *more; /* NULL: nothing */
	const struct own_cost *own;    /* NULL: not known */
};

/* Writes the group, stamped with `at` (see hook_begin_at); elapsed is from start_ticks to the
 * stamp. Returns 0 with *elapsed set, 0 with *elapsed untouched if nothing was to be written, or a
 * PU_ code if it was lost. */
int group_write(const struct group_spec *spec, const struct counter_interval *interval,
	uint64_t start_ticks, const struct hook_time *at, uint64_t *elapsed);

/*
 * The bytes of an instance's last group of an interval that stayed (counters_have_stayed: no
 * counts, no detailed hooks). The next one is a copy, but for its writer, its times and its quality
 * hook, if all else is the same: which is so for an interval in a loop.
 */
enum { IMAGE_LABEL_MOST = 48, IMAGE_HOOKS = 5 };

struct group_image {
	uint32_t hooks; /* 0: there is none yet */
	uint32_t bytes;
	uint32_t first_control; /* as committed */
	uint32_t types, mm, cpus, known, own_pair;
	/* Offsets. */
	struct {
		uint32_t record, elapsed;
	} place[IMAGE_HOOKS];
	uint32_t quality; /* the words of its hook; 0: there is none */
	uint32_t cpi;	  /* of the thread, in the summary; 0: the first interval counted none */
	bool has_label;
	char label[IMAGE_LABEL_MOST + 1];
	_Alignas(8) uint8_t record[];
};

/* Bytes of an image with records for this many processors. */
size_t group_image_size(uint32_t cpus);

/* Whether the image is of such a group. own_pair: of its own cost; 0: not known. */
static inline bool group_image_is_for(const struct group_image *image, uint32_t types, uint32_t mm,
	uint32_t own_pair, const char *label)
{
	return image->hooks != 0 && image->own_pair == own_pair && image->types == types &&
	       image->mm == mm && image->has_label == (label != NULL) &&
	       (!label || strcmp(image->label, label) == 0);
}

/* Whether it has all that is known of what the thread did. */
static inline bool group_image_knows(
	const struct group_image *image, const struct counter_interval *i)
{
	return !image->quality ||
	       !(image->known & CPI_KNOWN_MIGRATIONS) == (i->life.migrations == CPI_NONE);
}

/* Writes the group of the image; otherwise as group_write. */
int group_write_image(const struct group_image *image, const struct counter_interval *interval,
	uint64_t start_ticks, const struct hook_time *at, uint64_t *elapsed);

/* As group_write, of such an interval. One that counted its thread needs an image of one. */
int group_write_stayed(struct group_image *image, const struct group_spec *spec,
	const struct counter_interval *interval, uint64_t start_ticks, const struct hook_time *at,
	uint64_t *elapsed);

#endif
