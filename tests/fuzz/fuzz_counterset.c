/*
 * A provider's file as another program's consumer reads it (libtrace/perflib/shared/): hostile
 * bytes, which may change between reading the definitions and reading the values. What the reader
 * returns follows the rules of counterset.h, and unchanged bytes are read twice with the same
 * result.
 *
 * An input is the number of changes, each 16 bits of position and a byte to XOR there; 16 bits of
 * length and the beginning of the header; the bytes after the header.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../libtrace/perflib/shared/image.h"
#include "../perflib/shared/rules.h"
#include "fuzz.h"

/* Positions beyond the header's beginning count from the bytes after the header. */
static off_t place_of(uint16_t at, size_t front)
{
	return at < front ? at : (off_t)(PROV_HEADER_BYTES + at - front);
}

static void write_at(int fd, const uint8_t *bytes, size_t n, off_t at)
{
	PROMISE(pwrite(fd, bytes, n, at) == (ssize_t)n, "a file in memory");
}

static void change_bytes(int fd, struct feed changes, size_t front, size_t size)
{
	while (changes.n >= 3) {
		off_t at = place_of(feed_u16(&changes), front);
		uint8_t b = feed_u8(&changes);

		if (b == 0xff && at < (off_t)size) /* a change that truncates the file */
			PROMISE(!ftruncate(fd, at), "a shorter file");
		else if (at < (off_t)size)
			write_at(fd, &b, 1, at);
	}
}

static bool same_rows(const struct rows *a, const struct rows *b)
{
	if (a->used != b->used || a->names_used != b->names_used)
		return false;
	for (size_t i = 0; i < (size_t)a->used * a->columns; i++)
		if (a->known[i] != b->known[i] || (a->known[i] && a->value[i] != b->value[i]))
			return false;
	return !a->used || (memcmp(a->row, b->row, a->used * sizeof *a->row) == 0 &&
				   memcmp(a->names, b->names, a->names_used) == 0);
}

static uint32_t rows_of(int fd, struct image *im, uint32_t set,
	const struct counterset_definition *d, struct rows *rows)
{
	uint64_t wanted[COUNTERSET_COUNTERS / 64];
	uint32_t rc = image_read(fd, im);

	memset(wanted, 0xff, sizeof wanted);
	if (!rc)
		rc = image_rows(fd, im, set, d, wanted, rows);
	if (!rc) {
		const char *broken = broken_rows(rows, d);

		PROMISE(!broken, "%s", broken);
	}
	return rc;
}

static void read_all(int fd, struct image *im, struct feed changes, size_t front, size_t size)
{
	struct counterset_definition *definition[PROV_SETS];
	struct rows rows[2] = {{0}, {0}};
	uint32_t sets = 0;

	for (uint32_t i = 0; i < im->header.blocks; i++) {
		size_t bytes;
		const char *broken;

		if (im->header.block[i].kind != PROV_SET)
			continue;
		if (image_definition(fd, im, i, &definition[sets], &bytes))
			break;
		broken = broken_definition(definition[sets++]);
		PROMISE(!broken, "%s", broken);
	}
	for (uint32_t i = 0; i < sets; i++) {
		uint32_t rc = rows_of(fd, im, i, definition[i], &rows[0]);

		PROMISE(rc == rows_of(fd, im, i, definition[i], &rows[1]), "%u, then not", rc);
		PROMISE(rc || same_rows(&rows[0], &rows[1]), "two looks, two answers");
	}
	change_bytes(fd, changes, front, size);
	for (uint32_t i = 0; i < sets; i++) {
		rows_of(fd, im, i, definition[i], &rows[0]);
		free(definition[i]);
	}
	rows_free(&rows[0]);
	rows_free(&rows[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static struct image *im;
	struct feed in = {data, size}, changes;
	const uint8_t *front;
	size_t front_bytes;

	if (fd < 0) {
		fd = memfd_create("provider", MFD_CLOEXEC);
		im = aligned_alloc(PROV_LINE, sizeof *im);
		PROMISE(fd >= 0 && im, "a file in memory");
	}
	changes.n = feed_bytes(&in, feed_u8(&in) * (size_t)3, &changes.p);
	front_bytes = feed_bytes(&in, feed_u16(&in) % (PROV_HEADER_BYTES + 1), &front);
	PROMISE(!ftruncate(fd, 0), "an empty file");
	write_at(fd, front, front_bytes, 0);
	write_at(fd, in.p, in.n, PROV_HEADER_BYTES);
	if (!image_read(fd, im))
		read_all(fd, im, changes, front_bytes, PROV_HEADER_BYTES + in.n);
	return 0;
}
