/*
 * Where a report goes: a buffered stream that remembers its first error. A named
 * regular file is written beside its final name and moved there when it is whole, so
 * that a reader never sees half a report; a device, a pipe or standard output is written directly.
 *
 * Writers do not return errors: they stop storing after the first one, and out_close
 * (or out_error, in a long loop) tells.
 *
 * decoder/sink owns how output is spelled, one writer for each syntax. It includes base only.
 */
#ifndef SWT_DECODER_OUT_H
#define SWT_DECODER_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct out {
	int fd;
	int error; /* errno of the first failure */
	char *buf;
	size_t len, cap;
	char *path;    /* final name; NULL: standard output or memory */
	char *temp;    /* name while it grows; NULL: written directly */
	bool placed;   /* it has its final name */
	bool csv_safe; /* csv.h: no field is a formula to a spreadsheet */
	/* Takes the bytes in place of fd: 0, or an errno. NULL: fd does, or memory. */
	int (*write)(void *ctx, const void *bytes, size_t n);
	void *ctx;
};

/* path NULL or "-" is standard output. 0 or a negative errno. */
int out_open(struct out *o, const char *path);
/* A stream into a function. 0 or -ENOMEM. */
int out_function(struct out *o, int (*write)(void *, const void *, size_t), void *ctx);
/* A stream that only grows in memory: o->buf, o->len; released by out_discard. */
void out_memory(struct out *o);
/* Writes what is left and gives the file its name. 0 or a negative errno. */
int out_close(struct out *o);
/* Gives up: removes the unfinished file, releases the memory. */
void out_discard(struct out *o);
const char *out_name(const struct out *o);

/* What does not fit, or follows an error. */
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

/* out_reserve when there is not enough room yet. */
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

/* Makes the text so far fit for put_padded (put.h): of a stream in memory. */
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
/* As printf's %.*f prints it, decimals 0 to 9; v is finite. Never -0. */
void out_fixed(struct out *o, double v, unsigned decimals);
/* As %.*g does. */
void out_general(struct out *o, double v, unsigned digits);
/* The fewest digits that read back as the same double; v is finite. */
void out_double(struct out *o, double v);
/* Nanoseconds as seconds with nine decimals. */
void out_seconds(struct out *o, int64_t ns);
/* Not for doubles: the locale of a program that embeds us would change them. */
void out_printf(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
