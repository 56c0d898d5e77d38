#include "results.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../../formats/base/array.h"
#include "../../../formats/bytes.h"
#include "../../../include/cpidecode.h"
#include "../../model/stats/partial/partial.h"

enum { FIRST_READ = 64 << 10 };

/* Stops early on input that does not begin as a partial result. */
static int results_read_bytes(FILE *f, uint8_t **bytes, size_t *n)
{
	for (size_t room = 0;;) {
		if (!array_reserve(bytes, &room, room ? room + 1 : FIRST_READ, 1))
			return CPIDECODE_ENOMEM;
		*n += fread(*bytes + *n, 1, room - *n, f);
		if (*n < room)
			return ferror(f) ? CPIDECODE_EREAD : 0;
		if (memcmp(*bytes, PARTIAL_MAGIC, 8) != 0)
			return 0;
	}
}

static void results_close(FILE *f)
{
	int error = errno;

	fclose(f);
	errno = error;
}

int results_read_file(const char *path, uint8_t **bytes, size_t *n)
{
	const bool is_standard = strcmp(path, "-") == 0;
	FILE *f = is_standard ? stdin : fopen(path, "re");

	*bytes = NULL;
	*n = 0;
	if (!f)
		return CPIDECODE_EOPEN;
	int rc = results_read_bytes(f, bytes, n);
	if (!is_standard)
		results_close(f);
	return rc;
}

int results_read_range(const char *path, struct results_range range, uint8_t **bytes)
{
	FILE *f = fopen(path, "re");

	*bytes = NULL;
	if (!f)
		return CPIDECODE_EOPEN;
	*bytes = malloc(range.bytes);
	int rc = *bytes ? 0 : CPIDECODE_ENOMEM;
	if (!rc && fseeko(f, (off_t)range.at, SEEK_SET))
		rc = CPIDECODE_EREAD;
	if (!rc && fread(*bytes, 1, range.bytes, f) < range.bytes) {
		if (!ferror(f))
			errno = EIO;
		rc = CPIDECODE_EREAD;
	}
	results_close(f);
	return rc;
}

int results_each(const uint8_t *bytes, size_t n, results_fn *fn, void *ctx, const char **why)
{
	uint32_t following = 0;
	int rc = 0;

	*why = NULL;
	for (size_t at = 0, size; !rc && (!at || at < n); at += size) {
		const uint32_t expected = following - 1;

		size = partial_size(bytes + at, n - at, &following, why);
		if (!size)
			return 1;
		const bool is_several =
			get_le32(bytes + at + PARTIAL_H_VERSION) == PARTIAL_VERSION_HOSTS;
		if (at ? !is_several || following != expected : is_several != (following > 0)) {
			*why = "damaged: its number of results contradicts itself";
			return 1;
		}
		rc = fn(ctx, (struct results_range){at, size});
	}
	return rc;
}
