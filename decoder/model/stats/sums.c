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

enum {
	RATIO_WORDS = sizeof(struct ratio) / sizeof(uint64_t),
	RATIOS_WORDS = sizeof(struct ratios) / sizeof(uint64_t),
};

_Static_assert(offsetof(struct sums, ratios.thread) == 0, "the first ratio comes first");

/* A ratio's words are told by how they differ from those of the ratio before, most of which are
 * the same. */
static void toggle_likeness(uint64_t words[SUMS_WORDS], unsigned from, unsigned to, int step)
{
	for (unsigned i = from; i != to; i += (unsigned)step)
		words[i] ^= words[i - RATIO_WORDS];
}

#define WORD(member) (offsetof(struct sums, member) / sizeof(uint64_t))

static void toggle_count(uint64_t words[SUMS_WORDS], size_t count, size_t ratio)
{
	words[count] ^= words[ratio + WORD(ratios.thread.below)];
	words[count + 1] ^= words[ratio + WORD(ratios.thread.below) + 1];
	words[count + WORD(instructions.measured) - WORD(instructions)] ^=
		words[ratio + WORD(ratios.thread.counted)];
}

/* Mostly there are cycles to all instructions that were counted. */
static void toggle_counts(uint64_t words[SUMS_WORDS])
{
	toggle_count(words, WORD(thread_instructions), WORD(ratios.thread));
	toggle_count(words, WORD(instructions), WORD(ratios.raw));
}

unsigned sums_pack(const struct sums *s, uint64_t packed[SUMS_PACKED])
{
	uint64_t words[SUMS_WORDS];
	unsigned n = SUMS_MAPS;
	memcpy(words, s, sizeof words);
	toggle_counts(words);
	toggle_likeness(words, RATIOS_WORDS - 1, RATIO_WORDS - 1, -1);
	memset(packed, 0, SUMS_MAPS * sizeof *packed);
	for (unsigned i = 0; i < SUMS_WORDS; i++) {
		if (!words[i])
			continue;
		packed[i / 64] |= UINT64_C(1) << i % 64;
		packed[n++] = words[i];
	}
	return n > SUMS_MAPS ? n : 0;
}

void sums_unpack(struct sums *s, const uint64_t *packed)
{
	uint64_t words[SUMS_WORDS] = {0};
	unsigned n = SUMS_MAPS;
	for (unsigned map = 0; packed && map < SUMS_MAPS; map++)
		for (uint64_t left = packed[map]; left; left &= left - 1)
			words[64 * map + (unsigned)__builtin_ctzll(left)] = packed[n++];
	toggle_likeness(words, RATIO_WORDS, RATIOS_WORDS, 1);
	toggle_counts(words);
	memcpy(s, words, sizeof words);
}
