/*
 * From a path or a pipe to verified sections. The only room that trusts no length:
 * everything that it hands out lies within checked bounds.
 *
 * Bytes are read with pread, never mapped: a file that is cut short under us is a short
 * read, reported as damage, not a signal. Functions return 0 or a CPIDECODE_E code.
 *
 * decoder/io owns the way from bytes to verified sections. It includes base only. Errors: 0
 * or a CPIDECODE_E code.
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
	/* A stream up to this size has arrived when it is open. */
	IO_AT_ONCE = 66 << 20,
};

struct io_section {
	uint64_t offset; /* of the header, in the file */
	uint16_t type;
	uint8_t codec;
	uint32_t stored, raw;
	uint32_t ring, hooks;
	uint64_t position, first, last;
	uint32_t lost, torn;
	bool checked; /* its checksum held; else nothing of the above is certain */
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

/* Facts on an input of another format (NRM2), which is read as a converted trace.bin. */
struct io_import {
	uint64_t bytes; /* of the file as it was opened */
	/* In its own offsets, in no order. */
	struct io_damage *damage;
	size_t ndamage;
	uint64_t damage_untold, damaged_bytes;
	/* Copies of kernel files behind the sections: kallsyms, then modules; size 0: none. */
	int kernel_fd; /* -1: neither */
	struct io_kernel_file {
		uint64_t at, size; /* in kernel_fd */
	} kernel[2];
	bool foreign; /* not written by this toolkit */
	bool no_rate; /* the clock's rate is unknown: a tick is taken for a nanosecond */
	bool no_time; /* the time of day is unknown: times are since tick 0 */
};

/* done and total in bytes, total 0: unknown. Returning false cancels. */
typedef bool (*io_progress_fn)(void *ctx, uint64_t done, uint64_t total);

/*
 * An NRM2 file (formats/nrm2.md) becomes a trace.bin in an unlinked temporary file first.
 *
 * path "-" is standard input. An input that cannot be read at any offset (a pipe, a terminal) is
 * copied to an unlinked temporary file, so memory stays bounded: its beginning on opening, the rest
 * by io_await, until which the descriptor and ctx are used. errno has the cause of CPIDECODE_EOPEN,
 * EREAD and ESPOOL.
 */
int io_open_path(const char *path, io_progress_fn progress, void *ctx, struct io_input **in);
/* The descriptor is borrowed; a regular file is read from its current offset on. */
int io_open_fd(int fd, io_progress_fn progress, void *ctx, struct io_input **in);
/* The bytes are borrowed. */
int io_open_memory(const void *bytes, size_t n, struct io_input **in);
void io_close(struct io_input *in); /* NULL is fine */

/* NULL: it is read as it is. Lives as long as the input. */
const struct io_import *io_import(const struct io_input *in);
/* Reads n bytes of a kernel file at offset, or as many as there are. Sets errno for
 * CPIDECODE_EREAD. */
int io_import_kernel(const struct io_import *import, unsigned which, uint64_t offset, void *buf,
	size_t n, size_t *got);

/*
 * Waits until the bytes before end have arrived, or all: then the input no longer is arriving.
 * Until it returns, no other thread may use the input. As io_open_path.
 */
int io_await(struct io_input *in, uint64_t end);
/* Whether there may be more than io_size says. */
bool io_is_arriving(const struct io_input *in);
uint64_t io_size(const struct io_input *in);
/* Reads as many of n bytes as there are at offset. errno is set for CPIDECODE_EREAD. */
int io_read(const struct io_input *in, uint64_t offset, void *buf, size_t n, size_t *got);
/* The next reads are far apart, or (false) sequential. */
void io_expect_jumps(const struct io_input *in, bool jumps);

/* EEMPTY, ENOTTRACE, EVERSION, ETRUNCATED; a wrong checksum is not an error but header->damaged. */
int io_read_header(const struct io_input *in, struct io_header *header);

/* The events of a scan, in order of offset. */
struct io_scan_events {
	/* 0; a negative code ends the scan; IO_DOUBT: not before its checksum holds. */
	int (*section)(void *ctx, const struct io_section *s);
	int (*damage)(void *ctx, const struct io_damage *d); /* 0, or a code that ends the scan */
	void *ctx;
};

enum { IO_DOUBT = 1 };

/*
 * One pass over the sections. Each one's checksum is verified before its size is used
 * to step to the next; after damage, searches for the next multiple of 8 with a valid section.
 * The bytes hashed for false starts are bounded by a multiple of the file's size. *ended: an END
 * section was there.
 *
 * lazy: the payloads of HOOKS sections are not read. Such a section is trusted, and reported as not
 * checked, if its header is possible and another one follows where it ends; else, and if the caller
 * doubts it, it is verified like the others. A wrong size that leads to another section is thus
 * found only when the section is loaded, see io_rescue.
 *
 * Of an input that is arriving each section is reported once it is there, and all have arrived in
 * the end.
 */
int io_scan(struct io_input *in, const struct io_header *header, bool lazy,
	const struct io_scan_events *events, io_progress_fn progress, void *ctx, bool *ended);

/* Verifies a section that was reported as not checked: *holds. 0 or CPIDECODE_ENOMEM, EREAD. */
int io_check(const struct io_input *in, const struct io_section *s, bool *holds);

/*
 * For a section with a wrong checksum: reports the complete sections inside its claimed payload,
 * and the gaps as damage. *ended as in io_scan.
 */
int io_rescue(const struct io_input *in, const struct io_section *s,
	const struct io_scan_events *events, bool *ended);

/* Where the next section begins. */
uint64_t io_section_end(const struct io_section *s);

/*
 * Grows as needed and is reused from section to section; starts zeroed. Only io_load and
 * io_buffer_free know how p was allocated.
 */
struct io_buffer {
	uint8_t *p;
	size_t cap;
};

void io_buffer_free(struct io_buffer *b);

/*
 * Reads a section's payload and unpacks it into raw->p: exactly s->raw bytes, or nothing.
 * Verifies it unless that was done. scratch holds packed bytes. 0; CPIDECODE_ENOMEM,
 * EREAD; or 1 with *why set: damage, continue without it. Several threads may load from one input,
 * each with buffers of its own.
 */
int io_load(const struct io_input *in, const struct io_section *s, struct io_buffer *raw,
	struct io_buffer *scratch, const char **why);

#endif
