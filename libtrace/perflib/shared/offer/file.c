#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../core/file.h"

enum { LOCK_MAP_BYTES = 4096, GROW_BYTES = 4096 };

static uint32_t status_of_errno(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case EAGAIN:
		return ERROR_NOT_ENOUGH_MEMORY;
	/* a file system without locks */
	case EINVAL:
	case ENOLCK:
	case ENOSYS:
	case EOPNOTSUPP:
		return ERROR_NOT_SUPPORTED;
	default:
		return ERROR_ACCESS_DENIED;
	}
}

/* ------------------------------------------------------------------ the directory */

static int open_own_dir(struct session_location *location)
{
	int dir = session_open_dir(location, NULL);

	/* Consumers accept a file only if its owner also owns the directory. */
	if (dir >= 0 && location->owner != geteuid()) {
		close(dir);
		errno = EACCES;
		return -1;
	}
	return dir;
}

static int make_own_dir(struct session_location *location)
{
	if (mkdir(location->dir, 0755) == 0) {
		/* Override the umask: consumers need access. */
		if (chmod(location->dir, 0755) != 0)
			return -1;
	} else if (errno != EEXIST) {
		return -1;
	}
	errno = EACCES;
	return open_own_dir(location);
}

/*
 * Removes a file whose lock is free, that is, whose provider ended. May hit a file that is just
 * being made; its maker checks after locking whether the name is still its own.
 */
static bool sweep_file(void *ctx, int dir, const char *name)
{
	int fd = session_open_file(dir, name, O_RDWR, *(const uid_t *)ctx, 0, 0, NULL);

	if (fd < 0)
		return true;
	if (directory_lock_file(fd) && directory_is_named(dir, name, fd))
		unlinkat(dir, name, 0);
	close(fd);
	return true;
}

/* ----------------------------------------------------------------------- the file */

/* Creates and locks a file of this name. Returns -1 with errno; EEXIST: a running provider has the
 * name, or another process swept the file before it was locked. */
static int make_locked(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), error;

	if (fd < 0)
		return -1;
	/* Override the umask: the owner needs access. */
	if (directory_lock_file(fd) && fchmod(fd, 0600) == 0) {
		if (directory_is_named(dir, name, fd))
			return fd;
		errno = EAGAIN;
	}
	error = errno == EAGAIN || errno == EACCES ? EEXIST : errno;
	/* On EEXIST the lock's holder removes the file. */
	if (error != EEXIST)
		unlinkat(dir, name, 0);
	close(fd);
	errno = error;
	return -1;
}

static int make_named(struct offer_file *f, int dir, const GUID *provider)
{
	int fd = -1;

	errno = EEXIST;
	for (int again = 0; fd < 0 && errno == EEXIST && again <= PROV_NAMES; again++) {
		directory_file_name(f->name, provider, getpid(), again);
		fd = make_locked(dir, f->name);
	}
	return fd;
}

/* Keep the lock through a mapping alone: a forked child does not inherit the mapping, so it does
 * not keep the lock's file description open. */
static uint32_t keep_lock(struct offer_file *f, int fd)
{
	void *p = mmap(NULL, LOCK_MAP_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return ERROR_NOT_ENOUGH_MEMORY;
	if (madvise(p, LOCK_MAP_BYTES, MADV_DONTFORK) != 0) {
		munmap(p, LOCK_MAP_BYTES);
		return ERROR_NOT_SUPPORTED;
	}
	f->lock_map = p;
	return ERROR_SUCCESS;
}

/* Reserves all addresses as private memory, which absorbs late stores beyond the file's end. */
static void *reserve_addresses(void *at)
{
	return mmap(at, PROV_FILE_MAX, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
}

/* Maps the file's first bytes over the earlier mapping. */
static bool map_bytes(const struct offer_file *f, int fd, uint32_t bytes)
{
	return mmap(f->base, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) !=
	       MAP_FAILED;
}

/* Opens a second file description: a child of fork that keeps this descriptor keeps no lock. */
static bool offer_file_map(struct offer_file *f, int dir)
{
	const int low = session_open_file(dir, f->name, O_RDWR, f->location.owner, 0, 0, NULL);
	void *base = f->base ? f->base : reserve_addresses(NULL);
	struct stat st;
	int fd;

	if (base != MAP_FAILED)
		f->base = base;
	if (low < 0)
		return false;
	fd = fcntl(low, F_DUPFD_CLOEXEC, file_high_descriptor());
	close(low);
	if (fd < 0)
		return false;
	if (!f->base || fstat(fd, &st) != 0 || !map_bytes(f, fd, f->bytes)) {
		close(fd);
		return false;
	}
	f->fd = fd;
	f->device = st.st_dev;
	f->inode = st.st_ino;
	return true;
}

static uint32_t offer_file_fill(struct offer_file *f, int dir, int fd)
{
	uint32_t status;
	int rc = session_allocate(fd, 0, PROV_HEADER_BYTES);

	if (rc)
		return status_of_errno(rc);
	status = keep_lock(f, fd);
	if (status)
		return status;
	f->bytes = PROV_HEADER_BYTES;
	if (offer_file_map(f, dir))
		return ERROR_SUCCESS;
	munmap(f->lock_map, LOCK_MAP_BYTES);
	f->lock_map = NULL;
	return ERROR_NOT_ENOUGH_MEMORY;
}

uint32_t offer_file_make(struct offer_file *f, const GUID *provider)
{
	int named = directory_of_environment(&f->location), dir, fd;
	uint32_t rc;

	if (named < 0)
		return ERROR_INVALID_PARAMETER;
	if (!named)
		directory_of_user(&f->location, geteuid());
	dir = make_own_dir(&f->location);
	if (dir < 0)
		return status_of_errno(errno);
	directory_each_file(dir, sweep_file, &f->location.owner);
	fd = make_named(f, dir, provider);
	rc = fd < 0 ? status_of_errno(errno) : offer_file_fill(f, dir, fd);
	if (fd >= 0 && rc)
		unlinkat(dir, f->name, 0);
	if (fd >= 0)
		close(fd);
	close(dir);
	return rc;
}

static bool offer_file_is_own(const struct offer_file *f, int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == f->device && st.st_ino == f->inode;
}

/*
 * Returns a descriptor of the file: the stored one, which works even if the program dropped
 * privileges since, or a new one by name if the program closed it.
 */
static int offer_file_reach(struct offer_file *f)
{
	int dir, low;

	if (offer_file_is_own(f, f->fd))
		return f->fd;
	f->fd = -1;
	dir = open_own_dir(&f->location);
	if (dir < 0)
		return -1;
	low = session_open_file(dir, f->name, O_RDWR, f->location.owner, 0, 0, NULL);
	close(dir);
	if (offer_file_is_own(f, low))
		f->fd = fcntl(low, F_DUPFD_CLOEXEC, file_high_descriptor());
	if (low >= 0)
		close(low);
	return f->fd;
}

uint32_t offer_file_grow(struct offer_file *f, uint32_t bytes)
{
	uint32_t size = (bytes + GROW_BYTES - 1) & ~(uint32_t)(GROW_BYTES - 1);
	int fd, rc;

	if (bytes <= f->bytes)
		return ERROR_SUCCESS;
	if (bytes > PROV_FILE_MAX)
		return ERROR_NOT_ENOUGH_MEMORY;
	fd = offer_file_reach(f);
	if (fd < 0)
		return ERROR_ACCESS_DENIED;
	rc = session_allocate(fd, 0, size);
	if (rc)
		return status_of_errno(rc);
	if (!map_bytes(f, fd, size))
		return ERROR_NOT_ENOUGH_MEMORY;
	f->bytes = size;
	return ERROR_SUCCESS;
}

uint32_t offer_file_share(struct offer_file *f, bool everyone)
{
	int fd = offer_file_reach(f);

	return fd >= 0 && fchmod(fd, everyone ? 0644 : 0600) == 0 ? ERROR_SUCCESS
								  : ERROR_ACCESS_DENIED;
}

static void offer_reserve_addresses(struct offer_file *f)
{
	if (f->base)
		reserve_addresses(f->base);
}

void offer_file_remove(struct offer_file *f)
{
	int fd = offer_file_reach(f), dir = open_own_dir(&f->location);

	if (dir >= 0) {
		if (fd >= 0 && directory_is_named(dir, f->name, fd))
			unlinkat(dir, f->name, 0);
		close(dir);
	}
	offer_reserve_addresses(f);
	munmap(f->lock_map, LOCK_MAP_BYTES);
	f->lock_map = NULL;
	if (fd >= 0)
		close(fd);
	f->fd = -1;
}

void offer_file_forget(struct offer_file *f)
{
	offer_reserve_addresses(f);
	f->lock_map = NULL;
	if (offer_file_is_own(f, f->fd))
		close(f->fd);
	f->fd = -1;
}
