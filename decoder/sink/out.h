/*
 * Where a report goes: a buffered stream that remembers its first error. A named regular file is
 * written next to its final name and renamed when it is complete, so that a reader never sees half
 * a report; a device, a pipe or standard output is written directly.
 *
 * Writers do not return errors: they stop storing after the first one, which `error` holds and
 * out_close returns.
 *
 * decoder/sink owns how output is spelled, one writer for each syntax. It includes base only.
 * Errors: a stream remembers its first one, an errno.
 */
#ifndef SWT_DECODER_OUT_H
#define SWT_DECODER_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../base/varint.h"

struct out {
	int fd;
	int error; /* errno of the first failure */
	char *buf;
	size_t len, cap;
	char *path;    /* final name; NULL: standard output or memory */
	char *temp;    /* name while it is being written; NULL: written directly */
	bool placed;   /* it has its final name */
	bool csv_safe; /* csv.h: keep fields from being formulas in a spreadsheet */
	/* Receives the bytes instead of fd; returns 0 or an errno. NULL: fd or memory. */
	int (*write)(void *ctx, const void *bytes, size_t n);
	void *ctx;
};

/* path NULL or "-" is standard output. 0 or a negative errno. */
int out_open(struct out *o, const char *path);
/* Opens a stream into a function. 0 or -ENOMEM. */
int out_function(struct out *o, int (*write)(void *, const void *, size_t), void *ctx);
/* Opens a stream in memory: o->buf, o->len; released by out_discard. */
void out_memory(struct out *o);
/* Flushes the stream and renames the file to its final name. 0 or a negative errno. */
int out_close(struct out *o);
/* Aborts: removes the unfinished file, frees the memory. */
void out_discard(struct out *o);
const char *out_name(const struct out *o);
/*
 * The name of an unfinished file next to `path`, as .LAST.12345-0.tmp, for the caller to free;
 * NULL: no memory. Its first dot hides the leftovers of a killed run from patterns such as part.*.
 */
char *out_name_temporary(const char *path, unsigned attempt);
/* Whether `name` is that of an unfinished file whose final path's last part is `last`. */
bool out_is_temporary(const char *name, const char *last);

/* The slow path: the bytes do not fit, or an error is set. */
void out_slowly(struct out *o, const void *p, size_t n);

static inline void out_bytes(struct out *o, const void *p, size_t n)
{
	if (n && n <= o->cap - o->len && !o->error) {
		memcpy(o->buf + o->len, p, n);
		o->len += n;
	} else {
		out_slowly(o, p, n);
	}
}

/* The slow path of out_reserve. */
char *out_room(struct out *o, size_t n);

/*
 * Room for n bytes, to be written directly; out_reach then says how far. NULL after an
 * error. Of a stream that is written somewhere, n is kept small by the caller.
 */
static inline char *out_reserve(struct out *o, size_t n)
{
	return n <= o->cap - o->len && !o->error ? o->buf + o->len : out_room(o, n);
}

static inline void out_reach(struct out *o, const char *end)
{
	o->len = (size_t)(end - o->buf);
}

static inline void out_varint(struct out *o, uint64_t v)
{
	char *to = out_reserve(o, VARINT_U64_MAX);

	if (to)
		out_reach(o, varint_store(to, v));
}

/* Pads the text of a stream in memory, as fmt_padded (fmt.h) requires. */
void out_pad(struct out *o);

static inline void out_char(struct out *o, char c)
{
	out_bytes(o, &c, 1);
}

static inline void out_str(struct out *o, const char *s)
{
	out_bytes(o, s, strlen(s));
}

void out_repeat(struct out *o, char c, size_t n);
void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
/* Upper-case hexadecimal, exactly that many digits. */
void out_hex(struct out *o, uint64_t v, unsigned digits);
/* n little-endian 32-bit words, eight digits each, with spaces between them. */
void out_words(struct out *o, const uint8_t *words, unsigned n);
/* Like printf's %.*f, decimals 0 to 9, but never -0; v is finite. */
void out_fixed(struct out *o, double v, unsigned decimals);
/* Like printf's %.*g. */
void out_general(struct out *o, double v, unsigned digits);
/* The fewest digits that read back as the same double; v is finite. */
void out_double(struct out *o, double v);
/* Nanoseconds as seconds with nine decimals. */
void out_seconds(struct out *o, int64_t ns);
/* Not for doubles: the locale of the embedding program would change them. */
void out_printf(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
