/*
 * Reads while writers wrap around: the reader returns complete records in order, never a mixture of
 * two laps, and groups completely or not at all.
 *
 *	stress_reader [guest]
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"

enum { WRITERS = 3, ROUNDS = SANITIZED ? 200 : 1000, GROUP = 3, GROUP_MAJOR = 0x60 };

struct shared {
	uint64_t attempts;
	uint32_t running;
};

static struct shared *all;

/* A group of three records with their index, the group's number and its sum. */
static void group(uint32_t id, uint32_t number)
{
	uint32_t bytes = 0;
	struct hook_writer w;

	for (uint32_t i = 0; i < GROUP; i++)
		bytes += rec_size(3 + i * (number % 5), 0);
	if (hook_begin(&w, GROUP_MAJOR, bytes, GROUP) != HOOK_RESERVED)
		return;
	for (uint32_t i = 0; i < GROUP; i++) {
		uint32_t n = 3 + i * (number % 5);
		uint8_t *p = hook_record(&w, GROUP_MAJOR, i, n, 0, 0);

		for (uint32_t k = 0; k < n; k++, p += 4)
			put_le32(p, k == 0 ? id : k == 1 ? number : id ^ number ^ (i * 7 + k));
	}
	hook_commit(&w);
}

static void writer(uint32_t id)
{
	uint32_t i = 0, groups = 0;

	for (; __atomic_load_n(&all->running, __ATOMIC_RELAXED); i++) {
		checked_hook(2 * id, i, i * 13 % 80);
		if (i % 3 == 0) {
			group(2 * id + 1, i);
			groups++;
		}
	}
	__atomic_fetch_add(&all->attempts, i + GROUP * (uint64_t)groups, __ATOMIC_RELAXED);
	_exit(0);
}

struct seen {
	struct follow follow;
	uint32_t groups, broken_groups, expect; /* expect: index of the next record of a group */
	uint32_t id, number;
	uint64_t stamp;
};

static void see_group(struct seen *s, const uint8_t *record)
{
	uint32_t i = get_le32(record + 8), n = get_le16(record + 6);
	uint32_t id = get_le32(record + 24), number = get_le32(record + 28);
	bool ok = i == s->expect && n == 3 + i * (number % 5);

	if (i > 0)
		ok = ok && id == s->id && number == s->number && get_le64(record + 16) == s->stamp;
	for (uint32_t k = 2; ok && k < n; k++)
		ok = get_le32(record + 24 + 4 * k) == (id ^ number ^ (i * 7 + k));
	s->id = id;
	s->number = number;
	s->stamp = get_le64(record + 16);
	s->expect = (s->expect + 1) % GROUP;
	s->groups += i == 0;
	s->broken_groups += !ok;
}

static void collect_record(void *arg, uint32_t ring, uint64_t position, const uint8_t *record)
{
	struct seen *s = arg;

	if (record[4] == GROUP_MAJOR) {
		see_group(s, record);
		return;
	}
	s->broken_groups += s->expect != 0; /* another writer's record inside a group */
	s->expect = 0;
	follow_record(&s->follow, ring, position, record);
}

static void stress_reader(const void *arg)
{
	uint32_t sections = *(const uint32_t *)arg, damaged = 0, broken = 0;
	char name[32];
	struct session s;
	struct account a;
	struct seen seen;
	uint64_t hooks = 0, groups = 0, lower = 0;
	uint32_t shrunk = 0;

	snprintf(name, sizeof name, "%u sections", sections);
	all->attempts = 0;
	all->running = 1;
	box_open(&s, SHM_MODE_WRAP, (uint64_t)sections * 4096, 4096);
	memset(&seen, 0, sizeof seen);
	follow_open(&seen.follow, s.geometry.cpus + s.geometry.guests);
	for (uint32_t i = 0; i < WRITERS; i++) {
		if (fork() == 0)
			writer(i + 1);
	}
	do { /* wait until they write */
		usleep(1000);
		box_account(&s, &a, NULL, NULL);
	} while (a.hooks == 0);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		follow_reset(&seen.follow, s.geometry.cpus + s.geometry.guests);
		seen.expect = seen.broken_groups = seen.groups = 0;
		box_account(&s, &a, collect_record, &seen);
		damaged += a.damaged;
		broken += a.backwards + seen.follow.not_whole + seen.follow.out_of_order +
			  seen.follow.foreign + seen.broken_groups;
		shrunk += a.overwritten < lower;
		lower = a.overwritten;
		hooks += a.hooks;
		groups += seen.groups;
	}
	__atomic_store_n(&all->running, 0, __ATOMIC_RELAXED);
	while (wait(NULL) > 0)
		;
	box_account(&s, &a, NULL, NULL);
	count_result(account_sum(&a) == all->attempts && a.torn + a.gone_torn == 0 && !a.damaged,
		name, "%llu attempted, %llu accounted, torn %llu",
		(unsigned long long)all->attempts, (unsigned long long)account_sum(&a),
		(unsigned long long)(a.torn + a.gone_torn));
	count_result(damaged == 0 && broken == 0 && shrunk == 0 && hooks > 0, name,
		"%u rounds, %llu hooks, %llu groups read; damaged %u, broken %u, ledger shrunk %u",
		ROUNDS, (unsigned long long)hooks, (unsigned long long)groups, damaged, broken,
		shrunk);
	follow_close(&seen.follow);
	session_remove(&s);
	session_close(&s);
}

static int sandboxed_main(int argc, char **argv)
{
	static const uint32_t sections[] = {2, 4, 32};

	box_guest(argc, argv);
	all = box_shared(sizeof *all);
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		scenario(stress_reader, &sections[i]);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
