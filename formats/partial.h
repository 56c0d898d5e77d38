/*
 * A partial result of cpidecode, version 8: the sums of the intervals of a trace, or of a slice
 * of one; or version 9, one of several in a file. Description: partial.md. Little-endian; offsets
 * in bytes.
 */
#ifndef SWT_FORMATS_PARTIAL_H
#define SWT_FORMATS_PARTIAL_H

#define PARTIAL_MAGIC "\x89SWP\r\n\x1a\n"

enum partial_header {
	PARTIAL_H_MAGIC = 0,
	PARTIAL_H_VERSION = 8,	  /* u32 */
	PARTIAL_H_FOLLOWING = 12, /* u32 results after this one in the file */
	PARTIAL_H_PAYLOAD = 16,	  /* u64 bytes between the header and the next one, or the end */
	PARTIAL_H_CHECKSUM = 24,  /* u64 XXH3-64 of the payload, seeded with that of bytes 0-23 */
	PARTIAL_HEADER_SIZE = 32,
	PARTIAL_VERSION = 8,
	PARTIAL_VERSION_HOSTS = 9, /* of a file with a result for each of several hosts */
	PARTIAL_UTIL_MINOR = 256,  /* is added to the minors of CPU utilisation */
	PARTIAL_SCOPE_MINOR = 512, /* is added to those of light intervals */
};

/* Kinds of answers: data of reports that need more than the groups. */
enum partial_answer {
	PARTIAL_NO_ANSWER,
	PARTIAL_STACKS, /* of folded and svg */
	PARTIAL_HEATMAP,
	PARTIAL_SLOWEST,
	PARTIAL_GAPS,
	PARTIAL_BY,    /* of groups by the keys of --by */
	PARTIAL_EXACT, /* of groups by label and minor with --exact */
	PARTIAL_WHY,   /* the intervals of why */
	PARTIAL_ANSWERS,
};

/* Counts of one trace file: first those that the file states, then those that reading it found. */
enum partial_count {
	PARTIAL_FULL, /* hooks lost, by cause */
	PARTIAL_BIG,
	PARTIAL_HELD,
	PARTIAL_NO_GUEST,
	PARTIAL_UNEXPLAINED,
	PARTIAL_NO_SLOT,
	PARTIAL_NO_MEMORY,
	PARTIAL_UNATTACHED,
	PARTIAL_UNWRITTEN,
	PARTIAL_OVERWRITTEN,
	PARTIAL_TORN,
	PARTIAL_STRETCHES, /* damaged, and their bytes */
	PARTIAL_DAMAGED_BYTES,
	PARTIAL_SCHEMAS,	/* that were refused */
	PARTIAL_HEADER_DAMAGED, /* 0 or 1 */
	PARTIAL_CUT_OFF,	/* 0 or 1: no END */
	PARTIAL_CONTRADICTIONS, /* headers that contradict their contents */
	PARTIAL_FINDINGS,	/* about its clocks */
	PARTIAL_STATED,
	PARTIAL_FOUND_TORN = PARTIAL_STATED,
	PARTIAL_MALFORMED,
	PARTIAL_RESERVED,
	PARTIAL_COUNTS,
};

_Static_assert(PARTIAL_COUNTS == 21, "the counts are part of the format");
_Static_assert(PARTIAL_H_CHECKSUM + 8 == PARTIAL_HEADER_SIZE, "the checksum ends the header");

#endif
