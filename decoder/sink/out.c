#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/base/array.h"
#include "../../formats/base/number.h"
#include "../../formats/base/temporary.h"
#include "../base/whole_io.h"
#include "out.h"
#include "fmt.h"

#define OUT_BUFFER ((size_t)256 * 1024)

static void out_fail(struct out *o, int error)
{
	if (!o->error)
		o->error = error;
}

bool out_is_temporary(const char *name, const char *last)
{
	static const char digits[] = "0123456789";
	size_t n = strlen(last);

	if (*name++ != '.' || strncmp(name, last, n) != 0 || name[n] != '.')
		return false;
	name += n + 1;
	n = strspn(name, digits);
	if (!n || name[n] != '-')
		return false;
	name += n + 1;
	n = strspn(name, digits);
	return n && strcmp(name + n, ".tmp") == 0;
}

char *out_name_temporary(const char *path, unsigned attempt)
{
	const char *slash = strrchr(path, '/');
	const int folder = slash ? (int)(slash + 1 - path) : 0;
	char *name;

	if (asprintf(&name, "%.*s.%s.%ld-%u.tmp", folder, path, path + folder, (long)getpid(),
		    attempt) < 0)
		return NULL;
	return name;
}

static int open_beside(struct out *o, const struct stat *old)
{
	temporary_sweep(o->path, out_is_temporary);
	for (unsigned attempt = 0; attempt < 100; attempt++) {
		free(o->temp);
		o->temp = out_name_temporary(o->path, attempt);
		if (!o->temp)
			return -ENOMEM;
		o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (o->fd >= 0 && !temporary_claim(o->fd, o->temp)) {
			close(o->fd);
			o->fd = -1;
			continue;
		}
		if (o->fd >= 0) {
			/* Keeps the permissions of the report that is replaced, if possible. */
			if (old && fchmod(o->fd, old->st_mode & 0777) < 0)
				errno = 0;
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	int error = errno;
	free(o->temp);
	o->temp = NULL;
	return -error;
}

static int open_path(struct out *o, const char *path)
{
	struct stat st;

	/* Resolves a symbolic link: renaming over it would replace the link. */
	o->path = realpath(path, NULL);
	if (!o->path) {
		if (errno != ENOENT)
			return -errno;
		o->path = strdup(path);
		return o->path ? open_beside(o, NULL) : -ENOMEM;
	}
	if (stat(o->path, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (S_ISREG(st.st_mode)) {
		if (access(o->path, W_OK) < 0)
			return -errno;
		return open_beside(o, &st);
	}
	o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
	return o->fd < 0 ? -errno : 0;
}

void out_memory(struct out *o)
{
	*o = (struct out){.fd = -1};
}

int out_open(struct out *o, const char *path)
{
	out_memory(o);
	o->buf = malloc(OUT_BUFFER);
	if (!o->buf)
		return -ENOMEM;
	o->cap = OUT_BUFFER;
	int rc = 0;
	if (!path || strcmp(path, "-") == 0)
		o->fd = STDOUT_FILENO;
	else
		rc = open_path(o, path);
	if (rc < 0)
		out_discard(o);
	return rc;
}

int out_function(struct out *o, int (*write)(void *, const void *, size_t), void *ctx)
{
	out_memory(o);
	o->buf = malloc(OUT_BUFFER);
	if (!o->buf)
		return -ENOMEM;
	o->cap = OUT_BUFFER;
	o->write = write;
	o->ctx = ctx;
	return 0;
}

const char *out_name(const struct out *o)
{
	return o->path ? o->path : "standard output";
}

static void write_through(struct out *o, const char *p, size_t n)
{
	if (o->write) {
		if (n && !o->error)
			o->error = o->write(o->ctx, p, n);
		return;
	}
	if (!o->error && whole_write(o->fd, p, n, WHOLE_APPEND))
		out_fail(o, errno);
}

static void out_flush(struct out *o)
{
	write_through(o, o->buf, o->len);
	o->len = 0;
}

/* Room for n more bytes of a stream in memory. */
static bool out_grow_buffer(struct out *o, size_t n)
{
	if (n <= SIZE_MAX - o->len && array_reserve(&o->buf, &o->cap, o->len + n, 1))
		return true;
	out_fail(o, ENOMEM);
	return false;
}

int out_close(struct out *o)
{
	out_flush(o);
	if (o->path && o->fd >= 0) {
		int fd = o->fd;

		o->fd = -1;
		if (!o->temp || o->error) {
			if (close(fd) < 0)
				out_fail(o, errno);
		} else {
			int error = temporary_finish(fd, o->temp, o->path);

			if (error)
				out_fail(o, error);
			else
				o->placed = true;
		}
	}
	return -o->error;
}

void out_discard(struct out *o)
{
	if (o->path && o->fd >= 0)
		close(o->fd);
	if (o->temp && !o->placed)
		unlink(o->temp);
	free(o->temp);
	free(o->path);
	free(o->buf);
	out_memory(o);
}

static bool in_memory(const struct out *o)
{
	return o->fd < 0 && !o->write;
}

char *out_room(struct out *o, size_t n)
{
	if (o->error)
		return NULL;
	if (!in_memory(o))
		out_flush(o);
	if (o->error || (o->cap - o->len < n && !out_grow_buffer(o, n)))
		return NULL;
	return o->buf + o->len;
}

void out_slowly(struct out *o, const void *p, size_t n)
{
	if (o->error || !n)
		return;
	if (!in_memory(o)) {
		out_flush(o);
		if (n >= o->cap) { /* bypasses the buffer */
			write_through(o, p, n);
			return;
		}
	}
	char *to = out_room(o, n);
	if (to) {
		memcpy(to, p, n);
		out_reach(o, to + n);
	}
}

void out_pad(struct out *o)
{
	char *p = out_reserve(o, FMT_SLACK);

	if (p)
		memset(p, 0, FMT_SLACK);
}

void out_repeat(struct out *o, char c, size_t n)
{
	while (n--)
		out_char(o, c);
}

void out_u64(struct out *o, uint64_t v)
{
	char *p = out_reserve(o, FMT_U64 + FMT_SLACK);

	if (p)
		out_reach(o, fmt_u64(p, v));
}

void out_i64(struct out *o, int64_t v)
{
	char *p = out_reserve(o, FMT_I64 + FMT_SLACK);

	if (p)
		out_reach(o, fmt_i64(p, v));
}

void out_hex(struct out *o, uint64_t v, unsigned n)
{
	char text[16];

	fmt_hex8(text, (uint32_t)(v >> 32));
	fmt_hex8(text + 8, (uint32_t)v);
	out_bytes(o, text + sizeof text - n, n);
}

void out_words(struct out *o, const uint8_t *words, unsigned n)
{
	char *p = out_reserve(o, (size_t)n * FMT_WORD + FMT_SLACK);

	if (p)
		out_reach(o, fmt_words(p, words, n));
}

static void out_scaled(struct out *o, uint64_t v, unsigned decimals)
{
	char text[FMT_U64 + FMT_SLACK];
	size_t n = (size_t)(fmt_u64(text, v) - text);

	if (n <= decimals)
		out_char(o, '0');
	else
		out_bytes(o, text, n - decimals);
	if (!decimals)
		return;
	out_char(o, '.');
	size_t digits = n < decimals ? n : decimals;
	out_repeat(o, '0', decimals - digits);
	out_bytes(o, text + n - digits, digits);
}

/* A locale may use another decimal point. */
static void out_number(struct out *o, const char *text)
{
	size_t whole = *text == '-' || *text == '+';

	whole += number_count_digits(text + whole, 10);

	out_bytes(o, text, whole);
	text += whole;
	if (*text && *text != 'e') {
		out_char(o, '.');
		text += strcspn(text, "0123456789");
	}
	out_str(o, text);
}

void out_fixed(struct out *o, double v, unsigned decimals)
{
	static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
	double scaled = fabs(v) * power[decimals];
	double whole = floor(scaled);

	/* Near a rounding tie, or beyond a double's precision, fall back to snprintf. */
	if (scaled >= 1e14 || fabs(scaled - whole - 0.5) < 1e-3) {
		char text[DBL_MAX_10_EXP + 20];

		snprintf(text, sizeof text, "%.*f", (int)decimals, fabs(v));
		if (signbit(v) && strpbrk(text, "123456789"))
			out_char(o, '-');
		out_number(o, text);
		return;
	}
	uint64_t n = (uint64_t)whole + (scaled - whole > 0.5);
	if (signbit(v) && n)
		out_char(o, '-');
	out_scaled(o, n, decimals);
}

void out_general(struct out *o, double v, unsigned digits)
{
	char text[40];

	snprintf(text, sizeof text, "%.*g", (int)digits, v);
	out_number(o, text);
}

void out_double(struct out *o, double v)
{
	char text[40];

	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, sizeof text, "%.*g", precision, v);
		if (strtod(text, NULL) == v)
			break;
	}
	out_number(o, text);
}

void out_seconds(struct out *o, int64_t ns)
{
	char *p = out_reserve(o, FMT_SECONDS + FMT_SLACK);

	if (p)
		out_reach(o, fmt_seconds(p, ns));
}

void out_printf(struct out *o, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	int n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	if (n < 0) {
		out_fail(o, EINVAL);
		return;
	}
	if ((size_t)n < sizeof text) {
		out_bytes(o, text, (size_t)n);
		return;
	}
	char *longer = malloc((size_t)n + 1);
	if (!longer) {
		out_fail(o, ENOMEM);
		return;
	}
	va_start(ap, format);
	vsnprintf(longer, (size_t)n + 1, format, ap);
	va_end(ap);
	out_bytes(o, longer, (size_t)n);
	free(longer);
}
