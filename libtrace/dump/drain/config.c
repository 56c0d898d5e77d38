/*
 * The drain's file in the session's directory: where to write, and its lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../formats/base/number.h"
#include "../../../include/perfutil.h"
#include "private.h"
#include "../../session/fail.h"
#include "../meta_lines.h"

/* More than any configuration of ours. */
enum { CONFIG_BYTES_MAX = 64 << 10 };

static int open_config(struct session *s, int flags)
{
	return openat(s->dir, SHM_DRAIN_NAME, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
}

static int config_failed(
	const struct session *s, const char *what, int why, struct session_error *error)
{
	return session_fail(error, why == EACCES ? PU_ERROR_ACCESS_DENIED : PU_ERR_FILE_ERROR,
		"%s/" SHM_DRAIN_NAME ": cannot %s: %s", s->location.dir, what, strerror(why));
}

/* The drain writes to the file that the configuration names: trust it only if the session's
 * owner wrote it. */
static int check_config(const struct session *s, int fd, struct session_error *error)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == s->location.owner &&
		!(st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	return session_fail(error, PU_ERROR_ACCESS_DENIED,
		"%s/" SHM_DRAIN_NAME " has the wrong owner, type or mode: not used",
		s->location.dir);
}

/* Owned by the session's owner, even if root comes first. */
static int config_open_for_owner(struct session *s, struct session_error *error)
{
	int fd = open_config(s, O_RDWR), rc = 0;

	if (fd < 0 && errno == ENOENT) {
		fd = open_config(s, O_RDWR | O_CREAT | O_EXCL);
		if (fd >= 0 && (fchmod(fd, 0600) != 0 ||
				       (s->location.owner != geteuid() &&
					       fchown(fd, s->location.owner, (gid_t)-1) != 0)))
			rc = config_failed(s, "make it", errno, error);
	}
	if (fd < 0)
		return config_failed(s, "open it", errno, error);
	if (rc == 0)
		rc = check_config(s, fd, error);
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

/* ----------------------------------------------------------------------- lock */

int drain_lock(struct drain *d, struct session_error *error)
{
	const struct timespec pause = {.tv_nsec = 2000000};

	d->lock_fd = config_open_for_owner(d->session, error);
	if (d->lock_fd < 0) {
		int rc = d->lock_fd;

		d->lock_fd = -1;
		return rc;
	}
	/* A command that asks whether a drain runs holds it for a moment. */
	for (int i = 0; i < 50; i++) {
		if (flock(d->lock_fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		nanosleep(&pause, NULL);
	}
	return session_fail(error, PU_ERROR_FACILITY_BUSY, "%s is drained already, by process %u",
		d->session->location.dir, session_drain(d->session)->pid);
}

/* ----------------------------------------------------------- the configuration */

/* One line per value: writes bytes that could end it as %XX. */
static void add_escaped(struct buffer *t, const char *key, const char *value)
{
	static const char hex[] = "0123456789abcdef";

	buffer_add(t, key, strlen(key));
	buffer_add(t, ": ", 2);
	for (const uint8_t *p = (const uint8_t *)value; *p; p++) {
		char code[3] = {'%', hex[*p >> 4], hex[*p & 15]};
		bool plain = *p >= 0x20 && *p != 0x7f && *p != '%';

		buffer_add(t, plain ? (const char *)p : code, plain ? 1 : 3);
	}
	buffer_add(t, "\n", 1);
}

/* False if add_escaped did not write it, or it does not fit. */
static bool config_unescape_value(const char *from, char *to, size_t room)
{
	size_t n = 0;

	for (; *from; from++) {
		int c = (uint8_t)*from;

		if (c == '%') {
			int high = number_digit(from[1], 16);
			int low = high < 0 ? -1 : number_digit(from[2], 16);

			c = low < 0 ? 0 : high << 4 | low;
			from += 2;
		}
		if (c == 0 || n + 1 >= room)
			return false;
		to[n++] = (char)c;
	}
	to[n] = 0;
	return true;
}

/* Rewrites in place, because the lock is on this file. */
static int write_config(
	struct session *s, const void *bytes, size_t length, struct session_error *error)
{
	int fd = config_open_for_owner(s, error), rc = 0;

	if (fd < 0)
		return fd;
	if (pwrite(fd, bytes, length, 0) != (ssize_t)length || ftruncate(fd, (off_t)length) != 0)
		rc = config_failed(s, "write it", errno ? errno : EIO, error);
	close(fd);
	return rc;
}

int drain_save(struct session *s, const struct drain_config *config, struct session_error *error)
{
	struct buffer t = {0};

	add_escaped(&t, "path", config->path);
	meta_add_line(&t, "codec", tf_codec_names[config->codec]);
	meta_add_linef(&t, "rotate", "%" PRIu64, config->rotate);
	meta_add_linef(&t, "keep", "%" PRIu32, config->keep);
	meta_add_linef(&t, "threads", "%" PRIu32, config->threads);
	add_escaped(&t, "command", config->command);
	int rc = t.failed ? session_fail(error, PU_ERROR_NOT_ENOUGH_MEMORY,
				    "not enough memory for the drain's options")
			  : write_config(s, t.p, t.n, error);
	buffer_free(&t);
	return rc;
}

/* Reads all of it, with the state that drains left after the configuration; NULL: no file. */
static int read_whole(struct session *s, char **bytes, size_t *length, struct session_error *error)
{
	int fd = open_config(s, O_RDONLY), rc = 0;
	struct stat st = {0};

	*bytes = NULL;
	*length = 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : config_failed(s, "open it", errno, error);
	if (fstat(fd, &st) == 0)
		*bytes = malloc((size_t)st.st_size + 1);
	if (!*bytes || pread(fd, *bytes, (size_t)st.st_size, 0) != st.st_size)
		rc = config_failed(s, "read it", errno ? errno : EIO, error);
	*length = rc ? 0 : (size_t)st.st_size;
	close(fd);
	return rc;
}

int drain_init(struct session *s, const struct session_config *rings,
	const struct drain_config *config, struct session_error *error)
{
	char *before = NULL;
	size_t length;

	session_reclaim(s);
	if (session_is_on(s))
		return session_init(s, rings, error); /* which prints the error */
	if (session_is_drained(s))
		return session_fail(error, PU_ERROR_FACILITY_BUSY,
			"the drain of %.300s still finishes its file; swtrace off waits for it",
			s->location.dir);
	int rc = read_whole(s, &before, &length, error);
	if (rc == 0) {
		/* Before the rings: on failure the old rings and their file's name stay. */
		rc = drain_save(s, config, error);
		if (rc == 0)
			rc = session_init(s, rings, error);
		if (rc && before)
			write_config(s, before, length, NULL);
		else if (rc)
			unlinkat(s->dir, SHM_DRAIN_NAME, 0);
	}
	free(before);
	return rc;
}

static bool config_parse_line(struct drain_config *c, const char *key, const char *value)
{
	uint64_t n;

	if (strcmp(key, "path") == 0)
		return config_unescape_value(value, c->path, sizeof c->path);
	if (strcmp(key, "command") == 0)
		return config_unescape_value(value, c->command, sizeof c->command);
	if (strcmp(key, "rotate") == 0)
		return number_parse(value, 10, UINT64_MAX, &c->rotate);
	if (strcmp(key, "keep") == 0) {
		bool ok = number_parse(value, 10, UINT32_MAX, &n);

		c->keep = ok ? (uint32_t)n : 0;
		return ok;
	}
	if (strcmp(key, "threads") == 0) {
		bool ok = number_parse(value, 10, DRAIN_THREADS_MAX, &n);

		c->threads = ok ? (uint32_t)n : 0;
		return ok;
	}
	if (strcmp(key, "codec") != 0)
		return true; /* a later version's */
	const unsigned codec = tf_codec_find(value);

	c->codec = codec < TF_CODECS ? (enum tf_codec)codec : TF_CODEC_NONE;
	return codec < TF_CODECS;
}

static bool config_parse_lines(struct drain_config *c, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *colon = strstr(line, ": ");

		if (!colon)
			return false;
		*colon = 0;
		if (!config_parse_line(c, line, colon + 2))
			return false;
	}
	return c->path[0] == 0 || c->path[0] == '/' || strcmp(c->path, "-") == 0;
}

int drain_load(struct session *s, struct drain_config *config, struct session_error *error)
{
	int fd = open_config(s, O_RDONLY), rc = 0;
	char *text = fd < 0 ? NULL : malloc(CONFIG_BYTES_MAX);
	ssize_t n = text ? pread(fd, text, CONFIG_BYTES_MAX, 0) : -1;

	*config = (struct drain_config){.codec = TF_CODEC_LZ4};
	if (fd < 0 && errno != ENOENT)
		rc = config_failed(s, "open it", errno, error);
	else if (fd >= 0 && check_config(s, fd, error) != 0)
		rc = PU_ERROR_ACCESS_DENIED;
	else if (fd >= 0 && n < 0)
		rc = config_failed(s, "read it", text ? errno : ENOMEM, error);
	if (rc == 0 && n > 0) {
		bool whole = n < CONFIG_BYTES_MAX && !memchr(text, 0, (size_t)n);

		text[whole ? n : 0] = 0;
		if (!whole || !config_parse_lines(config, text))
			rc = session_fail(error, PU_ERR_FILE_ERROR,
				"%s/" SHM_DRAIN_NAME
				" is invalid (swtrace init -t cont -f FILE writes it again)",
				s->location.dir);
	}
	if (rc == 0 && config->path[0] == 0)
		rc = session_fail(error, PU_ERROR_NO_BUFFER,
			"%s does not know where to write; swtrace init -t cont -f FILE says it",
			s->location.dir);
	free(text);
	if (fd >= 0)
		close(fd);
	return rc;
}
