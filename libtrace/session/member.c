/*
 * See member.h. Slots, schemas and locks are shared with other members, so every value
 * read there is masked or bounded before it is used.
 */
#include "member.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/record.h"
#include "../../formats/trace_file.h"
#include "../../include/perfutil.h"
#include "../counters/clock.h"
#include "../counters/clock_trust.h"
#include "../ring/layout.h"
#include "../ring/rseq.h"
#include "paths.h"
#include "threads.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Beyond this, pages are touched as they are written: a first touch costs a microsecond,
 * mapping a terabyte of page tables into every process costs more. */
#define PREFAULT_MAX (1ull << 30)

/* ---------------------------------------------------------------- mapping */

static void *map_shared(int fd, size_t bytes)
{
	void *p;

	if (fd < 0)
		return NULL;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

__attribute__((format(printf, 3, 0))) static int open_shared(int dir,
	const struct session_place *place, const char *format, uint32_t generation, uint64_t size)
{
	char name[32];

	snprintf(name, sizeof name, format, generation);
	return session_open_file(dir, name, O_RDWR, place->owner, S_IWGRP, size, NULL);
}

static void prefault(uint8_t *base, uint64_t bytes)
{
	if (bytes > PREFAULT_MAX || madvise(base, bytes, MADV_POPULATE_WRITE) == 0)
		return;
	for (uint64_t i = 0; i < bytes; i += SHM_PAGE)
		(void)*(volatile uint8_t *)(base + i);
}

/* This process can read the clock that the session's stamps are in. */
static bool clock_fits(const struct member *m)
{
	return clock_fits_session(m->map.geometry.clock, m->map.control->time_namespace) == 0;
}

static bool map_all(struct member *m, const struct session_place *place)
{
	struct session_place p = *place;

	m->dir = session_open_dir(&p, NULL);
	if (m->dir < 0)
		return false;
	m->tasks = map_shared(
		open_shared(m->dir, place, SHM_TASKS_FORMAT, m->generation, sizeof *m->tasks),
		sizeof *m->tasks);
	m->schemas = map_shared(
		open_shared(m->dir, place, SHM_SCHEMAS_FORMAT, m->generation, sizeof *m->schemas),
		sizeof *m->schemas);
	m->map.base = map_shared(open_shared(m->dir, place, SHM_RINGS_FORMAT, m->generation,
					 m->map.geometry.file_size),
		m->map.geometry.file_size);
	return m->tasks && m->schemas && m->map.base;
}

/* All but the rings. */
static void unmap_tables(struct member *m)
{
	if (m->tasks)
		munmap(m->tasks, sizeof *m->tasks);
	if (m->schemas)
		munmap(m->schemas, sizeof *m->schemas);
	if (m->dir >= 0)
		close(m->dir);
	m->tasks = NULL;
	m->schemas = NULL;
	m->dir = -1;
}

static struct member **member_list;

/*
 * Nobody writes there any more but, perhaps, a hook that a signal handler interrupted (the
 * handler saw the new rings, the hook will not). Its stores must not hurt: the rings' pages
 * go back, their addresses stay, as memory that takes whatever comes. The member itself
 * stays as well: the hook holds its map.
 */
static void retire(struct member *m)
{
	for (struct member **at = member_list; at && *at; at = &(*at)->next) {
		if (*at == m) {
			*at = m->next;
			break;
		}
	}
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

void member_divert(struct member *m)
{
	if (m->map.base)
		mmap(m->map.base, m->map.geometry.file_size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

struct member *member_open(const struct session_place *place, const struct shm_control *control,
	uint32_t generation, struct member **list)
{
	struct member *m =
		mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m == MAP_FAILED)
		return NULL;
	m->generation = generation;
	m->references = 1;
	m->dir = -1;
	m->map.control = control;
	m->map.geometry = control->geometry;
	/* Acquire: orders the copy above before the second look; if another init came in
	 * between, the copy may be of two generations. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&control->generation, __ATOMIC_RELAXED) != generation ||
		!geometry_sane(&m->map.geometry) || !clock_fits(m) || !map_all(m, place)) {
		if (m->map.base)
			munmap(m->map.base, m->map.geometry.file_size);
		unmap_tables(m);
		munmap(m, sizeof *m);
		return NULL;
	}
	m->map.rings = m->map.base + ring_offset(&m->map.geometry, 0);
	m->map.section_mask = m->map.geometry.section_size - 1;
	prefault(m->map.base, m->map.geometry.file_size);
	close(m->dir);
	m->dir = -1;
	m->next = *list;
	*list = m;
	member_list = list;
	for (const struct member_schema *s = attach_schemas(); s; s = s->next) {
		/* Who sits on the lock costs a program its wait once, not for every schema. */
		if (member_publish_schema(m, place, s) == PU_ERROR_FACILITY_BUSY)
			break;
	}
	return m;
}

void member_leave(struct member *m)
{
	if (--m->references == 0)
		retire(m);
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

/* ---------------------------------------------------------------- schemas */

/* Whether the area holds the text; -1 if somebody scribbled there. */
static int find_text(const struct shm_schema_file *f, uint32_t used, const struct member_schema *s)
{
	uint32_t at = 0;

	while (at < used) {
		const struct shm_schema *e = (const struct shm_schema *)(f->area + at);
		uint32_t length;

		if (used - at < sizeof *e)
			return -1;
		length = __atomic_load_n(&e->length, __ATOMIC_RELAXED);
		if (length > used - at - sizeof *e)
			return -1;
		if (length == s->length && memcmp(e->text, s->text, length) == 0)
			return 1;
		at += (uint32_t)((sizeof *e + length + 7) & ~7u);
	}
	return 0;
}

static int append_text(struct shm_schema_file *f, const struct member_schema *s)
{
	uint32_t need = (uint32_t)((sizeof(struct shm_schema) + s->length + 7) & ~7u);
	uint32_t used = __atomic_load_n(&f->used, __ATOMIC_ACQUIRE);
	struct shm_schema *e;
	int found;

	if (used > SHM_SCHEMA_BYTES || used % 8)
		return PU_ERROR_INSUFFICIENT_BUFFER;
	found = find_text(f, used, s);
	if (found > 0)
		return PU_SUCCESS;
	if (found < 0 || need > SHM_SCHEMA_BYTES - used)
		return PU_ERROR_INSUFFICIENT_BUFFER;
	e = (struct shm_schema *)(f->area + used);
	e->length = s->length;
	memcpy(e->text, s->text, s->length);
	/* Release: pairs with the acquire of whoever reads `used` next. */
	__atomic_store_n(&f->used, used + need, __ATOMIC_RELEASE);
	return PU_SUCCESS;
}

int member_publish_schema(
	struct member *m, const struct session_place *place, const struct member_schema *s)
{
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	const struct timespec wait = {.tv_nsec = 1000000};
	struct session_place p = *place;
	int dir = session_open_dir(&p, NULL), rc = PU_ERR_FILE_ERROR;
	int fd = dir < 0 ? -1
			 : open_shared(dir, place, SHM_SCHEMAS_FORMAT, m->generation,
				   sizeof *m->schemas);

	/* A second at most: a member who sits on the lock must not stop a program. */
	for (int i = 0; fd >= 0 && i < 1000; i++) {
		if (fcntl(fd, F_OFD_SETLK, &fl) == 0) {
			rc = append_text(m->schemas, s);
			break;
		}
		rc = PU_ERROR_FACILITY_BUSY;
		nanosleep(&wait, NULL);
	}
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
	return rc;
}
