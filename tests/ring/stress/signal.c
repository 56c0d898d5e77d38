/*
 * Signal handlers that trace anywhere in the write path: by timers, at each named point, and after
 * every single instruction. Other signals, and the same one, interrupt the handlers. Every hook is
 * complete, in order per thread and nesting depth, and the ledger is exact.
 *
 *	stress_signal [guest]
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../libtrace/ring/points.h"
#include "storm.h"

/* Depth 0 is the thread itself. A checked hook's id combines thread and depth. */
enum {
	DEPTHS = 8,
	PROCESSES = 2,
	THREADS = 2,
	INTERVAL_NS = SANITIZED ? 200000 : 40000,
	STEP_ROUNDS = SANITIZED ? 8 : 15
};

struct shared {
	uint64_t attempts, signals, aborts, nested, too_deep, steps;
	uint64_t point[2][RING_POINTS]; /* by depth: how many signals arrived at the point */
};

static struct shared *all;
static bool guest;
static __thread volatile uint32_t depth, first_id;
static __thread uint32_t sequence[DEPTHS];

static void add(uint64_t *counter, uint64_t n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

static void one_hook(uint32_t at_depth)
{
	uint32_t i = sequence[at_depth]++;

	checked_hook(first_id + at_depth, i, i % 97 == 0 ? 700 : i % 40);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	uint32_t mine = depth + 1;

	(void)number;
	(void)info;
	add(&all->signals, 1);
	add(&all->aborts, storm_aborted(context));
	if (!first_id)
		return;
	if (mine >= DEPTHS) {
		add(&all->too_deep, 1);
		return;
	}
	add(&all->nested, mine >= 2);
	depth = mine;
	one_hook(mine);
	depth = mine - 1;
}

static void handle(int number, int flags, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	sigaction(number, &action, NULL);
}

/* Attaches the thread; its handlers trace from here on. */
static void begin(uint32_t thread)
{
	first_id = 0;
	memset(sequence, 0, sizeof sequence);
	depth = 0;
	checked_hook(DEPTHS * (1 + thread), 0, 0);
	sequence[0] = 1;
	first_id = DEPTHS * (1 + thread);
}

static void end(void)
{
	first_id = 0;
	for (uint32_t i = 0; i < DEPTHS; i++)
		add(&all->attempts, sequence[i]);
}

/* ------------------------------------------------------------------- timers */

struct kind {
	const char *name;
	uint32_t mode, ring_kib, section_kib;
};

/* On a loaded machine few signals come, and fewer amid a sequence. */
static bool timers_have_hit(void)
{
	return all->signals > 100 / SLOW_MACHINE && all->nested > 0 && (guest || all->aborts > 0);
}

static void *interrupted(void *arg)
{
	const int signals[] = {SIGRTMIN, SIGRTMIN + 1, SIGRTMIN + 2};
	timer_t timer[3];
	uint64_t until, last;
	sigset_t some;

	begin((uint32_t)(uintptr_t)arg);
	until = storm_milliseconds() + 300;
	last = until + 30000;
	for (int i = 0; i < 3; i++)
		timer[i] = storm_timer(signals[i], INTERVAL_NS + i * 1301);
	while (sequence[0] % 256 || storm_milliseconds() < until ||
		(!timers_have_hit() && storm_milliseconds() < last))
		one_hook(0);
	sigfillset(&some);
	pthread_sigmask(SIG_BLOCK, &some, NULL);
	for (int i = 0; i < 3; i++)
		timer_delete(timer[i]);
	end();
	return NULL;
}

static void timers_process(uint32_t number)
{
	pthread_t thread[THREADS];

	handle(SIGRTMIN, SA_RESTART, on_signal);
	handle(SIGRTMIN + 1, SA_RESTART, on_signal);
	handle(SIGRTMIN + 2, SA_RESTART | SA_NODEFER, on_signal);
	for (uint32_t i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, interrupted,
			    (void *)(uintptr_t)(number * THREADS + i)))
			die("no thread");
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

/* Runs the body in several processes; then checks that everything is accounted for. */
static void in_processes(
	const char *name, const struct kind *k, uint32_t processes, void (*body)(uint32_t))
{
	struct session s;
	struct account a;
	struct follow f;
	int bad = 0;

	memset(all, 0, sizeof *all);
	box_open(&s, k->mode, (uint64_t)k->ring_kib << 10, k->section_kib << 10);
	follow_open(&f, s.geometry.cpus + s.geometry.guests);
	for (uint32_t i = 0; i < processes; i++) {
		if (fork() == 0)
			body(i);
	}
	for (int status; wait(&status) > 0;)
		bad += status != 0;
	box_account(&s, &a, storm_follow, &f);
	count_result(bad == 0, name, "%d processes failed", bad);
	storm_ledger(name, &a, &f, all->attempts);
	follow_close(&f);
	session_remove(&s);
	session_close(&s);
}

static void timers(const void *arg)
{
	const struct kind *k = arg;

	in_processes(k->name, k, SEES_ONE_PROCESS ? 1 : PROCESSES, timers_process);
	count_result(timers_have_hit(), k->name,
		"%llu signals, %llu of them aborted a sequence, %llu hooks of handlers that interrupted handlers, %llu too deep",
		(unsigned long long)all->signals, (unsigned long long)all->aborts,
		(unsigned long long)all->nested, (unsigned long long)all->too_deep);
}

/* ------------------------------------------------------------------- points */

static enum { POINTS_QUIET, POINTS_SIGNAL, POINTS_STEP } points;
static uint32_t steps_left, chance, wanted;

static bool on_path(uint32_t point)
{
	if (point >= POINT_GUEST_LOCKED && point <= POINT_GUEST_BEFORE_UNLOCK)
		return guest;
	return point != POINT_BEFORE_SWITCH || !guest;
}

/* Not every time: a handler that traces before each entry would starve the interrupted hook. */
static void signal_at(uint32_t here, enum ring_point point)
{
	chance = chance * 1103515245 + 12345;
	if (here > 1 || (chance >> 16 & 1))
		return;
	add(&all->point[here][point], 1);
	/* Alternate between the other signal and the same one. */
	raise(here == 0 || sequence[0] % 2 ? SIGUSR1 : SIGUSR2);
}

/* Cycles through the points. */
static void step_from(uint32_t here, enum ring_point point)
{
	while (!on_path(wanted % RING_POINTS))
		wanted++;
	if (here != 0 || steps_left != 0 || point != wanted % RING_POINTS)
		return;
	wanted++;
	add(&all->point[0][point], 1);
	steps_left = 300;
	storm_steps_begin();
}

/* The ring, built for this test, calls this at its points. */
void ring_point(enum ring_point point)
{
	if (points == POINTS_SIGNAL)
		signal_at(depth, point);
	else if (points == POINTS_STEP)
		step_from(depth, point);
}

static const char *const point_name[RING_POINTS] = {"before reserve", "before switch", "before pad",
	"after pad", "before look", "before enter", "entered", "before skip", "before count",
	"guest locked", "guest before head", "guest before unlock", "reserved", "filled",
	"committed"};

static uint32_t points_missed(uint32_t depths, const char *say)
{
	uint32_t missed = 0;

	for (uint32_t i = 0; i < depths * RING_POINTS; i++) {
		uint32_t d = i / RING_POINTS, p = i % RING_POINTS;

		if (!on_path(p) || __atomic_load_n(&all->point[d][p], __ATOMIC_RELAXED))
			continue;
		missed++;
		if (say)
			printf("%s: never %s, depth %u\n", say, point_name[p], d);
	}
	return missed;
}

/* Holds one section throughout, so that writers skip it. */
static struct hook_writer held;

static void hold_record(void)
{
	/* If all guest rings are locked the hook is lost, and counted. */
	while (add(&all->attempts, 1),
		hook_begin(&held, HELD_MAJOR, rec_size(0, 0), 1) != HOOK_RESERVED)
		;
}

static void let_go(void)
{
	hook_record(&held, HELD_MAJOR, 0, 0, 0, 0);
	hook_commit(&held);
}

static void points_process(uint32_t number)
{
	handle(SIGUSR1, SA_NODEFER, on_signal);
	handle(SIGUSR2, 0, on_signal);
	begin(number);
	hold_record();
	points = POINTS_SIGNAL;
	for (uint32_t i = 0; i < 3000 || (i < 100000 && points_missed(2, NULL)); i++)
		one_hook(0);
	points = POINTS_QUIET;
	end();
	let_go();
	_exit(0);
}

static void steps_process(uint32_t number);

static void at_points(const void *arg)
{
	static const struct kind small = {NULL, SHM_MODE_WRAP, 32, 4};
	bool step = strcmp(arg, "a step from each point") == 0;
	uint32_t missed;

	in_processes(arg, &small, 3, step ? steps_process : points_process);
	missed = points_missed(step ? 1 : 2, arg);
	count_result(missed == 0, arg, "%u points missed; %llu signals, %llu steps, %llu aborts",
		missed, (unsigned long long)all->signals, (unsigned long long)all->steps,
		(unsigned long long)all->aborts);
}

/* -------------------------------------------------------------------- steps */

/* After each stepped instruction: writes a hook, and continues stepping. */
static void on_step(int number, siginfo_t *info, void *context)
{
	bool aborted = storm_aborted(context);

	on_signal(number, info, context);
	add(&all->steps, 1);
	if (points != POINTS_STEP || depth != 0)
		return;
	/* A stepped sequence never finishes: let it restart without stepping. */
	if (aborted || steps_left <= 1) {
		steps_left = 0;
		storm_steps_end_after(context);
	} else {
		steps_left--;
	}
}

static void steps_process(uint32_t number)
{
	handle(SIGTRAP, 0, on_step);
	begin(number);
	hold_record();
	points = POINTS_STEP;
	for (uint32_t i = 0; i < 100000 && wanted < STEP_ROUNDS * RING_POINTS; i++)
		one_hook(0);
	storm_steps_end();
	points = POINTS_QUIET;
	end();
	let_go();
	_exit(0);
}

/* Steps complete hooks, from call to return: on CPU rings every attempt is aborted, except the
 * last, which goes to a guest ring. */
static void whole_process(uint32_t number)
{
	handle(SIGTRAP, 0, on_step);
	begin(number);
	for (uint32_t i = 0; i < (SANITIZED ? 8 : 20); i++) {
		storm_steps_begin();
		one_hook(0);
		storm_steps_end();
	}
	end();
	_exit(0);
}

static void whole_hooks(const void *arg)
{
	static const struct kind small = {NULL, SHM_MODE_WRAP, 32, 4};

	in_processes(arg, &small, 2, whole_process);
	count_result(all->steps > 10000 && (guest || all->aborts > 1000), arg,
		"%llu steps with a hook after each, %llu of them aborted a sequence",
		(unsigned long long)all->steps, (unsigned long long)all->aborts);
}

/* ---------------------------------------------------------------------- main */

static int sandboxed_main(int argc, char **argv)
{
	static const struct kind kinds[] = {
		{"timers, normal mode", SHM_MODE_NORMAL, 4 << 10, 64},
		{"timers, wrap mode", SHM_MODE_WRAP, 64, 4},
		{"timers, 2 sections", SHM_MODE_WRAP, 8, 4},
	};

	guest = box_guest_or_told(argc, argv);
	if (SEES_ONE_PROCESS) {
		count_skipped("signals", "the sanitizer defers them");
		return results();
	}
	all = box_shared(sizeof *all);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		scenario(timers, &kinds[i]);
	scenario(at_points, "a signal at each point");
	if (storm_no_steps()) {
		count_skipped("single steps", storm_no_steps());
		return results();
	}
	scenario(at_points, "a step from each point");
	scenario(whole_hooks, "each instruction of complete hooks");
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 100);
}
