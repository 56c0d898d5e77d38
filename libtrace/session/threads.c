#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../formats/record.h"
#include "../../formats/trace_file.h"
#include "../core/clock.h"
#include "../ring/rseq.h"
#include "container.h"
#include "paths.h"
#include "slots.h"

/* The time before a refused thread asks again, unless slots were released. */
#define RETRY_NS 100000000u

/* ----------------------------------------------------------------- entries */

/* Circular; the head is no entry. */
static struct thread_entry keyed = {.next = &keyed, .previous = &keyed};
static struct thread_entry keyless = {.next = &keyless, .previous = &keyless};
static struct thread_entry *unused;

static void threads_append_entry(struct thread_entry *list, struct thread_entry *e)
{
	e->next = list;
	e->previous = list->previous;
	list->previous->next = e;
	list->previous = e;
}

static void unlink_entry(struct thread_entry *e)
{
	e->previous->next = e->next;
	e->next->previous = e->previous;
}

static void add_unused(struct thread_entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		e[i].next = unused;
		unused = &e[i];
	}
}

static struct thread_entry *new_entry(void)
{
	/* Storage for a process with few threads; unloaded with a plugin. */
	static struct thread_entry first[32];
	static bool has_used_first;
	struct thread_entry *e;

	if (!unused && !has_used_first) {
		add_unused(first, sizeof first / sizeof *first);
		has_used_first = true;
	} else if (!unused) {
		const size_t bytes = 16384;

		e = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (e == MAP_FAILED)
			return NULL;
		add_unused(e, bytes / sizeof *e);
	}
	e = unused;
	unused = e->next;
	return e;
}

static void drop_entry(struct thread_entry *e)
{
	struct member *m = e->member;

	unlink_entry(e);
	slots_give_back(m->tasks, e->number);
	e->next = unused;
	unused = e;
	member_leave(m);
}

void threads_forget(void)
{
	keyed.next = keyed.previous = &keyed;
	keyless.next = keyless.previous = &keyless;
	unused = NULL;
}

/* --------------------------------------------------------- the end of threads */

static pthread_key_t key;
static bool has_key;

static void threads_leave_at_exit(void *arg)
{
	(void)arg;
	attach_thread_gone();
}

void threads_prepare(void)
{
	/* glibc keeps the values of a thread's first 32 keys in the thread itself, and allocates
	 * for others: that must not happen in a hook. */
	const pthread_key_t inline_keys = 32;

	if (pthread_key_create(&key, threads_leave_at_exit) == 0) {
		has_key = key < inline_keys;
		if (!has_key)
			pthread_key_delete(key);
	}
	/* May fail: then threads_end gives back only the slots of the thread that ends all. */
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

static bool thread_is_gone(uint32_t tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}

/* Checks two threads without a key at each call: their slots are freed about as fast as such
 * threads start. */
static void collect_gone(void)
{
	for (int i = 0; i < 2 && keyless.next != &keyless; i++) {
		struct thread_entry *e = keyless.next;

		if (thread_is_gone(e->tid)) {
			drop_entry(e);
		} else {
			unlink_entry(e);
			threads_append_entry(&keyless, e);
		}
	}
}

/* Drops each entry on behalf of its thread, which is in no hook. */
static void end_keyed(bool others)
{
	struct thread_entry *next;

	for (struct thread_entry *e = keyed.next; e != &keyed; e = next) {
		struct ring_thread *t = e->thread;

		next = e->next;
		/* Acquire: the slot ends after the hook whose end we see.
		 * tests/litmus/slot-ended.litmus */
		if ((t != &ring_self && !others) || __atomic_load_n(&t->busy, __ATOMIC_ACQUIRE))
			continue;
		if (t->map)
			member_leave(member_of_map(t->map));
		t->generation = RING_UNATTACHED;
		t->map = NULL;
		t->number = 0;
		t->entry = NULL;
		rseq_forget(e->rseq);
		drop_entry(e);
	}
}

static void end_keyless(void)
{
	struct thread_entry *next;

	for (struct thread_entry *e = keyless.next; e != &keyless; e = next) {
		next = e->next;
		if (e->thread != &ring_self && thread_is_gone(e->tid))
			drop_entry(e);
	}
	if (ring_self.busy == 0) {
		if (ring_self.rseq)
			rseq_forget(ring_self.rseq);
		member_part(&ring_self);
	}
}

void threads_end(void)
{
	/*
	 * A hook raises `busy`, then reads the epoch; we raised the epoch and read `busy` below.
	 * With the barrier in between one of the two sees the other's store, and a hook that sees
	 * the epoch waits for the lock that is ours.
	 * tests/litmus/thread-busy.litmus
	 */
	bool others = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;

	end_keyed(others);
	end_keyless();
	if (has_key)
		pthread_key_delete(key);
	has_key = false;
}

/* ------------------------------------------------------------------ process */

/* Opens the lock file of that process slot. */
static int open_lock_file(struct member *m, const struct session_location *location, uint32_t index)
{
	char name[32];

	if (member_open_dir(m, location) < 0)
		return -1;
	session_name(name, SHM_LOCKS_FORMAT, m->generation, index % SHM_LOCK_FILES);
	return session_open_file(m->dir, name, O_RDWR, location->owner, S_IWGRP, 0, NULL);
}

/*
 * The lock that proves that the process is alive. It belongs to an open file description that only
 * a mapping keeps open: closing descriptors does not release it, exec and exit do. A forked child
 * does not inherit the mapping. (If another thread forks between open and close below, the child
 * inherits the descriptor, and the lock lasts until the child execs or exits: it is released late,
 * never early.)
 */
static bool threads_lock_slot(
	struct member *m, const struct session_location *location, uint32_t number)
{
	uint32_t index = shm_task_index(number);
	struct flock fl = {.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = index / SHM_LOCK_FILES,
		.l_len = 1};
	int fd = open_lock_file(m, location, index);

	if (fd < 0)
		return false;
	if (fcntl(fd, F_OFD_SETLK, &fl) == 0) {
		/* The file is empty: this mapping is never touched. */
		void *p = mmap(NULL, SHM_PAGE, PROT_READ, MAP_SHARED, fd, 0);

		if (p != MAP_FAILED && madvise(p, SHM_PAGE, MADV_DONTFORK) == 0)
			m->lock_map = p;
		else if (p != MAP_FAILED)
			munmap(p, SHM_PAGE);
	}
	close(fd);
	return m->lock_map != NULL;
}

/* Whether the process has its slot; claims one if needed. */
static bool claim_process(struct member *m, const struct session_location *location)
{
	struct shm_task t = {.pid = (uint32_t)getpid(),
		.first = clock_now(),
		.source = m->source,
		.source_flags = m->source_flags};
	uint32_t number;

	if (m->process)
		return true;
	m->pid_namespace = container_of_thread(m->map.control);
	m->cgroup = container_cgroup(member_open_dir(m, location), m->map.control,
		m->pid_namespace == m->map.control->pid_namespace, m->generation, location);
	t.pid_namespace = m->pid_namespace;
	t.cgroup = m->cgroup;
	number = slots_claim(m->tasks, &t);
	if (number == 0)
		return false;
	/* Locked before it is published: a process slot without its lock is a dead process's. */
	if (!threads_lock_slot(m, location, number)) {
		slots_give_back(m->tasks, number);
		return false;
	}
	m->process = number;
	slots_publish(m->tasks, number, SHM_TASK_PROCESS);
	return true;
}

void threads_end_process(struct member *m)
{
	/* Given back first: a sweep that finds a process slot without its lock ends it, and must
	 * not end the next claim. A claimer that finds the lock still held tries again later. */
	if (m->process)
		slots_give_back(m->tasks, m->process);
	m->process = 0;
	if (m->lock_map)
		munmap(m->lock_map, SHM_PAGE);
	m->lock_map = NULL;
}

/* ------------------------------------------------------------------ threads */

/* The longest record that the fast path accepts from a thread. */
static uint64_t longest_fast(const struct member *m, const struct ring_thread *self)
{
	uint64_t longest = rec_size(REC_MAX_WORDS, 0);

	/* The fast path reads the clock by an instruction. */
	if (self->number == 0 || self->rseq == rseq_none() ||
		m->map.geometry.clock == TF_CLOCK_MONOTONIC_RAW)
		return 0;
	return longest < m->map.geometry.section_size ? longest : m->map.geometry.section_size;
}

/* A refusal holds for the process: its next thread would be refused, too. */
static bool threads_is_refused(const struct member *m)
{
	uint64_t since = __atomic_load_n(&m->refused, __ATOMIC_RELAXED);

	return since && clock_raw_ns() - since < RETRY_NS &&
	       slots_freed(m->tasks) == __atomic_load_n(&m->refused_freed, __ATOMIC_RELAXED);
}

bool threads_wait_for_slot(const struct ring_thread *self)
{
	return self->map && self->number == 0 &&
	       self->epoch == __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&ring_gate_page()->generation, __ATOMIC_RELAXED) ==
		       member_of_map(self->map)->generation &&
	       threads_is_refused(member_of_map(self->map));
}

/* Use syscall(): calling prctl() would fault another page in. */
static void read_own_name(char *name)
{
	syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0);
}

static uint32_t claim_thread(
	struct member *m, const struct session_location *location, const struct ring_thread *self)
{
	struct shm_task t = {.tid = self->tid,
		.pid = self->pid,
		.source = m->source,
		.source_flags = m->source_flags};
	uint32_t number;

	if (threads_is_refused(m))
		return 0;
	__atomic_store_n(&m->refused_freed, slots_freed(m->tasks), __ATOMIC_RELAXED);
	number = 0;
	if (claim_process(m, location)) {
		read_own_name(t.name);
		t.process = m->process;
		t.pid_namespace = m->pid_namespace;
		if (self->tid != self->pid && t.pid_namespace == m->map.control->pid_namespace)
			t.pid_namespace = container_of_thread(m->map.control);
		t.cgroup = m->cgroup;
		t.first = clock_now();
		number = slots_claim(m->tasks, &t);
	}
	__atomic_store_n(&m->refused, number ? 0 : clock_raw_ns(), __ATOMIC_RELAXED);
	return number;
}

/* Records the thread's slot. Without memory for it, the thread's reference keeps the process's
 * slot. */
static void register_thread(struct member *m, struct ring_thread *self)
{
	/* A thread whose key's destructor ran (a handler's hook later) may end unseen. */
	bool is_keyed = has_key && !self->ending;
	struct thread_entry *e;

	if (!is_keyed)
		collect_gone();
	e = new_entry();
	if (!e)
		return;
	*e = (struct thread_entry){.older = self->entry,
		.thread = self,
		.rseq = self->rseq,
		.member = m,
		.number = self->number,
		.tid = self->tid,
		.keyed = is_keyed};
	threads_append_entry(is_keyed ? &keyed : &keyless, e);
	self->entry = e;
	m->references++;
	if (is_keyed)
		pthread_setspecific(key, self);
}

/*
 * Leaves the rings. Hooks of the thread that were interrupted (more of them than `own`, the
 * caller's) still write under its number: that stays its slot, and its entry, until it ends.
 */
static void threads_leave_rings(struct ring_thread *self, uint32_t own)
{
	struct member *m = self->map ? member_of_map(self->map) : NULL;
	bool is_writing = self->busy > own;
	uint32_t number = self->number;
	struct thread_entry *e;

	/* In a forked child it is the parent's: nothing to release. */
	if (!m || !member_is_ours(m)) {
		self->entry = NULL;
		m = NULL;
	}
	self->generation = RING_UNATTACHED;
	self->map = NULL;
	self->number = 0;
	if (!m)
		return;
	e = self->entry;
	if (is_writing && number && (!e || e->number != number || e->member != m))
		return; /* no entry: its reference keeps the process's slot */
	while (!is_writing && (e = self->entry) != NULL) {
		self->entry = e->older;
		drop_entry(e);
	}
	if (!is_writing && number)
		slots_give_back(m->tasks, number); /* if it had no entry */
	member_leave(m);
}

bool member_join(struct member *m, const struct session_location *location,
	struct ring_thread *self, uint32_t own)
{
	threads_leave_rings(self, own);
	self->tid = (uint32_t)syscall(SYS_gettid);
	self->pid = (uint32_t)getpid();
	self->rseq = rseq_lookup();
	self->guest = self->tid % m->map.geometry.guests;
	self->number = claim_thread(m, location, self);
	self->longest = longest_fast(m, self);
	self->map = &m->map;
	m->references++;
	if (self->number == 0 || !slots_publish(m->tasks, self->number, SHM_TASK_LIVE)) {
		self->number = 0;
		return false;
	}
	register_thread(m, self);
	self->generation = m->generation;
	return true;
}

void member_part(struct ring_thread *self)
{
	threads_leave_rings(self, UINT32_MAX);
}

void member_name_thread(struct member *m, struct ring_thread *self)
{
	if (self->number)
		read_own_name(m->tasks->slot[shm_task_index(self->number)].name);
}
