/*
 * --partition: the path of a trace's file in the folder, in Hive's layout:
 * host=HOST/date=YYYY-MM-DD/NAME.ID.parquet. Escapes names, so that no path leaves the folder.
 */
#ifndef SWT_DECODER_REPORT_EXPORT_PARTITION_H
#define SWT_DECODER_REPORT_EXPORT_PARTITION_H

#include "../../model/trace/trace.h"
#include "../../sink/out.h"

enum { PARTITION_KEYS = 8, PARTITION_EXPECTED = 96 };

enum partition_kind {
	PARTITION_HOST,
	PARTITION_DATE,
	PARTITION_GIVEN, /* KEY=VALUE */
};

struct partition_key {
	enum partition_kind kind;
	const char *name, *value; /* within the text that was parsed; value: of PARTITION_GIVEN */
	size_t name_length, value_length;
};

struct partition {
	struct partition_key keys[PARTITION_KEYS];
	unsigned count; /* 0: there are no partitions */
};

/* Returns false and sets `expected` to the valid syntax at offset *at. Keeps pointers into text. */
bool partition_parse(
	struct partition *p, const char *text, size_t *at, char expected[PARTITION_EXPECTED]);
/* Whether it is named host, also with a value that is given: the file has no such column then. */
bool partition_is_host(const struct partition_key *key);
bool partition_has_host(const struct partition *p);

/* Appends the path of the trace's file in the folder, a string; name: of the trace's first file. */
void partition_write_path(struct out *o, const struct partition *p, const struct trace *t,
	const char *folder, const char *name);

#endif
