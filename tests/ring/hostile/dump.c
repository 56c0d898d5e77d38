/*
 * Hundreds of dumps while a member of the trace group scribbles over some of the rings and over all
 * tables, or truncates the files: no dump fails or takes long, every file decodes and has the other
 * rings' hooks, complete and counted exactly.
 *
 *	stress_hostile_dump [guest]
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../libtrace/dump/dump.h"
#include "consistent.h"
#include "world.h"

enum {
	DUMPS = SLOW_MACHINE > 1 ? 50
		: SANITIZED	 ? 75
				 : 150,
	SIZE_DUMPS = SLOW_MACHINE > 1 ? 50
		     : SANITIZED      ? 100
				      : 200
};

static struct hostile_world world;
static char path[128];

struct totals {
	uint32_t failed, unreadable, wrong, not_exact, cut_off, inconsistent;
	uint64_t longest, hooks, scribbled, damaged;
};

/*
 * Makes a dump and decodes it. Of an intact ring it has or counts every hook that was done before
 * it began, and none begun after it ended.
 */
static void dump_once(uint32_t n, struct hostile_seen *seen, struct totals *sum)
{
	struct dump_options options = {.path = path, .codec = n % 3};
	struct session_error e = {""};
	struct traced t;
	uint64_t before = hostile_world_done(&world), began = storm_milliseconds(), took, counted;
	int rc = dump_write(&world.box, &options, NULL, &e);

	took = storm_milliseconds() - began;
	sum->longest = took > sum->longest ? took : sum->longest;
	if (rc) {
		if (sum->failed++ == 0)
			printf("dump %u: %s\n", n, e.text);
		return;
	}
	const char *why = consistent_file(path);
	if (why && sum->inconsistent++ == 0)
		printf("dump %u: %s\n", n, why);
	uint64_t after = hostile_world_done(&world) + INTACT_WRITERS;
	follow_reset(&seen->follow, world.box.geometry.cpus + world.box.geometry.guests);
	seen->hooks = 0;
	rc = traced_read(path, world.box.geometry.cpus, &t, hostile_see, seen);
	if (rc) {
		if (sum->unreadable++ == 0)
			printf("dump %u: %s\n", n, cpidecode_strerror(rc));
		return;
	}
	counted = traced_sum(&t, world.intact);
	if (counted < before || counted > after) {
		if (sum->not_exact++ == 0)
			printf("dump %u: %llu counted, %llu to %llu written\n", n,
				(unsigned long long)counted, (unsigned long long)before,
				(unsigned long long)after);
	}
	sum->wrong += seen->follow.not_whole + seen->follow.out_of_order + seen->follow.foreign;
	sum->cut_off += t.cut_off || t.damaged_bytes || t.rest;
	sum->hooks += seen->hooks;
	sum->scribbled += t.hooks - seen->hooks;
	sum->damaged += t.malformed + t.damaged;
}

static void tell_totals(const char *name, const struct totals *sum, uint32_t dumps)
{
	count_result(sum->failed + sum->unreadable + sum->cut_off == 0, name,
		"%u dumps: %u failed, %u unreadable, %u cut off or damaged in between", dumps,
		sum->failed, sum->unreadable, sum->cut_off);
	count_result(sum->wrong == 0 && sum->not_exact == 0 && sum->hooks > dumps, name,
		"%llu hooks of intact rings, %u incomplete or out of order, %u dumps not exact",
		(unsigned long long)sum->hooks, sum->wrong, sum->not_exact);
	count_result(sum->longest < LONGEST_MS, name, "the longest took %llu ms",
		(unsigned long long)sum->longest);
	count_result(sum->scribbled > 0 && sum->damaged == 0 && sum->inconsistent == 0, name,
		"on the others: %llu hooks, %llu records or sections that made no sense; %u dumps contradict themselves",
		(unsigned long long)sum->scribbled, (unsigned long long)sum->damaged,
		sum->inconsistent);
}

static void dump_scribbled(const void *arg)
{
	struct hostile_seen seen = {.world = &world};
	struct dump_options options = {.path = path};
	const struct shm_geometry *g = &world.box.geometry;
	struct totals sum = {0};
	struct traced t;
	int bad, rc;

	if (hostile_world_none(world.guest)) {
		count_skipped(arg, hostile_world_none(world.guest));
		return;
	}
	hostile_world_start(&world, SHM_MODE_WRAP);
	follow_open(&seen.follow, g->cpus + g->guests);
	for (uint32_t i = 0; i < DUMPS; i++) {
		/* Flat out, writers overwrite the rings before they are read: let them pause now
		 * and then. */
		__atomic_store_n(&world.shared->rest, i % 8 == 0, __ATOMIC_RELAXED);
		dump_once(i, &seen, &sum);
		if (i % 8 == 0)
			hostile_other_readers(&world.box);
	}
	bad = hostile_world_stop(&world);
	tell_totals(arg, &sum, DUMPS);
	/* Now no writer runs, so the sums must be exact. */
	rc = dump_write(&world.box, &options, NULL, NULL);
	if (rc == 0)
		rc = traced_read(path, g->cpus, &t, hostile_see, &seen);
	count_result(
		rc == 0 && bad == 0 && traced_sum(&t, world.intact) == hostile_world_done(&world),
		arg, "%llu attempted on intact rings, %llu accounted; %d writers failed",
		(unsigned long long)hostile_world_done(&world),
		(unsigned long long)traced_sum(&t, world.intact), bad);
	follow_close(&seen.follow);
	session_remove(&world.box);
	session_close(&world.box);
}

static void sizes(const void *arg)
{
	uint32_t dumped = 0, unreadable = 0, *running = box_shared(sizeof *running);
	struct dump_options options = {.path = path};
	struct session box;
	uint64_t longest = 0;
	pid_t scribbler;
	struct traced t;

	box_open(&box, SHM_MODE_WRAP, 64 << 10, 4096);
	*running = 1;
	scribbler = scribble_sizes(&box, 3);
	hostile_mortal_writers(running);
	for (uint32_t i = 0; i < SIZE_DUMPS || (dumped == 0 && i < 20 * SIZE_DUMPS); i++) {
		uint64_t began = storm_milliseconds(), took;
		bool whole = dump_write(&box, &options, NULL, NULL) == 0;

		took = storm_milliseconds() - began;
		longest = took > longest ? took : longest;
		dumped += whole;
		if (whole)
			unreadable += traced_read(path, box.geometry.cpus, &t, NULL, NULL) != 0 ||
				      t.cut_off || t.damaged_bytes || t.rest;
		hostile_other_readers(&box);
	}
	__atomic_store_n(running, 0, __ATOMIC_RELAXED);
	scribble_stop(scribbler);
	while (wait(NULL) > 0)
		;
	count_result(unreadable == 0 && dumped > 0 && longest < LONGEST_MS, arg,
		"%d dumps, %u in spite of it, %u of them unreadable; the longest took %llu ms",
		SIZE_DUMPS, dumped, unreadable, (unsigned long long)longest);
	session_remove(&box);
	session_close(&box);
}

static int sandboxed_main(int argc, char **argv)
{
	snprintf(path, sizeof path, "%s/trace.bin", sandbox_dir());
	return hostile_world_play(&world, argc, argv, "dumps", dump_scribbled, sizes);
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
