/*
 * decoder_reader stream TRACE: all intervals, one at a time. decoder_reader columns TRACE
 * COLUMN...: these columns of all intervals, or, without a name, those of the CSV. Prints how many
 * there are.
 */
#include <cpidecode.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4096 };

static int read_stream(const cpidecode_trace *t, uint64_t *count)
{
	cpidecode_interval_stream *s;
	cpidecode_interval iv;
	int rc = cpidecode_interval_stream_open(t, INT64_MIN, INT64_MAX, &s);

	if (rc)
		return rc;
	while ((rc = cpidecode_interval_stream_next(s, &iv)) > 0)
		++*count;
	cpidecode_interval_stream_close(s);
	return rc;
}

static int read_columns(
	const cpidecode_trace *t, const char *const *names, size_t n, uint64_t *count)
{
	cpidecode_columns *c;
	int rc = cpidecode_columns_open(t, n ? names : NULL, n, NULL, &c, NULL);

	if (rc)
		return rc;
	size_t columns = cpidecode_columns_count(c);
	cpidecode_column_buffer *to = calloc(columns, sizeof *to);
	for (size_t i = 0; to && i < columns; i++)
		to[i].values = malloc(ROWS * sizeof(uint64_t));
	while (to && (rc = cpidecode_columns_read(c, to, ROWS)) > 0)
		*count += (uint64_t)rc;
	for (size_t i = 0; to && i < columns; i++)
		free(to[i].values);
	free(to);
	cpidecode_columns_close(c);
	return rc;
}

int main(int argc, char **argv)
{
	cpidecode_trace *t;
	uint64_t count = 0;

	if (argc < 3)
		return 2;
	int rc = cpidecode_open(argv[2], &t);
	if (!rc) {
		rc = strcmp(argv[1], "stream") == 0 ? read_stream(t, &count)
						    : read_columns(t, (const char *const *)argv + 3,
							      (size_t)argc - 3, &count);
		cpidecode_close(t);
	}
	if (rc) {
		fprintf(stderr, "decoder_reader: %s\n", cpidecode_strerror(rc));
		return 1;
	}
	printf("%" PRIu64 "\n", count);
	return 0;
}
