/* Settles several files of one trace about the same rings: counts each hook and each loss once. */
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../include/cpidecode.h"
#include "../trace/overlap.h"
#include "../hooks/record.h"
#include "../../base/sort.h"
#include "../trace/trace_private.h"

/* A ring of a file. */
struct member {
	struct file *file;
	size_t group; /* the first file that has the same rings */
	size_t ring;  /* index in the file's rings */
	uint32_t number;
	uint64_t from, to; /* positions */
};

/* The origin of a file's LOSS counts; files with the same origin count the same losses. */
struct ledger {
	bool drained;	    /* written by a drain: counts since that file began */
	const char *number; /* files before it; else the session's ledger, or "" */
};

static bool settle_has_same_rings(const struct file *a, const struct file *b)
{
	if (a->pub.machine != b->pub.machine || !a->pub.import != !b->pub.import)
		return false;
	if (a->has_rings_id && b->has_rings_id)
		return memcmp(a->rings_id, b->rings_id, sizeof a->rings_id) == 0;
	return memcmp(a->pub.header.trace_id, b->pub.header.trace_id,
		       sizeof a->pub.header.trace_id) == 0;
}

static int settle_compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	int c = compare_u64_pair(x->group, y->group, x->number, y->number);

	return c ? c : compare_u64_pair(x->from, y->from, x->file->pub.index, y->file->pub.index);
}

static struct section_ref *section_of(const struct member *m, size_t i)
{
	return (struct section_ref *)m->file->dir.refs.p + m->file->dir.rings[m->ring].first + i;
}

/* ------------------------------------------------------------------------ hooks */

struct context {
	struct member *members;
	struct claim *claims;
};

static int settle_check_claim(void *ctx, const struct claim *c)
{
	const struct context *all = ctx;
	const struct member *m = &all->members[c->member];

	return file_check_section(m->file, section_of(m, c->section)->offset);
}

static size_t list_claims(const struct member *m, uint32_t number, struct claim *to)
{
	size_t n = file_nsections(m->file, m->ring);

	for (size_t i = 0; i < n; i++) {
		const struct section_ref *s = section_of(m, i);

		to[i] = (struct claim){.position = s->position + s->skip,
			.first = s->lo,
			.last = s->last,
			.raw = s->raw - s->skip,
			.torn = s->torn,
			.has_range = s->has_range,
			.member = number,
			.section = i};
	}
	return n;
}

/* A skipped section counts 0. */
static void settle_drop_section(struct member *m, struct section_ref *s)
{
	struct trace_ring *r = &m->file->rings[m->ring];

	r->twice += s->hooks;
	r->hooks -= s->hooks;
	r->torn -= s->torn;
	r->sections--;
	r->stored -= s->stored;
	r->raw -= s->raw;
	m->file->pub.hooks -= s->hooks;
	s->skip = s->raw;
}

static int settle_apply_claim(struct context *all, const struct claim *c)
{
	struct member *m = &all->members[c->member];
	struct section_ref *s = section_of(m, c->section);

	if (c->refuted)
		return file_contradiction(m->file, s->offset,
			"it claims positions of its ring where others have other hooks");
	if (c->skip == c->raw)
		settle_drop_section(m, s);
	else
		s->skip += c->skip;
	return 0;
}

/* Compacts the list after sections were dropped. */
static void close_ranks(struct member *m)
{
	struct ring_sections *ring = &m->file->dir.rings[m->ring];
	struct trace_ring *r = &m->file->rings[m->ring];
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < ring->count; i++) {
		struct section_ref *s = section_of(m, i);

		if (s->skip == s->raw)
			continue;
		if (s->has_range) {
			r->first = any && r->first < s->lo ? r->first : s->lo;
			r->last = any && r->last > s->hi ? r->last : s->hi;
			any = true;
		}
		*section_of(m, kept++) = *s;
	}
	ring->count = kept;
}

static void sum_up(struct file *f)
{
	f->pub.has_hooks = false;
	f->pub.first = f->pub.last = 0;
	for (size_t i = 0; i < f->pub.nrings; i++) {
		const struct trace_ring *r = &f->rings[i];

		if (!r->hooks)
			continue;
		if (!f->pub.has_hooks || r->first < f->pub.first)
			f->pub.first = r->first;
		if (!f->pub.has_hooks || r->last > f->pub.last)
			f->pub.last = r->last;
		f->pub.has_hooks = true;
	}
}

/* n members of one ring that claim common positions. */
static int settle_hooks(struct member *members, size_t n)
{
	struct context all = {.members = members};
	size_t sections = 0, filled = 0;

	for (size_t i = 0; i < n; i++)
		sections += file_nsections(members[i].file, members[i].ring);
	all.claims = calloc(sections + 1, sizeof *all.claims);
	if (!all.claims)
		return CPIDECODE_ENOMEM;
	for (size_t i = 0; i < n; i++)
		filled += list_claims(&members[i], (uint32_t)i, all.claims + filled);
	int rc = overlap_settle(all.claims, filled, settle_check_claim, &all);
	for (size_t i = 0; i < filled && !rc; i++)
		rc = settle_apply_claim(&all, &all.claims[i]);
	for (size_t i = 0; i < n && !rc; i++) {
		close_ranks(&members[i]);
		sum_up(members[i].file);
	}
	free(all.claims);
	return rc;
}

/* ----------------------------------------------------------------------- losses */

enum { CAUSES = 10 };

static uint64_t *settle_cause(struct trace_ring *r, int i)
{
	uint64_t *const causes[CAUSES] = {&r->loss_full, &r->loss_big, &r->loss_held,
		&r->loss_no_guest, &r->loss_torn, &r->skipped, &r->no_slot, &r->no_memory,
		&r->unattached, &r->unwritten};

	return causes[i];
}

static struct trace_ring *ring_of(const struct member *m)
{
	return &m->file->rings[m->ring];
}

static struct ledger ledger_of(const struct file *f)
{
	const char *before = trace_meta_value(&f->pub, "files before");
	const char *number = before ? before : trace_meta_value(&f->pub, "ledger");

	return (struct ledger){.drained = before, .number = number ? number : ""};
}

static bool same_ledger(const struct file *a, const struct file *b)
{
	struct ledger x = ledger_of(a), y = ledger_of(b);

	if (x.drained != y.drained || strcmp(x.number, y.number) != 0)
		return false;
	return (!x.drained && a->has_rings_id && b->has_rings_id) ||
	       memcmp(a->pub.header.trace_id, b->pub.header.trace_id,
		       sizeof a->pub.header.trace_id) == 0;
}

/* Hooks of a section before that position; an unreadable section has none. */
static int count_before(
	const struct member *m, const struct section_ref *s, uint64_t end, uint64_t *hooks)
{
	struct io_buffer raw = {0}, scratch = {0};
	const char *why;
	struct hook hook;
	uint32_t size;
	int rc = file_load_section(m->file, m->ring, s, &raw, &scratch, &why);
	uint32_t stop = end - s->position < s->raw ? (uint32_t)(end - s->position) : s->raw;

	for (uint32_t at = 0; !rc && at < stop; at += size) {
		enum record_kind kind = record_parse(raw.p + at, s->raw - at, &hook, &size);

		if (kind == RECORD_BROKEN)
			break;
		*hooks += kind == RECORD_HOOK && at >= s->skip;
	}
	io_buffer_free(&raw);
	io_buffer_free(&scratch);
	return rc == CPIDECODE_ENOMEM ? rc : 0;
}

/* Hooks of the others before m's first one: those were overwritten later. */
static int count_kept(
	const struct member *members, size_t n, const struct member *m, uint64_t *hooks)
{
	int rc = 0;

	*hooks = 0;
	for (size_t i = 0; i < n; i++) {
		size_t sections = file_nsections(members[i].file, members[i].ring);

		for (size_t k = 0; k < sections && &members[i] != m && !rc; k++) {
			const struct section_ref *s = section_of(&members[i], k);

			if (s->position >= m->from)
				break;
			if (s->position + s->raw <= m->from && !s->skip)
				*hooks += s->hooks;
			else
				rc = count_before(&members[i], s, m->from, hooks);
		}
	}
	return rc;
}

/* Merges b's losses into a's; b keeps none. */
static void give_losses(struct member *to, struct member *from)
{
	struct trace_ring *a = ring_of(to), *b = ring_of(from);
	uint64_t torn = a->loss_torn;

	if (b->overwritten > a->overwritten) {
		to->from = from->from;
		a->overwritten = b->overwritten;
	}
	b->overwritten = 0;
	for (int i = 0; i < CAUSES; i++) {
		if (*settle_cause(b, i) > *settle_cause(a, i))
			*settle_cause(a, i) = *settle_cause(b, i);
		*settle_cause(b, i) = 0;
	}
	a->loss_torn = torn; /* torn records may have been committed since */
	/* Not the sum: both files may have the sections before which hooks were lost. */
	if (b->lost > a->lost)
		a->lost = b->lost;
	b->lost = 0;
	a->has_loss |= b->has_loss;
	b->has_loss = false;
}

/* Whether b was written after a: positions and losses never decrease. */
static bool is_later(const struct member *a, const struct member *b)
{
	const struct trace_ring *x = ring_of(a), *y = ring_of(b);

	if (a->to != b->to)
		return a->to < b->to;
	return x->loss_full + x->loss_big + x->loss_held + x->loss_no_guest <
	       y->loss_full + y->loss_big + y->loss_held + y->loss_no_guest;
}

/* If files have the same ledger, the last one has the running total. */
static int join_ledgers(struct member *members, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		struct member *a = &members[i];

		for (size_t k = i + 1; k < n && ring_of(a)->has_loss; k++) {
			struct member *b = &members[k];

			if (!ring_of(b)->has_loss || !same_ledger(a->file, b->file))
				continue;
			if (is_later(a, b))
				give_losses(b, a);
			else
				give_losses(a, b);
		}
	}
	for (size_t i = 0; i < n && !rc; i++) {
		uint64_t *over = &ring_of(&members[i])->overwritten, kept = 0;

		if (*over)
			rc = count_kept(members, n, &members[i], &kept);
		*over -= kept < *over ? kept : *over;
	}
	return rc;
}

/* A dump's running total includes the losses in a drain's files. */
static void join_drained(struct member *members, size_t n)
{
	for (int i = 0; i < CAUSES; i++) {
		uint64_t drained = 0;

		for (size_t k = 0; k < n; k++)
			if (ledger_of(members[k].file).drained)
				drained += *settle_cause(ring_of(&members[k]), i);
		for (size_t k = 0; k < n; k++) {
			uint64_t *c = settle_cause(ring_of(&members[k]), i);
			uint64_t both = drained < *c ? drained : *c;

			if (ledger_of(members[k].file).drained)
				continue;
			*c -= both;
			drained -= both;
		}
	}
}

/* ------------------------------------------------------------------------ rings */

static bool settle_members_meet(const struct member *members, size_t n)
{
	uint64_t end = members[0].to;

	for (size_t i = 1; i < n; i++) {
		if (members[i].from < end)
			return true;
		end = members[i].to > end ? members[i].to : end;
	}
	return false;
}

static int settle_ring(struct member *members, size_t n)
{
	int rc = settle_members_meet(members, n) ? settle_hooks(members, n) : 0;

	if (!rc)
		rc = join_ledgers(members, n);
	if (!rc)
		join_drained(members, n);
	return rc;
}

static size_t find_group(const struct trace *t, const size_t *groups, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (groups[k] == k && settle_has_same_rings(t->files[k], t->files[i]))
			return k;
	return i;
}

static int list_members(const struct trace *t, struct member **list, size_t *n)
{
	size_t *groups = calloc(t->nfiles + 1, sizeof *groups), all = 0;

	for (size_t i = 0; i < t->nfiles; i++)
		all += t->files[i]->pub.nrings;
	*list = calloc(all + 1, sizeof **list);
	*n = 0;
	for (size_t i = 0; i < t->nfiles && groups && *list; i++) {
		struct file *f = t->files[i];

		groups[i] = find_group(t, groups, i);
		for (size_t k = 0; k < f->pub.nrings; k++)
			(*list)[(*n)++] = (struct member){.file = f,
				.group = groups[i],
				.ring = k,
				.number = f->rings[k].ring,
				.from = f->rings[k].position_first,
				.to = f->rings[k].position_end};
	}
	bool ready = groups && *list;
	free(groups);
	return ready ? 0 : CPIDECODE_ENOMEM;
}

int trace_settle(struct trace *t)
{
	struct member *members;
	size_t n, end;

	if (t->nfiles < 2)
		return 0;
	owners_name_tasks(t);
	int rc = list_members(t, &members, &n);
	if (!rc)
		sort_in_place(members, n, sizeof *members, settle_compare_members);
	for (size_t i = 0; i < n && !rc; i = end) {
		for (end = i + 1; end < n && members[end].group == members[i].group &&
				  members[end].number == members[i].number;)
			end++;
		if (end > i + 1)
			rc = settle_ring(members + i, end - i);
	}
	free(members);
	for (size_t i = 0; i < t->nfiles; i++)
		t->files[i]->pub.contradictions = t->files[i]->contradictions;
	return rc;
}
