/*
 * SWTRACE Rings against sessions whose hooks are known.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libtrace/perflib/sets/rings/rings.h"
#include "../../libtrace/perflib/sets/sets.h"
#include "../ring/sandbox.h"

struct asked {
	void *state;
	struct rows rows;
};

static void ask_open(struct asked *a)
{
	memset(a, 0, sizeof *a);
	if (rings_set.operations->open(&rings_set, &a->state) != ERROR_SUCCESS)
		die("open");
}

static uint32_t collect_rows(struct asked *a)
{
	const uint64_t wanted[COUNTERSET_COUNTERS / 64] = {UINT64_MAX};
	const struct sample_time time = {1, 1, 1};

	rows_begin(&a->rows, RINGS_COLUMNS);
	return rings_set.operations->collect(&rings_set, a->state, wanted, &time, &a->rows);
}

static void ask_close(struct asked *a)
{
	rings_set.operations->close(&rings_set, a->state);
	rows_free(&a->rows);
}

static uint32_t row_of(const struct asked *a, const char *name)
{
	for (uint32_t row = 0; row < a->rows.used; row++)
		if (strcmp(a->rows.names + a->rows.row[row].name, name) == 0)
			return row;
	die("no instance %s", name);
}

static bool is_known(const struct asked *a, const char *name, uint32_t column)
{
	return a->rows.known[(size_t)row_of(a, name) * RINGS_COLUMNS + column];
}

static uint64_t value(const struct asked *a, const char *name, uint32_t column)
{
	if (!is_known(a, name, column))
		die("%s has no %s", name, rings_definition.counter[column].name);
	return a->rows.value[(size_t)row_of(a, name) * RINGS_COLUMNS + column];
}

static void expect(const char *what, uint64_t is, uint64_t should)
{
	count_result(is == should, what, "%llu, expected %llu", (unsigned long long)is,
		(unsigned long long)should);
}

static void no_session(const void *arg)
{
	struct rows rows = {0};
	struct asked a;

	(void)arg;
	ask_open(&a);
	expect("no session: status", collect_rows(&a), ERROR_SUCCESS);
	expect("no session: instances", a.rows.used, 0);
	rows_begin(&rows, RINGS_COLUMNS);
	expect("no session: enumerated", rings_set.operations->instances(&rings_set, &rows),
		ERROR_SUCCESS);
	expect("no session: none enumerated", rows.used, 0);
	/* Asking made none. */
	expect("no session: none is made", access(getenv("SWTRACE_SESSION"), F_OK) != 0, 1);
	rows_free(&rows);
	ask_close(&a);
}

/* Compares the total with the account that the tests of the rings keep. */
static void compare(const struct asked *a, struct session *s, uint64_t written)
{
	struct account account;

	box_account(s, &account, NULL, NULL);
	expect("attempted", value(a, "_Total", RINGS_ATTEMPTED), written);
	expect("attempted, as the account", value(a, "_Total", RINGS_ATTEMPTED),
		account_sum(&account));
	expect("in the buffers", value(a, "_Total", RINGS_HELD), account.hooks);
	expect("bytes", value(a, "_Total", RINGS_BYTES), account.bytes);
	expect("overwritten", value(a, "_Total", RINGS_OVERWRITTEN), account.overwritten);
	expect("torn", value(a, "_Total", RINGS_TORN), account.torn + account.gone_torn);
	expect("full", value(a, "_Total", RINGS_LOST_FULL), account.loss[SHM_LOST_FULL]);
	expect("too big", value(a, "_Total", RINGS_LOST_BIG), account.loss[SHM_LOST_BIG]);
	expect("lost", value(a, "_Total", RINGS_LOST_RATE), account_lost(&account));
	expect("written", value(a, "_Total", RINGS_WRITTEN), written - account_lost(&account));
	expect("state", value(a, "_Total", RINGS_STATE), SHM_ON);
	expect("damaged", value(a, "_Total", RINGS_DAMAGED), 0);
}

/* Some hooks, then so many that the ring comes round or is full, with samples in between. */
static void ledger(const void *arg)
{
	const uint32_t mode = *(const uint32_t *)arg;
	static uint32_t words[40000];
	uint64_t written = 0;
	struct session s;
	struct asked a;
	char name[16];

	box_open(&s, mode, 128 << 10, 16 << 10);
	ask_open(&a);
	snprintf(name, sizeof name, "%u", box_pin(0));
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 10 + round * 1500; i++, written++)
			checked_hook(1, (uint32_t)written, 4);
		expect("status", collect_rows(&a), ERROR_SUCCESS);
		compare(&a, &s, written);
		if (box_has_rseq()) {
			expect("all on this ring", value(&a, name, RINGS_ATTEMPTED), written);
			expect("bytes written", value(&a, name, RINGS_BYTES_RATE),
				box_ring(&s, box_pin(0)).head);
		}
	}
	if (mode == SHM_MODE_WRAP)
		count_result(
			value(&a, "_Total", RINGS_OVERWRITTEN) > 0, "came round", "overwritten");
	else
		count_result(value(&a, "_Total", RINGS_LOST_FULL) > 0, "full", "lost");
	/* One that fits no section. */
	checked_hook(1, (uint32_t)written++, sizeof words / sizeof *words);
	collect_rows(&a);
	compare(&a, &s, written);
	expect("guest ring's size", value(&a, "guest 0", RINGS_SIZE), s.geometry.ring_size);
	count_result(!is_known(&a, "_Total", RINGS_DRAINED), "drained", "only in continuous mode");
	count_result(!is_known(&a, "_Total", RINGS_POSITION), "position", "a total has none");
	expect("instances", a.rows.used, 1 + s.geometry.cpus + s.geometry.guests);
	ask_close(&a);
	session_close(&s);
}

/* Rings discarded, recreated and freed: a sample shows the current state. */
static void changes(const void *arg)
{
	struct asked a;
	struct session s;

	(void)arg;
	box_open(&s, SHM_MODE_NORMAL, 128 << 10, 16 << 10);
	ask_open(&a);
	for (uint32_t i = 0; i < 3000; i++)
		checked_hook(1, i, 4);
	collect_rows(&a);
	count_result(value(&a, "_Total", RINGS_ATTEMPTED) == 3000, "before", "3000 hooks");
	session_off(&s, NULL);
	session_discard(&s, NULL);
	collect_rows(&a);
	expect("discarded", value(&a, "_Total", RINGS_ATTEMPTED), 0);
	expect("off", value(&a, "_Total", RINGS_STATE), SHM_OFF);
	session_on(&s, NULL);
	for (uint32_t i = 0; i < 5; i++)
		checked_hook(1, i, 4);
	collect_rows(&a);
	expect("after the discard", value(&a, "_Total", RINGS_ATTEMPTED), 5);
	session_off(&s, NULL);
	session_free(&s, NULL);
	expect("freed", collect_rows(&a), ERROR_SUCCESS);
	expect("freed: no rings", a.rows.used, 0);
	session_close(&s);
	box_open(&s, SHM_MODE_NORMAL, 256 << 10, 16 << 10);
	collect_rows(&a);
	expect("new rings", value(&a, "0", RINGS_SIZE), s.geometry.ring_size);
	session_remove(&s);
	session_close(&s);
	expect("removed", collect_rows(&a), ERROR_SUCCESS);
	expect("removed: no rings", a.rows.used, 0);
	ask_close(&a);
}

enum { WRITERS = 3 };

/* As fast as they can, in rings that they come round in all the time. */
static void write_on(uint32_t id, const uint32_t *stop, uint32_t *begun, uint64_t *written)
{
	uint32_t n = 0;

	for (; !__atomic_load_n(stop, __ATOMIC_RELAXED); n++) {
		checked_hook(id, n, 4 + n % 50);
		if (n == 0)
			__atomic_fetch_add(begun, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(written, n, __ATOMIC_RELEASE);
}

/* Values read while others write never decrease, and end as the amounts written. */
static void busy(const void *arg)
{
	struct {
		uint32_t stop, begun;
		uint64_t written[WRITERS];
	} *shared = box_shared(sizeof *shared);
	uint64_t last = 0, sum = 0, lost;
	uint32_t back = 0, unknown = 0;
	pid_t writer[WRITERS];
	struct session s;
	struct asked a;

	(void)arg;
	box_open(&s, SHM_MODE_WRAP, 128 << 10, 16 << 10);
	for (uint32_t i = 0; i < WRITERS; i++) {
		writer[i] = fork();
		if (writer[i] == 0) {
			write_on(i, &shared->stop, &shared->begun, &shared->written[i]);
			_exit(0);
		}
	}
	ask_open(&a);
	while (__atomic_load_n(&shared->begun, __ATOMIC_RELAXED) < WRITERS)
		usleep(500);
	for (int i = 0; i < 100; i++) {
		collect_rows(&a);
		if (!is_known(&a, "_Total", RINGS_ATTEMPTED)) {
			unknown++;
			continue;
		}
		back += value(&a, "_Total", RINGS_ATTEMPTED) < last;
		last = value(&a, "_Total", RINGS_ATTEMPTED);
		usleep(500);
	}
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < WRITERS; i++) {
		waitpid(writer[i], NULL, 0);
		sum += shared->written[i];
	}
	collect_rows(&a);
	lost = value(&a, "_Total", RINGS_LOST_RATE);
	expect("went back", back, 0);
	count_result(unknown < 100, "known", "not in %u of 100 samples", unknown);
	count_result(last > 0 && last <= sum, "in between", "%llu of %llu",
		(unsigned long long)last, (unsigned long long)sum);
	expect("attempted", value(&a, "_Total", RINGS_ATTEMPTED), sum);
	expect("written", value(&a, "_Total", RINGS_WRITTEN) + lost, sum);
	ask_close(&a);
	session_close(&s);
}

/* Bytes that the drain reports as drained are no longer in the buffers. */
static void continuous(const void *arg)
{
	const uint32_t cpu = box_pin(0);
	struct shm_ring_control *ring;
	struct session s;
	struct asked a;
	char name[16];

	(void)arg;
	box_open(&s, SHM_MODE_CONTINUOUS, 128 << 10, 16 << 10);
	ask_open(&a);
	snprintf(name, sizeof name, "%u", cpu);
	for (uint32_t i = 0; i < 100; i++)
		checked_hook(1, i, 4);
	collect_rows(&a);
	expect("nothing drained", value(&a, "_Total", RINGS_DRAINED), 0);
	expect("all in the buffers", value(&a, "_Total", RINGS_HELD), 100);
	count_result(!is_known(&a, "_Total", RINGS_OVERWRITTEN), "overwritten", "not in this mode");
	if (!box_has_rseq())
		name[0] = 0; /* then they are in some guest ring */
	ring = &s.control->ring[name[0] ? cpu : s.geometry.cpus];
	ring->drained = shm_figure(s.generation, 60);
	ring->drained_torn = shm_figure(s.generation, 1);
	collect_rows(&a);
	if (name[0]) {
		expect("drained", value(&a, name, RINGS_DRAINED), 60);
		expect("held", value(&a, name, RINGS_HELD), 39);
		expect("torn", value(&a, name, RINGS_TORN), 1);
		expect("written", value(&a, name, RINGS_WRITTEN), 99);
		expect("attempted", value(&a, name, RINGS_ATTEMPTED), 100);
	}
	/* A control file that claims more than there was. */
	ring->drained = shm_figure(s.generation, UINT64_C(1) << 40);
	collect_rows(&a);
	expect("held, if all is said to be gone", value(&a, name[0] ? name : "guest 0", RINGS_HELD),
		0);
	/* A drain that did not see an init yet. */
	ring->drained = shm_figure(s.generation - 1, 60);
	collect_rows(&a);
	expect("drained by another generation's drain", value(&a, "_Total", RINGS_DRAINED), 0);
	ask_close(&a);
	session_close(&s);
}

/* A session that cannot be used says why. */
static void refused(const void *arg)
{
	struct asked a;

	(void)arg;
	setenv("SWTRACE_SESSION", "relative", 1);
	ask_open(&a);
	expect("a relative path", collect_rows(&a), ERROR_INVALID_PARAMETER);
	expect("a relative path: no rows", a.rows.used, 0);
	setenv("SWTRACE_SESSION", "/dev/null", 1);
	expect("no directory", collect_rows(&a), ERROR_ACCESS_DENIED);
	ask_close(&a);
}

static int sandboxed_main(int argc, char **argv)
{
	static const uint32_t modes[] = {SHM_MODE_NORMAL, SHM_MODE_WRAP};

	(void)argc;
	(void)argv;
	scenario(no_session, NULL);
	scenario(ledger, &modes[0]);
	scenario(ledger, &modes[1]);
	scenario(busy, NULL);
	scenario(changes, NULL);
	scenario(continuous, NULL);
	scenario(refused, NULL);
	return results();
}

int main(int argc, char **argv)
{
	return sandbox_run(sandboxed_main, argc, argv, 60);
}
