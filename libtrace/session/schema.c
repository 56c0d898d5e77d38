/*
 * See schema.h. The area is shared with other members, so every length read there is bounded
 * before it is used.
 */
#include "schema.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../formats/schema_parse.h"
#include "../../include/perfutil.h"
#include "texts.h"

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
		const struct shm_text *e = (const struct shm_text *)(f->area + at);
		uint32_t length;

		if (used - at < sizeof *e)
			return -1;
		length = __atomic_load_n(&e->length, __ATOMIC_RELAXED);
		if (length > used - at - sizeof *e)
			return -1;
		if (length == s->length && memcmp(e->text, s->text, length) == 0)
			return 1;
		at += shm_text_bytes(length);
	}
	return 0;
}

/* With the file locked. */
static int schema_append(int fd, const struct registered_schema *s)
{
	uint32_t used = texts_used(fd, SHM_SCHEMA_BYTES);
	const struct shm_schema_file *f;
	int found;

	if (used == TEXTS_INVALID)
		return PU_ERROR_INSUFFICIENT_BUFFER;
	f = mmap(NULL, sizeof *f, PROT_READ, MAP_SHARED, fd, 0);
	if (f == MAP_FAILED)
		return PU_ERROR_CANNOT_MAP_BUFFER;
	found = find_text(f, used, s);
	munmap((void *)(uintptr_t)f, sizeof *f);
	if (found > 0)
		return PU_SUCCESS;
	if (found < 0 || shm_text_bytes(s->length) > SHM_SCHEMA_BYTES - used ||
		!texts_append(fd, used, s->text, s->length, 0))
		return PU_ERROR_INSUFFICIENT_BUFFER;
	return PU_SUCCESS;
}

/* How long a program waits for another one that appends. */
enum { SCHEMA_WAIT_MS = 1000 };

int schema_publish(const struct member *m, const struct session_location *location,
	const struct registered_schema *s)
{
	int fd = texts_open(
		    m->generation, location, SHM_SCHEMAS_FORMAT, sizeof(struct shm_schema_file)),
	    rc;

	if (fd < 0)
		return fd;
	rc = texts_lock(fd, SCHEMA_WAIT_MS) ? schema_append(fd, s) : PU_ERROR_FACILITY_BUSY;
	texts_unlock(fd);
	close(fd);
	return rc;
}

void schema_publish_all(const struct member *m, const struct session_location *location)
{
	for (const struct registered_schema *s = schemas; s; s = s->next) {
		/* A member that keeps the lock costs a program one wait, not one per schema. */
		if (schema_publish(m, location, s) == PU_ERROR_FACILITY_BUSY)
			break;
	}
}
