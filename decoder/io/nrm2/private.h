/* The conversion from inside: nrm2.c (the file), scan.c, sections.c, data.c. */
#ifndef SWT_DECODER_IO_NRM2_PRIVATE_H
#define SWT_DECODER_IO_NRM2_PRIVATE_H

#include "../../../formats/base/hash_index.h"
#include "nrm2.h"
#include "group.h"

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
	bool turned;	   /* the place where a wrap file goes on with the oldest hooks */
	struct nrm2_group group;
	/* The beginning of a hook that goes on in the next section. */
	struct nrm2_bytes carry;
	uint64_t carry_at; /* in the file */
};

/* A copy of a kernel file, behind the sections. */
struct nrm2_region {
	uint64_t at, size;
	unsigned which; /* in io_import.kernel */
};

struct nrm2_part {
	uint64_t at, data, end; /* of the header, its data, and where they end */
	bool big, own;
	uint32_t cpu, ring, mode, type, lost;
	/* Whose the next hooks of a section of ours are, and of which group. */
	uint32_t tid;
	uint64_t group;
	bool grouped;
	uint8_t header[NRM2_HEADER_SIZE];
};

struct nrm2_scan {
	const struct io_input *in;
	io_progress_fn progress;
	void *progress_ctx;
	uint64_t size, told;
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
	/* What the file says of itself. */
	bool any, own, final_table, full, big;
	uint32_t mode, own_flags, highest_cpu, lost;
	uint64_t base, mhz; /* ticks a second; 0: not told */
	bool has_time;
	char os[9];
};

/* Makes up to n bytes at `at` readable, n <= NRM2_WINDOW; *got is less at the file's end. */
int nrm2_look(struct nrm2_scan *s, uint64_t at, size_t n, const uint8_t **p, size_t *got);
int nrm2_damage(struct nrm2_scan *s, uint64_t at, uint64_t bytes, const char *why);
int nrm2_progress(struct nrm2_scan *s, uint64_t at);

/* 1 and *part if a section stands there, 0, or a code. *why: what is wrong, if there is more. */
int nrm2_section_at(struct nrm2_scan *s, uint64_t at, struct nrm2_part *part, const char **why);
int nrm2_sections(struct nrm2_scan *s);

/* The hooks of a section. part->end is lowered when the next section stands before it. */
int nrm2_data(struct nrm2_scan *s, struct nrm2_part *part);
/* Hooks whose rest never came. */
int nrm2_data_end(struct nrm2_scan *s);

/* nrm2_table.c: what hooks say about the trace itself. 0 or a code. */
int nrm2_own_table(struct nrm2_scan *s, const struct nrm2_hook *h);
int nrm2_learn(struct nrm2_scan *s, const struct nrm2_part *part, const struct nrm2_hook *h);

#endif
