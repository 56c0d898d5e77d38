#include "registry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/base/time_ns.h"
#include "../core/file.h"
#include "../core/online.h"

/* Lock offset of CPU 0, beyond all data in the file. */
enum { LOCK_BASE = 4096 };

static const char default_path[] = "/dev/shm/swtrace-cpc";

static atomic_int registry_fd =
	-1; /* never closed: closing any descriptor of the file drops the locks */
static dev_t own_device;
static ino_t own_inode;
static bool taken[ONLINE_MAX]; /* by this process: its own locks do not exclude it */
static unsigned taken_count;

static const char *registry_path(void)
{
	const char *path = secure_getenv("SWTRACE_CPC_REGISTRY");

	return path && path[0] == '/' ? path : default_path;
}

/* ----------------------------------------------------------------------- opening */

/* Creates the file under a temporary name, so that no process opens it before it is
 * world-writable. */
static int registry_create_file(const char *path)
{
	char name[512];
	struct timespec now;
	int fd, rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (snprintf(name, sizeof name, "%s.%d.%lld%09ld", path, (int)getpid(),
		    (long long)now.tv_sec, now.tv_nsec) >= (int)sizeof name)
		return -ENAMETOOLONG;
	fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0666) != 0 ||
		(renameat2(AT_FDCWD, name, AT_FDCWD, path, RENAME_NOREPLACE) != 0 &&
			errno != EEXIST))
		rc = -errno;
	unlink(name); /* fails unless another process created the file first */
	close(fd);
	return rc;
}

/* Opens without O_CREAT: in a sticky directory the kernel refuses it for other users' files. */
static int open_there(const char *path)
{
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno != ENOENT)
		return -errno;
	fd = registry_create_file(path);
	if (fd < 0)
		return fd;
	fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

static int registry_move_high(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, file_high_descriptor());

	if (high < 0)
		return fd;
	close(fd);
	return high;
}

static bool registry_is_own(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == own_device && st.st_ino == own_inode;
}

/* Whether the descriptor still refers to the file at path. Keeps a removed file while this process
 * holds locks in it: they would be lost. */
static bool registry_is_current(int fd, const char *path)
{
	struct stat named;

	return registry_is_own(fd) &&
	       (taken_count > 0 || (lstat(path, &named) == 0 && named.st_dev == own_device &&
					   named.st_ino == own_inode));
}

static int registry_open_file(char why[REGISTRY_WHY])
{
	const char *path = registry_path();
	struct stat st;
	int fd = atomic_load(&registry_fd), old = fd;

	if (registry_is_current(fd, path))
		return 0;
	fd = open_there(path);
	/* Reject a hard link: it could name another user's file, which must not be written. */
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1)) {
		close(fd);
		fd = -EINVAL;
	}
	if (fd < 0) {
		snprintf(why, REGISTRY_WHY,
			"the registry of bound CPUs, %s, cannot be used (%s): remove it, or name another file in SWTRACE_CPC_REGISTRY",
			path,
			fd == -EINVAL ? "not a regular file with a single link" : strerror(-fd));
		return -EAGAIN;
	}
	/* The program may have closed the descriptor and reused its number: leave a foreign file
	 * alone. */
	if (registry_is_own(old))
		close(old);
	own_device = st.st_dev;
	own_inode = st.st_ino;
	atomic_store(&registry_fd, registry_move_high(fd));
	return 0;
}

/* ------------------------------------------------------------------- locks, generation */

static struct flock registry_lock_of(short type, unsigned cpu, unsigned count)
{
	return (struct flock){
		.l_type = type, .l_whence = SEEK_SET, .l_start = LOCK_BASE + cpu, .l_len = count};
}

static void say_who(const struct flock *lock, char why[REGISTRY_WHY])
{
	unsigned cpu = (unsigned)(lock->l_start - LOCK_BASE);

	if (lock->l_pid > 0)
		snprintf(why, REGISTRY_WHY, "process %d has bound a set to CPU %u",
			(int)lock->l_pid, cpu);
	else
		snprintf(why, REGISTRY_WHY, "another process has bound a set to CPU %u", cpu);
}

static void registry_read_generation(struct registry_generation *generation)
{
	*generation = (struct registry_generation){{0, 0}};
	if (pread(atomic_load(&registry_fd), generation, sizeof *generation, 0) <
		(ssize_t)sizeof *generation)
		*generation = (struct registry_generation){{0, 0}};
}

/* Writes a new generation: time and process id, a pair that never occurred before. */
static int registry_renew_generation(void)
{
	struct registry_generation generation;
	struct rlimit limit;

	/* Beyond the limit, a write raises SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof generation)
		return -EFBIG;
	generation.word[0] = time_ns_monotonic();
	generation.word[1] = (uint64_t)getpid();
	errno = EIO;
	if (pwrite(atomic_load(&registry_fd), &generation, sizeof generation, 0) !=
		(ssize_t)sizeof generation)
		return -errno;
	return 0;
}

/* Read the generation before the locks: a CPU bound in between changes it, so the caller notices
 * later. */
int registry_check(struct registry_generation *generation, char why[REGISTRY_WHY])
{
	struct flock lock = registry_lock_of(F_WRLCK, 0, ONLINE_MAX);
	int rc = registry_open_file(why);

	if (rc)
		return rc;
	if (taken_count > 0) {
		snprintf(why, REGISTRY_WHY, "this process has bound a set to a CPU");
		return -EAGAIN;
	}
	registry_read_generation(generation);
	if (fcntl(atomic_load(&registry_fd), F_GETLK, &lock) != 0) {
		snprintf(why, REGISTRY_WHY, "cannot query the registry of bound CPUs: %s",
			strerror(errno));
		return -EAGAIN;
	}
	if (lock.l_type == F_UNLCK)
		return 0;
	say_who(&lock, why);
	return -EAGAIN;
}

bool registry_valid(const struct registry_generation *generation)
{
	int saved = errno;
	struct registry_generation now;

	registry_read_generation(&now);
	errno = saved;
	return now.word[0] == generation->word[0] && now.word[1] == generation->word[1];
}

int registry_lock_cpu(unsigned cpu, char why[REGISTRY_WHY])
{
	struct flock lock = registry_lock_of(F_WRLCK, cpu, 1);
	int rc = registry_open_file(why);

	if (rc)
		return rc;
	if (taken[cpu]) {
		snprintf(why, REGISTRY_WHY, "this process has bound a set to CPU %u", cpu);
		return -EAGAIN;
	}
	if (fcntl(atomic_load(&registry_fd), F_SETLK, &lock) != 0) {
		lock = registry_lock_of(F_WRLCK, cpu, 1);
		lock.l_pid = 0;
		fcntl(atomic_load(&registry_fd), F_GETLK, &lock);
		lock.l_start = LOCK_BASE + (off_t)cpu;
		say_who(&lock, why);
		return -EAGAIN;
	}
	rc = registry_renew_generation();
	if (rc) {
		lock = registry_lock_of(F_UNLCK, cpu, 1);
		fcntl(atomic_load(&registry_fd), F_SETLK, &lock);
		snprintf(why, REGISTRY_WHY, "the registry of bound CPUs cannot be written: %s",
			strerror(-rc));
		return -EAGAIN;
	}
	taken[cpu] = true;
	taken_count++;
	return 0;
}

void registry_drop_cpu(unsigned cpu)
{
	struct flock lock = registry_lock_of(F_UNLCK, cpu, 1);

	fcntl(atomic_load(&registry_fd), F_SETLK, &lock);
	taken[cpu] = false;
	taken_count--;
}

void registry_after_fork(void)
{
	int fd = atomic_exchange(&registry_fd, -1);

	memset(taken, 0, sizeof taken);
	taken_count = 0;
	if (registry_is_own(fd))
		close(fd);
}
