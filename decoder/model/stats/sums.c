#include "sums.h"

#include <string.h>

static void add_counted(struct counted_sum *c, uint64_t count)
{
	if (count == NOT_MEASURED)
		return;
	c->measured++;
	exact_add(&c->sum, count);
}

void sums_add(struct sums *s, const struct interval *iv)
{
	ratios_add(&s->ratios, iv);
	add_counted(&s->thread_instructions, iv->thread_instructions);
	add_counted(&s->instructions, iv->instructions);
	s->scripted += (iv->flags & IV_SCRIPTED) != 0;
	s->quality += (iv->flags & IV_QUALITY) != 0;
	if (iv->flags & IV_FLAGGED) {
		s->flagged++;
		for (unsigned i = 0; i < SUMS_FLAGS; i++)
			s->by_flag[i] += (iv->flags & (IV_MULTIPLEXED << i)) != 0;
	}
}

static void merge_counted(struct counted_sum *c, const struct counted_sum *from)
{
	exact_add(&c->sum, from->sum);
	c->measured += from->measured;
}

void sums_merge(struct sums *s, const struct sums *from)
{
	ratios_merge(&s->ratios, &from->ratios);
	merge_counted(&s->thread_instructions, &from->thread_instructions);
	merge_counted(&s->instructions, &from->instructions);
	s->scripted += from->scripted;
	s->quality += from->quality;
	s->flagged += from->flagged;
	for (unsigned i = 0; i < SUMS_FLAGS; i++)
		s->by_flag[i] += from->by_flag[i];
}

double sums_mean(const struct counted_sum *c)
{
	return c->measured ? (double)c->sum / (double)c->measured : NAN;
}

enum { RATIOS_WORDS = sizeof(struct ratios) / sizeof(uint64_t) };

_Static_assert(offsetof(struct sums, ratios) == 0, "ratios come first");

#define WORD(member) (offsetof(struct sums, member) / sizeof(uint64_t))

static void toggle_count(uint64_t words[SUMS_WORDS], size_t count, size_t ratio)
{
	words[count] ^= words[ratio + WORD(ratios.thread.below)];
	words[count + 1] ^= words[ratio + WORD(ratios.thread.below) + 1];
	words[count + WORD(instructions.measured) - WORD(instructions)] ^=
		words[ratio + WORD(ratios.thread.counted)];
}

/* Usually cycles and instructions were counted for the same intervals. */
static void toggle_counts(uint64_t words[SUMS_WORDS])
{
	toggle_count(words, WORD(thread_instructions), WORD(ratios.thread));
	toggle_count(words, WORD(instructions), WORD(ratios.raw));
}

unsigned sums_pack(const struct sums *s, uint64_t packed[SUMS_PACKED])
{
	uint64_t words[SUMS_WORDS];

	memcpy(words, s, sizeof words);
	toggle_counts(words);
	words_to_differences(words, RATIOS_WORDS, RATIO_WORDS);
	unsigned n = words_pack(words, SUMS_WORDS, packed);
	return n > WORDS_MAPS(SUMS_WORDS) ? n : 0;
}

void sums_unpack(struct sums *s, const uint64_t *packed)
{
	uint64_t words[SUMS_WORDS];

	if (!packed) {
		memset(s, 0, sizeof *s);
		return;
	}
	memset(words, 0, sizeof words);
	words_add_packed(words, SUMS_WORDS, packed);
	words_from_differences(words, RATIOS_WORDS, RATIO_WORDS);
	toggle_counts(words);
	memcpy(s, words, sizeof words);
}
