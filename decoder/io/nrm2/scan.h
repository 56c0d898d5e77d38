/* State of the conversion of one file. */
#ifndef SWT_DECODER_IO_NRM2_SCAN_H
#define SWT_DECODER_IO_NRM2_SCAN_H

#include "../../../formats/base/hash_index.h"
#include "../input.h"
#include "pending.h"

enum {
	NRM2_WINDOW = 1 << 20,
	/* Processors that one file may have: far above any machine's. */
	NRM2_MAX_CPUS = 16384,
	NRM2_MAX_REGIONS = 16,
};

/* Where a processor's hooks begin in a wrap file, until they turn out not to be the oldest. */
#define NRM2_NEWER_POSITION (UINT64_C(1) << 62)

struct nrm2_cpu {
	uint32_t ring;
	uint64_t position; /* in its ring */
	uint64_t gaps;	   /* as the scan's when its last section was read */
	uint64_t last;	   /* stamp */
	bool traced, seen; /* a section of hooks; a hook */
	bool turned;	   /* the offset where a wrap file continues with the oldest hooks */
	struct nrm2_group group;
	/* The beginning of a hook that continues in the next section. */
	struct buffer carry;
	uint64_t carry_at; /* in the file */
};

/* A copy of a kernel file, behind the sections. */
struct nrm2_region {
	uint64_t at, size;
	unsigned which; /* in io_import.kernel */
};

struct nrm2_scan {
	const struct io_input *in;
	io_progress_fn progress;
	void *progress_ctx;
	uint64_t size, reported;
	uint8_t *window;
	uint64_t window_at;
	size_t window_len, window_cap; /* cap: no less than the file's size, or NRM2_WINDOW */
	struct nrm2_spool spool;
	struct io_import *import;
	size_t damage_cap;
	struct nrm2_cpu *cpus;
	size_t ncpus, cpus_cap;
	struct hash_index by_ring; /* of cpus */
	uint64_t gaps;		   /* damaged stretches between sections so far */
	uint64_t held;		   /* bytes that wait in groups */
	uint64_t carried;	   /* bytes of hooks that are split */
	struct nrm2_region regions[NRM2_MAX_REGIONS];
	unsigned nregions;
	struct nrm2_spool_head head;
	/* The file's own facts. */
	bool any, own, final_table, full, big;
	uint32_t mode, own_flags, highest_cpu, lost;
	uint64_t base, mhz; /* ticks a second; 0: unknown */
	bool has_time;
	char os[9];
};

/* Makes up to n bytes at `at` readable, n <= NRM2_WINDOW; *got is less at the file's end. */
int nrm2_peek(struct nrm2_scan *s, uint64_t at, size_t n, const uint8_t **p, size_t *got);
int nrm2_damage(struct nrm2_scan *s, uint64_t at, uint64_t bytes, const char *why);
int nrm2_progress(struct nrm2_scan *s, uint64_t at);

#endif
