/* Percentiles that the user asks for: --percentiles 50,95,99.9. */
#ifndef SWT_DECODER_REPORT_VALUES_PERCENTILES_H
#define SWT_DECODER_REPORT_VALUES_PERCENTILES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PERCENTILES = 24,
	PERCENTILE_PARTS = 10000, /* of one percent */
};

struct percentile {
	uint32_t parts;
	char name[16];	  /* "p99.9_ns" */
	char heading[12]; /* "p99.9" */
};

struct percentiles {
	unsigned count;
	struct percentile at[PERCENTILES];
};

/* NULL, or the error of the text. */
const char *percentiles_parse(struct percentiles *p, const char *text);
/* The nearest rank in n values, n > 0, from 1. */
uint64_t percentile_rank(const struct percentile *p, uint64_t n);

#endif
