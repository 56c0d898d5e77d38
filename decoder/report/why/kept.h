/*
 * The intervals of a why report in partial results. The limits of the middle and the tail depend on
 * all parts, so each part keeps every interval, a row of about 25 bytes (formats/partial.md).
 * Functions return 0 or a CPIDECODE_E code; CPIDECODE_EINVAL: damaged.
 */
#ifndef SWT_DECODER_WHY_KEPT_H
#define SWT_DECODER_WHY_KEPT_H

#include "../../../formats/trace_file.h"
#include "../../base/varint.h"
#include "../../model/stats/partial/partial.h"
#include "../report.h"

/* Tables whose entries rows refer to by number. */
enum why_table {
	WHY_CLOCKS, /* WHY_CLOCK_BYTES each */
	WHY_NAMES,  /* of intervals and parents: labels, minors, majors */
	WHY_TEXTS,  /* names of values */
	WHY_TASKS,  /* names of threads */
	WHY_TABLES,
};

/* The least id of a machine's traces, a rate of 8 bytes, big-endian, and a byte, 1: ticks are
 * cycles at the nominal rate. */
enum { WHY_CLOCK_BYTES = 25 };

/* An opened result. Starts zeroed. */
struct why_kept {
	struct tally tables[WHY_TABLES]; /* a group's index is its number */
	uint32_t seen;			 /* of the tally */
	bool has_span;
	int64_t first_ns, last_ns; /* trace_span */
	struct trace_file *files;  /* by clock: with index, machine, header.clock and clock alone */
	struct clock *clocks;	   /* with rates alone */
	struct task *tasks;	   /* with names alone */
	const uint8_t *rows, *end;
	uint64_t count;
};

/* parent: 1 + the number of the parent's name, 0: none. The interval's file is the number of a
 * clock, the names of its values are numbers of texts. */
typedef int why_kept_fn(void *ctx, const struct interval *iv, uint32_t parent);

/* A file of r->trace, or, unless k is NULL, of the kept result k. */
static inline const struct trace_file *why_kept_file(
	const struct report *r, const struct why_kept *k, uint32_t file)
{
	return k ? &k->files[file] : trace_file(r->trace, file);
}

/* The name of a value of either. */
static inline struct trace_text why_kept_text(
	const struct report *r, const struct why_kept *k, uint32_t name)
{
	const struct tally_group *g = k ? k->tables[WHY_TEXTS].groups[name] : NULL;

	return g ? (struct trace_text){.at = g->label, .length = g->label_len}
		 : trace_text_at(r->trace, name);
}

/* The clock's rate is the nominal one if the clock counts cycles. */
static inline bool why_knows_rate(const struct trace_file *f)
{
	return f->header.clock == TF_CLOCK_TSC && !f->header.damaged;
}

/* Adds r->trace's intervals to *p as its answer. seen: the tally's. */
int why_kept_read(struct report *r, struct partial *p, uint32_t seen);
/* Joins the answers of *p, several, into one. CPIDECODE_ESPOOL: errno is set. */
int why_kept_settle(struct partial *p);
/* Opens the only answer of *p, and borrows it. Free *k in any case. */
int why_kept_open(struct why_kept *k, const struct partial *p);
/* Calls fn for each interval: by machine, then by start, longer first. */
int why_kept_each(const struct why_kept *k, why_kept_fn *fn, void *ctx);
void why_kept_free(struct why_kept *k);

#endif
