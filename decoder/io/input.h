/*
 * From a path or a pipe to verified sections. The only room that trusts no length:
 * what it hands out lies within what it has checked.
 *
 * Bytes are read with pread, never mapped: a file that is cut short under us is a short
 * read, reported as damage, not a signal. Functions return 0 or a CPIDECODE_E code.
 */
#ifndef SWT_DECODER_IO_INPUT_H
#define SWT_DECODER_IO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* No section is unpacked to more than this, whatever its header and the file's say. */
	IO_MAX_RAW = 256 << 20,
	/* Stretches kept one by one; further ones are only counted. */
	IO_MAX_DAMAGE = 10000,
};

/* A section whose header stands and whose checksum holds. */
struct io_section {
	uint64_t offset; /* of the header, in the file */
	uint16_t type;
	uint8_t codec;
	uint32_t stored, raw;
	uint32_t ring, hooks;
	uint64_t position, first, last;
	uint32_t lost, torn;
};

/* A stretch of the file that could not be read as sections. */
struct io_damage {
	uint64_t offset, bytes;
	const char *why; /* a constant string */
};

struct io_header {
	uint16_t version_major, version_minor;
	uint8_t trace_id[16];
	uint32_t cpus, max_raw, clock, flags;
	uint64_t ticks_per_second; /* as written, 0 or nonsense included */
	uint64_t sync_ticks, sync_monotonic;
	int64_t sync_realtime;
	bool damaged;  /* its checksum does not hold: every field above is doubtful */
	uint64_t size; /* where the first section begins */
};

struct io_input;

/* done and total in bytes, total 0: unknown. Returning false cancels. */
typedef bool (*io_progress_fn)(void *ctx, uint64_t done, uint64_t total);

/*
 * path "-" is standard input. What cannot be read at any offset (a pipe, a terminal) is
 * copied to an unlinked temporary file first, so memory stays bounded. errno tells more
 * for CPIDECODE_EOPEN, EREAD and ESPOOL.
 */
int io_open_path(const char *path, io_progress_fn progress, void *ctx, struct io_input **in);
/* The descriptor is borrowed; a regular file is read from its current offset on. */
int io_open_fd(int fd, io_progress_fn progress, void *ctx, struct io_input **in);
/* The bytes are borrowed. */
int io_open_memory(const void *bytes, size_t n, struct io_input **in);
void io_close(struct io_input *in); /* NULL is fine */

uint64_t io_size(const struct io_input *in);
/* Reads as many of n bytes as there are at offset. errno is set for CPIDECODE_EREAD. */
int io_read(const struct io_input *in, uint64_t offset, void *buf, size_t n, size_t *got);

/* ENOTTRACE, EVERSION, ETRUNCATED; a wrong checksum is not an error but header->damaged. */
int io_read_header(const struct io_input *in, struct io_header *header);

/* What a scan tells its caller, in order of offset. Any non-zero return ends the scan. */
struct io_scan_events {
	int (*section)(void *ctx, const struct io_section *s);
	int (*damage)(void *ctx, const struct io_damage *d);
	void *ctx;
};

/*
 * One pass over the sections. Each one's checksum is verified before its size is used
 * to step to the next; after damage the next multiple of 8 with a section that holds is
 * looked for. The bytes hashed for false starts are bounded by a multiple of the file's
 * size. *ended: an END section was there.
 */
int io_scan(const struct io_input *in, const struct io_header *header,
	const struct io_scan_events *events, io_progress_fn progress, void *ctx, bool *ended);

/* Grows as needed and is reused from section to section; starts zeroed. */
struct io_buffer {
	uint8_t *p;
	size_t cap;
};

void io_buffer_free(struct io_buffer *b);

/*
 * Reads a section's payload again and unpacks it into raw->p: exactly s->raw bytes, or
 * nothing. scratch holds what is not unpacked yet. 0; CPIDECODE_ENOMEM, EREAD; or 1 with
 * *why set: damage, go on without it.
 */
int io_load(const struct io_input *in, const struct io_section *s, struct io_buffer *raw,
	struct io_buffer *scratch, const char **why);

#endif
