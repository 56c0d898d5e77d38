#include "names.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/base/array.h"
#include "../../formats/base/compare.h"
#include "../../formats/base/hash.h"
#include "../../formats/base/number.h"
#include "../../formats/kernel_hooks.h"
#include "../core/file.h"

struct kernel_thread {
	uint32_t pid, tid;
	uint64_t from;	/* of the name */
	uint64_t ended; /* 0: it lives */
	bool has_name, is_listed, is_wanted;
	char name[16];
};

/* ------------------------------------------------------------------------- threads */

static struct kernel_thread *names_find(const struct kernel_names *n, uint32_t tid)
{
	uint32_t slot;

	for (uint64_t hash = hash_u64(tid); (slot = hash_index_next(&n->by_tid, &hash));)
		if (n->threads[slot - 1].tid == tid)
			return &n->threads[slot - 1];
	return NULL;
}

static bool names_index(struct kernel_names *n, size_t room)
{
	if (!hash_index_reset(&n->by_tid, room))
		return false;
	for (size_t i = 0; i < n->nthreads; i++)
		hash_index_add(&n->by_tid, hash_u64(n->threads[i].tid), (uint32_t)i);
	return true;
}

/* NULL: no memory. */
static struct kernel_thread *names_thread(struct kernel_names *n, uint32_t tid)
{
	struct kernel_thread *t = names_find(n, tid);

	if (t)
		return t;
	if (!array_reserve(&n->threads, &n->threads_room, n->nthreads + 1, sizeof *n->threads) ||
		(2 * (n->nthreads + 1) > n->by_tid.slots && !names_index(n, 2 * (n->nthreads + 1))))
		return NULL;
	t = &n->threads[n->nthreads];
	*t = (struct kernel_thread){.tid = tid};
	hash_index_add(&n->by_tid, hash_u64(tid), (uint32_t)n->nthreads++);
	return t;
}

/* Threads that ended are forgotten. */
static void names_sweep(struct kernel_names *n)
{
	size_t left = 0;

	for (size_t i = 0; i < n->nthreads; i++)
		if (!n->threads[i].ended)
			n->threads[left++] = n->threads[i];
	if (left == n->nthreads)
		return;
	n->nthreads = left;
	/* There are slots for more: this does not fail. */
	names_index(n, left);
}

/* --------------------------------------------------------------------------- /proc */

/* A worker's name in /proc includes its current work. */
static void names_copy(char name[16], const char *text, size_t length)
{
	static const char worker[] = "kworker/";

	while (length && text[length - 1] == '\n')
		length--;
	if (length > 15)
		length = 15;
	memset(name, 0, 16);
	memcpy(name, text, length);
	if (strncmp(name, worker, sizeof worker - 1) == 0)
		for (size_t i = sizeof worker; i < length; i++)
			if (name[i] == '-' || name[i] == '+')
				memset(name + i, 0, 16 - i);
}

static void names_list_thread(
	struct kernel_names *n, const char *pid, const char *tid, uint64_t since)
{
	char path[96], text[128];
	struct kernel_thread *t;
	ssize_t length;

	snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/comm", pid, tid);
	length = file_read_once(path, text, sizeof text);
	t = length > 0 ? names_thread(n, (uint32_t)number_at(tid, UINT32_MAX)) : NULL;
	if (!t)
		return;
	t->pid = (uint32_t)number_at(pid, UINT32_MAX);
	t->from = since;
	t->has_name = t->is_listed = true;
	names_copy(t->name, text, (size_t)length);
}

static void names_list_process(struct kernel_names *n, const char *pid, uint64_t since)
{
	const struct dirent *entry;
	char path[64];
	DIR *d;

	snprintf(path, sizeof path, "/proc/%.20s/task", pid);
	d = opendir(path);
	while (d && (entry = readdir(d)))
		if (number_at(entry->d_name, UINT32_MAX))
			names_list_thread(n, pid, entry->d_name, since);
	if (d)
		closedir(d);
}

void kernel_names_list(struct kernel_names *n, uint64_t since, uint64_t (*now)(void))
{
	const struct dirent *entry;
	DIR *d = opendir("/proc");

	n->nthreads = n->nended = n->nrecords = 0;
	if (n->by_tid.slots)
		names_index(n, 0);
	while (d && (entry = readdir(d)))
		if (number_at(entry->d_name, UINT32_MAX))
			names_list_process(n, entry->d_name, since);
	if (d)
		closedir(d);
	n->listed = now();
	n->settled = since;
}

/* ------------------------------------------------------------------------- records */

void kernel_names_add(struct kernel_names *n, const struct kernel_record *record)
{
	if (array_reserve(&n->records, &n->records_room, n->nrecords + 1, sizeof *n->records)) {
		n->records[n->nrecords++] = *record;
		return;
	}
	/* Without it no name is sure. */
	n->nthreads = n->nended = n->nrecords = 0;
	if (n->by_tid.slots)
		names_index(n, 0);
}

void kernel_names_want(struct kernel_names *n, uint32_t tid)
{
	struct kernel_thread *t = tid && tid != KERNEL_TID_UNKNOWN ? names_thread(n, tid) : NULL;

	if (t)
		t->is_wanted = true;
}

/* The thread's name ends at that time. */
static void names_end(struct kernel_names *n, struct kernel_thread *t, uint64_t at)
{
	if (t->has_name && t->is_wanted && at > t->from &&
		array_reserve(&n->ended, &n->ended_room, n->nended + 1, sizeof *n->ended)) {
		struct kernel_name *name = &n->ended[n->nended++];

		*name = (struct kernel_name){
			.pid = t->pid, .tid = t->tid, .from = t->from, .to = at - 1};
		memcpy(name->name, t->name, sizeof name->name);
	}
	t->has_name = t->is_listed = false;
}

static void names_begin(struct kernel_thread *t, const struct kernel_record *r, const char name[16])
{
	t->pid = r->pid;
	t->from = r->at;
	t->ended = 0;
	t->has_name = true;
	memcpy(t->name, name, sizeof t->name);
}

static void names_apply(struct kernel_names *n, const struct kernel_record *r)
{
	struct kernel_thread *t = names_thread(n, r->tid), *parent;

	if (!t)
		return;
	if (r->kind == KERNEL_RECORD_EXIT) {
		/* It keeps its name until it leaves the processor for the last time. */
		t->ended = r->at;
		return;
	}
	names_end(n, t, r->at);
	if (r->kind == KERNEL_RECORD_NAME) {
		names_begin(t, r, r->name);
		return;
	}
	parent = names_find(n, r->other_tid);
	if (parent && parent->has_name)
		names_begin(t, r, parent->name);
	else
		t->ended = 0;
}

/* A name in /proc is of some moment between the start of the reading and its end: in between it
 * must not have changed. */
static void names_drop_unsure(struct kernel_names *n)
{
	for (size_t i = 0; i < n->nrecords; i++) {
		struct kernel_thread *t =
			n->records[i].at <= n->listed ? names_find(n, n->records[i].tid) : NULL;

		if (t && t->is_listed)
			t->has_name = t->is_listed = false;
	}
}

static int names_compare(const void *x, const void *y)
{
	const struct kernel_record *a = x, *b = y;

	return compare_u64(a->at, b->at);
}

void kernel_names_settle(struct kernel_names *n, uint64_t time,
	void (*visit)(void *ctx, const struct kernel_name *name), void *ctx)
{
	size_t done = 0;

	if (time <= n->listed || time <= n->settled)
		return;
	if (n->settled <= n->listed)
		names_drop_unsure(n);
	if (n->nrecords)
		qsort(n->records, n->nrecords, sizeof *n->records, names_compare);
	while (done < n->nrecords && n->records[done].at <= time)
		names_apply(n, &n->records[done++]);
	n->nrecords -= done;
	if (n->nrecords)
		memmove(n->records, n->records + done, n->nrecords * sizeof *n->records);
	for (size_t i = 0; i < n->nended; i++)
		visit(ctx, &n->ended[i]);
	n->nended = 0;
	for (size_t i = 0; i < n->nthreads; i++) {
		const struct kernel_thread *t = &n->threads[i];

		if (t->is_wanted && t->has_name && t->from <= time) {
			struct kernel_name name = {
				.pid = t->pid, .tid = t->tid, .from = t->from, .to = time};

			memcpy(name.name, t->name, sizeof name.name);
			visit(ctx, &name);
		}
		n->threads[i].is_wanted = false;
	}
	names_sweep(n);
	n->settled = time;
}
