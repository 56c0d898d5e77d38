#include "shared.h"

#include <dirent.h>
#include <sys/stat.h>

#include "../../lib/folder.h"

char shared_dir[64];

void shared_begin(void)
{
	strcpy(shared_dir, "/dev/shm/swtrace-test.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(shared_dir));
	ck_assert_int_eq(chmod(shared_dir, 0755), 0);
	setenv("SWTRACE_COUNTERSETS", shared_dir, 1);
}

void shared_end(void)
{
	folder_remove(shared_dir);
}

int shared_files(char path[512])
{
	DIR *d = opendir(shared_dir);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		n++;
		if (path)
			snprintf(path, 512, "%s/%s", shared_dir, e->d_name);
	}
	if (d)
		closedir(d);
	return n;
}

HANDLE offer_provider(uint32_t n)
{
	GUID id = guid_of(n);
	HANDLE h = NULL;

	ck_assert_uint_eq(PerfStartProvider(&id, NULL, &h), ERROR_SUCCESS);
	return h;
}

void offer_counters(HANDLE h, uint32_t provider, uint32_t set, uint32_t type)
{
	/* Not in the order of their ids. */
	struct {
		PERF_COUNTERSET_INFO info;
		PERF_COUNTER_INFO counter[4];
	} t = {{guid_of(set), guid_of(provider), 4, type},
		{{BUSY, PERF_SAMPLE_FRACTION | PERF_SIZE_LARGE, 0, sizeof t.counter[0],
			 PERF_DETAIL_ADVANCED, 0, 0},
			{REQUESTS, PERF_COUNTER_BULK_COUNT, 0, sizeof t.counter[0],
				PERF_DETAIL_NOVICE, -3, 0},
			{BASE, PERF_LARGE_RAW_BASE, PERF_ATTRIB_NO_DISPLAYABLE, sizeof t.counter[0],
				PERF_DETAIL_NOVICE, 0, 0},
			{QUEUE, PERF_COUNTER_RAWCOUNT, 0, sizeof t.counter[0], PERF_DETAIL_NOVICE,
				0, 0}}};
	GUID id = guid_of(set);

	ck_assert_uint_eq(PerfSetCounterSetName(h, &id, "Server", "Requests of a server"), 0);
	ck_assert_uint_eq(
		PerfSetCounterName(h, &id, REQUESTS, PERF_NO_COUNTER, "Requests/sec", "served"), 0);
	ck_assert_uint_eq(PerfSetCounterName(h, &id, BUSY, BASE, "% Busy", NULL), 0);
	ck_assert_uint_eq(PerfSetCounterSetInfo(h, &t.info, sizeof t), 0);
}

ULONG offer_wide(HANDLE h, uint32_t provider, uint32_t set, uint32_t n)
{
	ULONG bytes = sizeof(PERF_COUNTERSET_INFO) + n * (ULONG)sizeof(PERF_COUNTER_INFO), rc;
	PERF_COUNTERSET_INFO *info = calloc(1, bytes);
	PERF_COUNTER_INFO *c = (PERF_COUNTER_INFO *)(info + 1);

	*info = (PERF_COUNTERSET_INFO){
		guid_of(set), guid_of(provider), n, PERF_COUNTERSET_MULTI_INSTANCES};
	for (uint32_t i = 0; i < n; i++)
		c[i] = (PERF_COUNTER_INFO){.CounterId = i + 1,
			.Type = PERF_COUNTER_LARGE_RAWCOUNT,
			.Size = sizeof *c,
			.DetailLevel = PERF_DETAIL_NOVICE};
	rc = PerfSetCounterSetInfo(h, info, bytes);
	free(info);
	return rc;
}

/* ----------------------------------------------------------------------- a consumer */

void seen_open(struct seen *s)
{
	memset(s, 0, sizeof *s);
	s->providers = providers_open();
	ck_assert_ptr_nonnull(s->providers);
	seen_refresh(s);
}

void seen_refresh(struct seen *s)
{
	ck_assert_uint_eq(providers_refresh(s->providers, &s->sets, &s->n), ERROR_SUCCESS);
	for (uint32_t i = 0; i < s->n; i++) {
		const char *broken = broken_definition(s->sets[i]->definition);

		ck_assert_msg(!broken, "a definition: %s", broken);
	}
}

void seen_close(struct seen *s)
{
	providers_close(s->providers);
	rows_free(&s->rows);
}

const struct counterset *seen_set(struct seen *s, uint32_t n)
{
	GUID id = guid_of(n);

	for (uint32_t i = 0; i < s->n; i++)
		if (memcmp(&s->sets[i]->definition->guid, &id, sizeof id) == 0)
			return s->sets[i];
	return NULL;
}

uint32_t seen_collect(struct seen *s, const struct counterset *set)
{
	const struct sample_time now = {0};
	uint64_t wanted[COUNTERSET_COUNTERS / 64];
	const char *broken;
	uint32_t rc;

	memset(wanted, 0xff, sizeof wanted);
	rc = set->operations->collect(set, NULL, wanted, &now, &s->rows);
	broken = broken_rows(&s->rows, set->definition);
	ck_assert_msg(!broken, "rows: %s", broken);
	return rc;
}

int seen_row(const struct seen *s, const char *name, uint32_t id)
{
	for (uint32_t i = 0; i < s->rows.used; i++)
		if (s->rows.row[i].id == id &&
			strcmp(s->rows.names + s->rows.row[i].name, name) == 0)
			return (int)i;
	return -1;
}

uint64_t seen_value(const struct seen *s, uint32_t row, uint32_t column)
{
	ck_assert_uint_lt(row, s->rows.used);
	ck_assert_uint_lt(column, s->rows.columns);
	ck_assert_uint_eq(s->rows.known[row * s->rows.columns + column], 1);
	return s->rows.value[row * s->rows.columns + column];
}

int in_child(int (*work)(void *), void *user)
{
	int status, pid;

	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(work(user));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
