#include "discovery.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../ring/thread.h"
#include "paths.h"

/* Page-aligned and alone on its pages, so that the control file can be mapped over it. All
 * ones: until then every major seems enabled, and the first hook comes here. */
UINT32 swtrace_gate[SWTRACE_GATE_SIZE / 4] __attribute__((aligned(SWTRACE_GATE_SIZE))) = {
	[0 ... SWTRACE_GATE_SIZE / 4 - 1] = RING_NO_GENERATION};

const struct shm_control *ring_gate = (const struct shm_control *)(const void *)swtrace_gate;

/* Not on the stack, which may be a signal handler's: see session.md, "Signal handlers". */
static struct session_location discovery_found;
static char control_path[sizeof discovery_found.dir + 16];

static bool gate_can_be_mapped(void)
{
	size_t page = (size_t)getpagesize();

	return page <= SWTRACE_GATE_SIZE && (uintptr_t)swtrace_gate % page == 0;
}

/* Closes the gate for every hook from now on: plain memory, all zeros. */
static void discovery_close_gate(void)
{
	/* The page may be a mapping of an old session. */
	if (!gate_can_be_mapped() ||
		mmap(swtrace_gate, SWTRACE_GATE_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		memset(swtrace_gate, 0, sizeof swtrace_gate);
	__atomic_store_n(&ring_gate, (const struct shm_control *)(const void *)swtrace_gate,
		__ATOMIC_RELAXED);
}

static void show_at_gate(const struct shm_control *control, int fd)
{
	if (!gate_can_be_mapped() || mmap(swtrace_gate, SWTRACE_GATE_SIZE, PROT_READ,
					     MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
		/* Opens the gate: every hook enters and checks the page itself. */
		discovery_close_gate();
		memset(swtrace_gate, 0x80, sizeof swtrace_gate);
	}
	__atomic_store_n(&ring_gate, control, __ATOMIC_RELAXED);
}

static bool is_same_control(const struct discovery *discovery)
{
	struct stat st;

	if (!discovery->control || strcmp(discovery_found.dir, discovery->location.dir) != 0)
		return false;
	strcpy(stpcpy(control_path, discovery_found.dir), "/" SHM_CONTROL_NAME);
	return stat(control_path, &st) == 0 && st.st_dev == discovery->device &&
	       st.st_ino == discovery->inode;
}

static int open_in_dir(int dir)
{
	int fd = session_open_file(
		dir, SHM_CONTROL_NAME, O_RDONLY, discovery_found.owner, 0, SHM_CONTROL_SIZE, NULL);

	close(dir);
	return fd;
}

static int open_control(const struct discovery *discovery)
{
	int dir = session_open_dir(&discovery_found, NULL);
	int fd = dir < 0 ? dir : open_in_dir(dir);

	/* The first user creates the page of a user's own session; only root creates root's. A
	 * page that existed and is gone was removed by its owner: a program that outlives it (a
	 * private session's daemon) must not create it again. */
	if (fd != PU_ERROR_DRIVER_NOT_LOADED ||
		strcmp(discovery_found.dir, discovery->location.dir) == 0)
		return fd;
	session_make(&discovery_found, NULL);
	dir = session_open_dir(&discovery_found, NULL);
	return dir < 0 ? dir : open_in_dir(dir);
}

/* Maps the control page of an open file; *control stays NULL if it is no control file. 0 or a
 * PU_ code. */
static int discovery_map_control(int fd, struct stat *st, const struct shm_control **control)
{
	struct shm_control *c = mmap(NULL, SHM_CONTROL_SIZE, PROT_READ, MAP_SHARED, fd, 0);

	if (c == MAP_FAILED)
		return PU_ERROR_CANNOT_MAP_BUFFER;
	if (fstat(fd, st) != 0 || c->magic != SHM_MAGIC || c->version != SHM_VERSION) {
		munmap(c, SHM_CONTROL_SIZE);
		return PU_ERR_FILE_ERROR;
	}
	*control = c;
	return 0;
}

int discovery_renew(struct discovery *discovery, bool *is_new)
{
	const struct shm_control *control = NULL;
	struct stat st;
	int fd = -1, rc = session_find(&discovery_found, NULL);

	*is_new = false;
	__atomic_store_n(&discovery->at, discovery_now(), __ATOMIC_RELAXED);
	if (rc == 0 && is_same_control(discovery))
		return discovery->rc = 0;
	if (rc == 0) {
		fd = open_control(discovery);
		rc = fd < 0 ? fd : discovery_map_control(fd, &st, &control);
	}
	if (!session_is_shortage(rc)) {
		if (control)
			show_at_gate(control, fd);
		else if (discovery->control || ring_gate_page()->generation != 0)
			discovery_close_gate();
		if (control) {
			discovery->location = discovery_found;
			discovery->device = st.st_dev;
			discovery->inode = st.st_ino;
		}
		__atomic_store_n(&discovery->control, control, __ATOMIC_RELAXED);
		discovery->done = *is_new = true;
		rc = 0;
	}
	if (fd >= 0)
		close(fd);
	return discovery->rc = rc;
}
