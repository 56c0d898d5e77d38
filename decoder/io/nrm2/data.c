/* A section's data: hooks, which may begin in one section and end in the processor's next. */
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/hash.h"
#include "../../../include/cpidecode.h"
#include "../../base/grow.h"
#include "data.h"
#include "table.h"

enum {
	/* This many hooks in a row are no accident. */
	CHAIN = 4,
	CHAIN_BYTES = (CHAIN + 1) * 65536,
};

/* Bytes of hooks that continue in later sections, of all processors. */
#define MAX_CARRIED (UINT64_C(16) << 20)

/* Forces doubt at the start of the processor's next section. */
#define IN_DOUBT UINT64_MAX

/* -------------------------------------------------------------- processors */

/* *cpu is NULL if there are too many already. */
static int nrm2_find_cpu(struct nrm2_scan *s, uint32_t ring, struct nrm2_cpu **cpu)
{
	uint64_t hash = hash_u64(ring);
	size_t i;

	for (uint32_t found; (found = hash_index_next(&s->by_ring, &hash));)
		if ((*cpu = &s->cpus[found - 1])->ring == ring)
			return 0;
	*cpu = NULL;
	if (s->ncpus == NRM2_MAX_CPUS)
		return 0;
	if (array_grow(&s->cpus, s->ncpus, &s->cpus_cap, sizeof *s->cpus) ||
		!hash_index_grow(&s->by_ring, s->ncpus + 1, &i))
		return CPIDECODE_ENOMEM;
	const bool wrap = !s->own && s->mode == NRM2_MODE_WRAP;
	*cpu = &s->cpus[s->ncpus++];
	**cpu = (struct nrm2_cpu){
		.ring = ring, .position = wrap ? NRM2_NEWER_POSITION : 0, .gaps = s->gaps};
	for (; i < s->ncpus; i++)
		hash_index_add(&s->by_ring, hash_u64(s->cpus[i].ring), (uint32_t)i);
	return 0;
}

/* --------------------------------------------------------------- one hook */

/* Where a wrap file's newest hooks end and its oldest begin, their positions change. */
static int nrm2_note_turn(struct nrm2_scan *s, struct nrm2_cpu *cpu, uint64_t stamp)
{
	bool turns = cpu->seen && !cpu->turned && stamp < cpu->last &&
		     cpu->position >= NRM2_NEWER_POSITION;

	cpu->seen = true;
	cpu->last = stamp;
	if (!turns)
		return 0;
	int rc = nrm2_group_end(&s->spool, &cpu->group, &s->held);
	if (!rc)
		rc = nrm2_spool_hooks(&s->spool);
	s->spool.of_records.position = cpu->position = 0;
	cpu->turned = true;
	return rc;
}

static int nrm2_import_record(struct nrm2_scan *s, struct nrm2_part *part, struct nrm2_cpu *cpu,
	const uint8_t *p, uint64_t at)
{
	struct nrm2_hook h;
	const char *why = nrm2_hook_parse(&h, p, part->big);

	if (why)
		return nrm2_damage(s, at, h.length, why);
	if (part->own && part->type != NRM2_TYPE_TRACE)
		return nrm2_own_table(s, &h);
	if (part->own && h.major == NRM2_DISPATCH && h.mixed && !h.nstrings) {
		part->tid = h.minor;
		part->grouped = h.nintegers > 0;
		part->group = nrm2_hook_integer(&h, 0);
		return 0;
	}
	if (part->own)
		return nrm2_group_alone(
			&s->spool, &h, part->tid, part->grouped ? part->group : h.stamp);
	int rc = nrm2_learn(s, part, &h);
	if (!rc && part->type == NRM2_TYPE_TRACE)
		rc = nrm2_note_turn(s, cpu, h.stamp);
	return rc ? rc : nrm2_group_add(&s->spool, &cpu->group, &h, &s->held);
}

/* -------------------------------------------------------------- after damage */

/* Whether there are hooks at `at`: one at least, and nothing but hooks from there on. */
static int chain_at(struct nrm2_scan *s, const struct nrm2_part *part, uint64_t at, bool *chain)
{
	const uint8_t *p;
	size_t got;
	uint64_t end = part->end < s->size ? part->end : s->size, room = end - at, last = 0;
	int rc = nrm2_peek(s, at, room < CHAIN_BYTES ? (size_t)room : CHAIN_BYTES, &p, &got);

	*chain = false;
	for (unsigned hooks = 0; !rc && hooks < CHAIN; hooks++) {
		struct nrm2_hook h;
		uint16_t length = got < NRM2_HK_HEADER_SIZE ? 0 : nrm2_hook_length(p, part->big);

		if (length && nrm2_hook_wrong(p, part->big))
			return 0;
		*chain = hooks > 0;
		if (!length || length > got)
			return 0;
		*chain = false;
		if (nrm2_hook_parse(&h, p, part->big) || (hooks && h.stamp < last))
			return 0;
		last = h.stamp;
		p += length;
		got -= length;
		*chain = true;
	}
	return rc;
}

/*
 * No hook at *at: skips to the next hooks, the next section's header or the section's end. Reports
 * the skipped bytes, from `from` on.
 */
static int nrm2_recover_hooks(struct nrm2_scan *s, struct nrm2_part *part, struct nrm2_cpu *cpu,
	uint64_t from, uint64_t *at, const char *why)
{
	uint64_t end = part->end < s->size ? part->end : s->size;
	bool chain = false;

	for (; *at < end; *at += 4) {
		struct nrm2_part next;
		const uint8_t *p;
		const char *reason;
		size_t got;
		/* Peek as much as chain_at will want, so that the window moves in one direction. */
		uint64_t room = end - *at;
		int rc = nrm2_peek(
			s, *at, room < CHAIN_BYTES ? (size_t)room : CHAIN_BYTES, &p, &got);

		if (!rc && got < NRM2_HK_HEADER_SIZE)
			break;
		if (!rc && p[0] == NRM2_MAGIC[0]) {
			rc = nrm2_section_at(s, *at, &next, &reason);
			if (rc == 1) {
				if (*at == from)
					why = "a section's size is wrong: the next begins here";
				part->end = end = *at;
				break;
			}
		}
		if (!rc && *at > from && !nrm2_hook_wrong(p, part->big))
			rc = chain_at(s, part, *at, &chain);
		if (!rc)
			rc = nrm2_progress(s, *at);
		if (rc)
			return rc;
		if (chain)
			break;
	}
	if (!chain) {
		*at = end;
		cpu->gaps = IN_DOUBT;
	}
	return nrm2_damage(s, from, *at - from, why);
}

/* -------------------------------------------------------------- split hooks */

static int carry_on(struct nrm2_scan *s, struct nrm2_cpu *cpu, uint64_t at, uint64_t n)
{
	while (n) {
		const uint8_t *p;
		size_t got;
		int rc = nrm2_peek(s, at, n < NRM2_WINDOW ? (size_t)n : NRM2_WINDOW, &p, &got);

		if (!rc && !got)
			break;
		if (rc)
			return rc;
		buffer_add(&cpu->carry, p, got);
		if (cpu->carry.failed)
			return CPIDECODE_ENOMEM;
		s->carried += got;
		at += got;
		n -= got;
	}
	return 0;
}

static void clear_carry(struct nrm2_scan *s, struct nrm2_cpu *cpu)
{
	s->carried -= cpu->carry.n;
	nrm2_buffer_clear(&cpu->carry);
}

static int drop_carry(struct nrm2_scan *s, struct nrm2_cpu *cpu, size_t bytes, const char *why)
{
	clear_carry(s, cpu);
	return nrm2_damage(s, cpu->carry_at, bytes, why);
}

/* The rest of the hook that the processor's section before ended in. *at moves behind it. */
static int nrm2_join_hook(
	struct nrm2_scan *s, struct nrm2_part *part, struct nrm2_cpu *cpu, uint64_t *at)
{
	uint64_t end = part->end < s->size ? part->end : s->size, start = *at;
	size_t before = cpu->carry.n, need = NRM2_HK_HEADER_SIZE;

	for (int half = 0; half < 2; half++) {
		size_t have = cpu->carry.n;
		uint64_t more = have < need ? need - have : 0;

		if (more > end - *at)
			more = end - *at;
		int rc = carry_on(s, cpu, *at, more);
		if (rc)
			return rc;
		*at += more;
		if (cpu->carry.n < need)
			return 0;
		const char *why = nrm2_hook_wrong(cpu->carry.p, part->big);
		if (why) {
			*at = start;
			return drop_carry(s, cpu, before, why);
		}
		need = nrm2_hook_length(cpu->carry.p, part->big);
	}
	int rc = nrm2_import_record(s, part, cpu, cpu->carry.p, cpu->carry_at);
	clear_carry(s, cpu);
	return rc;
}

/*
 * A section may begin with a hook or with the rest of one. After damage the first that makes
 * sense is right; otherwise the rest is, unless the following hooks make sense only without it.
 */
static int settle_start(
	struct nrm2_scan *s, struct nrm2_part *part, struct nrm2_cpu *cpu, bool doubt, uint64_t *at)
{
	static const char rest[] = "the rest of a hook whose beginning is missing";
	uint64_t end = part->end < s->size ? part->end : s->size;
	size_t have = cpu->carry.n;
	bool chain, after = false;
	int rc = chain_at(s, part, *at, &chain);

	if (!rc && chain && !doubt && have >= NRM2_HK_HEADER_SIZE) {
		uint16_t length = nrm2_hook_length(cpu->carry.p, part->big);
		uint64_t more = length > have ? length - have : 0;

		after = more == end - *at;
		if (more < end - *at)
			rc = chain_at(s, part, *at + more, &after);
	} else if (!doubt) {
		after = true;
	}
	if (rc)
		return rc;
	if (chain && !after)
		return have ? drop_carry(s, cpu, have, "a hook whose rest is missing") : 0;
	return !chain && !have && *at < end ? nrm2_recover_hooks(s, part, cpu, *at, at, rest) : 0;
}

static int read_hooks(
	struct nrm2_scan *s, struct nrm2_part *part, struct nrm2_cpu *cpu, uint64_t at)
{
	while (at < part->end && at < s->size) {
		uint64_t left = (part->end < s->size ? part->end : s->size) - at;
		const uint8_t *p;
		const char *why = NULL;
		size_t got;
		int rc =
			nrm2_peek(s, at, left < NRM2_HK_MAX ? (size_t)left : NRM2_HK_MAX, &p, &got);

		if (rc)
			return rc;
		bool header = got >= NRM2_HK_HEADER_SIZE;
		if (header)
			why = nrm2_hook_wrong(p, part->big);
		uint16_t length = header && !why ? nrm2_hook_length(p, part->big) : 0;
		if (why) {
			rc = nrm2_recover_hooks(s, part, cpu, at, &at, why);
		} else if (!header || length > got) {
			cpu->carry_at = at;
			return s->carried > MAX_CARRIED
				       ? nrm2_damage(s, at, left,
						 "too many hooks are split at one time")
				       : carry_on(s, cpu, at, left);
		} else {
			rc = nrm2_import_record(s, part, cpu, p, at);
			at += length;
		}
		if (!rc)
			rc = nrm2_progress(s, at);
		if (rc)
			return rc;
	}
	return 0;
}

int nrm2_data(struct nrm2_scan *s, struct nrm2_part *part)
{
	struct nrm2_cpu *cpu;
	uint64_t at = part->data;
	uint64_t bytes = (part->end < s->size ? part->end : s->size) - part->at;

	if (!part->own && part->cpu >= TF_GUEST_RING)
		return nrm2_damage(s, part->at, bytes, "a section of a processor that cannot be");
	int rc = nrm2_find_cpu(s, part->ring, &cpu);
	if (!rc && !cpu)
		return nrm2_damage(
			s, part->at, bytes, "sections of more processors than this reader follows");
	if (rc)
		return rc;
	if (!part->own && part->cpu > s->highest_cpu)
		s->highest_cpu = part->cpu;
	/* A wrap file's first hook may have been overwritten in part. */
	bool worn = !s->own && s->mode == NRM2_MODE_WRAP && !cpu->traced &&
		    part->type == NRM2_TYPE_TRACE;
	bool doubt = !part->own && (worn || cpu->gaps != s->gaps);
	cpu->gaps = s->gaps;
	cpu->traced |= part->type == NRM2_TYPE_TRACE;
	s->spool.of_records.ring = part->ring;
	s->spool.of_records.position = cpu->position;
	s->spool.of_records.lost = part->lost;
	if (doubt || (cpu->carry.n && !part->own))
		rc = settle_start(s, part, cpu, doubt, &at);
	if (!rc && cpu->carry.n)
		rc = nrm2_join_hook(s, part, cpu, &at);
	if (!rc)
		rc = read_hooks(s, part, cpu, at);
	if (!rc)
		rc = nrm2_spool_hooks(&s->spool);
	cpu->position = s->spool.of_records.position;
	if (!rc && part->end > s->size && !cpu->carry.n)
		rc = nrm2_damage(s, s->size, 0, "cut off within a section");
	return rc;
}

/* Hooks that wait for more are written without it. */
static int end_cpu(struct nrm2_scan *s, struct nrm2_cpu *cpu)
{
	s->spool.of_records.ring = cpu->ring;
	s->spool.of_records.position = cpu->position;
	int rc = nrm2_group_end(&s->spool, &cpu->group, &s->held);
	if (!rc)
		rc = nrm2_spool_hooks(&s->spool);
	if (!rc && cpu->carry.n)
		rc = drop_carry(s, cpu, cpu->carry.n, "a hook whose rest is missing");
	return rc;
}

int nrm2_data_end(struct nrm2_scan *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->ncpus && !rc; i++)
		rc = end_cpu(s, &s->cpus[i]);
	return rc;
}
