/*
 * Reads rings that writers change meanwhile. See reader.h; the protocol is in formats/session.md.
 *
 * Invariants: shared memory is read only by pread into private memory; every decision uses one
 * copy; sizes and counts come from the owner's geometry; no loop exceeds what a section or a ring's
 * section table can hold.
 */
#include "reader.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../formats/base/compare.h"
#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "layout.h"
#include "reader_control.h"

enum {
	HEAD_READINGS = 8,
	READER_MAX_TURNS = 100, /* the most retries when writers lap the reader */
	ENTRY_PAUSES = 10,	/* waits of 100 us: the time of a sequence that is not aborted */
};

int ring_reader_open(struct ring_reader *r, int fd, const struct shm_geometry *geometry,
	const struct shm_ring_control *control)
{
	memset(r, 0, sizeof *r);
	r->fd = fd;
	if (!geometry_sane(geometry))
		return PU_ERR_FILE_ERROR;
	r->geometry = *geometry;
	r->control = control;
	r->first_read = malloc(geometry->section_size);
	r->sections = malloc(geometry->sections * sizeof *r->sections);
	r->before = malloc(geometry->sections * sizeof *r->before);
	r->kept = calloc(ring_reader_rings(r), sizeof *r->kept);
	if (!r->first_read || !r->sections || !r->before || !r->kept) {
		ring_reader_close(r);
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	}
	return 0;
}

void ring_reader_close(struct ring_reader *r)
{
	free(r->first_read);
	free(r->sections);
	free(r->before);
	free(r->kept);
	r->kept = NULL;
	r->first_read = NULL;
	r->sections = r->before = NULL;
}

bool ring_control_copy(
	struct shm_ring_control *to, const struct shm_control *from, uint32_t generation)
{
	const uint64_t *words = (const uint64_t *)(const void *)from->ring;
	uint64_t *copy = (uint64_t *)(void *)to;

	/* Acquire: pairs with the release by init, which stores the rings' words before it.
	 * tests/litmus/generation-copy.litmus */
	if (__atomic_load_n(&from->generation, __ATOMIC_ACQUIRE) != generation)
		return false;
	const size_t n = sizeof from->ring / 8;

	for (size_t i = 0; i < n; i++)
		copy[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
	/* Acquire: a word of the next init in the copy shows that generation 0 came before it.
	 * tests/litmus/generation-copy.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&from->generation, __ATOMIC_RELAXED) == generation;
}

uint32_t ring_reader_rings(const struct ring_reader *r)
{
	return r->geometry.cpus + r->geometry.guests;
}

uint32_t ring_reader_id(const struct ring_reader *r, uint32_t ring)
{
	return ring < r->geometry.cpus ? ring : TF_GUEST_RING + (ring - r->geometry.cpus);
}

bool ring_read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	uint8_t *p = to;

	while (bytes) {
		ssize_t n = pread(fd, p, bytes, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : 0;
			return false;
		}
		p += n;
		bytes -= (size_t)n;
		offset += (uint64_t)n;
	}
	return true;
}

/*
 * pread need not copy a head by one load: a carry between two bytes may show values that never
 * existed. A head not above a later reading was reached.
 */
int ring_reader_header(struct ring_reader *r, uint32_t ring, struct shm_ring *header)
{
	uint64_t at = ring_offset(&r->geometry, ring), again;

	if (!ring_read_at(r->fd, header, sizeof *header, at))
		return PU_ERR_FILE_ERROR;
	for (int i = 0; i < HEAD_READINGS; i++) {
		if (!ring_read_at(
			    r->fd, &again, sizeof again, at + offsetof(struct shm_ring, head)))
			return PU_ERR_FILE_ERROR;
		if (again >= header->head)
			break;
		header->head = again;
	}
	/* Acquire: pairs with the writers' release of head; the control words of every record
	 * below this head are in what we copy from here on. tests/litmus/head-release.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return 0;
}

static bool read_table(struct ring_reader *r, uint32_t ring, struct shm_section *sections)
{
	const struct shm_geometry *g = &r->geometry;
	bool ok = ring_read_at(
		r->fd, sections, g->sections * sizeof *sections, section_header_offset(g, ring, 0));

	for (uint32_t i = 0; ok && i < g->sections; i++) {
		sections[i].held = section_entry_area(g, sections[i].entry);
		sections[i].entry = section_entry_plain(sections[i].entry);
	}
	/* Acquire: pairs with the barrier behind a writer's counts; those of an entry word seen
	 * here are there from now on. tests/litmus/entry-guard.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ok;
}

/* Whether a writer can have stored this entry word there, given head. */
static bool entry_makes_sense(
	const struct shm_geometry *g, uint32_t index, uint64_t entry, uint64_t head)
{
	uint64_t p = entry - 1;

	return entry != 0 && p <= head && p % g->section_size == 0 && section_index(g, p) == index;
}

/*
 * The counts of the section entered as `entry`: 1; 0: writers lapped it; or PU_ERR_FILE_ERROR. One
 * pread gives no order among the words it copies (the kernel's copy may load them in any), so entry
 * word, counts and entry word again are three.
 */
static int stable_counts(struct ring_reader *r, uint32_t ring, uint32_t index, uint64_t entry,
	struct shm_counts *counts)
{
	uint64_t at = section_header_offset(&r->geometry, ring, index);
	struct shm_section section;
	uint64_t again;

	/* Acquire: the caller read `entry` before; its counts were stored before it.
	 * tests/litmus/entry-guard.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ring_read_at(r->fd, &section, sizeof section, at))
		return PU_ERR_FILE_ERROR;
	/* Acquire: these counts are stored again only after the next lap's entry word.
	 * tests/litmus/entry-guard.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ring_read_at(r->fd, &again, sizeof again, at + offsetof(struct shm_section, entry)))
		return PU_ERR_FILE_ERROR;
	*counts = *section_counts(&r->geometry, &section, entry - 1);
	return section_entry_plain(again) == entry;
}

/* ------------------------------------------------------------------ moments */

/*
 * A moment of a ring: a section was entered and no later one. Shows which hooks are in the ring and
 * which are gone by then.
 */
struct moment {
	uint64_t entry; /* the entry word of that section; 0: none was ever entered */
	struct shm_counts totals;
	struct shm_ring header; /* read after it */
};

/* The index of the section entered last below `limit`, of those in r->before; -1: none. */
static int64_t entered_last(const struct ring_reader *r, uint64_t head, uint64_t limit)
{
	const struct shm_geometry *g = &r->geometry;
	int64_t best = -1;

	for (uint32_t i = 0; i < g->sections; i++) {
		uint64_t entry = r->before[i].entry;

		if (entry_makes_sense(g, i, entry, head) && entry <= limit &&
			(best < 0 || entry > r->before[best].entry))
			best = i;
	}
	return best;
}

/* Reads r->before and the moment of the section entered last below `limit`. */
static int find_moment(struct ring_reader *r, uint32_t ring, uint64_t limit, struct moment *m)
{
	memset(m, 0, sizeof *m);
	for (int i = 0; i < READER_MAX_TURNS; i++) {
		if (!read_table(r, ring, r->before) || ring_reader_header(r, ring, &m->header) != 0)
			return PU_ERR_FILE_ERROR;
		/* A section is entered where head is. */
		int64_t last = entered_last(r, m->header.head, limit);
		if (last < 0)
			return 0;
		m->entry = r->before[last].entry;
		int rc = stable_counts(r, ring, (uint32_t)last, m->entry, &m->totals);
		if (rc)
			return rc < 0 ? rc : 0;
	}
	return 0; /* writers lap the reader: return it as it is */
}

/*
 * Turns r->sections, read after the moment, into the entries at the moment, with the help of
 * r->before, read before it. An entry word grows by laps: one above the moment's replaced the
 * one before, if only one can have been there. False if this cannot be decided.
 */
static bool go_back_to(struct ring_reader *r, const struct moment *m)
{
	const struct shm_geometry *g = &r->geometry;
	bool told = true;

	for (uint32_t i = 0; i < g->sections; i++) {
		struct shm_section *now = &r->sections[i];
		const struct shm_section *before = &r->before[i];

		if (!entry_makes_sense(g, i, now->entry, m->header.head)) {
			now->entry = 0;
			continue;
		}
		if (now->entry <= m->entry)
			continue;
		bool was = before->entry <= m->entry &&
			   entry_makes_sense(g, i, before->entry, m->header.head);
		uint64_t next =
			was ? before->entry + g->ring_size : (uint64_t)i * g->section_size + 1;
		told = told && (now->entry == next || next > m->entry);
		*now = was ? *before : (struct shm_section){0};
	}
	return told;
}

static int reader_find_stable_moment(struct ring_reader *r, uint32_t ring, struct moment *m)
{
	for (int i = 0; i < READER_MAX_TURNS; i++) {
		int rc = find_moment(r, ring, UINT64_MAX, m);

		if (rc)
			return rc;
		if (!read_table(r, ring, r->sections) ||
			ring_reader_header(r, ring, &m->header) != 0)
			return PU_ERR_FILE_ERROR;
		if (go_back_to(r, m))
			break;
	}
	return 0;
}

/* ------------------------------------------------------------------ ledger */

static uint64_t reader_load_start(const struct ring_reader *r, uint32_t ring)
{
	return r->control ? ring_load_start(&r->control[ring]) : 0;
}

static uint64_t reader_count_since(uint64_t now, uint64_t base)
{
	return now > base ? now - base : 0;
}

static void subtract_base(const struct ring_reader *r, uint32_t ring, struct ring_ledger *l)
{
	const struct shm_ring_control *c = r->control ? &r->control[ring] : NULL;

	if (!c)
		return;
	for (int i = 0; i < SHM_LOSSES; i++)
		l->loss[i] = reader_count_since(l->loss[i], c->loss_base[i]);
	l->overwritten = reader_count_since(l->overwritten, c->overwritten_base);
	l->torn = reader_count_since(l->torn, c->torn_base);
}

/* Without subtracting the zero of a discard. */
static void fill_ledger(
	const struct ring_reader *r, const struct moment *m, struct ring_ledger *out)
{
	uint64_t head = m->header.head, end = m->entry - 1 + r->geometry.section_size;

	/* Records after the moment's section are later than the moment, and before the first
	 * entry there are none, whatever head is by now. */
	out->head = m->entry == 0 ? 0 : head > end ? end : head;
	out->entered = m->entry;
	memcpy(out->loss, m->header.loss, sizeof out->loss);
	out->overwritten = m->totals.overwritten;
	out->torn = m->totals.torn;
	out->damaged = (head & 7) != 0;
}

static int ledger_below(
	struct ring_reader *r, uint32_t ring, uint64_t limit, struct ring_ledger *out)
{
	struct moment m;

	memset(out, 0, sizeof *out);
	if (find_moment(r, ring, limit, &m) != 0) {
		out->damaged = true;
		return PU_ERR_FILE_ERROR;
	}
	fill_ledger(r, &m, out);
	return 0;
}

int ring_reader_ledger(struct ring_reader *r, uint32_t ring, struct ring_ledger *out)
{
	if (ledger_below(r, ring, UINT64_MAX, out) == 0)
		subtract_base(r, ring, out);
	return 0; /* counted as damaged */
}

/*
 * Whether no section was entered between the one of `entry` and `position`, as far as r->before
 * shows: a held section can outlive younger ones, whose entry words are gone.
 */
static bool was_last_below(const struct ring_reader *r, uint64_t entry, uint64_t position)
{
	const struct shm_geometry *g = &r->geometry;

	if (entry == 0 || entry - 1 + g->ring_size < position)
		return false;
	for (uint64_t p = entry - 1 + g->section_size; p < position; p += g->section_size)
		if (r->before[section_index(g, p)].entry > p)
			return false;
	return true;
}

/* Whether a section was entered a lap behind `part`: the counts of that lap are then above those of
 * the listing, or the part had nothing to count. */
static bool was_entered_next(const struct ring_reader *r, uint32_t ring,
	const struct ring_part *part, const struct ring_ledger *listed)
{
	const struct shm_counts *c = section_counts(
		&r->geometry, &r->before[part->index], part->position + r->geometry.ring_size);
	struct ring_ledger l = {.overwritten = c->overwritten, .torn = c->torn};

	subtract_base(r, ring, &l);
	return l.overwritten + l.torn > listed->overwritten + listed->torn;
}

int ring_reader_gone_below(struct ring_reader *r, uint32_t ring, uint64_t position,
	const struct ring_part *parts, uint32_t n, const struct ring_ledger *listed, bool *gone,
	struct ring_ledger *out)
{
	uint64_t lap = r->geometry.ring_size, moment;

	if (ledger_below(r, ring, position, out) != 0)
		return PU_ERR_FILE_ERROR;
	subtract_base(r, ring, out);
	moment = out->entered;
	if (!was_last_below(r, moment, position))
		out->entered = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t was = parts[i].position + 1, entry = r->before[parts[i].index].entry;

		if (entry <= moment) {
			gone[i] = entry != was;
		} else if (entry <= was + lap) {
			gone[i] = false;
		} else if (entry == was + 2 * lap) {
			/* A part whose next lap begins at the limit was in the ring at the
			 * moment. */
			gone[i] = was + lap <= position &&
				  was_entered_next(r, ring, &parts[i], listed);
		} else {
			/* A held section may have been skipped until after the moment. */
			out->entered = 0;
			gone[i] = true;
		}
	}
	return 0;
}

/*
 * An entry that was begun with the start of before may still add hooks below the new one to the
 * counters. Writers compare changes inside the sequence that enters, so there is none once head was
 * seen inside a section behind the store; on a section's first byte it gets the time to end.
 */
static void await_entries(struct ring_reader *r, uint32_t ring)
{
	const struct timespec pause = {.tv_nsec = 100000};
	struct shm_ring header;

	for (int i = 0; i < ENTRY_PAUSES; i++) {
		/* A ring in its first lap overwrites nothing. */
		if (ring_reader_header(r, ring, &header) != 0 ||
			header.head < r->geometry.ring_size ||
			(header.head & (r->geometry.section_size - 1)))
			return;
		nanosleep(&pause, NULL);
	}
}

/* Moves the start to head. */
static int hide_ring(struct ring_reader *r, uint32_t ring, struct shm_ring_control *control)
{
	struct shm_ring header;

	if (ring_reader_header(r, ring, &header) != 0)
		return PU_ERR_FILE_ERROR;
	__atomic_store_n(&control->start, header.head & ~(uint64_t)7, __ATOMIC_RELEASE);
	reader_tell_writers(control);
	return 0;
}

/*
 * Pairs with the writers' comparison of changes behind their load of head: a writer that enters
 * with the old start is seen in the counters. A fence here alone does not do: writers have none,
 * and their store of head may still be on its way (tests/litmus/discard-start-writer-weak.litmus).
 * So all processors are made to have one, where the kernel can. tests/litmus/discard-start.litmus
 */
static void order_writers(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* Records the counters after the stored start. */
static int zero_ring(struct ring_reader *r, uint32_t ring, struct shm_ring_control *control)
{
	struct ring_ledger now;

	for (int i = 0; i < READER_MAX_TURNS; i++) {
		await_entries(r, ring);
		if (ledger_below(r, ring, UINT64_MAX, &now) != 0)
			return PU_ERR_FILE_ERROR;
		/* Unless writers lapped the new start: the counters are no zero then. */
		if (now.entered <=
			section_start(&r->geometry, control->start) + r->geometry.ring_size)
			break;
		if (hide_ring(r, ring, control) != 0)
			return PU_ERR_FILE_ERROR;
		order_writers();
	}
	memcpy(control->loss_base, now.loss, sizeof control->loss_base);
	control->overwritten_base = now.overwritten;
	control->torn_base = now.torn;
	return 0;
}

int ring_reader_discard(struct ring_reader *r, struct shm_ring_control *control)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < ring_reader_rings(r); i++)
		rc = hide_ring(r, i, &control[i]);
	order_writers();
	for (uint32_t i = 0; rc == 0 && i < ring_reader_rings(r); i++)
		rc = zero_ring(r, i, &control[i]);
	return rc;
}

/* ------------------------------------------------------------------- parts */

static int by_position(const void *a, const void *b)
{
	const struct ring_part *x = a, *y = b;

	return compare_u64(x->position, y->position);
}

/*
 * The hooks lost before a section was entered. Two copies of the table have its entry, so its
 * counts were copied behind it. 0: writers lapped it meanwhile; try the next one.
 */
static uint64_t lost_before(const struct ring_reader *r, uint32_t i)
{
	const struct shm_section *s = &r->sections[i];

	if (s->entry != r->before[i].entry)
		return 0;
	return section_counts(&r->geometry, (struct shm_section *)s, s->entry - 1)->lost;
}

/* Converts sums to differences. */
static void count_lost(const struct ring_reader *r, uint32_t ring, struct ring_part *parts, int n)
{
	uint64_t before = 0;

	for (int i = SHM_LOST_FULL; r->control && i < SHM_SKIPPED; i++)
		before += r->control[ring].loss_base[i];
	for (int i = 0; i < n; i++) {
		uint64_t lost = parts[i].lost_before;

		parts[i].lost_before = reader_count_since(lost, before);
		if (lost > before)
			before = lost;
	}
}

int ring_reader_list(
	struct ring_reader *r, uint32_t ring, struct ring_part *parts, struct ring_ledger *ledger)
{
	const struct shm_geometry *g = &r->geometry;
	uint64_t start = reader_load_start(r, ring);
	struct moment m;
	int n = 0;

	memset(ledger, 0, sizeof *ledger);
	ledger->damaged = true;
	/* A truncated file shows in the ledger. A kernel error must not look like an empty ring. */
	if (reader_find_stable_moment(r, ring, &m) != 0)
		return errno ? PU_ERR_FILE_ERROR : 0;
	fill_ledger(r, &m, ledger);
	subtract_base(r, ring, ledger);
	for (uint32_t i = 0; i < g->sections; i++) {
		uint64_t entry = r->sections[i].entry;

		if (entry == 0 || entry - 1 >= ledger->head || entry - 1 + g->section_size <= start)
			continue;
		parts[n++] = (struct ring_part){.position = entry - 1,
			.index = i,
			.area = (uint32_t)r->sections[i].held,
			.lost_before = lost_before(r, i)};
	}
	qsort(parts, (size_t)n, sizeof *parts, by_position);
	count_lost(r, ring, parts, n);
	return n;
}

int ring_reader_parts(struct ring_reader *r, uint32_t ring, struct ring_part *parts)
{
	struct ring_ledger ledger;

	return ring_reader_list(r, ring, parts, &ledger);
}
