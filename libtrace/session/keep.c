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

/* A dump into memory takes less. After a longer wait the window is no longer the one asked for. */
enum { WAIT_NS = 1000000000, PAUSE_NS = 2000000 };

/* Beside the flock of commands, which is for a moment, an OFD lock on the same file. */
static bool keep_set_lock(int fd, short type)
{
	struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &range) == 0;
}

static bool keep_wait_for_lock(int fd, bool (*go_on)(void *arg), void *arg)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint64_t until = time_ns_monotonic() + WAIT_NS;

	while (!keep_set_lock(fd, F_WRLCK)) {
		if ((errno != EAGAIN && errno != EACCES) || time_ns_monotonic() >= until ||
			(go_on && !go_on(arg)))
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
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
	if (!keep_wait_for_lock(writable->lock_fd, go_on, arg))
		return KEEP_BUSY;
	k->lock = writable->lock_fd;
	if (!keep_has_memory(s))
		return KEEP_NO_MEMORY;
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

void session_keep_end(struct session_keep *k)
{
	if (k->lock >= 0)
		keep_set_lock(k->lock, F_UNLCK);
	k->lock = -1;
	k->control = NULL;
	if (k->own.control)
		session_close(&k->own);
}
