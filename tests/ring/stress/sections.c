/*
 * Dumps of rings of 16,384 sections: the ledger is exact at the cut while pinned writers wrap
 * around (flat out, and at 40,000 hooks per second), and the bytes read grow with the sections, not
 * with the writers' work.
 */
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../libtrace/dump/rings.h"
#include "storm.h"

enum {
	SECTION = 4096,
	SECTIONS = (SANITIZED ? 1024 : 16384) / SLOW_MACHINE,
	WRITERS = 2,
	DUMPS = 8,
	WORDS = 1,
};

static uint64_t preads;

/* Interposes the C library's pread to count bytes. */
ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
	__atomic_fetch_add(&preads, 1, __ATOMIC_RELAXED);
	return syscall(SYS_pread64, fd, to, bytes, at);
}

struct shared {
	uint32_t running;
	uint64_t written[WRITERS];
};

static struct shared *all;

static void writer(uint32_t id, unsigned pause_us)
{
	box_pin(id);
	for (uint32_t i = 0; __atomic_load_n(&all->running, __ATOMIC_RELAXED); i++) {
		checked_hook(id, i, WORDS);
		__atomic_store_n(&all->written[id], (uint64_t)i + 1, __ATOMIC_RELAXED);
		/* Fill the ring first. */
		if (pause_us && i > SECTIONS * (SECTION / 40u))
			usleep(pause_us);
	}
	_exit(0);
}

struct totals {
	uint32_t failed, judged, wrong;
	uint64_t hooks, overwritten;
};

/* All records have the same size, so the position gives the number begun before it. */
static uint64_t hooks_below(uint64_t position)
{
	uint32_t size = rec_size(WORDS + 3, 0);

	return position / SECTION * (SECTION / size) + position % SECTION / size;
}

static int read_all(struct rings *rings, uint64_t *counted, struct session_error *e)
{
	struct rings_section from;
	int rc;

	while ((rc = rings_next(rings, &from, e)) == 1)
		if (from.id < WRITERS)
			counted[from.id] += from.span.hooks + from.span.torn;
	return rc;
}

/*
 * Every hook begun before the cut is in the ledger or was returned, and no other. If the reader was
 * stopped for longer than a lap, it says so, and its ledger is not checked.
 */
static void check_ring(struct rings *rings, uint32_t ring, uint64_t counted, struct totals *sum)
{
	struct rings_ledger l;

	if (rings_settle(rings, ring, &l, NULL) != 0) {
		sum->failed++;
		return;
	}
	if (l.later)
		return;
	sum->judged++;
	sum->hooks += counted;
	sum->overwritten += l.overwritten;
	if (counted + l.overwritten + l.torn == hooks_below(l.cut))
		return;
	if (sum->wrong++ == 0)
		printf("ring %u: %llu in it, %llu overwritten, %llu torn; %llu begun\n", ring,
			(unsigned long long)counted, (unsigned long long)l.overwritten,
			(unsigned long long)l.torn, (unsigned long long)hooks_below(l.cut));
}

static void dump_once(struct session *s, struct totals *sum)
{
	uint64_t counted[WRITERS] = {0};
	struct session_error e = {""};
	struct rings rings;

	if (rings_open(&rings, s, NULL, &e) != 0 || read_all(&rings, counted, &e) != 0) {
		printf("%s\n", e.text);
		sum->failed++;
		return;
	}
	for (uint32_t i = 0; i < WRITERS; i++)
		check_ring(&rings, i, counted[i], sum);
	rings_close(&rings);
}

static void start(struct session *s, unsigned pause_us)
{
	box_open(s, SHM_MODE_WRAP, (uint64_t)SECTIONS * SECTION, SECTION);
	memset(all, 0, sizeof *all);
	all->running = 1;
	for (uint32_t i = 0; i < WRITERS; i++)
		if (fork() == 0)
			writer(i, pause_us);
	/* Wait until both have wrapped once. */
	for (uint32_t i = 0; i < WRITERS; i++)
		while (__atomic_load_n(&all->written[i], __ATOMIC_RELAXED) <
			SECTIONS * (SECTION / 40ull) + 10)
			usleep(1000);
}

static void stop(struct session *s)
{
	__atomic_store_n(&all->running, 0, __ATOMIC_RELAXED);
	while (wait(NULL) > 0)
		;
	session_remove(s);
	session_close(s);
}

static void exact(const void *arg)
{
	unsigned pause_us = *(const unsigned *)arg;
	const char *name = pause_us ? "40,000 a second" : "flat out";
	struct totals sum = {0};
	struct session s;

	start(&s, pause_us);
	for (int i = 0; i < DUMPS; i++)
		dump_once(&s, &sum);
	stop(&s);
	if (sum.judged == 0)
		count_skipped(name, "the machine is too busy to keep up with them");
	count_result(sum.failed == 0 && sum.wrong == 0, name,
		"%u dumps of %u sections a ring: %u failed; %u ledgers judged, %u wrong; %llu hooks, %llu overwritten",
		(unsigned)DUMPS, (unsigned)SECTIONS, sum.failed, sum.judged, sum.wrong,
		(unsigned long long)sum.hooks, (unsigned long long)sum.overwritten);
}

/* Bounds the reads: the tables, and at most one copy per section. */
static void linear(const void *arg)
{
	struct session_error e = {""};
	struct rings rings;
	struct session s;
	uint64_t before, few;
	int rc;

	start(&s, 0);
	before = __atomic_load_n(&preads, __ATOMIC_RELAXED);
	rc = rings_open(&rings, &s, NULL, &e);
	few = __atomic_load_n(&preads, __ATOMIC_RELAXED) - before;
	if (rc == 0)
		rings_close(&rings);
	few /= s.geometry.cpus + s.geometry.guests;
	stop(&s);
	count_result(rc == 0 && few < 2ull * SECTIONS, arg, "%llu preads a ring to find the cut",
		(unsigned long long)few);
}

static int sandboxed_main(int argc, char **argv)
{
	static const unsigned pauses[] = {0, 25};

	(void)argc;
	(void)argv;
	if (SEES_ONE_PROCESS || !box_has_rseq()) {
		count_skipped("sections", "it takes processes that write to CPUs' rings");
		return results();
	}
	if (sysconf(_SC_NPROCESSORS_ONLN) < WRITERS) {
		count_skipped("sections", "there are not enough processors");
		return results();
	}
	all = box_shared(sizeof *all);
	scenario(exact, &pauses[0]);
	scenario(exact, &pauses[1]);
	scenario(linear, "linear");
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
