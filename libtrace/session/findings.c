/*
 * The file with doctor's findings.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "paths.h"

/* For the session's owner and group, even if root makes the rings. */
static bool findings_give(const struct session *s, int fd)
{
	const bool is_shared = s->control->group != UINT32_MAX;

	if (s->location.owner != geteuid() && fchown(fd, s->location.owner, (gid_t)-1) != 0)
		return false;
	if (is_shared && fchown(fd, (uid_t)-1, (gid_t)s->control->group) != 0)
		return false;
	return fchmod(fd, is_shared ? 0640 : 0600) == 0;
}

int session_save_findings(struct session *s, const char *lines, size_t length)
{
	char name[32];
	int fd;

	if (length > SHM_DOCTOR_BYTES_MAX)
		return PU_ERROR_INVALID_PARAMETER;
	session_name(name, SHM_DOCTOR_FORMAT, s->generation, 0);
	unlinkat(s->dir, name, 0);
	fd = openat(s->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return PU_ERR_FILE_ERROR;
	/* Allocate first: a write beyond a file size limit would raise SIGXFSZ. */
	bool is_saved = session_allocate(fd, 0, length) == 0 &&
			write(fd, lines, length) == (ssize_t)length && findings_give(s, fd);

	close(fd);
	if (!is_saved)
		unlinkat(s->dir, name, 0);
	return is_saved ? 0 : PU_ERR_FILE_ERROR;
}

size_t session_read_findings(const struct session *s, char **lines)
{
	char name[32];
	ssize_t length = 0;
	int fd;

	*lines = NULL;
	session_name(name, SHM_DOCTOR_FORMAT, s->generation, 0);
	fd = session_open_file(s->dir, name, O_RDONLY, s->location.owner, 0, 0, NULL);
	if (fd < 0)
		return 0;
	*lines = malloc(SHM_DOCTOR_BYTES_MAX);
	if (*lines)
		length = pread(fd, *lines, SHM_DOCTOR_BYTES_MAX, 0);
	close(fd);
	while (length > 0 && (*lines)[length - 1] != '\n')
		length--;
	if (length > 0)
		return (size_t)length;
	free(*lines);
	*lines = NULL;
	return 0;
}
