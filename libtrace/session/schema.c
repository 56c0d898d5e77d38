/*
 * See schema.h. The area is shared with other members, so every length read there is bounded
 * before it is used.
 */
#include "schema.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/schema_parse.h"
#include "../../include/perfutil.h"
#include "paths.h"

/* ------------------------------------------------------------- the process's */

struct registered_schema {
	struct registered_schema *next;
	uint32_t length;
	char text[];
};

/* One mapping each, kept for later sessions. */
static struct registered_schema *schemas;

int TraceCheckSchema(const char *text, TRACE_SCHEMA_ERROR *error)
{
	struct schema_error why = {0};
	struct schema *compiled;
	size_t length;
	int rc = 0;

	_Static_assert(sizeof error->reason == sizeof why.reason, "a reason is copied whole");
	if (!text)
		return PU_ERR_NULL_PTR;
	length = strlen(text);
	if (length > SHM_SCHEMA_TEXT_MAX) {
		rc = SCHEMA_REFUSED;
		snprintf(
			why.reason, sizeof why.reason, "longer than %d bytes", SHM_SCHEMA_TEXT_MAX);
	} else {
		rc = schema_parse(text, length, &compiled, &why);
		schema_free(rc ? NULL : compiled);
	}
	if (error) {
		error->line = why.line;
		memcpy(error->reason, why.reason, sizeof error->reason);
	}
	return rc == SCHEMA_REFUSED ? PU_ERROR_INVALID_PARAMETER
	       : rc		    ? PU_ERROR_NOT_ENOUGH_MEMORY
				    : PU_SUCCESS;
}

int schema_keep(const char *text, size_t length, const struct registered_schema **kept)
{
	struct registered_schema *s;

	*kept = NULL;
	for (s = schemas; s; s = s->next) {
		if (s->length == length && memcmp(s->text, text, length) == 0)
			return PU_SUCCESS;
	}
	s = mmap(NULL, sizeof *s + length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		0);
	if (s == MAP_FAILED)
		return PU_ERROR_NOT_ENOUGH_MEMORY;
	s->length = (uint32_t)length;
	memcpy(s->text, text, length);
	s->next = schemas;
	schemas = s;
	*kept = s;
	return PU_SUCCESS;
}

/* ------------------------------------------------------------- the session's */

/* Whether the area holds the text; -1: its lengths are invalid. */
static int find_text(
	const struct shm_schema_file *f, uint32_t used, const struct registered_schema *s)
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

static int append_text(struct shm_schema_file *f, const struct registered_schema *s)
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
	/* Release: pairs with the acquire of whoever reads `used` next.
	 * tests/litmus/schema-used.litmus */
	__atomic_store_n(&f->used, used + need, __ATOMIC_RELEASE);
	return PU_SUCCESS;
}

static int open_area(const struct member *m, const struct session_place *place)
{
	uid_t owner = place->owner;
	int dir = session_open_path(place->dir, &owner, NULL), fd;
	char name[32];

	if (dir < 0)
		return dir;
	session_name(name, SHM_SCHEMAS_FORMAT, m->generation, 0);
	fd = session_open_file(
		dir, name, O_RDWR, owner, S_IWGRP, sizeof(struct shm_schema_file), NULL);
	close(dir);
	return fd;
}

/* Waits a second at most: a member that keeps the lock must not stop a program. */
static bool lock_area(int fd)
{
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	const struct timespec wait = {.tv_nsec = 1000000};

	for (int i = 0; i < 1000; i++) {
		if (fcntl(fd, F_OFD_SETLK, &fl) == 0)
			return true;
		nanosleep(&wait, NULL);
	}
	return false;
}

int schema_publish(const struct member *m, const struct session_place *place,
	const struct registered_schema *s)
{
	struct shm_schema_file *f;
	int fd = open_area(m, place), rc;

	if (fd < 0)
		return fd;
	f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f == MAP_FAILED) {
		close(fd);
		return PU_ERROR_CANNOT_MAP_BUFFER;
	}
	rc = lock_area(fd) ? append_text(f, s) : PU_ERROR_FACILITY_BUSY;
	munmap(f, sizeof *f);
	close(fd); /* and so unlocked */
	return rc;
}

void schema_publish_all(const struct member *m, const struct session_place *place)
{
	for (const struct registered_schema *s = schemas; s; s = s->next) {
		/* A member that keeps the lock costs a program one wait, not one per schema. */
		if (schema_publish(m, place, s) == PU_ERROR_FACILITY_BUSY)
			break;
	}
}
