/*
 * A member of the trace group scribbles over everything that members can write, while others write
 * and the owner reads: no process crashes, hangs, or stores outside a ring.
 *
 *	stress_hostile [guest]
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scribble.h"

enum { WRITERS = 2, HOOKS = SLOW_MACHINE > 1 ? 15000 : 60000, READS = SLOW_MACHINE > 1 ? 40 : 150 };

static uint32_t *running;
static struct session box;

/* Scribbles only on a ring's header and section table. */
static void scribble_header(uint32_t ring, uint64_t seed)
{
	const struct shm_geometry *g = &box.geometry;
	uint8_t *rings = scribble_map(box.rings_fd, g->file_size);
	uint64_t *header = (uint64_t *)(void *)ring_at(rings, g, ring);
	uint64_t words = (sizeof(struct shm_ring) + g->sections * sizeof(struct shm_section)) / 8;

	for (uint64_t i = 0; __atomic_load_n(running, __ATOMIC_RELAXED); i++) {
		/* Pause now and then, so that writers make progress. */
		if (i % 64 == 0)
			usleep(50);
		header[scribble_random(&seed) % (i % 4 ? 3 : words)] = scribble_nasty(g, &seed);
	}
	_exit(0);
}

static void writer(uint32_t id, bool pinned)
{
	TRACE_STRING s = {"hello", 5};

	if (pinned)
		box_pin(0);
	for (uint32_t i = 0; i < HOOKS; i++) {
		checked_hook(id, i, i % 200);
		if (i % 100 == 0)
			TraceHookData(3, i, 0, NULL, 1, &s);
	}
	_exit(0);
}

static int wait_for(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	return status;
}

static void read_all(void)
{
	struct session_task *tasks;
	struct account a;
	char *text;

	box_account(&box, &a, NULL, NULL);
	if (session_tasks(&box, &tasks) >= 0)
		free(tasks);
	if (session_schemas(&box, &text, NULL) >= 0)
		free(text);
	session_sticky(&box);
	session_reclaim(&box);
}

/* Only one ring's header is scribbled on: no other ring may change. */
static void one_ring(const void *arg)
{
	const struct shm_geometry *g = &box.geometry;
	const char *name = arg;
	pid_t pid[WRITERS], scribbler;
	uint32_t ring = 0, strange = 0;
	uint8_t *byte = NULL;

	*running = 1;
	box_open(&box, SHM_MODE_WRAP, 8 * 4096, 4096);
	if (box_pin(0) != 0 || !box_has_rseq()) {
		count_skipped(name, "needs CPU 0 and restartable sequences");
		return;
	}
	scribbler = fork();
	if (scribbler == 0)
		scribble_header(ring, 1);
	for (uint32_t i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			writer(i, true);
	}
	for (int i = 0; i < WRITERS; i++)
		strange += wait_for(pid[i]) != 0;
	__atomic_store_n(running, 0, __ATOMIC_RELAXED);
	wait_for(scribbler);
	count_result(strange == 0, name, "%u writers failed", strange);
	/* Many aborts may divert hooks to a guest ring, and every ring's counters change: so check
	 * only the other CPUs' rings and the gaps after all headers. */
	strange = 0;
	for (uint32_t r = 0; r < g->cpus + g->guests; r++) {
		uint64_t from = ring_offset(g, r) + sizeof(struct shm_ring) +
				g->sections * sizeof(struct shm_section);
		uint64_t to = r != 0 && r < g->cpus ? ring_offset(g, r) + g->ring_stride
						    : ring_data_offset(g, r);

		byte = realloc(byte, to - from);
		if (!byte ||
			pread(box.rings_fd, byte, to - from, (off_t)from) != (ssize_t)(to - from))
			die("read");
		for (uint64_t i = 0; i < to - from; i++)
			strange += byte[i] != 0;
	}
	count_result(strange == 0, name, "%u bytes changed outside the ring", strange);
	free(byte);
	session_remove(&box);
	session_close(&box);
}

static void everywhere(const void *arg)
{
	const char *name = arg;
	uint32_t mode = strcmp(name, "normal mode") == 0 ? SHM_MODE_NORMAL : SHM_MODE_WRAP;
	pid_t pid[WRITERS], scribbler;
	uint32_t failed = 0;

	box_open(&box, mode, 16 * 4096, 4096);
	scribbler = scribble_start(&box, UINT64_MAX, 0, 2 + mode);
	for (uint32_t i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			writer(i, false);
	}
	for (uint32_t i = 0; i < READS; i++)
		read_all();
	for (int i = 0; i < WRITERS; i++)
		failed += wait_for(pid[i]) != 0;
	scribble_stop(scribbler);
	read_all();
	count_result(session_discard(&box, NULL) == 0, name, "discarded");
	read_all();
	count_result(failed == 0, name, "%u reads; %u writers failed", READS, failed);
	/* A new init repairs everything. */
	struct session_config config = {
		.ring_bytes = 65536, .section_bytes = 4096, .group = (gid_t)-1};
	struct account a;
	count_result(session_off(&box, NULL) == 0 && session_init(&box, &config, NULL) == 0 &&
			     session_on(&box, NULL) == 0 && checked_hook(1, 1, 1) == 0,
		name, "initialised again");
	box_account(&box, &a, NULL, NULL);
	count_result(a.hooks == 1 && a.damaged == 0 && account_sum(&a) == 1, name, "and clean");
	session_remove(&box);
	session_close(&box);
}

/* A scribbler made a large table look empty: the search is bounded by the ring's length. */
static void bounded(const void *arg)
{
	const char *name = arg;
	uint64_t lost = 0, head;

	box_open(&box, SHM_MODE_WRAP, 64 << 20, 4096);
	box_pin(0);
	checked_hook(1, 1, 1);
	for (uint32_t ring = 0; ring < box.geometry.cpus + box.geometry.guests; ring++) {
		uint8_t *base = scribble_map(box.rings_fd, box.geometry.file_size);
		struct shm_ring *r = ring_at(base, &box.geometry, ring);

		/* All sections were entered long ago and begin with an uncommitted record. */
		head = (uint64_t)1000 * box.geometry.ring_size;
		for (uint32_t i = 0; i < box.geometry.sections; i++) {
			r->section[i].entry = (uint64_t)i * 4096 + 1;
			put_le32(base + ring_data_offset(&box.geometry, ring) + i * 4096ull, 64);
		}
		r->head = head;
		munmap(base, box.geometry.file_size);
	}
	for (int i = 0; i < 20; i++)
		lost += checked_hook(1, 2, 1) == PU_ERROR_NO_BUFFER;
	count_result(lost == 20, name, "%llu lost", (unsigned long long)lost);
	session_remove(&box);
	session_close(&box);
}

static void truncated(const void *arg)
{
	const char *name = arg;
	struct ring_ledger l;
	struct ring_reader r;
	struct session_task *tasks;
	struct session again;
	char *text;

	box_open(&box, SHM_MODE_WRAP, 16 * 4096, 4096);
	if (fork() == 0) {
		for (uint32_t i = 0; i < 100; i++)
			checked_hook(1, i, 10);
		_exit(0);
	}
	wait(NULL);
	if (ftruncate(box.rings_fd, 100) || ftruncate(box.tasks_fd, 100) ||
		ftruncate(box.schemas_fd, 0))
		die("truncate");
	if (ring_reader_open(&r, box.rings_fd, &box.geometry, box.control->ring))
		die("reader");
	ring_reader_ledger(&r, 0, &l);
	count_result(l.damaged, name, "the ledger says damaged");
	ring_reader_close(&r);
	count_result(session_tasks(&box, &tasks) < 0 && tasks == NULL, name, "no tasks");
	count_result(session_schemas(&box, &text, NULL) < 0 && text == NULL, name, "no schemas");
	count_result(session_reclaim(&box) == 0 && session_discard(&box, NULL) != 0, name,
		"nothing to give back or discard");
	session_close(&box);
	/* The session can still be opened and initialised. */
	struct session_location location;
	struct session_config config = {.ring_bytes = 65536, .group = (gid_t)-1};
	session_find(&location, NULL);
	count_result(session_open(&again, &location, SESSION_CONTROL, NULL) == 0 &&
			     session_off(&again, NULL) == 0 &&
			     session_init(&again, &config, NULL) == 0,
		name, "initialised again");
	session_remove(&again);
	session_close(&again);
}

static int sandboxed_main(int argc, char **argv)
{
	box_guest(argc, argv);
	running = box_shared(4096);
	scenario(one_ring, "one ring's header");
	scenario(everywhere, "wrap mode");
	scenario(everywhere, "normal mode");
	scenario(bounded, "a held ring of many sections");
	scenario(truncated, "truncated files");
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
