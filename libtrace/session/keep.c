#include "keep.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../ring/layout.h"

/* Another dump keeps the rings for as long as it reads them. */
enum { WAIT_PAUSES = 10000, PAUSE_NS = 1000000 };

/* Beside the flock of commands, which is for a moment, an OFD lock on the same file. */
static bool keep_set_lock(int fd, short type)
{
	struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &range) == 0;
}

static bool keep_wait_for_lock(int fd)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};

	for (int i = 0; i < WAIT_PAUSES; i++) {
		if (keep_set_lock(fd, F_WRLCK))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

void session_keep_begin(struct session_keep *k, const struct session *s)
{
	const struct session *writable = s;

	memset(k, 0, sizeof *k);
	k->lock = -1;
	if (s->rings_fd < 0 || ring_areas(&s->geometry) == 1)
		return;
	if (!s->writable) {
		if (session_open(&k->own, &s->place, SESSION_CONTROL, NULL) != 0)
			return;
		session_unlock(&k->own);
		writable = &k->own;
	}
	if (writable->generation == s->generation && keep_wait_for_lock(writable->lock_fd)) {
		k->lock = writable->lock_fd;
		k->control = writable->control->ring;
	}
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
