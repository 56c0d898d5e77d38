/*
 * Dumps that keep what the rings hold: whatever writers do meanwhile, every section of the cut
 * comes out whole, and the ledger is exact.
 *
 *	ring_keep [guest]
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../libtrace/dump/rings.h"
#include "../../../libtrace/session/keep.h"
#include "sandbox.h"

enum {
	SECTION = 4096,
	SECTIONS = 64,
	WRITERS = 2,
	DUMPS = SANITIZED || SLOW_MACHINE > 4 ? 5 : 20 / SLOW_MACHINE,
	WORDS = 1,
};

struct shared {
	uint32_t running;
	uint32_t rests; /* writers go round the rings, but leave most of the processors' time */
	uint64_t written[WRITERS];
};

static struct shared *all;
static struct session box;

/* ---------------------------------------------------------------------- writers */

/* In the writer's memory, so that each hook that is lost counts too. */
static void write_flat_out(uint32_t id)
{
	box_pin(id % (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	for (uint32_t i = 0; __atomic_load_n(&all->running, __ATOMIC_RELAXED); i++) {
		checked_hook(id, i, WORDS);
		__atomic_store_n(&all->written[id], (uint64_t)i + 1, __ATOMIC_RELAXED);
		if (i % 256 == 0 && __atomic_load_n(&all->rests, __ATOMIC_RELAXED))
			usleep(100);
	}
	_exit(0);
}

static uint64_t written(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < WRITERS; i++)
		sum += __atomic_load_n(&all->written[i], __ATOMIC_RELAXED);
	return sum;
}

/* More hooks than a ring holds. */
enum { LAP = SECTIONS * (SECTION / 40) };

/* Some laps of all rings that are written to. */
static void wait_for_laps(unsigned laps)
{
	uint64_t until = written() + (uint64_t)laps * WRITERS * LAP;

	while (written() < until)
		usleep(200);
}

static void start_writers(void)
{
	memset(all, 0, sizeof *all);
	all->running = 1;
	for (uint32_t i = 0; i < WRITERS; i++)
		if (fork() == 0)
			write_flat_out(i);
	/* Fill every ring: a ring whose writer comes later may find no memory. */
	for (uint32_t i = 0; i < WRITERS; i++)
		while (__atomic_load_n(&all->written[i], __ATOMIC_RELAXED) < 2 * LAP)
			usleep(200);
}

static void stop_writers(void)
{
	__atomic_store_n(&all->running, 0, __ATOMIC_RELAXED);
	while (wait(NULL) > 0)
		;
}

static void start(void)
{
	box_open(&box, SHM_MODE_WRAP, SECTIONS * SECTION, SECTION);
	start_writers();
}

static void stop(void)
{
	stop_writers();
	session_remove(&box);
	session_close(&box);
}

/* ------------------------------------------------------------------------ a dump */

struct dumped {
	bool failed;
	enum keep_refusal why;
	uint32_t there, missed, later, not_whole;
	uint64_t hooks, torn, overwritten, lost;
	uint64_t newest[WRITERS];  /* number + 1; 0: none */
	uint64_t written[WRITERS]; /* soon after the cut */
};

static void look_at_record(struct dumped *d, const uint8_t *record)
{
	uint32_t control = get_le32(record), id, n;

	if (!(control & REC_COMMITTED) || (control & REC_KIND_MASK) != REC_KIND_HOOK ||
		record[REC_MAJOR] != CHECKED_MAJOR)
		return;
	if (!checked_is_whole(record)) {
		d->not_whole++;
		return;
	}
	id = checked_id(record);
	n = checked_sequence(record) + 1;
	if (id >= WRITERS)
		return;
	if (n > d->newest[id])
		d->newest[id] = n;
}

static void look_at_section(struct dumped *d, const struct rings_section *from)
{
	for (uint32_t at = 0; at < from->span.bytes;) {
		look_at_record(d, from->bytes + at);
		at += get_le32(from->bytes + at) & REC_SIZE_MASK;
	}
	d->hooks += from->span.hooks;
	d->torn += from->span.torn;
}

static void settle_rings(struct rings *rings, struct dumped *d)
{
	for (uint32_t i = 0; i < rings->rings; i++) {
		struct rings_ledger l;

		d->failed = d->failed || rings_settle(rings, i, &l, NULL) != 0;
		d->there += l.sections;
		d->missed += l.missed;
		d->later += l.later;
		d->torn += l.torn;
		d->overwritten += l.overwritten;
		d->lost += shm_losses_sum(l.loss);
	}
}

static void (*before_the_cut)(void);
static void (*after_the_cut)(struct dumped *d);
/* The pause after each section: a dump whose output is slow. */
static useconds_t pause_us;

/* Waits for so many laps between the cut and the first section, and as many in the middle. */
static void dump_once(struct session *s, unsigned laps, struct dumped *d)
{
	struct session_error e = {""};
	struct rings_section from;
	struct session_keep keep;
	struct rings rings;
	int n = 0, rc;

	memset(d, 0, sizeof *d);
	session_keep_begin(&keep, s, NULL, NULL);
	d->why = keep.why;
	if (before_the_cut)
		before_the_cut();
	rc = rings_open(&rings, s, keep.control, &e);
	if (after_the_cut)
		after_the_cut(d);
	if (rc == 0) {
		wait_for_laps(laps);
		while ((rc = rings_next(&rings, &from, &e)) == 1) {
			look_at_section(d, &from);
			session_keep_beat(&keep);
			usleep(pause_us);
			if (++n == SECTIONS / 2)
				wait_for_laps(laps);
		}
		settle_rings(&rings, d);
		rings_close(&rings);
	}
	session_keep_end(&keep);
	d->failed = d->failed || rc != 0;
	if (d->failed)
		printf("%s\n", e.text);
}

/*
 * Each writer's newest hook tells how many it wrote: all are in one term. Torn are those that a
 * writer was about to write behind them. others: committed hooks of other writers.
 */
static bool dump_is_exact(const struct dumped *d, uint64_t others)
{
	uint64_t written_by_then = others;

	for (int i = 0; i < WRITERS; i++)
		written_by_then += d->newest[i];
	return !d->failed && d->later == 0 && d->not_whole == 0 && d->torn <= WRITERS + 1 &&
	       d->hooks + d->overwritten + d->lost == written_by_then;
}

/* The hooks of whole rings, less a section each. */
static bool dump_is_full(const struct dumped *d)
{
	return d->missed == 0 && d->hooks >= (uint64_t)(SECTIONS - 2) * (SECTION / 48);
}

static void tell_dump(bool ok, const char *name, const struct dumped *d)
{
	count_result(ok, name,
		"%u sections, %u missed; %llu hooks, %llu overwritten, %llu torn, %llu lost; %u not whole",
		d->there, d->missed, (unsigned long long)d->hooks,
		(unsigned long long)d->overwritten, (unsigned long long)d->torn,
		(unsigned long long)d->lost, d->not_whole);
}

/* --------------------------------------------------------------------- scenarios */

/* One right after the other: none takes anything from the next. */
static void in_turn(const void *arg)
{
	const char *name = "dumps in turn, three laps each";
	struct dumped d = {0};
	int i;

	(void)arg;
	start();
	for (i = 0; i < DUMPS; i++) {
		dump_once(&box, 3, &d);
		if (!dump_is_exact(&d, 0) || !dump_is_full(&d))
			break;
	}
	stop();
	tell_dump(i == DUMPS, name, &d);
}

/* In a process of its own, whose lock is not the parent's. */
static void dump_of_its_own(unsigned laps, struct dumped *d)
{
	struct session s;

	if (session_open(&s, &box.location, SESSION_READ, NULL) != 0)
		_exit(1);
	dump_once(&s, laps, d);
}

static uint32_t *slow_cut;

static void tell_cut(void)
{
	__atomic_store_n(slow_cut, 1, __ATOMIC_RELAXED);
}

static void at_once(const void *arg)
{
	const char *name = "dumps of three processes at once";
	struct dumped *d = box_shared(3 * sizeof *d);
	bool ok = true;

	(void)arg;
	start();
	session_unlock(&box);
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			dump_of_its_own(2, &d[i]);
			_exit(0);
		}
	for (int i = 0; i < 3; i++)
		wait(NULL);
	stop();
	for (int i = 0; i < 3; i++)
		ok = ok && dump_is_exact(&d[i], 0) && dump_is_full(&d[i]);
	tell_dump(ok, name, &d[2]);
}

/* Another one waits for a dump that goes on, however long it takes, and takes nothing from it. */
static void slow_dump(const void *arg)
{
	const char *name = "a dump that waits for a slow one";
	struct dumped *d = box_shared(2 * sizeof *d);
	uint32_t *cut = box_shared(sizeof *cut);

	(void)arg;
	start();
	__atomic_store_n(&all->rests, 1, __ATOMIC_RELAXED); /* seconds of waiting follow */
	session_unlock(&box);
	slow_cut = cut;
	if (fork() == 0) {
		before_the_cut = tell_cut;
		pause_us = 30000;
		dump_of_its_own(1, &d[0]);
		_exit(0);
	}
	while (!__atomic_load_n(cut, __ATOMIC_RELAXED))
		usleep(1000);
	dump_once(&box, 2, &d[1]);
	wait(NULL);
	stop();
	tell_dump(dump_is_exact(&d[0], 0) && dump_is_full(&d[0]), "a slow dump", &d[0]);
	tell_dump(dump_is_exact(&d[1], 0) && dump_is_full(&d[1]), name, &d[1]);
}

static void stop_after_the_cut(struct dumped *d)
{
	for (int i = 0; i < WRITERS; i++)
		d->written[i] = __atomic_load_n(&all->written[i], __ATOMIC_RELAXED) + 1;
	raise(SIGSTOP);
}

/* From a dump that is stopped others take over what keeps the rings. When it goes on, it misses
 * what they gave back to writers, and takes nothing else for it. */
static void stopped_dump(const void *arg)
{
	struct dumped *stopped = box_shared(sizeof *stopped), d = {0};
	bool ok = true;
	int status;
	pid_t pid;

	(void)arg;
	start();
	__atomic_store_n(&all->rests, 1, __ATOMIC_RELAXED);
	session_unlock(&box);
	pid = fork();
	if (pid == 0) {
		after_the_cut = stop_after_the_cut;
		dump_of_its_own(1, stopped);
		_exit(0);
	}
	waitpid(pid, &status, WUNTRACED);
	for (int i = 0; i < 4 && ok; i++) {
		dump_once(&box, 2, &d);
		ok = WIFSTOPPED(status) && dump_is_exact(&d, 0) && dump_is_full(&d);
	}
	tell_dump(ok, "beside a stopped dump", &d);
	kill(pid, SIGCONT);
	dump_once(&box, 3, &d);
	tell_dump(dump_is_exact(&d, 0) && dump_is_full(&d), "beside one that goes on", &d);
	waitpid(pid, &status, 0);
	ok = status == 0 && !stopped->failed && stopped->not_whole == 0 && stopped->missed > 0;
	for (int i = 0; i < WRITERS; i++)
		ok = ok && stopped->newest[i] <= stopped->written[i];
	tell_dump(ok, "a dump that was stopped", stopped);
	dump_once(&box, 2, &d);
	stop();
	tell_dump(dump_is_exact(&d, 0) && dump_is_full(&d), "after it", &d);
}

/* A dump that is killed while it keeps the rings harms no later one. */
static void killed_dump(const void *arg)
{
	struct dumped d = {0};
	bool ok = true;

	(void)arg;
	start();
	session_unlock(&box);
	for (int i = 0; i < DUMPS && ok; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			dump_of_its_own(1000000, &d);
			_exit(0);
		}
		usleep(2000 + 500 * (unsigned)i);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		wait_for_laps((unsigned)i % 3);
		dump_once(&box, 2, &d);
		ok = dump_is_exact(&d, 0) && dump_is_full(&d);
	}
	stop();
	tell_dump(ok, "after killed dumps", &d);
}

/* A writer that was stopped with a reservation keeps its section, in whichever area, over laps and
 * dumps. */
static void stopped_writer(const void *arg)
{
	struct dumped d = {0};
	struct hook_writer w;
	bool ok = true;
	int status;
	pid_t pid;

	(void)arg;
	start();
	dump_once(&box, 1, &d); /* both areas are in use */
	pid = fork();
	if (pid == 0) {
		if (hook_begin(&w, 1, 512, 1) != HOOK_RESERVED)
			_exit(1);
		raise(SIGSTOP);
		checked_fill(hook_record(&w, 1, 0, (512 - REC_DATA) / 4, 0, 0), WRITERS, 0,
			(512 - REC_DATA) / 4);
		hook_commit(&w);
		_exit(0);
	}
	waitpid(pid, &status, WUNTRACED);
	for (int i = 0; i < DUMPS && ok; i++) {
		dump_once(&box, 2, &d);
		ok = WIFSTOPPED(status) && d.torn >= 1 && d.missed == 0 && dump_is_exact(&d, 0);
	}
	tell_dump(ok, "with a stopped writer", &d);
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	dump_once(&box, 2, &d);
	ok = status == 0 && d.missed == 0 && dump_is_exact(&d, 1);
	stop();
	tell_dump(ok, "and after it went on", &d);
}

static bool in_small_memory(void)
{
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", sandbox_dir(), "tmpfs", 0, "size=16m") == 0;
}

static int filler;

static void fill_memory(void)
{
	static const char page[SECTION];

	while (write(filler, page, sizeof page) > 0)
		;
}

/* The dump reports the hooks it lacks, and loses none. */
static void no_memory(const void *arg)
{
	struct dumped d;
	char path[128];

	(void)arg;
	if (!in_small_memory()) {
		count_skipped("memory", "a small tmpfs cannot be mounted here");
		return;
	}
	start();
	snprintf(path, sizeof path, "%s/full", sandbox_dir());
	filler = open(path, O_WRONLY | O_CREAT, 0600);
	before_the_cut = fill_memory;
	dump_once(&box, 3, &d);
	tell_dump(filler >= 0 && !d.failed && d.why == KEEP_GRANTED && d.missed > 0 &&
			  d.lost == 0 && d.not_whole == 0,
		"memory that is gone before the cut", &d);
	before_the_cut = NULL;
	dump_once(&box, 3, &d);
	tell_dump(!d.failed && d.why == KEEP_NO_MEMORY && d.missed > 0 && d.lost == 0 &&
			  d.not_whole == 0,
		"no memory for the other area", &d);
	stop();
}

/* Everything taken at init leaves no second area: as before, and told. */
static void preallocated(const void *arg)
{
	struct session_config config = {.ring_bytes = SECTIONS * SECTION,
		.section_bytes = SECTION,
		.mode = SHM_MODE_WRAP,
		.group = (gid_t)-1,
		.prealloc = true};
	struct session_keep keep;
	struct session_error e;

	(void)arg;
	box_open(&box, SHM_MODE_WRAP, SECTIONS * SECTION, SECTION);
	if (session_off(&box, &e) != 0 || session_init(&box, &config, &e) != 0)
		die("%s", e.text);
	session_keep_begin(&keep, &box, NULL, NULL);
	count_result(!keep.control && keep.why == KEEP_ONE_AREA, "--prealloc",
		"one area: nothing is kept");
	session_keep_end(&keep);
	session_remove(&box);
	session_close(&box);
}

static int sandboxed_main(int argc, char **argv)
{
	if (SEES_ONE_PROCESS) {
		count_skipped("keep", "it takes processes");
		return results();
	}
	box_guest(argc, argv);
	all = box_shared(sizeof *all);
	scenario(in_turn, NULL);
	scenario(at_once, NULL);
	scenario(slow_dump, NULL);
	scenario(stopped_dump, NULL);
	scenario(killed_dump, NULL);
	scenario(stopped_writer, NULL);
	scenario(no_memory, NULL);
	scenario(preallocated, NULL);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 200);
}
