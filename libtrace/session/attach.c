/*
 * Attaching a traced program: control page over the gate, rings mapped, generation
 * changes noticed, forks survived.
 *
 * One lock; every signal is blocked while it is held, so that a handler that traces never
 * finds its own thread holding it. Nothing here allocates from the heap: the first hook of
 * a thread may come from anywhere. Control mappings are never unmapped (a writer may be
 * reading one); rings are let go of when their last thread has left.
 */
#include "attach.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../counters/clock.h"
#include "../ring/layout.h"
#include "../ring/reserve.h"
#include "../ring/rseq.h"
#include "../ring/thread.h"
#include "member.h"
#include "paths.h"
#include "threads.h"

/* Page-aligned and alone on its pages, so that the control file can be mapped over it. All
 * ones: until then every major looks enabled, and the first hook comes here. */
UINT32 swtrace_gate[SWTRACE_GATE_SIZE / 4] __attribute__((aligned(SWTRACE_GATE_SIZE))) = {
	[0 ... SWTRACE_GATE_SIZE / 4 - 1] = RING_NO_GENERATION};

const struct shm_control *ring_gate = (const struct shm_control *)(const void *)swtrace_gate;

__thread struct ring_thread ring_self = {.generation = RING_UNATTACHED};

/* The epoch while one of a child's threads makes it its own; also before the first look:
 * no thread has that, so the first hook of each comes to attach_thread. */
enum { EPOCH_NONE = 1 };

struct ring_epoch_page ring_epoch
	__attribute__((aligned(SWTRACE_GATE_SIZE))) = {.value = EPOCH_NONE};

/* Looking for a session costs system calls; CpiStart asks at most this often. */
#define LOOK_EVERY_NS 100000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	bool ready;	 /* the epoch page is one that fork wipes */
	uint32_t epochs; /* given out so far */
	struct session_place place;
	const struct shm_control *control; /* NULL: no session */
	dev_t device;
	ino_t inode;
	uint64_t looked;       /* CLOCK_MONOTONIC_RAW ns; 0: never */
	struct member *member; /* of control's generation; NULL */
	uint32_t refused;      /* a generation that could not be attached to; 0: none */
	enum shm_source source;
	uint32_t source_flags;
} here;

/* All mappings of this process, newest first: what a forked child must let go of. */
static struct member *members;

/* ------------------------------------------------------------------- fork */

/* In the child: a hook that fork interrupted (fork in a signal handler) goes on filling. */
static void after_fork(void)
{
	for (struct member *m = members; m; m = m->next)
		member_divert(m);
	ring_epoch.value = 0;
	ring_self.generation = RING_UNATTACHED;
}

/* The state is the parent's, perhaps in the middle of a change: starts afresh. The old
 * mappings stay for an interrupted hook (see above). */
static void become_child(void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	uint32_t wiped = 0;

	/* The child may have several threads by now: one of them does it, with every signal
	 * blocked, and the others wait for that. */
	if (!__atomic_compare_exchange_n(&ring_epoch.value, &wiped, EPOCH_NONE, false,
		    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		while (__atomic_load_n(&ring_epoch.value, __ATOMIC_ACQUIRE) == EPOCH_NONE)
			sched_yield();
		return;
	}
	memcpy(&lock, &fresh, sizeof lock);
	members = NULL;
	threads_forget();
	here.member = NULL;
	here.control = NULL;
	__atomic_store_n(&here.looked, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&here.refused, 0, __ATOMIC_RELAXED);
	/* Release: pairs with the acquire above. */
	__atomic_store_n(&ring_epoch.value, ++here.epochs, __ATOMIC_RELEASE);
}

static bool make_epoch(void)
{
	/* Fresh anonymous memory in its place: only such can be wiped. Wiping is for children
	 * that no fork handler sees (_Fork, clone); others are told in after_fork too. */
	void *p = mmap(&ring_epoch, sizeof ring_epoch, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (p == MAP_FAILED)
		return false;
	madvise(p, sizeof ring_epoch, MADV_WIPEONFORK);
	pthread_atfork(NULL, NULL, after_fork);
	threads_prepare();
	here.epochs = 2;
	ring_epoch.value = here.epochs;
	here.ready = true;
	return true;
}

/* Before there are threads, as a rule: a fork while another thread is at it would leave the
 * child a lock that nobody opens. enter() does it for who traces earlier still. */
__attribute__((constructor)) static void at_start(void)
{
	if (!here.ready)
		make_epoch();
}

/* ------------------------------------------------------------------- lock */

static bool enter(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
	/* Not only 0: another thread may be in the middle of become_child. Acquire: who finds
	 * it done finds the fresh lock too. */
	if (here.ready && __atomic_load_n(&ring_epoch.value, __ATOMIC_ACQUIRE) <= EPOCH_NONE)
		become_child();
	pthread_mutex_lock(&lock);
	return here.ready || make_epoch();
}

static void leave(const sigset_t *saved)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

/* ---------------------------------------------------------- control page */

/* Shows a control page at the gate; NULL: says off. */
static void set_gate(const struct shm_control *control, int fd)
{
	long page = sysconf(_SC_PAGESIZE);
	bool fits = page <= SWTRACE_GATE_SIZE && (uintptr_t)swtrace_gate % (size_t)page == 0;

	if (control && fits &&
		mmap(swtrace_gate, SWTRACE_GATE_SIZE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) !=
			MAP_FAILED) {
		__atomic_store_n(&ring_gate, control, __ATOMIC_RELAXED);
		return;
	}
	/* It may be a mapping of an old session: make it plain memory again. */
	if (fits)
		mmap(swtrace_gate, SWTRACE_GATE_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	else
		memset(swtrace_gate, 0, sizeof swtrace_gate);
	__atomic_store_n(&ring_gate, (const struct shm_control *)(const void *)swtrace_gate,
		__ATOMIC_RELAXED);
	if (control) {
		/* Cannot be mapped there: every hook comes in and looks at the page itself. */
		memset(swtrace_gate, 0x80, sizeof swtrace_gate);
		__atomic_store_n(&ring_gate, control, __ATOMIC_RELAXED);
	}
}

static bool same_control(const struct session_place *place)
{
	char path[PATH_MAX + 16];
	struct stat st;

	snprintf(path, sizeof path, "%s/%s", place->dir, SHM_CONTROL_NAME);
	return here.control && strcmp(place->dir, here.place.dir) == 0 && stat(path, &st) == 0 &&
	       st.st_dev == here.device && st.st_ino == here.inode;
}

static int open_control(struct session_place *place)
{
	int dir, fd;

	/* One's own is made by whoever comes first; a missing one of root's is root's. What
	 * was there and is gone, its owner removed: a program that outlives it (a private
	 * session's daemon) does not make it again. */
	if (strcmp(place->dir, here.place.dir) != 0)
		session_make(place, NULL);
	dir = session_open_dir(place, NULL);
	if (dir < 0)
		return dir;
	fd = session_open_file(
		dir, SHM_CONTROL_NAME, O_RDONLY, place->owner, 0, SHM_CONTROL_SIZE, NULL);
	close(dir);
	return fd;
}

/* Finds the session and shows its control page, if it is not the one already there. */
static void look(void)
{
	struct session_place place;
	const struct shm_control *control = NULL;
	struct stat st;
	int fd = -1;

	__atomic_store_n(&here.looked, clock_raw_ns(), __ATOMIC_RELAXED);
	/* What could not be attached to may be now: descriptors were short, say. */
	__atomic_store_n(&here.refused, 0, __ATOMIC_RELAXED);
	if (session_find(&place, NULL) == 0) {
		if (same_control(&place))
			return;
		fd = open_control(&place);
	}
	if (fd >= 0) {
		control = mmap(NULL, SHM_CONTROL_SIZE, PROT_READ, MAP_SHARED, fd, 0);
		if (control == MAP_FAILED || fstat(fd, &st) != 0 || control->magic != SHM_MAGIC ||
			control->version != SHM_VERSION)
			control = NULL;
	}
	if (control || here.control || ring_gate_page()->generation != 0)
		set_gate(control, fd);
	if (control) {
		here.place = place;
		here.device = st.st_dev;
		here.inode = st.st_ino;
	}
	if (fd >= 0)
		close(fd);
	__atomic_store_n(&here.control, control, __ATOMIC_RELAXED);
	if (here.member)
		member_leave(here.member); /* its threads hold it until they notice */
	here.member = NULL;
	__atomic_store_n(&ring_epoch.value, ++here.epochs, __ATOMIC_RELEASE);
}

void attach_look(void)
{
	int saved_errno = errno;
	sigset_t saved;

	/* Unlocked first: a stale answer costs a system call or a tenth of a second. */
	uint64_t looked = __atomic_load_n(&here.looked, __ATOMIC_RELAXED);
	bool child = here.ready && __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED) == 0;

	if (looked && !child && clock_raw_ns() - looked < LOOK_EVERY_NS)
		return;
	if (enter(&saved))
		look();
	leave(&saved);
	errno = saved_errno;
}

bool attach_wants(uint32_t major)
{
	const struct shm_control *control = __atomic_load_n(&here.control, __ATOMIC_RELAXED);

	return major < SHM_MAJORS && control &&
	       __atomic_load_n(&control->gate[major], __ATOMIC_RELAXED);
}

void attach_ready(uint32_t major)
{
	if (attach_wants(major) && !ring_thread_may_write(&ring_self, major))
		attach_thread(0);
}

/* ------------------------------------------------------------------ rings */

/* The member mapping of the control page's present generation, made if need be. */
static struct member *current_member(uint32_t generation)
{
	if (here.member && here.member->generation == generation)
		return here.member;
	if (here.member)
		member_leave(here.member);
	here.member = member_open(&here.place, here.control, generation, &members);
	if (here.member)
		member_set_source(here.member, here.source, here.source_flags);
	return here.member;
}

enum attach_result attach_thread(uint32_t own)
{
	struct ring_thread *self = &ring_self;
	int saved_errno = errno;
	enum attach_result attached = ATTACH_NONE;
	uint32_t generation;
	sigset_t saved;

	/* What failed once for this generation fails again: no system calls for that. */
	uint32_t refused = __atomic_load_n(&here.refused, __ATOMIC_RELAXED);
	if (refused && here.ready && __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED) &&
		__atomic_load_n(&ring_gate_page()->generation, __ATOMIC_RELAXED) == refused)
		return ATTACH_NONE;
	if (threads_wait_for_slot(self))
		return ATTACH_NO_SLOT;
	if (!enter(&saved))
		goto out;
	if (!here.looked)
		look();
	if (!here.control)
		goto out;
	/* Acquire: pairs with session_init's release; the geometry is that generation's. */
	generation = __atomic_load_n(&here.control->generation, __ATOMIC_ACQUIRE);
	if (generation == 0)
		goto out;
	struct member *m = current_member(generation);
	if (!m) {
		__atomic_store_n(&here.refused, generation, __ATOMIC_RELAXED);
		goto out;
	}
	attached = member_join(m, &here.place, self, own) ? ATTACH_READY : ATTACH_NO_SLOT;
	self->epoch = __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED);
out:
	leave(&saved);
	errno = saved_errno;
	return attached;
}

void attach_set_source(enum shm_source source, uint32_t flags)
{
	sigset_t saved;

	if (enter(&saved)) {
		here.source = source;
		here.source_flags = flags;
		if (here.member)
			member_set_source(here.member, source, flags);
	}
	leave(&saved);
}

void attach_refresh_name(void)
{
	sigset_t saved;

	if (enter(&saved) && here.member && ring_self.generation == here.member->generation &&
		ring_self.epoch == __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED))
		member_name_thread(here.member, &ring_self);
	leave(&saved);
}

/* Called by a thread that ends (threads.c's key). */
void attach_thread_gone(void)
{
	sigset_t saved;

	if (enter(&saved)) {
		member_part(&ring_self);
		ring_self.ending = true;
	}
	rseq_release();
	leave(&saved);
}

/*
 * The process ends in order, after its own exit handlers: gives back what it has in the session.
 * Threads that still trace, and handlers later than this one, attach again.
 */
__attribute__((destructor)) static void at_end(void)
{
	sigset_t saved;

	if (!here.ready || __atomic_load_n(&ring_epoch.value, __ATOMIC_RELAXED) <= EPOCH_NONE)
		return;
	if (enter(&saved)) {
		/* Hooks from now on wait for the lock; threads_end waits for no hook. */
		__atomic_store_n(&ring_epoch.value, ++here.epochs, __ATOMIC_RELEASE);
		threads_end();
		if (here.member)
			member_leave(here.member);
		here.member = NULL;
	}
	leave(&saved);
}

/* ---------------------------------------------------------------- schemas */

/* Texts this process registered: one mapping each, kept for later sessions. */
static struct member_schema *schemas;

static bool utf8_text(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	while (*p) {
		unsigned n = *p < 0x80 ? 0 : *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : 1;

		if ((*p >= 0x80 && *p < 0xc2) || *p > 0xf4 || *p == 0x7f ||
			(*p < 0x20 && *p != '\n' && *p != '\t' && *p != '\r'))
			return false;
		for (p++; n; n--, p++) {
			if ((*p & 0xc0) != 0x80)
				return false;
		}
	}
	return true;
}

int TraceRegisterSchema(const char *text)
{
	struct member_schema *s;
	sigset_t saved;
	size_t length;
	int rc = PU_SUCCESS;

	if (!text)
		return PU_ERR_NULL_PTR;
	length = strlen(text);
	if (length == 0 || length > SHM_SCHEMA_TEXT_MAX || !utf8_text(text))
		return PU_ERROR_INVALID_PARAMETER;
	attach_look();
	if (!enter(&saved)) {
		rc = PU_ERROR_NOT_ENOUGH_MEMORY;
		goto out;
	}
	for (s = schemas; s; s = s->next) {
		if (s->length == length && memcmp(s->text, text, length) == 0)
			goto out; /* known: it is, or will be, with the session */
	}
	s = mmap(NULL, sizeof *s + length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		0);
	if (s == MAP_FAILED) {
		rc = PU_ERROR_NOT_ENOUGH_MEMORY;
		goto out;
	}
	s->length = (uint32_t)length;
	memcpy(s->text, text, length);
	s->next = schemas;
	schemas = s;
	/* Now, if the session has rings: the caller learns whether there is room. */
	if (here.control) {
		uint32_t g = __atomic_load_n(&here.control->generation, __ATOMIC_ACQUIRE);
		struct member *m = g ? current_member(g) : NULL;
		if (m)
			rc = member_publish_schema(m, &here.place, s);
	}
out:
	leave(&saved);
	return rc;
}

const struct member_schema *attach_schemas(void)
{
	return schemas;
}
