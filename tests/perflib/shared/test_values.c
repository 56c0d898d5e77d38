/* Values and instances that change while they are read. */
#include "shared.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "../../../libtrace/perflib/shared/offer/offer.h"

enum { THREADS = 4, TIMES = 100000 };

static HANDLE h;
static GUID set;
static struct seen seen;
static PERF_COUNTERSET_INSTANCE *one;
static bool stop;

static void begin(void)
{
	shared_begin();
	set = guid_of(2);
	h = offer_provider(1);
	stop = false;
}

static void end(void)
{
	PerfStopProvider(h);
	shared_end();
}

static void *increment(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < TIMES; i++) {
		PerfIncrementULongLongCounterValue(h, one, REQUESTS, 3);
		PerfIncrementULongCounterValue(h, one, QUEUE, 5);
		PerfDecrementULongCounterValue(h, one, QUEUE, 4);
		PerfDecrementULongLongCounterValue(h, one, BUSY, 1);
	}
	return NULL;
}

START_TEST(increments_of_many_threads_add_up)
{
	const struct counterset *s;
	pthread_t thread[THREADS];
	uint64_t last = 0;

	offer_counters(h, 1, 2, PERF_COUNTERSET_SINGLE_INSTANCE);
	one = PerfCreateInstance(h, &set, "", 0);
	seen_open(&seen);
	s = seen_set(&seen, 2);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, increment, NULL), 0);
	for (int i = 0; i < 300; i++) {
		uint64_t now;

		ck_assert_uint_eq(seen_collect(&seen, s), ERROR_SUCCESS);
		ck_assert_uint_eq(seen.rows.used, 1);
		now = seen_value(&seen, 0, 0);
		ck_assert_uint_ge(now, last);
		ck_assert_uint_eq(now % 3, 0);
		last = now;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(seen_collect(&seen, s), ERROR_SUCCESS);
	ck_assert_uint_eq(seen_value(&seen, 0, 0), 3ull * THREADS * TIMES);
	ck_assert_uint_eq(seen_value(&seen, 0, 1), (uint64_t)THREADS * TIMES);
	ck_assert_uint_eq(seen_value(&seen, 0, 2), 0 - (uint64_t)THREADS * TIMES);
	seen_close(&seen);
}
END_TEST

static uint32_t handled;

static void handler(int sig)
{
	(void)sig;
	handled++;
	PerfIncrementULongLongCounterValue(h, one, REQUESTS, 1);
}

START_TEST(signal_handlers_count_too)
{
	const struct itimerval often = {{0, 50}, {0, 50}}, never = {0};
	uint64_t mine = 0;

	offer_counters(h, 1, 2, PERF_COUNTERSET_SINGLE_INSTANCE);
	one = PerfCreateInstance(h, &set, "", 0);
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	/* Also in the middle of a locked section. */
	while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < 200) {
		GUID id = guid_of(4);
		HANDLE other;

		PerfIncrementULongLongCounterValue(h, one, REQUESTS, 1);
		mine++;
		if (mine % 64 == 0 && PerfStartProvider(&id, NULL, &other) == 0)
			PerfStopProvider(other);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	seen_open(&seen);
	ck_assert_uint_eq(seen_collect(&seen, seen_set(&seen, 2)), ERROR_SUCCESS);
	ck_assert_uint_eq(seen_value(&seen, 0, 0), mine + handled);
	seen_close(&seen);
}
END_TEST

/* Both halves change at once, all the time. */
static const uint64_t halves[] = {
	0x1111111111111111, 0x2222222222222222, 0xfffffffffffffff0, 0x100000000, 0xffffffff};

static void *alternate_values(void *arg)
{
	(void)arg;
	for (unsigned i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++)
		for (unsigned c = 1; c <= 8; c++)
			PerfSetULongLongCounterValue(h, one, c, halves[i % 5]);
	return NULL;
}

START_TEST(no_value_is_half_of_one_and_half_of_another)
{
	pthread_t thread;
	uint32_t values = 0;

	ck_assert_uint_eq(offer_wide(h, 1, 2, 8), ERROR_SUCCESS);
	one = PerfCreateInstance(h, &set, "one", 0);
	for (unsigned c = 1; c <= 8; c++)
		PerfSetULongLongCounterValue(h, one, c, halves[0]);
	seen_open(&seen);
	ck_assert_int_eq(pthread_create(&thread, NULL, alternate_values, NULL), 0);
	for (int i = 0; i < 2000; i++) {
		ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
		ck_assert_uint_eq(seen.rows.used, 1);
		for (unsigned c = 0; c < 8; c++) {
			bool good = false;

			for (unsigned k = 0; k < 5; k++)
				good = good || seen.rows.value[c] == halves[k];
			ck_assert_msg(!seen.rows.known[c] || good, "%llx",
				(unsigned long long)seen.rows.value[c]);
			values += seen.rows.known[c];
		}
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ck_assert_uint_gt(values, 0);
	/* It is available once it is stable. */
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
	for (unsigned c = 0; c < 8; c++)
		seen_value(&seen, 0, c);
	seen_close(&seen);
}
END_TEST

enum { CHURN = 8 };

static uint32_t churned;

/* An instance's values are its id, or 0 while it is new; its name begins with it. */
static void *create_and_delete(void *arg)
{
	PERF_COUNTERSET_INSTANCE *i[CHURN] = {NULL};
	char name[256];

	(void)arg;
	for (uint32_t n = 1; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++) {
		unsigned slot = n % CHURN;

		if (i[slot])
			PerfDeleteInstance(h, i[slot]);
		/* In slots of either kind, names of all lengths. */
		snprintf(name, sizeof name, "%u %0*u", n, 1 + (int)(n % 97), 0);
		i[slot] = PerfCreateInstance(h, &set, name, n);
		if (!i[slot])
			return arg;
		PerfSetULongLongCounterValue(h, i[slot], 1, n);
		PerfSetULongLongCounterValue(h, i[slot], 2, n);
		PerfSetULongLongCounterValue(h, i[slot], 3, n);
		__atomic_store_n(&churned, n, __ATOMIC_RELAXED);
	}
	return NULL;
}

START_TEST(no_instance_is_half_of_one_and_half_of_another)
{
	PERF_COUNTERSET_INSTANCE *still;
	pthread_t thread;
	void *failed;
	uint32_t rows = 0;

	ck_assert_uint_eq(offer_wide(h, 1, 2, 3), ERROR_SUCCESS);
	still = PerfCreateInstance(h, &set, "still", 0);
	PerfSetULongLongCounterValue(h, still, 1, 77);
	seen_open(&seen);
	ck_assert_int_eq(pthread_create(&thread, NULL, create_and_delete, &failed), 0);
	/* A new thread may begin late. */
	for (int i = 0;
		i < 3000 || (i < 1000000 && (rows == 0 || __atomic_load_n(&churned,
								  __ATOMIC_RELAXED) <= CHURN));
		i++) {
		ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
		/* One that was there all the time always is. */
		ck_assert_int_eq(seen_row(&seen, "still", 0), 0);
		ck_assert_uint_eq(seen_value(&seen, 0, 0), 77);
		for (uint32_t r = 1; r < seen.rows.used; r++) {
			const struct row *row = &seen.rows.row[r];
			char name[256];

			snprintf(name, sizeof name, "%u %0*u", row->id, 1 + (int)(row->id % 97), 0);
			ck_assert_str_eq(seen.rows.names + row->name, name);
			for (uint32_t c = 0; c < 3; c++) {
				uint64_t v = seen_value(&seen, r, c);

				ck_assert_msg(v == 0 || v == row->id, "%s: %llu", name,
					(unsigned long long)v);
			}
			rows++;
		}
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, &failed);
	ck_assert_ptr_null(failed);
	ck_assert_uint_gt(rows, 0);
	ck_assert_uint_gt(churned, CHURN);
	seen_close(&seen);
}
END_TEST

static void *count_late(void *arg)
{
	uint64_t *refused = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		ULONG rc = PerfIncrementULongLongCounterValue(h, one, 1, 1);

		/* The second: its provider ended on the way. */
		if (rc == ERROR_INVALID_HANDLE || rc == ERROR_INVALID_PARAMETER)
			(*refused)++;
		else if (rc != ERROR_SUCCESS)
			return arg;
	}
	return NULL;
}

/* Workers that still count when the program stops its provider. */
START_TEST(a_late_increment_is_harmless)
{
	pthread_t thread;
	uint64_t refused = 0;
	void *failed;

	ck_assert_uint_eq(offer_wide(h, 1, 2, 1), ERROR_SUCCESS);
	one = PerfCreateInstance(h, &set, "one", 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, count_late, &refused), 0);
	usleep(1000);
	ck_assert_uint_eq(PerfStopProvider(h), ERROR_SUCCESS);
	/* Another instance has the slot now: late updates are not counted there. */
	HANDLE other = offer_provider(3);
	ck_assert_uint_eq(offer_wide(other, 3, 5, 1), ERROR_SUCCESS);
	usleep(1000);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, &failed);
	ck_assert_ptr_null(failed);
	ck_assert_uint_eq(PerfIncrementULongLongCounterValue(h, one, 1, 1), ERROR_INVALID_HANDLE);
	PerfStopProvider(other);
}
END_TEST

/* The last step of an increment, which was under way when all else ended. */
START_TEST(a_late_store_has_no_effect)
{
	uint64_t *late;

	ck_assert_uint_eq(offer_wide(h, 1, 2, 1), ERROR_SUCCESS);
	one = PerfCreateInstance(h, &set, "one", 0);
	late = offer_instance_of(h, one)->value;
	ck_assert_uint_eq(PerfStopProvider(h), ERROR_SUCCESS);
	__atomic_fetch_add(late, 1, __ATOMIC_RELAXED);
	/* Another provider in its place, without an instance. */
	HANDLE other = offer_provider(3);
	__atomic_fetch_add(late, 1, __ATOMIC_RELAXED); /* its file is shorter yet */
	ck_assert_uint_eq(offer_wide(other, 3, 5, 1), ERROR_SUCCESS);
	__atomic_fetch_add(late, 1, __ATOMIC_RELAXED);
	ck_assert_ptr_null(offer_instance_of(other, one));
	PerfStopProvider(other);
}
END_TEST

Suite *values_suite(void)
{
	return SUITE("shared: values", .set_up = begin, .tear_down = end, .timeout = 60,
		TESTS(increments_of_many_threads_add_up, signal_handlers_count_too,
			no_value_is_half_of_one_and_half_of_another,
			no_instance_is_half_of_one_and_half_of_another,
			a_late_increment_is_harmless, a_late_store_has_no_effect));
}
