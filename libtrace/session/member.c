/*
 * See member.h. Slots and locks are shared with other members, so every value read there is
 * masked or bounded before it is used.
 */
#include "member.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/perfutil.h"
#include "../core/clock.h"
#include "../core/clock_trust.h"
#include "../ring/layout.h"
#include "../ring/rseq.h"
#include "paths.h"
#include "schema.h"
#include "threads.h"

/* ---------------------------------------------------------------- mapping */

static int open_shared(const struct member *m, int dir, const struct session_location *location,
	const char *format, uint64_t size)
{
	char name[32];

	session_name(name, format, m->generation, 0);
	return session_open_file(dir, name, O_RDWR, location->owner, S_IWGRP, size, NULL);
}

/* Opens and maps a file of the generation; its descriptor or a PU_ code. */
static int member_map_file(const struct member *m, const struct session_location *location,
	const char *format, uint64_t size, void **mapping)
{
	int fd = open_shared(m, m->dir, location, format, size);

	if (fd < 0)
		return fd;
	*mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*mapping != MAP_FAILED)
		return fd;
	close(fd);
	*mapping = NULL;
	return PU_ERROR_CANNOT_MAP_BUFFER;
}

/* The task table, and the tasks' losses if the rings' version has them. */
static int member_map_tasks(struct member *m, const struct session_location *location)
{
	int fd = member_map_file(
		m, location, SHM_TASKS_FORMAT, sizeof *m->tasks, (void **)&m->tasks);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size >= SHM_TASKS_BYTES) {
		void *p = mmap(NULL, sizeof(struct shm_task_losses), PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, SHM_TASK_LOSSES_OFFSET);

		m->map.losses = p == MAP_FAILED ? NULL : p;
	}
	close(fd);
	return 0;
}

static int member_map_rings(struct member *m, const struct session_location *location)
{
	int fd = member_map_file(
		m, location, SHM_RINGS_FORMAT, m->map.geometry.file_size, (void **)&m->map.base);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int member_open_dir(struct member *m, const struct session_location *location)
{
	uid_t owner = location->owner;

	if (m->dir < 0)
		m->dir = session_open_path(location->dir, &owner, NULL);
	return m->dir;
}

void member_close_dir(struct member *m)
{
	if (m->dir >= 0)
		close(m->dir);
	m->dir = -1;
}

static int map_all(struct member *m, const struct session_location *location)
{
	int rc = member_open_dir(m, location);

	if (rc < 0)
		return rc;
	rc = member_map_tasks(m, location);
	return rc ? rc : member_map_rings(m, location);
}

/* Unmaps everything except the rings and the losses. */
static void unmap_tables(struct member *m)
{
	if (m->tasks)
		munmap(m->tasks, sizeof *m->tasks);
	labels_close(&m->labels);
	member_close_dir(m);
	m->tasks = NULL;
}

static struct member **member_list;

static void member_unlink(const struct member *m)
{
	for (struct member **at = member_list; at && *at; at = &(*at)->next) {
		if (*at == m) {
			*at = m->next;
			break;
		}
	}
}

/*
 * No hook writes there any more, except perhaps one that a signal handler interrupted: the
 * handler saw the new rings, the hook will not. Its stores must do no harm. So the rings' pages
 * are freed, but their addresses stay mapped to memory that absorbs the stores. The member stays
 * too, because that hook uses its map.
 */
static void member_retire(struct member *m)
{
	member_unlink(m);
	member_divert(m);
	threads_end_process(m);
	unmap_tables(m);
}

bool member_is_ours(const struct member *m)
{
	const struct member *at = member_list ? *member_list : NULL;

	while (at && at != m)
		at = at->next;
	return at != NULL;
}

static void member_divert_mapping(void *mapping, uint64_t bytes)
{
	if (mapping)
		mmap(mapping, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

void member_divert(struct member *m)
{
	member_divert_mapping(m->map.base, m->map.geometry.file_size);
	member_divert_mapping(m->map.losses, sizeof(struct shm_task_losses));
}

/* Reads the owner's geometry of a generation. 0, or the reason why its rings cannot be used. */
static int copy_geometry(
	struct shm_geometry *g, const struct shm_control *control, uint32_t generation)
{
	*g = control->geometry;
	/* Acquire: orders the copy above before the second read; if another init came in
	 * between, the copy may be of two generations.
	 * tests/litmus/generation-copy.litmus */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&control->generation, __ATOMIC_RELAXED) != generation ||
		!geometry_sane(g))
		return PU_ERR_FILE_ERROR;
	/* Whether this process can read the clock that the session's stamps are in. */
	return clock_fits_session(g->clock, control->time_namespace);
}

/* Allocates a member and its bitmap of sections. Without reserving memory: untouched pages are
 * free. */
static struct member *new_member(const struct shm_geometry *g)
{
	struct member *m = mmap(NULL, sizeof *m + ring_populate_bytes(g), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (m == MAP_FAILED)
		return NULL;
	m->references = 1;
	m->dir = -1;
	m->map.geometry = *g;
	m->map.data_bytes = ring_data_bytes(g);
	m->map.section_mask = g->section_size - 1;
	m->map.populated = (uint64_t *)(m + 1);
	return m;
}

void member_unmap(struct member *m)
{
	member_unlink(m);
	if (m->map.base)
		munmap(m->map.base, m->map.geometry.file_size);
	if (m->map.losses)
		munmap(m->map.losses, sizeof(struct shm_task_losses));
	threads_end_process(m);
	unmap_tables(m);
	munmap(m, sizeof *m + ring_populate_bytes(&m->map.geometry));
}

int member_open(const struct session_location *location, const struct shm_control *control,
	uint32_t generation, struct member **list, struct member **member)
{
	struct shm_geometry geometry;
	struct member *m;
	int rc = copy_geometry(&geometry, control, generation);

	*member = NULL;
	if (rc)
		return rc;
	m = new_member(&geometry);
	if (!m)
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	m->generation = generation;
	m->map.control = control;
	rc = map_all(m, location);
	if (rc) {
		member_unmap(m);
		return rc;
	}
	m->map.rings = m->map.base + ring_offset(&geometry, 0);
	m->next = *list;
	*list = m;
	member_list = list;
	schema_publish_all(m, location);
	*member = m;
	return 0;
}

void member_leave(struct member *m)
{
	if (--m->references == 0)
		member_retire(m);
}

void member_set_source(struct member *m, enum shm_source source, uint32_t flags)
{
	m->source = source;
	m->source_flags = flags;
	if (m->process) {
		m->tasks->slot[shm_task_index(m->process)].source = source;
		m->tasks->slot[shm_task_index(m->process)].source_flags = flags;
	}
	if (source == SHM_SOURCE_SCRIPTED)
		__atomic_fetch_or(&((struct shm_ring_file *)m->map.base)->sticky,
			SHM_STICKY_SCRIPTED, __ATOMIC_RELAXED);
}
