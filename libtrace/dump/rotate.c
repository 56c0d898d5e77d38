#include "rotate.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

bool rotate_name(const char *path, uint64_t n, char out[PATH_MAX])
{
	int length = snprintf(out, PATH_MAX, "%s.%" PRIu64, path, n);

	return length > 0 && length < PATH_MAX;
}

/*
 * Frees FILE.1: renames FILE.n to FILE.n+1, downwards from the first number that is free or to
 * be dropped, so that a kill leaves a gap, which the next rotation fills.
 */
static int rotate_shift_files(const char *path, uint32_t keep, struct session_error *error)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct stat st;
	uint64_t n = 1;

	while (rotate_name(path, n, to) && lstat(to, &st) == 0 && (keep == 0 || n < keep))
		n++;
	for (; n > 1; n--) {
		if (!rotate_name(path, n - 1, from) || !rotate_name(path, n, to))
			return output_fail(path, "rename the file", ENAMETOOLONG, error);
		if (rename(from, to) != 0 && errno != ENOENT)
			return output_fail(from, "rename the file", errno, error);
	}
	return 0;
}

int rotate_push(const char *path, uint32_t keep, struct session_error *error)
{
	char first[PATH_MAX];
	int rc = rotate_shift_files(path, keep, error);

	if (rc)
		return rc;
	if (!rotate_name(path, 1, first))
		return output_fail(path, "rename the file", ENAMETOOLONG, error);
	if ((unlink(first) != 0 && errno != ENOENT) ||
		(link(path, first) != 0 && rename(path, first) != 0))
		return output_fail(path, "rename the file", errno, error);
	return 0;
}

int rotate_shift(const char *path, const char *fresh, uint32_t keep, struct session_error *error)
{
	struct stat st;
	int rc = lstat(path, &st) == 0 ? rotate_push(path, keep, error) : 0;

	if (rc == 0 && rename(fresh, path) != 0)
		rc = output_fail(path, "create the file", errno, error);
	return rc;
}
