#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../ring/layout.h"
#include "../ring/reader.h"

/* A dump that has read no section for this long was stopped, or cannot write. */
#define STALLED_AFTER_NS (5 * TIME_SECOND_NS)
#define PAUSE_NS 2000000

/*
 * Dumps have numbers, one after the other. A dump locks its number's byte of the lock file (an OFD
 * lock, next to the flock of commands on the same file) before it takes over the right to keep from
 * its predecessor; so one at a time can, and others wait for that lock.
 */
static bool keep_set_lock(int fd, uint32_t number, short type)
{
	struct flock range = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)number, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &range) == 0;
}

static bool keep_is_locked(int fd, uint32_t number)
{
	struct flock range = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)number, .l_len = 1};

	return fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

/* Shows that earlier dumps are still running. */
struct keep_progress {
	uint32_t beat, owner;
	uint64_t since; /* ns */
};

static bool keep_is_stalled(const struct session *s, struct keep_progress *p, uint64_t after_ns)
{
	uint32_t beat = __atomic_load_n(&s->control->keep_beat, __ATOMIC_RELAXED);
	uint32_t owner = __atomic_load_n(&s->control->keep_owner, __ATOMIC_ACQUIRE);
	uint64_t now = time_ns_monotonic();

	if (p->since == 0 || beat != p->beat || owner != p->owner)
		*p = (struct keep_progress){beat, owner, now};
	return now - p->since >= after_ns;
}

static void keep_unlock(struct session_keep *k)
{
	if (k->lock >= 0)
		keep_set_lock(k->lock, k->granted.number, F_UNLCK);
	k->lock = -1;
}

/* Locks the number after the owner's. False: errno is EAGAIN or EACCES if another dump has it, or
 * a newer one. */
static bool keep_lock_next(struct session_keep *k, const struct session *s)
{
	uint32_t owner = __atomic_load_n(&s->control->keep_owner, __ATOMIC_ACQUIRE);

	k->granted.number = owner + 1;
	if (!keep_set_lock(s->lock_fd, owner + 1, F_WRLCK))
		return false;
	k->lock = s->lock_fd;
	if (__atomic_load_n(&s->control->keep_owner, __ATOMIC_ACQUIRE) == owner)
		return true;
	keep_unlock(k);
	errno = EAGAIN;
	return false;
}

/* Acquires the right once the dump that has it has ended or stalled. False: an earlier dump in the
 * queue has stalled, or go_on returned false. */
static bool keep_acquire_right(
	struct session_keep *k, const struct session *s, bool (*go_on)(void *arg), void *arg)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	struct keep_progress progress = {0};
	uint64_t began = time_ns_monotonic();
	bool stalled = false;

	for (;;) {
		bool next = k->lock >= 0 || keep_lock_next(k, s);

		if (!next && errno != EAGAIN && errno != EACCES)
			return false;
		if (next && (stalled || !keep_is_locked(s->lock_fd, k->granted.number - 1)))
			break;
		stalled = keep_is_stalled(s, &progress, (next ? 1 : 2) * STALLED_AFTER_NS);
		if ((stalled && !next) || (go_on && !go_on(arg))) {
			keep_unlock(k);
			return false;
		}
		if (!stalled)
			nanosleep(&pause, NULL);
		k->waited_ns = time_ns_monotonic() - began;
	}
	/* Before any load of keep here: see reader_store_keep. */
	__atomic_store_n(&s->control->keep_owner, k->granted.number, __ATOMIC_SEQ_CST);
	return true;
}

/* Free memory must suffice for the second areas of the rings in use, and for the first ones that
 * no writer has entered yet: no hook is lost for a dump. */
static bool keep_has_memory(const struct session *s)
{
	const struct shm_geometry *g = &s->geometry;
	uint64_t needed = SHM_PAGE, taken, head;
	struct statvfs v;
	struct stat st;

	if (fstat(s->rings_fd, &st) != 0 || fstatvfs(s->rings_fd, &v) != 0)
		return false;
	for (uint32_t i = 0; i < g->cpus + g->guests; i++) {
		bool used =
			ring_read_at(s->rings_fd, &head, sizeof head, ring_offset(g, i)) && head;

		needed += g->data_offset;
		needed += used ? 2 * g->ring_size : i < g->cpus ? g->ring_size : 0;
	}
	taken = (uint64_t)st.st_blocks * 512;
	return needed <= taken + (uint64_t)v.f_bavail * v.f_frsize;
}

static enum keep_refusal keep_begin(
	struct session_keep *k, const struct session *s, bool (*go_on)(void *arg), void *arg)
{
	const struct session *writable = s;

	if (s->rings_fd < 0 || ring_areas(&s->geometry) == 1)
		return KEEP_ONE_AREA;
	if (!s->writable) {
		if (session_open(&k->own, &s->location, SESSION_CONTROL, NULL) != 0)
			return KEEP_NOT_OWNER;
		session_unlock(&k->own);
		writable = &k->own;
	}
	if (writable->generation != s->generation)
		return KEEP_NOT_OWNER;
	if (!keep_acquire_right(k, writable, go_on, arg))
		return KEEP_BUSY;
	if (!keep_has_memory(s)) {
		keep_unlock(k);
		return KEEP_NO_MEMORY;
	}
	k->page = writable->control;
	k->granted.control = k->page->ring;
	k->granted.owner = &k->page->keep_owner;
	k->control = &k->granted;
	return KEEP_GRANTED;
}

void session_keep_begin(
	struct session_keep *k, const struct session *s, bool (*go_on)(void *arg), void *arg)
{
	memset(k, 0, sizeof *k);
	k->lock = -1;
	k->why = keep_begin(k, s, go_on, arg);
}

void session_keep_beat(struct session_keep *k)
{
	if (k->page && !session_keep_is_lost(k))
		__atomic_fetch_add(&k->page->keep_beat, 1, __ATOMIC_RELAXED);
}

bool session_keep_is_lost(const struct session_keep *k)
{
	return k->page &&
	       __atomic_load_n(&k->page->keep_owner, __ATOMIC_ACQUIRE) != k->granted.number;
}

void session_keep_end(struct session_keep *k)
{
	keep_unlock(k);
	k->control = NULL;
	k->page = NULL;
	if (k->own.control)
		session_close(&k->own);
}

const char *session_keep_why(enum keep_refusal why)
{
	static const char *const texts[] = {
		[KEEP_GRANTED] = "there was no memory in the session's file system to keep them",
		[KEEP_ONE_AREA] = "these buffers have no memory to keep them (init --prealloc)",
		[KEEP_NOT_OWNER] = "only the buffers' owner may keep them",
		[KEEP_BUSY] = "another dump waits for them, and makes no progress",
		[KEEP_LOST] =
			"this dump made no progress for 5 s, and another one took over the right to keep them",
		[KEEP_NO_MEMORY] =
			"too little memory is free in the session's file system to keep them",
	};

	return texts[why];
}
