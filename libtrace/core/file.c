#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../formats/base/number.h"

ssize_t file_pread(int fd, void *bytes, size_t size, off_t at)
{
	ssize_t n;

	do
		n = pread(fd, bytes, size, at);
	while (n < 0 && errno == EINTR);
	return n;
}

ssize_t file_read_once(const char *path, void *bytes, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -1;
	while (have < size && n > 0) {
		n = file_pread(fd, (char *)bytes + have, size - have, (off_t)have);
		if (n > 0)
			have += (size_t)n;
	}

	int saved = errno;

	close(fd);
	errno = saved;
	return n < 0 ? -1 : (ssize_t)have;
}

bool file_read_line(const char *path, char *line, size_t size)
{
	ssize_t n = file_read_once(path, line, size - 1);

	line[n > 0 ? n : 0] = 0;
	line[strcspn(line, "\n")] = 0;
	for (size_t end = strlen(line); end && line[end - 1] == ' '; end--)
		line[end - 1] = 0;
	return n > 0;
}

bool file_read_number(const char *path, int64_t *value)
{
	char text[32];
	const char *at = text;
	ssize_t n = file_read_once(path, text, sizeof text);
	uint64_t magnitude;

	if (n <= 0)
		return false;
	const bool is_negative = *at == '-';
	at += is_negative;
	if (!number_scan(&at, text + n, 10, INT64_MAX, &magnitude))
		return false;
	*value = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
	return true;
}

int file_high_descriptor(void)
{
	enum { HIGH = 2048 };
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 2 < HIGH)
		return (int)(limit.rlim_cur / 2);
	return HIGH;
}

bool file_keep(struct file_kept *f, const char *path)
{
	int low = open(path, O_RDONLY | O_CLOEXEC);
	int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, file_high_descriptor());

	if (high >= 0)
		close(low);
	f->fd = high >= 0 ? high : low;
	if (f->fd >= 0 && fstat(f->fd, &f->as) == 0)
		return true;
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	return false;
}

bool file_is_kept(const struct file_kept *f)
{
	struct stat now;

	return f->fd >= 0 && fstat(f->fd, &now) == 0 && now.st_dev == f->as.st_dev &&
	       now.st_ino == f->as.st_ino;
}
