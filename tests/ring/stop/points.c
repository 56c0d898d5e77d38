/*
 * Stops writers (SIGSTOP) at each named point of the write path while the others write three laps,
 * or as much as the mode allows; then lets them continue. No torn hook is ever read as finished, no
 * writer stores into another's record, and the ledger is exact. In every mode, on CPU rings and
 * guest rings; in wrap mode also with two stopped at a time, at every pair of points.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../libtrace/ring/points.h"
#include "rings.h"

enum { LAPS = 3 };

static const struct {
	const char *name;
	bool cpu, guest; /* the kinds of rings on which a writer reaches the point */
	bool reserved;	 /* a reservation is held there: torn until the writer continues */
} points[] = {
	[POINT_BEFORE_RESERVE] = {"before reserve", true, true, false},
	[POINT_BEFORE_SWITCH] = {"before switch", true, false, false},
	[POINT_BEFORE_PAD] = {"before pad", true, true, false},
	[POINT_AFTER_PAD] = {"after pad", true, true, false},
	[POINT_BEFORE_LOOK] = {"before look", true, true, false},
	[POINT_BEFORE_ENTER] = {"before enter", true, true, false},
	[POINT_ENTERED] = {"entered", true, true, true},
	[POINT_BEFORE_SKIP] = {"before skip", true, true, false},
	[POINT_BEFORE_COUNT] = {"before count", true, true, false},
	[POINT_GUEST_LOCKED] = {"guest, locked", false, true, false},
	[POINT_GUEST_BEFORE_HEAD] = {"guest, before head", false, true, false},
	[POINT_GUEST_BEFORE_UNLOCK] = {"guest, before unlock", false, true, true},
	[POINT_RESERVED] = {"reserved", true, true, true},
	[POINT_FILLED] = {"filled", true, true, true},
	[POINT_COMMITTED] = {"committed", true, true, false},
};
_Static_assert(sizeof points / sizeof *points == RING_POINTS, "every point");

static const struct kind kinds[] = {
	{"wrap", SHM_MODE_WRAP, false},
	{"normal", SHM_MODE_NORMAL, false},
	{"continuous", SHM_MODE_CONTINUOUS, false},
	{"wrap, guest", SHM_MODE_WRAP, true},
	{"normal, guest", SHM_MODE_NORMAL, true},
	{"continuous, guest", SHM_MODE_CONTINUOUS, true},
};

/* A stopped writer, shared with the parent. */
struct victim {
	pid_t pid;
	enum ring_point point;
	uint32_t attempted; /* hooks, including the one it is stopped in */
	uint32_t stops;
};

static struct victim *victims; /* shared */
/* ------------------------------------------------------------------- writers */

static struct victim *self;
static int stop_at = -1;
static uint32_t visits_left;

void ring_point(enum ring_point point)
{
	if ((int)point != stop_at || visits_left-- != 0)
		return;
	stop_at = -1;
	self->stops++;
	raise(SIGSTOP);
}

/* Writes until it stops at its point, then a few more hooks. */
static void write_to_point(uint32_t id, uint32_t visits)
{
	attach_writer();
	stop_at = (int)self->point;
	visits_left = visits;
	for (uint32_t i = 0; i < MOST_HOOKS && self->stops == 0; i++) {
		self->attempted = i + 1;
		hook_of(id, i);
	}
	raise(SIGSTOP); /* stop before it overwrites its own hooks */
	for (uint32_t i = 0; i < 5; i++, self->attempted++)
		hook_of(id, MOST_HOOKS + i);
	_exit(0);
}

static bool stop(uint32_t id, enum ring_point point, uint32_t visits)
{
	struct victim *v = &victims[id];
	pid_t pid;
	int status;

	*v = (struct victim){.point = point};
	pid = fork();
	if (pid == 0) {
		self = v;
		write_to_point(id, visits);
	}
	v->pid = pid;
	while (waitpid(v->pid, &status, WUNTRACED) < 0 && errno == EINTR)
		;
	return WIFSTOPPED(status) && v->stops == 1;
}

/* Lets the writer finish its current hook; with to_the_end, lets it exit too. */
static bool go_on(uint32_t id, bool to_the_end)
{
	int status;

	kill(victims[id].pid, SIGCONT);
	return waitpid(victims[id].pid, &status, WUNTRACED) == victims[id].pid &&
	       (to_the_end ? status == 0 : WIFSTOPPED(status));
}

struct seen {
	struct follow follow;
	uint32_t stopped_ones[VICTIMS]; /* finished hooks of those they were stopped in */
};
static struct seen seen;

static void collect_record(void *arg, uint32_t in, uint64_t position, const uint8_t *record)
{
	struct seen *s = arg;
	uint32_t id = checked_id(record);

	follow_record(&s->follow, in, position, record);
	if (id < VICTIMS && checked_sequence(record) + 1 == victims[id].attempted)
		s->stopped_ones[id]++;
}

static bool read_account(struct account *a)
{
	follow_reset(&seen.follow, box.geometry.cpus + box.geometry.guests);
	memset(seen.stopped_ones, 0, sizeof seen.stopped_ones);
	box_account(&box, a, collect_record, &seen);
	return !a->damaged && !a->backwards && !seen.follow.not_whole &&
	       !seen.follow.out_of_order && !seen.follow.foreign;
}

/* -------------------------------------------------------------------- trials */

struct trials {
	uint32_t count, wrong;
	const char *what; /* description of the first failure */
	enum ring_point at[VICTIMS];
	uint32_t reached[RING_POINTS];
};

static void check(struct trials *t, bool ok, const char *what)
{
	if (ok || t->wrong++)
		return;
	t->what = what;
	for (uint32_t i = 0; i < VICTIMS; i++)
		t->at[i] = victims[i].point;
}

/*
 * While they are stopped, exactly their reservations are torn. The sum may lack the one hook that
 * each is in.
 */
static void while_stopped(struct trials *t, uint32_t n, uint64_t base_torn)
{
	struct account a;
	uint64_t attempted = own, torn = base_torn;

	for (uint32_t i = 0; i < n; i++) {
		attempted += victims[i].attempted;
		torn += points[victims[i].point].reserved;
	}
	check(t, read_account(&a), "the rings are damaged while they are stopped");
	check(t, account_sum(&a) <= attempted && account_sum(&a) + n >= attempted,
		"the sum is not exact while they are stopped");
	check(t, a.torn == torn && a.gone_torn == 0, "a writer overwrote a held section");
}

static void in_the_end(struct trials *t, uint32_t n, uint64_t base_torn)
{
	struct account a;
	uint64_t attempted = own;

	for (uint32_t i = 0; i < n; i++)
		attempted += victims[i].attempted;
	check(t, read_account(&a), "the rings are damaged after they continued");
	check(t, account_sum(&a) == attempted, "the sum is not exact after they continued");
	check(t, a.torn == base_torn && a.gone_torn == 0, "a record is torn after they continued");
}

/* A stopped writer's hook is complete as soon as the writer continues. */
static void resume(struct trials *t, uint32_t id)
{
	struct account a;

	check(t, go_on(id, false), "a writer does not continue");
	check(t, read_account(&a), "the rings are damaged after it");
	if (points[victims[id].point].reserved)
		check(t, seen.stopped_ones[id] == 1, "the hook it was stopped in is missing");
	check(t, go_on(id, true), "a writer does not end");
}

static void trial(
	struct trials *t, uint32_t n, const enum ring_point *at, uint32_t visits, bool backwards)
{
	uint64_t base_torn = kind->mode == SHM_MODE_NORMAL ? 0 : rings_used();

	prepare_rings();
	t->count++;
	for (uint32_t i = 0; i < n; i++) {
		if (!stop(i, at[i], visits)) {
			check(t, false, "never reached its point");
			kill(victims[i].pid, SIGKILL);
			waitpid(victims[i].pid, NULL, 0);
			own += victims[i].attempted;
			n = i;
			break;
		}
		t->reached[at[i]]++;
	}
	drain();
	check(t, others(LAPS), "the others did not wrap around");
	while_stopped(t, n, base_torn);
	for (uint32_t i = 0; i < n; i++) {
		resume(t, backwards ? n - 1 - i : i);
		check(t, others(1) || i + 1 < n, "the others did not wrap around in the end");
	}
	in_the_end(t, n, base_torn);
	check(t, holder_is_fine(), "a writer changed a held section");
}

static bool comes_there(uint32_t p)
{
	return kind->guest ? points[p].guest : points[p].cpu;
}

static void report(const struct trials *t, const char *what)
{
	char name[64], missed[256] = "";

	snprintf(name, sizeof name, "%s: %s", kind->name, what);
	for (uint32_t p = 0; p < RING_POINTS; p++) {
		if (comes_there(p) && t->reached[p] == 0)
			snprintf(missed + strlen(missed), sizeof missed - strlen(missed),
				"; missed: %s", points[p].name);
	}
	count_result(t->wrong == 0 && !*missed, name, "%u trials, %u wrong%s", t->count, t->wrong,
		missed);
	if (t->wrong)
		printf("%s: first at %s, %s: %s\n", name, points[t->at[0]].name,
			points[t->at[1]].name, t->what);
}

static void play_points(const void *arg)
{
	struct trials one = {.count = 0}, two = {.count = 0};

	open_rings(arg);
	follow_open(&seen.follow, box.geometry.cpus + box.geometry.guests);
	memset(victims, 0, VICTIMS * sizeof *victims);
	for (enum ring_point p = 0; p < RING_POINTS; p++) {
		/* In the other modes the ring fills before a writer reaches the point again. */
		uint32_t most = kind->mode == SHM_MODE_WRAP ? 3 : 1;

		for (uint32_t visits = 0; comes_there(p) && visits < most; visits++)
			trial(&one, 1, &p, visits, false);
	}
	report(&one, "one stopped");
	/* Guest rings are the same C code everywhere: a slow machine stops one writer there. */
	bool pairs = kind->mode == SHM_MODE_WRAP && !(kind->guest && SLOW_MACHINE > 1);

	for (uint32_t i = 0; pairs && i < RING_POINTS * RING_POINTS; i++) {
		enum ring_point at[VICTIMS] = {i / RING_POINTS, i % RING_POINTS};

		if (comes_there(at[0]) && comes_there(at[1]))
			trial(&two, 2, at, 0, i % 2);
	}
	if (two.count)
		report(&two, "two stopped");
	follow_close(&seen.follow);
	session_remove(&box);
	session_close(&box);
}

static int sandboxed_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	victims = box_shared(VICTIMS * sizeof *victims);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!kinds[i].guest && !box_has_rseq())
			count_skipped(kinds[i].name, "no restartable sequences here");
		else
			scenario(play_points, &kinds[i]);
	}
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 110 * SLOW_MACHINE);
}
