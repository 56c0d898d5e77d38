/*
 * The storm: random events of every kind at once, for any time.
 *
 *	storm_hour [SECONDS] [--seed S] [--episode N]
 *
 * SECONDS: default 10. --seed: of the run, printed with each failure; default 1. --episode: only
 * this one, with the same actions as in the run. See storm_hour.h.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#include "../../../libtrace/dump/drain/drain.h"
#include "../../../formats/base/time_ns.h"
#include "storm_hour.h"

enum { DEFAULT_SECONDS = 10, EPISODE_SECONDS = 30 * SLOW_MACHINE };

struct hour_shared *hour;
static uint64_t run_seed = 1;
static struct session box;
static struct drain_config drain_to;
static char spawned[] = "--spawned", self[] = "/proc/self/exe";
extern char **environ;

void hour_failed(const struct hour_plan *p, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	count_result(false, "storm",
		"%s (mode %u, events %#x: storm_hour --seed %llu --episode %u)", text, p->mode,
		p->events, (unsigned long long)run_seed, p->number);
}

static void pause_us(uint32_t us)
{
	const struct timespec t = {.tv_nsec = us * 1000l};

	nanosleep(&t, NULL);
}

/* ----------------------------------------------------------------------- a plan */

static struct hour_plan draw_plan(uint32_t number)
{
	static const uint32_t sections[] = {4096, 4096, 16384, 65536};
	struct hour_plan p = {.number = number, .seed = run_seed * 1000003 + number};

	p.mode = hour_random(&p.seed) % 3;
	p.section = sections[hour_random(&p.seed) % 4];
	p.ring_bytes = (uint64_t)p.section << (1 + hour_random(&p.seed) % 6);
	p.events = hour_random(&p.seed) & (2 * HOUR_RAW_CLOCK - 1);
	/* Without events that kill writers or change the rings, the account is exact. */
	if (hour_random(&p.seed) % 3 == 0)
		p.events &= ~(uint32_t)(HOUR_KILLS | HOUR_EXITS | HOUR_DISCARDS | HOUR_INITS);
	if (hour_random(&p.seed) % 4)
		p.events &= ~(uint32_t)HOUR_RAW_CLOCK;
	if (p.mode == SHM_MODE_CONTINUOUS)
		p.events &= ~(uint32_t)(HOUR_DISCARDS | HOUR_INITS | HOUR_DUMPS);
	p.actions = 100 + hour_random(&p.seed) % 300;
	return p;
}

/* ------------------------------------------------------------------ the session */

static void init(const struct hour_plan *p)
{
	struct session_config config = {.ring_bytes = p->ring_bytes,
		.section_bytes = p->section,
		.mode = p->mode,
		.group = (gid_t)-1};
	struct session_error e = {""};

	if (session_init(&box, &config, &e) != 0 || session_on(&box, &e) != 0)
		die("session: %s", e.text);
}

/* Bounds of the ledger's present content. */
static void note_change(const struct hour_plan *p, bool discard)
{
	uint32_t g = box.generation % HOUR_GENERATIONS;

	__atomic_fetch_add(&hour->changes, 1, __ATOMIC_SEQ_CST);
	if (discard) {
		hour->discarded_least = __atomic_load_n(&hour->done[g], __ATOMIC_SEQ_CST);
		session_discard(&box, NULL);
		hour->discarded_most = __atomic_load_n(&hour->maybe[g], __ATOMIC_SEQ_CST) +
				       __atomic_load_n(&hour->unattached, __ATOMIC_SEQ_CST);
	} else if (box.generation % HOUR_GENERATIONS < HOUR_GENERATIONS - 1) {
		session_off(&box, NULL);
		hour->discarded_least = hour->discarded_most = 0;
		init(p);
	}
	__atomic_fetch_add(&hour->changes, 1, __ATOMIC_SEQ_CST);
}

static void toggle(uint32_t how)
{
	uint32_t state = box.control->state;

	if (how % 4 == 0) {
		session_enable(&box, CHECKED_MAJOR, box.control->majors[CHECKED_MAJOR] == 0, NULL);
	} else if (how % 4 == 1) {
		session_enable(&box, (int)(how >> 8 & 0xff) - 1, true, NULL);
	} else if (state == SHM_ON) {
		if (how % 4 == 2)
			session_off(&box, NULL);
		else
			session_suspend(&box, true, NULL);
	} else if (state == SHM_SUSPENDED) {
		session_suspend(&box, false, NULL);
	} else {
		session_on(&box, NULL);
	}
}

/* ------------------------------------------------------------------- the drain */

/* Opens the session itself: an inherited lock of the parent's would survive the drain. */
static pid_t start_drain(const struct hour_plan *p)
{
	struct session_error e = {""};
	struct session own;
	struct drain *d;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (session_open(&own, &box.location, SESSION_CONTROL, &e) != 0) {
		hour_failed(p, "a drain: %s", e.text);
		_exit(1);
	}
	session_unlock(&own);
	int rc = drain_open(&d, &own, &drain_to, &e);
	while (rc >= 0) {
		rc = drain_round(d, &e);
		if (rc == 0)
			pause_us(500);
	}
	hour_failed(p, "a drain: %s", e.text);
	_exit(1);
}

static void finish_drain(const struct hour_plan *p)
{
	struct session_error e = {""};
	struct drain *d;

	if (drain_open(&d, &box, &drain_to, &e) != 0 || drain_finish(d, &e) != 0)
		hour_failed(p, "the drain's end: %s", e.text);
	else
		drain_close(d);
}

/* --------------------------------------------------------------------- actions */

struct world {
	const struct hour_plan *plan;
	pid_t writer[HOUR_WRITERS], drain;
	bool stopped[HOUR_WRITERS];
	uint64_t seed;
};

static pid_t start(uint64_t seed, void (*body)(uint64_t seed))
{
	pid_t pid = fork();

	if (pid == 0)
		body(seed);
	return pid;
}

static void start_program(bool without_rseq, uint32_t seed)
{
	char number[16];
	char *argv[] = {self, spawned, number, NULL};
	pid_t pid;

	snprintf(number, sizeof number, "%u", seed);
	if (without_rseq)
		setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	if (posix_spawn(&pid, self, NULL, NULL, argv, environ) != 0)
		die("posix_spawn");
	unsetenv("GLIBC_TUNABLES");
}

/* Reaps all ended children. */
static void reap_children(struct world *w)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		for (int i = 0; i < HOUR_WRITERS; i++) {
			if (w->writer[i] == pid) {
				w->writer[i] = 0;
				w->stopped[i] = false;
			}
		}
	}
}

static void signal_writer(struct world *w, uint32_t i, int number)
{
	if (!w->writer[i])
		return;
	kill(w->writer[i], number);
	w->stopped[i] = number == SIGSTOP;
	hour->kills += number == SIGKILL;
}

static void dumps(const struct world *w, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (fork() == 0) {
			hour_check_live_dump(w->plan, &box.location, (int)i);
			_exit(0);
		}
	}
}

static void kill_drain(struct world *w)
{
	if (!w->drain)
		return;
	kill(w->drain, SIGKILL);
	waitpid(w->drain, NULL, 0);
	w->drain = start_drain(w->plan);
}

/* Draws all random numbers first, so that the sequence of actions depends on the seed alone. */
static void play_action(struct world *w)
{
	uint32_t what = hour_random(&w->seed) % 20, which = hour_random(&w->seed) % HOUR_WRITERS;
	uint32_t how = hour_random(&w->seed), pause = 100 + hour_random(&w->seed) % 4000;
	uint32_t events = w->plan->events;

	reap_children(w);
	if (!w->writer[which])
		w->writer[which] = start(how, hour_writer);
	session_lock(&box, true, NULL);
	if (what < 2 && (events & HOUR_KILLS))
		signal_writer(w, which, SIGKILL);
	else if (what < 5 && (events & HOUR_STOPS))
		signal_writer(w, which, w->stopped[which] ? SIGCONT : SIGSTOP);
	else if (what < 8 && (events & HOUR_TOGGLES))
		toggle(how);
	else if (what == 8 && (events & HOUR_DISCARDS))
		note_change(w->plan, true);
	else if (what == 9 && (events & HOUR_INITS))
		note_change(w->plan, false);
	else if (what == 10)
		session_reclaim(&box);
	session_unlock(&box);
	if (what < 15 && what > 10)
		start(how, hour_short_writer);
	else if (what == 15 && (events & HOUR_SPAWNS))
		start_program(how % 2, how);
	else if (what == 16 && (events & HOUR_DUMPS))
		dumps(w, 1 + how % 2);
	else if (what == 17)
		kill_drain(w);
	pause_us(pause);
}

/* Waits for all writers to end, and names those that do not. */
static void calm_down(struct world *w)
{
	uint64_t until = time_ns_monotonic() / TIME_SECOND_NS + EPISODE_SECONDS;

	__atomic_store_n(&hour->running, 0, __ATOMIC_SEQ_CST);
	for (int i = 0; i < HOUR_WRITERS; i++) {
		if (w->stopped[i])
			kill(w->writer[i], SIGCONT);
	}
	if (w->drain) {
		kill(w->drain, SIGKILL);
		waitpid(w->drain, NULL, 0);
	}
	while (waitpid(-1, NULL, WNOHANG) >= 0) {
		if (time_ns_monotonic() / TIME_SECOND_NS > until) {
			hour_failed(w->plan, "a process does not end");
			kill(0, SIGKILL); /* the sandbox removes the rest */
		}
		pause_us(1000);
	}
}

/* --------------------------------------------------------------------- episodes */

static void episode(const void *arg)
{
	const struct hour_plan *p = arg;
	struct world w = {.plan = p, .seed = p->seed};
	bool continuous = p->mode == SHM_MODE_CONTINUOUS;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (p->events & HOUR_RAW_CLOCK)
		setenv("SWTRACE_CLOCK", "raw", 1);
	else
		unsetenv("SWTRACE_CLOCK");
	memset(hour, 0, sizeof *hour);
	hour->running = 1;
	hour->events = p->events;
	box_open_bare(&box);
	init(p);
	session_unlock(&box);
	drain_to = (struct drain_config){
		.codec = p->number % 3, .rotate = p->number % 2 ? 256 << 10 : 0};
	/* Not the process id, which recurs within an hour while earlier files remain. */
	snprintf(drain_to.path, sizeof drain_to.path, "%s/hour-%u.bin", sandbox_dir(), p->number);
	if (continuous)
		w.drain = start_drain(p);
	for (uint32_t i = 0; i < p->actions; i++)
		play_action(&w);
	calm_down(&w);
	if (continuous) {
		session_lock(&box, true, NULL);
		session_off(&box, NULL);
		session_reclaim(&box);
		session_unlock(&box);
		finish_drain(p);
		hour_check_files(p, &box, drain_to.path);
	} else {
		hour_check_end(p, &box);
	}
	for (uint32_t g = 0; g < HOUR_GENERATIONS; g++)
		hour->hooks += hour->done[g];
	session_remove(&box);
	session_close(&box);
}

static void *map_shared(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof *hour) != 0)
		die("%s: %s", path, strerror(errno));
	void *p = mmap(NULL, sizeof *hour, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		die("%s: %s", path, strerror(errno));
	close(fd);
	return p;
}

static uint64_t run_seconds = DEFAULT_SECONDS;
static int64_t only = -1;

static int sandboxed_main(int argc, char **argv)
{
	uint64_t until = time_ns_monotonic() / TIME_SECOND_NS + run_seconds, hooks = 0, kills = 0,
		 dumps_made = 0;
	uint32_t number = only >= 0 ? (uint32_t)only : 0, first = number;
	char path[128];

	(void)argc;
	(void)argv;
	if (SEES_ONE_PROCESS) {
		count_skipped("the storm", "the sanitizer sees one process");
		return results();
	}
	snprintf(path, sizeof path, "%s/storm", sandbox_dir());
	setenv("SWTRACE_TEST_STORM", path, 1);
	hour = map_shared(path);
	do {
		struct hour_plan p = draw_plan(number++);

		scenario(episode, &p);
		hooks += hour->hooks;
		kills += hour->kills;
		dumps_made += hour->dumps;
	} while (only < 0 && time_ns_monotonic() / TIME_SECOND_NS < until);
	count_result(hooks > 0, "storm",
		"seed %llu, episodes %u to %u: %llu hooks, %llu writers killed, %llu dumps while they wrote",
		(unsigned long long)run_seed, first, number - 1, (unsigned long long)hooks,
		(unsigned long long)kills, (unsigned long long)dumps_made);
	return results();
}

int main(int argc, char **argv)
{
	const char *path = getenv("SWTRACE_TEST_STORM");

	if (argc == 3 && strcmp(argv[1], spawned) == 0 && path) {
		hour = map_shared(path);
		hour_short_writer(strtoull(argv[2], NULL, 10));
	}
	for (int i = 1; i < argc; i++) {
		if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
			run_seed = strtoull(argv[++i], NULL, 0);
		else if (i + 1 < argc && strcmp(argv[i], "--episode") == 0)
			only = strtoll(argv[++i], NULL, 0);
		else if (atoi(argv[i]) > 0)
			run_seconds = strtoull(argv[i], NULL, 0);
		else
			die("storm_hour [SECONDS] [--seed S] [--episode N]");
	}
	return sandbox_run(sandboxed_main, argc, argv, (unsigned)run_seconds + 3 * EPISODE_SECONDS);
}
