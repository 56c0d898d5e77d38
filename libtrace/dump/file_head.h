/*
 * The beginning of every trace.bin: header, META, SCHEMA, the first CLOCK, TASKS and LABELS,
 * gathered from a session and written in that order.
 */
#ifndef SWT_DUMP_FILE_HEAD_H
#define SWT_DUMP_FILE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../formats/trace_file.h"
#include "../session/session.h"
#include "section.h"
#include "tasks.h"
#include "meta_lines.h"

/* HEAD_TASKS_MAX: entries of one TASKS section; HEAD_CONTAINERS_MAX: so many of any size fit in a
 * CONTAINERS section, which is no larger. */
enum { TRACE_ID_SIZE = 16, HEAD_TASKS_MAX = 16384, HEAD_CONTAINERS_MAX = 1024 };

/* A copy of the task table. */
struct head_tasks {
	struct session_task *tasks;
	int count;
	bool scripted; /* some tasks have scripted counters */
};

/* Also adds the tasks to `known`. */
int head_gather_tasks(
	struct head_tasks *t, struct session *s, struct tasks *known, struct session_error *error);
void head_free_tasks(struct head_tasks *t);

/* Adds lines for META or REMARKS: open intervals of these threads last until that tick, at which
 * or later the table was read. 0: unknown, adds nothing. */
void head_add_living(struct buffer *lines, const struct head_tasks *t, uint64_t ticks);

struct file_head {
	struct session *session;
	enum tf_codec codec;
	struct buffer meta, schema;
	size_t registered; /* bytes of schemas that programs registered, at schema's end */
	struct head_tasks tasks;
	struct tasks *known; /* the caller's */
	uint32_t labels;     /* bytes of the session's labels */
	bool scripted;
	uint16_t minor;	     /* of the file's version: the caller's to set */
	uint64_t started[3]; /* clock sync */
};

/*
 * Call it after reading the heads of the rings: a process sets the sticky flag and enters itself,
 * its counter source, its schemas and labels before its first hook, so the writer of every hook
 * before those heads is known. Adds the writers to `known`; head_write writes those not yet in the
 * file. The caller may add lines to meta before it is written. command: NULL if unknown. Free it
 * whatever this returns. anyhow: omits tables that members destroyed, without an error.
 */
int head_gather(struct file_head *h, struct session *s, struct tasks *known, enum tf_codec codec,
	const char *command, bool anyhow, struct session_error *error);
void head_free(struct file_head *h);

/* The size of the largest raw payload among the sections of head_write. */
uint64_t head_largest(const struct file_head *h);

/* Fills in 16 random bytes. */
int head_trace_id(uint8_t id[TRACE_ID_SIZE], struct session_error *error);

/* *labels becomes the position after the labels that it wrote. */
int head_write(const struct file_head *h, struct section_writer *w, const uint8_t id[TRACE_ID_SIZE],
	uint32_t max_raw, uint32_t *labels, struct session_error *error);

/* Writes a section that belongs to no ring. */
int head_write_plain(struct section_writer *w, enum tf_type type, enum tf_codec codec,
	const void *payload, size_t raw, struct session_error *error);

/* Writes TASKS sections for tasks not yet in the file. */
int head_write_tasks(struct section_writer *w, enum tf_codec codec, struct tasks *known,
	struct session_error *error);

/* Writes LABELS sections from *written on, a position in the session's area, and advances it. */
int head_write_labels(struct section_writer *w, enum tf_codec codec, struct session *s,
	uint32_t *written, struct session_error *error);

/* A CLOCK section of now. */
int head_write_clock(
	struct section_writer *w, const struct session *s, struct session_error *error);

#endif
