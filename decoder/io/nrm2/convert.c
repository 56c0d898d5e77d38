/* Converts an NRM2 file to a trace.bin: the description, the sections, the end. */
#include "convert.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../formats/base/time_ns.h"
#include "../../../include/cpidecode.h"
#include "../../base/whole_io.h"
#include "data.h"
#include "sections.h"

static int __attribute__((format(printf, 2, 3)))
nrm2_write_meta(struct nrm2_scan *s, const char *format, ...)
{
	char line[128];
	va_list ap;

	va_start(ap, format);
	int n = vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	return nrm2_spool_meta(
		&s->spool, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static const char *mode_name(const struct nrm2_scan *s)
{
	if (s->mode & NRM2_MODE_CONTINUOUS)
		return "continuous";
	/* Bit 0 has two meanings. */
	return s->mode == NRM2_MODE_WRAP && !s->final_table ? "wrap" : "normal";
}

/* Facts of a foreign file that trace.bin has no field for. */
static int nrm2_write_description(struct nrm2_scan *s)
{
	int rc = nrm2_write_meta(s, "byte order: %s-endian", s->big ? "big" : "little");

	if (!rc)
		rc = nrm2_write_meta(s, "mode: %s", mode_name(s));
	if (!rc && s->os[0])
		rc = nrm2_write_meta(s, "os: %.*s", (int)strcspn(s->os, " \n"), s->os);
	if (!rc && s->import->no_rate)
		rc = nrm2_write_meta(s, "clock rate: unknown: one tick counts as 1 ns");
	if (!rc && s->import->no_time)
		rc = nrm2_write_meta(s, "time of day: unknown: times start at tick 0");
	if (!rc && s->full)
		rc = nrm2_write_meta(s, "buffer: filled up");
	return rc;
}

/* The best of the file's facts on its clock. */
static void settle_clock(struct nrm2_scan *s)
{
	struct io_import *im = s->import;
	uint64_t *rate = &s->head.ticks_per_second;

	if (s->own) {
		im->foreign = s->own_flags & NRM2_X_FOREIGN;
		im->no_rate = s->own_flags & NRM2_X_NO_RATE;
		im->no_time = s->own_flags & NRM2_X_NO_TIME;
		return;
	}
	*rate = s->base ? s->base : s->mhz;
	im->foreign = true;
	im->no_rate = !*rate;
	im->no_time = !s->has_time;
	if (im->no_rate)
		*rate = TIME_SECOND_NS;
	if (s->head.cpus <= s->highest_cpu && s->any)
		s->head.cpus = s->highest_cpu + 1;
}

static int nrm2_convert_file(struct nrm2_scan *s)
{
	int rc = nrm2_spool_open(&s->spool);

	if (!rc)
		rc = nrm2_sections(s);
	if (!rc)
		rc = nrm2_data_end(s);
	settle_clock(s);
	if (!rc && !s->own)
		rc = nrm2_write_description(s);
	return rc ? rc : nrm2_spool_finish(&s->spool, &s->head);
}

/* Bytes before the integers of a hook of 32-bit files. */
enum { NARROW_HEADER = 12 };

/*
 * Hooks of the older, 32-bit files begin with 12 bytes: some are shorter than a hook of the others
 * can be, or have a number of bytes that no 64-bit integers have.
 */
static int is_32_bit(struct nrm2_scan *s, bool *narrow)
{
	const uint8_t *p;
	size_t got;
	bool big;

	*narrow = false;
	int rc = nrm2_peek(s, 0, s->window_cap, &p, &got);
	if (rc || got < NRM2_HEADER_SIZE || !nrm2_magic(p, &big) ||
		nrm2_get32(p + NRM2_H_WORD_SIZE, big) != NRM2_WORD_32)
		return rc;
	uint32_t size = nrm2_get32(p + NRM2_H_DATA_SIZE, big);
	bool odd = false;
	size_t end = size < got - NRM2_HEADER_SIZE ? NRM2_HEADER_SIZE + size : got;
	for (size_t at = NRM2_HEADER_SIZE; at + NARROW_HEADER <= end;) {
		uint32_t length = nrm2_get16(p + at, big), type = length & 3;

		length -= type;
		if (length < NARROW_HEADER || (type != 0 && type != 2) ||
			!nrm2_get16(p + at + NRM2_HK_MAJOR, big))
			return 0;
		odd |= length < NRM2_HK_DATA || (length - NRM2_HK_DATA) % 8;
		at += length;
	}
	*narrow = odd;
	return 0;
}

int nrm2_convert(const struct io_input *in, io_progress_fn progress, void *ctx,
	struct io_import *import, int *fd, uint64_t *size)
{
	struct nrm2_scan s = {
		.in = in,
		.progress = progress,
		.progress_ctx = ctx,
		.size = io_size(in),
		.spool = {.fd = -1},
		.import = import,
	};

	*import = (struct io_import){.bytes = s.size, .kernel_fd = -1};
	s.window_cap = s.size < NRM2_WINDOW ? (size_t)s.size : NRM2_WINDOW;
	s.window = malloc(s.window_cap);
	int rc = s.window ? 0 : CPIDECODE_ENOMEM;
	if (!rc && s.size < NRM2_HEADER_SIZE)
		rc = CPIDECODE_ETRUNCATED;
	bool narrow = false;
	if (!rc)
		rc = is_32_bit(&s, &narrow);
	if (!rc)
		rc = narrow ? CPIDECODE_E32BIT : nrm2_convert_file(&s);
	int saved = errno;
	*fd = s.spool.fd;
	*size = s.spool.at;
	if (rc && s.spool.fd >= 0) {
		close(s.spool.fd);
		*fd = -1;
	}
	nrm2_spool_close(&s.spool);
	for (size_t i = 0; i < s.ncpus; i++) {
		free(s.cpus[i].carry.p);
		free(s.cpus[i].group.records.p);
	}
	free(s.cpus);
	hash_index_free(&s.by_ring);
	free(s.window);
	errno = saved;
	return rc;
}

void nrm2_import_free(struct io_import *import)
{
	free(import->damage);
	if (import->kernel_fd >= 0)
		close(import->kernel_fd);
	*import = (struct io_import){.kernel_fd = -1};
}

int io_import_kernel(const struct io_import *import, unsigned which, uint64_t offset, void *buf,
	size_t n, size_t *got)
{
	const struct io_kernel_file *k = &import->kernel[which];

	*got = 0;
	if (offset >= k->size)
		return 0;
	if (n > k->size - offset)
		n = (size_t)(k->size - offset);
	ssize_t done = whole_read(import->kernel_fd, buf, n, k->at + offset);
	*got = done < 0 ? 0 : (size_t)done;
	return done < 0 ? CPIDECODE_EREAD : 0;
}
