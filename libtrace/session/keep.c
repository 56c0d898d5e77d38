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

/* A dump that has read no section for so long was stopped, or cannot write. */
#define STALLED_AFTER_NS (UINT64_C(5) * 1000000000)
#define PAUSE_NS 2000000

/* Beside the flock of commands, which is for a moment, an OFD lock on the same file. */
static bool keep_set_lock(int fd, short type)
{
	struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &range) == 0;
}

static uint32_t keep_load_beat(const struct session *s)
{
	return __atomic_load_n(&s->control->keep_beat, __ATOMIC_RELAXED);
}

static bool keep_wait_for_lock(const struct session *s, bool (*go_on)(void *arg), void *arg)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint64_t progress = time_ns_monotonic();
	uint32_t beat = keep_load_beat(s);

	while (!keep_set_lock(s->lock_fd, F_WRLCK)) {
		uint32_t last = beat;

		if (errno != EAGAIN && errno != EACCES)
			return false;
		beat = keep_load_beat(s);
		if (beat != last)
			progress = time_ns_monotonic();
		if (time_ns_monotonic() - progress >= STALLED_AFTER_NS || (go_on && !go_on(arg)))
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static void keep_unlock(struct session_keep *k)
{
	if (k->lock >= 0)
		keep_set_lock(k->lock, F_UNLCK);
	k->lock = -1;
}

/* What is free must do for the second areas of the rings in use, and for the first ones that no
 * writer has entered yet: no hook is lost for a dump. */
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
	uint64_t began;

	if (s->rings_fd < 0 || ring_areas(&s->geometry) == 1)
		return KEEP_ONE_AREA;
	if (!s->writable) {
		if (session_open(&k->own, &s->place, SESSION_CONTROL, NULL) != 0)
			return KEEP_NOT_OWNER;
		session_unlock(&k->own);
		writable = &k->own;
	}
	if (writable->generation != s->generation)
		return KEEP_NOT_OWNER;
	began = time_ns_monotonic();
	if (!keep_set_lock(writable->lock_fd, F_WRLCK)) {
		bool locked = keep_wait_for_lock(writable, go_on, arg);

		k->waited_ns = time_ns_monotonic() - began;
		if (!locked)
			return KEEP_BUSY;
	}
	k->lock = writable->lock_fd;
	if (!keep_has_memory(s)) {
		keep_unlock(k);
		return KEEP_NO_MEMORY;
	}
	k->page = writable->control;
	k->control = writable->control->ring;
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
	if (k->page)
		__atomic_fetch_add(&k->page->keep_beat, 1, __ATOMIC_RELAXED);
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
		[KEEP_BUSY] = "another dump keeps them, and makes no progress",
		[KEEP_NO_MEMORY] =
			"too little memory is free in the session's file system to keep them",
	};

	return texts[why];
}
