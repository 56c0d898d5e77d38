/*
 * Context switches, which the kernel counts per thread only. A process's count is the sum of its
 * threads' increases between samples; switches after the last sample that saw a thread are lost.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../../formats/base/array.h"
#include "../../../../formats/base/compare.h"
#include "process.h"

static int by_tid(const void *key, const void *element)
{
	const uint32_t *tid = key;
	const struct thread_switches *t = element;

	return compare_u64(*tid, t->tid);
}

static const struct thread_switches *thread_before(
	const struct threads *before, uint32_t tid, uint32_t pid)
{
	const struct thread_switches *t = NULL;

	if (before->used)
		t = bsearch(&tid, before->thread, before->used, sizeof *before->thread, by_tid);
	return t && t->pid == pid ? t : NULL;
}

static bool add_thread(struct threads *t, const struct thread_switches *thread)
{
	if (!array_reserve(&t->thread, &t->room, t->used + 1, sizeof *t->thread))
		return false;
	t->thread[t->used++] = *thread;
	return true;
}

static bool process_read_thread_switches(
	struct processes *p, uint32_t pid, uint32_t tid, struct thread_switches *out)
{
	char path[PATH_MAX];

	*out = (struct thread_switches){.tid = tid, .pid = pid};
	return snprintf(path, sizeof path, "%s/%u/task/%u/status", p->machine->proc, pid, tid) <
		       (int)sizeof path &&
	       file_text_read(&p->text, path) &&
	       process_parse_switches(
		       p->text.bytes, p->text.used, &out->voluntary, &out->involuntary);
}

/* A smaller count belongs to a new thread with a reused id. */
static uint64_t switches_gained(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

static bool switches_add_thread(
	struct processes *p, struct process *to, uint32_t tid, uint64_t sums[2])
{
	const struct thread_switches *before;
	struct thread_switches now;

	if (!process_read_thread_switches(p, to->pid, tid, &now))
		return false;
	before = thread_before(&p->threads_before, tid, to->pid);
	sums[0] += switches_gained(before ? before->voluntary : 0, now.voluntary);
	sums[1] += switches_gained(before ? before->involuntary : 0, now.involuntary);
	return add_thread(&p->threads, &now);
}

void process_switches(struct processes *p, struct process *to, uint64_t threads)
{
	const struct process *before = processes_before(p, to->pid, to->start);
	uint64_t sums[2] = {0, 0};
	char path[PATH_MAX];
	bool any = false;

	if (before && before->known & PROCESS_BIT(PROCESS_SWITCHES)) {
		sums[0] = before->value[PROCESS_VOLUNTARY];
		sums[1] = before->value[PROCESS_INVOLUNTARY];
	}
	if (threads <= 1) {
		any = switches_add_thread(p, to, to->pid, sums);
	} else if (snprintf(path, sizeof path, "%s/%u/task", p->machine->proc, to->pid) <
			   (int)sizeof path &&
		   numbers_read(&p->tids, path)) {
		for (uint32_t i = 0; i < p->tids.used; i++)
			any |= switches_add_thread(p, to, p->tids.number[i], sums);
	}
	if (!any)
		return;
	to->value[PROCESS_VOLUNTARY] = sums[0];
	to->value[PROCESS_INVOLUNTARY] = sums[1];
	to->value[PROCESS_SWITCHES] = sums[0] + sums[1];
	to->known |= PROCESS_SWITCH_BITS;
}

static int in_order(const void *a, const void *b)
{
	const struct thread_switches *x = a, *y = b;

	return compare_u64(x->tid, y->tid);
}

void process_switches_end(struct processes *p)
{
	struct threads was = p->threads_before;

	if (p->threads.used)
		qsort(p->threads.thread, p->threads.used, sizeof *p->threads.thread, in_order);
	p->threads_before = p->threads;
	p->threads = was;
	p->threads.used = 0;
}
