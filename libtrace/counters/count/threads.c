/* Lists the threads of processes. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../formats/base/array.h"
#include "../../../formats/base/compare.h"
#include "../../../formats/base/number.h"
#include "count.h"

struct list {
	int *tid;
	unsigned count;
	size_t room;
};

static int threads_add_tid(struct list *l, int tid)
{
	if (!array_reserve(&l->tid, &l->room, l->count + 1, sizeof *l->tid))
		return -ENOMEM;
	l->tid[l->count++] = tid;
	return 0;
}

static int add_process(struct list *l, pid_t pid)
{
	char path[40];
	unsigned before = l->count;
	const struct dirent *d;
	int rc = 0;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (rc == 0 && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			rc = threads_add_tid(l, (pid_t)number_at(d->d_name, INT_MAX));
	closedir(dir);
	return rc == 0 && l->count == before ? -ESRCH : rc;
}

static int threads_compare_ids(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return compare_i64(x, y);
}

int count_threads(const pid_t *pid, unsigned n, int **tid, unsigned *count)
{
	struct list l = {0};
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < n; i++)
		rc = add_process(&l, pid[i]);
	if (rc) {
		free(l.tid);
		return rc;
	}
	if (l.count)
		qsort(l.tid, l.count, sizeof *l.tid, threads_compare_ids);
	*tid = l.tid;
	*count = l.count;
	return 0;
}
