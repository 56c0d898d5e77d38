/*
 * The drain of continuous mode, with small rings: writers on all CPUs and guest rings, some killed,
 * some stopped inside a hook; tracing turned off and on; the drain itself killed repeatedly and
 * restarted. In the end each hook is in the files once, or counted as torn or as lost by cause. At
 * any moment the file is valid up to its last complete section.
 *
 *	stress_drain [guest] [TIMES]
 *
 * TIMES: multiplies the duration.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../libtrace/dump/drain/drain.h"
#include "../../lib/random.h"
#include "drained.h"

enum {
	WRITERS = 4,
	HOLDERS = 2,
	STEPS_MS = SANITIZED ? 1000 : 2000, /* on a busy machine */
};

struct kind {
	const char *name;
	uint32_t steps; /* of 1 to 5 ms, at most STEPS_MS in total; each with one of: */
	bool kill_drain, kill_writers, stop_writers, hold, off;
	uint64_t rotate;
	enum tf_codec codec;
	uint32_t burst; /* consecutive hooks of a writer */
};

struct shared {
	uint32_t running;
	uint64_t attempts[DRAINED_IDS]; /* one id per incarnation of a writer */
};

static struct shared *all;
static const struct kind *kind;
static struct session box;
static struct drain_config config;
static uint64_t seed;
static uint32_t next_id, times = 1;

static uint32_t random_below(uint32_t n)
{
	return random31(&seed) % n;
}

static void microseconds(uint32_t n)
{
	const struct timespec pause = {.tv_nsec = n * 1000l};

	nanosleep(&pause, NULL);
}

/* -------------------------------------------------------------------- writers */

static bool running(void)
{
	return __atomic_load_n(&all->running, __ATOMIC_RELAXED);
}

/* Writes one hook; none while tracing is off. If the writer is killed between the hook and the
 * count, the count may lack it. */
static void one_hook(uint32_t id, uint32_t sequence, uint32_t doze)
{
	struct hook_writer w;
	int rc = storm_reserve_counted(&w);

	if (rc == HOOK_RESERVED) {
		if (doze)
			microseconds(doze);
		storm_fill_counted(&w, id, sequence);
	}
	if (rc != PU_SUCCESS)
		__atomic_store_n(&all->attempts[id], all->attempts[id] + 1, __ATOMIC_RELEASE);
}

static pid_t start_writer(bool holder)
{
	uint32_t id = next_id++;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	seed += id;
	for (uint32_t i = 0; running() && i < DRAINED_SEQUENCES; i++) {
		one_hook(id, i, holder ? random_below(40000) : 0);
		if (!holder && i % kind->burst == 0)
			microseconds(500 + random_below(1000));
	}
	_exit(0);
}

/* --------------------------------------------------------------------- looks */

struct looks {
	uint32_t files, bad;
	uint64_t hooks;
};

static void check_copy(struct looks *l)
{
	char copy[PATH_MAX + 16];
	struct drained s;

	/* On a slow machine every drain may have been killed before it created the file. */
	if (l->files == 0 && access(config.path, F_OK) != 0)
		return;
	snprintf(copy, sizeof copy, "%s-copy", config.path);
	drained_open(&s, kind->name, &box.geometry);
	l->files++;
	if (drained_copy(config.path, copy))
		drained_file(&s, copy, false);
	else
		s.bad_files++;
	l->bad += !drained_fine(&s);
	l->hooks += s.hooks;
	drained_close(&s);
}

/* ------------------------------------------------------------------- the drain */

/* Opens the session itself: an inherited lock of the parent's would survive the drain. */
static pid_t start_drain(void)
{
	struct session_error e = {""};
	struct session own;
	struct drain *d;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (session_open(&own, &box.location, SESSION_CONTROL, &e) != 0)
		die("drain: %s", e.text);
	session_unlock(&own);
	if (drain_open(&d, &own, &config, &e) != 0)
		die("drain: %s", e.text);
	for (;;) {
		int rc = drain_round(d, &e);

		if (rc < 0)
			die("drain: %s", e.text);
		if (rc == 0)
			microseconds(drain_pause(d) * 200);
	}
}

/* Waits until the file grows: the time between the data and the drain's statement about it is
 * short. */
static void wait_for_growth(void)
{
	uint64_t until = storm_milliseconds() + 3;
	struct stat before, now;

	if (stat(config.path, &before) != 0)
		return;
	while (stat(config.path, &now) == 0 && now.st_size == before.st_size &&
		storm_milliseconds() < until)
		;
}

/* Waits until the drain runs, then kills it. True if nothing else ended it. */
static bool kill_drain(pid_t pid)
{
	int status;

	if (random_below(2))
		wait_for_growth();
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* Runs the drain to its regular end in this process. */
static void finish_drain(struct drain_status *status)
{
	struct session_error e = {""};
	struct drain *d;

	if (drain_open(&d, &box, &config, &e) != 0 || drain_finish(d, &e) != 0)
		die("%s: %s", kind->name, e.text);
	drain_status(d, status);
	drain_close(d);
}

/* ------------------------------------------------------------------------ run */

struct world {
	pid_t drain, writer[WRITERS + HOLDERS], stopped;
	uint32_t drains_killed, drains_failed, writers_killed, stops, offs;
	struct looks looks;
};

static void one_step(struct world *w)
{
	uint32_t n = random_below(WRITERS);

	microseconds((1000 + random_below(4000)) * SLOW_MACHINE);
	if (w->stopped && random_below(8) == 0) {
		kill(w->stopped, SIGCONT);
		w->stopped = 0;
	} else if (kind->stop_writers && !w->stopped && random_below(4) == 0) {
		w->stopped = w->writer[n];
		kill(w->stopped, SIGSTOP);
		w->stops++;
	}
	if (kind->kill_writers && random_below(8) == 0 && w->writer[n] != w->stopped &&
		next_id < DRAINED_IDS) {
		kill(w->writer[n], SIGKILL);
		waitpid(w->writer[n], NULL, 0);
		w->writer[n] = start_writer(false);
		w->writers_killed++;
	}
	if (kind->off && random_below(16) == 0) {
		session_lock(&box, true, NULL);
		if (session_off(&box, NULL) != 0)
			die("off");
		microseconds(random_below(3000));
		if (session_on(&box, NULL) != 0)
			die("on");
		session_unlock(&box);
		w->offs++;
	}
	if (kind->kill_drain) {
		w->drains_failed += !kill_drain(w->drain);
		w->drains_killed++;
		if (w->drains_killed % 16 == 0)
			check_copy(&w->looks);
		w->drain = start_drain();
	} else if (random_below(16) == 0) {
		check_copy(&w->looks);
	}
}

static void start(struct world *w)
{
	memset(all, 0, sizeof *all);
	all->running = 1;
	next_id = 0;
	seed = 5;
	box_open(&box, SHM_MODE_CONTINUOUS, 64 << 10, 4096);
	session_unlock(&box);
	config = (struct drain_config){.codec = kind->codec, .rotate = kind->rotate};
	snprintf(config.path, sizeof config.path, "%s/cont-%ld.bin", sandbox_dir(), (long)getpid());
	w->drain = start_drain();
	for (int i = 0; i < WRITERS; i++)
		w->writer[i] = start_writer(false);
	for (int i = 0; i < HOLDERS && kind->hold; i++)
		w->writer[WRITERS + i] = start_writer(true);
}

static uint64_t attempts(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < DRAINED_IDS; i++)
		sum += all->attempts[i];
	return sum;
}

static void check(struct world *w, const struct drain_status *status)
{
	uint64_t attempted = attempts(), sum;
	struct drained s;

	drained_open(&s, kind->name, &box.geometry);
	drained_all(&s, config.path);
	sum = s.hooks + s.torn + s.lost;
	count_result(w->drains_failed == 0 && w->looks.bad == 0, kind->name,
		"%u drains killed, %u ended by themselves; %u of %u copies of the file bad, %llu hooks in them",
		w->drains_killed, w->drains_failed, w->looks.bad, w->looks.files,
		(unsigned long long)w->looks.hooks);
	count_result(sum >= attempted && sum <= attempted + w->writers_killed, kind->name,
		"%llu attempted, %u writers killed, %llu accounted (%llu in %u files, %llu torn, %llu lost); %u times stopped, %u times off",
		(unsigned long long)attempted, w->writers_killed, (unsigned long long)sum,
		(unsigned long long)s.hooks, s.files, (unsigned long long)s.torn,
		(unsigned long long)s.lost, w->stops, w->offs);
	count_result(drained_fine(&s), kind->name,
		"%u hooks twice, %u files bad, %u hooks incomplete, %u out of order, %u foreign",
		s.twice, s.bad_files, s.follow.not_whole, s.follow.out_of_order, s.follow.foreign);
	count_result(
		status->hooks == s.hooks && status->torn == s.torn &&
			status->lost_full + status->lost_other + status->lost_unwritten == s.lost &&
			status->waiting == 0 && status->damaged == 0,
		kind->name,
		"the drain says %llu hooks, %llu torn, %llu lost; %llu bytes waiting, %u rings damaged",
		(unsigned long long)status->hooks, (unsigned long long)status->torn,
		(unsigned long long)(status->lost_full + status->lost_other +
				     status->lost_unwritten),
		(unsigned long long)status->waiting, status->damaged);
	drained_close(&s);
}

static void stress_drain(const void *arg)
{
	struct world w = {.drain = 0};
	struct drain_status status;
	uint64_t until;

	kind = arg;
	start(&w);
	until = storm_milliseconds() + (uint64_t)times * STEPS_MS;
	for (uint32_t i = 0; i < times * kind->steps && (i < 20 || storm_milliseconds() < until);
		i++)
		one_step(&w);
	__atomic_store_n(&all->running, 0, __ATOMIC_RELAXED);
	if (w.stopped)
		kill(w.stopped, SIGCONT);
	for (int i = 0; i < WRITERS + HOLDERS; i++) {
		if (w.writer[i])
			waitpid(w.writer[i], NULL, 0);
	}
	w.drains_failed += !kill_drain(w.drain);
	session_lock(&box, true, NULL);
	session_off(&box, NULL);
	session_unlock(&box);
	finish_drain(&status);
	check(&w, &status);
	session_remove(&box);
	session_close(&box);
}

static int sandboxed_main(int argc, char **argv)
{
	static const struct kind kinds[] = {
		{"writing", 100, .burst = 128},
		{"writers killed", 150, .kill_writers = true, .burst = 128, .codec = TF_CODEC_LZ4},
		{"writers stopped", 200, .stop_writers = true, .hold = true, .burst = 128,
			.rotate = 1 << 20},
		{"off and on", 100, .off = true, .hold = true, .burst = 64},
		{"drain killed", SANITIZED ? 100 : 300, .kill_drain = true, .burst = 48},
		{"drain killed, rotating", SANITIZED ? 100 : 300, .kill_drain = true, .burst = 96,
			.rotate = 256 << 10, .codec = TF_CODEC_LZ4},
		{"all at once", SANITIZED ? 150 : 500, true, true, true, true, true, 512 << 10,
			TF_CODEC_LZ4, 64},
	};

	if (argc > 1 && atoi(argv[argc - 1]) > 0)
		times = (uint32_t)atoi(argv[argc - 1]);
	box_guest_or_told(argc, argv);
	if (SEES_ONE_PROCESS) {
		count_skipped("drains", "the sanitizer sees one process");
		return results();
	}
	all = box_shared(sizeof *all);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		scenario(stress_drain, &kinds[i]);
	return results();
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[argc - 1]) : 0;

	return sandbox_run(sandboxed_main, argc, argv, n > 0 ? 100 * (unsigned)n : 100);
}
