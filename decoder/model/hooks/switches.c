#include "switches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/base/compare.h"
#include "../../../formats/base/hash.h"
#include "../../../formats/base/search.h"
#include "../../base/grow.h"
#include "../trace/containers.h"
#include "pass.h"
#include "record.h"

static bool switches_are_recorded_in(const struct trace_file *f)
{
	return schema_set_brought(f->schemas, KERNEL_MAJOR);
}

bool switches_are_recorded_by(const struct trace *t, uint32_t machine)
{
	for (size_t i = 0; i < trace_nfiles(t); i++)
		if (trace_file(t, i)->machine == machine &&
			switches_are_recorded_in(trace_file(t, i)))
			return true;
	return false;
}

bool switches_are_recorded(const struct trace *t)
{
	for (size_t i = 0; i < trace_nfiles(t); i++)
		if (switches_are_recorded_in(trace_file(t, i)))
			return true;
	return false;
}

static uint64_t switches_u64(const struct hook *h, unsigned word)
{
	return get_hl64(h->words + 4 * word);
}

bool switches_number_task(const struct trace *t, uint32_t machine, const struct task *task)
{
	const struct container *c = task ? trace_container(t, machine, task) : NULL;

	return !c || c->own_tid == c->tid;
}

int switches_each_ring(
	const struct trace *t, int (*visit)(void *ctx, uint32_t file, uint32_t cpu), void *ctx)
{
	int rc = 0;

	for (size_t i = 0; i < trace_nfiles(t) && !rc; i++) {
		const struct trace_file *f = trace_file(t, i);

		if (!switches_are_recorded_by(t, f->machine))
			continue;
		for (size_t k = 0; k < f->nrings && !rc; k++)
			if (!(f->rings[k].ring & TF_GUEST_RING) && f->rings[k].hooks)
				rc = visit(ctx, (uint32_t)i, f->rings[k].ring);
	}
	return rc;
}

int switches_each_run(
	const struct hook *h, int (*visit)(void *ctx, const struct switch_run *run), void *ctx)
{
	struct switch_run run = {.file = h->file, .machine = h->machine};
	uint64_t first;
	uint32_t count;
	int rc = 0;

	if (!switches_has_hook(h) || h->nwords < KERNEL_SWITCHES_WORDS)
		return 0;
	run.cpu = hook_word(h, KERNEL_SWITCHES_CPU);
	count = hook_word(h, KERNEL_SWITCHES_COUNT);
	run.start = switches_u64(h, KERNEL_SWITCHES_SINCE);
	run.end = first = switches_u64(h, KERNEL_SWITCHES_FIRST);
	run.pid = hook_word(h, KERNEL_SWITCHES_PREV_PID);
	run.tid = hook_word(h, KERNEL_SWITCHES_PREV_TID);
	/* Records precede their hook. */
	if (run.cpu >= SWITCH_CPUS_MAX || run.start > first || first > h->ticks)
		return 0;
	if (count > (h->nwords - KERNEL_SWITCHES_WORDS) / (uint32_t)KERNEL_SWITCH_WORDS)
		count = (h->nwords - KERNEL_SWITCHES_WORDS) / (uint32_t)KERNEL_SWITCH_WORDS;
	if (count == 0)
		return run.start < run.end ? visit(ctx, &run) : 0;
	for (uint32_t i = 0; i < count && !rc; i++) {
		const unsigned at = KERNEL_SWITCHES_WORDS + i * KERNEL_SWITCH_WORDS;
		const uint64_t now = first + hook_word(h, at + KERNEL_SWITCH_AFTER);

		if (now < run.start || now > h->ticks)
			return 0;
		run.end = now;
		run.is_left = true;
		run.preempted = hook_word(h, at + KERNEL_SWITCH_HOW) & KERNEL_SWITCH_PREEMPTED;
		rc = visit(ctx, &run);
		run.start = now;
		run.pid = hook_word(h, at + KERNEL_SWITCH_PID);
		run.tid = hook_word(h, at + KERNEL_SWITCH_TID);
	}
	return rc;
}

bool switches_read_loss(const struct hook *h, struct switch_loss *loss)
{
	if (h->major != KERNEL_MAJOR || h->minor != KERNEL_MINOR_LOST ||
		h->nwords < KERNEL_LOST_WORDS)
		return false;
	*loss = (struct switch_loss){.file = h->file,
		.machine = h->machine,
		.cpu = hook_word(h, KERNEL_LOST_CPU),
		.start = switches_u64(h, KERNEL_LOST_SINCE),
		.end = switches_u64(h, KERNEL_LOST_UNTIL),
		.records = switches_u64(h, KERNEL_LOST_RECORDS)};
	return loss->cpu < SWITCH_CPUS_MAX && loss->start <= loss->end;
}

/* ----------------------------------------------------------------------- processors */

struct switch_cpu *switch_cpus_find(struct switch_cpus *c, uint32_t group, uint32_t cpu)
{
	/* The runs of a hook are one processor's. */
	for (size_t i = 0; i < c->count; i++, c->last++) {
		if (c->last >= c->count)
			c->last = 0;
		if (c->at[c->last].cpu == cpu && c->at[c->last].group == group)
			return &c->at[c->last];
	}
	if (array_grow(&c->at, c->count, &c->room, sizeof *c->at))
		return NULL;
	c->at[c->count] = (struct switch_cpu){.group = group, .cpu = cpu};
	c->last = c->count++;
	return &c->at[c->last];
}

bool switch_cpu_advance(struct switch_cpu *c, struct switch_run *run)
{
	if (run->end < c->end || (run->end == c->end && run->start < c->end))
		return false;
	if (run->start < c->end)
		run->start = c->end;
	if (c->is_begun)
		c->unknown += run->start - c->end;
	*(run->tid == KERNEL_TID_UNKNOWN ? &c->unknown
		: run->tid		 ? &c->busy
					 : &c->idle) += run->end - run->start;
	c->is_begun = true;
	c->end = run->end;
	return true;
}

void switch_cpus_free(struct switch_cpus *c)
{
	free(c->at);
	*c = (struct switch_cpus){0};
}

/* ---------------------------------------------------------------------------- names */

static uint64_t switch_names_hash(uint32_t machine, uint32_t tid)
{
	return hash_u64((uint64_t)machine << 32 | tid);
}

static bool switch_names_is_of(const struct switch_name *a, const struct switch_name *b)
{
	return a->machine == b->machine && a->tid == b->tid;
}

/* The slot of the thread's last name, or a free one. */
static uint32_t *switch_names_slot(const struct switch_names *n, const struct switch_name *name)
{
	for (uint64_t hash = switch_names_hash(name->machine, name->tid);; hash++) {
		uint32_t *slot = hash_index_at(&n->by_thread, hash);

		if (!*slot || switch_names_is_of(&n->at[*slot - 1], name))
			return slot;
	}
}

static int switch_names_make_room(struct switch_names *n)
{
	size_t i;

	if (array_grow(&n->at, n->count, &n->room, sizeof *n->at) ||
		!hash_index_grow(&n->by_thread, n->count + 1, &i))
		return CPIDECODE_ENOMEM;
	for (; i < n->count; i++)
		*switch_names_slot(n, &n->at[i]) = (uint32_t)i + 1;
	return 0;
}

static int switch_names_add_one(struct switch_names *n, const struct switch_name *name)
{
	struct switch_name *last;
	uint32_t *slot;
	int rc = n->count < SWITCH_NAMES_MAX ? switch_names_make_room(n) : 0;

	if (rc || !n->by_thread.slots)
		return rc;
	slot = switch_names_slot(n, name);
	last = *slot ? &n->at[*slot - 1] : NULL;
	/* Repeated while it is valid. Its start is converted from another clock each time, and
	 * differs by some ticks. */
	if (last && last->from <= name->to && name->from <= last->to && last->pid == name->pid &&
		strcmp(last->name, name->name) == 0) {
		last->from = name->from < last->from ? name->from : last->from;
		last->to = name->to > last->to ? name->to : last->to;
		return 0;
	}
	if (n->count == SWITCH_NAMES_MAX)
		return 0;
	n->at[n->count++] = *name;
	*slot = (uint32_t)n->count;
	return 0;
}

int switch_names_add(struct switch_names *n, const struct hook *h)
{
	const uint8_t *string = h->strings;
	uint32_t count;
	int rc = 0;

	if (h->major != KERNEL_MAJOR || h->minor != KERNEL_MINOR_NAMES ||
		h->nwords < KERNEL_NAMES_WORDS)
		return 0;
	count = (h->nwords - KERNEL_NAMES_WORDS) / (uint32_t)KERNEL_NAME_WORDS;
	if (count > hook_word(h, KERNEL_NAMES_COUNT))
		count = hook_word(h, KERNEL_NAMES_COUNT);
	if (count > h->nstrings)
		count = h->nstrings;
	for (uint32_t i = 0; i < count && !rc; i++) {
		const unsigned at = KERNEL_NAMES_WORDS + i * KERNEL_NAME_WORDS;
		const uint32_t length = get_le32(string);
		struct switch_name name = {.machine = h->machine,
			.pid = hook_word(h, at + KERNEL_NAME_PID),
			.tid = hook_word(h, at + KERNEL_NAME_TID),
			.from = switches_u64(h, at + KERNEL_NAME_FROM),
			.to = switches_u64(h, at + KERNEL_NAME_TO)};

		memcpy(name.name, string + 4,
			length < KERNEL_NAME_BYTES ? length : KERNEL_NAME_BYTES);
		string += rec_string_bytes(length);
		if (name.from <= name.to)
			rc = switch_names_add_one(n, &name);
	}
	return rc;
}

static int switch_names_compare(const void *x, const void *y)
{
	const struct switch_name *a = x, *b = y;
	int c = compare_u64_pair(a->machine, b->machine, a->tid, b->tid);

	return c ? c : compare_u64_pair(a->from, b->from, a->to, b->to);
}

void switch_names_sort(struct switch_names *n)
{
	if (n->count)
		qsort(n->at, n->count, sizeof *n->at, switch_names_compare);
}

const struct switch_name *switch_names_find(
	const struct switch_names *n, uint32_t machine, uint32_t tid, uint64_t ticks)
{
	const struct switch_name wanted = {
		.machine = machine, .tid = tid, .from = ticks, .to = UINT64_MAX};
	struct search s = {0, n->count};

	while (s.low < s.high)
		search_narrow(&s, switch_names_compare(&n->at[search_middle(&s)], &wanted) <= 0);
	const struct switch_name *last = s.low ? &n->at[s.low - 1] : NULL;
	return last && switch_names_is_of(last, &wanted) && last->to >= ticks ? last : NULL;
}

void switch_names_free(struct switch_names *n)
{
	free(n->at);
	hash_index_free(&n->by_thread);
}

/* ---------------------------------------------------------------------------- passes */

int switches_read(const struct trace *t, bool (*progress)(void *ctx, uint64_t done, uint64_t total),
	void *progress_ctx, int (*visit)(void *ctx, const struct hook *h), void *ctx)
{
	struct hook_iter *it;
	const struct hook *h;
	uint64_t hooks = 0, done, total;
	int rc = hook_iter_open(t, &it);

	if (rc)
		return rc;
	while ((rc = hook_iter_next(it, &h)) > 0) {
		if (h->major == KERNEL_MAJOR && (rc = visit(ctx, h)))
			break;
		if (++hooks % PASS_PROGRESS_HOOKS || !progress)
			continue;
		hook_iter_progress(it, &done, &total);
		if (!progress(progress_ctx, done, total)) {
			rc = CPIDECODE_ECANCELED;
			break;
		}
	}
	int error = errno;
	hook_iter_close(it);
	errno = error;
	return rc;
}
