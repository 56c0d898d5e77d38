/* MAX_: the most that is kept of a file; the rest is reported as damage. MAX_RINGS is in
 * directory.h, TASKS_MAX in tasks.h. */
#ifndef SWT_DECODER_MODEL_TRACE_LIMITS_H
#define SWT_DECODER_MODEL_TRACE_LIMITS_H

enum {
	MAX_META_BYTES = 4 << 20,
	MAX_META_SECTIONS = 4096,
	MAX_META_LINES = 1 << 16,
	MAX_SCHEMA_BYTES = 2 << 20,
	MAX_SCHEMAS = 4096,
	MAX_SYNCS = 1 << 18,
	/* Texts and, of each label, LABEL_COSTS: a session's full table, 2^20 labels of 8 bytes. */
	MAX_LABELS_BYTES = 160 << 20,
	LABEL_COSTS = 128,
	/* Files up to this size are verified on opening: the cost is negligible. */
	VERIFY_SMALL_BYTES = 64 << 20,
	/* Files up to this size are also unpacked on opening, to check headers against contents:
	 * that costs as much as a summary. */
	UNPACK_SMALL_BYTES = 8 << 20,
	MAX_CLOCK_FINDINGS = 1000,
};

#endif
