/* The storm's writers. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../libtrace/ring/thread.h"
#include "../../../libtrace/session/attach.h"
#include "storm_hour.h"

enum { MAX_WORDS = 60, THREADS = 4, SHORT_HOOKS = 30 };

static __thread struct {
	bool ready;
	uint32_t depth, id, sequence[HOUR_DEPTHS];
	uint64_t seed;
} me;

uint32_t hour_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(z >> 32);
}

static bool running(void)
{
	return __atomic_load_n(&hour->running, __ATOMIC_RELAXED);
}

/* Handlers draw from the same seed; an interrupting one draws the same number. */
static uint32_t random_below(uint32_t n)
{
	return hour_random(&me.seed) % n;
}

static bool become_thread(uint64_t seed)
{
	memset(me.sequence, 0, sizeof me.sequence);
	me.seed = seed;
	me.depth = 0;
	me.id = __atomic_fetch_add(&hour->next_id, HOUR_DEPTHS, __ATOMIC_RELAXED);
	me.ready = me.id + HOUR_DEPTHS <= HOUR_IDS;
	return me.ready;
}

/* -------------------------------------------------------------------- one hook */

static void count(uint64_t *sum, int64_t n)
{
	__atomic_fetch_add(sum, (uint64_t)n, __ATOMIC_SEQ_CST);
}

static uint64_t *maybe_of(uint32_t generation)
{
	return generation == RING_UNATTACHED ? &hour->unattached
					     : &hour->maybe[generation % HOUR_GENERATIONS];
}

/* Writes a hook, or a group, at the thread's present depth. die: is killed in the middle. */
static void write_hooks(uint32_t hooks, uint32_t words, uint32_t doze_us, bool die)
{
	const struct timespec doze = {.tv_nsec = doze_us * 1000l};
	uint32_t depth = me.depth, first = me.sequence[depth], id = me.id + depth;
	struct hook_writer w;

	me.sequence[depth] += hooks;
	attach_ready(CHECKED_MAJOR);
	uint32_t before = ring_self.generation;
	count(maybe_of(before), hooks);
	int rc = hook_begin(&w, CHECKED_MAJOR, hooks * rec_size(words, 0), hooks);
	uint32_t after = ring_self.generation;
	if (rc == HOOK_RESERVED) {
		if (doze_us)
			nanosleep(&doze, NULL);
		if (die)
			raise(SIGKILL);
		for (uint32_t i = 0; i < hooks; i++)
			checked_fill(hook_record(&w, CHECKED_MAJOR, id, words, 0, 0), id, first + i,
				words);
		hook_commit(&w);
	}
	/* If the thread changed rings meanwhile, the hook is in one of the two. */
	if (rc == PU_SUCCESS) {
		count(maybe_of(before), -(int64_t)hooks);
		return;
	}
	if (after != before)
		count(maybe_of(after), hooks);
	if (before == RING_UNATTACHED && after != before)
		count(maybe_of(before), -(int64_t)hooks);
	if (after != RING_UNATTACHED && (after == before || before == RING_UNATTACHED))
		count(&hour->done[after % HOUR_GENERATIONS], hooks);
	if (rc < 0 && after != RING_UNATTACHED)
		count(&hour->lost[after % HOUR_GENERATIONS], hooks);
}

static void write_some(void)
{
	uint32_t words = CHECKED_MIN_WORDS + random_below(random_below(8) ? 8 : MAX_WORDS);

	write_hooks(random_below(8) ? 1 : 1 + random_below(HOUR_GROUP), words,
		random_below(1000) ? 0 : 200, false);
}

bool hour_is_whole(const uint8_t *record, uint32_t *id, uint32_t *sequence)
{
	*id = checked_id(record);
	*sequence = checked_sequence(record);
	return checked_is_whole(record) && *id < HOUR_IDS;
}

/* -------------------------------------------------------------------- handlers */

/* Use _Fork: the handler may have interrupted code that holds locks which fork takes. */
static void fork_and_trace(void)
{
	uint64_t seed = me.seed + hour->next_id;
	bool die = (hour->events & HOUR_KILLS) && random_below(8) == 0;

	if (_Fork() != 0)
		return;
	if (become_thread(seed)) {
		for (uint32_t i = 0; i < SHORT_HOOKS; i++)
			write_some();
		if (die)
			write_hooks(1, 4, random_below(3000), true);
	}
	_exit(0);
}

static void handler(int signal_number)
{
	(void)signal_number;
	if (!me.ready || me.depth + 1 >= HOUR_DEPTHS)
		return;
	me.depth++;
	if (running() || random_below(2))
		write_some();
	if ((hour->events & HOUR_FORKS) && running() && random_below(200) == 0)
		fork_and_trace();
	me.depth--;
}

/* --------------------------------------------------------------------- threads */

static void move_to_processor(void)
{
	uint32_t cpu[64], n = storm_cpus(cpu, 64);
	cpu_set_t set;

	CPU_ZERO(&set);
	for (uint32_t i = 0; i < n; i++)
		CPU_SET(cpu[i], &set);
	if (n && random_below(2)) {
		uint32_t to = cpu[random_below(n)];

		CPU_ZERO(&set);
		CPU_SET(to, &set);
		sched_setaffinity(0, sizeof set, &set);
		sched_yield();
		/* Restore all CPUs: a moved thread must not stay on one CPU. */
		for (uint32_t i = 0; i < n; i++)
			CPU_SET(cpu[i], &set);
	}
	sched_setaffinity(0, sizeof set, &set);
}

struct worker {
	uint64_t seed;
	uint32_t hooks; /* then the thread ends */
};

static void write_many(uint32_t hooks, uint32_t pause_every)
{
	const struct timespec pause = {.tv_nsec = 100000};

	for (uint32_t i = 1; i <= hooks && running(); i++) {
		write_some();
		if (i % 4096 == 0)
			move_to_processor();
		if (i % pause_every == 0)
			nanosleep(&pause, NULL);
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	sigset_t set;
	timer_t timer = NULL;

	if (!become_thread(w->seed))
		return NULL;
	bool signals = (hour->events & HOUR_SIGNALS) && random_below(2);
	if (random_below(4) == 0)
		box_become_guest(random_below(4));
	if (signals) {
		timer = storm_timer(SIGUSR1, 50000 * SLOW_MACHINE + (long)random_below(400000));
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	write_many(w->hooks, random_below(2) ? 16 : 1000);
	if (signals) {
		timer_delete(timer);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	}
	return NULL;
}

static void begin_process(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER | SA_RESTART};
	sigset_t set;

	/* Only worker threads receive it: the first thread allocates and forks. */
	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void hour_writer(uint64_t seed)
{
	struct worker worker[THREADS];
	pthread_t thread[THREADS];

	begin_process();
	if (!become_thread(seed))
		_exit(0);
	uint32_t threads = random_below(THREADS + 1);
	bool exits = (hour->events & HOUR_EXITS) && random_below(2);
	do {
		uint32_t made = 0;

		for (uint32_t i = 0; i < threads; i++) {
			uint64_t own = seed ^ (uint64_t)hour_random(&me.seed) << 8;

			worker[i] = (struct worker){
				own, exits ? UINT32_MAX : 100 + random_below(20000)};
			made += pthread_create(&thread[made], NULL, work, &worker[i]) == 0;
		}
		write_many(1000 + random_below(4000), 64);
		if (exits)
			exit(0);
		for (uint32_t i = 0; i < made; i++)
			pthread_join(thread[i], NULL);
	} while (running());
	exit(0);
}

void hour_short_writer(uint64_t seed)
{
	begin_process();
	if (become_thread(seed)) {
		bool in_order = random_below(2);

		for (uint32_t n = 1 + random_below(SHORT_HOOKS); n; n--)
			write_some();
		if ((hour->events & HOUR_KILLS) && random_below(8) == 0)
			write_hooks(1 + random_below(3), 8, random_below(5000), true);
		if (in_order)
			exit(0);
	}
	_exit(0);
}
