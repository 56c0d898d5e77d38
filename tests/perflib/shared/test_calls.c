/* Calls that providers' functions refuse: consumers see nothing of them. */
#include "shared.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>

static HANDLE h;
static GUID set;

static void begin(void)
{
	shared_begin();
	set = guid_of(2);
	h = offer_provider(1);
}

static void end(void)
{
	PerfStopProvider(h);
	shared_end();
}

static uint32_t sets_seen(void)
{
	struct seen seen;
	uint32_t n;

	seen_open(&seen);
	n = seen.n;
	seen_close(&seen);
	return n;
}

START_TEST(a_provider_is_started_once)
{
	GUID id = guid_of(1);
	HANDLE other = NULL;

	ck_assert_uint_eq(PerfStartProvider(&id, NULL, &other), ERROR_ALREADY_EXISTS);
	ck_assert_uint_eq(PerfStartProvider(NULL, NULL, &other), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfStartProvider(&id, &id, &other), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfStartProvider(&id, NULL, NULL), ERROR_INVALID_PARAMETER);
	ck_assert_ptr_null(other);
	ck_assert_int_eq(shared_files(NULL), 1);
}
END_TEST

START_TEST(a_process_has_64_providers)
{
	HANDLE all[64];
	GUID id = guid_of(100);

	all[0] = h;
	for (uint32_t i = 1; i < 64; i++)
		all[i] = offer_provider(i + 1);
	ck_assert_uint_eq(PerfStartProvider(&id, NULL, &all[0]), ERROR_NOT_ENOUGH_MEMORY);
	ck_assert_int_eq(shared_files(NULL), 64);
	for (uint32_t i = 1; i < 64; i++)
		ck_assert_uint_eq(PerfStopProvider(all[i]), ERROR_SUCCESS);
	ck_assert_int_eq(shared_files(NULL), 1);
}
END_TEST

START_TEST(an_unknown_handle_is_refused)
{
	HANDLE stopped = offer_provider(3), again;
	HANDLE wrong[] = {NULL, (HANDLE)1, (HANDLE)0x101, (HANDLE)-1, &set, stopped,
		(HANDLE)((uintptr_t)h ^ 0x80), (HANDLE)((uintptr_t)h ^ (1ull << 60)),
		(HANDLE)((uintptr_t)h + 256)};
	PERF_COUNTERSET_INSTANCE *i;

	offer_counters(h, 1, 2, PERF_COUNTERSET_SINGLE_INSTANCE);
	i = PerfCreateInstance(h, &set, "", 0);
	ck_assert_uint_eq(PerfStopProvider(stopped), ERROR_SUCCESS);
	again = offer_provider(3);
	for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
		PERF_COUNTERSET_INFO info = {set, guid_of(1), 1, 0};
		PERF_COUNTERSET_INFO two[2] = {info, info};

		ck_assert_uint_eq(PerfStopProvider(wrong[w]), ERROR_INVALID_HANDLE);
		ck_assert_uint_eq(PerfShareProvider(wrong[w], 1), ERROR_INVALID_HANDLE);
		ck_assert_uint_eq(
			PerfSetCounterSetName(wrong[w], &set, "x", NULL), ERROR_INVALID_HANDLE);
		ck_assert_uint_eq(
			PerfSetCounterSetInfo(wrong[w], two, sizeof two), ERROR_INVALID_HANDLE);
		ck_assert_ptr_null(PerfCreateInstance(wrong[w], &set, "", 0));
		ck_assert_int_eq(errno, EINVAL);
		ck_assert_ptr_null(PerfQueryInstance(wrong[w], &set, "", 0));
		ck_assert_uint_eq(PerfDeleteInstance(wrong[w], i), ERROR_INVALID_HANDLE);
		ck_assert_uint_eq(PerfSetULongLongCounterValue(wrong[w], i, REQUESTS, 1),
			ERROR_INVALID_HANDLE);
	}
	/* Another provider's instance. */
	ck_assert_uint_eq(PerfDeleteInstance(again, i), ERROR_WMI_INSTANCE_NOT_FOUND);
	ck_assert_uint_eq(
		PerfSetULongLongCounterValue(again, i, REQUESTS, 1), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfSetULongLongCounterValue(h, i, REQUESTS, 1), ERROR_SUCCESS);
	PerfStopProvider(again);
}
END_TEST

struct template
{
	PERF_COUNTERSET_INFO info;
	PERF_COUNTER_INFO counter[2];
};

static struct template good(void)
{
	const PERF_COUNTER_INFO c = {.Type = PERF_COUNTER_RAWCOUNT, .Size = sizeof c};
	struct template t = {{set, guid_of(1), 2, PERF_COUNTERSET_SINGLE_INSTANCE}, {c, c}};

	t.counter[1].CounterId = 1;
	return t;
}

#define refused(status, change)                                                                    \
	do {                                                                                       \
		struct template t = good();                                                        \
		ULONG bytes = sizeof t;                                                            \
		(void)bytes;                                                                       \
		change;                                                                            \
		ck_assert_uint_eq(PerfSetCounterSetInfo(h, &t.info, bytes), status);               \
	} while (0)

START_TEST(a_template_that_makes_no_sense_is_refused)
{
	struct template fine = good();

	ck_assert_uint_eq(PerfSetCounterSetInfo(h, NULL, 100), ERROR_INVALID_PARAMETER);
	refused(ERROR_INVALID_PARAMETER, bytes--);
	refused(ERROR_INVALID_PARAMETER, bytes = 0);
	refused(ERROR_INVALID_PARAMETER, bytes = sizeof t.info - 1);
	refused(ERROR_INVALID_PARAMETER, t.info.NumCounters = 0);
	refused(ERROR_INVALID_PARAMETER, t.info.NumCounters = 3);
	refused(ERROR_INVALID_PARAMETER, t.info.NumCounters = UINT32_MAX);
	refused(ERROR_INVALID_PARAMETER, t.info.InstanceType = 1);
	refused(ERROR_INVALID_PARAMETER, t.info.ProviderGuid.Data1++);
	refused(ERROR_INVALID_PARAMETER, t.counter[1].CounterId = 0);
	refused(ERROR_INVALID_PARAMETER, t.counter[1].CounterId = PERF_WILDCARD_COUNTER);
	refused(ERROR_INVALID_PARAMETER, t.counter[0].Size--);
	refused(ERROR_INVALID_PARAMETER, t.counter[0].Type |= 0x200);
	refused(ERROR_INVALID_PARAMETER, t.counter[0].Type |= 0x300);
	refused(ERROR_INVALID_PARAMETER, t.counter[0].Scale = 11);
	refused(ERROR_INVALID_PARAMETER, t.counter[1].Scale = INT32_MIN);
	refused(ERROR_NOT_SUPPORTED, t.counter[1].Attrib = PERF_ATTRIB_BY_REFERENCE);
	ck_assert_uint_eq(offer_wide(h, 1, 2, PROV_COUNTERS + 1), ERROR_INVALID_PARAMETER);
	/* A base that is not there. */
	ck_assert_uint_eq(PerfSetCounterName(h, &set, 0, 5, "x", NULL), ERROR_SUCCESS);
	refused(ERROR_INVALID_PARAMETER, (void)0);
	ck_assert_uint_eq(sets_seen(), 0);
	ck_assert_uint_eq(PerfSetCounterName(h, &set, 0, 1, "x", NULL), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfSetCounterSetInfo(h, &fine.info, sizeof fine), ERROR_SUCCESS);
	ck_assert_uint_eq(sets_seen(), 1);
	refused(ERROR_ALREADY_EXISTS, (void)0);
	ck_assert_uint_eq(PerfSetCounterName(h, &set, 0, 1, "y", NULL), ERROR_ALREADY_EXISTS);
	ck_assert_uint_eq(PerfSetCounterSetName(h, &set, "y", NULL), ERROR_ALREADY_EXISTS);
}
END_TEST

START_TEST(names_are_texts_of_bounded_length)
{
	char name[PROV_NAME_MAX + 2], help[PROV_HELP_MAX + 2];
	static const char *const wrong[] = {"", "a\nb", "\x1b[31m", "\x7f", "\xc2\x85", "\xff",
		"\xc0\x80", "\xed\xa0\x80", "\xe2\x82", NULL};

	memset(name, 'n', sizeof name);
	memset(help, 'h', sizeof help);
	name[PROV_NAME_MAX + 1] = help[PROV_HELP_MAX + 1] = 0;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ck_assert_uint_eq(
			PerfSetCounterSetName(h, &set, wrong[i], NULL), ERROR_INVALID_PARAMETER);
	for (size_t i = 1; wrong[i]; i++)
		ck_assert_uint_eq(
			PerfSetCounterSetName(h, &set, "x", wrong[i]), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfSetCounterSetName(h, NULL, "x", "x"), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfSetCounterName(h, &set, 3, 3, "x", "x"), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfSetCounterSetName(h, &set, name, ""), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfSetCounterSetName(h, &set, "x", help), ERROR_INVALID_PARAMETER);
	name[PROV_NAME_MAX] = help[PROV_HELP_MAX] = 0;
	ck_assert_uint_eq(PerfSetCounterSetName(h, &set, "before", ""), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfSetCounterSetName(h, &set, name, help), ERROR_SUCCESS);
	ck_assert_uint_eq(offer_wide(h, 1, 2, PROV_COUNTERS), ERROR_SUCCESS);

	struct seen seen;
	seen_open(&seen);
	ck_assert_str_eq(seen.sets[0]->definition->name, name);
	ck_assert_str_eq(seen.sets[0]->definition->help, help);
	seen_close(&seen);
}
END_TEST

START_TEST(an_instance_is_created_once_and_by_its_name)
{
	char name[PROV_INSTANCE_NAME_MAX + 2];
	PERF_COUNTERSET_INSTANCE *i;
	GUID single = guid_of(3), unknown = guid_of(4);

	offer_counters(h, 1, 2, PERF_COUNTERSET_MULTI_INSTANCES);
	offer_counters(h, 1, 3, PERF_COUNTERSET_SINGLE_INSTANCE);
	memset(name, 'n', sizeof name);
	name[PROV_INSTANCE_NAME_MAX + 1] = 0;
#define none(error, ...)                                                                           \
	do {                                                                                       \
		errno = 0;                                                                         \
		ck_assert_ptr_null(PerfCreateInstance(h, __VA_ARGS__));                            \
		ck_assert_int_eq(errno, error);                                                    \
	} while (0)
	none(EINVAL, &set, NULL, 0);
	none(EINVAL, &set, "", 0);
	none(EINVAL, &set, name, 0);
	none(EINVAL, &set, "\xff", 0);
	none(EINVAL, &set, "a\tb", 0);
	none(EINVAL, &set, "a", PERF_ANY_INSTANCE_ID);
	none(EINVAL, NULL, "a", 0);
	none(EINVAL, &unknown, "a", 0);
	none(EINVAL, &single, "a", 0);
	name[PROV_INSTANCE_NAME_MAX] = 0;
	i = PerfCreateInstance(h, &set, name, 0);
	ck_assert_ptr_nonnull(i);
	none(EEXIST, &set, name, 0);
	ck_assert_ptr_nonnull(PerfCreateInstance(h, &set, name, 1));
	ck_assert_ptr_eq(PerfQueryInstance(h, &set, name, 0), i);
	errno = 0;
	ck_assert_ptr_null(PerfQueryInstance(h, &set, name, 2));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_null(PerfQueryInstance(h, &set, "n", 0));
	ck_assert_ptr_null(PerfQueryInstance(h, &set, NULL, 0));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_nonnull(PerfCreateInstance(h, &single, "", 5));
	none(EEXIST, &single, "", 5);
	none(EEXIST, &single, "", 6);
	ck_assert_uint_eq(PerfDeleteInstance(h, NULL), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfDeleteInstance(h, i), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfDeleteInstance(h, i), ERROR_WMI_INSTANCE_NOT_FOUND);
	ck_assert_uint_eq(PerfSetULongLongCounterValue(h, i, REQUESTS, 1), ERROR_INVALID_PARAMETER);
	ck_assert_ptr_null(PerfQueryInstance(h, &set, name, 0));
}
END_TEST

START_TEST(values_are_of_a_counter_and_its_size)
{
	PERF_COUNTERSET_INSTANCE *i;

	offer_counters(h, 1, 2, PERF_COUNTERSET_SINGLE_INSTANCE);
	i = PerfCreateInstance(h, &set, "", 0);
	ck_assert_uint_eq(PerfSetULongCounterValue(h, i, REQUESTS, 1), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfSetULongLongCounterValue(h, i, QUEUE, 1), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfIncrementULongCounterValue(h, i, BUSY, 1), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(
		PerfDecrementULongLongCounterValue(h, i, QUEUE, 1), ERROR_INVALID_PARAMETER);
	for (uint32_t c = 0; c < 12; c++)
		if (c != REQUESTS && c != QUEUE && c != BUSY && c != BASE)
			ck_assert_uint_eq(
				PerfSetULongLongCounterValue(h, i, c, 1), ERROR_NOT_FOUND);
	ck_assert_uint_eq(PerfSetULongCounterValue(h, i, UINT32_MAX, 1), ERROR_NOT_FOUND);
	ck_assert_uint_eq(PerfSetULongCounterValue(h, NULL, QUEUE, 1), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfSetULongCounterValue(
				  h, (PERF_COUNTERSET_INSTANCE *)(void *)((char *)i + 1), QUEUE, 1),
		ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(PerfIncrementULongLongCounterValue(h, i, BUSY, 5), ERROR_SUCCESS);
	ck_assert_uint_eq(PerfDecrementULongLongCounterValue(h, i, BUSY, 7), ERROR_SUCCESS);

	struct seen seen;
	seen_open(&seen);
	ck_assert_uint_eq(seen_collect(&seen, seen.sets[0]), ERROR_SUCCESS);
	ck_assert_uint_eq(seen_value(&seen, 0, 2), UINT64_MAX - 1);
	ck_assert_uint_eq(seen_value(&seen, 0, 0), 0);
	seen_close(&seen);
}
END_TEST

START_TEST(a_directory_that_is_not_ours_is_refused)
{
	char link[128], other[128];
	GUID id = guid_of(5);
	HANDLE refused;
	struct providers *p;
	const struct counterset *const *sets;
	uint32_t n;

	snprintf(link, sizeof link, "%s/link", shared_dir);
	snprintf(other, sizeof other, "%s/other", shared_dir);
	ck_assert_int_eq(symlink(shared_dir, link), 0);
	setenv("SWTRACE_COUNTERSETS", link, 1);
	ck_assert_uint_eq(PerfStartProvider(&id, NULL, &refused), ERROR_ACCESS_DENIED);
	ck_assert_uint_eq(sets_seen(), 0);
	close(open(other, O_CREAT | O_WRONLY, 0600));
	setenv("SWTRACE_COUNTERSETS", other, 1);
	ck_assert_uint_eq(PerfStartProvider(&id, NULL, &refused), ERROR_ACCESS_DENIED);
	unlink(other);
	ck_assert_int_eq(mkdir(other, 0700), 0);
	ck_assert_int_eq(chmod(other, 0775), 0);
	ck_assert_uint_eq(PerfStartProvider(&id, NULL, &refused), ERROR_ACCESS_DENIED);
	ck_assert_int_eq(chmod(other, 0755), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(other, 65534, 65534), 0);
		ck_assert_uint_eq(PerfStartProvider(&id, NULL, &refused), ERROR_ACCESS_DENIED);
	}
	setenv("SWTRACE_COUNTERSETS", "relative", 1);
	ck_assert_uint_eq(PerfStartProvider(&id, NULL, &refused), ERROR_INVALID_PARAMETER);
	p = providers_open();
	ck_assert_uint_eq(providers_refresh(p, &sets, &n), ERROR_INVALID_PARAMETER);
	ck_assert_uint_eq(n, 0);
	providers_close(p);
	setenv("SWTRACE_COUNTERSETS", shared_dir, 1);
}
END_TEST

/* Until allocation fails; the existing ones go on. */
static int fill_up(void *user)
{
	PERF_COUNTERSET_INSTANCE *i = NULL, *last = NULL;
	char name[32];
	uint32_t n = 0;
	HANDLE mine;
	GUID id = guid_of(7);

	(void)user;
	/* One that cannot even begin leaves nothing behind. */
	if (PerfStartProvider(&id, NULL, &mine) != ERROR_SUCCESS)
		return 2;
	do {
		last = i;
		snprintf(name, sizeof name, "%u", n++);
		i = PerfCreateInstance(h, &set, name, 0);
	} while (i);
	if (errno != ENOMEM || n < 2 ||
		PerfIncrementULongLongCounterValue(h, last, 1, 1) != ERROR_SUCCESS)
		return 3;
	if (offer_wide(h, 1, 8, 200) != ERROR_NOT_ENOUGH_MEMORY)
		return 4;
	if (PerfDeleteInstance(h, last) || !PerfCreateInstance(h, &set, "again", 0))
		return 5;
	return PerfStopProvider(mine) == ERROR_SUCCESS ? 0 : 6;
}

static int with_files_of(void *user)
{
	const struct rlimit limit = {*(rlim_t *)user, *(rlim_t *)user};

	/* A child has no provider of its parent's. */
	h = offer_provider(1);
	if (offer_wide(h, 1, 2, 4) != ERROR_SUCCESS || setrlimit(RLIMIT_FSIZE, &limit) != 0)
		return 1;
	return fill_up(NULL);
}

START_TEST(no_space_is_an_error)
{
	rlim_t bytes = 40000;

	PerfStopProvider(h);
	ck_assert_int_eq(in_child(with_files_of, &bytes), 0);
	bytes = 1000;
	ck_assert_int_eq(in_child(with_files_of, &bytes), 2);
	ck_assert_int_le(shared_files(NULL), 2);
	h = offer_provider(1);
	ck_assert_int_eq(shared_files(NULL), 1);
}
END_TEST

static int on_small_tmpfs(void *user)
{
	GUID id = guid_of(9);
	HANDLE none;

	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("tmpfs", shared_dir, "tmpfs", 0, user) != 0)
		return 77;
	h = offer_provider(1);
	if (offer_wide(h, 1, 2, 4) != ERROR_SUCCESS)
		return 1;
	int rc = fill_up(NULL);
	if (rc)
		return rc;
	/* Fill it: not even a header is left. */
	while (PerfCreateInstance(h, &set, "x", (ULONG)(++rc)))
		;
	if (PerfStartProvider(&id, NULL, &none) != ERROR_NOT_ENOUGH_MEMORY ||
		shared_files(NULL) != 1)
		return 9;
	PerfStopProvider(h);
	return 0;
}

START_TEST(a_full_file_system_is_an_error_and_no_signal)
{
	static char options[] = "size=80k,mode=755";

	if (geteuid() != 0)
		return;
	PerfStopProvider(h);
	int rc = in_child(on_small_tmpfs, options);
	if (rc == 77)
		puts("skipped: a full file system: mounting is not allowed here");
	else
		ck_assert_int_eq(rc, 0);
	h = offer_provider(1);
}
END_TEST

static int without_descriptors_or_rights(void *user)
{
	char name[16];

	(void)user;
	h = offer_provider(1);
	if (offer_wide(h, 1, 2, 1) != ERROR_SUCCESS)
		return 1;
	if (geteuid() == 0 && (setgid(61234) != 0 || setuid(61234) != 0))
		return 2;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "%d", i);
		if (!PerfCreateInstance(h, &set, name, 0))
			return 3;
	}
	return 0;
}

static int without_descriptors(void *user)
{
	char name[16];

	(void)user;
	h = offer_provider(1);
	if (offer_wide(h, 1, 2, 1) != ERROR_SUCCESS)
		return 1;
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	/* Something else takes the numbers. */
	for (int i = 0; i < 20; i++)
		if (fcntl(0, F_DUPFD, 2048) < 0 && open("/", O_RDONLY) < 0)
			return 2;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof name, "%d", i);
		if (!PerfCreateInstance(h, &set, name, 0))
			return 3;
	}
	PerfStopProvider(h);
	return fcntl(2048, F_GETFD) < 0 || shared_files(NULL) != 0 ? 4 : 0;
}

START_TEST(it_grows_without_the_descriptors_and_rights_it_began_with)
{
	PerfStopProvider(h);
	ck_assert_int_eq(in_child(without_descriptors, NULL), 0);
	ck_assert_int_eq(in_child(without_descriptors_or_rights, NULL), 0);
	h = offer_provider(1);
}
END_TEST

Suite *calls_suite(void)
{
	return SUITE("shared: calls", .set_up = begin, .tear_down = end, .timeout = 60,
		TESTS(a_provider_is_started_once, a_process_has_64_providers,
			an_unknown_handle_is_refused, a_template_that_makes_no_sense_is_refused,
			names_are_texts_of_bounded_length,
			an_instance_is_created_once_and_by_its_name,
			values_are_of_a_counter_and_its_size,
			a_directory_that_is_not_ours_is_refused, no_space_is_an_error,
			a_full_file_system_is_an_error_and_no_signal,
			it_grows_without_the_descriptors_and_rights_it_began_with));
}
