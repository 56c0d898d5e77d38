/*
 * Invariants during and after the storm: checks dumps and files through libcpidecode, and the
 * session through the ring reader, against the writers' counts.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../libtrace/dump/dump.h"
#include "storm_hour.h"

/* A live dump may have hooks that their writers have not counted yet. */
enum { UNCOUNTED = 256 };

static uint64_t load(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

/* ------------------------------------------------------------ records in order */

void hour_follow_open(struct hour_follow *f, const struct shm_geometry *g)
{
	memset(f, 0, sizeof *f);
	f->rings = g->cpus + g->guests;
	f->last = calloc((size_t)f->rings * HOUR_IDS, sizeof *f->last);
	if (!f->last)
		die("no memory");
}

void hour_follow_close(struct hour_follow *f)
{
	free(f->last);
}

void hour_follow_record(void *follow, uint32_t ring, uint64_t position, const uint8_t *record)
{
	struct hour_follow *f = follow;
	uint32_t id, sequence;

	(void)position;
	if (record[4] != CHECKED_MAJOR || ring >= f->rings) {
		f->foreign++;
		return;
	}
	if (!hour_is_whole(record, &id, &sequence)) {
		f->not_whole++;
		return;
	}
	uint32_t *last =
		&f->last[(size_t)ring * HOUR_IDS + id]; /* last sequence + 1; 0: none yet */
	f->out_of_order += sequence < *last;
	*last = sequence + 1;
}

bool hour_follow_is_fine(const struct hour_follow *f)
{
	return !f->not_whole && !f->out_of_order && !f->foreign;
}

static void follow_traced(void *arg, uint32_t ring, const cpidecode_hook *hook)
{
	struct hour_follow *f = arg;
	uint8_t record[TRACED_RECORD];

	if (traced_record(hook, record))
		hour_follow_record(f, ring, hook->position, record);
	else
		f->foreign++;
}

/* ----------------------------------------------------------------------- bounds */

/* Bounds of a generation's ledger at this moment. */
struct bounds {
	uint64_t least, most;
};

static uint64_t lost_of(uint32_t generation)
{
	return load(&hour->lost[generation % HOUR_GENERATIONS]);
}

static uint64_t subtract_to_zero(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static struct bounds bounds_of(uint32_t generation)
{
	uint32_t g = generation % HOUR_GENERATIONS;

	return (struct bounds){subtract_to_zero(load(&hour->done[g]), load(&hour->discarded_most)),
		subtract_to_zero(load(&hour->maybe[g]) + load(&hour->unattached),
			load(&hour->discarded_least))};
}

/* Figures of a ledger. */
struct ledger {
	uint64_t sum, lost, torn;
};

static struct ledger ledger_of(const struct traced *t)
{
	struct ledger l = {traced_sum(t, ~0ull), traced_lost(t), 0};

	for (uint32_t i = 0; i < TRACED_RINGS; i++)
		l.torn += t->torn_in_ring[i] + t->loss[i].torn;
	return l;
}

/* A torn group counts as one hook, and may be committed later. lost: the writers' own count, which
 * shows on which side the error is. */
static void check_sum(const struct hour_plan *p, const char *what, struct ledger l, struct bounds b,
	uint64_t lost)
{
	if (l.sum + (HOUR_GROUP - 1) * l.torn < b.least || l.sum > b.most)
		hour_failed(p,
			"%s: the ledger says %llu hooks, %llu of them lost, %llu torn; its writers %llu to %llu, %llu lost",
			what, (unsigned long long)l.sum, (unsigned long long)l.lost,
			(unsigned long long)l.torn, (unsigned long long)b.least,
			(unsigned long long)b.most, (unsigned long long)lost);
}

static void check_read(const struct hour_plan *p, const char *what, int rc, const struct traced *t,
	const struct hour_follow *f)
{
	if (rc || t->malformed || t->damaged || t->damaged_bytes || t->rest || t->cut_off)
		hour_failed(p,
			"%s: libcpidecode: %s, %llu malformed, %llu sections damaged, %llu bytes damaged%s",
			what, cpidecode_strerror(rc), (unsigned long long)t->malformed,
			(unsigned long long)t->damaged,
			(unsigned long long)(t->damaged_bytes + t->rest),
			t->cut_off ? ", no end" : "");
	if (!hour_follow_is_fine(f))
		hour_failed(p, "%s: %llu hooks incomplete, %llu out of order, %llu foreign", what,
			(unsigned long long)f->not_whole, (unsigned long long)f->out_of_order,
			(unsigned long long)f->foreign);
}

/* If not, the session was discarded or has new rings: a dump may fail or be inconsistent. */
static bool is_unchanged(uint32_t changes)
{
	return changes % 2 == 0 && changes == __atomic_load_n(&hour->changes, __ATOMIC_SEQ_CST);
}

static struct ledger read_dump(
	const struct hour_plan *p, struct session *s, const char *path, const char *what)
{
	const struct dump_options options = {.path = path, .codec = p->number % 3};
	struct session_error e = {""};
	struct hour_follow f;
	struct traced t;
	uint32_t changes = __atomic_load_n(&hour->changes, __ATOMIC_SEQ_CST);
	int rc = dump_write(s, &options, NULL, &e);

	if (rc) {
		if (is_unchanged(changes))
			hour_failed(p, "%s: %s", what, e.text);
		return (struct ledger){0};
	}
	hour_follow_open(&f, &s->geometry);
	rc = traced_read(path, s->geometry.cpus, &t, follow_traced, &f);
	check_read(p, what, rc, &t, &f);
	hour_follow_close(&f);
	unlink(path);
	return ledger_of(&t);
}

void hour_check_live_dump(const struct hour_plan *p, const struct session_location *location, int n)
{
	struct session_error e = {""};
	struct session s;
	char path[256];
	uint32_t changes = __atomic_load_n(&hour->changes, __ATOMIC_SEQ_CST);

	if (session_open(&s, location, SESSION_READ, &e) != 0) {
		if (is_unchanged(changes))
			hour_failed(p, "a dump: %s", e.text);
		return;
	}
	snprintf(path, sizeof path, "%s/dump-%ld.%d", sandbox_dir(), (long)getpid(), n);
	struct bounds before = bounds_of(s.generation);
	struct ledger l = read_dump(p, &s, path, "a dump");
	struct bounds after = bounds_of(s.generation);
	if (is_unchanged(changes))
		check_sum(p, "a dump", l, (struct bounds){before.least, after.most + UNCOUNTED},
			lost_of(s.generation));
	__atomic_fetch_add(&hour->dumps, 1, __ATOMIC_RELAXED);
	session_close(&s);
}

/* -------------------------------------------------------------------- the end */

static struct ledger account_all(const struct account *a)
{
	struct ledger l = {.lost = 0};

	for (int i = 0; i < SHM_SKIPPED; i++)
		l.lost += a->loss[i];
	l.torn = a->torn + a->gone_torn;
	l.sum = a->hooks + a->overwritten + l.torn + l.lost;
	return l;
}

static void check_account(const struct hour_plan *p, struct session *box)
{
	uint64_t may_be_torn = load(&hour->maybe[box->generation % HOUR_GENERATIONS]) -
			       load(&hour->done[box->generation % HOUR_GENERATIONS]);
	struct hour_follow f;
	struct account a;
	char path[256];

	hour_follow_open(&f, &box->geometry);
	box_account(box, &a, hour_follow_record, &f);
	struct ledger rings = account_all(&a);
	check_sum(p, "the rings", rings, bounds_of(box->generation), lost_of(box->generation));
	if (a.damaged || a.backwards || !hour_follow_is_fine(&f) ||
		a.torn + a.gone_torn > may_be_torn + load(&hour->unattached))
		hour_failed(p,
			"the rings: %u damaged, %u stamps or positions back, %llu incomplete, %llu out of order, %llu foreign, %llu torn of at most %llu",
			a.damaged, a.backwards, (unsigned long long)f.not_whole,
			(unsigned long long)f.out_of_order, (unsigned long long)f.foreign,
			(unsigned long long)(a.torn + a.gone_torn),
			(unsigned long long)may_be_torn);
	if (box_locks_taken(box))
		hour_failed(p, "%u guest rings are locked by the dead", box_locks_taken(box));
	hour_follow_close(&f);
	snprintf(path, sizeof path, "%s/end-%ld", sandbox_dir(), (long)getpid());
	struct ledger dump = read_dump(p, box, path, "the dump at the end");
	if (dump.sum != rings.sum)
		hour_failed(p, "the dump at the end: its ledger says %llu hooks, the rings' %llu",
			(unsigned long long)dump.sum, (unsigned long long)rings.sum);
}

/* With empty rings: writes as many hooks as they hold, or twice that in wrap mode; none may be
 * lost. */
static void write_to(const struct session *box, uint32_t cpu)
{
	const struct shm_geometry *g = &box->geometry;
	uint64_t bytes = g->mode == SHM_MODE_WRAP ? 2 * g->ring_size
			 : g->sections > 2	  ? g->ring_size - 2 * g->section_size
						  : g->section_size;
	uint32_t words[8] = {0};
	int lost = 0;

	box_pin(cpu);
	for (uint64_t n = bytes / rec_size(8, 0); n && lost < 100; n--)
		lost += TraceHookWords(CHECKED_MAJOR, 0, 8, words) != PU_SUCCESS;
	_exit(lost);
}

static void check_rings_go_on(const struct hour_plan *p, struct session *box)
{
	uint32_t cpu[64], n = storm_cpus(cpu, 64);
	struct session_error e = {""};
	struct account a;
	int status;

	session_lock(box, true, NULL);
	session_reclaim(box);
	session_on(box, NULL);
	session_unlock(box);
	for (uint32_t i = 0; i < n; i++) {
		session_lock(box, true, NULL);
		if (session_discard(box, &e) != 0 || session_enable(box, -1, true, &e) != 0)
			hour_failed(p, "%s", e.text);
		session_unlock(box);
		pid_t pid = fork();

		if (pid == 0)
			write_to(box, cpu[i]);
		waitpid(pid, &status, 0);
		if (status != 0)
			hour_failed(p,
				"the rings still work: status %#x of a writer alone on CPU %u",
				(unsigned)status, cpu[i]);
		box_account(box, &a, NULL, NULL);
		if (a.loss[SHM_SKIPPED])
			hour_failed(p,
				"the rings still work: %llu sections skipped by CPU %u's writer",
				(unsigned long long)a.loss[SHM_SKIPPED], cpu[i]);
	}
}

void hour_check_end(const struct hour_plan *p, struct session *box)
{
	session_lock(box, true, NULL);
	session_reclaim(box);
	session_unlock(box);
	check_account(p, box);
	check_rings_go_on(p, box);
}

/* ------------------------------------------------------------- continuous mode */

struct files {
	const struct hour_plan *plan;
	struct hour_follow follow;
	uint32_t cpus;
	struct ledger ledger;
};

static void read_file(void *arg, const char *path)
{
	struct files *f = arg;
	struct traced t;
	int rc = traced_read(path, f->cpus, &t, follow_traced, &f->follow);

	check_read(f->plan, "a file of the drain", rc, &t, &f->follow);
	struct ledger l = ledger_of(&t);
	f->ledger.sum += l.sum;
	f->ledger.lost += l.lost;
	f->ledger.torn += l.torn;
}

void hour_check_files(const struct hour_plan *p, struct session *box, const char *path)
{
	struct files f = {.plan = p, .cpus = box->geometry.cpus};

	hour_follow_open(&f.follow, &box->geometry);
	traced_files(path, read_file, &f);
	check_sum(p, "the drain's files", f.ledger, bounds_of(box->generation),
		lost_of(box->generation));
	hour_follow_close(&f.follow);
}
