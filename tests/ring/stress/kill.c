/*
 * Kills writers at random instants. A dead writer damages nothing, costs at most one uncommitted
 * record or group, and holds its section and guest ring until the owner proves it dead. Then every
 * section can be entered again.
 *
 *	stress_kill [guest] [KILLS]
 *
 * Each writer is killed by a timer microseconds after it began, at any instruction and with several
 * writers on the same ring. Two parents keep forking new writers; two more writers survive
 * throughout; the owner reads the rings and reclaims.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../libtrace/ring/thread.h"
#include "../../../libtrace/session/attach.h"
#include "sandbox.h"

enum {
	NURSERIES = 2,
	WRITERS = 4, /* of one parent, at the same time */
	SURVIVORS = 2,
	MOST_WORDS = 700,
	MOST_HOOKS = 2000, /* if a writer's timer is late it stops writing and waits */
	SURVIVOR_ID = 4001,
	/* The latest kill after the first hook. Every other writer has a tenth of that; on some
	 * virtual machines a timer of so short a time fires before timer_settime returns. */
	LATEST_NS = SANITIZED ? 1000000 : 300000,
};

/* A writer's own counts of hooks, by plain stores: begun, reserved (or lost), done. */
struct note {
	uint64_t begun, reserved, done;
};

/* Bounds of what killed writers wrote: the hook that each was in may be in the ledger or not. */
struct tally {
	uint64_t kills, least, most;
	uint64_t inside; /* killed between reservation and commit, or just after */
};

struct nursery {
	struct note note[WRITERS];
	struct tally tally;
	uint64_t wanted; /* number of kills */
};

static struct shared {
	struct nursery nursery[NURSERIES];
	uint64_t survived[SURVIVORS];
	uint32_t incarnations, resting, rest, over;
} * all;

static struct session box;
static bool all_guests;
static uint64_t kills_wanted;

/* ------------------------------------------------------------------- a writer */

static void note_to(uint64_t *where, uint64_t value)
{
	__atomic_store_n(where, value, __ATOMIC_RELEASE);
	__asm__ volatile("" ::: "memory");
}

/* Writes `hooks` hooks of n words each in one reservation. */
static void in_place(struct note *note, uint32_t id, uint32_t sequence, uint32_t n, uint32_t hooks)
{
	struct hook_writer w;

	note_to(&note->begun, note->done + hooks);
	int rc = hook_begin(&w, CHECKED_MAJOR, hooks * rec_size(n, 0), hooks);
	note_to(&note->reserved, note->begun);
	if (rc == HOOK_RESERVED) {
		for (uint32_t i = 0; i < hooks; i++)
			checked_fill(
				hook_record(&w, CHECKED_MAJOR, id, n, 0, 0), id, sequence + i, n);
		hook_commit(&w);
	}
	note_to(&note->done, note->begun);
}

static void whole_call(struct note *note, uint32_t id, uint32_t sequence, uint32_t n)
{
	note_to(&note->begun, note->done + 1);
	checked_hook(id, sequence, n);
	note_to(&note->done, note->begun);
}

static void kill_in(uint64_t ns)
{
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	struct itimerspec t = {.it_value = {.tv_nsec = (long)ns + 1}};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &e, &timer) != 0 ||
		timer_settime(timer, 0, &t, NULL) != 0)
		die("timer: %s", strerror(errno));
}

static void attach(void)
{
	attach_discover();
	attach_ready(CHECKED_MAJOR);
}

/* Sequences restart repeatedly with the same id, each beginning above the previous one's end. */
static void writer(struct note *note, uint32_t incarnation)
{
	uint32_t id = incarnation % 4000, sequence = incarnation * (MOST_HOOKS + 48);
	uint32_t r = incarnation * 2654435761u;
	uint32_t latest = LATEST_NS / (incarnation % 2 ? 10 : 1);

	if (incarnation % 16 == 0)
		kill_in(r % (2 * LATEST_NS)); /* perhaps during the attach */
	if (all_guests || incarnation % 3 == 0)
		box_become_guest(incarnation % box.geometry.guests);
	else
		attach();
	if (incarnation % 16 != 0)
		kill_in(r % latest);
	for (uint32_t i = 0; i < MOST_HOOKS; i += 2) {
		r = r * 1103515245 + 12345;
		uint32_t n = r >> 16;

		if (i % 16 == 14)
			whole_call(note, id, sequence + i, n % 60);
		else if (i % 8 == 2)
			in_place(note, id, sequence + i, 3 + n % (MOST_WORDS / 2), 2);
		else
			in_place(note, id, sequence + i, 3 + n % MOST_WORDS, 1);
	}
	for (;;)
		pause();
}

/* ------------------------------------------------------------------ a nursery */

static void count_killed(struct nursery *n, struct note *note)
{
	struct tally *t = &n->tally;
	bool inside = note->reserved > note->done;

	t->kills++;
	t->inside += inside;
	/* A torn group counts as one hook. */
	t->least += note->done + inside;
	t->most += note->begun;
}

static pid_t start(struct note *note)
{
	uint32_t incarnation = __atomic_fetch_add(&all->incarnations, 1, __ATOMIC_RELAXED);
	pid_t pid;

	memset(note, 0, sizeof *note);
	pid = fork();
	if (pid == 0)
		writer(note, incarnation);
	if (pid < 0)
		die("fork: %s", strerror(errno));
	return pid;
}

static void run_nursery(struct nursery *n)
{
	pid_t pid[WRITERS] = {0};
	uint32_t alive = 0;
	uint64_t begun = 0;

	for (uint32_t i = 0; i < WRITERS && begun < n->wanted; i++, begun++, alive++)
		pid[i] = start(&n->note[i]);
	while (alive) {
		int status, i;
		pid_t dead = waitpid(-1, &status, 0);

		for (i = 0; i < WRITERS && pid[i] != dead; i++)
			;
		if (i == WRITERS || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
			die("a writer ended with status %#x", (unsigned)status);
		count_killed(n, &n->note[i]);
		pid[i] = 0;
		alive--;
		if (begun < n->wanted) {
			pid[i] = start(&n->note[i]);
			begun++;
			alive++;
		}
	}
	_exit(0);
}

/* Writes in bursts, and pauses while the ledger is checked. */
static void survivor(uint32_t which)
{
	struct timespec doze = {0, 300000};
	uint32_t sequence = 0;

	if (all_guests || which == 1)
		box_become_guest(0);
	while (!__atomic_load_n(&all->over, __ATOMIC_ACQUIRE)) {
		for (uint32_t i = 0; i < 20; i++, sequence++)
			checked_hook(SURVIVOR_ID + which, sequence, sequence % 100);
		__atomic_store_n(&all->survived[which], sequence, __ATOMIC_RELEASE);
		nanosleep(&doze, NULL);
		if (!__atomic_load_n(&all->rest, __ATOMIC_ACQUIRE))
			continue;
		__atomic_fetch_add(&all->resting, 1, __ATOMIC_ACQ_REL);
		while (__atomic_load_n(&all->rest, __ATOMIC_ACQUIRE))
			nanosleep(&doze, NULL);
		__atomic_fetch_sub(&all->resting, 1, __ATOMIC_ACQ_REL);
	}
	_exit(0);
}

static void let_rest(bool rest)
{
	struct timespec doze = {0, 300000};

	__atomic_store_n(&all->rest, rest, __ATOMIC_RELEASE);
	while (__atomic_load_n(&all->resting, __ATOMIC_ACQUIRE) != (rest ? SURVIVORS : 0))
		nanosleep(&doze, NULL);
}

/* ------------------------------------------------------------------ the owner */

struct battle {
	char name[32];
	struct follow follow;
	uint64_t given_back, looks, unsound;
	uint64_t own; /* hooks of the owner */
};

static bool read_account(struct battle *b, struct account *a)
{
	follow_reset(&b->follow, box.geometry.cpus + box.geometry.guests);
	box_account(&box, a, follow_record, &b->follow);
	return !a->damaged && !a->backwards && !b->follow.not_whole && !b->follow.out_of_order &&
	       !b->follow.foreign;
}

/* A round of kills while the owner reads the rings. */
static void round_of(struct battle *b, uint64_t kills)
{
	struct timespec doze = {0, 4000000};
	uint32_t running = NURSERIES;
	struct account a;
	pid_t pid[NURSERIES];

	for (uint32_t i = 0; i < NURSERIES; i++) {
		all->nursery[i].wanted = kills * (i + 1) / NURSERIES - kills * i / NURSERIES;
		pid[i] = fork();
		if (pid[i] == 0)
			run_nursery(&all->nursery[i]);
	}
	for (uint32_t turn = 0; running; turn++) {
		nanosleep(&doze, NULL);
		b->given_back += (uint64_t)session_reclaim(&box);
		if (turn % 8 == 0) {
			b->looks++;
			b->unsound += !read_account(b, &a);
		}
		for (uint32_t i = 0; i < NURSERIES; i++) {
			int status;

			if (pid[i] && waitpid(pid[i], &status, WNOHANG) == pid[i]) {
				if (status != 0)
					die("a nursery ended with status %#x", (unsigned)status);
				pid[i] = 0;
				running--;
			}
		}
	}
}

/* Writes two laps of hooks; returns whether this ring got them. */
static bool two_laps(struct battle *b, uint32_t ring)
{
	uint64_t from = box_ring(&box, ring).head;

	for (uint32_t i = 0; i < box.geometry.sections * 2 * 40; i++)
		checked_hook(SURVIVOR_ID + SURVIVORS, (uint32_t)b->own++, 30);
	return box_ring(&box, ring).head >= from + 2 * box.geometry.ring_size;
}

/* Checks that every reachable ring has nothing held, skipped or torn any more. */
static bool all_enterable(struct battle *b)
{
	struct ring_thread real = ring_self;
	struct account from, to;
	cpu_set_t cpus;
	bool round = true;

	box_account(&box, &from, NULL, NULL);
	sched_getaffinity(0, sizeof cpus, &cpus);
	checked_hook(SURVIVOR_ID + SURVIVORS, (uint32_t)b->own++, 1); /* attach */
	real = ring_self;
	for (uint32_t cpu = 0; box_has_rseq() && cpu < box.geometry.cpus; cpu++) {
		if (CPU_ISSET(cpu, &cpus) && box_pin(cpu) == cpu)
			round &= two_laps(b, cpu);
	}
	for (uint32_t i = 0; i < box.geometry.guests; i++) {
		box_become_guest(i);
		round &= two_laps(b, box.geometry.cpus + i);
	}
	ring_self = real;
	sched_setaffinity(0, sizeof cpus, &cpus);
	box_account(&box, &to, NULL, NULL);
	return round && to.torn == 0 && account_lost(&to) == account_lost(&from) &&
	       to.loss[SHM_SKIPPED] == from.loss[SHM_SKIPPED];
}

/* All killed writers are dead and the survivors pause: checks the ledger at rest. */
static void check_at_rest(struct battle *b)
{
	struct tally t = {0};
	struct account a;
	uint64_t living = b->own, sum, torn;
	bool sound = read_account(b, &a), again, enterable;

	for (uint32_t i = 0; i < NURSERIES; i++) {
		struct tally *n = &all->nursery[i].tally;

		t.kills += n->kills;
		t.least += n->least;
		t.most += n->most;
		t.inside += n->inside;
	}
	for (uint32_t i = 0; i < SURVIVORS; i++)
		living += all->survived[i];
	sum = account_sum(&a);
	torn = a.torn + a.gone_torn;
	b->given_back += (uint64_t)session_reclaim(&box);
	again = session_reclaim(&box) == 0 && box_locks_taken(&box) == 0;
	enterable = all_enterable(b);
	count_result(sound && !b->unsound && sum >= t.least + living && sum <= t.most + living &&
			     torn <= t.kills && again && enterable,
		b->name,
		"%llu kills; %llu to %llu attempted, %llu accounted; %llu torn, %llu given "
		"back%s%s%s",
		(unsigned long long)t.kills, (unsigned long long)(t.least + living),
		(unsigned long long)(t.most + living), (unsigned long long)sum,
		(unsigned long long)torn, (unsigned long long)b->given_back,
		sound && !b->unsound ? "" : "; not sound", again ? "" : "; still held",
		enterable ? "" : "; not every section can be entered");
}

struct setting {
	uint32_t sections, rounds;
	uint64_t kills;
};

static void stress_kill(const void *arg)
{
	const struct setting *s = arg;
	struct battle b = {.own = 0};
	struct account a;
	uint64_t inside = 0;
	int status;

	snprintf(b.name, sizeof b.name, "kill -9, %u sections", s->sections);
	memset(all, 0, sizeof *all);
	box_open(&box, SHM_MODE_WRAP, (uint64_t)s->sections * 4096, 4096);
	follow_open(&b.follow, box.geometry.cpus + box.geometry.guests);
	for (uint32_t i = 0; i < SURVIVORS; i++) {
		if (fork() == 0)
			survivor(i);
	}
	for (uint32_t i = 0; i < s->rounds; i++) {
		round_of(&b, s->kills * (i + 1) / s->rounds - s->kills * i / s->rounds);
		let_rest(true);
		check_at_rest(&b);
		let_rest(false);
	}
	__atomic_store_n(&all->over, 1, __ATOMIC_RELEASE);
	while (wait(&status) > 0) {
		if (status != 0)
			count_result(false, b.name, "a survivor ended with status %#x",
				(unsigned)status);
	}
	for (uint32_t i = 0; i < NURSERIES; i++)
		inside += all->nursery[i].tally.inside;
	box_account(&box, &a, NULL, NULL);
	/* Otherwise the test proves nothing: the timers are too slow or too fast. */
	count_result(a.gone_torn + a.torn > s->kills / 100, b.name,
		"%llu died with a reservation, %llu looks at running rings",
		(unsigned long long)inside, (unsigned long long)b.looks);
	follow_close(&b.follow);
	session_remove(&box);
	session_close(&box);
}
/* ----------------------------------------------------------------------- all */

static int sandboxed_main(int argc, char **argv)
{
	static const uint32_t sections[] = {2, 3, 8};

	if (all_guests)
		box_without_rseq(argv);
	(void)argc;
	all = box_shared(sizeof *all);
	for (uint32_t i = 0; i < 3; i++) {
		struct setting s = {sections[i], kills_wanted < 200000 ? 3 : 20,
			kills_wanted * (i + 1) / 3 - kills_wanted * i / 3};

		scenario(stress_kill, &s);
	}
	return results();
}

int main(int argc, char **argv)
{
	char *end = "";

	all_guests = argc > 1 && strcmp(argv[1], "guest") == 0;
	kills_wanted = (all_guests ? 9000 : 25000) / (SANITIZED ? 25 : 1);
	if (argc > 1 + all_guests)
		kills_wanted = strtoull(argv[1 + all_guests], &end, 10);
	if (*end || kills_wanted < 100 || kills_wanted > 1000000) {
		fprintf(stderr, "stress_kill: from 100 to 1000000 kills\n");
		return 2;
	}
	return sandbox_run(sandboxed_main, argc, argv, (unsigned)(200 + kills_wanted / 200));
}
