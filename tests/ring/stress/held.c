/*
 * Slow writers hold reservations for several laps while others write: their bytes stay unchanged,
 * and every hook is accounted for.
 *
 *	stress_held [guest]
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox.h"

enum { SLOW = 3, FAST = 2, HOLDS = 200 };

struct shared {
	uint64_t attempts, slow_lost, disturbed;
	int slow_running;
};

static struct shared *all;

/* Reserves, fills half, sleeps, checks that the bytes are unchanged, and commits. */
static void write_slowly(uint32_t id, uint32_t seed)
{
	for (uint32_t i = 0; i < HOLDS; i++) {
		struct timespec doze = {0, 200000 + (seed = seed * 1103515245 + 12345) % 2000000};
		uint32_t nwords = 4 + seed / 65536 % (i % 20 == 0 ? 900 : 60);
		uint32_t size = rec_size(nwords, 0), touched = 0;
		struct hook_writer w;

		__atomic_fetch_add(&all->attempts, 1, __ATOMIC_RELAXED);
		if (hook_begin(&w, 2, size, 1) != HOOK_RESERVED) {
			__atomic_fetch_add(&all->slow_lost, 1, __ATOMIC_RELAXED);
			nanosleep(&doze, NULL);
			continue;
		}
		memset(w.first + 24, 0x33, size - 24);
		nanosleep(&doze, NULL);
		for (uint32_t k = 24; k < size; k++)
			touched += w.first[k] != 0x33;
		touched += get_le32(w.first) != size || get_le64(w.first + 16) != w.stamp ||
			   get_le32(w.first + 12) != w.number;
		if (touched)
			__atomic_fetch_add(&all->disturbed, 1, __ATOMIC_RELAXED);
		memset(hook_record(&w, 2, id, nwords, 0, 0), 0x44, nwords * 4);
		hook_commit(&w);
	}
	__atomic_fetch_sub(&all->slow_running, 1, __ATOMIC_RELAXED);
	_exit(0);
}

static void fast(uint32_t id)
{
	uint32_t i = 0;

	while (__atomic_load_n(&all->slow_running, __ATOMIC_RELAXED) > 0) {
		checked_hook(id, i, i % 100);
		i++;
	}
	__atomic_fetch_add(&all->attempts, i, __ATOMIC_RELAXED);
	_exit(0);
}

struct seen {
	struct follow follow;
	uint32_t slow_broken;
};

static void collect_record(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	struct seen *s = arg;
	uint32_t n = get_le16(record + 6);

	if (record[4] != 2) {
		follow_record(&s->follow, ring, position, record);
		return;
	}
	for (uint32_t i = 0; i < 4 * n; i++) {
		if (record[24 + i] != 0x44) {
			s->slow_broken++;
			return;
		}
	}
}

static void stress_held(const void *arg)
{
	uint32_t sections = *(const uint32_t *)arg;
	char name[32];
	struct session s;
	struct account a;
	struct seen seen = {.slow_broken = 0};
	int bad = 0;

	snprintf(name, sizeof name, "%u sections", sections);
	box_open(&s, SHM_MODE_WRAP, (uint64_t)sections * 4096, 4096);
	follow_open(&seen.follow, s.geometry.cpus + s.geometry.guests);
	memset(all, 0, sizeof *all);
	all->slow_running = SLOW;
	for (uint32_t i = 0; i < SLOW; i++) {
		if (fork() == 0)
			write_slowly(i, i * 999 + sections);
	}
	for (uint32_t i = 0; i < FAST; i++) {
		if (fork() == 0)
			fast(100 + i);
	}
	for (int status; wait(&status) > 0;)
		bad += status != 0;
	box_account(&s, &a, collect_record, &seen);
	count_result(all->disturbed == 0 && seen.slow_broken == 0, name,
		"%llu held reservations disturbed, %u broken in the end",
		(unsigned long long)all->disturbed, seen.slow_broken);
	count_result(!bad && account_sum(&a) == all->attempts && !a.torn && !a.damaged &&
			     !a.backwards && !seen.follow.not_whole && !seen.follow.out_of_order,
		name,
		"%llu attempted, %llu accounted (%llu overwritten, %llu held, %llu of slow writers lost, %llu sections skipped), torn %llu, incomplete %u",
		(unsigned long long)all->attempts, (unsigned long long)account_sum(&a),
		(unsigned long long)a.overwritten, (unsigned long long)a.loss[SHM_LOST_HELD],
		(unsigned long long)all->slow_lost, (unsigned long long)a.loss[SHM_SKIPPED],
		(unsigned long long)(a.torn + a.gone_torn), seen.follow.not_whole);
	count_result(
		a.gone_torn == 0, name, "nothing torn: a sleeping writer is waited for or skipped");
	follow_close(&seen.follow);
	session_remove(&s);
	session_close(&s);
}

static int sandboxed_main(int argc, char **argv)
{
	static const uint32_t sections[] = {2, 3, 5, 16};

	box_guest(argc, argv);
	all = box_shared(sizeof *all);
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		scenario(stress_held, &sections[i]);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
