/*
 * Attaching a traced program: control page over the gate, rings mapped, generation
 * changes noticed, forks survived.
 *
 * One lock; every signal is blocked while it is held, so that a handler that traces never
 * finds its own thread holding it. Nothing here allocates from the heap, binds lazily or needs
 * more than a kilobyte of stack: the first hook of a thread may come from a signal handler, on
 * a small stack, while the thread it interrupted is in malloc. So large buffers are static,
 * under the lock. Rings are let go of when their last thread has left.
 */
#include "attach.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../../include/perfutil.h"
#include "../core/clock.h"
#include "../core/lock.h"
#include "../ring/layout.h"
#include "../ring/reserve.h"
#include "../ring/rseq.h"
#include "../ring/thread.h"
#include "discovery.h"
#include "member.h"
#include "schema.h"
#include "threads.h"

__thread struct ring_thread ring_self = {.generation = RING_UNATTACHED};

/* The epoch before the first discovery, and while a thread of a forked child resets the state. No
 * thread has it, so each thread's first hook calls attach_thread. */
enum { EPOCH_NONE = 1 };

struct ring_epoch_page ring_epoch
	__attribute__((aligned(SWTRACE_GATE_SIZE))) = {.value = EPOCH_NONE};

/* The least time between searches for a session, and between attempts to attach after a failure:
 * both cost system calls. */
#define RETRY_NS 100000000u

static pthread_mutex_t attach_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
	bool ready;	 /* fork wipes the epoch page */
	uint32_t epochs; /* epochs used so far */
	struct discovery discovery;
	struct member *member; /* for the control page's generation, or NULL */
	/* The last failed attach: its generation, code and time. 0: none. */
	uint32_t refused;
	int refused_rc; /* a PU_ code, or RING_NOT_WANTED */
	uint64_t refused_at;
	/* Hooks lost because the process could not attach: the total, those not yet counted in a
	 * session, and their generation (0: before any was seen). */
	uint64_t lost, due;
	uint32_t due_generation;
	enum shm_source source;
	uint32_t source_flags;
} here;

/* All mappings of this process, newest first: a forked child must drop them. */
static struct member *members;

/* ------------------------------------------------------------------- fork */

/* In the child: a hook that fork interrupted (fork in a signal handler) continues to fill its
 * record. */
static void attach_after_fork(void)
{
	for (struct member *m = members; m; m = m->next)
		member_divert(m);
	ring_epoch.value = 0;
	ring_self.generation = RING_UNATTACHED;
}

/* Resets the state, which is inherited from the parent, possibly half updated. The old mappings
 * stay for an interrupted hook (see above). */
static void attach_restart_in_child(void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	uint32_t wiped = 0;

	/* The child may have several threads by now: one of them resets the state, with every
	 * signal blocked, and the others wait. */
	if (!__atomic_compare_exchange_n(&ring_epoch.value, &wiped, EPOCH_NONE, false,
		    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		while (__atomic_load_n(&ring_epoch.value, __ATOMIC_ACQUIRE) == EPOCH_NONE)
			sched_yield();
		return;
	}
	memcpy(&attach_mutex, &fresh, sizeof attach_mutex);
	members = NULL;
	threads_forget();
	here.member = NULL;
	here.discovery.control = NULL;
	here.discovery.done = false;
	__atomic_store_n(&here.discovery.at, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&here.refused, 0, __ATOMIC_RELAXED);
	here.lost = here.due = 0; /* the parent counts its own losses */
	/* Release: pairs with the acquire above. tests/litmus/fork-epoch.litmus */
	__atomic_store_n(&ring_epoch.value, ++here.epochs, __ATOMIC_RELEASE);
}

static bool make_epoch(void)
{
	/* Replace the page by anonymous memory: only that can be wiped on fork. Wiping catches
	 * children that no fork handler sees (_Fork, clone); attach_after_fork handles the others,
	 * too. */
	void *p = mmap(&ring_epoch, sizeof ring_epoch, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (p == MAP_FAILED)
		return false;
	madvise(p, sizeof ring_epoch, MADV_WIPEONFORK);
	here.epochs = 2;
	ring_epoch.value = here.epochs;
	here.ready = true;
	return true;
}

/*
 * Usually runs before there are other threads: a fork while one of them holds a lock would leave
 * the child with a lock that has no holder. Calls that allocate or lock (pthread_atfork, the
 * clock's pthread_once) belong here, never into a hook. An earlier hook gets its epoch page from
 * attach_lock().
 */
__attribute__((constructor)) static void at_start(void)
{
	if (!here.ready)
		make_epoch();
	pthread_atfork(NULL, NULL, attach_after_fork);
	threads_prepare();
	clock_kind();
}

/* ------------------------------------------------------------------- lock */

/* For the lock's owner to restore. The kernel's mask: sigset_t takes 128 bytes of stack, and the C
 * library's functions do not block the signal of pthread_cancel. */
struct attach_saved {
	uint64_t signals;
	int cancellation; /* of lock_hold */
};

static bool attach_lock(struct attach_saved *saved)
{
	const uint64_t all = UINT64_MAX;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &saved->signals, sizeof all);
	/* Do not test for 0 alone: another thread may be in attach_restart_in_child. Acquire: a
	 * thread that sees the new epoch also sees the fresh lock. tests/litmus/fork-epoch.litmus
	 */
	if (here.ready && __atomic_load_n(&ring_epoch.value, __ATOMIC_ACQUIRE) <= EPOCH_NONE)
		attach_restart_in_child();
	saved->cancellation = lock_hold(&attach_mutex);
	return here.ready || make_epoch();
}

static void attach_unlock(const struct attach_saved *saved)
{
	if (here.member)
		member_close_dir(here.member);
	lock_release(&attach_mutex, saved->cancellation);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &saved->signals, NULL, sizeof saved->signals);
}

/* ------------------------------------------------------------------- losses */

static uint32_t generation_shown(void)
{
	return here.discovery.control ? session_load_generation(here.discovery.control) : 0;
}

static void count_unattached(uint32_t hooks)
{
	uint32_t generation = generation_shown();

	/* Freed rings have no counters any more. */
	if (here.due_generation && here.due_generation != generation)
		here.due = 0;
	here.due_generation = generation;
	here.due += hooks;
	here.lost += hooks;
}

/* Attaching succeeded: earlier losses belong to this session's ledger. */
static void settle_unattached(const struct member *m, uint32_t number)
{
	struct shm_ring *first_guest = ring_at(m->map.base, &m->map.geometry, m->map.geometry.cpus);

	if (here.due && (!here.due_generation || here.due_generation == m->generation)) {
		__atomic_fetch_add(
			&first_guest->loss[SHM_LOST_UNATTACHED], here.due, __ATOMIC_RELAXED);
		ring_count_lost(&m->map, number, here.due);
	}
	here.due = here.due_generation = 0;
}

int TraceGetUnattached(UINT64 *hooks)
{
	struct attach_saved saved;

	if (!hooks)
		return PU_ERR_NULL_PTR;
	attach_lock(&saved);
	*hooks = here.lost;
	attach_unlock(&saved);
	return PU_SUCCESS;
}

/* ---------------------------------------------------------- control page */

/* Finds the session and maps its control page, unless it is mapped already. */
static int attach_find_session(void)
{
	bool is_new;
	int rc = discovery_renew(&here.discovery, &is_new);

	/* An attach that failed may succeed now. */
	__atomic_store_n(&here.refused, 0, __ATOMIC_RELAXED);
	/* No session existed: the losses belong to none. */
	if (rc == 0 && !here.discovery.control && !here.due_generation) {
		here.lost -= here.due;
		here.due = 0;
	}
	if (!is_new)
		return rc;
	if (here.member)
		member_leave(here.member); /* its threads keep a reference until they notice */
	here.member = NULL;
	__atomic_store_n(&ring_epoch.value, ++here.epochs, __ATOMIC_RELEASE);
	return 0;
}

static bool attach_is_child(void)
{
	return here.ready && __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED) == 0;
}

static void attach_discover_now(void)
{
	int saved_errno = errno;
	struct attach_saved saved;

	if (attach_lock(&saved))
		attach_find_session();
	attach_unlock(&saved);
	errno = saved_errno;
}

void attach_discover(void)
{
	/* Check without the lock first: a stale answer costs a system call, or a delay of 100 ms.
	 */
	uint64_t at = __atomic_load_n(&here.discovery.at, __ATOMIC_RELAXED);

	if (!at || attach_is_child() || discovery_now() - at >= RETRY_NS)
		attach_discover_now();
}

bool attach_wants(uint32_t major)
{
	const struct shm_control *control =
		__atomic_load_n(&here.discovery.control, __ATOMIC_RELAXED);

	return major < SHM_MAJORS && control &&
	       __atomic_load_n(&control->gate[major], __ATOMIC_RELAXED);
}

void attach_ready(uint32_t major)
{
	if (attach_wants(major) && !ring_thread_may_write(&ring_self, major))
		attach_thread(0);
}

struct attach_checked attach_checked;

bool attach_begin(uint32_t major, uint64_t now, bool *late)
{
	struct attach_checked *checked = &attach_checked;

	if (!attach_has_checked(now) || attach_is_child()) {
		attach_discover();
		__atomic_store_n(&checked->lasts,
			clock_ticks_per_second() / (TIME_SECOND_NS / RETRY_NS), __ATOMIC_RELAXED);
		__atomic_store_n(&checked->at, now, __ATOMIC_RELAXED);
		*late = true;
	}
	if (!attach_wants(major))
		return false;
	if (!ring_thread_may_write(&ring_self, major)) {
		attach_thread(0);
		*late = true;
	}
	return true;
}

/* ------------------------------------------------------------------ rings */

/* SWTRACE_BEGINS takes precedence over the session's setting. */
static void attach_choose_begins(void)
{
	const char *own = secure_getenv("SWTRACE_BEGINS");
	bool begins = own && *own ? strcmp(own, "0") != 0 : here.discovery.control->begins != 0;

	if (begins)
		__atomic_fetch_or(&attach_extras, ATTACH_BEGINS, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&attach_extras, ~(uint32_t)ATTACH_BEGINS, __ATOMIC_RELAXED);
}

/* The member mapping of the control page's current generation, made if needed. */
static int current_member(uint32_t generation)
{
	int rc;

	if (here.member && here.member->generation == generation)
		return 0;
	if (here.member)
		member_leave(here.member);
	rc = member_open(&here.discovery.location, here.discovery.control, generation, &members,
		&here.member);
	if (rc)
		return rc;
	member_set_source(here.member, here.source, here.source_flags);
	__atomic_fetch_or(&attach_extras, ATTACH_EVENTS_NEW, __ATOMIC_RELAXED);
	attach_choose_begins();
	return 0;
}

uint32_t attach_extras;

void attach_read_events(char list[SHM_EVENTS_BYTES])
{
	struct attach_saved saved;

	list[0] = 0;
	if (attach_lock(&saved)) {
		__atomic_fetch_and(&attach_extras, ~(uint32_t)ATTACH_EVENTS_NEW, __ATOMIC_RELAXED);
		if (here.member && here.discovery.control) {
			memcpy(list, here.discovery.control->events, SHM_EVENTS_BYTES);
			list[SHM_EVENTS_BYTES - 1] = 0;
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			/* Another init intervened: its rings are new, too. */
			if (generation_shown() != here.member->generation)
				list[0] = 0;
		}
	}
	attach_unlock(&saved);
}

/* A session that this process may not use, or that is being freed, drops the hook without
 * counting it. */
static int without_absence(int rc)
{
	return rc == PU_ERROR_ACCESS_DENIED || rc == PU_ERROR_DRIVER_NOT_LOADED ? RING_NOT_WANTED
										: rc;
}

static bool attach_is_refused(uint32_t generation)
{
	return generation && __atomic_load_n(&here.refused, __ATOMIC_RELAXED) == generation &&
	       clock_raw_ns() - __atomic_load_n(&here.refused_at, __ATOMIC_RELAXED) < RETRY_NS;
}

static int attach_locked(struct ring_thread *self, bool is_writing)
{
	uint32_t generation;
	int rc;

	if (!here.discovery.done) {
		if (here.discovery.at && discovery_now() - here.discovery.at < RETRY_NS)
			return here.discovery.rc;
		rc = attach_find_session();
		if (rc)
			return rc;
	}
	/* Acquire: a thread that the gate let in finds the generation that opened it.
	 * tests/litmus/gate-open.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	generation = generation_shown();
	if (generation == 0)
		return RING_NOT_WANTED;
	if (attach_is_refused(generation))
		return here.refused_rc;
	rc = current_member(generation);
	/* Another init intervened: the next hook sees its generation. */
	if (rc && generation_shown() != generation)
		return RING_NOT_WANTED;
	if (rc) {
		here.refused_rc = without_absence(rc);
		__atomic_store_n(&here.refused_at, clock_raw_ns(), __ATOMIC_RELAXED);
		__atomic_store_n(&here.refused, generation, __ATOMIC_RELAXED);
		return here.refused_rc;
	}
	if (!member_join(here.member, &here.discovery.location, self, is_writing))
		rc = RING_NO_SLOT;
	self->epoch = __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED);
	settle_unattached(here.member, self->number);
	return rc;
}

int attach_thread(uint32_t hooks)
{
	int saved_errno = errno, rc = PU_ERROR_NOT_ENOUGH_MEMORY;
	struct attach_saved saved;

	/* Caches for a while that this process may not use the session, which saves system
	 * calls. Unlocked: a stale answer costs one discovery. */
	if (here.ready && __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED) > EPOCH_NONE &&
		__atomic_load_n(&here.refused_rc, __ATOMIC_RELAXED) == RING_NOT_WANTED &&
		attach_is_refused(__atomic_load_n(&ring_gate_page()->generation, __ATOMIC_RELAXED)))
		return RING_NOT_WANTED;
	if (threads_wait_for_slot(&ring_self))
		return RING_NO_SLOT;
	if (attach_lock(&saved))
		rc = attach_locked(&ring_self, hooks != 0);
	if (rc < 0)
		count_unattached(hooks);
	attach_unlock(&saved);
	errno = saved_errno;
	return rc;
}

static uint32_t attach_add_label(const char *text, uint32_t length, uint32_t hash)
{
	int saved_errno = errno;
	uint32_t number = 0;
	struct attach_saved saved;

	/* Another session's number would name another label. */
	if (attach_lock(&saved) && here.member && ring_self.map == &here.member->map)
		number = labels_add(&here.member->labels, here.member->generation,
			&here.discovery.location, text, length, hash);
	attach_unlock(&saved);
	errno = saved_errno;
	return number;
}

/* Marks the thread busy: a signal handler that attaches it to other rings then keeps the table
 * mapped. */
static uint32_t attach_find_label_busy(const char *text, uint32_t length, uint64_t *cached)
{
	const struct ring_map *map = __atomic_load_n(&ring_self.map, __ATOMIC_RELAXED);
	uint64_t known = cached ? __atomic_load_n(cached, __ATOMIC_RELAXED) : 0;
	const struct label_table *t;
	uint32_t hash, number;

	if (!map)
		return 0;
	t = &member_of_map(map)->labels;
	if (known && known >> 32 == t->serial)
		return (uint32_t)known;
	hash = labels_hash(text, length);
	number = labels_find_number(t, text, length, hash);
	if (number == 0 && labels_may_add(t))
		number = attach_add_label(text, length, hash);
	if (number && cached)
		__atomic_store_n(cached, (uint64_t)t->serial << 32 | number, __ATOMIC_RELAXED);
	return number;
}

uint32_t attach_find_label(const char *text, uint32_t length, uint64_t *cached)
{
	uint32_t number;

	if (length == 0 || length > SHM_LABEL_TEXT_MAX)
		return 0;
	hook_raise_busy();
	number = attach_find_label_busy(text, length, cached);
	hook_lower_busy();
	return number;
}

void attach_set_source(enum shm_source source, uint32_t flags)
{
	struct attach_saved saved;

	if (attach_lock(&saved)) {
		here.source = source;
		here.source_flags = flags;
		if (here.member)
			member_set_source(here.member, source, flags);
	}
	attach_unlock(&saved);
}

void attach_refresh_name(void)
{
	struct attach_saved saved;

	if (attach_lock(&saved) && here.member && ring_self.generation == here.member->generation &&
		ring_self.epoch == __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED))
		member_name_thread(here.member, &ring_self);
	attach_unlock(&saved);
}

/* Called by an ending thread (threads.c's key). */
void attach_thread_gone(void)
{
	struct attach_saved saved;

	if (attach_lock(&saved)) {
		member_part(&ring_self);
		ring_self.ending = true;
		if (ring_self.block)
			munmap(ring_self.block, RING_BLOCK_BYTES);
		ring_self.block = NULL;
	}
	rseq_release();
	attach_unlock(&saved);
}

/*
 * The process ends in order, after its own exit handlers: gives back its slots in the session.
 * Threads that still trace, and handlers later than this one, attach again.
 *
 * Or a plugin that contains this library is closed (the shared library never is), and the program's
 * threads go on: the kernel must find no descriptor of ours in them, and mappings that no thread
 * uses are removed. (The control page stays; dlclose unmaps the gate with the plugin's data.)
 */
__attribute__((destructor)) static void at_end(void)
{
	struct member *next;
	struct attach_saved saved;

	if (!here.ready || __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED) <= EPOCH_NONE)
		return;
	if (attach_lock(&saved)) {
		/* Later hooks wait for the lock; threads_end does not wait for hooks. */
		__atomic_store_n(&ring_epoch.value, ++here.epochs, __ATOMIC_RELEASE);
		threads_end();
		for (struct member *m = members; m; m = next) {
			next = m->next;
			if (m->references == (m == here.member))
				member_unmap(m);
			else if (m == here.member)
				member_leave(m);
		}
		here.member = NULL;
	}
	attach_unlock(&saved);
}

int TraceRegisterSchema(const char *text)
{
	const struct registered_schema *kept = NULL;
	uint32_t generation;
	struct attach_saved saved;
	int rc = TraceCheckSchema(text, NULL);

	if (rc)
		return rc;
	attach_discover();
	rc = attach_lock(&saved) ? schema_keep(text, strlen(text), &kept)
				 : PU_ERROR_NOT_ENOUGH_MEMORY;
	generation = generation_shown();
	/* Attaches now if the session has rings, so that the caller learns whether there is
	 * room. */
	if (kept && generation && current_member(generation) == 0)
		rc = schema_publish(here.member, &here.discovery.location, kept);
	attach_unlock(&saved);
	return rc;
}
