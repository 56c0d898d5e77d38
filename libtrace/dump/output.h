/*
 * Where a dump goes: a file that appears complete, by rename, or a stream.
 */
#ifndef SWT_DUMP_OUTPUT_H
#define SWT_DUMP_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../session/session.h"

struct iovec;

struct output {
	int fd;
	bool temporary; /* `temp` is to be renamed to `path`, or removed */
	int why;	/* errno of a write that failed */
	bool spools;	/* fd is a file without a name, for `stream` */
	int stream;
	uint64_t written;
	/* Called when a signal interrupts a write. False: give up. NULL: never. */
	bool (*go_on)(void *arg);
	void *go_on_arg;
	char path[PATH_MAX];
	char temp[PATH_MAX];
};

/*
 * path "-" is standard output. An existing file that is not regular (a device, a FIFO) is written
 * directly; any other through a temporary file in the same directory.
 * 0 or PU_ERR_FILE_ERROR.
 */
int output_open(struct output *o, const char *path, struct session_error *error);

/* Writes to the caller's file of temporary_open_unnamed(); the name is for messages. */
#define OUTPUT_UNNAMED "a temporary file (see TMPDIR)"
int output_open_unnamed(struct output *o, int fd, struct session_error *error);

/* Uses a temporary name that its writer recognises. An older file of that name is removed. */
int output_open_salted(
	struct output *o, const char *path, uint32_t salt, struct session_error *error);
bool output_temporary_name(const char *path, uint32_t salt, char name[PATH_MAX]);

/* Finds the file that would be replaced or made, which is the target of a symbolic link. False:
 * see errno. */
bool output_resolve(const char *path, char out[PATH_MAX]);

/* Whether path would be written through a temporary file. */
bool output_is_file(const char *path);

/* Writes all of it, despite short writes and signals. */
int output_write(struct output *o, const void *bytes, size_t size, struct session_error *error);
/* Writes all parts in as few calls as possible. Modifies parts. */
int output_writev(struct output *o, struct iovec *parts, int count, struct session_error *error);

/*
 * If the output may keep its writer waiting (a pipe, a socket): later writes go to a file without a
 * name first, as far as there is space, and to the output with output_unspool.
 */
void output_spool(struct output *o);
int output_unspool(struct output *o, struct session_error *error);

/* Renames a file that is still being written to its name, replacing an older one. */
int output_appear(struct output *o, struct session_error *error);

/* Makes the file durable and visible. On failure, acts as output_abandon. */
int output_finish(struct output *o, struct session_error *error);

/* Returns PU_ERR_FILE_ERROR with a line: what could not be done with path, why (an errno), and
 * advice. */
int output_fail(const char *path, const char *what, int why, struct session_error *error);

/* Removes the output, as far as possible. */
void output_abandon(struct output *o);

#endif
