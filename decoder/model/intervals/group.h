/* A group in the making: an interval, and what its hooks said so far. */
#ifndef SWT_DECODER_MODEL_INTERVALS_GROUP_H
#define SWT_DECODER_MODEL_INTERVALS_GROUP_H

#include "group_flat.h"
#include "intervals.h"

struct group {
	struct interval iv;
	struct interval_cpu *cpus;
	uint32_t cpus_cap;
	struct interval_util *utils; /* of CPU utilisation: num_utils, as many as cpus in the end */
	uint32_t num_utils, utils_cap;
	char *label;
	uint32_t label_cap;
	uint32_t num_cpus_word; /* as the hooks say, 0: not said */
	uint8_t last;		/* enum group_part */
	bool open, has_elapsed, has_types;
};

bool group_elapsed_by_cursor(
	const struct group_plan *plan, const struct hook *h, uint64_t *elapsed);

/* What a hook says of its elapsed time; false: it is too short to say. */
static inline bool group_elapsed(
	const struct group_plan *plan, const struct hook *h, uint64_t *elapsed)
{
	if (!plan->flat)
		return group_elapsed_by_cursor(plan, h, elapsed);
	const uint8_t *p = h->words + 4 * (size_t)plan->elapsed_word;
	if (h->nwords < plan->elapsed_words)
		return false;
	*elapsed = plan->elapsed_wide ? get_hl64(p) : get_le32(p);
	return true;
}

/* Takes all that is wanted of a hook. 0 or CPIDECODE_ENOMEM. */
int group_take(struct group *g, const struct group_plan *plan, const struct hook *h);
/* Room for processor `cpu`, and those before it. */
int group_need_cpu(struct group *g, uint32_t cpu);

/*
 * Of groups of CPU utilisation: a value of a processor's, at that offset of struct interval_util
 * or of that meaning; and after the last hook. 0 or CPIDECODE_ENOMEM.
 */
int group_take_util(
	struct group *g, uint32_t cpu, size_t at, bool is_ratio, bool measured, uint64_t v);
int group_take_util_field(
	struct group *g, uint32_t cpu, enum group_field means, bool measured, uint64_t v);
int group_settle_util(struct group *g);
void group_free(struct group *g);

#endif
