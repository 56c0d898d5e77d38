#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/bytes.h"
#include "out.h"

#define OUT_BUFFER ((size_t)256 * 1024)

static void fail(struct out *o, int error)
{
	if (!o->error)
		o->error = error;
}

static int open_beside(struct out *o, const struct stat *old)
{
	for (unsigned attempt = 0; attempt < 100; attempt++) {
		free(o->temp);
		if (asprintf(&o->temp, "%s.%ld-%u.tmp", o->path, (long)getpid(), attempt) < 0) {
			o->temp = NULL;
			return -ENOMEM;
		}
		o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (o->fd >= 0) {
			/* A report that replaces another keeps its permissions, if it can. */
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
	/* Through a symbolic link to what it names: moving over the link would cut it. */
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
	if (!path || !strcmp(path, "-"))
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

static void flush(struct out *o)
{
	if (o->write && o->len && !o->error)
		o->error = o->write(o->ctx, o->buf, o->len);
	if (o->write)
		o->len = 0;
	for (size_t done = 0; done < o->len && !o->error;) {
		ssize_t n = write(o->fd, o->buf + done, o->len - done);
		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			fail(o, EIO);
		else if (errno != EINTR)
			fail(o, errno);
	}
	o->len = 0;
}

/* Room for n more bytes of a stream in memory. */
static bool grow(struct out *o, size_t n)
{
	size_t cap = o->cap ? o->cap : 256;
	if (n > SIZE_MAX / 2 - o->len) {
		fail(o, ENOMEM);
		return false;
	}
	while (cap - o->len < n)
		cap *= 2;
	char *p = realloc(o->buf, cap);
	if (!p) {
		fail(o, ENOMEM);
		return false;
	}
	o->buf = p;
	o->cap = cap;
	return true;
}

int out_close(struct out *o)
{
	flush(o);
	if (o->path && o->fd >= 0) {
		if (close(o->fd) < 0)
			fail(o, errno);
		o->fd = -1;
	}
	if (o->temp && !o->error) {
		if (rename(o->temp, o->path) < 0)
			fail(o, errno);
		else
			o->placed = true;
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

void out_slowly(struct out *o, const void *p, size_t n)
{
	const char *from = p;
	if (o->error)
		return;
	if (o->fd < 0 && !o->write) {
		if (o->cap - o->len < n && !grow(o, n))
			return;
	} else {
		while (o->cap - o->len < n) {
			size_t part = o->cap - o->len;
			memcpy(o->buf + o->len, from, part);
			o->len += part;
			from += part;
			n -= part;
			flush(o);
		}
	}
	if (n) {
		memcpy(o->buf + o->len, from, n);
		o->len += n;
	}
}

void out_repeat(struct out *o, char c, size_t n)
{
	while (n--)
		out_char(o, c);
}

#define TENS(t) #t "0" #t "1" #t "2" #t "3" #t "4" #t "5" #t "6" #t "7" #t "8" #t "9"

static const char hundred[] =
	TENS(0) TENS(1) TENS(2) TENS(3) TENS(4) TENS(5) TENS(6) TENS(7) TENS(8) TENS(9);

/* Digits of v so that they end at `end`; returns where they start. */
static char *digits(char *end, uint64_t v)
{
	while (v >= 100) {
		end -= 2;
		memcpy(end, hundred + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, hundred + 2 * v, 2);
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

void out_u64(struct out *o, uint64_t v)
{
	char text[20], *end = text + sizeof text;
	char *p = digits(end, v);
	out_bytes(o, p, (size_t)(end - p));
}

void out_i64(struct out *o, int64_t v)
{
	if (v < 0)
		out_char(o, '-');
	out_u64(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* Eight nibbles at once, each in a byte of its own. */
static uint64_t hex8(uint32_t v)
{
	uint64_t x = v;
	x = (x & 0xFFFF) << 32 | x >> 16;
	x = (x & 0x000000FF000000FF) << 16 | (x >> 8 & 0x000000FF000000FF);
	x = (x & 0x000F000F000F000F) << 8 | (x >> 4 & 0x000F000F000F000F);
	/* From 10 on a letter: 6 more carries into the next bit. */
	uint64_t letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return htole64(x + 0x3030303030303030 + letters * ('A' - '0' - 10));
}

void out_hex(struct out *o, uint64_t v, unsigned n)
{
	uint64_t text[2] = {hex8((uint32_t)(v >> 32)), hex8((uint32_t)v)};
	out_bytes(o, (char *)text + 16 - n, n);
}

void out_words(struct out *o, const uint8_t *words, unsigned n)
{
	enum { BATCH = 32 };
	char text[9 * BATCH];
	for (unsigned i = 0; i < n;) {
		unsigned count = n - i < BATCH ? n - i : BATCH;
		char *p = text;
		for (unsigned k = 0; k < count; k++, i++, p += 9) {
			uint64_t digit = hex8(get_le32(words + 4 * (size_t)i));
			memcpy(p, &digit, 8);
			p[8] = ' ';
		}
		/* A space between words, none after the last. */
		out_bytes(o, text, 9 * (size_t)count - (i == n ? 1 : 0));
	}
}

static void out_scaled(struct out *o, uint64_t v, unsigned decimals)
{
	char text[32], *end = text + sizeof text;
	char *p = digits(end, v);
	while ((size_t)(end - p) <= decimals)
		*--p = '0';
	size_t whole = (size_t)(end - p) - decimals;
	out_bytes(o, p, whole);
	if (decimals) {
		out_char(o, '.');
		out_bytes(o, p + whole, decimals);
	}
}

void out_fixed(struct out *o, double v, unsigned decimals)
{
	static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
	double scaled = fabs(v) * power[decimals];
	double whole = floor(scaled);
	/* Close to a tie, and where a double has no such digits, the library decides. */
	if (scaled >= 1e14 || fabs(scaled - whole - 0.5) < 1e-3) {
		out_printf(o, "%.*f", (int)decimals, v);
		return;
	}
	uint64_t n = (uint64_t)whole + (scaled - whole > 0.5);
	if (signbit(v) && n)
		out_char(o, '-');
	out_scaled(o, n, decimals);
}

void out_double(struct out *o, double v)
{
	char text[40];
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(text, sizeof text, "%.*g", precision, v);
		if (strtod(text, NULL) == v)
			break;
	}
	out_str(o, text);
}

void out_seconds(struct out *o, int64_t ns)
{
	char text[24], *end = text + sizeof text;
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns, part = v % 1000000000;
	for (int i = 0; i < 4; i++, part /= 100) {
		end -= 2;
		memcpy(end, hundred + 2 * (part % 100), 2);
	}
	*--end = (char)('0' + part);
	*--end = '.';
	end = digits(end, v / 1000000000);
	if (ns < 0)
		*--end = '-';
	out_bytes(o, end, (size_t)(text + sizeof text - end));
}

void out_printf(struct out *o, const char *format, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	if (n < 0) {
		fail(o, EINVAL);
		return;
	}
	if ((size_t)n < sizeof text) {
		out_bytes(o, text, (size_t)n);
		return;
	}
	char *longer = malloc((size_t)n + 1);
	if (!longer) {
		fail(o, ENOMEM);
		return;
	}
	va_start(ap, format);
	vsnprintf(longer, (size_t)n + 1, format, ap);
	va_end(ap);
	out_bytes(o, longer, (size_t)n);
	free(longer);
}
