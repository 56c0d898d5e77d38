/*
 * Thousands of rounds of the drain while a member of the trace group scribbles over some of the
 * rings and over all tables, or truncates the files: no round fails or takes long because of it,
 * the files decode, and they have the other rings' hooks, complete and counted exactly.
 *
 *	stress_hostile_drain [guest]
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../libtrace/dump/drain/drain.h"
#include "world.h"

enum {
	ROUNDS = SLOW_MACHINE > 1 ? 500
		 : SANITIZED	  ? 2000
				  : 6000,
	REOPEN = 250,
	SIZE_ROUNDS = SLOW_MACHINE > 1 ? 300 : 1000
};

static struct hostile_world world;
static struct drain_config config;

static void must_open(struct drain **d, struct session *s, const char *when)
{
	struct session_error e = {""};

	if (drain_open(d, s, &config, &e) != 0)
		die("drain, %s: %s", when, e.text);
}

struct rounds {
	uint32_t failed, took;
	uint64_t longest;
	char why[512];
};

static bool one_round(struct drain *d, struct rounds *r)
{
	uint64_t began = storm_milliseconds(), took;
	struct session_error e = {""};
	int rc = drain_round(d, &e);

	took = storm_milliseconds() - began;
	r->longest = took > r->longest ? took : r->longest;
	r->took += rc > 0;
	if (rc < 0 && r->failed++ == 0)
		snprintf(r->why, sizeof r->why, "%s", e.text);
	if (rc == 0)
		usleep(500);
	return rc >= 0;
}

static uint64_t timed_finish(struct drain *d, struct rounds *r)
{
	uint64_t began = storm_milliseconds();
	struct session_error e = {""};

	if (drain_finish(d, &e) != 0 && r->failed++ == 0)
		snprintf(r->why, sizeof r->why, "finish: %s", e.text);
	drain_close(d);
	return storm_milliseconds() - began;
}

struct files {
	struct hostile_seen seen;
	uint32_t files, bad;
	uint64_t intact, scribbled, bytes;
};

static void read_file(void *arg, const char *name)
{
	struct files *f = arg;
	struct traced t;
	int rc = traced_read(name, world.box.geometry.cpus, &t, hostile_see, &f->seen);

	if ((rc || t.cut_off || t.rest || t.damaged_bytes) && f->bad++ == 0)
		printf("%s: %s, cut off %d, %llu bytes damaged, %llu behind the end\n", name,
			rc ? cpidecode_strerror(rc) : "read", t.cut_off,
			(unsigned long long)t.damaged_bytes, (unsigned long long)t.rest);
	f->files++;
	f->intact += traced_sum(&t, world.intact);
	f->scribbled += t.hooks;
	f->bytes += t.bytes;
	unlink(name);
}

static void tracing_off(struct session *s)
{
	session_lock(s, true, NULL);
	session_off(s, NULL);
	session_unlock(s);
}

static void drain_scribbled(const void *arg)
{
	struct files f = {.seen = {.world = &world}};
	struct rounds r = {.failed = 0};
	struct drain *d;
	uint64_t finish;
	int bad;

	if (hostile_world_none(world.guest)) {
		count_skipped(arg, hostile_world_none(world.guest));
		return;
	}
	world.pause = 300;
	hostile_world_start(&world, SHM_MODE_CONTINUOUS);
	session_unlock(&world.box);
	must_open(&d, &world.box, "at first");
	for (uint32_t i = 1; i <= ROUNDS && one_round(d, &r); i++) {
		if (i % REOPEN == 0) {
			drain_close(d); /* as if it had been killed */
			must_open(&d, &world.box, "taken up again");
		}
	}
	bad = hostile_world_stop(&world);
	tracing_off(&world.box);
	finish = timed_finish(d, &r);
	follow_open(&f.seen.follow, world.box.geometry.cpus + world.box.geometry.guests);
	traced_files(config.path, read_file, &f);
	f.scribbled -= f.seen.hooks;
	count_result(r.failed == 0 && r.longest < LONGEST_MS && finish < LONGEST_MS, arg,
		"%d rounds, %u drained hooks, %u failed (%s); the longest took %llu ms, the end %llu ms",
		ROUNDS, r.took, r.failed, r.why, (unsigned long long)r.longest,
		(unsigned long long)finish);
	count_result(f.bad == 0 && f.scribbled > 0, arg,
		"%u files of %llu bytes, %u bad; %llu hooks of others in them", f.files,
		(unsigned long long)f.bytes, f.bad, (unsigned long long)f.scribbled);
	count_result(bad == 0 && f.intact == hostile_world_done(&world) && f.seen.hooks > 10000 &&
			     !f.seen.follow.not_whole && !f.seen.follow.out_of_order &&
			     !f.seen.follow.foreign,
		arg,
		"%llu attempted on intact rings, %llu accounted, %llu of them in the files; %u incomplete, %u out of order, %u foreign; %d writers failed",
		(unsigned long long)hostile_world_done(&world), (unsigned long long)f.intact,
		(unsigned long long)f.seen.hooks, f.seen.follow.not_whole,
		f.seen.follow.out_of_order, f.seen.follow.foreign, bad);
	follow_close(&f.seen.follow);
	session_remove(&world.box);
	session_close(&world.box);
}

/* The files are truncated and extended: the drain continues with what it can read, or reports why
 * not. */
static void sizes(const void *arg)
{
	uint32_t *running = box_shared(sizeof *running), went_on = 0;
	struct rounds r = {.failed = 0};
	struct traced t;
	struct drain *d;
	uint64_t finish;
	pid_t scribbler;

	box_open(&world.box, SHM_MODE_CONTINUOUS, 64 << 10, 4096);
	session_unlock(&world.box);
	*running = 1;
	scribbler = scribble_sizes(&world.box, 3);
	hostile_mortal_writers(running);
	/* It may refuse to begin while the tables are truncated. */
	while (drain_open(&d, &world.box, &config, NULL) != 0)
		usleep(100);
	for (uint32_t i = 0; i < SIZE_ROUNDS; i++)
		went_on += one_round(d, &r);
	__atomic_store_n(running, 0, __ATOMIC_RELAXED);
	scribble_stop(scribbler);
	while (wait(NULL) > 0)
		;
	finish = timed_finish(d, &r);
	int rc = traced_read(config.path, world.box.geometry.cpus, &t, NULL, NULL);
	count_result(rc == 0 && !t.damaged_bytes && !t.rest && r.longest < LONGEST_MS &&
			     finish < LONGEST_MS,
		arg,
		"%u of %d rounds continued (%s); the longest took %llu ms; the file: %s, %llu hooks, %llu bytes damaged",
		went_on, SIZE_ROUNDS, r.why, (unsigned long long)r.longest,
		rc ? cpidecode_strerror(rc) : "read", (unsigned long long)t.hooks,
		(unsigned long long)(t.damaged_bytes + t.rest));
	session_remove(&world.box);
	session_close(&world.box);
}

static int sandboxed_main(int argc, char **argv)
{
	config.codec = TF_CODEC_LZ4;
	config.rotate = 4 << 20;
	snprintf(config.path, sizeof config.path, "%s/cont.bin", sandbox_dir());
	return hostile_world_play(&world, argc, argv, "drains", drain_scribbled, sizes);
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
