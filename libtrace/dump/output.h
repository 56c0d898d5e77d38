/*
 * Where a dump goes: a file that appears whole, by rename, or a stream.
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
	uint64_t written;
	/* Asked when a signal interrupts a write: false gives up. NULL: never gives up. */
	bool (*go_on)(void *arg);
	void *go_on_arg;
	char path[PATH_MAX];
	char temp[PATH_MAX];
};

/*
 * path "-" is standard output. What exists and is no regular file (a device, a FIFO) is
 * written to directly; anything else through a temporary file in the same directory.
 * 0 or PU_ERR_FILE_ERROR.
 */
int output_open(struct output *o, const char *path, struct session_error *error);

/* A file of temporary_open_unnamed(), which stays the caller's, and its name in messages. */
#define OUTPUT_UNNAMED "a temporary file (see TMPDIR)"
int output_open_unnamed(struct output *o, int fd, struct session_error *error);

/* With a temporary name that its writer knows again; what has it already is removed. */
int output_open_salted(
	struct output *o, const char *path, uint32_t salt, struct session_error *error);
bool output_temporary_name(const char *path, uint32_t salt, char name[PATH_MAX]);

/* The file that would be replaced or made: what a symbolic link points to. False: errno. */
bool output_resolve(const char *path, char out[PATH_MAX]);

/* Whether path would be written through a temporary file. */
bool output_is_file(const char *path);

/* All of it, whatever short writes and signals there are. */
int output_write(struct output *o, const void *bytes, size_t size, struct session_error *error);
/* In as few calls as it takes; parts is used up. */
int output_writev(struct output *o, struct iovec *parts, int count, struct session_error *error);

/* Gives a file that is still being written its name, in place of what had it. */
int output_appear(struct output *o, struct session_error *error);

/* Makes the file durable and visible. On failure it is as after output_abandon. */
int output_finish(struct output *o, struct session_error *error);

/* PU_ERR_FILE_ERROR and the line: what could not be done with path, why (an errno), advice. */
int output_fail(const char *path, const char *what, int why, struct session_error *error);

/* Removes what was written, as far as it can be removed. */
void output_abandon(struct output *o);

#endif
